"""`croupier bench rules`: the form of its lines, and what it says where a peer is missing."""

from __future__ import annotations

import json
from importlib.util import find_spec

import pytest

from croupier.cli import main
from croupier_bench import bot, rules
from croupier_bench.cli import BENCHES
from tests.longer import some


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "SLICES", 1)
    monkeypatch.setattr(rules, "WRITTEN", 2)
    monkeypatch.setattr(rules, "ROUNDS", dict.fromkeys(rules.ROUNDS, 2))


@pytest.mark.parametrize("is_installed", some([False, True], 2))
def test_lines(is_installed: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    if not is_installed:
        monkeypatch.setattr(rules, "find_spec", lambda name: None)
    there = set(rules.PEERS) if is_installed and find_spec("rlcard") else set()
    assert main.run(["bench", "rules", "--json"]) == 0
    *compared, slowest = map(json.loads, capsys.readouterr().out.splitlines())
    assert len(compared) == 3
    for line in compared:
        assert line["unit"] == "hands/cpu-s"
        assert line["ours"] > 0
        assert line["peers"].keys() == line["ratio"].keys() == there
        assert set(line.get("missing", [])) == set(rules.PEERS) - there
    assert 0 < slowest["ours"] < 100


def test_people_see_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["bench", "rules"]) == 0
    assert "hands/cpu-s" in capsys.readouterr().out


def test_the_bot_is_measured_with_an_interval(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["bench", "bot", "--json", "--rounds", "2"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    measured = [line for line in lines if "missing" not in line]
    assert len(measured) == len(bot.SEATS) * (2 if find_spec("rlcard") else 1)
    for line in measured:
        assert "2 rounds" in line["what"]
        assert 0 <= line["ours"] <= 100
        assert "95 % interval" in line["remarks"][0]


def test_an_unknown_bench_is_refused_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["bench", "speed"]) == 2
    assert f"expected one of {', '.join(BENCHES)}" in capsys.readouterr().err
