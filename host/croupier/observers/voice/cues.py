"""What is to be said, what waits to be said, and what is no longer worth saying."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

Sound = Literal["uno", "catch", "illegal", "challenge", "win", "trouble"]

LASTS_S: Final = 5.0
"""So old may a word be when its turn comes; later, the table has moved on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cue:
    """A ``sound``, a ``text``, or the one and then the other.

    ``rank``: a lower one comes first, and if it has a sound, breaks into what is being said. ``topic``: it takes the
    place of what waits on the same topic, as the next turn does with the last. ``lasts_s``: after so long without its
    turn it is dropped. ``t``: when it happened, in seconds of this machine's monotonic clock.
    """

    text: str = ""
    sound: Sound | None = None
    rank: int = 0
    topic: str = ""
    lasts_s: float = LASTS_S
    t: float


class Waiting:
    """The cues that wait, in the order in which they are to be said."""

    def __init__(self) -> None:
        self._cues: list[Cue] = []

    def push(self, cues: Sequence[Cue]) -> None:
        """Take in cues that belong together: they overtake what waits, not each other."""
        topics = {cue.topic for cue in cues if cue.topic}
        self._cues = sorted([*(cue for cue in self._cues if cue.topic not in topics), *cues], key=lambda cue: cue.rank)

    def pop(self, now: float) -> Cue | None:
        """The next one that is still worth saying."""
        self._cues = [cue for cue in self._cues if now - cue.t <= cue.lasts_s]
        return self._cues.pop(0) if self._cues else None

    def clear(self) -> None:
        """Forget all."""
        self._cues.clear()
