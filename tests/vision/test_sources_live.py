"""Every source of frames keeps to the same: frames in the order of their time, none twice, faults in one line."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np
import pytest

from cardsight.errors import CutOff, NoCamera, NoFrame, NoMoreFrames
from cardsight.sources import cameras
from cardsight.sources.cameras import PiCamera, UsbCamera
from cardsight.sources.frames import Frame, PictureFiles, VideoFile
from cardsight.sources.network import NetworkCamera
from croupier.pictures.live_camera import LiveCamera
from croupier.retry import RetryPolicy
from croupier_sim.camera import SimCamera
from croupier_sim.drawing import STYLES, Lamp
from croupier_sim.table import SimTable
from croupier_sim.video import Spell, Video
from tests.vision import picamera2_stand_in as stand_in
from tests.vision.network_cameras import RtspServer
from tools.lock import ROOT

SIZE = (64, 48)
FRAMES = 12
FPS = 25.0
Source = PictureFiles | VideoFile | UsbCamera | NetworkCamera | PiCamera | LiveCamera | Video

LONG_S = 5.0
"""More than any thread here needs; never waited for where all is well."""


@pytest.fixture
def film(tmp_path: Path) -> Path:
    """A video of frames that grow brighter."""
    path = tmp_path / "film.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), FPS, SIZE)
    for number in range(FRAMES):
        writer.write(np.full((SIZE[1], SIZE[0], 3), 10 * number, np.uint8))
    writer.release()
    return path


@pytest.fixture
def pictures(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / f"{number}.png" for number in range(FRAMES)]
    for number, path in enumerate(paths):
        cv2.imwrite(str(path), np.full((SIZE[1], SIZE[0], 3), 10 * number, np.uint8))
    return paths


@pytest.fixture
def picamera2(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[stand_in.Picamera2]]:
    monkeypatch.setitem(sys.modules, "picamera2", stand_in.module())
    stand_in.Picamera2.opened.clear()
    yield stand_in.Picamera2
    stand_in.Picamera2.hangs.clear()
    stand_in.Picamera2.busy.clear()


def drawn(*spells: Spell) -> Video:
    rng = np.random.default_rng(1)
    table = SimTable(2, rng, ("red-7", "blue-2"))
    camera = SimCamera(table, style=STYLES["modern"], ground="cloth", lamp=Lamp(), rng=rng, size=(320, 180))
    return Video(table, camera, spells=spells)


@pytest.fixture
def rtsp(tmp_path: Path) -> Iterator[RtspServer]:
    with RtspServer(tmp_path) as server:
        yield server


@pytest.fixture(params=["pictures", "video", "usb", "rtsp", "pi", "drawn"])
def source(request: pytest.FixtureRequest) -> Iterator[Source]:
    makers: dict[str, Callable[[], Source]] = {
        "pictures": lambda: PictureFiles(request.getfixturevalue("pictures")),
        "video": lambda: VideoFile(request.getfixturevalue("film")),
        "usb": lambda: UsbCamera(str(request.getfixturevalue("film"))),
        "rtsp": lambda: NetworkCamera(request.getfixturevalue("rtsp").url()),
        "pi": lambda: request.getfixturevalue("picamera2") and PiCamera(size=SIZE),
        "drawn": drawn,
    }
    made = makers[request.param]()
    yield made
    made.close()


def live(open_source: Callable[[], Any], patience_s: float = LONG_S) -> LiveCamera:
    """A camera that is read in a thread and opened again at once."""
    camera = LiveCamera(open_source, patience_s=patience_s, waits=True, policy=RetryPolicy(0.001, 0.001))
    return camera.opened()


def taken(source: Source, n: int) -> list[Any]:
    return [source.frame() for _ in range(n)]


def first_frame(source: LiveCamera) -> Frame:
    """The next frame, however long it takes."""
    while True:
        with suppress(NoFrame):
            return source.frame()


def reason(source: Source, word: str) -> str:
    """The fault with ``word`` in it, once it is told: a busy machine may open the camera later than a caller waits."""
    for _ in range(100):
        try:
            source.frame()
        except NoFrame as fault:
            if word in str(fault):
                return str(fault)
    raise AssertionError(f"never told: {word}")


def test_frames_come_in_the_order_of_their_time_and_none_twice(source: Source) -> None:
    frames = taken(source, FRAMES)
    times = [frame.t for frame in frames]
    assert times == sorted(set(times))
    assert all(frame.u >= 0 for frame in frames)
    assert all(frame.image.dtype == np.uint8 and frame.image.shape[2] == 3 for frame in frames)
    assert times[-1] <= source.now() + frames[-1].u


def test_a_source_that_is_closed_gives_no_frames_and_may_be_closed_again(source: Source) -> None:
    source.frame()
    source.close()
    source.close()
    with pytest.raises(OSError, match=r"shown|end|closed"):
        taken(source, 2 * FRAMES)


def test_a_video_has_its_own_times_and_comes_to_an_end(film: Path) -> None:
    video = VideoFile(film, begin=100.0)
    times = [video.frame().t for _ in range(FRAMES)]
    assert times == pytest.approx([100 + number / FPS for number in range(FRAMES)], abs=1e-3)
    with pytest.raises(NoMoreFrames, match="after 12 frames"):
        video.frame()


def written(path: Path, fourcc: str, times: list[int]) -> Path:
    """A video whose frames come at these times, in frames of 40 ms. They are noise, so that each takes its room."""
    rng = np.random.default_rng(1)
    raw = [cv2.VIDEOWRITER_PROP_RAW_VIDEO, 1] if fourcc == "MJPG" else []
    writer = cv2.VideoWriter(str(path), cv2.CAP_FFMPEG, cv2.VideoWriter.fourcc(*fourcc), FPS, SIZE, raw)
    for t in times:
        image = rng.integers(0, 255, (SIZE[1], SIZE[0], 3), np.uint8)
        writer.set(cv2.VIDEOWRITER_PROP_PTS, t)
        writer.write(cv2.imencode(".jpg", image)[1].reshape(1, -1) if raw else image)
    writer.release()
    return path


def ended(video: VideoFile) -> tuple[list[float], NoMoreFrames]:
    """The times of all its frames, and with what it ended."""
    times = []
    while True:
        try:
            times.append(video.frame().t)
        except NoMoreFrames as end:
            return times, end


def test_a_phone_takes_frames_at_uneven_times_and_all_of_them(tmp_path: Path) -> None:
    times, end = ended(VideoFile(written(tmp_path / "phone.mkv", "MJPG", [0, 1, 5, 6, 30, 31])))
    assert times == pytest.approx([0.0, 0.04, 0.2, 0.24, 1.2, 1.24])
    assert type(end) is NoMoreFrames


@pytest.mark.parametrize(("name", "fourcc"), [("film.avi", "XVID"), ("film.mkv", "MJPG"), ("film.webm", "VP80")])
def test_a_video_that_was_cut_off_is_reported_with_how_much_of_it_was_shown(
    name: str, fourcc: str, tmp_path: Path
) -> None:
    path = written(tmp_path / name, fourcc, list(range(20)))
    times, end = ended(VideoFile(path))
    assert (len(times), type(end)) == (20, NoMoreFrames)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * 3 // 4])
    video = VideoFile(path)
    times, end = ended(video)
    assert isinstance(end, CutOff)
    assert f"{name}: cut off after {len(times)} of 20 frames; expected a whole video" in str(end)
    assert 5 < len(times) < 19
    video.close()
    assert type(ended(video)[1]) is NoMoreFrames, "it is closed, not cut off"


def boxes(data: bytes) -> dict[bytes, bytes]:
    """The outermost parts of an MP4 file."""
    found, at = {}, 0
    while at < len(data):
        length = int.from_bytes(data[at : at + 4])
        found[data[at + 4 : at + 8]] = data[at : at + length]
        at += length
    return found


def test_of_a_video_that_was_trimmed_the_rest_is_whole_and_a_cut_one_is_not(tmp_path: Path) -> None:
    path = written(tmp_path / "film.mp4", "mp4v", list(range(20)))
    parts = boxes(path.read_bytes())
    moov = bytearray(parts[b"moov"])
    chunks = moov.index(b"stco") + 12
    first = int.from_bytes(moov[chunks : chunks + 4])
    moov[chunks : chunks + 4] = (first + len(moov)).to_bytes(4)  # what is in front comes before the frames
    whole = parts[b"ftyp"] + moov + parts[b"free"] + parts[b"mdat"]
    path.write_bytes(whole[: len(whole) * 3 // 4])
    assert isinstance(ended(VideoFile(path))[1], CutOff)

    edits = moov.index(b"elst") + 12  # its length, and where it begins: as a phone trims a video
    moov[edits : edits + 4] = (int.from_bytes(moov[edits : edits + 4]) // 2).to_bytes(4)
    path.write_bytes(parts[b"ftyp"] + moov + parts[b"free"] + parts[b"mdat"])
    times, end = ended(VideoFile(path))
    assert len(times) < 15
    assert type(end) is NoMoreFrames


def test_pictures_are_frames_in_the_order_given_and_a_bad_one_is_left_out(pictures: list[Path], tmp_path: Path) -> None:
    bad = tmp_path / "bad.png"
    bad.write_bytes(b"no picture")
    source = PictureFiles([pictures[0], bad, pictures[2]], every_s=0.5)
    assert source.frame().t == 0.0
    with pytest.raises(NoFrame, match=r"bad\.png: not a picture"):
        source.frame()
    last = source.frame()
    assert (last.t, int(last.image[0, 0, 0])) == (1.0, 20)
    with pytest.raises(NoMoreFrames):
        source.frame()


@pytest.mark.parametrize(
    ("content", "complaint"),
    [pytest.param(None, "no such file", id="missing"), pytest.param(b"no video", "not a video", id="not-a-video")],
)
def test_what_is_no_video_is_reported_in_one_line(
    content: bytes | None, complaint: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "film.mp4"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(NoCamera, match=complaint) as told:
        VideoFile(path)
    assert "\n" not in str(told.value)
    assert capfd.readouterr().err == ""


def test_no_usb_camera_is_reported_in_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(NoCamera, match="plug it in, close that program"):
        UsbCamera("/dev/video99")
    assert capfd.readouterr().err == ""


def test_a_usb_camera_that_comes_back_goes_on_by_itself(film: Path) -> None:
    camera = live(lambda: UsbCamera(str(film)))
    seen = [int(frame.image[0, 0, 0]) for frame in taken(camera, 3 * FRAMES)]
    camera.close()
    assert any(later < earlier for earlier, later in pairwise(seen)), "it was never opened again"


def test_a_usb_camera_that_is_gone_for_good_is_reported_with_how_long(film: Path) -> None:
    camera = live(lambda: UsbCamera(str(film)), patience_s=0.2)
    first_frame(camera)
    film.unlink()
    assert re.search(r"there is none.*\(no picture for \d", reason(camera, "there is none"))
    camera.close()


def test_a_usb_camera_that_does_not_say_when_it_took_a_frame_is_unsure_by_a_frame(film: Path) -> None:
    before = time.monotonic()
    camera = UsbCamera(str(film), fps=20.0)
    frame = camera.frame()
    camera.close()
    assert frame.u == pytest.approx(0.05)
    assert before <= frame.t + frame.u <= time.monotonic() + 0.05


def test_the_pi_camera_stamps_the_middle_of_the_exposure_with_the_sensors_clock(
    picamera2: type[stand_in.Picamera2],
) -> None:
    before = time.monotonic()
    camera = PiCamera(size=SIZE, clock=lambda: time.monotonic() + 1000)
    frame = camera.frame()
    now = time.monotonic()
    camera.close()
    exposure_s = stand_in.EXPOSURE_US / 1e6
    assert frame.u == pytest.approx((1 / 30 + exposure_s) / 2, abs=1e-4)
    middle = (1 / 30 - exposure_s) / 2
    assert before + middle <= frame.t - 1000 <= now + middle + 0.01


def test_the_pi_camera_is_set_as_its_lens_and_sensor_can_be(picamera2: type[stand_in.Picamera2]) -> None:
    PiCamera(size=SIZE, distance_m=0.7, exposure_ms=8, gain=2.0).close()
    (opened,) = picamera2.opened
    assert opened.configuration == {
        "main": {"size": SIZE, "format": "RGB888"},
        "controls": {
            "FrameDurationLimits": (33333, 33333), "AeEnable": False, "ExposureTime": 8000, "AnalogueGain": 2.0,
        },
    }  # fmt: skip
    assert opened.is_closed
    assert opened.lent == 0


def test_a_pi_camera_whose_cable_came_loose_holds_up_nobody_and_is_opened_anew(
    picamera2: type[stand_in.Picamera2], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cameras, "SILENT_S", 0.05)
    camera = live(lambda: PiCamera(size=SIZE), patience_s=0.2)
    first_frame(camera)
    picamera2.hangs.set()
    with pytest.raises(NoFrame, match="is silent"):
        taken(camera, 5)
    picamera2.hangs.clear()
    first_frame(camera)
    camera.close()
    assert len(picamera2.opened) > 1
    assert all(opened.is_closed for opened in picamera2.opened)


def test_a_pi_camera_that_cannot_be_started_is_given_back_and_tried_again(
    picamera2: type[stand_in.Picamera2], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cameras, "SILENT_S", 0.05)
    camera = live(lambda: PiCamera(size=SIZE), patience_s=0.2)
    picamera2.busy.set()
    picamera2.hangs.set()
    assert re.match(r"Pi camera 0: Failed to start camera.*; does another program use it\?", reason(camera, "Failed"))
    assert all(opened.is_closed for opened in picamera2.opened[:-1])
    picamera2.busy.clear()
    picamera2.hangs.clear()
    first_frame(camera)
    camera.close()
    picamera2.busy.set()
    with pytest.raises(NoCamera, match="Failed to start"):
        PiCamera(size=SIZE)


class Moody:
    """A camera whose driver raises what it likes: at every other opening, at its second frame, and as it is closed."""

    def __init__(self, opened: list[Moody]) -> None:
        opened.append(self)
        if len(opened) % 2 == 0:
            raise ValueError("no such mode")
        self._frames = 0

    def frame(self) -> Frame:
        self._frames += 1
        if self._frames > 1:
            raise KeyError("SensorTimestamp")
        return Frame(0.0, np.zeros((1, 1, 3), np.uint8))

    def now(self) -> float:
        return 0.0

    def close(self) -> None:
        raise RuntimeError("cannot be released")


def test_whatever_a_driver_raises_its_camera_is_opened_again() -> None:
    opened: list[Moody] = []
    camera = live(lambda: Moody(opened))
    assert len(taken(camera, 3)) == 3
    camera.close()
    assert len(opened) >= 5


def test_what_a_driver_raises_is_reported_in_one_line() -> None:
    def fails() -> PiCamera:
        raise ValueError("no such mode")

    with pytest.raises(NoCamera, match=r"^camera: ValueError\('no such mode'\); unplug it and plug it in again$"):
        LiveCamera(fails).opened()


@pytest.mark.parametrize(
    ("module", "number", "complaint"),
    [
        pytest.param(None, 0, "apt install python3-picamera2", id="not-installed"),
        pytest.param(stand_in.module(), 1, "is its cable in", id="no-camera"),
    ],
)
def test_no_pi_camera_is_reported_in_one_line(
    module: object, number: int, complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "picamera2", module)
    with pytest.raises(NoCamera, match=complaint) as told:
        PiCamera(number)
    assert "\n" not in str(told.value)


def picamera2_source() -> Path | None:
    unpacked = ROOT / ".venv/picamera2/picamera2"
    if unpacked.is_dir():
        return unpacked
    spec = importlib.util.find_spec("picamera2")
    return Path(spec.origin).parent if spec and spec.origin else None


def signatures(source: str, owner: str) -> dict[str, list[str]]:
    """The names of the parameters of each method of a class; of an overloaded one those of the last definition."""
    classes = [one for one in ast.walk(ast.parse(source)) if isinstance(one, ast.ClassDef) and one.name == owner]
    (found,) = classes
    return {
        method.name: [argument.arg for argument in method.args.args]
        for method in found.body
        if isinstance(method, ast.FunctionDef)
    }


def test_the_driver_calls_nothing_that_the_stand_in_has_not() -> None:
    """So that nothing but what is compared below is used."""
    called = {
        node.attr
        for node in ast.walk(ast.parse(inspect.getsource(PiCamera)))
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("self._camera", "request")
    }
    assert called
    assert called <= set(dir(stand_in.Picamera2)) | set(dir(stand_in.CompletedRequest))


@pytest.mark.skipif(picamera2_source() is None, reason="picamera2's source is not here: `make test` brings it")
@pytest.mark.parametrize(
    ("file", "owner"), [("picamera2.py", stand_in.Picamera2), ("request.py", stand_in.CompletedRequest)]
)
def test_the_stand_in_has_the_signatures_of_the_real_picamera2(file: str, owner: type) -> None:
    folder = picamera2_source()
    assert folder is not None
    real = signatures((folder / file).read_text(encoding="utf-8"), owner.__name__)
    ours = signatures(Path(inspect.getfile(owner)).read_text(encoding="utf-8"), owner.__name__)
    assert {name: real.get(name) for name in ours if name != "__init__" or owner is stand_in.Picamera2} == {
        name: arguments for name, arguments in ours.items() if name != "__init__" or owner is stand_in.Picamera2
    }


class Readable(Protocol):
    """What the runtime asks of every source of frames."""

    def frame(self) -> Frame: ...
    def now(self) -> float: ...


def test_every_source_can_be_the_tables_camera() -> None:
    """Checked by mypy: the runtime reads every source in the same way."""
    kinds: list[type[Readable]] = [PictureFiles, VideoFile, UsbCamera, PiCamera, Video, SimCamera]
    assert all(callable(kind.frame) and callable(kind.now) for kind in kinds)
