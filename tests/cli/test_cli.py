"""The program as a shell sees it: help, exit statuses, what goes to which stream, and how little it loads."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from croupier import __version__
from croupier.cli import main
from croupier.journal import Journal
from tests.journal.games import game_lines
from tests.longer import some
from tests.patience import PATIENCE_S

PROGRAM: Any = main.program()
COMMANDS = sorted(PROGRAM.commands)
SUBCOMMANDS = [f"{name} {sub}" for name in COMMANDS for sub in getattr(PROGRAM.commands[name], "commands", ())]


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run([]) == 0
    alone = capsys.readouterr().out
    assert main.run(["--help"]) == 0
    assert capsys.readouterr().out == alone
    assert sorted(re.findall(r"^  (\w+)", alone.split("Commands:\n")[1], re.MULTILINE)) == COMMANDS


@pytest.mark.parametrize("command", COMMANDS + SUBCOMMANDS)
def test_every_command_has_help_that_closes_with_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run([*command.split(), "--help"]) == 0
    told = capsys.readouterr().out
    assert re.search(rf"Examples:\n( +croupier .*\n)* +croupier {command}\b", told)


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["--version"]) == 0
    told = re.escape(f"croupier {version('croupier-core')}") + r" \([0-9a-f]{7,40}(-dirty)?\)\n"
    assert re.fullmatch(told, capsys.readouterr().out)
    assert __version__ == version("croupier-core")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        pytest.param("refree", "croupier: .*refree.*referee.*; see croupier --help", id="no-such-command"),
        pytest.param("--bogus", "croupier: .*--bogus; see croupier --help", id="no-such-option"),
        pytest.param("read", "croupier read: .*IMAGE.*; see croupier read --help", id="argument-missing"),
        pytest.param(
            "read --bogus a.jpg", "croupier read: .*--bogus; see croupier read --help", id="option-of-command"
        ),
        pytest.param("read a.jpg --picture", "croupier.*: .*--picture.*argument", id="value-missing"),
        pytest.param("referee a b", "croupier referee: .*extra argument.*b", id="one-too-many"),
        pytest.param("audit a.jpg --deck skat", "croupier audit: .*--deck.*skat.*expected.* g7942,", id="no-such-deck"),
    ],
)
def test_a_wrong_command_line_ends_with_one_line_and_2(
    line: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(line.split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert re.match(told, err)


def test_bad_input_ends_with_one_line_and_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["referee", "no-such-log"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(r"croupier: .*no-such-log.*\n", err)


def test_a_folder_without_pictures_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "list.txt").write_text("red-7")
    assert main.run(["read", str(tmp_path)]) == 2
    told = capsys.readouterr().err
    assert f"{tmp_path}: no pictures in this folder; expected some that end in .jpg" in told


def test_a_name_cannot_break_the_line_or_steer_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["referee", "no\n\x1b[31msuch-log"]) == 2
    assert re.fullmatch(r"croupier: no[^\x1b\n]*such-log: .*\n", capsys.readouterr().err)


def loaded_by(*arguments: str) -> set[str]:
    """The heavy packages that a command line loads."""
    code = (
        "import sys\nfrom croupier.cli.main import run\n"
        f"run({list(arguments)!r})\n"
        "print(*{name.split('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stderr
    return {"cv2", "numpy", "rich"} & set(told.splitlines()[-1].split())


@pytest.mark.parametrize(
    "line", ["--help", "--version", "read --help", "audit a.jpg --deck skat", "referee no-such-log"]
)
def test_what_needs_no_pictures_loads_nothing_heavy(line: str) -> None:
    assert loaded_by(*line.split()) == set()


def croupier(*arguments: str) -> list[str]:
    return [str(Path(sys.executable).with_name("croupier")), *arguments]


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the log of a game, `game.jsonl`, and the journal that it is in."""
    folder = tmp_path_factory.mktemp("games")
    (folder / "game.jsonl").write_text("".join(f"{line}\n" for line in game_lines()))
    with Journal(folder / "croupier.journal") as journal:
        journal.add(game_lines(), began=0.0)
    return folder


@pytest.mark.parametrize(
    "line",
    some([
        "--help", "referee game.jsonl", "journal list", "--version", "read --help", "rules",
        "replay game.jsonl", "replay --at 3 game.jsonl", "score game.jsonl", "journal verify",
    ], 5),
)  # fmt: skip
def test_a_reader_that_has_seen_enough_is_no_fault(line: str, games: Path) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = subprocess.run(
        croupier(*line.split()), stdout=write_end, stderr=subprocess.PIPE, text=True, check=False, cwd=games
    )
    os.close(write_end)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("line", some(["rules", "journal verify", "journal export"], 3))
def test_output_that_is_closed_is_no_fault(line: str, games: Path) -> None:
    done = subprocess.run(
        croupier(*line.split()), stderr=subprocess.PIPE, text=True, check=False, cwd=games,
        preexec_fn=lambda: os.close(1),
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("arguments", [["--help"], ["rules"]], ids=" ".join)
def test_a_full_disk_is_reported_in_one_line(arguments: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(croupier(*arguments), stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert re.fullmatch(r"croupier: cannot write: .+; make room.*\n", done.stderr)


@pytest.mark.parametrize("arguments", [["referee"], ["read", "-"]], ids=" ".join)
def test_standard_input_that_is_closed_is_reported_in_one_line(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert main.run(arguments) == 2
    assert re.fullmatch(r"croupier.*: standard input.*expected a .*\n", capsys.readouterr().err)


def test_ctrl_c_ends_quietly_with_130() -> None:
    log = [
        {"log": "croupier/1", "ruleset": "g7942-en", "seats": ["Ann", "Ben"], "dealer": 0},
        {"obs": "dealt", "t": 0, "seat": 1, "n": 1},
    ]
    # Whoever starts the tests in the background has SIGINT ignored, and children inherit that.
    program = subprocess.Popen(
        croupier("referee", "--json"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    assert program.stdin is not None
    assert program.stdout is not None
    program.stdin.writelines(json.dumps(line) + "\n" for line in log)
    program.stdin.flush()
    assert program.stdout.readline()
    program.send_signal(signal.SIGINT)
    assert program.wait(timeout=PATIENCE_S) == 130
    assert program.stderr is not None
    assert program.stderr.read() == ""


def test_no_colors_where_nobody_sees_them() -> None:
    """A pipe is not a terminal, whatever the terminal's name says."""
    environment = {**os.environ, "TERM": "xterm-256color"}
    done = subprocess.run(croupier("--help"), env=environment, capture_output=True, text=True, check=True)
    assert "\x1b" not in done.stdout
