"""Start of a round: who deals, the opening hands, the first card."""

from __future__ import annotations

from croupier_rules.cards import PLAIN, UNKNOWN
from croupier_rules.referee.end_of_round import next_round
from croupier_rules.referee.observations import Dealt, Pick, Upcard
from croupier_rules.referee.rulings import (
    CannotTell,
    ColorIs,
    Dealer,
    Mismatch,
    PickAgain,
    ReturnCard,
    Rulings,
    in_order,
)
from croupier_rules.referee.table import Table, refuse, take, too_often
from croupier_rules.referee.transitions import COLOR, DEAL, PICK, ROUND_OVER, UPCARD
from croupier_rules.rules import UNWRITTEN
from croupier_rules.rules.card_tables import (
    NOTHING,
)

_NOT_ASKED = None
_NO_NUMBER = -2  # An action card, where it does not even count as zero.


def pick(table: Table, obs: Pick) -> Rulings:
    """A card drawn to choose the dealer: the highest number deals, a tie is picked again (``dealer.pick``)."""
    rules, seat = table.constants.rules, obs.seat
    if table.phase != PICK:
        return refuse(table, seat, "wrong-phase", card=obs.card)
    if table.picks[seat] != UNKNOWN:
        return refuse(table, seat, "not-your-turn", card=obs.card)
    kind = obs.kind
    if kind == UNKNOWN:
        again = PickAgain(rules.basis("dealer.pick", "unread"), (seat,))
        return in_order(again, CannotTell(rules.basis("dealer.pick", "unread"), "play", (seat,)))
    table.picks[seat] = kind
    picked = {other: card for other in table.transitions.players if (card := table.picks[other]) is not _NOT_ASKED}
    if UNKNOWN in picked.values():
        return ()
    numbers = {other: _number(table, card) for other, card in picked.items()}
    highest = tuple(other for other, n in numbers.items() if n == max(numbers.values()))
    if len(highest) > 1:
        table.picks = [UNKNOWN if other in highest else _NOT_ASKED for other in range(table.constants.seats)]
        return (PickAgain(rules.basis("dealer.pick", "tie"), highest),)
    table.dealer = highest[0]
    table.phase = DEAL
    part = "action" if any(table.cards.is_special[kind] for kind in picked.values()) else "all"
    return (Dealer(rules.basis("dealer.pick", part), highest[0]),)


def _number(table: Table, kind: int) -> int:
    if not table.cards.is_special[kind]:
        return table.cards.number_of[kind]
    return _NO_NUMBER if table.constants.rules.value("dealer.pick") == "highest-actions-not-counted" else 0


def _may_follow(table: Table) -> bool:
    """True if another round may follow: also after a round that is a game ("shuffle and play again", ``goal``)."""
    return table.phase == ROUND_OVER or table.constants.is_round_the_game


def dealt(table: Table, obs: Dealt) -> Rulings:
    """Cards of the opening deal reached a seat; with the last of them the first card may be turned up."""
    rulings = next_round(table) if table.phase >= ROUND_OVER and _may_follow(table) else ()
    seat, size = obs.seat, table.constants.hand_size
    if table.phase != DEAL:
        return (*rulings, *refuse(table, seat, "wrong-phase"))
    if table.out >> seat & 1 or table.hands[seat] + obs.n > size:
        expected = 0 if table.out >> seat & 1 else size
        return (*rulings, Mismatch(UNWRITTEN, "hand", expected, table.hands[seat] + obs.n))
    if mismatch := take(table, seat, obs.n, obs.cards):
        return (*rulings, mismatch)
    if table.hands.count(size) == len(table.transitions.players):
        table.phase = UPCARD
    return rulings


def upcard(table: Table, obs: Upcard) -> Rulings:
    """The first card is turned up: it begins the discard pile, has its effect, or goes back (``start.*``).

    Where no deal was reported (people deal, and only the discard pile is watched), every seat holds its seven cards.
    """
    rulings = next_round(table) if table.phase >= ROUND_OVER and _may_follow(table) else ()
    if table.phase == DEAL:
        if any(table.hands):
            return in_order(*rulings, *_misdealt(table))
        for seat in table.transitions.players:
            take(table, seat, table.constants.hand_size, ())
        table.phase = UPCARD
    if table.phase != UPCARD or table.dealer is None:
        return (*rulings, *refuse(table, table.speaker, "wrong-phase", card=obs.card))
    kind = obs.kind
    if kind == UNKNOWN:
        return in_order(*rulings, CannotTell(UNWRITTEN, "play", ()))
    if not table.unseen[PLAIN[kind]]:
        return in_order(*rulings, too_often(table, PLAIN[kind]))
    effect = table.cards.effect_of[kind]
    rule = table.cards.start_rule.get(effect, "start.first_player")
    to = "effect" if effect == NOTHING else table.constants.rules.value(rule)
    if to not in ("effect", "plain"):
        if to == "aside":
            table.place_known((kind,))
            table.draw_pile -= 1
        return in_order(*rulings, ReturnCard(table.constants.rules.basis(rule), obs.card, str(to)))
    table.place_known((kind,))
    table.draw_pile -= 1
    table.up = table.cards.up_cards[kind][table.cards.printed_color_of[kind]]
    transition = table.transitions.first(NOTHING if to == "plain" else effect, table.dealer)
    table.enter(transition)
    table.is_first_wild = table.phase == COLOR
    if table.up.color != table.cards.no_color:
        rulings += (ColorIs(table.constants.rules.basis("match.basic"), obs.card.partition("-")[0]),)
    return rulings + transition.rulings


def _misdealt(table: Table) -> Rulings:
    """The seats that do not hold the cards of an opening hand."""
    size = table.constants.hand_size
    return tuple(
        Mismatch(UNWRITTEN, "hand", size, table.hands[seat])
        for seat in table.transitions.players
        if table.hands[seat] != size
    )
