"""The commands notation and position: a log as text and back, and how a game stands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from croupier.cli.main import run
from tests.journal.games import game_lines


@pytest.fixture
def log(tmp_path: Path) -> Path:
    file = tmp_path / "game.jsonl"
    file.write_text("".join(f"{line}\n" for line in game_lines(3)), encoding="utf-8")
    return file


def test_a_log_becomes_a_text_and_the_text_the_log(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["notation", str(log)]) == 0
    text = tmp_path / "game.txt"
    text.write_text(capsys.readouterr().out, encoding="utf-8")
    assert text.read_text(encoding="utf-8").startswith("[Ruleset ")
    assert run(["notation", str(text)]) == 0
    written = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    read = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert [one.get("obs") for one in written] == [one.get("obs") for one in read]
    assert [one.get("t") for one in written] == [one.get("t") for one in read]
    assert run(["position", str(text)]) == run(["position", str(log)]) == 0
    of_text, of_log = capsys.readouterr().out.splitlines()
    assert of_text == of_log


def test_a_position_is_printed_after_a_report_and_read_back(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["position", str(log), "--after", "0"]) == 0
    assert capsys.readouterr().out.startswith("deal - left - 0/0")
    assert run(["position", "turn 0 left red-7 7/7"]) == 0
    assert json.loads(capsys.readouterr().out)["hands"] == [7, 7]


def test_what_is_neither_log_nor_text_is_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "game.txt"
    file.write_text("[Ruleset g7942-en]\n[A Ann]\n[B Ben]\n[Dealer A]\nA: red-77\n", encoding="utf-8")
    assert run(["notation", str(file)]) == 2
    assert "game.txt, line 5: 'red-77': expected a card" in capsys.readouterr().err
    assert run(["position", "turn x"]) == 2
    assert "turn 'x': expected a whole number" in capsys.readouterr().err
