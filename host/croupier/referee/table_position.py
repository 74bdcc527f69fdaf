"""The referee's position as the devices need it: typed, and without what only the log needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """The fields of the table log's position, by the same names; ``owed`` by seat, ``house_rules`` by number."""

    phase: str
    dealer: int | None = None
    turn: int | None = None
    direction: str = "left"
    top: str | None = None
    color: str | None = None
    hands: tuple[int, ...] = ()
    draw_pile: int = 0
    discard_pile: int = 0
    owed: Mapping[int, int]
    scores: tuple[int, ...] = ()
    out: tuple[int, ...] = ()
    house_rules: Mapping[int, str] = field(default_factory=dict)

    @property
    def step(self) -> int:
        """From a seat to the next in the direction of play: 1 or -1."""
        return 1 if self.direction == "left" else -1

    @property
    def next_seat(self) -> int | None:
        """The seat after the one on turn; ``None`` where it is nobody's turn."""
        if self.turn is None:
            return None
        ring = [(self.turn + self.step * i) % len(self.hands) for i in range(1, len(self.hands) + 1)]
        return next(seat for seat in ring if seat not in self.out)

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> Position:
        """From the JSON object."""
        return cls(
            phase=fields["phase"],
            dealer=fields["dealer"],
            turn=fields["turn"],
            direction=fields["direction"],
            top=fields["top"],
            color=fields["color"],
            hands=tuple(fields["hands"]),
            draw_pile=fields["draw_pile"],
            discard_pile=fields["discard_pile"],
            owed={int(seat): n for seat, n in fields["owed"].items()},
            scores=tuple(fields["scores"]),
            out=tuple(fields["out"]),
            house_rules={int(number): text for number, text in fields["house_rules"].items()},
        )
