"""The camera, its calibration and the card reader, as `croupier.toml` describes them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cardsight.errors import NoCamera, NoFrame
from cardsight.headers import PICTURES
from cardsight.sources import Picture, Source
from croupier.device_files import group_of, users_of
from croupier.errors import BadCalibration, BadProfile, ModelNotFound
from croupier.files import CONFIG
from croupier.i18n import _, from_others
from croupier.pictures.readings import Read, Still
from croupier.plugins import camera_kind
from croupier_rules.cards import BACK, is_face

if TYPE_CHECKING:
    from cardsight.calibrate import Calibration
    from cardsight.enroll import DeckProfile, DeckReader
    from cardsight.layout import LayoutModel
    from cardsight.light import White
    from cardsight.model import Model
    from cardsight.networks import Network
    from cardsight.reader import Reader
    from cardsight.sighting import Reading
    from croupier.config.sections import Camera


_PATIENCE_S: Final = {"usb": 0.5, "pi": 0.5, "http": 2.0, "https": 2.0, "rtsp": 2.0}
"""Several frame periods; in a WLAN longer than its usual stalls."""


def open_source(section: Camera, clock: Callable[[], float] = time.monotonic) -> Source | None:
    """Open the source of the camera's frames once; None if the table has none. Raises as `source_opener`."""
    return source_opener(section, clock)()


def source_opener(section: Camera, clock: Callable[[], float] = time.monotonic) -> Callable[[], Source | None]:
    """Return what opens the source of the camera's frames, and opens the same camera again: one on USB may have another
    number then. It returns None if the table has none. Drivers are imported only when they are needed.

    Raises (when it opens):
        NoCamera: the camera is not there, or its driver is missing.
        CroupierError: the camera of a plug-in cannot be opened.
    """
    kind, _, which = section.source.partition(":")
    width, height = section.pixels
    match kind:
        case "none":
            return lambda: None
        case "usb":
            return _usb_opener(section, which, clock)
        case "pi":

            def open_pi() -> Source:
                from cardsight.sources.cameras import PiCamera

                return PiCamera(
                    int(which or 0), size=(width, height), fps=section.fps, distance_m=section.distance_m,
                    exposure_ms=section.exposure_ms, clock=clock,
                )  # fmt: skip

            return open_pi
        case "http" | "https" | "rtsp":

            def open_network() -> Source:
                from cardsight.sources.network import NetworkCamera

                return NetworkCamera(section.source, fps=section.fps, clock=clock)

            return open_network
        case _:

            def open_other() -> Source:
                plugin = camera_kind(section.source)
                return _file(Path(section.source), clock()) if plugin is None else plugin.open(section, clock)

            return open_other


def _usb_opener(section: Camera, which: str, clock: Callable[[], float]) -> Callable[[], Source]:
    from cardsight.sources.cameras import UsbCamera
    from cardsight.sources.found import UsbFinder, device_of

    finder = UsbFinder(which)

    def open_usb() -> Source:
        node = finder.find()
        device = (int(which) if which.isdecimal() else which or 0) if node is None else device_of(node)
        name = finder.source if node is None else f"usb:{node.number} ({node.label})"
        try:
            camera = UsbCamera(
                device, size=section.pixels, fps=section.fps, focus=section.focus, exposure_ms=section.exposure_ms,
                clock=clock, name=name,
            )  # fmt: skip
        except NoCamera as err:
            refusal = "" if node is None else _refusal(node.path)
            raise NoCamera(f"camera {name}: {refusal}") if refusal else err from None
        if node is not None:
            finder.opened(node)
        return camera

    return open_usb


def _refusal(path: Path) -> str:
    """Return why a camera that is there cannot be opened; "" if that is not known."""
    if group := group_of(path):
        return f"no permission; join the group of the device (usermod -aG {group} $USER) and log in again"
    if users := users_of(path):
        return f"{users} uses it; end that program, or name another camera"
    return ""


