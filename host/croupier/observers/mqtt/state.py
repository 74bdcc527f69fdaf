"""What the house is told of the table: what everybody sees who stands beside it, and nothing else."""

from __future__ import annotations

from typing import Any

from croupier import alarms
from croupier.errors import one_line
from croupier.events import SequencedEvent
from croupier.observers.round_results import Rounds
from croupier.referee import Explainer, Header
from croupier.referee.observations import Fault
from croupier.referee.position import Position
from croupier.referee.rulings import GameOver, Ruling

LONGEST_NAME = 100
"""Home Assistant takes no state of more than 255 letters."""


def names(header: Header) -> tuple[str, ...]:
    """The players as a house may call them."""
    return tuple(one_line(name)[:LONGEST_NAME] for name in header.seats)


def accounts(header: Header) -> tuple[str, ...]:
    """Who has a score: the players, or their teams."""
    players = names(header)
    return tuple(" & ".join(players[seat] for seat in team) for team in header.teams) or players


class TableState:
    """A listener that knows how the table stands; ``now`` is what there is to tell."""

    def __init__(self, header: Header, position: Position, rounds: Rounds) -> None:
        self._names, self._rounds = names(header), rounds
        self._fault: Fault | None = None
        self._winner: str | None = None
        self._header = header
        self.now = self._of(position)

    def __call__(self, told: SequencedEvent, rulings: tuple[Ruling, ...], position: Position) -> None:
        """Take in what happened."""
        self._rounds(told, rulings, position)
        if isinstance(told, Fault) and told.kind != "pause":
            self._fault = told
        if position.phase != "paused":
            self._fault = None
        for ruling in rulings:
            if isinstance(ruling, GameOver):
                self._winner = self._won(ruling)
        self.now = self._of(position)

    def _of(self, position: Position) -> dict[str, Any]:
        seat, fault = position.turn, self._fault
        return {
            "phase": position.phase,
            "turn": None if seat is None else self._names[seat],
            "seat": seat,
            "direction": position.direction,
            "color": position.color,
            "up_card": position.top,
            "round": self._rounds.number,
            "cards": list(position.hands),
            "draw_pile": position.draw_pile,
            "scores": list(position.scores),
            "fault": None if fault is None else f"{fault.device}: {fault.kind}",
            "remedy": None if fault is None else alarms.problem_text(fault.device, fault.kind),
            "winner": self._winner if position.phase == "game_over" else None,
        }

    def _won(self, ruling: GameOver) -> str:
        if ruling.team is not None:
            return accounts(self._header)[ruling.team]
        seats = ruling.seats or (() if ruling.seat is None else (ruling.seat,))
        return " & ".join(self._names[seat] for seat in seats)


def event(ruling: Ruling, explainer: Explainer) -> dict[str, Any]:
    """A ruling as an event: its name as ``event_type``, its fields, and ``text`` in everyday words."""
    said = ruling.to_json()
    return {"event_type": said.pop("ruling"), **said, "text": explainer.said(ruling).text}
