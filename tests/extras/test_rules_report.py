"""`croupier rules`: the sheets told, compared and explained, and the table in the documentation."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from croupier.cli import main
from croupier.i18n.rules import GROUPS
from croupier_rules.referee import Explainer, Header, Referee
from croupier_rules.referee.fields import PositionFields
from croupier_rules.referee.transitions import PHASES
from croupier_rules.rules import load, names
from croupier_rules.rules.catalogue import FOR_PEOPLE, VALUES
from tests.longer import some
from tools import rules_table
from tools.lock import ROOT

POINTS = [point for group in GROUPS.values() for point in group]
SPANISH = {
    "dealer.pick": (
        "whoever picks the highest card; an action card counts 0",
        "whoever picks the highest number; an action card",
    ),
    "start.first_player": ("the player to the dealer's left", "the player to the dealer's right"),
    "start.direction": ("to the left (clockwise)", "to the right"),
}
"""What the English and the Spanish sheet rule otherwise."""

GAME = (
    {
        "log": "croupier/1",
        "ruleset": "g7942-en+wd4.challenge.who=any",
        "seats": ["Ann", "Ben", "Cat"],
        "dealer": 2,
        "given": {"top": "red-7", "hands": [2, 5, 6], "owed": {"1": 2}},
    },
    None,
    {"obs": "play", "t": 2, "card": "wild-draw4"},
    {"obs": "color", "t": 3, "color": "blue"},
    {"obs": "challenge", "t": 4, "seat": 2},
)
WHY = """\
           UNO instruction sheet G7942, English (house)
           It is Ann's turn; play runs to the left. The up-card is Wild Draw Four. Ann has to name a color. \
Ben still has to draw 2 cards. Ann has not called UNO, and may still be caught.
     3.00  Ann names blue.
           The color to match is blue.
             The sheet says (card.wild.current_color): \
“The person playing this card calls for any color to continue the play, including the one currently being played, \
if so desired.”
           Ben may challenge the Wild Draw Four. Cat may challenge the Wild Draw Four.
             The table's own choice (wd4.challenge.who).
