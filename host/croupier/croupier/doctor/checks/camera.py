"""Checks of the camera: presence, frame rate, light, focus, calibration."""

from __future__ import annotations

from contextlib import closing, suppress
from typing import Final

import numpy as np

from croupier.alarms import CAMERA_FAULTS
from croupier.config.sections import is_device
from croupier.doctor.check import CheckContext, Pictures
from croupier.doctor.finding import Finding, absent, graded, ok, plain, warning, wrong
from croupier.errors import first_line
from croupier.i18n import from_others, marked
from croupier.plugins import camera_kind
from croupier_rules.cards import BACK, UNREAD

WATCH_S: Final = 3.0
MOST_FRAMES: Final = 90
"""Limits of the observation: seconds, or frames of a file."""

SLOW: Final = 0.7
"""Least fraction of the configured frame rate; below it the light is short or the cable slow."""

LEAST_FPS: Final = 10.0
"""Least frame rate; below it a card may touch and be covered again between two frames."""

DARK, BRIGHT = 40.0, 225.0
"""Limits of the mean gray (0 to 255) of a picture in which cards can be read."""

_SETTLE_S: Final = 1.0
"""Time (s) that a camera needs after it was opened; these frames do not count for the rate."""


def opens(table: CheckContext) -> Finding:
    """Check that the camera opens and gives pictures. Measures for the checks that follow."""
    from cardsight.errors import NoFrame, NoMoreFrames
    from cardsight.track.health import Health

    source = table.open_camera(table.config)
    if source is None:
        return absent(marked("This table has no camera."))
    until = source.now() + WATCH_S + _SETTLE_S  # its own clock, so that a busy machine gets as many frames
    health = Health(may_freeze=is_device(table.config.camera.source))
    times: list[float] = []
    picture = np.zeros((1, 1, 3), np.uint8)
    with closing(source):
        while source.now() < until and len(times) < MOST_FRAMES:
            try:
                frame = source.frame()
            except NoMoreFrames:
                break
            except NoFrame:
                continue
            health.push(frame.t, frame.image)
            times.append(frame.t)
            picture = frame.image
    kind = camera_kind(table.config.camera.source)
    if not times and kind is not None and kind.silence is not None:
        return wrong(*kind.silence)
    if not times:
        text = marked("The camera can be opened but delivers no picture.")
        return wrong(text, marked("Unplug it and plug it in again; try another USB port."))
    size = (picture.shape[1], picture.shape[0])
    table.pictures = Pictures(tuple(times), size, float(np.mean(picture[::8, ::8])), health.trouble, picture)
    measured = {"size": f"{size[0]}x{size[1]}", "asked": table.config.camera.size}
    if measured["size"] != measured["asked"] and table.config.camera.source.startswith(("usb", "pi")):
        return warning(
            marked("The camera delivers pictures of {size}; {asked} is configured."),
            marked('Set size = "{size}" in [camera], or another one that the camera has; then calibrate anew.'),
            **measured,
        )
    if name := _name_of_number(table):
        text = marked(
            "{camera} is “{name}” now, and delivers pictures of {size}. A number may belong to another camera after a "
            "restart: croupier setup camera keeps the camera itself."
        )
        return ok(text, camera=table.config.camera.source, name=name, **measured)
    return ok(marked("The camera delivers pictures of {size}."), **measured)


def _name_of_number(table: CheckContext) -> str:
    """Return the name of a camera that `croupier.toml` names by its number only; "" for any other."""
    from cardsight.errors import NoCamera
    from cardsight.sources.found import UsbFinder

    kind, _, number = table.config.camera.source.partition(":")
    if kind != "usb" or not (number or "0").isdecimal():
        return ""
    with suppress(NoCamera):
        node = UsbFinder(number, table.root).find()
        return "" if node is None else first_line(node.label)
    return ""


def rate(table: CheckContext) -> Finding:
    """Check the frame rate."""
    seen = _pictures(table)
    times = [t for t in seen.times if t >= seen.times[0] + _SETTLE_S]
    if len(times) < 3 or times[-1] <= times[0]:
        return absent(marked("Too few pictures to measure their rate."))
    fps = (len(times) - 1) / (times[-1] - times[0])
    longest = max(np.diff(times))
    camera = table.config.camera
    measured = {"fps": round(fps, 1), "longest_gap_ms": round(1000 * longest), "asked": camera.fps}
    text = marked("{fps} pictures per second, the longest gap {longest_gap_ms} ms; {asked} per second are configured.")
    advice = marked("Add light; use a USB 3 port without a hub; set a smaller size, or exposure_ms, in [camera].")
    kind = camera_kind(camera.source)
    is_slow = (kind is None or kind.keeps_rate) and fps < SLOW * camera.fps
    return graded("", text, advice, wrong=fps < LEAST_FPS, warning=is_slow, **measured)


