"""Every command of the documents is run, or, where it needs a table, a Pico, a network or an hour, parsed."""

from __future__ import annotations

import glob
import json
import re
import shutil
import tomllib
from itertools import takewhile
from pathlib import Path
from textwrap import dedent
from typing import Any

import cv2
import pytest
from typer import TyperException

from croupier.cli import main
from croupier.doctor.runner import CHECKS
from croupier.journal import Journal
from croupier.setup.steps import STEPS
from croupier_bench.cli import NAMES
from croupier_hub import SWISS
from croupier_hub.planner import make
from croupier_rules.referee import parse_header, parse_observation
from croupier_rules.referee.game_text import game_to_text
from croupier_rules.rules import names
from croupier_sim.players import HABITS
from tests.docs.documents import PAGES, CommandLine, command_lines, fences, tracked
from tests.journal.games import game_lines
from tests.vision.laid import Lying, picture
from tools.lock import ROOT

PROGRAM: Any = main.program()
LINES = command_lines()
CROUPIER = [line for line in LINES if line.program == "croupier"]

PARSED_ONLY = {
    r"croupier demo": "plays a whole round (tests/app/test_demo.py)",
    r"croupier bench": "measures for minutes",
    r"croupier host\b": "hosts a table until Ctrl-C",
    r"croupier play\b": "asks a person (tests/extras/test_bots.py)",
    r"croupier run\b": "plays at the table until Ctrl-C",
    r"croupier setup": "asks, and tries cameras and motors",
    r"croupier doctor": "looks at this machine: camera, Pico, network",
    r"croupier (score )?page": "serves until Ctrl-C",
    r"croupier tournament demo": "plays a whole tournament (tests/hub/test_simulated.py)",
    r"croupier tournament (?!plan\b|demo\b)": "needs a hub (tests/hub)",
    r"croupier hub ": "needs PostgreSQL (tests/hub/test_schema.py)",
    r"croupier (link|firmware)": "needs a Pico",
    r"croupier (update|rollback)": "changes the version of a Debian package (tests/upkeep)",
    r"croupier voice": "needs espeak-ng and a loudspeaker",
    r"croupier \w+ camera": "needs a camera",
    r"croupier calibrate --steps": "needs a camera",
}
"""Command lines that are not run, with the reason."""

OTHERS = {
    "/opt/croupier-hub/bin/pip", "apt", "cd", "cp", "createdb", "createuser", "docker", "git", "install", "journalctl",
    "minisign", "mosquitto", "pip", "podman", "python3", "raspi-config", "systemctl",
}  # fmt: skip
"""Programs that are not ours."""


def _is_whole(line: CommandLine) -> bool:
    """True if the line is a command to type, not a mention such as `croupier journal` or `croupier read …`."""
    if line.is_example:
        return True
    if any("…" in word or re.fullmatch(r"[A-Z]{3,}", word) for word in line.words):
        return False
    try:
        return _parse(line.words[1:])
    except TyperException:
        return False


def _parse(arguments: tuple[str, ...]) -> bool:
    """Parse a command line, without running it. True if it says more than the name of a command.

    Raises:
        TyperException: a command, option or argument is wrong or missing.
    """
    words = [word for word in arguments if word != "--help"]  # it would end the parsing
    if "--language" in words:  # may be anywhere
        del words[(at := words.index("--language")) : at + 2]
    command, context, rest = PROGRAM, PROGRAM.make_context("croupier", list(words)), words
    while hasattr(command, "commands") and (rest := [*context._protected_args, *context.args]):
        name, command, rest = command.resolve_command(context, rest)
        context = command.make_context(name, list(rest), parent=context)
    return not hasattr(command, "commands") and bool(rest)


def _reason(line: CommandLine) -> str | None:
    return next((pattern for pattern in PARSED_ONLY if re.match(pattern, str(line))), None)


WHOLE = [line for line in CROUPIER if _is_whole(line)]
RUN = [line for line in WHOLE if _reason(line) is None]
MENTIONED = [line for line in CROUPIER if line not in WHOLE]


