"""A phone's browser as camera: the real page of the table, spoken to as the phone does, and by others."""

from __future__ import annotations

import fcntl
import os
import resource
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta, tzinfo
from hashlib import sha256
from pathlib import Path
from time import monotonic

import httpx
import pytest
from cryptography import x509
from hypothesis import given
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from cardsight.errors import NoCamera, NoFrame
from cardsight.sources.frames import Frame
from croupier.config import BadConfigFile, read
from croupier.pictures import table_reader
from croupier_extras.certificate import LIFETIME, RENEWED, ServerCertificate, names_of_this_machine, own_certificate
from croupier_extras.phone_camera.camera import PhoneCamera
from croupier_extras.phone_camera.feed import LATE_S, MOST_BYTES, Message, PhoneClock, PhoneFeed
from tests.extras.phones import Phone, camera_at, token
from tests.longer import some
from tests.patience import PATIENCE_S
from tests.ports import own_port
from tests.vision.network_cameras import gray_jpeg

pytestmark = pytest.mark.slow

HUGE = b"\xff\xd8\xff\xc0\0\x11\x08\xff\xff\xff\xff\x03\1\x11\0\2\x11\0\3\x11\0"
"""The head of a picture of 65535 x 65535."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the camera that most tests share: each comes with a phone of its own."""
    return tmp_path_factory.mktemp("table")


@pytest.fixture(scope="module")
def camera(folder: Path) -> Iterator[PhoneCamera]:
    with camera_at(folder) as one:
        yield one


@pytest.fixture
def phone(camera: PhoneCamera, folder: Path) -> Iterator[Phone]:
    """The phone that scanned the code."""
    with Phone(camera, folder) as one:
        used = token(camera)
        assert one.scan(used) == 204
        assert token(camera, used)
        yield one


def gray(frame: Frame) -> int:
    return int(frame.image[0, 0, 0])


@pytest.mark.parametrize(
    "has_line", some([pytest.param(True, id="websocket"), pytest.param(False, id="requests-as-safari")], 2)
)
def test_a_picture_comes_with_the_time_at_which_it_was_taken(has_line: bool, camera: PhoneCamera, phone: Phone) -> None:
    phone.open() if has_line else phone.ping()
    taken = phone.send(80, age_s=0.3)
    frame = camera.frame()
    assert gray(frame) == 80
    assert abs(frame.t - taken) <= frame.u + 1e-3
    assert camera.status_text == "The phone sends pictures."


def test_the_newest_of_several_pictures_counts(camera: PhoneCamera, phone: Phone) -> None:
    phone.open()
    for value in (20, 60, 100):
        phone.send(value)
    phone.send(is_hidden=True)
    with camera._changed:  # what is told of the phone comes after its pictures
        assert camera._changed.wait_for(lambda: "cannot be seen" in camera.status_text, PATIENCE_S)
    assert gray(camera.frame()) == 100


def test_pictures_that_are_late_or_out_of_order_are_dropped_and_counted(camera: PhoneCamera, phone: Phone) -> None:
    phone.open()
    taken = phone.send(60)
    assert gray(camera.frame()) == 60
    phone.send(10, age_s=LATE_S + 1)
    phone.send(20, age_s=monotonic() - taken + 0.5)
    phone.send(30, number=1)
    phone.send(100)
    assert gray(camera.frame()) == 100
    assert camera.status_text.endswith("late, out of order or damaged: 3.")


@pytest.mark.parametrize("jpeg", [b"no picture", gray_jpeg(10)[:40], HUGE], ids=["no-picture", "cut-off", "huge"])
def test_a_damaged_picture_is_told_and_does_not_end_the_camera(jpeg: bytes, camera: PhoneCamera, phone: Phone) -> None:
    phone.open()
    phone.send(jpeg=jpeg)
    with pytest.raises(NoFrame, match=r"^A picture from the phone was damaged\.$"):
        camera.frame()
    phone.send(100)
    assert gray(camera.frame()) == 100
    assert camera.status_text.endswith("damaged: 1.")


