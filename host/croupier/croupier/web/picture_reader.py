"""Reading pictures of hands in a process of their own (`croupier.pictures.worker`), started when it is needed.

The page loads no OpenCV, and a picture that harms its reader harms nothing else: the process has bounded memory, is
killed after `ANSWER_S`, and what it answers is checked. No picture is stored.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, Timer
from typing import Any, Final

from croupier.alarms import CAMERA_FAULTS, camera_fault_text
from croupier.child_process import ChildProcess, python
from croupier.errors import BadScore
from croupier.i18n import _, from_others
from croupier_rules.cards import FACES, UNREAD

MOST_BYTES: Final = 4 << 20
"""Of a picture: four times what the page's script sends."""

ANSWER_S: Final = 60.0
"""Time for a picture, and for the start of the process: a busy Raspberry Pi needs many seconds for both."""

IDLE_S: Final = 120.0
"""Time without a picture after which the process is ended."""

_JPEG: Final = b"\xff\xd8\xff"
_MOST_ANSWER: Final = 1 << 18
MOST_CARDS: Final = 120
"""In a picture."""
_MOST_CANDIDATES: Final = 3

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class ReadCard:
    """A card in a picture: ``face`` (``?`` with its likeliest ``candidates``), and its corners in px.
    ``is_one_too_many``: it is ``?`` since the deck has no more cards of the face that was read."""

    face: str
    corners: tuple[Point, ...]
    candidates: tuple[str, ...] = ()
    is_one_too_many: bool = False


@dataclass(frozen=True, slots=True)
class ReadHand:
    """The cards of a picture of ``size`` (px), and the number of those that lie face down. ``may_hide``: cards lie on
    each other, and nobody said how many there are: more may lie hidden. ``camera``: what was wrong with the picture and
    was put right, in one line."""

    size: tuple[int, int]
    cards: tuple[ReadCard, ...]
    face_down: int
    may_hide: bool = False
    camera: str = ""


class PictureReader:
    """Reads one picture at a time. Thread-safe. ``profile``: the deck profile, if the table has one."""

    def __init__(self, profile: Path | None = None) -> None:
        self._command, self._profile = python("croupier.pictures.worker:read_pictures"), profile
        self._lock = Lock()
        self._process: ChildProcess | None = None
        self._idle: Timer | None = None

    def read(self, picture: bytes, deck: str | None = None, number: int | None = None) -> ReadHand:
        """Read a JPEG of cards of the ``deck`` of this name; None: of any. ``number``: of the cards, if a person gave
        it. Takes up to `ANSWER_S`.

        Raises:
            BadScore: it cannot be read; the text is for the person who took it.
        """
        if not picture.startswith(_JPEG):
            raise BadScore(_unreadable(picture))
        with self._lock:
            if self._idle is not None:
                self._idle.cancel()
            line = self._ask(f"{deck or ''}\n{number or ''}\n".encode() + picture)
            self._idle = Timer(IDLE_S, self.close)
            self._idle.daemon = True
            self._idle.start()
        try:
            return _hand(json.loads(line))
        except BadScore:
            raise
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as err:
            raise BadScore(_("This picture could not be read. Take another one.")) from err

    def close(self) -> None:
        """End the process; the next picture starts another."""
        with self._lock:
            self._end()

    def _ask(self, picture: bytes) -> bytes:
        if self._process is None or not self._process.is_running:
            self._end()
            try:
                self._process = ChildProcess.start(self._command, self._profile, hangs_s=ANSWER_S, shows_errors=False)
            except OSError as err:
                raise BadScore(_("This picture could not be read: {why}.", why=err.strerror)) from err
        self._process.post(picture)
        try:
            return self._process.receive(_MOST_ANSWER)
        except (EOFError, OSError):
            self._end()
            return b""

    def _end(self) -> None:
        if (process := self._process) is not None:
            process.close()
            self._process = None


def _unreadable(picture: bytes) -> str:
    """Why a file that is no JPEG is not read; the page's script sends one only where the browser cannot open it."""
    from cardsight.headers import is_heic, remedy

    if is_heic(picture):
        return _(
            "This browser cannot open HEIC pictures. Set the phone to JPEG (iPhone: Settings, Camera, Formats, Most "
            "Compatible), or read the file with croupier tally."
        )
    if (why := remedy(picture)) is not None:
        return _("This picture could not be read: {why}.", why=from_others(why))
    return _("This picture could not be read. Take another one.")


def _hand(answer: Mapping[str, Any]) -> ReadHand:
    """Raises ValueError, TypeError or KeyError if the answer of the process is not a reading, `BadScore` if it is an
    error."""
    if "error" in answer:
        raise BadScore(_("This picture could not be read: {why}.", why=from_others(str(answer["error"])[:200])))
    width, height = answer["size"]
    cards = tuple(map(_card, answer["cards"]))
    if not (0 < int(width) < 1 << 15 and 0 < int(height) < 1 << 15) or len(cards) > MOST_CARDS:
        raise ValueError("size, cards")
    fault = answer.get("camera")
    camera = camera_fault_text(fault, is_mended=bool(answer["mended"])) if fault in CAMERA_FAULTS else ""
    may_hide = answer.get("may_hide") is True
    return ReadHand((int(width), int(height)), cards, int(answer["face_down"]), may_hide, camera)


def _card(answer: Mapping[str, Any]) -> ReadCard:
    corners = tuple((float(x), float(y)) for x, y in answer["quad"])
    candidates = [one["card"] for one in answer.get("candidates", ())][:_MOST_CANDIDATES]
    if len(corners) != 4 or not all(math.isfinite(one) for corner in corners for one in corner):
        raise ValueError("quad")
    if answer["card"] not in (*FACES, UNREAD) or not set(candidates) <= set(FACES):
        raise ValueError("card")
    return ReadCard(answer["card"], corners, tuple(candidates), "deck" in answer.get("doubts", ()))
