"""`croupier bench link`: the form of its lines, and what it says where there is no MicroPython."""

from __future__ import annotations

import json
import sys

import pytest

from croupier.cli.main import run
from croupier_bench import link
from croupier_sim.board.pico import interpreter


@pytest.mark.skipif(interpreter() is None, reason="MicroPython's VM is for Linux on x86-64")
def test_lines(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(link, "ROUNDS", 2)
    monkeypatch.setattr(link, "TRIPS", 20)
    assert run(["bench", "link", "--json"]) == 0
    compared, trip, clock, share = map(json.loads, capsys.readouterr().out.splitlines())
    assert compared["unit"] == trip["unit"] == clock["unit"] == "ms"
    assert compared["peers"].keys() == compared["ratio"].keys() == {"pyserial echo"}
    assert compared["ours"] == trip["ours"] > 0
    assert compared["peers"]["pyserial echo"] > 0  # how they compare depends on what else the machine does
    assert (trip["limit"], clock["limit"]) == (1.0, 0.5)
    assert share["ours"] >= 0.999


def test_without_micropython_it_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(link, "interpreter", lambda: None)
    assert run(["bench", "link"]) == 2
    assert capsys.readouterr().err == (
        "croupier: MicroPython is missing: pip install 'croupier[sim]' (Linux on x86-64)\n"
    )


def test_all_benches_together_leave_out_what_cannot_run_here(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("croupier_bench.cli.BENCHES", ("link",))
    monkeypatch.setattr(link, "interpreter", lambda: None)
    assert run(["bench"]) == 0
    assert capsys.readouterr() == ("", (
        "croupier bench: link is left out: MicroPython is missing: pip install 'croupier[sim]' (Linux on x86-64)\n"
    ))  # fmt: skip


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delitem(sys.modules, "croupier_bench.link")
    monkeypatch.setitem(sys.modules, "serial", None)
    assert run(["bench", "link"]) == 2
    assert "serial is missing: pip install 'croupier[all]'" in capsys.readouterr().err