def test_what_is_too_large_ends_the_line_and_the_phone_may_come_again(camera: PhoneCamera, phone: Phone) -> None:
    phone.open()
    with pytest.raises(ConnectionClosed):
        phone.say(bytes(MOST_BYTES + 1))
    phone.line = None
    with pytest.raises(httpx.HTTPStatusError, match="413"):
        phone.say(bytes(MOST_BYTES + 1))
    phone.open().send(70)
    assert gray(camera.frame()) == 70


@pytest.mark.parametrize("message", [
    pytest.param(b"", id="empty"), pytest.param(b"hello", id="words"),
    pytest.param(Message(False, 1, 5.0, 0.0, 9.0, 0.0, 0.0, b"").pack(), id="answered-before-it-was-sent"),
    pytest.param(Message(False, 1, float("nan"), 0.0, 0.0, 0.0, 0.0, b"").pack(), id="no-time"),
])  # fmt: skip
def test_what_is_no_message_ends_the_line(message: bytes, phone: Phone) -> None:
    phone.open()
    with pytest.raises(ConnectionClosed):
        phone.say(message)
    phone.line = None
    with pytest.raises(httpx.HTTPStatusError, match="400"):
        phone.say(message)


def test_only_who_scanned_the_code_that_is_shown_now_is_the_camera(
    camera: PhoneCamera, phone: Phone, folder: Path
) -> None:
    with Phone(camera, folder) as other:
        assert [other.scan(code) for code in ("", "guessed", "é" * 20)] == [403, 403, 403]
        with pytest.raises(InvalidHandshake):
            other.open()
        other.line = None
        with pytest.raises(httpx.HTTPStatusError, match="403"):
            other.say(b"hello")
        phone.open()
        used = token(camera)
        assert other.scan(used) == 204
        assert other.scan(used) == 403
        with pytest.raises(ConnectionClosed) as closed:
            phone.send(10)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4403
        other.open().send(90)
        assert gray(camera.frame()) == 90


def test_a_second_line_of_the_same_phone_takes_the_place_of_the_first(
    camera: PhoneCamera, phone: Phone, folder: Path
) -> None:
    phone.open()
    with Phone(camera, folder, phone.key) as reloaded:
        reloaded.open()
        with pytest.raises(ConnectionClosed):
            phone.send(10)
        reloaded.send(90)
        assert gray(camera.frame()) == 90


@pytest.mark.long
def test_strangers_who_say_nothing_keep_no_phone_out(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    with camera_at(tmp_path) as camera, Phone(camera, tmp_path) as phone, ExitStack() as stack:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, limits[1]), limits[1]))
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, limits)
        for n in range(1200):  # more than a process has descriptors
            address = f"127.0.{n // 250}.{2 + n % 250}"
            stack.enter_context(socket.create_connection(("127.0.0.1", camera.port), PATIENCE_S, (address, 0)))
        assert phone.scan(token(camera)) == 204
    assert len(capfd.readouterr().err.splitlines()) <= 2


def test_pages_of_other_sites_reach_nothing(camera: PhoneCamera, phone: Phone) -> None:
    with pytest.raises(InvalidHandshake):
        phone.open(origin="https://evil.example")
    evil = {"origin": "https://evil.example"}
    assert phone.client.post("/join", content=token(camera), headers=evil).status_code == 403
    assert phone.client.get("/", headers={"host": "evil.example"}).status_code == 421


def test_nothing_but_this_page_is_served_there(phone: Phone) -> None:
    page = phone.client.get("/", headers={"accept-language": "de"})
    assert "Dieses Handy ist die Kamera des Tisches" in page.text
    assert page.headers["permissions-policy"] == "camera=(self)"
    assert "script-src 'self'" in page.headers["content-security-policy"]
    for path in ("/games", "/games/1", "/login", "/camera", "/people", "/setup", "/openapi.json", "/docs"):
        assert phone.client.get(path).status_code == 404


@pytest.mark.long
def test_what_the_phone_does_is_told(tmp_path: Path) -> None:
    with camera_at(tmp_path, patience_s=0.01) as camera, Phone(camera, tmp_path) as phone:
        assert why(camera) == camera.status_text == camera.invitation.status
        assert "No phone is the camera yet" in camera.status_text
        phone.scan(token(camera))
        phone.open()
        phone.send(is_hidden=True)
        until(camera, "The phone’s page cannot be seen")
        assert phone.line is not None
        phone.line.close()
        until(camera, "The phone does not answer")


