"""The score sheet of a game, in the terminal and on paper."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pypdf import PdfReader

from croupier.cli import main
from croupier.journal import Journal, text_of
from tests.journal.games import game_lines
from tests.web.stories import simulated, story_of

LINES = game_lines(3, rounds=3)


def test_the_sheet_has_the_points_of_each_round_and_the_totals(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "game.jsonl"
    log.write_text("\n".join(LINES), encoding="utf-8")
    assert main.run(["score", str(log), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    position = story_of(LINES).at(None).position
    assert told["totals"] == position["scores"]
    assert [one["round"] for one in told["rounds"]] == [1, 2, 3]
    for i in range(4):
        assert sum(one["points"][i] for one in told["rounds"]) == told["totals"][i]
    assert main.run(["score", str(log)]) == 0
    shown = capsys.readouterr().out
    for one in told["rounds"]:
        assert str(max(one["points"])) in shown


def test_without_a_log_it_is_the_newest_game_of_the_journal_or_the_one_that_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ours.journal"
    with Journal(path) as journal:
        for seed in (1, 3):
            journal.add(game_lines(seed), began=1.7e9)
    told = []
    for arguments in ([], ["--game", "2"], ["--game", "1"]):
        assert main.run(["score", "--json", "--journal", str(path), *arguments]) == 0
        told.append(json.loads(capsys.readouterr().out))
    assert told[0] == told[1] != told[2]
    assert main.run(["score", "--journal", str(path), "--game", "7"]) == 2
    assert "no game 7" in capsys.readouterr().err


def test_a_game_that_was_simulated_is_labeled_in_the_terminal_and_on_paper(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "game.jsonl"
    log.write_text("\n".join(simulated(LINES)), encoding="utf-8")
    assert main.run(["score", str(log), "--pdf", str(tmp_path / "score.pdf"), "--language", "de"]) == 0
    assert capsys.readouterr().out.startswith("SIMULATION\n")
    assert "SIMULATION" in PdfReader(tmp_path / "score.pdf").pages[0].extract_text()
    assert main.run(["score", str(log), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["simulation"] is True


def test_a_file_that_is_there_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, pdf = tmp_path / "game.jsonl", tmp_path / "score.pdf"
    log.write_text("\n".join(LINES), encoding="utf-8")
    assert main.run(["score", str(log), "--pdf", str(pdf)]) == 0
    written = pdf.read_bytes()
    assert written.startswith(b"%PDF")
    assert main.run(["score", str(log), "--pdf", str(pdf)]) == 2
    assert "score.pdf: this file already exists" in capsys.readouterr().err
    assert pdf.read_bytes() == written
    assert main.run(["score", str(log), "--pdf", str(tmp_path / "nowhere" / "score.pdf")]) == 2
    assert "No such file or directory" in capsys.readouterr().err


def test_a_name_is_no_markup_in_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "game.jsonl"
    head = json.loads(LINES[0]) | {"seats": ["[bold]", "Ben\x1b[2J", "Cat", "Dan"]}
    log.write_text(text_of(head), encoding="utf-8")
    assert main.run(["score", str(log)]) == 0
    shown = capsys.readouterr().out
    assert "[bold]" in shown
    assert "\x1b" not in shown
