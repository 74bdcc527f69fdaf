"""The next round of a tournament, from the scores: Swiss, elimination, or a final of the best.

The elimination game is that of the sheet, over several tables: everybody keeps a running total, who reaches the limit
is out, and the last two play head to head.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace
from itertools import permutations
from random import Random
from typing import Final

from croupier.errors import marked
from croupier.i18n import _
from croupier_hub import ELIMINATION, SWISS
from croupier_hub.errors import BadPlan
from croupier_hub.plan import MOST_SEATS, Plan, PlannedRound, sentence, table_sizes, waiting
from croupier_hub.standings import Directed

LIMIT: Final = 500
"""Points at which a player is eliminated: the sheet's example."""

_AGAIN: Final = 10_000
"""A second meeting costs as much as so many ranks between two players: more than there are."""
_PASSES: Final = 20
_NEAR: Final = 2


def next_round(
    plan: Plan, totals: Sequence[float], *, lowest: bool = False, limit: int = LIMIT, gone: Container[int] = ()
) -> Plan:
    """Return the plan with one more round, seated by the total of each player; with the winners if it is over.

    ``lowest``: the lowest total is the best. ``limit``: of an elimination game. ``gone``: who has withdrawn.

    Raises:
        BadPlan: no round is left.
    """
    is_game = plan.form == ELIMINATION
    is_over = plan.form not in (SWISS, ELIMINATION) or (plan.length is not None and len(plan.rounds) >= plan.length)
    if is_over:
        raise BadPlan(marked("--after: no round is left to plan; give --final N for a final of the best"))
    left = [player for player, total in enumerate(totals) if player not in gone and (not is_game or total < limit)]
    reasons = [sentence("elim.out"), sentence("elim.final")] if is_game else [
        _("Swiss: players with equal or near scores meet, and nobody meets anybody again while there is another way.")
    ]  # fmt: skip
    if len(left) < 2:
        best = min(totals)
        winners = tuple(left) or tuple(player for player, total in enumerate(totals) if total == best)
        return replace(plan, reasons=tuple(reasons), winners=winners)
    if not is_game or len(left) > 2:
        again = _("Only the next round can be planned. After it: croupier tournament plan --after PLAN --scores SCORES")
        reasons.append(again)
    rng = Random(f"{plan.seed} {len(plan.rounds)}")
    sizes = table_sizes(plan.form, len(left), plan.tables)
    ranks = [0 if is_game else sum(other < one if lowest else other > one for other in totals) for one in totals]
    byes = [sum(player in one.byes for one in plan.rounds) for player in range(plan.players)]
    # Byes go to those who had the fewest, of these to the last in rank.
    order = sorted(left, key=lambda player: (byes[player], -ranks[player], rng.random()))
    seated = order[len(left) - sum(sizes) :]
    seated.sort(key=lambda player: (ranks[player], rng.random()))
    tables, start = [], 0
    for size in sizes:
        tables.append(seated[start : start + size])
        start += size
    _separate(tables, plan, ranks)
    shown = tuple(tuple(rng.sample(table, len(table))) for table in tables)
    last = PlannedRound(shown, waiting(left, shown), is_final=is_game and len(left) == 2)
    return replace(plan, rounds=(*plan.rounds, last), reasons=tuple(reasons))


def present(plan: Plan, known: Directed) -> tuple[Plan, frozenset[int]]:
    """Return the plan with latecomers to a tournament by score, and withdrawn players.

    Raises:
        BadPlan: the players have no names.
    """
    if not plan.names:
        raise BadPlan(marked("--hub: the plan has no names; expected one that was made with --names"))
    late = [name for name in known.players if known.state(name) == "here" and name not in plan.names]
    names = (*plan.names, *(late if plan.form == SWISS else ()))
    gone = frozenset(player for player, name in enumerate(names) if known.state(name) == "withdrawn")
    return replace(plan, names=names, players=len(names)), gone


def final(plan: Plan, totals: Sequence[float], best: int, *, lowest: bool = False, gone: Container[int] = ()) -> Plan:
    """Return the plan with a final of the ``best`` players at one table. Partners: the first with the last.

    Raises:
        BadPlan: the number cannot play a final, or a tie leaves open who plays it.
    """
    if plan.form == ELIMINATION:
        raise BadPlan(marked("--final: an elimination game has its own final, when two players are left"))
    there = [player for player in range(plan.players) if player not in gone]
    if (plan.has_partners and best != 4) or not 2 <= best <= min(MOST_SEATS, len(there)):
        expected = "4" if plan.has_partners else f"2–{min(MOST_SEATS, len(there))}"
        raise BadPlan(marked("--final {n}: expected {expected} players"), n=best, expected=expected)
    order = sorted(there, key=lambda player: totals[player] if lowest else -totals[player])
    inside, outside = order[:best], order[best:]
    if outside and totals[inside[-1]] == totals[outside[0]]:
        tied = [plan.name(player) for player in order if totals[player] == totals[outside[0]]]
        text = marked("--final {n}: {names} have the same score; decide between them, or take another number")
        raise BadPlan(text, n=best, names=", ".join(tied))
    first, second, third, *others = (*inside, -1)
    table = (first, second, others[0], third) if plan.has_partners else tuple(inside)
    reasons = [_("A final of the {n} best by score.", n=best)]
    played = PlannedRound((table,), (), is_final=True)
    return replace(plan, rounds=(*plan.rounds, played), reasons=tuple(reasons))


def _separate(tables: list[list[int]], plan: Plan, ranks: Sequence[int]) -> None:
    """Swap players while that saves second meetings, or else brings near ranks together."""
    price = [[abs(one - other) for other in ranks] for one in ranks]
    for planned in plan.rounds:
        for table in planned.tables:
            for a, b in permutations(table, 2):
                price[a][b] += _AGAIN

    def best_swap(here: int, i: int) -> tuple[int, int, int]:
        """Objects of a swap: the table and the place there."""
        player, others = tables[here][i], [other for other in tables[here] if other != tables[here][i]]
        now = sum(price[player][other] for other in others)
        # Who meets nobody again only looks at near tables: others are of other ranks.
        reach = len(tables) if now >= _AGAIN else _NEAR
        found = [(0, here, i)]
        for there in range(max(0, here - reach), min(len(tables), here + reach + 1)):
            for j, other in enumerate(tables[there] if there != here else ()):
                beside = [one for one in tables[there] if one != other]
                before = now + sum(price[other][one] for one in beside)
                after = sum(price[player][one] for one in beside) + sum(price[other][one] for one in others)
                found.append((after - before, there, j))
        return min(found)

    for _pass in range(_PASSES):
        is_better = False
        for here, i in [(here, i) for here, table in enumerate(tables) for i in range(len(table))]:
            change, there, j = best_swap(here, i)
            if change < 0:
                tables[here][i], tables[there][j] = tables[there][j], tables[here][i]
                is_better = True
        if not is_better:
            return
