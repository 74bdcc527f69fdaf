"""Whatever happens to a running table, in whatever order: no card is dealt twice, and all comes to rest in order."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from croupier.commands import CountFedCards, NameCard
from croupier.events import CommandGiven
from croupier.journal import Journal
from croupier.runtime.session import resume
from tests.longer import examples, many
from tests.runtime.live import PICO, TWO, Running

SEATS = st.integers(0, 1)
HAPPENINGS = st.one_of(
    st.tuples(st.just("wait"), st.floats(0.05, 2.0)),
    st.tuples(st.sampled_from(["lay", "plug", "unplug", "kill", "full", "room", "double"])),
    st.tuples(st.just("reset"), st.sampled_from(["power", "watchdog"])),
    st.tuples(st.just("uno"), SEATS),
    st.tuples(st.just("correct"), st.sampled_from(["red-7", "blue-2", "yellow-9", "green-draw2"])),
    st.tuples(
        st.just("press"), st.sampled_from(["go", "pause", "undo", "draw", "pass", "accept", "challenge", "red"]), SEATS
    ),
)


def happen(table: Running, what: Any) -> None:
    """Let it happen now."""
    match what:
        case ("wait", seconds):
            table.wait(round(seconds, 1))
        case ("lay",):
            table.lay()
        case ("plug",):
            table.board.plug(True)
        case ("unplug",):
            table.board.plug(False)
        case ("reset", cause):
            table.board.start_pico(cause)
        case ("uno", seat) if table.board.is_plugged_in:
            table.board.press(seat)
        case ("correct", card):
            table.say(CommandGiven(t=table.table.clock.now(), command=NameCard(card)))
        case ("press", key, seat):
            table.press(key, seat)
        case ("double",):
            table.board.feeder.doubles = 1
        case ("full",):
            table.disk.is_full = True
        case ("room",):
            table.disk.is_full = False
        case ("kill",):
            table.kill()
            table.start()
        case _:
            pass
    table.wait(0.1)


def put_in_order(table: Running) -> None:
    """People mend everything: cable, disk, a job in doubt; and say go."""
    table.disk.is_full = False
    table.board.plug(True)
    table.board.feeder.doubles = 0
    for _ in range(12):
        table.wait(4)
        shoe: Any = table.table.devices.shoe
        if shoe.in_doubt is not None:
            seat = shoe.in_doubt[0].seat
            came = table.board.got[seat] - told(table)[seat] - table.board.too_many[seat]
            table.say(CommandGiven(t=table.table.clock.now(), command=CountFedCards(came)))
            table.wait(0.5)
        table.press("go")
        table.wait(1)
        if table.position.phase != "paused" and shoe.in_doubt is None and not shoe.fault:
            break


def told(table: Running) -> Counter[int]:
    """Cards by seat that the log says were dealt or drawn."""
    cards: Counter[int] = Counter()
    for line in table.log:
        if line["obs"] in ("dealt", "drew", "redealt"):
            cards[line["seat"]] += line["n"]
    return cards


def check(happenings: list[Any]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "croupier.journal"
        table = Running(path, TWO + PICO)
        table.press("go")
        for what in happenings:
            happen(table, what)
        put_in_order(table)
        table.wait(8)
        position = table.position
        assert position.phase != "paused", (position, table.faults, table.alarms[-3:])
        assert sum(position.hands) + position.draw_pile + position.discard_pile == 108
        surplus = Counter(table.board.got)
        surplus.subtract(told(table))
        # Each card that a seat got was told once, but for those that came too many.
        assert surplus == table.board.too_many, (table.board.got, told(table), table.faults)
        assert position.phase != "upcard" or position.hands == (7, 7)
        times = [line["t"] for line in table.log]
        assert times == sorted(times)
        table.kill()
        with Journal(path) as journal:
            again = resume(journal)
            assert list(journal.damages()) == []
            assert again is not None
            stood = again.referee.state()
            assert (stood.hands, stood.top, stood.scores) == (position.hands, position.top, position.scores)


@settings(max_examples=examples(12), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(HAPPENINGS, max_size=25))
def test_a_table_always_comes_to_rest_in_order(happenings: list[Any]) -> None:
    check(happenings)


@pytest.mark.long
@settings(max_examples=many(400), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(HAPPENINGS, max_size=60))
def test_a_table_always_comes_to_rest_in_order_for_long(happenings: list[Any]) -> None:
    check(happenings)
