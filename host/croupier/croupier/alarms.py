"""Alarms: what does not work at a table. In people's words: what it is and what to do about it.

An alarm is named by ``device`` and ``kind``, as in the `fault` of a table log.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Final

from croupier.i18n import _, marked

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Alarm:
    """A change of a device: ``kind`` names the failure; "" if the device works again. ``detail``: one line for a
    technician."""

    device: str
    kind: str
    detail: str = ""


class AlarmRegistry:
    """The alarms that are active now. Thread-safe.

    ``notify`` gets each change, one at a time and in order, in the thread of one of the callers of `set`. A listener
    that blocks delays neither other threads nor the order.
    """

    def __init__(self, notify: Callable[[Alarm], None]) -> None:
        self._notify, self._lock = notify, Lock()
        self._active: dict[str, Alarm] = {}
        self._changes: deque[Alarm] = deque()
        self._is_notifying = False

    def set(self, device: str, kind: str, detail: str = "") -> None:
        """Set the alarm of ``device`` to ``kind``; "": none. Another detail alone is no change."""
        with self._lock:
            known = self._active.get(device)
            if kind == (known.kind if known else ""):
                return
            alarm = Alarm(device, kind, detail)
            if kind:
                self._active[device] = alarm
            else:
                del self._active[device]
            self._changes.append(alarm)
            if self._is_notifying:
                return  # the thread that notifies now takes this change next
            self._is_notifying = True
        while (change := self._next()) is not None:
            try:
                self._notify(change)
            except Exception:
                _log.exception("%s was not reported", change)

    def active(self) -> tuple[tuple[str, str], ...]:
        """Device and kind of each alarm, in the order in which they began."""
        with self._lock:
            return tuple((alarm.device, alarm.kind) for alarm in self._active.values())

    def _next(self) -> Alarm | None:
        with self._lock:
            self._is_notifying = bool(self._changes)
            return self._changes.popleft() if self._changes else None


CAMERA_FAULTS: Final[dict[str, tuple[str, str]]] = {
    "colors-exchanged": (
        marked("Red and blue are exchanged in the picture."),
        marked("Set the camera or its driver to the other order of colors (RGB or BGR)."),
    ),
    "mirrored": (
        marked("The picture is mirrored."),
        marked("Turn off the mirror image in the settings of the camera."),
    ),
    "torn": (
        marked("The lower part of the picture is missing."),
        marked("Take the picture again; if it is the table's camera, check its cable."),
    ),
    "upside-down": (
        marked("The camera hangs upside down, compared with its calibration."),
        marked("Turn it by 180°, or calibrate again."),
    ),
    "elsewhere": (
        marked("The cards in the picture are much larger or smaller than when the camera was calibrated."),
        marked("Check that [camera] names the camera above the table, and calibrate again."),
    ),
    "no-cards": (
        marked("The camera shows no card, and a game is played."),
        marked("Check that [camera] names the camera above the table, and that nothing hides the pile from it."),
    ),
}
"""What is wrong with a camera, by `cardsight.sighting.CameraFault`, and the remedy."""

_WORDS: Final[dict[tuple[str, str], str]] = {
    ("camera", "missing"): marked("There is no picture from the camera: check its cable, and source in [camera]."),
    ("camera", "no-picture"): marked("The camera is sending no pictures: check its cable."),
    ("camera", "frozen"): marked("The camera's picture is frozen: unplug the camera and plug it back in."),
    ("camera", "dark"): marked("The camera sees only darkness: turn on the light, and check the lens cap."),
    ("camera", "blurred"): marked("The camera's picture is blurred: clean and focus the lens."),
    ("camera", "covered"): marked("Something is covering the camera: remove it."),
    ("camera", "moved"): marked(
        "The camera was moved: put it back, or go on if it still sees the piles in their places. Otherwise "
        "calibrate the table again and restart croupier."
    ),
    ("camera", "uncalibrated"): marked(
        "The camera does not know yet where the discard pile is: an admin shows it on the page Camera."
    ),
    ("camera", "put-right"): marked(
        "The camera exchanges red and blue. From now on the program puts that right: compare the last cards with the "
        "page, and set the camera or its driver to the other order of colors."
    ),
    ("camera", "unsteady"): marked("The camera shakes: fasten its stand; play goes on when it hangs still."),
    ("pile", "astray"): marked(
        "A card is lying face up beside the piles: push it onto the discard pile if it was played; "
        "otherwise take it back."
    ),
    ("pile", "unread"): marked(
        "Something lies on the discard pile, and no card can be read in it: push it straight, or set the place and the "
        "size of the pile on the page Camera."
    ),
    ("pico", "gone"): marked("The Pico is not answering: check its cable and power supply."),
    ("pico", "other-firmware"): marked("The Pico runs another version of the firmware: run croupier firmware install."),
    ("pico", "overflow"): marked(
        "The Pico had to drop reports: a button press or a card may be missing. Compare the table with the page, "
        "correct what is wrong, then go on."
    ),
    ("pi", "gone"): marked("The Pi's pins cannot be used: run croupier doctor to find out why."),
    ("ring", "gone"): marked("The LED ring is dark: check its cable; the game goes on without it."),
    ("shoe", "jam"): marked("A card is jammed in the shoe: remove it, then go on."),
    ("shoe", "exit-blocked"): marked("Something is blocking the exit of the shoe: remove it, then go on."),
    ("shoe", "double-feed"): marked(
        "The shoe dealt two cards at once: put the last one back into the shoe, then go on."
    ),
    ("shoe", "surplus"): marked("The shoe dealt one card too many: put the last one back into the shoe, then go on."),
    ("exit", "missing"): marked("The camera at the card exit gives no picture: cards are dealt unread."),
    ("shoe", "empty"): marked("The shoe is empty: refill it, then go on."),
    ("shoe", "silence"): marked(
        "The shoe stopped because it lost contact with this program: check its cable, then go on."
    ),
    ("shoe", "longest-run"): marked("The motor of the shoe ran for too long: look for a jammed card, then go on."),
    ("shoe", "no-magnet"): marked("The turntable cannot find its magnet: turn it by hand, then go on."),
    ("shoe", "lost-steps"): marked("The turntable lost its position: make sure that it turns freely, then go on."),
    ("shoe", "job-in-doubt"): marked("The shoe lost power while dealing: count how many of the cards came out."),
    ("shoe", "jobs-unreadable"): marked(
        "The record of what the shoe dealt last cannot be read: count the cards in each hand, correct the "
        "page where needed, then go on."
    ),
    ("shoe", "not-cleared"): marked("The shoe still needs help: look inside, then go on."),
    ("shoe", "no-seat"): marked("The shoe does not know where this seat is: check [seats], and angles in [shoe]."),
    ("buttons", "stuck"): marked("A button is stuck: free it; the others work."),
    ("table", "restarted"): marked("The program was restarted: compare the table with the page, then go on."),
    ("panel", "pause"): marked("Somebody pressed pause."),
    ("journal", "lines-lost"): marked(
        "The newest lines of the game are lost because a file was damaged: compare hands, piles and scores with the "
        "page, correct what is wrong, then go on."
    ),
    ("journal", "not-written"): marked("The game cannot be saved and is waiting: free some disk space."),
    ("page", "gone"): marked("The page cannot be served: another program may be using its port."),
    ("clock", "set"): marked("This machine's clock was changed; only the dates of games depend on it."),
}
"""All kinds with texts of their own."""

_OTHERS: Final = marked("Trouble with {device}: {kind}.")

_OVER: Final[dict[str, str]] = {
    "camera": marked("The camera sees the table again."),
    "pile": marked("The discard pile can be read again, and no card is lying beside the piles."),
    "pico": marked("The Pico is back."),
    "pi": marked("The Pi's pins are working again."),
    "buttons": marked("All buttons are free again."),
    "shoe": marked("The shoe is ready again."),
    "journal": marked("The game is being saved again; nothing is missing."),
    "page": marked("The page is back."),
}


def camera_fault_text(kind: str, *, is_mended: bool = False) -> str:
    """Return in one line what is wrong with a camera, with the remedy, or that its picture was put right."""
    what, remedy = CAMERA_FAULTS[kind]
    return _(what) + " " + (_("It was put right for this reading.") if is_mended else _(remedy))


def problem_text(device: str, kind: str) -> str:
    """Return the description of a failure, with advice."""
    if device == "camera" and kind in CAMERA_FAULTS:
        return camera_fault_text(kind)
    words = _WORDS.get((device, kind))
    return _(_OTHERS, device=device, kind=kind) if words is None else _(words)


def alarm_text(alarm: Alarm) -> str:
    """Return the text of an alarm, or of its end."""
    if alarm.kind:
        return problem_text(alarm.device, alarm.kind)
    return _(_OVER[alarm.device]) if alarm.device in _OVER else _("{device}: working again.", device=alarm.device)
