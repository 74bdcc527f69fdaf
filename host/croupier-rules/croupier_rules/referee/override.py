"""Reports about the record itself: hands shown, faults and pauses, hints, and fields that a person overrides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from croupier_rules.cards import PLAIN, UNKNOWN
from croupier_rules.referee import own_cards, own_rules, stack, transitions
from croupier_rules.referee.end_of_round import settle
from croupier_rules.referee.observations import Fault, Hint, Resumed, Shown, Tick
from croupier_rules.referee.position import table_from_json, table_to_json
from croupier_rules.referee.rulings import (
    CannotTell,
    ChooseColor,
    ChooseSeat,
    ChooseTarget,
    Mismatch,
    Rulings,
    Turn,
    Void,
)
from croupier_rules.referee.table import Table, kinds_of, known_as, penalize, refuse, see
from croupier_rules.referee.wild import judge, redeal_awaited, show_hand
from croupier_rules.rules import UNWRITTEN

_OF_THE_TURN: Final = (
    *("drawn", "drew_by_need", "held", "is_first_wild", "up_before", "challenger", "since_touch", "settled"),
    *("stacked", "laid", "begun", "turned_up"),
)
_OF_THE_ROUND: Final = ("went_out", "last_served", "scored", "picks", "touched")
_OF_THE_HOUSE: Final = ("rule_card", "running", "acted")


def corrected(table: Table, fields: Mapping[str, Any]) -> Table:
    """Return the table with these ``fields`` of its position replaced. All other state stays, also state that a
    position does not show.

    A new up-card brings its color, unless that is set too. Where a running round is set to be over, or cards were
    counted in the hand of who went out, the one seat that then holds no card went out; where none or several do,
    nobody, and no points are counted.

    Raises:
        BadLog: the position cannot be; ``table`` is as it was.
    """
    before = table_to_json(table) | {"phase": transitions.PHASES[table.phase]}
    before.pop("resumes", None)
    before.pop("remembered", None)  # carried over below, as far as it still holds
    if "phase" in fields:
        before.pop("stack", None)
    if not str(fields.get("top", "wild")).startswith("wild"):
        del before["color"]
    if table.phase == transitions.PICK and fields.get("dealer") is not None:
        before["phase"] = transitions.PHASES[transitions.DEAL]
    new = table_from_json(table.constants, before | dict(fields), "overrule: set")
    if "phase" not in fields:
        new.pause(table.paused)
    new.names = table.names
    if fields.get("remembered") is not None:
        return new
    is_same_question = new.phase == transitions.STACK and new.accused == table.accused
    if new.phase == table.phase and (new.turn == table.turn or is_same_question):
        _carry(_OF_THE_TURN, table, new)
        if new.challenger != UNKNOWN and new.out >> new.challenger & 1:
            new.challenger = UNKNOWN
    if new.phase == table.phase:
        _carry(_OF_THE_ROUND, table, new)
        new.scored |= fields.keys() & {"scores", "out"} == {"scores"} and transitions.PHASES[new.phase] == "round_over"
        if "out" in fields:
            new.picks = [UNKNOWN] * table.constants.seats
        if "hands" not in fields:
            new.to_deal = table.to_deal
    is_over_now = new.phase == transitions.ROUND_OVER and table.phase not in (
        transitions.ROUND_OVER,
        transitions.GAME_OVER,
    )
    if is_over_now:
        new.scored = "scores" in fields
    if is_over_now or (new.phase == transitions.ROUND_OVER and new.went_out != UNKNOWN and new.hands[new.went_out]):
        empty = [seat for seat in new.transitions.players if not new.hands[seat]]
        new.went_out = empty[0] if len(empty) == 1 else UNKNOWN
    if "out" in fields:
        new.laid = None
    elif table.phase in transitions.HAS_TURN and new.phase in transitions.HAS_TURN:
        _carry(_OF_THE_HOUSE, table, new)
    if new.phase == transitions.DRAWN:
        if new.drawn not in new.known[new.turn]:
            new.drawn = UNKNOWN
        if fields.keys() & {"top", "color"}:  # the seat looked at another up-card than the record had
            new.drew_by_need = None
        _look_for_drawn(new)
    _remember_discards(table, new)
    return new


def _carry(names: tuple[str, ...], table: Table, new: Table) -> None:
    for name in names:
        setattr(new, name, getattr(table, name))


def _remember_discards(table: Table, new: Table) -> None:
    """The faces under the up-card are still known, unless the corrected position leaves no room for them."""
    seen = Counter({kind: n - table.unseen[kind] for kind, n in enumerate(table.constants.deck)})
    seen.subtract(PLAIN[kind] for known in table.known for kind in known)
    if table.up.kind != UNKNOWN:
        seen[PLAIN[table.up.kind]] -= 1
    under = +seen
    if under.total() < new.discard_pile and all(n <= new.unseen[kind] for kind, n in under.items()):
        new.place_known(tuple(under.elements()))


def awaited(table: Table) -> Rulings:
    """Return what the table waits for, as far as a ruling says it."""
    if table.phase == transitions.CHALLENGE:
        if table.challenger != UNKNOWN:
            return (show_hand(table),)
        return (table.transitions.may_challenge[table.direction][table.turn],)
    if table.phase == transitions.COLOR:
        rule = "start.wild.who_names_color" if table.is_first_wild else "card.wild.current_color"
        is_own = table.cards.effects[table.up.effect].until_color
        basis = own_cards.basis(table) if is_own else table.constants.rules.basis(rule)
        return (ChooseColor(basis, table.turn),)
    if table.phase == transitions.STACK:
        return stack.ask(table)
    if table.phase == transitions.SWAP:
        return (ChooseSeat(own_rules.swap_basis(table), table.turn),)
    if table.phase == transitions.TARGET:
        return (ChooseTarget(own_cards.basis(table), table.turn),)
    if table.phase in (transitions.DISCARD, transitions.ROULETTE):
        return (own_cards.awaited(table),)
    if table.phase == transitions.REDEAL:
        return redeal_awaited(table)
    if table.phase in transitions.HAS_TURN:
        return (Turn(UNWRITTEN, table.turn, transitions.DIRECTIONS[table.direction]),)
    return settle(table)


def shown(table: Table, obs: Shown) -> Rulings:
    """A hand was shown: its faces are known now, and answer a challenge or the question of the points."""
    seat, cards = obs.seat, obs.cards
    if len(cards) != table.hands[seat]:
        return (Mismatch(UNWRITTEN, "hand", table.hands[seat], len(cards)),)
    new = kinds = kinds_of(cards)
    known = table.known[seat]
    missing: tuple[int, ...] = ()
    if known:
        new, missing = _compared(known, kinds)
    if len(missing) > len(cards) - len(kinds):
        # The record has a face in this hand that is not there.
        plain = PLAIN[missing[0]]
        return (Mismatch(UNWRITTEN, "card", _count(known, plain), _count(kinds, plain)),)
    if mismatch := see(table, new):
        return (mismatch,)
    table.known[seat] = kinds + missing
    if table.phase == transitions.DRAWN and seat == table.turn:
        _look_for_drawn(table)
    if table.phase == transitions.CHALLENGE and seat == table.turn and table.challenger != UNKNOWN:
        return judge(table, cards)
    if len(table.known[seat]) < table.hands[seat]:
        return (CannotTell(UNWRITTEN, "play", (seat,)),)
    return settle(table)


def _compared(known: tuple[int, ...], kinds: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Which of the cards that are seen (``kinds``) were not known before, and which that were are not seen now."""
    new, missing = list(kinds), []
    # The very face goes before its like, which is another by the icon alone.
    for kind in sorted(known, key=lambda kind: kind not in kinds):
        like = known_as(new, kind)
        if like != UNKNOWN:
            new.remove(like)
        else:
            missing.append(kind)
    return tuple(new), tuple(missing)


