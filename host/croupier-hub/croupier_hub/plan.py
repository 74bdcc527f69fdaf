"""Plans of a tournament: its form, its rounds so far, how even they are, and its JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from croupier.errors import one_line
from croupier.i18n import language
from croupier_hub import EIGHT, ELIMINATION, FOUR, PARTNERS, SWISS
from croupier_hub.evenness import Evenness, measure
from croupier_hub.search import Round, Table
from croupier_rules.rules import names
from croupier_rules.rules.ruleset import printed

PAIRED: Final = (FOUR, EIGHT, PARTNERS)
BY_SCORE: Final = (ELIMINATION, SWISS)
"""Formats of which only the next round can be planned, from the scores."""

LEAST_SEATS, USUAL_SEATS, MOST_SEATS = 2, 4, 10
"""Players at a table."""

MOST: Final = 1000
"""Players or rounds of a plan."""


@dataclass(frozen=True)
class PlannedRound:
    """Tables with players clockwise, numbered from 0; ``byes``: who waits. ``is_final``: it decides the tournament."""

    tables: Round
    byes: Table = ()
    is_final: bool = False


@dataclass(frozen=True)
class Plan:
    """``names``: of the players, or empty. ``tables``: the most tables, or None. ``length``: rounds before a final;
    None where the game decides. ``reasons``: why it is seated like this, for people. ``winners``: who has won."""

    form: str
    players: int
    rounds: tuple[PlannedRound, ...]
    names: tuple[str, ...] = ()
    tables: int | None = None
    seed: int = 1
    length: int | None = None
    reasons: tuple[str, ...] = ()
    winners: Table = ()

    @property
    def has_partners(self) -> bool:
        """True if the players across from each other are partners."""
        return self.form in PAIRED

    @cached_property
    def evenness(self) -> Evenness:
        """How even the rounds are."""
        rounds = [one.tables for one in self.rounds]
        byes = [sum(player in one.byes for one in self.rounds) for player in range(self.players)]
        even = measure(self.players, rounds, partners=self.has_partners)
        return replace(even, byes=(min(byes), max(byes)))

    def name(self, player: int) -> str:
        """Return the name of a player, else the number."""
        return one_line(self.names[player]) if self.names else str(player)

    def teams(self, table: Table) -> list[list[int]]:
        """Return the pairs of partners at a table; none where everybody plays alone."""
        return [[table[0], table[2]], [table[1], table[3]]] if self.has_partners else []

    def to_json(self) -> dict[str, Any]:
        """The plan as `croupier tournament plan --json` prints it."""
        even = self.evenness
        rounds = [
            {"round": number, "tables": [
                {"table": at, "seats": list(table), "teams": self.teams(table)}
                for at, table in enumerate(one.tables, start=1)
            ], "byes": list(one.byes)} | ({"final": True} if one.is_final else {})
            for number, one in enumerate(self.rounds, start=1)
        ]  # fmt: skip
        data = {"format": self.form, "players": self.players, "rounds": rounds}
        data["evenness"] = {
            "partner": list(even.partner), "opponent": list(even.opponent), "left": list(even.left),
            "byes": list(even.byes), "moves": list(even.moves),
        }  # fmt: skip
        more = {"names": list(self.names), "tables": self.tables, "length": self.length, "winners": list(self.winners)}
        return data | {name: value for name, value in more.items() if value} | {
            "reasons": list(self.reasons), "seed": self.seed
        }  # fmt: skip


def table_sizes(form: str, players: int, tables: int | None) -> list[int]:
    """Return the number of players at each table: four where they are partners, else as equal as can be."""
    if form in PAIRED:
        return [USUAL_SEATS] * (tables or players // USUAL_SEATS)
    usual = 1 if players <= (MOST_SEATS if form == ELIMINATION else USUAL_SEATS + 1) else -(-players // USUAL_SEATS)
    count = min(tables or usual, players // LEAST_SEATS)
    seated = min(players, count * MOST_SEATS)
    return [seated // count + (table < seated % count) for table in range(count)]


def waiting(players: Sequence[int], tables: Round) -> Table:
    """Return who of ``players`` sits at no table."""
    seated = {player for table in tables for player in table}
    return tuple(player for player in players if player not in seated)


def sentence(rule: str) -> str:
    """Return what the sheet says on a rule, and how we read it, in the reader's language or else in English."""
    sheet = printed(name if (name := f"g7942-{language()}") in names() else "g7942-en")
    basis = sheet.basis(rule)
    return " ".join(filter(None, (f"{sheet.title}: “{basis.quote}”", basis.proposed)))
