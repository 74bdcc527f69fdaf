"""Cameras at a network address: a real server of MJPEG over HTTP, and a real one of RTSP."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest

from cardsight.errors import NoCamera, NoFrame
from cardsight.sources.frames import Frame
from cardsight.sources.network import LATENCY_S, NetworkCamera
from croupier.config import BadConfigFile, Config, read
from croupier.pictures import table_reader
from croupier.pictures.live_camera import LiveCamera
from croupier.retry import RetryPolicy
from tests.vision.network_cameras import GRAYS, LineServer, PhoneApp, RtspServer, gray_jpeg

LONG_S = 10.0
"""More than any thread here needs; never waited for where all is well."""


@pytest.fixture
def phone() -> Iterator[PhoneApp]:
    with PhoneApp() as app:
        yield app


def opened(app: PhoneApp, url: str = "", patience_s: float = LONG_S) -> LiveCamera:
    """A camera whose stream has begun, and which is opened again at once."""
    camera = live(url or app.url(), patience_s)
    assert app.has_stream.wait(LONG_S)
    return camera


def live(url: str, patience_s: float = LONG_S, silent_s: float = LONG_S) -> LiveCamera:
    policy = RetryPolicy(0.01, 0.01)
    return LiveCamera(
        lambda: NetworkCamera(url, silent_s=silent_s), patience_s=patience_s, waits=True, policy=policy
    ).opened()


def end(camera: LiveCamera, app: PhoneApp) -> None:
    """Close the app and the camera, in this order: closing waits for the next picture of an app that is silent."""
    app.close()
    camera.close()


def gray(frame: Frame) -> int:
    return int(frame.image[0, 0, 0])


def first_frame(camera: LiveCamera) -> Frame:
    """The next frame, however long it takes."""
    while True:
        with suppress(NoFrame):
            return camera.frame()


def fault(camera: LiveCamera) -> str:
    """Why no more frames come, once the camera has noticed."""
    while True:
        with pytest.raises(NoFrame) as error:
            camera.frame()
        if not any(words in str(error.value) for words in ("is silent", "stream has ended")):
            return str(error.value)


@pytest.mark.parametrize(
    ("has_lengths", "dashes", "path", "newline"),
    [
        pytest.param(True, "", "/video", "\r\n", id="as-ip-webcam"),
        pytest.param(True, "--", "/video", "\r\n", id="as-droidcam-whose-boundary-has-dashes"),
        pytest.param(False, "", "/video", "\r\n", id="without-lengths"),
        pytest.param(True, "", "/", "\r\n", id="by-the-address-that-the-app-shows"),
        pytest.param(True, "", "/video", "\n", id="as-a-small-camera-whose-lines-end-with-lf"),
        pytest.param(False, "", "/video", "\n", id="lines-that-end-with-lf-without-lengths"),
    ],
)
def test_the_camera_apps_of_phones_are_read(has_lengths: bool, dashes: str, path: str, newline: str) -> None:
    with PhoneApp(has_lengths=has_lengths, dashes=dashes, newline=newline) as app:
        camera = opened(app, app.url(path))
        app.send(gray_jpeg(80))
        assert gray(camera.frame()) == 80
        app.send(gray_jpeg(120))
        assert gray(camera.frame()) == 120
        end(camera, app)


def test_of_frames_that_come_at_once_the_newest_counts(phone: PhoneApp) -> None:
    camera = opened(phone)
    phone.send(gray_jpeg(10), gray_jpeg(50), gray_jpeg(90))
    assert gray(camera.frame()) == 90
    camera.close()


def test_a_frame_after_a_stall_may_be_as_old_as_the_stall_and_times_stay_in_order(phone: PhoneApp) -> None:
    times = iter([0.0, 1.0, 1.1, 3.1, 3.11])  # first: the stream begins
    camera = NetworkCamera(phone.url(), clock=lambda: next(times))
    assert phone.has_stream.wait(LONG_S)
    frames = []
    for value in (10, 20, 30, 40):
        phone.send(gray_jpeg(value))
        frames.append(camera.frame())
    camera.close()
    windows = [(frame.t - frame.u, frame.t + frame.u) for frame in frames]
    assert windows[1] == pytest.approx((1.1 - LATENCY_S - 0.6 + 1 / 30, 1.1), abs=0.1)
    assert windows[2] == pytest.approx((1.1, 3.1))
    assert windows[3][0] < 1.5, "the backlog of the stall was taken for new"
    assert all(earlier.t < later.t for earlier, later in pairwise(frames))


def test_a_stream_that_drops_is_opened_again(phone: PhoneApp) -> None:
    camera = opened(phone)
    phone.send(gray_jpeg(80))
    assert gray(camera.frame()) == 80
    phone.drop()
    assert phone.has_stream.wait(LONG_S)
    phone.send(gray_jpeg(120))
    assert gray(camera.frame()) == 120
    end(camera, phone)


def test_a_phone_that_is_gone_is_reported_and_found_again_when_it_is_back(phone: PhoneApp) -> None:
    camera = opened(phone, patience_s=0.05)
    phone.send(gray_jpeg(80))
    first_frame(camera)
    phone.close()
    assert "does not answer: Connection refused; is the app running" in fault(camera)
    with PhoneApp(port=phone.port) as back:
        assert back.has_stream.wait(LONG_S)
        back.send(gray_jpeg(120))
        assert gray(first_frame(camera)) == 120
    camera.close()


def test_a_phone_that_falls_asleep_is_reported(phone: PhoneApp) -> None:
    try:
        camera = live(phone.url(), patience_s=0.05, silent_s=0.3)
    except NoCamera as err:  # it fell asleep before it answered
        complaint = str(err)
    else:
        complaint = fault(camera)
        camera.close()
    assert "does not answer: no data for 0.3 s; is the app running, the phone awake" in complaint


@pytest.mark.parametrize(
    ("path", "complaint"),
    [
        pytest.param("/greet.html", 'sends a web page, "Phone & camera"; expected a stream of pictures', id="page"),
        pytest.param(
            "/elsewhere", r'forwards to a web page, "Welcome to\x1b[31m the hotel" at http://127.0.0.1:PORT/login;',
            id="login-page",
        ),
        pytest.param("/photo.jpg", "sends one picture (image/jpeg), no stream; expected a stream", id="picture"),
        pytest.param("/film.mp4", "sends video/mp4; expected a stream of pictures", id="film"),
        pytest.param("/nowhere", "answers 404 Not Found; expected a stream", id="nothing-there"),
    ],
)  # fmt: skip
def test_what_is_no_stream_is_described_in_one_line(path: str, complaint: str, phone: PhoneApp) -> None:
    with pytest.raises(NoCamera) as error:
        NetworkCamera(phone.url(path))
    assert complaint.replace("PORT", str(phone.port)) in str(error.value)
    assert str(error.value).isprintable()


@pytest.mark.parametrize(
    ("address", "line", "complaint"),
    [
        pytest.param("http://ann:s3cret@{}/a", "RTSP/1.0 400 Bad Request\r\n\r\n",
                     "speaks RTSP; expected rtsp://{}/a", id="rtsp-at-an-http-address"),
        pytest.param("http://{}/a", "SSH-2.0-OpenSSH_9.2\x07\r\n",
                     'answers "SSH-2.0-OpenSSH_9.2\\x07", which is not HTTP; expected a stream', id="ssh"),
        pytest.param("rtsp://ann:s3cret@{}/a", "HTTP/1.1 400 Bad Request\r\n\r\n",
                     "speaks HTTP; expected http://{}/a", id="http-at-an-rtsp-address"),
        pytest.param("rtsp://{}/a", "220 printer ready\r\n",
                     'answers "220 printer ready", which is not RTSP; expected', id="ftp"),
        pytest.param("rtsp://{}/a", "RTSP/1.0 404 Not Found\r\n\r\n", "no stream there", id="no-such-stream"),
        pytest.param("rtsp://{}/a", "", "does not answer: no data for 0.3 s; is the camera on", id="silent"),
    ],
)  # fmt: skip
def test_a_server_of_another_protocol_is_named(address: str, line: str, complaint: str) -> None:
    with LineServer(line) as server:
        place = f"127.0.0.1:{server.port}"
        with pytest.raises(NoCamera) as error:
            NetworkCamera(address.format(place), silent_s=0.3)
    assert complaint.format(place) in str(error.value)
    assert "s3cret" not in str(error.value)


def test_a_stream_in_which_no_part_begins_is_described(phone: PhoneApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cardsight.sources.network._MOST_BYTES", 10_000)
    camera = NetworkCamera(phone.url())
    assert phone.has_stream.wait(LONG_S)
    phone.write(b"\n\n+++ buffering +++\n" + bytes(20_000))
    with pytest.raises(NoCamera, match=r'sends no pictures but "\+\+\+ buffering \+\+\+"; expected a stream'):
        camera.frame()
    camera.close()


@pytest.mark.parametrize(
    "part",
    [
        pytest.param(b"no picture", id="no-picture"),
        pytest.param(gray_jpeg(10)[:40], id="cut-off"),
        pytest.param(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xff\xff\xff\xff\xff\xff\xff", id="huge"),
    ],
)
def test_a_part_that_is_no_picture_is_reported_and_does_not_end_the_camera(part: bytes, phone: PhoneApp) -> None:
    camera = opened(phone)
    phone.has_stream.clear()
    phone.send(part)
    assert phone.has_stream.wait(LONG_S), "it was not opened again"
    phone.send(gray_jpeg(120))
    assert gray(camera.frame()) == 120
    end(camera, phone)


def test_a_user_and_a_password_open_the_stream_and_no_message_shows_them() -> None:
    with PhoneApp(password="s3cret/@") as app:
        camera = opened(app, app.url(user="ann:s3cret%2F%40@"))
        app.send(gray_jpeg(80))
        assert gray(camera.frame()) == 80
        camera.close()
        for user in ("", "ann:wr0ng@"):
            with pytest.raises(NoCamera, match=r"asks for a user and a password") as error:
                NetworkCamera(app.url("/video?key=wr0ng", user))
            assert "wr0ng" not in str(error.value)
    with pytest.raises(NoCamera, match="does not answer") as error:
        NetworkCamera(app.url(user="ann:s3cret@"))
    assert "s3cret" not in str(error.value)


def test_a_network_camera_is_read_by_rtsp_and_opened_again_when_its_stream_ends(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with RtspServer(tmp_path, password="s3cret@") as server:
        capfd.readouterr()
        camera = live(server.url("ann:s3cret%40@"))
        seen = [gray(camera.frame()) for _ in range(2 * len(GRAYS))]
        camera.close()
        assert any(later < earlier for earlier, later in pairwise(seen)), "it was never opened again"
        assert min(abs(GRAYS[0] - value) for value in seen) < 20
        with pytest.raises(NoCamera, match="user and password are wrong") as error:
            NetworkCamera(server.url("ann:wr0ng@"))
    assert "wr0ng" not in str(error.value) + capfd.readouterr().err


def test_the_table_opens_the_address_of_its_file(phone: PhoneApp) -> None:
    section = read(f'[camera]\nsource = "{phone.url("/")}"').camera
    camera = table_reader.camera(section)
    assert isinstance(camera, LiveCamera)
    assert phone.has_stream.wait(LONG_S)
    phone.send(gray_jpeg(80))
    assert gray(first_frame(camera)) == 80
    end(camera, phone)


@pytest.mark.parametrize("source", ["ftp://ann:s3cret@phone/", "http://", "http://ann:s3cret@phone:port/"])
def test_what_is_no_address_is_reported_without_its_password(source: str) -> None:
    with pytest.raises(BadConfigFile, match="not the address of a camera: expected usb:NUMBER") as error:
        read(f'[camera]\nsource = "{source}"')
    assert "s3cret" not in str(error.value)
    assert Config().camera.source == "usb:0"