def _count(kinds: tuple[int, ...], plain: int) -> int:
    return [PLAIN[kind] for kind in kinds].count(plain)


def _look_for_drawn(table: Table) -> None:
    """The hand was told after a draw: if nobody saw the card drawn, it is one of those not known before."""
    now = table.known[table.turn]
    if table.drawn != UNKNOWN:
        table.drawn = known_as(now, table.drawn)
        return
    new, missing = _compared(table.held, now)
    held = list(now)
    for kind in new:
        held.remove(kind)
    table.held = tuple(held)
    if missing:  # the record of the hand before the draw was wrong
        table.held, table.drew_by_need = (), None
    if len(new) == 1 and len(now) == table.hands[table.turn]:
        table.drawn = new[0]


def fault(table: Table, obs: Fault) -> Rulings:
    """The machine reports trouble: play is paused."""
    table.pause(True)
    return ()


def resumed(table: Table, obs: Resumed) -> Rulings:
    """Play goes on where it was."""
    table.pause(False)
    return ()


def tick(table: Table, obs: Tick) -> Rulings:
    """Time passed; no document sets a limit."""
    return ()


def hint(table: Table, obs: Hint) -> Rulings:
    """A seat told another what to play: where the document speaks of it, it draws (``penalty.hint``)."""
    rules, seat = table.constants.rules, obs.seat
    if rules.value("penalty.hint") == "none":
        return (Void(UNWRITTEN, seat, "not-in-document"),)
    if table.phase not in transitions.HAS_TURN or table.out >> seat & 1:
        return refuse(table, seat, "wrong-phase")
    return penalize(table, rules.basis("penalty.hint"), seat, rules.number("penalty.hint"), "hint")
