"""The camera: is it there, quick, light and sharp enough, and does it know the table?"""

from __future__ import annotations

import time
from contextlib import closing
from typing import Final

import numpy as np

from croupier.app.doctor.examined import Examined, Pictures
from croupier.app.doctor.finding import Finding, absent, ok, warning, wrong

WATCH_S: Final = 3.0
MOST_FRAMES: Final = 90
"""The camera is watched so long, or for so many frames of a file."""

SLOW: Final = 0.7
"""Fewer frames than this part of what was asked for: the light is short, or the cable slow."""

LEAST_FPS: Final = 10.0
"""Below this a card may touch and be covered again between two frames."""

DARK, BRIGHT = 40.0, 225.0
"""The mean gray of a picture in which cards can be read."""

_SETTLE_S: Final = 1.0
"""A camera that was just opened is not counted for so long."""


def opens(table: Examined) -> Finding:
    """Does the camera open, and give pictures? It is watched for the checks that follow; no picture is kept."""
    from cardsight.errors import NoFrame, NoMoreFrames
    from cardsight.track.health import Health

    source = table.open_camera(table.config)
    if source is None:
        return absent("This table has no camera.")
    until = time.monotonic() + WATCH_S + _SETTLE_S
    health = Health()
    times: list[float] = []
    size, gray = (0, 0), 0.0
    with closing(source):
        while time.monotonic() < until and len(times) < MOST_FRAMES:
            try:
                frame = source.frame()
            except NoMoreFrames:
                break
            except NoFrame:
                continue
            health.push(frame.t, frame.image)
            times.append(frame.t)
            size = (frame.image.shape[1], frame.image.shape[0])
            gray = float(np.mean(frame.image[::8, ::8]))
    if not times:
        return wrong("The camera opens and gives no picture.", "unplug it and plug it in again; try another USB port")
    table.pictures = Pictures(tuple(times), size, gray, health.trouble)
    shown, asked = f"{size[0]}x{size[1]}", table.config.camera.size
    told = f"The camera gives pictures of {shown}."
    if shown != asked and table.config.camera.source.startswith(("usb", "pi")):
        remedy = f'set size = "{shown}" in [camera], or another one that the camera has; then calibrate anew'
        return warning(f"{told} Asked for are {asked}.", remedy, width=size[0], height=size[1])
    return ok(told, width=size[0], height=size[1])


def rate(table: Examined) -> Finding:
    """Do the pictures come often enough?"""
    seen = _pictures(table)
    times = [t for t in seen.times if t >= seen.times[0] + _SETTLE_S]
    if len(times) < 3 or times[-1] <= times[0]:
        return absent("Too few pictures to tell how often they come.")
    fps = (len(times) - 1) / (times[-1] - times[0])
    longest = max(np.diff(times))
    measured = {"fps": round(fps, 1), "longest_gap_ms": round(1000 * longest)}
    told = f"{fps:.1f} pictures a second, the longest gap {1000 * longest:.0f} ms."
    remedy = "give it light; use a USB 3 port without a hub; set a smaller size, or exposure_ms, in [camera]"
    if fps < LEAST_FPS:
        return wrong(told, remedy, **measured)
    if fps < SLOW * table.config.camera.fps:
        return warning(f"{told} Asked for are {table.config.camera.fps:.0f}.", remedy, **measured)
    return ok(told, **measured)


def light(table: Examined) -> Finding:
    """Is the picture light enough, and not too light?"""
    gray = _pictures(table).gray
    told = f"The picture's mean gray is {gray:.0f} of 255."
    if gray < DARK:
        return wrong(f"{told} It is too dark.", "light the table evenly, from the side; raise exposure_ms in [camera]",
                     gray=round(gray))  # fmt: skip
    if gray > BRIGHT:
        return warning(f"{told} It is too bright.", "keep the sun off the table; lower exposure_ms in [camera]",
                       gray=round(gray))  # fmt: skip
    return ok(told, gray=round(gray))


def sharp(table: Examined) -> Finding:
    """Is the picture sharp, and does it live?"""
    match _pictures(table).trouble:
        case "blurred":
            remedy = "set focus in [camera], or turn the lens; wipe it; look whether the arm shakes"
            return wrong("The picture is blurred.", remedy)
        case "frozen":
            return wrong("The camera gives the same picture again and again.", "unplug it and plug it in again")
        case "covered" | "moved":
            remedy = "leave the table alone for a few seconds, and try again"
            return warning("Something moved before the camera.", remedy)
        case _:
            return ok("The picture is sharp and alive.")


def calibrated(table: Examined) -> Finding:
    """Does the table know where pile, hands and seats are?"""
    from cardsight.calibrate.table import load
    from cardsight.errors import NotACalibration

    camera = table.config.camera
    if camera.source == "none":
        return absent("This table has no camera.")
    if camera.calibration is None:
        if camera.pile is not None:
            return ok("The pile's place stands in croupier.toml; seats are not known by it.")
        return wrong("Nobody said where the discard pile lies.", "run croupier calibrate, or croupier setup table")
    try:
        known = load(camera.calibration)
    except NotACalibration as err:
        return wrong(f"{camera.calibration}: {err}.", "run croupier calibrate again")
    if table.pictures is not None and known.size != table.pictures.size:
        before, now = (f"{width}x{height}" for width, height in (known.size, table.pictures.size))
        told = f"It was calibrated with pictures of {before}, the camera gives {now}."
        return wrong(told, "run croupier calibrate again, with the size that the camera has now")
    return ok("Pile, hands and seats are known from the calibration.")


def _pictures(table: Examined) -> Pictures:
    assert table.pictures is not None
    return table.pictures
