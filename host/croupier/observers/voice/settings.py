"""How the voice sounds, and when."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from datetime import time
from pathlib import Path
from typing import Final, Literal

from croupier import i18n

Program = Literal["auto", "aplay", "paplay", "none"]

_HOURS: Final = re.compile(r"([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How the voice sounds.

    ``language``: an ISO 639-1 code. ``voice``: another voice of espeak-ng, as ``de+f3``; without: its usual one.
    ``speed``: words in a minute. ``volume``: 0…100. ``quiet``: `hours` in which nothing sounds.
    ``program``: what plays, and ``device``: where; without: the usual one. ``cache``: the folder of what was spoken.
    ``told_in``: the language in which troubles are told.
    """

    language: str = "en"
    voice: str = ""
    speed: int = 160
    volume: int = 80
    muted: bool = False
    speech: bool = True
    sounds: bool = True
    quiet: str = ""
    program: Program = "auto"
    device: str = ""
    cache: str = field(default_factory=lambda: str(usual_cache()))
    told_in: str = field(default_factory=i18n.language)


def usual_cache() -> Path:
    """Where this machine keeps what can be made again."""
    given = os.environ.get("CACHE_DIRECTORY")  # by systemd
    home = Path(given) if given else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "croupier"
    return home / "voice"


def hours(text: str) -> tuple[time, time] | None:
    """From when to when, of ``22:00-07:00``; ``None`` for "".

    Raises:
        ValueError: it says something else.
    """
    if not text:
        return None
    said = _HOURS.fullmatch(text)
    if said is None:
        raise ValueError(f"{text!r} are no hours: expected from when to when, as 22:00-07:00")
    a, b, c, d = map(int, said.groups())
    return time(a, b), time(c, d)


def is_quiet(text: str, now: time) -> bool:
    """Whether ``now`` lies in the `hours` of ``text``, which may go over midnight."""
    span = hours(text)
    if span is None:
        return False
    begin, end = span
    return begin <= now < end if begin <= end else now >= begin or now < end
