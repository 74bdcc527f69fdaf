"""A long work tells at a terminal how far it is; in a pipe nobody sees that."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

import cv2
import pytest

from croupier.cli import main
from croupier.journal import Journal
from croupier.progress import progress
from tests.journal.games import game_lines
from tests.pictures.test_before_the_camera import SIZE, film
from tests.vision.laid import Lying, picture


class Terminal(io.StringIO):
    """A terminal, and all that was ever written to it."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a table with a game."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    Path("croupier.toml").write_text('[camera]\nsource = "none"\n')
    with Journal(Path("croupier.journal")) as journal:
        journal.add(game_lines(2), began=1e9)
    return tmp_path


def both(*words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> tuple[str, str, str, str]:
    """What a command prints, and shows beside that: first in a pipe, then at a terminal."""
    main.run(words)
    piped = capsys.readouterr()
    terminal = Terminal()
    with monkeypatch.context() as at:
        at.setattr(sys, "stderr", terminal)
        main.run([word.replace("first", "second") for word in words])
    return piped.out, piped.err, capsys.readouterr().out, terminal.getvalue()


@pytest.mark.parametrize(
    ("words", "named"),
    [
        pytest.param(["replay"], "croupier.journal, game 1", id="replay"),
        pytest.param(["journal", "export"], "croupier.journal", id="export"),
        pytest.param(["backup", "first.zip"], "writing", id="backup"),
    ],
)
def test_at_a_terminal_a_bar_names_the_work_and_a_pipe_holds_the_result_alone(
    words: list[str], named: str, table: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    piped, silent, printed, shown = both(*words, monkeypatch=monkeypatch, capsys=capsys)
    assert silent == ""
    assert named in shown
    assert "━" in shown
    assert printed.replace("second", "first") == piped != ""


@pytest.mark.slow
@pytest.mark.parametrize("command", [["tally"], ["enroll", "--deck-profile", "ours.deck"]], ids=["tally", "enroll"])
def test_a_video_tells_how_much_of_it_has_been_read_and_makes_room_for_each_card(
    command: list[str], table: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    film(table / "film.avi", *([Lying(face, 300 + 20 * n, 180, 8 * n)] for n, face in enumerate(("red-7", "blue-2"))))
    cv2.imwrite("hand.png", picture([Lying("wild", 300, 180)], size=SIZE))
    piped, silent, printed, shown = both(*command, "film.avi", "hand.png", monkeypatch=monkeypatch, capsys=capsys)
    assert silent == ""
    assert "1/2 film.avi" in shown
    assert "2/2 hand.png" in shown
    assert max(map(int, re.findall(r"(\d+)%", shown))) >= 90, "the last frame begins a little before the end"
    assert printed.count("film.avi") == piped.count("film.avi") > 0


def test_a_bar_that_made_room_comes_back_where_it_was(monkeypatch: pytest.MonkeyPatch, table: Path) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress() as shown:
        done = shown.step("cards", 4)
        done(1)
        shown.bars.stop()
        assert terminal.getvalue().endswith("\x1b[2K"), "the line of the bar is empty"
        shown.bars.start()
        done(1)
    assert " 50%" in terminal.getvalue()
