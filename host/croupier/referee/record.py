"""The record itself: hands that are shown, trouble and going on, and reports on what the document does not play."""

from __future__ import annotations

from croupier.referee.book import UNKNOWN
from croupier.referee.ending import settle
from croupier.referee.observations import Fault, Hint, Resumed, Shown, Tick
from croupier.referee.phases import CHALLENGE, DRAWN, HAS_TURN
from croupier.referee.piles import kinds_of, penalize, see
from croupier.referee.rulings import CannotTell, Illegal, Mismatch, Rulings, Void
from croupier.referee.table import Table
from croupier.referee.wild import judge
from croupier.rules import UNWRITTEN


def shown(table: Table, obs: Shown) -> Rulings:
    """A hand was shown: its faces are known now, and answer a challenge or the question of the points."""
    seat, cards = obs.seat, obs.cards
    if len(cards) != table.hands[seat]:
        return (Mismatch(UNWRITTEN, "hand", table.hands[seat], len(cards)),)
    kinds = kinds_of(cards)
    known = table.known[seat]
    new = kinds
    if known:
        rest = list(kinds)
        missing = [kind for kind in known if not _removed(rest, kind)]
        if len(missing) > len(cards) - len(kinds):
            # The record has a face in this hand that is not there.
            return (Mismatch(UNWRITTEN, "card", known.count(missing[0]), kinds.count(missing[0])),)
        new = tuple(rest)
    if mismatch := see(table, new):
        return (mismatch,)
    table.known[seat] = known + new
    if table.phase == DRAWN and seat == table.turn and table.drawn == UNKNOWN and len(known) < table.hands[seat]:
        _look_for_drawn(table, known, new)
    if table.phase == CHALLENGE and seat == table.turn and table.challenger != UNKNOWN:
        return judge(table, cards)
    if len(table.known[seat]) < table.hands[seat]:
        return (CannotTell(UNWRITTEN, "play", (seat,)),)
    return settle(table)


def _look_for_drawn(table: Table, known: tuple[int, ...], new: tuple[int, ...]) -> None:
    """The hand was shown after a draw that nobody saw: the card drawn is one of those not known before."""
    if table.held is None:
        table.held = known
        if len(new) == 1 and len(known) + 1 == table.hands[table.turn]:
            table.drawn = new[0]


def _removed(kinds: list[int], kind: int) -> bool:
    if kind in kinds:
        kinds.remove(kind)
        return True
    return False


def fault(table: Table, obs: Fault) -> Rulings:
    """The machine reports trouble: play is paused."""
    table.paused = True
    return ()


def resumed(table: Table, obs: Resumed) -> Rulings:
    """Play goes on where it was."""
    table.paused = False
    return ()


def tick(table: Table, obs: Tick) -> Rulings:
    """Time passed; no document sets a limit."""
    return ()


def hint(table: Table, obs: Hint) -> Rulings:
    """A seat told another what to play: where the document speaks of it, it draws (``penalty.hint``)."""
    rules, seat = table.book.rules, obs.seat
    if rules.value("penalty.hint") == "none":
        return (Void(UNWRITTEN, seat, "not-in-document"),)
    if table.phase not in HAS_TURN or table.out >> seat & 1:
        return (Illegal(UNWRITTEN, seat, "wrong-phase"),)
    return penalize(table, rules.basis("penalty.hint"), seat, rules.number("penalty.hint"), "hint")
