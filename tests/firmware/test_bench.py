"""`croupier bench board`: what it measures, and that the firmware keeps its budgets."""

from __future__ import annotations

import json

import pytest
import typer

from croupier.cli.main import run
from croupier_bench import board
from croupier_bench.board import compared
from croupier_bench.cli import _format
from croupier_sim.board.pico import interpreter


@pytest.mark.long
@pytest.mark.skipif(interpreter() is None, reason="MicroPython's VM is for Linux on x86-64")
def test_budgets(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(board, "PLAN", board.Plan(presses=20, bursts=5, pairs=10, cuts=4, dealing_s=300.0))
    assert run(["bench", "board", "--json"]) == 0
    lines = {line["what"]: line for line in map(json.loads, capsys.readouterr().out.splitlines())}
    assert "micropython unix" in lines["main loop while dealing, 95 of 100"]["remarks"][1]
    ratios = {what: line["ratio"] for what, line in lines.items() if "ratio" in line}
    assert len(ratios) == 12
    # How long files take to load, and a frame to draw, is this machine's processor time; all else is virtual time.
    assert ratios.pop("power to the first byte, with compiled files") > 0
    assert ratios.pop("a frame of sixty lights on an RP2040, in its costliest mode") > 0
    for what, ratio in ratios.items():
        assert 0 < ratio <= 1.0, what
    for apart_us in board.APART_US:
        order = lines[f"order of two presses {apart_us} µs apart"]
        assert order["counts"]["wrong"] == 0
        assert order["ours"] == 1.0
    burst = lines["main loop while ten people press within 10 ms, 95 of 100"]
    assert (burst["limit"], burst["counts"]) == (12.0, {"pressed": 50, "reported": 50})
    clock = lines["uncertainty of a press on the table's clock, 99 of 100"]
    assert clock["counts"] == {"presses": 20, "farther off than they say": 0}
    assert lines["opening deal of 28 cards, in times of the mechanical limit"]["counts"] == {"cards": 28}


def test_without_micropython_it_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(board, "interpreter", lambda: None)
    assert run(["bench", "board"]) == 2
    assert "MicroPython is missing" in capsys.readouterr().err


def test_the_stand_in_stands_beside_the_machine_and_is_red_where_they_part_too_far() -> None:
    stand_in = [_figure("loop", 5.0), _figure("burst", 8.0), _figure("only here", 1.0)]
    machine = [_figure("loop", 5.5), _figure("burst", 12.0), _figure("only there", 1.0)]
    line = compared(stand_in, machine)
    assert (line["ours"], [row["apart"] for row in line["beside"]]) == (1, [0.091, 0.333])
    near, far = _format(line)[2:]
    assert near.split() == ["loop,", "ms", "5", "5.5", "9%", "apart"]
    assert far == typer.style(far.removeprefix("\x1b[31m").removesuffix("\x1b[0m"), fg="red")
    assert far.removesuffix("\x1b[0m").endswith("33% apart, too far")


def _figure(what: str, ours: float) -> dict[str, object]:
    return {"bench": "board", "what": what, "unit": "ms", "ours": ours}