def why(camera: PhoneCamera) -> str:
    with pytest.raises(NoFrame) as error:
        camera.frame()
    return str(error.value)


def until(camera: PhoneCamera, text: str) -> None:
    """Ask for pictures until there is none for this reason."""
    while text not in why(camera):
        pass


@pytest.mark.long
def test_the_phone_is_the_camera_after_a_restart_too(tmp_path: Path) -> None:
    with camera_at(tmp_path) as camera, Phone(camera, tmp_path) as phone:
        phone.scan(token(camera))
        key, fingerprint = phone.key, camera.invitation.fingerprint
    assert {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()} == {
        "phone.pem": 0o600, "phone.pem-phone": 0o600
    }  # fmt: skip
    assert key not in (tmp_path / "phone.pem-phone").read_text()
    with camera_at(tmp_path) as camera, Phone(camera, tmp_path, key) as phone:
        assert camera.invitation.fingerprint == fingerprint
        assert "does not answer" in camera.status_text
        phone.open().send(90)
        assert gray(camera.frame()) == 90


def test_the_fingerprint_is_that_of_the_certificate_that_the_phone_sees(camera: PhoneCamera) -> None:
    served = ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate(("127.0.0.1", camera.port)))
    assert camera.invitation.fingerprint.replace(":", "").lower() == sha256(served).hexdigest()


@pytest.mark.long
def test_the_process_ends_with_the_table_and_one_that_ended_is_told(tmp_path: Path) -> None:
    with camera_at(tmp_path) as camera:
        camera._process.channel.hang_up()  # as the system does it where a process ends
        process = camera._process._process
        assert process is not None
        assert process.wait(PATIENCE_S) == 0
        with pytest.raises(NoCamera, match="is not up"):
            camera.frame()


def test_a_certificate_is_kept_until_it_ends_or_the_machine_has_other_names(tmp_path: Path) -> None:
    file, now = tmp_path / "own.pem", datetime(2026, 1, 1, tzinfo=UTC)
    first = own_certificate(file, names_of_this_machine(), now)
    assert own_certificate(file, names_of_this_machine(), now + LIFETIME - RENEWED - timedelta(days=1)) == first
    second = own_certificate(file, names_of_this_machine(), now + LIFETIME - RENEWED)
    assert second != first
    moved = own_certificate(file, ("localhost", "192.168.1.7"), now + LIFETIME - RENEWED)
    assert moved != second
    file.write_bytes(file.read_bytes()[:100])
    assert own_certificate(file, ("localhost", "192.168.1.7"), now) != moved


def test_two_processes_that_need_a_certificate_in_the_same_moment_have_the_same(tmp_path: Path) -> None:
    """A lock holds both up until both have asked: whoever writes first, the other one reads what was written."""
    program = (
        "import sys; from pathlib import Path; from croupier_extras.certificate import own_certificate;"
        "print('ready', flush=True); print(own_certificate(Path(sys.argv[1]), ['localhost']))"
    )
    folder = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    asking = [
        subprocess.Popen([sys.executable, "-c", program, tmp_path / "own.pem"], stdout=subprocess.PIPE, text=True)
        for _process in range(2)
    ]
    assert [one.stdout and one.stdout.readline() for one in asking] == ["ready\n"] * 2
    os.close(folder)
    told = {one.communicate(timeout=PATIENCE_S)[0] for one in asking}
    assert told == {own_certificate(tmp_path / "own.pem", ["localhost"]) + "\n"}


def test_the_certificate_of_a_running_server_is_renewed_for_new_names_and_before_it_ends(tmp_path: Path) -> None:
    names, now = ["192.168.1.7"], datetime(2026, 1, 1, tzinfo=UTC)
    certificate = ServerCertificate(tmp_path / "own.pem", lambda: names)
    assert certificate.renew(now)
    assert not certificate.renew(now + LIFETIME - RENEWED - timedelta(days=1))
    names.append("10.42.0.1")
    assert certificate.renew(now)
    first = certificate.fingerprint
    names.remove("192.168.1.7")  # for which it goes on to hold: the machine may come back
    assert not certificate.renew(now)
    names[:] = ["192.168.1.7"]
    assert not certificate.renew(now)
    assert certificate.renew(now + LIFETIME - RENEWED)
    assert certificate.fingerprint != first
    names[:] = [f"10.0.0.{n}" for n in range(100)]
    assert certificate.renew(now)
    names[:] = ["10.1.1.1"]
    assert certificate.renew(now)
    known = x509.load_pem_x509_certificate((tmp_path / "own.pem").read_bytes())
    kept = known.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert len(list(kept)) == 40  # not more and more