"""
Told = Callable[..., str]


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Told:
    """What a command line that must succeed prints."""

    def run(*arguments: str) -> str:
        assert main.run(["rules", *arguments]) == 0
        return capsys.readouterr().out

    return run


@pytest.fixture
def game(tmp_path: Path) -> str:
    file = tmp_path / "game.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" if line else "\n" for line in GAME), encoding="utf-8")
    return str(file)


def test_every_rule_has_a_question_and_every_value_words() -> None:
    assert sorted(point.rule for point in POINTS) == sorted(VALUES)
    for point in POINTS:
        assert point.question.endswith("?")
        numbers = {str(value) for value in VALUES[point.rule] if isinstance(value, int) and point.numbers}
        assert point.words.keys() == {str(value) for value in VALUES[point.rule]} - numbers
        assert point.alike <= point.words.keys()


@pytest.mark.parametrize("name", some(names(), 3))
def test_a_sheet_is_described_whole(name: str, told: Told) -> None:
    rules, words, lines = load(name), json.loads(told("show", name, "--json")), told("show", name).splitlines()
    assert [point["rule"] for point in words["rules"]] == [point.rule for point in POINTS]
    for point in words["rules"]:
        row = rules.rules.get(point["rule"])
        assert point["value"] == rules.value(point["rule"])
        assert point["reading"] in ("own-words" if rules.own_words else "literal", "proposed", "silent")
        for text in (*row.quotes.values(), row.quote, *row.proposed.values()) if row else ():
            assert any(text in line for line in lines)


def test_only_what_is_ruled_otherwise_is_a_difference(told: Told) -> None:
    listed = {line["name"]: line["rules"] for line in map(json.loads, told("presets", "--json").splitlines())}
    assert listed["stacking"] == {"stack.draw2": "draw2", "stack.wd4": "wild-draw4"}
    words = json.loads(told("diff", "g7942-en", "g7942-es", "--json"))
    assert [point["rule"] for point in words["differences"]] == list(SPANISH)
    people = told("diff", "g7942-en", "g7942-es")
    for english, spanish in SPANISH.values():
        assert f"  A: {english}" in people
        assert f"  B: {spanish}" in people
    assert "“Empieza la partida el jugador que se encuentra situado a la derecha" in people


@pytest.mark.parametrize("name", some(names(), 3))
def test_differences_are_the_same_from_both_sides(name: str, told: Told) -> None:
    there, back = (
        json.loads(told("diff", *pair, "--json"))["differences"] for pair in (("g7942-en", name), (name, "g7942-en"))
    )
    assert [(point["rule"], point["a"], point["b"]) for point in there] == [
        (point["rule"], point["b"], point["a"]) for point in back
    ]
    assert FOR_PEOPLE.isdisjoint(point["rule"] for point in there)


def test_a_sheet_does_not_differ_from_itself(told: Told) -> None:
    assert "No ruling differs." in told("diff", "g7942-fr", "g7942-fr")


def test_the_table_s_own_rules_are_listed_shown_and_compared(
    told: Told, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert [line.split()[0] for line in told().splitlines()] == list(names())
    (tmp_path / "croupier.toml").write_text((ROOT / "docs/croupier.toml").read_text(encoding="utf-8"), encoding="utf-8")
    assert [json.loads(line)["name"] for line in told("--json").splitlines()] == [*names(), "house"]
    (shown,) = (p for p in json.loads(told("show", "house", "--json"))["rules"] if p["rule"] == "penalty.hint")
    assert (shown["value"], shown["reading"]) == (2, "chosen")
    assert re.search(r"  B: 2 cards\n +the table's own choice\n", told("diff", "g7942-en", "house"))


def test_house_rules_of_a_name_are_listed_and_compared(told: Told) -> None:
    assert "party: Party\n" in told("presets")
    assert "    stack.draw2 = draw2\n" in told("presets")
    words = json.loads(told("diff", "g7942-en", "g7942-en", "--house", "party", "--json"))
    assert [point["rule"] for point in words["differences"]] == [
        "stack.draw2", "stack.wd4", "jump_in", "seven", "zero",
    ]  # fmt: skip
    assert {point["b"]["reading"] for point in words["differences"]} == {"chosen"}
    assert "    whoever plays a 7 swaps hands with another player\n    " in told("show", "g7942-fr", "--house", "party")
    assert "    4 cards\n" in told("show", "g7942-en+uno.penalty=4")


def test_a_table_without_rules_of_its_own_is_not_listed(
    told: Told, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "croupier.toml").write_text('[camera]\nsource = "pi"\n', encoding="utf-8")
    assert "house" not in [line.split()[0] for line in told().splitlines()]


def test_a_mistake_in_the_table_s_own_rules_is_reported_after_the_printed_ones(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "croupier.toml").write_text('[rules]\nbase = "g7942"\n', encoding="utf-8")
    assert main.run(["rules"]) == 2
    out, err = capsys.readouterr()
    assert [line.split()[0] for line in out.splitlines()] == list(names())
    assert err.startswith("croupier: croupier.toml:2: [rules] base: g7942: unknown rule sheet: ")


def test_a_line_is_explained_with_the_position_before_it(game: str, told: Told) -> None:
    assert told("why", game, "--at", "4") == WHY


def test_a_line_is_explained_to_programs(game: str, told: Told) -> None:
    words = json.loads(told("why", game, "--at", "4", "--json"))
    assert words["line"] == 4
    assert words["observation"] == {"obs": "color", "t": 3.0, "color": "blue"}
    assert (words["position"]["phase"], words["position"]["owed"]) == ("color", {"1": 2})
    color, challenge = words["rulings"]
    assert color["quote"].startswith("The person playing this card calls for any color to continue the play, including")
    assert challenge == {
        "ruling": "may_challenge",
        "rule": "wd4.challenge.who",
        "seats": [1, 2],
        "text": "Ben may challenge the Wild Draw Four. Cat may challenge the Wild Draw Four.",
        "chosen": True,
    }


@pytest.mark.parametrize("name", names())
def test_every_position_can_be_described(name: str) -> None:
    rules = load(name)
    sevens = (face for face in rules.cards if face.endswith("-7"))
    top = next(sevens, next(iter(rules.cards)))  # All Wild has no sevens
    header = Header(ruleset=rules, seats=("Ann", "Ben", "Cat"), dealer=2, given={"top": top})
    position = Referee(header).position() | PositionFields(turn=0, owed={"1": 2}, catchable=[2])
    said = [Explainer(header).standing(position | PositionFields(phase=phase)) for phase in (*PHASES, "paused")]
    assert len(set(said)) == len(said)
    for text in said:
        assert "{" not in text
        assert all(player in text for player in header.seats)


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        pytest.param("show g7942-fx", "unknown ruleset 'g7942-fx': did you mean g7942-fr? expected one of ", id="show"),
        pytest.param("show g7942-en --house prty", "unknown house rules 'prty': did you mean party? ", id="no-preset"),
        pytest.param("diff g7942-en house", "croupier.toml: No such file or directory: expected", id="no-house"),
        pytest.param(
            "diff g7942-en", "rules diff: Missing argument 'B'; see croupier rules diff --help", id="one-only"
        ),
        pytest.param("why GAME", "rules why: Missing option '--at'", id="no-line"),
        pytest.param("why GAME --at 0", "rules why: Invalid value for '--at'", id="line-0"),
        pytest.param("why GAME --at 1", "line 1: the header, on which nothing is ruled: expected", id="header"),
        pytest.param("why GAME --at 2", "line 2: empty: expected the line of a report, such as 3", id="empty-line"),
        pytest.param("why GAME --at 6", "line 6: the log ends with line 5: expected a line from 2 to 5", id="end"),
        pytest.param("why nowhere --at 2", "nowhere: No such file or directory: expected a table log", id="no-log"),
        pytest.param("shwo g7942-fr", "No such command 'shwo'.", id="command"),
    ],
)
def test_bad_input_gets_one_line(
    arguments: str,
    fault: str,
    game: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main.run(["rules", *arguments.replace("GAME", game).split()]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert fault in err
    assert err.count("\n") == 1


def test_of_a_header_alone_there_is_nothing_to_explain(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "begun.jsonl").write_text(json.dumps(GAME[0]) + "\n", encoding="utf-8")
    assert main.run(["rules", "why", str(tmp_path / "begun.jsonl"), "--at", "2"]) == 2
    assert "line 2: the log is a header alone: expected one with reports" in capsys.readouterr().err


def test_a_log_that_breaks_off_before_the_line_is_refused(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    with open(game, "a", encoding="utf-8") as file:
        file.write("no report\n")
    assert main.run(["rules", "why", game, "--at", "5"]) == 0
    assert main.run(["rules", "why", game, "--at", "7"]) == 2
    assert "line 6: expected a JSON object" in capsys.readouterr().err


@pytest.mark.parametrize("width", some([80, 120], 2))
def test_nothing_runs_out_of_a_terminal(width: int) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", "from croupier.cli.main import main; main()", "rules", "diff", "g7942-en", "g7942-es"],
        stdout=theirs,
        env={**os.environ, "COLUMNS": str(width), "TERM": "xterm"},
    ) as running:
        os.close(theirs)
        shown = _until_it_closes(ours).decode()
    assert running.returncode == 0
    assert "\x1b[1m" in shown
    widths = [len(line) for line in re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines()]
    assert width * 0.8 < max(widths) <= width


def _until_it_closes(terminal: int) -> bytes:
    shown = b""
    with suppress(OSError):  # how Linux says that nobody holds the other end any more
        while more := os.read(terminal, 4096):
            shown += more
    os.close(terminal)
    return shown


def test_the_table_in_the_documentation_is_what_the_data_say() -> None:
    text = rules_table.PAGE.read_text(encoding="utf-8")
    assert rules_table.page(text) == text, "docs/rules.md is not as the rules are now: run `make docs`"


def test_the_table_marks_what_differs_and_what_is_a_reading() -> None:
    text = rules_table.table([load(name) for name in ("g7942-en", "g7942-es", "g7942-fr")])
    left, right = "the player to the dealer's left", "the player to the dealer's right"
    assert f"| Who begins? `start.first_player` | {left} | {right}: es |" in text.splitlines()
    assert "`wd4.challenge.who` († en, es)" in text
    assert "The same in all sheets: `deck.size`, `players.count`, `goal`, `deal.hand`." in text
