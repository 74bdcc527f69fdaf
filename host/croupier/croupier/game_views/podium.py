"""The places of a game, whether a referee watched it or its score was written down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from croupier.game_views.rounds import lowest_leads
from croupier.game_views.story import Moment, Story
from croupier_rules.referee.rulings import Eliminated

_STAYED: Final = 1 << 30
"""Later than any round: of who was not eliminated."""


@dataclass(frozen=True, slots=True)
class Standing:
    """An account (player or team) on the podium: its ``place`` from 1, which ties share, and whether it leads."""

    place: int
    account: int
    name: str
    points: int

    @property
    def leads(self) -> bool:
        """True on the first place."""
        return self.place == 1


def podium(story: Story, moment: Moment | None = None) -> tuple[Standing, ...]:
    """The accounts at a moment (None: the last), the best first: as of the points, and of when somebody was eliminated.
    Who is as good shares a place, and the next place is left out then."""
    now = story.at(None) if moment is None else moment
    left = {
        ruling.seat: one.round
        for one in story.standing
        for ruling in one.rulings
        if one.n <= now.n and isinstance(ruling, Eliminated)
    }
    sign = 1 if lowest_leads(story.header) else -1
    keys = [(-left.get(account, _STAYED), sign * n) for account, n in enumerate(now.position["scores"])]
    return tuple(
        Standing(1 + sum(key < keys[i] for key in keys), i, story.accounts[i], now.position["scores"][i])
        for i in sorted(range(len(keys)), key=keys.__getitem__)
    )
