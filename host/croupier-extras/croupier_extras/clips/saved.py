"""Clips that outlive their round, because all who were seated have agreed.

Somebody asks that a clip be kept. Until all have agreed it is dropped like any other: when the next round is dealt, or
when one of them refuses. Clips stay in memory, as everything that the camera saw: they go when the page ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from threading import Lock
from typing import Final

from croupier.game_views.story import Story
from croupier.i18n import marked
from croupier.table_api.live_table import LiveLine, PileClip
from croupier.web.pages import SitePart
from croupier_extras.clips.clips import clips_of

MOST_CLIPS: Final = 20
MOST_BYTES: Final = 32 << 20


@dataclass(slots=True)
class SavedClip:
    """A clip of the report ``n`` of ``game``. ``names``: by seat, who was seated; ``waits_for``: the seats that have
    not agreed yet."""

    number: int
    game: int
    n: int
    clip: PileClip
    names: Mapping[int, str]
    waits_for: set[int] = field(default_factory=set)

    @property
    def has_consent(self) -> bool:
        """True if all have agreed."""
        return not self.waits_for

    @property
    def still_to_agree(self) -> str:
        """The names of those who have not agreed."""
        return ", ".join(self.names[seat] for seat in sorted(self.waits_for))

    @property
    def n_bytes(self) -> int:
        """Size of the pictures."""
        return sum(len(jpeg) for _t, jpeg in self.clip.frames)


class SavedClips(SitePart):
    """Clips that are kept or wait to be kept. Thread-safe."""

    def __init__(self) -> None:
        self._clips: dict[int, SavedClip] = {}
        self._numbers = count(1)
        self._lock = Lock()

    def all(self) -> list[SavedClip]:
        """All of them, the oldest first."""
        with self._lock:
            return list(self._clips.values())

    def get(self, number: int) -> SavedClip | None:
        """The clip of a number, if there is one."""
        with self._lock:
            return self._clips.get(number)

    def reruns(self, story: Story, game: int) -> Mapping[int, str]:
        """As `clips_of`."""
        return clips_of(story, game)

    def questions(self, game: int, seat: int | None) -> tuple[tuple[str, str], ...]:
        """The clips that wait for a seat of the live ``game`` to agree."""
        waiting = [one.number for one in self.all() if one.game == game and seat in one.waits_for]
        return tuple((f"/clips/{number}", marked("May this clip be kept?")) for number in waiting)

    def append(self, line: LiveLine) -> None:
        """Drop the clips that are not kept when the next round is dealt."""
        if line.phase in ("deal", "upcard"):
            self.drop_asked()

    def ask(self, game: int, n: int, clip: PileClip, names: Mapping[int, str]) -> SavedClip | None:
        """Ask all of ``names`` whether the clip may be kept; None where there is no room. Of a touch there is one."""
        with self._lock:
            for one in self._clips.values():
                if (one.game, one.clip.t) == (game, clip.t):
                    return one
            asked = SavedClip(next(self._numbers), game, n, clip, dict(names), set(names))
            size = asked.n_bytes + sum(one.n_bytes for one in self._clips.values())
            if len(self._clips) >= MOST_CLIPS or size > MOST_BYTES:
                return None
            self._clips[asked.number] = asked
            return asked

    def agree(self, number: int, seat: int) -> None:
        """A seat agrees."""
        with self._lock:
            if number in self._clips:
                self._clips[number].waits_for.discard(seat)

    def drop(self, number: int) -> None:
        """Drop a clip: somebody refuses it, or deletes it."""
        with self._lock:
            self._clips.pop(number, None)

    def drop_asked(self) -> None:
        """Drop those that are not kept: the next round is dealt."""
        with self._lock:
            self._clips = {number: one for number, one in self._clips.items() if one.has_consent}