def light(table: CheckContext) -> Finding:
    """Check the brightness."""
    gray = round(_pictures(table).gray)
    if gray < DARK:
        advice = marked("Light the table evenly, from the side; raise exposure_ms in [camera].")
        return wrong(marked("The picture is too dark: {gray} of 255."), advice, gray=gray)
    if gray > BRIGHT:
        advice = marked("Keep the sun off the table; lower exposure_ms in [camera].")
        return warning(marked("The picture is too bright: {gray} of 255."), advice, gray=gray)
    return ok(marked("The picture is bright enough: {gray} of 255."), gray=gray)


def sharp(table: CheckContext) -> Finding:
    """Check that the picture is sharp, and neither frozen nor covered."""
    match _pictures(table).trouble:
        case "blurred":
            advice = marked("Set focus in [camera], or turn the lens; wipe it; check whether the arm shakes.")
            return wrong(marked("The picture is blurred."), advice)
        case "frozen":
            text = marked("The camera delivers the same picture again and again.")
            return wrong(text, marked("Unplug it and plug it in again."))
        case "torn":
            return wrong(*CAMERA_FAULTS["torn"])
        case "covered" | "moved" | "unsteady":
            advice = marked("Leave the table alone for a few seconds, and try again.")
            return warning(marked("Something moved in front of the camera."), advice)
        case _:
            return ok(marked("The picture is sharp and changes from frame to frame."))


def calibrated(table: CheckContext) -> Finding:
    """Check that the places of pile, hands and seats are known for this picture size."""
    from cardsight.calibrate.table import load
    from cardsight.errors import NotACalibration

    camera = table.config.camera
    if camera.source == "none":
        return absent(marked("This table has no camera."))
    if camera.calibration is None:
        if camera.pile is not None:
            return ok(marked("The place of the pile is set in croupier.toml; the places of the seats are not."))
        text = marked("The place of the pile is not configured.")
        return wrong(text, marked("Run croupier calibrate, or croupier setup table."))
    try:
        known = load(camera.calibration)
    except NotACalibration as err:
        return wrong(plain(f"{camera.calibration}: {from_others(str(err))}."), marked("Run croupier calibrate again."))
    if table.pictures is not None and known.size != table.pictures.size:
        before, now = (f"{width}x{height}" for width, height in (known.size, table.pictures.size))
        return wrong(
            marked("It was calibrated with pictures of {before}, but the camera delivers {now}."),
            marked("Run croupier calibrate again with the camera's present size."),
            before=before, now=now,
        )  # fmt: skip
    return ok(marked("Pile, hands and seats are known from the calibration."))


def card(table: CheckContext) -> Finding:
    """Check that a card on the discard pile is read, and is as long as the calibration expects; and by all cards that
    the camera shows colors, sides and places as they are."""
    from cardsight.calibrate.table import load
    from cardsight.camera_check import fault_of, misplaced
    from croupier.pictures.calibrate import LENGTH_TOLERANCE, cards_on_pile
    from croupier.pictures.table_reader import reader_of, shipped_model

    if table.pictures is None or table.config.camera.calibration is None:
        return absent(marked("There is no picture of a calibrated table."))
    picture, found = table.pictures.picture, load(table.config.camera.calibration)
    reading = reader_of(table.config.deck.profile).read(picture)
    fault = fault_of(picture, reading, shipped_model() if table.config.deck.profile is None else None)
    fault = fault or misplaced(reading, found.pile_px(), found.card_px(found.pile), table.pictures.size)
    if fault is not None:
        return wrong(*CAMERA_FAULTS[fault])
    seen = cards_on_pile(reading, found)
    if not seen:
        text = marked("No card lies on the discard pile: lay one there, and run this check again.")
        return absent(text)
    top, share = seen[0]
    if abs(share - 1) > LENGTH_TOLERANCE:
        return wrong(
            marked("The card on the discard pile is {percent} % as long as the calibration expects."),
            marked("Calibrate again: on the page Camera, or with croupier calibrate."),
            percent=round(100 * share),
        )
    if top.face in (UNREAD, BACK):
        return warning(
            marked("The card on the discard pile cannot be read."),
            marked(
                "Turn it face up; light the table, clean and focus the lens; teach your edition with croupier enroll."
            ),
        )
    return ok(marked("The card on the discard pile is read: {card}."), card=top.face)


def _pictures(table: CheckContext) -> Pictures:
    assert table.pictures is not None
    return table.pictures
