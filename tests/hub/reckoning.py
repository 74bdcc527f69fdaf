"""The results of a tournament reckoned plainly: all lines are read once more, each time, and kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from croupier_hub.standings import Directed, Log, Result, TableLine, directed, table_line


def reckon(director: str, logs: Mapping[str, Log]) -> dict[str, Any]:
    """Of these logs, whose lines after a fork do not count: the points by player; by round and table the log and line
    whose result counts; log, line and reason of each result that does not."""
    known = directed(logs[director].lines[: logs[director].fork])
    counts, refused = dict[tuple[int, int], tuple[str, int, Result]](), list[tuple[str, int, str]]()
    for name, log in sorted(logs.items()):
        if name == director:
            continue
        for n, line in enumerate(map(table_line, log.lines[: log.fork])):
            if isinstance(line, TableLine):
                at = (line.result.round, line.result.table)
                reason = _reason(known, name, n, line, counts.get(at))
                if reason:
                    refused.append((name, n, reason))
                else:
                    counts[at] = name, n, line.result
    totals = dict[str, int]()
    for _name, _n, result in counts.values():
        for player, points in zip(result.seats, result.points, strict=True):
            totals[player] = totals.get(player, 0) + points
    for penalty in known.penalties.values():
        if penalty.penalty:
            totals[penalty.player] = totals.get(penalty.player, 0) - penalty.penalty
    return {"totals": totals, "counts": {at: one[:2] for at, one in counts.items()}, "refused": refused}


def as_reckoned(results: dict[str, Any]) -> dict[str, Any]:
    """The results of a hub (`croupier_hub.results.Results`) in the same form."""
    return {
        "totals": {one["player"]: one["points"] for one in results["standings"]},
        "counts": {
            (one["round"], table["table"]): (table["log"], table["line"])
            for one in results["rounds"] for table in one["tables"] if table["log"] is not None
        },
        "refused": [(one["log"], one["line"], one["reason"]) for one in results["quarantined"]],
    }  # fmt: skip


def _reason(
    known: Directed, name: str, n: int, line: TableLine, before: tuple[str, int, Result] | None
) -> str:  # fmt: skip
    result = line.result
    plan, end = known.plans.get(result.round), known.ends.get(result.round)
    if known.key(result.table, result.round) != name:
        return "key"
    if plan is None or plan.plan != result.plan:
        return "plan"
    if result.seats != plan.tables.get(str(result.table)) or len(result.seats) != len(result.points):
        return "seats"
    if end is not None and n >= end.lines.get(name, 0):
        return "late"
    if line.corrects is None:
        return "" if before is None else "second"
    return "" if before is not None and before[1] == line.corrects else "corrects"
