"""Alarms: what does not work at a table. In people's words: what it is and what to do about it.

An alarm is named by ``device`` and ``kind``, as in the `fault` of a table log.
"""

from __future__ import annotations

import logging
import tomllib
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain, repeat
from pathlib import Path
from threading import Lock
from typing import Final

from croupier.i18n import _, from_others, marked

_log: Final = logging.getLogger(__name__)

_OVER: Final = "over"
_SEEN: Final = "-seen"


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
        """Set the alarm of ``device`` to ``kind``; "": none. Another detail is a change, too; without a ``detail``
        the last one is kept."""
        with self._lock:
            known = self._active.get(device)
            alarm = Alarm(device, kind, detail)
            if kind == (known.kind if known else ""):
                if known is None or detail in ("", known.detail):
                    return
                self._active[device] = alarm
            elif kind:
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

    def seen(self) -> tuple[str, ...]:
        """What was seen of each alarm of `active`: its detail, in the same order."""
        with self._lock:
            return tuple(alarm.detail for alarm in self._active.values())

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
"""Description of the fault of a camera, by `cardsight.sighting.CameraFault`, and the remedy."""


@cache
def _texts() -> Mapping[str, Mapping[str, str]]:
    """By device, the text of each kind of failure, and as ``over`` that of its end."""
    return tomllib.loads((Path(__file__).parent / "alarms.toml").read_text(encoding="utf-8"))


def camera_fault_text(kind: str, *, is_mended: bool = False) -> str:
    """Return in one line what is wrong with a camera, with the remedy, or that its picture was put right."""
    what, remedy = CAMERA_FAULTS[kind]
    return _(what) + " " + (_("It was put right for this reading.") if is_mended else _(remedy))


def problem_text(device: str, kind: str, seen: str = "") -> str:
    """Return the description of a failure, with advice. ``seen``: its detail, which says more than the usual cause."""
    if device == "camera" and kind in CAMERA_FAULTS:
        return camera_fault_text(kind)
    texts = _texts().get(device, {})
    if seen and (words := texts.get(f"{kind}{_SEEN}")) is not None:
        return _(words, seen=from_others(seen))
    words = texts.get(kind)
    return _("Trouble with {device}: {kind}.", device=device, kind=kind) if words is None else _(words)


def problem_texts(alarms: Iterable[tuple[str, str]], seen: Iterable[str] = ()) -> list[str]:
    """Return the descriptions of alarms, with what was ``seen`` of each."""
    details = chain(seen, repeat(""))
    return [problem_text(device, kind, detail) for (device, kind), detail in zip(alarms, details, strict=False)]


def alarm_text(alarm: Alarm) -> str:
    """Return the text of an alarm, or of its end."""
    if alarm.kind:
        return problem_text(alarm.device, alarm.kind)
    over = _texts().get(alarm.device, {}).get(_OVER)
    return _("{device}: working again.", device=alarm.device) if over is None else _(over)
