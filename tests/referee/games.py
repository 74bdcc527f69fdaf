"""Random games for the properties: everything that was reported and ruled, and the table it was reported at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from croupier_rules.referee import Header, Observation, Options, Referee, Rulings
from croupier_rules.referee.fields import PositionFields
from croupier_rules.referee.observations import Dealt, Drew
from croupier_rules.referee.rulings import GameOver
from croupier_rules.rules import load
from croupier_sim.random_play import RandomTable

Look = Callable[[Observation, Rulings, Referee], None]


def header(seats: int = 4, **more: Any) -> Header:
    """A table of g7942-en; the last seat deals."""
    options = Options(**more.pop("options", {}))
    names = tuple(f"Player {seat}" for seat in range(seats))
    return Header(ruleset=load("g7942-en"), seats=names, dealer=seats - 1, options=options, **more)


def on_the_table(position: PositionFields) -> dict[str, Any]:
    """The position without what the referee remembers beside it."""
    return {name: value for name, value in position.items() if name != "remembered"}


def untimed(value: Any) -> Any:
    """A position without the times of the reports in it, and how certain they are: a correction repeats them later."""
    if isinstance(value, dict):
        return {name: untimed(one) for name, one in value.items() if "obs" not in value or name not in ("t", "u")}
    return [untimed(one) for one in value] if isinstance(value, list) else value


class Watched:
    """Random rounds, each step of which is looked at; with ``open_hands`` every card dealt or drawn is seen."""

    def __init__(self, header: Header, seed: int, look: Look | None = None, *, open_hands: bool = False) -> None:
        self.log: list[tuple[Observation, Rulings]] = []
        watched = self

        class Watching(Referee):
            def observe(self, observation: Observation) -> Rulings:
                if open_hands:
                    observation = watched._with_faces(observation)
                rulings = super().observe(observation)
                watched.log.append((observation, rulings))
                if look is not None:
                    look(observation, rulings, self)
                return rulings

        self.table = RandomTable(header, seed, Watching)

    def _with_faces(self, observation: Observation) -> Observation:
        if isinstance(observation, Dealt | Drew):
            hand = self.table._hands[observation.seat]
            return replace(observation, cards=tuple(hand[-observation.n :]))
        return observation

    def play(self, rounds: int = 1) -> list[tuple[Observation, Rulings]]:
        """Play rounds of one game, which may end with any of them; the log so far."""
        for _ in range(rounds):
            self.table.play_round()
            if any(isinstance(ruling, GameOver) for ruling in self.log[-1][1]):
                break
        return self.log
