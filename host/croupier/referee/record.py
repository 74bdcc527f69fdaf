"""The record itself: hands that are shown, trouble and going on, and reports on what the document does not play."""

from __future__ import annotations

from collections import Counter

from croupier.referee.book import KIND_SEEN, UNKNOWN
from croupier.referee.ending import settle
from croupier.referee.observations import Acted, Decline, Fault, Hint, HouseRule, Redealt, Resumed, Shown, Tick
from croupier.referee.phases import CHALLENGE
from croupier.referee.piles import too_many
from croupier.referee.rulings import CannotTell, HouseRuleIs, Illegal, Mismatch, Rulings, Void
from croupier.referee.table import Table
from croupier.referee.wild import judge
from croupier.rules import UNWRITTEN


def shown(table: Table, obs: Shown) -> Rulings:
    """A hand was shown: its faces are known now, and answer a challenge or the question of the points."""
    seat, cards = obs.seat, obs.cards
    if len(cards) != table.hands[seat]:
        return (Mismatch(UNWRITTEN, "hand", table.hands[seat], len(cards)),)
    kinds = tuple([kind for card in cards if (kind := KIND_SEEN[card]) != UNKNOWN])
    unread = len(cards) - len(kinds)
    new, gone = Counter(kinds) - Counter(table.known[seat]), Counter(table.known[seat]) - Counter(kinds)
    if gone.total() > unread:
        # A face that the record has in this hand is not there.
        kind = next(iter(gone))
        held = table.known[seat].count(kind)
        return (Mismatch(UNWRITTEN, "card", held, held - gone[kind]),)
    if mismatch := too_many(table, tuple(new.elements())):
        return (mismatch,)
    table.locate(tuple(new.elements()))
    table.known[seat] += tuple(new.elements())
    if table.phase == CHALLENGE and seat == table.turn and table.challenger != UNKNOWN:
        return judge(table, cards)
    doubt: Rulings = ()
    if unread and len(table.known[seat]) < table.hands[seat]:
        doubt = (CannotTell(UNWRITTEN, "play", (seat,)),)
    return doubt or settle(table)


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