NEED_A_SHEET = [["score", command] for command in ("add", "undo", "mend", "continue", "rematch")]
"""The commands that go on with croupier.score."""

PASS = "red-7 blue-1 green-skip yellow-9 wild orange-flip"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the documents name: pictures, videos, a log, a journal, a configuration."""
    folder = tmp_path_factory.mktemp("table")
    faces = ("red-7", "blue-0", "green-skip", "yellow-9", "wild", "red-draw2")
    cards = [Lying(face, 200 + 340 * (n % 3), 190 + 340 * (n // 3), 10 * n) for n, face in enumerate(faces)]
    cv2.imwrite(str(folder / "table.jpg"), picture(cards, size=(1080, 720)))
    for name in ("hand", "anna", "deck-1", "deck-2", "deck-3", "light", "dark"):
        shutil.copy(folder / "table.jpg", folder / f"{name}.jpg")
    cv2.imwrite(str(folder / "ben.jpg"), picture(cards[:4], size=(1080, 720)))
    (folder / "cards").mkdir()
    for face in faces[:2]:
        cv2.imwrite(str(folder / f"cards/{face}.jpg"), picture([Lying(face, 240, 180)], size=(480, 360)))
    _film(folder / "deck.mp4", "red-7", "blue-0")
    shutil.copy(folder / "deck.mp4", folder / "run-through.mp4")
    lines = game_lines(3, rounds=2)
    (folder / "game.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    header = parse_header(lines[0])
    observations = [parse_observation(line, len(header.seats)) for line in lines[1:]]
    (folder / "game.txt").write_text(game_to_text(header, observations), encoding="utf-8")
    with Journal(folder / "croupier.journal") as journal:
        for _ in range(3):
            journal.add(lines, began=1.7e9)
    shutil.copy(ROOT / "docs/croupier.toml", folder / "croupier.toml")
    players = [f"Player {n}" for n in range(9)]
    (folder / "names.txt").write_text("\n".join(players), encoding="utf-8")
    (folder / "scores.csv").write_text("".join(f"{one},{n}\n" for n, one in enumerate(players)), encoding="utf-8")
    (folder / "plan.json").write_text(json.dumps(make(SWISS, 9, names=players).to_json()), encoding="utf-8")
    (block,) = [block for block in blocks("toml") if block.startswith("# two-sided.toml")]
    (folder / "two-sided.toml").write_text(block, encoding="utf-8")
    (folder / "cards.txt").write_text("".join(f"{side}.jpg: {PASS}\n" for side in ("light", "dark")), encoding="utf-8")
    for name in ("ours", "corrected"):
        (folder / f"{name}.deck").write_bytes(_profile(folder))
    return folder


def _film(file: Path, *faces: str) -> None:
    """Each card for a second, with an empty table between."""
    film = cv2.VideoWriter(str(file), cv2.VideoWriter.fourcc(*"mp4v"), 10, (480, 360))
    for n, face in enumerate(faces):
        for cards in ([Lying(face, 200 + 80 * n, 180)], []):
            for seed in range(10):
                film.write(picture(cards, size=(480, 360), seed=seed))
    film.release()


def _profile(folder: Path) -> bytes:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main.run(["enroll", "cards", "--deck-profile", "first.deck"]) in (0, 1)
        return (folder / "first.deck").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("line", [pytest.param(line, id=str(line)) for line in RUN])
def test_the_command_runs(
    line: CommandLine, files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here = shutil.copytree(files, tmp_path / "here")
    monkeypatch.chdir(here)
    words = [name for word in line.words[1:] for name in (sorted(glob.glob(word)) or [word])]
    if words[:2] in NEED_A_SHEET or "croupier.score" in words:
        ended = ("--target", "50") if words[1] in ("continue", "rematch") else ()
        assert main.run(["score", "new", "Ann", "Ben", "Cat", *ended]) == 0
        assert main.run(["score", "add", "Ann=out", "Ben=r7", "Cat=wild"]) == 0
    if words[0] == "restore":
        assert main.run(["backup", words[1]]) == 0
    assert main.run(words) in (0, 1), capsys.readouterr().err


@pytest.mark.parametrize("line", [pytest.param(line, id=str(line)) for line in WHOLE])
def test_the_command_is_understood(line: CommandLine) -> None:
    _parse(line.words[1:])


@pytest.mark.parametrize("line", [pytest.param(line, id=str(line)) for line in MENTIONED])
def test_the_mentioned_command_and_its_options_exist(line: CommandLine) -> None:
    command, options = PROGRAM, set[str]()
    for word in line.words[1:]:
        options |= {name for parameter in command.params for name in parameter.opts}
        if word.startswith("-") and word != "-":
            assert word in options, word
        elif hasattr(command, "commands") and "…" not in word:
            assert word in command.commands, word
            command = command.commands[word]
            options |= {name for parameter in command.params for name in parameter.opts}


def test_the_names_of_checks_benches_steps_habits_and_rulesets_exist() -> None:
    known: dict[str, set[str]] = {
        "croupier bench": {
            *NAMES,
            "--json",
            "--attack",
            "--hard",
            "--hours",
            "3",
            "--rounds",
            "1000",
            "--share",
            "--uf2",
            "0.2",
            "--scene",
            "row",
            "box",
            "cameras",
        },
        "croupier setup": {*STEPS, "--page", "--host", "0.0.0.0"},
        "--only": {*CHECKS, *(name.split(".")[0] for name in CHECKS), "plane", "white", "pile", "tally", "seats"},
        "--habits": set(HABITS),
        "--ruleset": {*names(), "house"},
    }
    for line in CROUPIER:
        for before, words in known.items():
            _, found, rest = str(line).partition(f"{before} ")
            if found:
                named = rest.split() if before.startswith("croupier") else rest.split()[0].split(",")
                assert set(named) <= words, line


def test_no_reason_for_not_running_is_left_over() -> None:
    assert {_reason(line) for line in WHOLE} - {None} == set(PARSED_ONLY)


@pytest.mark.parametrize("line", [pytest.param(line, id=str(line)) for line in LINES if line not in CROUPIER])
def test_the_other_command_exists(line: CommandLine) -> None:
    match line.program:
        case "make":
            targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
            assert set(takewhile(lambda word: "=" not in word, line.words[1:])) <= set(targets)
        case "python":
            assert line.words[1] == "-m"
            name = line.words[2].replace(".", "/")
            places = [f"{folder}{name}{end}" for folder in ("", "benchmarks/") for end in (".py", "/__main__.py")]
            (source,) = [path for path in places if path in tracked()]
            _assert_options(source, line)
        case "pytest":
            named = [word for word in line.words[1:] if "/" in word]
            assert [word for word in named if not (ROOT / word).exists()] == []
        case "deploy/install":
            _assert_options("deploy/install", line)
        case program:
            assert program in OTHERS


def _assert_options(source: str, line: CommandLine) -> None:
    text = (ROOT / source).read_text(encoding="utf-8")
    for word in line.words[1:]:
        if word.startswith("--"):
            assert re.search(rf"{word}\b|\b{word.lstrip('-')}: Annotated", text), word


@pytest.mark.parametrize("page", PAGES)
def test_every_command_line_is_in_a_block_of_the_shell(page: str) -> None:
    command = re.compile(r"^ *(croupier [a-z]|make [a-z]|sudo |deploy/install)", re.MULTILINE)
    for language, block in fences(page):
        assert language == "sh" or not command.search(block), block


def blocks(of: str) -> list[str]:
    return [block for page in PAGES for language, block in fences(page) if language == of]


def test_every_block_of_json_toml_and_python_is_right() -> None:
    for block in blocks("json"):
        json.loads(block.replace("[…]", "[]"))
    for block in blocks("toml"):
        tomllib.loads(block)
    for block in blocks("python"):
        compile(dedent(block), "block", "exec")


def test_the_example_of_the_referee_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = [block for language, block in fences("docs/referee.md") if language == "python"]
    exec(example, {})
    assert "turn" in capsys.readouterr().out
