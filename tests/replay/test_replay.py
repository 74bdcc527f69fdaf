"""A game gone through again: in the terminal, line by line, and as a page that stands alone."""

from __future__ import annotations

import os
import pty
import re
import select
import sys
from pathlib import Path
from subprocess import Popen

import pytest
from rich.console import Console

from croupier.cli import main
from croupier.i18n import LANGUAGES, speaking
from croupier.replay.stepping import KEYS, Player, split_keys, start_of_round
from tests.journal.games import game_lines
from tests.web.stories import simulated, story_of

LINES = game_lines(3, rounds=3)
STORY = story_of(LINES)


@pytest.fixture
def log(tmp_path: Path) -> str:
    path = tmp_path / "game.jsonl"
    path.write_text("\n".join(LINES), encoding="utf-8")
    return str(path)


def drawn(player: Player, width: int = 80) -> list[str]:
    console = Console(width=width)
    with console.capture() as taken:
        console.print(player.render())
    return re.sub(r"\x1b\[[\d;]*m", "", taken.get()).splitlines()


def test_arrows_step_and_stop_at_both_ends() -> None:
    player = Player(STORY)
    assert player.press("\x1b[D")
    assert player.n == 0
    for n in (1, 2, 3):
        player.press("\x1b[C")
        assert player.n == n
    player.press("\x1b[F")
    assert player.n == len(STORY)
    player.press("\x1b[C")
    assert player.n == len(STORY)


def test_rounds_are_jumped_to_by_arrow_and_by_number() -> None:
    player = Player(STORY)
    begins = [start_of_round(STORY, number) for number in (1, 2, 3)]
    for begin in [*begins[1:], len(STORY)]:
        player.press("\x1b[B")
        assert player.n == begin
    for begin in reversed(begins):
        player.press("\x1b[A")
        assert player.n == begin
    player.press("3")
    assert (player.n, player.moment.round) == (begins[2], 3)
    player.press("9")
    assert player.n == len(STORY)


def test_it_plays_at_the_speed_that_is_asked_for_and_stops_at_the_end() -> None:
    player = Player(STORY, speed=2.0)
    player.tick(1.0)
    assert player.n == 0, "it stands still until it is told to play"
    player.press(" ")
    player.tick(5.0)
    assert STORY.at(player.n).t <= 10.0 < STORY.at(player.n + 1).t
    player.press("+")
    assert player.speed == 4.0
    player.press("-")
    player.press("-")
    assert player.speed == 1.0
    player.press("G")
    player.tick(1.0)
    assert not player.is_playing


def test_what_was_stepped_to_is_where_playing_goes_on() -> None:
    player = Player(STORY, speed=1.0)
    player.press("2")
    player.press(" ")
    begin = player.n
    player.tick(STORY.at(begin + 1).t - STORY.at(begin).t)
    assert player.n == begin + 1


def test_keys_that_come_together_are_distinguished() -> None:
    assert split_keys("\x1b[C\x1b[C 2q") == ["\x1b[C", "\x1b[C", " ", "2", "q"]
    assert not all(Player(STORY).press(key) for key in split_keys("q"))
    assert set(KEYS.values()) >= {"on", "back", "round on", "round back", "play", "faster", "slower", "quit"}


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_picture_finds_room_in_an_ordinary_terminal_in_every_language(code: str) -> None:
    with speaking(code):
        for n in (0, 40, len(STORY)):
            lines = drawn(Player(story_of(LINES), n))
            assert len(lines) <= 24
            assert max(map(len, lines)) <= 80
            assert "…" not in lines[-1]
            assert f"{n}/{len(STORY)}" in "\n".join(lines)


def test_without_a_terminal_it_is_printed_line_by_line_from_the_round_that_is_asked_for(
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
    assert f"40/{len(STORY)}" in capsys.readouterr().out


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
def test_on_a_real_terminal_keys_step_and_q_gives_it_back(log: str) -> None:
    here, there = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "80"}
    run = Popen([sys.executable, "-m", "croupier", "replay", log], stdin=there, stdout=there, env=environment)
    try:
        _read_until(here, f"0/{len(STORY)}")
        os.write(here, b"\x1b[C")
        _read_until(here, f"1/{len(STORY)}")
        os.write(here, b"q")
        assert run.wait(30) == 0
    finally:
        run.kill()
        run.wait()
        os.close(here)
        os.close(there)


def _read_until(terminal: int, text: str) -> None:
    seen = ""
    while text not in seen:
        assert select.select([terminal], [], [], 30)[0], f"waited for {text!r} in {seen!r}"
        seen += os.read(terminal, 65536).decode("utf-8", "replace")
