"""A game gone through again: in the terminal, line by line, and as a page that stands alone."""

from __future__ import annotations

import os
import pty
import re
import sys
from pathlib import Path
from subprocess import PIPE, run

import pytest

from croupier.cli import main
from tests.journal.games import game_lines
from tests.web.stories import simulated, story_of

LINES = game_lines(3, rounds=3)
STORY = story_of(LINES)


@pytest.fixture
def log(tmp_path: Path) -> str:
    path = tmp_path / "game.jsonl"
    path.write_text("\n".join(LINES), encoding="utf-8")
    return str(path)


def test_it_is_printed_line_by_line_from_the_round_that_is_asked_for(
    log: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["replay", log]) == 0
    whole = capsys.readouterr().out
    assert [line for line in whole.splitlines() if line.startswith("Round ")] == ["Round 1", "Round 2", "Round 3"]
    assert main.run(["replay", log, "--round", "3"]) == 0
    last = capsys.readouterr().out
    assert last.startswith("Round 3\n")
    assert whole.endswith(last.partition("\n")[2])
    assert last.count("is dealt 7 cards") == 4


@pytest.mark.parametrize(
    ("options", "said"),
    [
        pytest.param(["--round", "4"], "--round 4: there is no such round; expected one from 1 to 3", id="round"),
        pytest.param(["--game", "2"], "a table log is one game: leave out --game", id="game-of-a-log"),
    ],
)
def test_what_the_log_does_not_have_is_reported(
    log: str, options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["replay", log, *options]) == 2
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert said in told.err


def test_one_place_is_shown_and_no_more(log: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["replay", log, "--at", "40"]) == 0
    told, moment = capsys.readouterr().out, STORY.at(40)
    assert told.count(" s  ") == 1
    assert STORY.describe(moment).seen in told
    assert STORY.explainer.standing(moment.position) in told
    cards = (
        f"{name} {n} card{'s' if n != 1 else ''}"
        for name, n in zip(moment.names, moment.position["hands"], strict=True)
    )
    assert told.splitlines()[-1].strip() == " · ".join(cards)


def test_a_game_that_was_simulated_is_labeled_from_whatever_place_it_is_described(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "simulated.jsonl"
    path.write_text("\n".join(simulated(LINES)), encoding="utf-8")
    assert main.run(["replay", str(path), "--round", "3"]) == 0
    assert capsys.readouterr().out.startswith("SIMULATION\nRound 3\n")
    assert main.run(["replay", str(path), "--at", "40"]) == 0
    assert "SIMULATION" in capsys.readouterr().out
    assert main.run(["referee", str(path)]) == 0
    assert "SIMULATION: nothing in this game is real." in capsys.readouterr().out


def test_a_game_of_which_the_shoe_read_every_card_shows_none_of_a_hidden_hand(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "open.jsonl"
    path.write_text("\n".join(game_lines(1, open_hands=True)), encoding="utf-8")
    assert main.run(["replay", str(path)]) == 0
    dealt = [line for line in capsys.readouterr().out.splitlines() if "is dealt" in line]
    assert len(dealt) == 4
    assert not re.search("red|yellow|green|blue|Wild", " ".join(dealt))


@pytest.mark.slow
def test_on_a_real_terminal_it_says_where_the_game_is_gone_through_step_by_step(tmp_path: Path) -> None:
    log = tmp_path / "short.jsonl"
    log.write_text("\n".join(LINES[:4]), encoding="utf-8")
    here, there = pty.openpty()
    command = [sys.executable, "-m", "croupier", "replay", str(log)]
    done = run(command, stdin=there, stdout=there, stderr=PIPE, text=True, check=False)
    os.close(there)
    os.close(here)
    assert (done.returncode, done.stderr) == (0, f"step by step and at speed, on a page: croupier page {log}\n")
