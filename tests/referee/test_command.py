"""`croupier referee` as a shell sees it: what is told for people, bad input, and a line out for each line in."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from croupier.cli import main

HEADER = {"log": "croupier/1", "ruleset": "g7942-en", "seats": ["Ann", "Ben"], "dealer": 1, "given": {"top": "red-7"}}
COMMAND = [sys.executable, "-c", "from croupier.cli.main import main; main()", "referee"]


def log(*lines: object) -> str:
    """A log with `HEADER`; texts stand as they are."""
    return "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in (HEADER, *lines))


def test_a_name_cannot_steer_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "game.jsonl"
    names = {"seats": ["[red]\u001b[31mAnn", "Ben\nBob"]}
    file.write_text(json.dumps(HEADER | names) + '\n{"obs": "play", "t": 1, "card": "red-1"}\n', encoding="utf-8")
    assert main.run(["referee", str(file)]) == 0
    told = capsys.readouterr().out
    assert "[red]�[31mAnn plays red 1." in told
    assert "It is Ben�Bob's turn" in told


@pytest.mark.parametrize(
    ("line", "told"),
    [
        pytest.param("play red-5", "expected a JSON object", id="no-json"),
        pytest.param("[1, 2]", "expected a JSON object", id="no-object"),
        pytest.param("[" * 100_000, "expected a JSON object", id="endless-nesting"),
        pytest.param({"obs": "dance", "t": 1}, "unknown obs 'dance': expected one of pick, ", id="unknown-obs"),
        pytest.param({"t": 1}, "unknown obs None", id="no-obs"),
        pytest.param({"obs": "o" * 99, "t": 1}, f"unknown obs '{'o' * 56}...: expected one", id="endless-obs"),
        pytest.param('{"obs": "tick", "t": 1, "t": 2}', "the key 't' stands twice", id="key-twice"),
        pytest.param({"obs": "uno", "t": 1, "seat": 0, "uc": 0.1}, "clock None, uc 0.1: expected both", id="no-clock"),
        pytest.param({"obs": "uno", "t": 1, "seat": 0, "clock": "pi", "uc": -1}, "uc -1: expected 0 or", id="clock"),
        pytest.param({"obs": "tick"}, "tick: t is missing: expected t", id="no-time"),
        pytest.param({"obs": "tick", "t": "now"}, "tick: t 'now': expected a number of seconds", id="time-of-text"),
        pytest.param({"obs": "tick", "t": float("nan")}, "tick: t nan", id="time-not-a-number"),
        pytest.param({"obs": "tick", "t": 1, "u": -1}, "tick: u -1: expected 0 or more", id="negative-uncertainty"),
        pytest.param({"obs": "tick", "t": -1}, "t -1.0 goes back: expected 0.0 or later", id="time-goes-back"),
        pytest.param({"obs": "play", "t": 1}, "play: card is missing: expected t, card", id="no-card"),
        pytest.param({"obs": "play", "t": 1, "card": "red-10"}, "play: card: unknown card 'red-10'", id="unknown-card"),
        pytest.param({"obs": "drew", "t": 1, "seat": 2, "n": 1}, "drew: seat 2: expected a seat, 0 to 1", id="seat"),
        pytest.param({"obs": "drew", "t": 1, "seat": True, "n": 1}, "drew: seat True", id="seat-of-truth"),
        pytest.param({"obs": "drew", "t": 1, "seat": 0, "n": 1.5}, "drew: n 1.5: expected a whole", id="half-a-card"),
        pytest.param(
            {"obs": "drew", "t": 1, "seat": 0, "n": 1, "cards": ["?", "?"]},
            "2 cards, but n is 1",
            id="more-faces-than-n",
        ),
        pytest.param({"obs": "color", "t": 1, "color": "pink"}, "color 'pink': expected one of red", id="color"),
        pytest.param({"obs": "overrule", "t": 1}, "overrule: expected either undo or set", id="overrule-of-nothing"),
        pytest.param({"obs": "overrule", "t": 1, "undo": 0}, "undo 0: expected a whole number, 1", id="undo-nothing"),
        pytest.param({"obs": "overrule", "t": 1, "undo": 2}, "undo 2: expected at most 1", id="undo-too-much"),
        pytest.param({"obs": "overrule", "t": 1, "set": {"tpo": 1}}, "set: unknown field 'tpo'", id="set-unknown"),
        pytest.param({"obs": "overrule", "t": 1, "set": {"hands": [9, 7]}}, "expected 108 together", id="set-hands"),
        pytest.param(
            {"obs": "overrule", "t": 1, "set": {"known": {"0": ["red-0"] * 2}}},
            "2 times red-0: expected 1 at most",
            id="set-faces",
        ),
    ],
)
def test_a_line_that_is_none_ends_the_log(
    line: object, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "game.jsonl"
    file.write_text(log({"obs": "tick", "t": 0}, line), encoding="utf-8")
    assert main.run(["referee", "--json", str(file)]) == 2
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 1
    assert re.fullmatch(rf"croupier: {re.escape(str(file))}, line 3: .*{re.escape(told)}.*\n", err)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        pytest.param({"log": "croupier/2"}, "log 'croupier/2': expected 'croupier/1'", id="format"),
        pytest.param({"ruleset": "g7942-xx"}, "unknown ruleset 'g7942-xx': expected one of", id="ruleset"),
        pytest.param({"seats": ["Ann"]}, "1 seat: expected 2 to 10", id="alone"),
        pytest.param({"seats": ["Ann", 2]}, "seats: name 2: expected a text", id="name-of-a-number"),
        pytest.param({"dealer": 2}, "dealer 2: expected a seat, 0 to 1", id="dealer"),
        pytest.param({"dealr": 2}, "unknown field 'dealr'", id="unknown-field"),
        pytest.param({"teams": [[0, 1]]}, "partners play in pairs: expected an even number", id="teams-of-two-seats"),
        pytest.param({"seats": [*"ABCD"], "teams": [[0], [1]]}, "expected teams of two", id="teams-of-one"),
        pytest.param({"seats": [*"ABCD"], "teams": [[0, 0], [1, 1]]}, "each seat stands once", id="twice-in-a-team"),
        pytest.param({"options": {"targt": 1}}, "unknown field 'targt'", id="unknown-option"),
        pytest.param({"options": {"target": 0}}, "target 0: expected a whole number, 1", id="target"),
        pytest.param({"options": {"limit": 300}}, 'expected with it "variant"', id="limit-alone"),
        pytest.param({"options": {"custom": "x"}}, "g7942-en has no blank wilds", id="not-in-the-document"),
        pytest.param({"given": {"hands": [60, 60]}}, "expected 108 together", id="too-many-cards"),
        pytest.param(
            {"given": {"top": "wild-shuffle"}}, "1 times wild-shuffle: expected 0 at most", id="face-of-another-deck"
        ),
        pytest.param({"given": {"top": "red-7", "discard_pile": 0}}, "the up-card among", id="up-card-of-nothing"),
        pytest.param({"given": {"known": {"5": []}}}, "known of seat '5': expected a seat", id="seat-of-known"),
        pytest.param({"given": {"owed": {"9" * 5000: 1}}}, "9': expected a seat, 0 to 1", id="seat-of-5000-digits"),
        pytest.param({"given": {"known": {"0": ["red-1"] * 8}}}, "but the hand has 7", id="more-known-than-held"),
        pytest.param({"given": {"turn": 1, "out": [1]}}, "expected two seats or more", id="one-left"),
        pytest.param({"given": {"house_rules": {"2": "moo"}}}, "g7942-en has none", id="house-rules"),
        pytest.param({"given": {"phase": "lunch"}}, "phase 'lunch': expected one of turn, drawn, stack", id="phase"),
    ],
)
def test_a_header_that_cannot_be_is_refused(
    change: dict[str, object], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "game.jsonl"
    file.write_text(json.dumps(HEADER | change) + "\n", encoding="utf-8")
    assert main.run(["referee", "--json", str(file)]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert re.fullmatch(rf"croupier: {re.escape(str(file))}, line 1: .*{re.escape(told)}.*\n", err)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "latin").write_bytes(log().encode() + b'{"obs": "tick", "t": 1, "x": "\xe9"}\n')
    for name, told in {
        "missing": "No such file or directory: expected a table log",
        ".": "Is a directory: expected a table log",
        "empty": "line 1: empty: expected a header",
        "latin": "line 2: byte 31 is not UTF-8",
    }.items():
        assert main.run(["referee", str(tmp_path / name)]) == 2
        err = capsys.readouterr().err
        assert told in err
        assert err.count("\n") == 1


def test_each_line_is_answered_before_the_next_is_asked_for() -> None:
    with subprocess.Popen([*COMMAND, "--json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(json.dumps(HEADER) + "\n")
        for i, card in enumerate(("red-1", "blue-1", "blue-2")):
            running.stdin.write(json.dumps({"obs": "play", "t": i, "card": card}) + "\n")
            running.stdin.flush()
            assert json.loads(running.stdout.readline())["i"] == i
        running.stdin.close()
    assert running.returncode == 0
