"""What the director writes: keys of tables, plans of rounds, ends of rounds. The same again changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from croupier.errors import BadOutbox, BadPlan, marked
from croupier.hub.client import DirectorsLog, HubClient, deliver
from croupier.hub.outbox import Outbox
from croupier.hub.plan import Plan
from croupier.hub.standings import Directed, End, Enroll, RoundPlan, Timer, directed


def write(client: HubClient, file: Path, make: Callable[[Directed], Iterable[Enroll | RoundPlan | Timer | End]]) -> int:
    """Write durably what ``make`` makes of what the director wrote before, and send it. Returns the number of new
    lines.

    Raises:
        BadOutbox: there is no such file.
        HubUnavailable, HubRefuses: nothing was written, or it is sent with what is written next.
    """
    if not file.exists():
        text = marked("{file}: no such file: expected the director’s, as croupier tournament hub makes it")
        raise BadOutbox(text, file=file)
    with Outbox(file) as outbox:
        DirectorsLog(outbox.log).update(client)
        added = outbox.append(lambda lines: [line.model_dump_json() for line in make(directed(lines))])
        deliver(client, outbox)
    return added


def enroll(known: Directed, key: str, table: int, from_round: int) -> Iterator[Enroll]:
    """Let ``key`` speak for a table from a round on."""
    if known.key(table, from_round) != key:
        yield Enroll(enroll=key, table=table, from_round=from_round)


def publish(known: Directed, plan: Plan) -> Iterator[RoundPlan]:
    """Publish the rounds of a plan that are new or have other seats than before.

    Raises:
        BadPlan: a round that ended has other seats.
    """
    for number, one in enumerate(plan.rounds, start=1):
        tables = {str(at): [plan.name(player) for player in seats] for at, seats in enumerate(one.tables, start=1)}
        before = known.plans.get(number)
        if before is None or before.tables != tables:
            if number in known.ends:
                raise BadPlan(marked("round {n} has ended with other seats: its plan stays as it is"), n=number)
            yield RoundPlan(plan=before.plan + 1 if before is not None else 1, round=number, tables=tables)


def time_round(known: Directed, number: int, ends: int) -> Iterator[Timer]:
    """Say when the time of a round is up: ``ends``, in seconds since 1970.

    Raises:
        BadPlan: there is no such round, or it has ended.
    """
    if number not in known.plans or number in known.ends:
        raise BadPlan(marked("there is no round {n} that is still played"), n=number)
    if known.timers.get(number) != (timer := Timer(timer=number, ends=ends)):
        yield timer


def end(known: Directed, number: int, results: dict[str, Any], *, anyway: bool) -> Iterator[End]:
    """End a round with the ``results`` that a hub has of it: later ones do not count.

    Raises:
        BadPlan: there is no such round; or tables are awaited, and it is not to end ``anyway``.
    """
    tables = next((one["tables"] for one in results["rounds"] if one["round"] == number), None)
    if tables is None:
        raise BadPlan(marked("there is no round {n}: expected one that was published"), n=number)
    if number in known.ends:
        return
    awaited = [str(one["table"]) for one in tables if one["points"] is None]
    if awaited and not anyway:
        text = marked("round {n}: the results of these tables are awaited: {tables}; --anyway ends it without them")
        raise BadPlan(text, n=number, tables=", ".join(awaited))
    lines: dict[str, int] = {}
    for one in tables:
        if one["points"] is not None:
            lines[one["log"]] = max(lines.get(one["log"], 0), one["line"] + 1)
    yield End(end=number, lines=lines)
