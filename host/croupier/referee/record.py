"""The record itself: hands that are shown, trouble and going on, and reports on what the document does not play."""

from __future__ import annotations

from croupier.referee.book import UNKNOWN
from croupier.referee.ending import settle
from croupier.referee.observations import Acted, Decline, Fault, Hint, HouseRule, Redealt, Resumed, Shown, Tick
from croupier.referee.phases import CHALLENGE
from croupier.referee.piles import kinds_of, see
from croupier.referee.rulings import CannotTell, HouseRuleIs, Illegal, Mismatch, Rulings, Void
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
    if table.phase == CHALLENGE and seat == table.turn and table.challenger != UNKNOWN:
        return judge(table, cards)
    if len(table.known[seat]) < table.hands[seat]:
        return (CannotTell(UNWRITTEN, "play", (seat,)),)
    return settle(table)


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


def redealt(table: Table, obs: Redealt) -> Rulings:
    """Cards dealt after Shuffle Hands, which is not on."""
    return (Illegal(UNWRITTEN, obs.seat, "wrong-phase"),)


def house_rule(table: Table, obs: HouseRule) -> Rulings:
    """A rule invented at the table, which the document does not provide for."""
    return (HouseRuleIs(UNWRITTEN, obs.number, "refused", obs.text),)


def not_in_document(table: Table, obs: Acted | Hint) -> Rulings:
    """Something of which the document does not speak."""
    return (Void(UNWRITTEN, obs.seat, "not-in-document"),)


def decline(table: Table, obs: Decline) -> Rulings:
    """No rule is made."""
    return ()
