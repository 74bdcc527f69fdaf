"""A person corrects the record: fields of the position are set, and what is awaited is said again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from croupier.cards import PLAIN
from croupier.referee import position, redeal
from croupier.referee.end_of_round import settle
from croupier.referee.game_constants import UNKNOWN
from croupier.referee.phases import CHALLENGE, COLOR, DEAL, DRAWN, HAS_TURN, PHASES, PICK, REDEAL
from croupier.referee.rulings import ChooseColor, Rulings, Turn
from croupier.referee.table import Table
from croupier.referee.transitions import DIRECTIONS
from croupier.referee.wild import show_hand
from croupier.rules import UNWRITTEN

_OF_THE_TURN: Final = ("drawn", "drew_by_need", "opening", "up_before", "challenger")
_OF_THE_ROUND: Final = ("went_out", "last_served", "scored", "picks", "touched")
_OF_THE_HOUSE: Final = ("rule_card", "running", "acted")


def corrected(table: Table, fields: Mapping[str, Any]) -> Table:
    """The table with ``fields`` of its position set; the rest, and what a position does not tell, stays.

    A new up-card brings its color, unless that is set too.

    Raises:
        BadLog: the position cannot be; ``table`` is as it was.
    """
    before = position.to_json(table) | {"phase": PHASES[table.phase]}
    if not str(fields.get("top", "wild")).startswith("wild"):
        del before["color"]
    if table.phase == PICK and fields.get("dealer") is not None:
        before["phase"] = PHASES[DEAL]
    new = position.read(table.book, before | dict(fields), "overrule: set")
    if "phase" not in fields:
        new.paused = table.paused
    if (new.phase, new.turn) == (table.phase, table.turn):
        _carry(_OF_THE_TURN, table, new)
    if new.phase == table.phase:
        _carry(_OF_THE_ROUND, table, new)
        new.scored |= "scores" in fields
        if "hands" not in fields:
            new.to_deal = table.to_deal
    if table.phase in HAS_TURN and new.phase in HAS_TURN:
        _carry(_OF_THE_HOUSE, table, new)
    if new.phase == DRAWN and new.drawn not in new.known[new.turn]:
        new.drawn = UNKNOWN
    _remember_discards(table, new)
    return new


def _carry(names: tuple[str, ...], table: Table, new: Table) -> None:
    for name in names:
        setattr(new, name, getattr(table, name))


def _remember_discards(table: Table, new: Table) -> None:
    """The faces under the up-card are still known, unless the corrected position leaves no room for them."""
    seen = Counter({kind: n - table.unseen[kind] for kind, n in enumerate(table.book.deck)})
    seen.subtract(PLAIN[kind] for known in table.known for kind in known)
    if table.up.kind != UNKNOWN:
        seen[PLAIN[table.up.kind]] -= 1
    under = +seen
    if under.total() < new.discard_pile and all(n <= new.unseen[kind] for kind, n in under.items()):
        new.locate(tuple(under.elements()))


def awaited(table: Table) -> Rulings:
    """What the table waits for, as far as a ruling says so."""
    if table.phase == CHALLENGE:
        if table.challenger != UNKNOWN:
            return (show_hand(table),)
        return (table.circle.may_challenge[table.direction][table.turn],)
    if table.phase == COLOR:
        rule = "start.wild.who_names_color" if table.opening else "card.wild.current_color"
        return (ChooseColor(table.book.rules.basis(rule), table.turn),)
    if table.phase == REDEAL:
        return redeal.awaited(table)
    if table.phase in HAS_TURN:
        return (Turn(UNWRITTEN, table.turn, DIRECTIONS[table.direction]),)
    return settle(table)
