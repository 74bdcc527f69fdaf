"""Players who leave, join or swap seats, by the sentences in ``croupier/referee/players.py``."""

from __future__ import annotations

from typing import Any

from tests.slow_referee import ending
from tests.slow_referee.table import Table, team_of

BETWEEN_ROUNDS = ("round_over", "game_over")
IN_ORDER = ("pick", "deal", "upcard", "turn", *BETWEEN_ROUNDS)


def change(before: Table, what: dict[str, Any]) -> Table | None:
    """The table after a change; ``None`` where it cannot be now."""
    table, seat = before.copy(), what["seat"]
    may = {"leave": may_leave, "join": may_join, "swap": may_swap}[what["does"]]
    if not may(table, seat, what):
        return None
    on_turn = table.turn
    {"leave": leave, "join": join, "swap": swap}[what["does"]](table, seat, what)
    # What was between two touches is over: who laid the last card, and a rule of the house that runs.
    table.just_played = table.maker = table.running = None
    table.acted = []
    table.has_begun &= table.turn == on_turn
    table.picked = dict.fromkeys(table.players)
    if table.phase == "round_over":
        ending.count(table)
    return table


def may_leave(table: Table, seat: int, what: dict[str, Any]) -> bool:
    """Two are left that play, and the cards lie where they belong; a winner waits for the answer to the last card."""
    is_winner_asked = table.phase == "challenge" and seat == table.went_out
    return seat in table.players and len(table.players) > 2 and table.phase != "redeal" and not is_winner_asked


def leave(table: Table, seat: int, what: dict[str, Any]) -> None:
    after, direction = table.next_to(seat), table.direction
    makes_draw = table.cards.makes_draw(table.top) if table.top else 0
    waits = table.phase in ("color", "challenge") and makes_draw > 0
    is_own_card = seat == table.accused and (waits or table.phase == "stack")
    n = table.stack or makes_draw
    table.out.add(seat)
    table.owed[seat] = 0
    if table.phase in BETWEEN_ROUNDS:
        return
    table.draw_pile += table.hands[seat]
    table.hands[seat], table.known[seat] = [], []
    table.called.discard(seat)
    table.catchable.discard(seat)
    if table.phase in ("deal", "upcard") and seat == table.dealer:
        table.dealer = after
    if table.phase == "deal" and all(len(table.hands[one]) == table.says["hand"] for one in table.players):
        table.phase = "upcard"
    if table.phase not in ("turn", "drawn", "color", "challenge", "stack", "swap", "target", "discard", "roulette"):
        return
    if is_own_card:
        # Who has to answer the card takes what it makes draw, and misses the turn.
        debtor = after
        table.owed[debtor] += n
        go_on(table, table.next_to(debtor, direction))
    elif table.phase == "stack" and seat == table.turn:
        table.turn = after
    elif seat == table.turn:
        go_on(table, after)
    elif table.challenger == seat:
        table.challenger = None


def go_on(table: Table, seat: int) -> None:
    table.phase, table.turn, table.stack = "turn", seat, 0
    table.drawn = table.challenger = None
    table.is_first_card = False


def may_join(table: Table, seat: int, what: dict[str, Any]) -> bool:
    """Nothing waits for an answer; who was eliminated stays out; and there are cards for a hand."""
    is_new, account = "name" in what, team_of(table, seat)
    total = table.scores[seat if account is None else account]
    limit = table.options.get("limit", 500) if table.options.get("variant") == "elimination" else None
    if seat not in table.out or seat in table.knocked_out or (limit is not None and total >= limit and not is_new):
        return False
    if table.phase in ("turn", "drawn"):
        return bool(len(table.draw_pile) + len(table.discard_pile[:-1]) >= table.says["hand"])
    return table.phase in IN_ORDER


def join(table: Table, seat: int, what: dict[str, Any]) -> None:
    table.out.remove(seat)
    if "name" in what and not table.teams:
        table.scores[seat] = 0
    if table.phase in ("turn", "drawn"):
        table.owed[seat] += table.says["hand"]
    if table.phase == "upcard":
        table.phase = "deal"


def may_swap(table: Table, seat: int, what: dict[str, Any]) -> bool:
    """Nothing waits for an answer, no card is on its way to either, and partners stay partners."""
    other = what["with"]
    is_dealing = table.phase == "deal" and any(table.hands)
    is_counting = table.phase == "round_over" and table.target is not None and not table.is_scored
    if seat == other or table.phase not in IN_ORDER or is_dealing or is_counting:
        return False
    return not table.owed[seat] and not table.owed[other] and team_of(table, seat) == team_of(table, other)


def swap(table: Table, seat: int, what: dict[str, Any]) -> None:
    other: int = what["with"]

    def place(one: int) -> int:
        return other if one == seat else seat if one == other else one

    for by_seat in (table.hands, table.known, *([] if table.teams else [table.scores])):
        by_seat[seat], by_seat[other] = by_seat[other], by_seat[seat]  # type: ignore[index]
    table.out, table.knocked_out, table.called, table.catchable = (
        {place(one) for one in seats} for seats in (table.out, table.knocked_out, table.called, table.catchable)
    )
    table.turn = None if table.turn is None else place(table.turn)
    table.dealer = None if table.dealer is None else place(table.dealer)
