"""Calling UNO and being caught; presses are far enough apart to have an order."""

from __future__ import annotations

from tests.slow_referee.table import WITH_A_TURN, Ruling, Seen, Table, ruled


def pressed(table: Table, seen: Seen) -> list[Ruling]:
    """A press is a late call, a catch, a call, or nothing: the first of these that fits."""
    seat, turn = seen["seat"], table.turn
    if not table.says["calls"]:
        return [ruled("void", seat=seat, why="not-in-document", rule="uno.call.when")]
    if seat in table.out:
        return [ruled("void", seat=seat, why="nobody-to-catch")]
    if seat in table.catchable:
        table.catchable.remove(seat)
        table.called.add(seat)
        return [ruled("uno", seat=seat, rule="uno.late_self_save")]
    caught = sorted(other for other in table.catchable if may_catch(table, seat, other))
    if caught:
        table.catchable.difference_update(caught)
        found = [ruled("caught", seat=other, by=seat) for other in caught]
        return found + [table.owe(other, table.says["penalty"], "uno", rule="uno.penalty") for other in caught]
    is_on_turn = seat == turn and table.phase in ("turn", "drawn", "stack")
    if (is_on_turn and len(table.hands[seat]) == 2) or (seat == turn and table.phase == "discard"):
        table.called.add(seat)
        return [ruled("uno", seat=seat, rule="uno.call.when")]
    return [why_void(table, seat)]


def may_catch(table: Table, seat: int, other: int) -> bool:
    """Anybody may, save where the sheet speaks of opponents: then a partner may not."""
    return table.says["partners catch"] or not any({seat, other} <= set(team) for team in table.teams if seat != other)


def why_void(table: Table, seat: int) -> Ruling:
    if table.phase not in WITH_A_TURN or table.phase == "redeal" or table.turn is None:
        return ruled("void", seat=seat, why="nobody-to-catch")
    forgot = [other for other in table.players if len(table.hands[other]) == 1 and other not in table.called]
    if any(may_catch(table, seat, other) for other in forgot):
        return ruled("void", seat=seat, why="too-late", rule="uno.catch.closes")
    if forgot:
        return ruled("void", seat=seat, why="nobody-to-catch", rule="uno.penalty")
    held = len(table.hands[table.turn])
    is_early = held == 2 and table.turn not in table.called and may_catch(table, seat, table.turn)
    if is_early or (seat == table.turn and held > 2):
        return ruled("void", seat=seat, why="too-early", rule="uno.catch.opens")
    return ruled("void", seat=seat, why="nobody-to-catch")
