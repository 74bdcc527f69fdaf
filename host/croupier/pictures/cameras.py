"""The camera that `croupier.toml` names: as a source of frames, and as `croupier calibrate` knows it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from cardsight.errors import NoCamera
from cardsight.headers import PICTURES
from cardsight.sources import Source
from croupier.config.device_sections import Camera
from croupier.errors import BadCalibration
from croupier.i18n import _

if TYPE_CHECKING:
    from cardsight.calibrate import Calibration
    from cardsight.calibrate.white import White


def camera(section: Camera, clock: Callable[[], float] = time.monotonic) -> Source | None:
    """Open it; None where the table has none. Drivers are imported only when they are needed.

    Raises:
        NoCamera: there is none, or its driver is missing; the text says what to do.
    """
    kind, _, which = section.source.partition(":")
    width, height = (int(side) for side in section.size.split("x"))
    match kind:
        case "none":
            return None
        case "usb":
            from cardsight.sources.usb import UsbCamera

            return UsbCamera(
                int(which) if which.isdecimal() else which or 0, size=(width, height), fps=section.fps,
                focus=section.focus, exposure_ms=section.exposure_ms, clock=clock,
            )  # fmt: skip
        case "pi":
            from cardsight.sources.pi import PiCamera

            return PiCamera(
                int(which or 0), size=(width, height), fps=section.fps, distance_m=section.distance_m,
                exposure_ms=section.exposure_ms, clock=clock,
            )  # fmt: skip
        case _:
            return _file(Path(section.source), clock())


def calibration(path: Path) -> Calibration:
    """What `croupier calibrate` wrote into this file. Raises BadCalibration."""
    from cardsight.calibrate import table
    from cardsight.errors import NotACalibration

    if not path.exists():
        raise BadCalibration(f"{path}: " + _("no such file; croupier calibrate makes it"))
    try:
        return table.load(path)
    except NotACalibration as fault:
        raise BadCalibration(f"{path}: {fault}") from fault


def white(section: Camera) -> White | None:
    """What white looks like to the camera under the table's lamp; None where nobody measured it.

    Raises:
        BadCalibration: the calibration cannot be used.
    """
    if section.source == "none" or section.calibration is None:
        return None
    return calibration(section.calibration).white


def _file(path: Path, begin: float) -> Source:
    from cardsight.sources.files import PictureFiles, VideoFile

    if not path.is_dir():
        return VideoFile(path, begin=begin)
    pictures = sorted(one for one in path.iterdir() if one.suffix.lower() in PICTURES)
    if not pictures:
        raise NoCamera(f"{path}: no pictures in this folder; expected .jpg, .png or .webp")
    return PictureFiles(pictures, begin=begin)