def held(file: Path) -> tuple[datetime, datetime]:
    certificate = x509.load_pem_x509_certificate(file.read_bytes())
    return certificate.not_valid_before_utc, certificate.not_valid_after_utc


@pytest.mark.parametrize("jump", [timedelta(days=92), timedelta(days=-92)])
def test_a_certificate_is_good_before_and_after_a_jump_of_the_clock_and_stays_the_same(
    tmp_path: Path, jump: timedelta
) -> None:
    file, autumn = tmp_path / "own.pem", datetime(2025, 10, 1, tzinfo=UTC)
    first = own_certificate(file, ("localhost",), autumn)
    begins, ends = held(file)
    assert begins < autumn + jump < ends - RENEWED, "a phone whose clock is right accepts it"
    assert ends - begins <= timedelta(days=825)
    assert own_certificate(file, ("localhost",), autumn + jump) == first, "nobody has to trust another one"


def test_a_machine_without_any_clock_makes_a_certificate_for_phones_that_have_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Nineteen70(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Nineteen70:
            return cls(1970, 1, 1, tzinfo=tz)

    today = datetime.now(UTC)
    monkeypatch.setattr("croupier_extras.certificate.datetime", Nineteen70)
    first = own_certificate(file := tmp_path / "own.pem", ("localhost",))
    begins, ends = held(file)
    assert begins < today < ends
    assert own_certificate(file, ("localhost",)) == first


@given(st.lists(st.tuples(st.floats(0, 3), st.floats(0, 2), st.floats(0, 2)), min_size=1), st.floats(-1e6, 1e6))
def test_whatever_the_network_delays_the_true_time_is_within_the_uncertainty(
    ways: list[tuple[float, float, float]], ahead: float
) -> None:
    clock, now, answered, received = PhoneClock(), 1000.0, 0.0, 0.0
    for pause, there, back in ways:
        now += pause
        message = Message(False, 1, now + ahead, answered, received, 0.0, 0.0, b"")
        now += there
        clock.learn(message, now)
        t, u = clock.time(message.sent)
        assert abs(t - (now - there)) <= u + 1e-6 or received == 0
        answered, now = now, now + back
        received = now + ahead


def test_a_phone_whose_clock_stood_still_while_it_slept_is_understood_again() -> None:
    shown: list[float] = []
    now = [100.0]
    feed = PhoneFeed("", lambda key: None, lambda t, u, jpeg: shown.append(t), lambda: None, lambda: now[0])
    for number, ahead in enumerate((50.0, 50.0, 20.0, 20.0)):  # it slept for 30 s
        now[0] += 1.0
        sent = now[0] + ahead
        feed.take(Message(False, number, sent, now[0] - 0.1, sent - 0.1, sent, 0.0, b"p").pack())
    assert shown == pytest.approx([101.0, 102.0, 103.0, 104.0])


@pytest.mark.parametrize("port", ["0", "70000", "x", "", "²"])
def test_a_port_that_is_none_is_refused(port: str) -> None:
    with pytest.raises(BadConfigFile, match=r"expected a number, 1 to 65535"):
        read(f'[camera]\nsource = "phone:{port}"\n')


@pytest.mark.long
def test_the_port_is_the_one_that_is_named(tmp_path: Path) -> None:
    port = own_port()
    section = read(f'[camera]\nsource = "phone:{port}"\ncertificate = "{tmp_path}/own.pem"\n').camera
    source = table_reader.camera(section)
    assert isinstance(source, PhoneCamera)
    with closing(source):
        assert source.invitation.url.startswith("https://")
        assert f":{port}/#" in source.invitation.url