def silent_after_s(section: Camera) -> float:
    """Return the time without a frame (s) after which this camera is silent; infinite for a source that says so
    itself."""
    plugin = camera_kind(section.source)
    return _PATIENCE_S.get(section.source.partition(":")[0], inf) if plugin is None else plugin.patience_s


def camera(section: Camera, clock: Callable[[], float] = time.monotonic) -> Source | None:
    """Open the camera for a command, which waits for frames; None if the table has none. Raises as `open_source`."""
    longest_s, open_again = silent_after_s(section), source_opener(section, clock)
    if longest_s == inf:
        return open_again()

    from croupier.pictures.live_camera import LiveCamera

    def opened() -> Source:
        source = open_again()
        assert source is not None
        return source

    return LiveCamera(opened, clock, patience_s=longest_s, waits=True).opened()


_SETTLE: Final = 15
"""Frames until the exposure of a camera that was just opened has settled."""


def exposed_picture(source: Source) -> Picture:
    """Return a picture (BGR) after the exposure has settled. Raises `NoFrame` if there was none."""
    missed = NoFrame()
    picture: Picture | None = None
    for _frame in range(_SETTLE):
        try:
            picture = source.frame().image
        except NoFrame as err:
            missed = err
    if picture is None:
        raise missed
    return picture


def calibration(path: Path) -> Calibration:
    """Load a calibration that `croupier calibrate` wrote. Raises `BadCalibration`."""
    from cardsight.calibrate import table
    from cardsight.errors import NotACalibration

    if not path.exists():
        raise BadCalibration(f"{path}: " + _("no such file; make it with croupier calibrate"))
    try:
        return table.load(path)
    except NotACalibration as fault:
        raise BadCalibration(f"{path}: {from_others(str(fault))}") from fault


def white(section: Camera) -> White | None:
    """Return the table's white as the camera sees it; None if it was not measured.

    Raises:
        BadCalibration: the calibration cannot be used.
    """
    if section.source == "none" or section.calibration is None:
        return None
    return calibration(section.calibration).white


def _file(path: Path, begin: float) -> Source:
    from cardsight.sources.frames import PictureFiles, VideoFile

    if path.is_char_device():
        raise NoCamera(f"{path}: " + _("this is a device, no file; expected usb:{path} for a camera", path=path))
    if not path.exists() and str(path).isdecimal():
        raise NoCamera(f"{path}: " + _("no such file; expected usb:{number} for a camera on USB", number=path))
    if path.is_file() and path.suffix.lower() in PICTURES:
        raise NoCamera(f"{path}: " + _("this is a picture, no camera; expected a camera, a video, or a folder"))
    if not path.is_dir():
        return VideoFile(path, begin=begin)
    pictures = sorted(one for one in path.iterdir() if one.suffix.lower() in PICTURES)
    if not pictures:
        raise NoCamera(f"{path}: " + _("no pictures in this folder; expected .jpg, .png or .webp"))
    return PictureFiles(pictures, begin=begin)


def profile_path(option: str | None, config: Path = CONFIG) -> Path | None:
    """Return the deck profile: that of the option, else ``profile`` in ``[deck]`` of ``config``, else None.

    Raises `BadConfig` if that file is invalid, or if it does not exist and is not `CONFIG`.
    """
    if option is not None:
        return Path(option)
    if config == CONFIG and not config.exists():
        return None
    from croupier.config import load  # heavy, and most pictures are read without a table

    return load(config).deck.profile


def check_refereed(profile: DeckProfile, path: Path) -> None:
    """Raise `BadProfile` if a referee could not judge all cards of a profile."""
    if own := own_faces(profile):
        why = _(
            "it has cards that no rule sheet knows, such as {card}: such a deck can be read, tallied and audited, but "
            "not refereed; choose another profile for games and score sheets",
            card=own[0],
        )
        raise BadProfile(f"{path}: {why}")


