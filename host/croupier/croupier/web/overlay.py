"""The overlay for a stream: parts of the live game over other pictures, on request some time after the table.

What an address says is checked here. The delay is kept by the server: a page with a delay is never sent anything newer,
so nobody finds it there.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection
from typing import Final

from croupier.errors import BadForm
from croupier.game_views.story import Story
from croupier.i18n import LANGUAGES, _, language
from croupier.web.accounts import SPECTATOR
from croupier.web.pages import Perspective

PARTS: Final = ("top", "ruling", "seats")
SIZES: Final = ("50", "75", "100", "125", "150", "200")
"""Percent."""

_MAX_DELAY_MIN: Final = 60


def parse_overlay(parts: str, delay: str, code: str) -> Perspective:
    """What an address asks for: names of `PARTS` with commas between, a delay in minutes, a language ("": that of the
    browser). Raises `BadForm`."""
    names = [name.strip() for name in parts.split(",")]
    if not set(names) <= set(PARTS):
        raise _unexpected("parts", parts, ", ".join(PARTS))
    try:
        minutes = float(delay)
    except ValueError:
        minutes = -1.0
    if not 0 <= minutes <= _MAX_DELAY_MIN:
        raise _unexpected("delay", delay, _("minutes from {least} to {most}", least=0, most=_MAX_DELAY_MIN))
    code = one_of("language", code or language(), LANGUAGES)
    chosen = tuple(part for part in PARTS if part in names)
    return Perspective("overlay", 0, SPECTATOR, language=code, parts=chosen, delay_s=round(minutes * 60))


def one_of(name: str, value: str, expected: Collection[str]) -> str:
    """The value of a parameter, if it is expected. Raises `BadForm`."""
    if value not in expected:
        raise _unexpected(name, value, ", ".join(expected))
    return value


def _unexpected(name: str, value: str, expected: str) -> BadForm:
    return BadForm(
        _("The address says {name}={value}. Expected: {expected}.", name=name, value=value, expected=expected)
    )


class Timeline:
    """When each line of the live game came, for those who see it later. ``now`` and ``when``: monotonic seconds.

    Lines that stand there when the page first looks are at least as old as the newest one by the table's clock. They
    count as that old; in a simulation, where that clock may run fast, as new.
    """

    def __init__(self) -> None:
        self._came: list[float] = []
        self._places: list[tuple[int, int]] = []
        """By line: when it came; the game, and the number of its lines by then."""

    def note(self, game: int, story: Story, now: float) -> None:
        """Note the lines of the live game that came since the last call."""
        noted = self._places[-1][1] if self._places and self._places[-1][0] == game else -1
        for moment in story.moments[noted + 1 :]:
            age_s = 0.0 if story.is_simulation else max(0.0, story.moments[-1].t - moment.t)
            self._came.append(max(now - age_s, self._came[-1] if self._came else float("-inf")))
            self._places.append((game, moment.n))
        dropped = max(0, bisect_right(self._came, now - _MAX_DELAY_MIN * 60) - 1)
        del self._came[:dropped], self._places[:dropped]

    def place(self, when: float) -> tuple[int, int] | None:
        """The game that was played at a time, and the number of its lines by then; None if that is not known."""
        count = bisect_right(self._came, when)
        return self._places[count - 1] if count else None
