"""Players who leave, join, swap seats or change their names while a game goes on.

No sheet speaks of it, so these are the table's own rules. The table log has such a change as an ``overrule`` that
sets the position (``out`` is a seat where nobody plays), with who did what in ``player``:

- **Leave**: the cards go under the draw pile, and what the seat owes is waived. What waits for the seat goes on to the
  next: its turn, a stack to answer, a hand to be shown to it. A draw card of its own that waits for an answer is taken;
  after a wild of its own without a color any card fits; a seven of its own swaps nothing. After a round the hand stays,
  since it counts.
- **Join**: the seat owes an opening hand, so the shoe deals it. Who comes back keeps the points, a new player has none.
- **Swap**: hand, call, points, turn and deal go with the player; the other seat may be free.
- **Rename**: nothing but the name changes.

What cannot be settled at once is refused with the reason, such as a swap while one of the two owes cards.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any, Final

from croupier_rules.cards import UNKNOWN
from croupier_rules.errors import CannotCorrect, marked
from croupier_rules.referee.fields import PositionFields
from croupier_rules.referee.header import Header
from croupier_rules.referee.observations import Overrule, PlayerChange
from croupier_rules.referee.position import table_to_json
from croupier_rules.referee.table import Table
from croupier_rules.referee.transitions import (
    CHALLENGE,
    COLOR,
    DEAL,
    DRAWN,
    GAME_OVER,
    PICK,
    REDEAL,
    ROUND_OVER,
    STACK,
    TURN,
    UPCARD,
)

_AT_AN_END: Final = (ROUND_OVER, GAME_OVER)
_MAY_JOIN: Final = (PICK, DEAL, UPCARD, TURN, DRAWN, *_AT_AN_END)
_MAY_SWAP: Final = (PICK, DEAL, UPCARD, TURN, *_AT_AN_END)


Fields = dict[str, Any]


def fields_after(table: Table, change: PlayerChange) -> Fields:
    """The fields of the position that ``change`` sets.

    Raises:
        CannotCorrect: it cannot be now; with the reason.
    """
    seat, other = change.seat, change.with_
    if change.does == "rename":
        return {}
    if other is not None:
        fields = _swapped(table, seat, other)
    elif change.does == "leave":
        fields = _left(table, seat)
    else:
        fields = _joined(table, seat, is_new=change.name is not None)
    if table.paused and "phase" in fields:
        fields |= {"phase": "paused", "resumes": fields["phase"]}
    return fields


def free_seats(header: Header, position: PositionFields) -> tuple[int, ...]:
    """The seats at which nobody sits in a ``position``: those that are out, but not eliminated, nor for this round.

    Whose score is set to less than the limit after the elimination is not told from somebody who left. Where nobody
    could play then, the seats are free that were so at first.
    """
    limit, aside = header.options.limit, position.get("knocked_out", ())
    out = (seat for seat in position["out"] if seat not in aside)
    free = tuple(seat for seat in out if limit is None or position["scores"][seat] < limit)
    return free if len(free) <= len(header.seats) - 2 else tuple((header.given or {}).get("out", ()))


def with_free_seats(header: Header, names: tuple[str, ...], free: Collection[int]) -> Header:
    """``header`` for a game of the players ``names``; nobody sits at the ``free`` seats, and none of them deals."""
    if not free:
        return replace(header, seats=names, given=None)
    dealer, n = header.dealer, len(names)
    if dealer is not None:
        dealer = next((seat % n for seat in range(dealer, dealer + n) if seat % n not in free), dealer)
    given = PositionFields(phase="pick" if dealer is None else "deal", out=sorted(free))
    return replace(header, seats=names, dealer=dealer, given=given)


def undo(change: PlayerChange, before: Table, after: Table) -> Overrule:
    """Return the observation that undoes ``change``: the position ``before`` it as far as it differs from that
    ``after`` it."""
    was, is_ = table_to_json(before), table_to_json(after)
    fields = {name: value for name, value in was.items() if name != "remembered" and is_.get(name) != value}
    if "resumes" in fields:
        fields["phase"] = was["phase"]
    if change.with_ is None:
        does = "join" if change.does == "leave" else "leave"
        change = PlayerChange(does, change.seat, name=before.names[change.seat])
    return Overrule(0.0, set=fields, player=change)


def _left(table: Table, seat: int) -> Fields:
    now, phase, after = table_to_json(table), table.phase, table.transitions.after[table.direction]
    next_ = after[seat]
    if table.out >> seat & 1:
        raise _refused(table, seat, marked("{name} does not play."))
    if len(table.transitions.players) <= 2:
        raise _refused(table, seat, marked("Only two play: if {name} leaves, the game ends."))
    if phase == REDEAL:
        raise _refused(table, seat, marked("{name} can leave when the hands have been dealt."))
    if phase == CHALLENGE and seat == table.turn and table.went_out != UNKNOWN:
        raise _refused(table, seat, marked("{name} can leave when the last card has been answered."))
    owed = {other: n for other, n in now["owed"].items() if int(other) != seat}
    fields: Fields = {"out": sorted({*now["out"], seat}), "owed": owed}
    if phase in _AT_AN_END:
        return fields
    fields |= {
        "hands": [0 if other == seat else n for other, n in enumerate(table.hands)],
        "known": {other: cards for other, cards in now["known"].items() if int(other) != seat},
        "draw_pile": table.draw_pile + table.hands[seat],
        "called": [other for other in now["called"] if other != seat],
        "catchable": [other for other in now["catchable"] if other != seat],
    }
    if phase in (DEAL, UPCARD) and seat == table.dealer:
        fields["dealer"] = next_
    size = table.constants.hand_size
    if phase == DEAL and fields["hands"].count(size) == len(table.transitions.players) - 1:
        fields["phase"] = "upcard"
    waits = table.stack or table.cards.draws.get(table.up.effect, 0)
    if (phase == CHALLENGE and seat == table.turn) or (phase == STACK and seat == table.accused):
        # Who has to answer the card takes what it makes draw.
        debtor = next_ if phase == CHALLENGE else table.turn
        fields |= _taken(owed, debtor, waits) | {"phase": "turn", "turn": after[debtor]}
    elif phase == COLOR and seat == table.turn and waits:
        fields |= _taken(owed, next_, waits) | {"phase": "turn", "turn": after[next_]}
    elif seat == table.turn and phase == STACK:
        fields["turn"] = next_
    elif seat == table.turn:
        fields |= {"phase": "turn", "turn": next_}
    return fields


def _taken(owed: dict[str, int], debtor: int, n: int) -> Fields:
    return {"owed": owed | {str(debtor): owed.get(str(debtor), 0) + n}}


def _joined(table: Table, seat: int, *, is_new: bool) -> Fields:
    now, phase, n = table_to_json(table), table.phase, table.constants.hand_size
    account, limit = table.constants.team_of.get(seat, seat), table.constants.options.limit
    if not table.out >> seat & 1:
        raise _refused(table, seat, marked("{name} plays already."))
    if phase not in _MAY_JOIN:
        raise _refused(table, seat, marked("{name} can join when the last card has been answered."))
    if table.knocked_out >> seat & 1 or (limit is not None and table.scores[account] >= limit and not is_new):
        raise _refused(table, seat, marked("{name} has been eliminated."))
    fields: Fields = {"out": [other for other in now["out"] if other != seat]}
    if is_new and not table.constants.team_of and table.scores[seat]:
        fields["scores"] = [0 if other == seat else total for other, total in enumerate(table.scores)]
    if phase in (TURN, DRAWN):
        if table.draw_pile + max(table.discard_pile - 1, 0) < n:
            raise _refused(table, seat, marked("Too few cards are left: {name} can join in the next round."))
        fields["owed"] = now["owed"] | {str(seat): n}
    if phase == UPCARD:
        fields["phase"] = "deal"
    return fields


def _swapped(table: Table, seat: int, other: int) -> Fields:
    now, phase, teams = table_to_json(table), table.phase, table.constants.team_of
    if seat == other:
        raise _refused(table, seat, marked("{name} sits there already."))
    if phase not in _MAY_SWAP or (phase == DEAL and any(table.hands)):
        raise _refused(table, seat, marked("{name} can change seats when the last card has been answered."))
    for one in (seat, other):
        if table.owed[one]:
            raise _refused(table, one, marked("{name} is to draw first."))
    if teams and teams[seat] != teams[other]:
        raise _refused(table, seat, marked("{name} has a partner: only partners can swap seats."))
    if phase == ROUND_OVER and table.constants.target is not None and not table.scored:
        raise _refused(table, seat, marked("{name} can change seats when the points have been counted."))
    place = {seat: other, other: seat}
    fields: Fields = {"known": {str(place.get(int(one), int(one))): cards for one, cards in now["known"].items()}}
    for name, seats in (("out", now["out"]), ("called", now["called"]), ("catchable", now["catchable"])):
        fields[name] = sorted(place.get(one, one) for one in seats)
    if table.knocked_out:
        fields["knocked_out"] = sorted(place.get(one, one) for one in now["knocked_out"])
    for name, counts in (("hands", now["hands"]),) if teams else (("hands", now["hands"]), ("scores", now["scores"])):
        fields[name] = [counts[place.get(one, one)] for one in range(table.constants.seats)]
    fields |= {name: place[at] for name, at in (("dealer", now["dealer"]), ("turn", now["turn"])) if at in place}
    return fields


def _refused(table: Table, seat: int, why: str) -> CannotCorrect:
    return CannotCorrect(why, name=table.names[seat])