def own_faces(profile: DeckProfile) -> list[str]:
    """Return the faces of a profile that no rule sheet knows."""
    return [face for face in profile.faces if not is_face(face) and face != BACK]


def shipped_model() -> Model:
    """Load the model that ships, which takes a moment. Raises `ModelNotFound`."""
    from cardsight import model

    with _model_needed():
        return model.load()


@contextmanager
def _model_needed() -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as fault:
        raise ModelNotFound(
            f"{fault.filename}: " + _("this part of the card reader is missing; reinstall croupier")
        ) from fault


@cache
def shipped_layout() -> LayoutModel:
    """Load the model of `cardsight.layout` that ships. Raises `ModelNotFound`."""
    from cardsight import layout

    with _model_needed():
        return layout.load()


def corner_network() -> Network:
    """Load the network that reads printed corners. Raises `ModelNotFound`."""
    net = shipped_model().corner
    assert net is not None
    return net


def load_profile(path: Path, model: Model, *, renew: bool = False) -> DeckProfile:
    """Load a deck profile. Raises `BadProfile`."""
    from cardsight.enroll import profile
    from cardsight.errors import NotAProfile
    from cardsight.model import fingerprint

    try:
        return profile.load(path, model, fingerprint(), renew=renew)
    except NotAProfile as fault:
        raise BadProfile(f"{path}: {from_others(str(fault))}") from fault


def hand_readers(
    path: Path | None,
    cards: Mapping[str, int] | None = None,
    *,
    is_one_hand: bool = True,
    is_refereed: bool = False,
) -> tuple[Read, Still, DeckProfile | None]:
    """Return the card reader of `reader_of` for videos, that for pictures, and the deck profile.

    A picture is explained as a whole (`cardsight.explanation`): cards under others and cards that its edge cuts off are
    found, too, and the camera is checked. The ``ms`` of a picture are all of its time.

    ``cards``: what the cards of the deck may show, and at most how many; None: of any deck. ``is_one_hand``: no picture
    shows more cards of a face than the deck has. ``is_refereed``: the cards are for a referee, see `check_refereed`.
    """
    from cardsight.camera_check import CheckedFrames, checked
    from cardsight.decision import limited
    from cardsight.explanation import Explanation
    from cardsight.geometry import pyramid

    model = shipped_model()
    reader, profile = _reader(path, model)
    if is_refereed and path is not None and profile is not None:
        check_refereed(profile, path)
    known_print = model if profile is None else None

    def read(levels: list[Picture]) -> Reading:
        return reader.read(levels, cards)

    def checked_still(picture: Picture, number: int | None = None) -> Reading:
        began = time.perf_counter()
        levels = pyramid(picture)
        # The camera is judged by the cards that lie free: what covered ones may be says little of it.
        seen = checked(levels, read(levels), known_print, read)
        reading = seen.reading
        if reading.cards or reading.backs:  # else the layout is not loaded
            layout = Explanation(seen.levels, reading, model, shipped_layout(), may_name=profile is None)
            reading = layout.reading(number)
        reading = seen.as_seen(reading)
        if is_one_hand:
            (reading,) = limited([reading], cards)
        return replace(reading, ms=(time.perf_counter() - began) * 1000)

    return CheckedFrames(read, known_print).read, checked_still, profile


def reader_of(profile: Path | None) -> DeckReader | Reader:
    """Return the card reader of a table, with a deck profile if there is one.

    Raises `ModelNotFound` or `BadProfile`, the latter also for a deck that no referee can judge.
    """
    reader, learned = _reader(profile, shipped_model())
    if profile is not None and learned is not None:
        check_refereed(learned, profile)
    return reader


def _reader(path: Path | None, model: Model) -> tuple[DeckReader | Reader, DeckProfile | None]:
    from cardsight.reader import Reader

    reader = Reader(model)
    if path is None:
        return reader, None
    from cardsight.enroll import DeckReader

    profile = load_profile(path, model)
    return DeckReader(reader, profile), profile
