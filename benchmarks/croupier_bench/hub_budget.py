"""What a hub's budget counts for a request beside the processor time that it takes, and what a hall asks for at its
busiest: the figures of `croupier_hub.budget`.

A hub with the tournament of a hall, in a process of its own, answers each kind of request many times. How often an
honest program or page asks for it is known from its code, so a hall follows that has a single router.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import time
from typing import Any, Final

import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from croupier_bench.hub import BEAT_S, LINE, Table, disk_folder, processor_s, running_hub
from croupier_hub import DIRECTOR_FILE, budget, table_log, table_observer
from croupier_hub.client import HubClient
from croupier_hub.director import invite_helper
from croupier_hub.messages import Body
from croupier_hub.outbox import Outbox
from croupier_hub.pages.desk import TICKET_COOKIE
from croupier_hub.signed_log import Sent, name_of, sign, sign_head

TABLES: Final = 200
"""What a Raspberry Pi 5 carries (`docs/tournaments.md`)."""

ASKED: Final = 100
"""Requests of each kind."""

_LINES: Final = 300
"""Of each log: some rounds."""
_PAGE_S: Final = 3.0
"""Desk, calls and public screen are loaded again so often (``hx-trigger`` in their templates)."""
_LOOK_S: Final = 60.0
"""A spectator who waits for results loads the page so often."""
_CALLING: Final = 20
"""One of so many tables has an open call."""
_UNIT_MS: Final = 3.0
"""Processor time that one unit stands for."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of request. ``make``: the next one, as method, path and body."""

    name: str
    make: Callable[[int], tuple[str, str, bytes]]


@dataclass(frozen=True, slots=True)
class Who:
    """Some of a hall, each of whom asks for these kinds so often, in a minute."""

    name: str
    number: int
    asks: dict[str, float]


def hall(tables: int) -> tuple[Who, ...]:
    """Everybody at the busiest moment, which is the end of a round."""
    heads = (1 + table_log._LOOKS_AFTER) * 60 / table_observer._HEADS_S
    page, calling = 60 / _PAGE_S, -(-tables // _CALLING)

    def table(asks_s: float) -> dict[str, float]:
        return {"a line": 60 / BEAT_S, "the director’s log": 60 / asks_s, "a proof of a log": heads}

    return (
        Who("a table", tables - calling, table(table_observer._ASK_S)),
        Who("a table with an open call", calling, table(table_observer._ASK_FOR_ANSWER_S)),
        Who("a desk", 3, {"the desk": page}),
        Who("somebody who answers calls", 5, {"calls": page}),
        Who("a public screen", 6, {"the screen": page}),
        Who("a spectator", 2 * tables, {"the tournament": 60 / _LOOK_S}),
    )  # fmt: skip


def measure(count: int = TABLES, asked: int = ASKED) -> Iterator[dict[str, Any]]:
    """Each kind of request; then the hall."""
    tables = [Table(number) for number in range(1, count + 1)]
    units = dict[str, float]()
    with disk_folder() as folder, running_hub(tables, Path(folder)) as (url, pid):
        with HubClient(url) as client:
            for table in tables:
                table.send(client, [LINE % n for n in range(_LINES)])
                table.send(client, [table.result(30, None)])
        with Outbox(Path(folder) / DIRECTOR_FILE) as outbox:
            ticket = invite_helper(outbox, "director", time())[1]
        with httpx.Client(base_url=url, cookies={TICKET_COOKIE: ticket}, trust_env=False, timeout=60.0) as people:
            for kind in kinds(tables):
                line = _measure_kind(people, pid, kind, asked)
                units[kind.name] = line["counts"]["units of the budget"]
                yield line
    asks = {who.name: sum(units[kind] * often for kind, often in who.asks.items()) for who in hall(count)}
    all_units = sum(who.number * asks[who.name] for who in hall(count)) * budget.WINDOW_S / 60
    yield {
        "bench": "budget", "what": f"{count} tables and all their people behind one router, in {budget.WINDOW_S:.0f} s",
        "unit": "units", "ours": round(all_units), "limit": budget.MOST, "ratio": round(all_units / budget.MOST, 2),
        "counts": {f"{who.name} ({who.number}), a minute": round(asks[who.name], 1) for who in hall(count)},
    }  # fmt: skip


def kinds(tables: list[Table]) -> Iterator[Kind]:
    """All kinds of requests: of honest people, then of strangers."""
    key, stranger, other = name_of(tables[0].key), Ed25519PrivateKey.generate(), b"x" * 900_000
    signed = sign(stranger, ["x"])

    def line(n: int) -> tuple[str, str, bytes]:
        table, text = tables[n % len(tables)], LINE % n
        table.head = table.head.after([text])
        return _put(sign_head(table.key, table.head, [text]))

    def get(path: str) -> Callable[[int], tuple[str, str, bytes]]:
        return lambda _n: ("GET", path, b"")

    yield Kind("a line", line)
    yield Kind("the director’s log", get(f"/director/{len(tables) + 2}"))
    yield Kind("a proof of a log", get(f"/checkpoints/{key}?old=100"))
    yield Kind("the desk", get("/desk/now"))
    yield Kind("calls", get("/calls"))
    yield Kind("the screen", get("/screen/slide?show=tables&show=standings&show=pairings"))
    yield Kind("the tournament", get("/"))
    yield Kind("standings", get("/standings"))
    yield Kind("all results", get("/results"))
    yield Kind("no such receipt", get("/receipts/7KQ2-M4XD-9TRA.json"))
    yield Kind("no such page", get("/nothing"))
    yield Kind("an unknown key", lambda _n: _put(signed))
    yield Kind("a wrong signature", lambda _n: _put(Sent(key, 0, ("x",) * 1000, signed.head, signed.signature)))
    yield Kind("a long body that is no JSON", lambda _n: ("PUT", f"/logs/{key}/0", other))


def _put(sent: Sent) -> tuple[str, str, bytes]:
    return "PUT", f"/logs/{sent.log}/{sent.start}", Body.of(sent).model_dump_json().encode()


def _measure_kind(people: httpx.Client, pid: int, kind: Kind, asked: int) -> dict[str, Any]:
    made = [kind.make(n) for n in range(asked)]
    units, size, statuses = 0.0, 0, set[int]()
    before = processor_s(pid)
    for method, path, body in made:
        answer = people.request(method, path, content=body)
        statuses.add(answer.status_code)
        size += len(answer.content)
        units += budget.cost(method, answer.status_code, len(answer.content))
    ms, units = (processor_s(pid) - before) / asked * 1000, units / asked
    return {
        "bench": "budget", "what": f"{kind.name}, processor time of a request", "unit": "ms", "ours": round(ms, 2),
        "peers": {"as the budget counts": round(units * _UNIT_MS, 2)}, "load": os.getloadavg()[0],
        "ratio": {"as the budget counts": round(ms / units / _UNIT_MS, 2) if units else None},
        "counts": {"units of the budget": round(units, 2), "bytes": size // asked, "statuses": str(sorted(statuses))},
    }  # fmt: skip
