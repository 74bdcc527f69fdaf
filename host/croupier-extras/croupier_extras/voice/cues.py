"""Cues and settings of the voice: what the table sends to the process that plays, and the queue in that process."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import time
from pathlib import Path
from typing import Final, Literal, Self

from croupier import i18n

PLUGIN: Final = "voice"
"""The name of the plug-in."""

ESPEAK: Final = "espeak-ng"
"""The program that makes sentences."""

Program = Literal["auto", "aplay", "paplay", "none"]
Sound = Literal["uno", "catch", "illegal", "challenge", "win", "trouble"]

MAX_AGE_S: Final = 5.0
"""A cue whose turn comes later is dropped: the table has moved on."""


@dataclass(frozen=True, slots=True)
class Loudness:
    """The volume of the voice, 0…100, and whether it is muted: what the page shows, and orders."""

    volume: int
    muted: bool

    def to_order(self) -> str:
        """The order that sets it: ``60``, ``60 muted``."""
        return f"{self.volume} muted" if self.muted else str(self.volume)

    @classmethod
    def of_order(cls, order: str) -> Self | None:
        """Return the values that an order sets; None if it is invalid: the page's process may be a stranger's."""
        match = re.fullmatch(r"(100|[1-9]?[0-9])( muted)?", order)
        return None if match is None else cls(int(match[1]), match[2] is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cue:
    """A ``sound``, a ``text``, or the sound and then the text.

    ``rank``: cues of a lower rank come first; one that has a sound interrupts a cue of a higher rank. ``topic``: a cue
    replaces those that wait on the same topic. ``max_age_s``: a cue that waits longer is dropped. ``t``: the time of
    the event (s, this machine's monotonic clock).
    """

    text: str = ""
    sound: Sound | None = None
    rank: int = 0
    topic: str = ""
    max_age_s: float = MAX_AGE_S
    t: float


@dataclass(frozen=True, slots=True)
class SayCues:
    """Say these cues, which belong together."""

    cues: tuple[Cue, ...]


@dataclass(frozen=True, slots=True)
class Prepare:
    """Synthesize these likely sentences while there is nothing to say."""

    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Adjust:
    """Play like this from now on; None: as before. ``volume``: 0…100."""

    volume: int | None = None
    muted: bool | None = None

    def to(self, settings: VoiceSettings) -> VoiceSettings:
        """The settings with this change."""
        volume = settings.volume if self.volume is None else self.volume
        return replace(settings, volume=volume, muted=settings.muted if self.muted is None else self.muted)


VoiceMessage = SayCues | Prepare | Adjust
"""Message from the table to the process that plays."""


class CueQueue:
    """The cues that wait, by rank."""

    def __init__(self) -> None:
        self._cues: list[Cue] = []

    def push(self, cues: Sequence[Cue]) -> None:
        """Add cues that belong together: they go before waiting cues of a higher rank and keep their order."""
        topics = {cue.topic for cue in cues if cue.topic}
        self._cues = sorted([*(cue for cue in self._cues if cue.topic not in topics), *cues], key=lambda cue: cue.rank)

    def pop(self, now: float) -> Cue | None:
        """The next cue that is not too old."""
        self._cues = [cue for cue in self._cues if now - cue.t <= cue.max_age_s]
        return self._cues.pop(0) if self._cues else None

    def clear(self) -> None:
        """Drop all cues."""
        self._cues.clear()


QuietHours = tuple[int, int]
"""Begin and end in minutes since midnight; the end may be on the next day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceSettings:
    """Settings of the voice.

    ``language``: an ISO 639-1 code. ``voice``: another voice of espeak-ng, as ``de+f3``; "" for its usual one.
    ``speed``: words per minute. ``volume``: 0…100. ``quiet``: hours in which nothing sounds.
    ``program``: what plays; ``device``: where, "" for the usual one. ``cache``: the folder of synthesized sentences.
    ``ui_language``: the language of error messages.
    """

    language: str = "en"
    voice: str = ""
    speed: int = 160
    volume: int = 80
    muted: bool = False
    speech: bool = True
    sounds: bool = True
    quiet: QuietHours | None = None
    program: Program = "auto"
    device: str = ""
    cache: str = field(default_factory=lambda: str(usual_cache()))
    ui_language: str = field(default_factory=i18n.language)


def usual_cache() -> Path:
    """The folder of this machine for files that can be made again."""
    given = os.environ.get("CACHE_DIRECTORY")  # by systemd
    home = Path(given) if given else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "croupier"
    return home / "voice"


def is_quiet(span: QuietHours | None, now: time) -> bool:
    """True while ``now`` lies in the quiet hours."""
    if span is None:
        return False
    (begin, end), minute = span, now.hour * 60 + now.minute
    return begin <= minute < end if begin <= end else minute >= begin or minute < end
