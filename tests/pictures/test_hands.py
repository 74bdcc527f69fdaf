"""`croupier score new`, `add`, `undo`: rounds from pictures and from typed cards."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from cardsight.decision import limited
from cardsight.sighting import Reading
from cardsight.sources import Picture
from croupier.cli import main
from croupier.files import put
from croupier.pictures.readings import Read
from tests.pictures.standin import Standin

SHEET = Path("croupier.score")


@pytest.fixture(autouse=True)
def begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: Standin) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("croupier.pictures.table_reader.hand_readers", lambda *_, **__: (table.read, table.read, None))
    monkeypatch.setattr("croupier.ctrl_c.terminal", lambda: None)
    assert main.run(["score", "new", "Ann", "Ben", "Cat"]) == 0


def answers(monkeypatch: pytest.MonkeyPatch, *lines: str) -> list[str]:
    """Somebody sits at the terminal and answers so; returns what was asked."""
    asked: list[str] = []
    left: Iterator[str] = iter(lines)

    def ask(question: str) -> str:
        asked.append(question)
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("croupier.ctrl_c.terminal", lambda: ask)
    return asked


def totals(capsys: pytest.CaptureFixture[str]) -> list[int]:
    capsys.readouterr()
    assert main.run(["score", "--json"]) == 0
    return list(json.loads(capsys.readouterr().out)["totals"])


def test_a_round_is_added_from_pictures_and_typed_cards(table: Standin, capsys: pytest.CaptureFixture[str]) -> None:
    ben = table.lay("ben.png", ["red-7", "wild"])
    assert main.run(["score", "add", "Ann=out", f"Ben={ben}", "Cat=r9,+4"]) == 0
    assert "Total   116     0     0" in capsys.readouterr().out
    assert totals(capsys) == [116, 0, 0]


def test_a_card_that_another_hand_of_the_round_holds_is_asked_for(
    table: Standin, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The deck has one red 0, and two red 7."""

    def readers(_profile: object, cards: Mapping[str, int], **_: bool) -> tuple[Read, Read, None]:
        def read(picture: Picture, number: int | None = None) -> Reading:
            return limited([table.read(picture, number)], cards)[0]

        return read, read, None

    monkeypatch.setattr("croupier.pictures.table_reader.hand_readers", readers)
    monkeypatch.setenv("COLUMNS", "160")
    asked = answers(monkeypatch, "2", "red-8")
    ben, cat = table.lay("ben.png", ["red-0", "red-7"]), table.lay("cat.png", ["red-7", "red-0"])
    assert main.run(["score", "add", "Ann=out", f"Ben={ben}", f"Cat={cat}"]) == 0
    assert "the deck has no more of it" in capsys.readouterr().out
    assert len(asked) == 2
    assert totals(capsys) == [22, 0, 0]


def test_for_programs_the_result_stands_alone_on_standard_output(
    table: Standin, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert main.run(["score", "add", "Ann=out", f"Ben={table.lay('ben.png', ['red-7'])}", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["totals"], told["missing"]) == ([0, 0, 0], ["Cat"])


def test_a_card_that_cannot_be_read_leaves_the_sheet_as_it_was(
    table: Standin, capsys: pytest.CaptureFixture[str]
) -> None:
    before, ben = SHEET.read_bytes(), table.lay("ben.png", ["red-7", "?"])
    assert main.run(["score", "add", "Ann=out", "Cat=r9", f"Ben={ben}"]) == 1
    told = capsys.readouterr().out
    assert (
        "Ben, card 2 (red-6 / red-9?): could not be read; type the cards of this hand, as in Ben=red-7,blue-2" in told
    )
    assert SHEET.read_bytes() == before


def test_somebody_at_the_terminal_is_asked_for_it(
    table: Standin, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ben = table.lay("ben.png", ["red-7", "?", "?"])
    asked = answers(monkeypatch, "2", "no idea", "red 6", "-")
    assert main.run(["score", "add", "Ann=out", "Cat=r9", f"Ben={ben}"]) == 0
    assert asked == [
        "  Ben: 3 cards? (Enter: yes; otherwise how many) ",
        "  Ben, card 2 (red-6 / red-9?), - if it is no card: ",
        "  That is no card; expected such as red 7, r7, +4: ",
        "  Ben, card 3 (red-6 / red-9?), - if it is no card: ",
    ]
    assert totals(capsys) == [22, 0, 0]


@pytest.mark.parametrize(
    ("said", "status", "total"),
    [
        pytest.param(["", "r6", "r6"], 0, 37, id="yes"),
        pytest.param(["2"], 0, 25, id="all-were-read"),
        pytest.param(["3", "r6", "-"], 0, 31, id="one-is-named"),
        pytest.param(["4", "r6", "-"], 1, 0, id="one-is-missing"),
        pytest.param(["0", "-", "-"], 1, 0, id="one-too-many"),
        pytest.param(["²", "-", "-"], 0, 25, id="no-number"),
    ],
)
def test_who_says_how_many_cards_there_are_is_asked_no_more_if_so_many_were_read(
    table: Standin,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    said: list[str],
    status: int,
    total: int,
) -> None:
    ben = table.lay("ben.png", ["red-7", "?", "?", "red-9"])
    asked = answers(monkeypatch, *said)
    assert main.run(["score", "add", "Ann=out", "Cat=r9", f"Ben={ben}"]) == status
    assert len(asked) == len(said)
    assert ("cards were expected" in capsys.readouterr().out) == bool(status)
    assert totals(capsys) == [total, 0, 0]


@pytest.mark.parametrize(
    ("said", "status", "total"),
    [
        pytest.param([""], 0, 25, id="yes"),
        pytest.param(["3"], 1, 0, id="one-is-missing"),
        pytest.param(["?"], 1, 0, id="no-number"),
        pytest.param(None, 1, 0, id="nobody-is-there"),
    ],
)
def test_cards_that_lie_on_each_other_are_added_only_with_their_number(
    table: Standin, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], said: list[str] | None,
    status: int, total: int,
) -> None:  # fmt: skip
    table.overlaps = True
    ben = table.lay("ben.png", ["red-7", "red-9"])
    asked = [] if said is None else answers(monkeypatch, *said)
    assert main.run(["score", "add", "Ann=out", "Cat=r9", f"Ben={ben}"]) == status
    assert asked == (["  Ben: 2 cards? (Enter: yes; otherwise how many) "] if said else [])
    hint = "cards overlap: more may be hidden under them; type the cards of this hand, as in Ben=red-7,blue-2"
    assert (hint in capsys.readouterr().out) == (said in (None, ["?"]))
    assert totals(capsys) == [total, 0, 0]


@pytest.mark.parametrize(
    ("faces", "cards", "status", "total"),
    [
        pytest.param(["red-7", "red-9"], "2,1", 0, 25, id="all"),
        pytest.param(["red-7", "?", "red-9"], "2,1", 0, 25, id="the ? is no card"),
        pytest.param(["red-7", "?"], "2,1", 1, 0, id="one is not read"),
        pytest.param(["red-7", "red-9"], "3,1", 1, 0, id="one is missing"),
        pytest.param(["red-7", "red-9"], "1,1", 1, 0, id="one too many"),
    ],
)
def test_who_counts_the_cards_of_each_hand_is_not_asked(
    table: Standin, capsys: pytest.CaptureFixture[str], faces: list[str], cards: str, status: int, total: int
) -> None:
    table.overlaps = True
    ben = table.lay("ben.png", faces)
    assert main.run(["score", "add", "Ann=out", f"Ben={ben}", "Cat=r9", "--cards", cards]) == status
    assert table.told == [int(cards[0])]
    assert totals(capsys) == [total, 0, 0]


@pytest.mark.parametrize(
    ("cards", "expected"),
    [("two", "7,2"), ("3", "7,2"), ("3,2,1", "7,2"), ("3,4", "7,2")],
    ids=["no number", "too few", "too many", "not as typed"],
)
def test_a_number_is_needed_for_each_hand_and_as_it_was_typed(
    table: Standin, capsys: pytest.CaptureFixture[str], cards: str, expected: str
) -> None:
    before, ben = SHEET.read_bytes(), table.lay("ben.png", ["red-7"])
    assert main.run(["score", "add", f"Ben={ben}", "Ann=out", "Cat=r9,b1", "--cards", cards]) == 2
    told = f"--cards {cards}: expected a number for each hand, as in --cards {expected}"
    assert told in capsys.readouterr().err
    assert (SHEET.read_bytes(), table.told) == (before, [])


def test_nobody_answers_and_nothing_is_written(table: Standin, monkeypatch: pytest.MonkeyPatch) -> None:
    before, ben = SHEET.read_bytes(), table.lay("ben.png", ["?"])
    answers(monkeypatch)
    assert main.run(["score", "add", "Ann=out", f"Ben={ben}"]) == 1
    assert SHEET.read_bytes() == before


def test_a_round_can_be_answered_question_by_question(
    table: Standin, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = answers(monkeypatch, "Be", "red-7 blue-7", "nonsense", table.lay("cat.png", ["wild"]))
    assert main.run(["score", "add"]) == 0
    assert [question.split(",")[0] for question in asked] == [
        "Who went out? ", "The cards of Ann", "The cards of Cat", "The cards of Cat",
    ]  # fmt: skip
    assert totals(capsys) == [0, 64, 0]


def test_hands_that_come_one_by_one_make_a_round(capsys: pytest.CaptureFixture[str]) -> None:
    for hand in ("Ann=out", "Ben=r7"):
        assert main.run(["score", "add", hand]) == 0
    assert "Round 1: the cards of Cat are still missing." in capsys.readouterr().out
    assert totals(capsys) == [0, 0, 0]
    assert main.run(["score", "add", "Cat=b1"]) == 0
    assert totals(capsys) == [8, 0, 0]


def test_undo_takes_back_the_last_round(capsys: pytest.CaptureFixture[str]) -> None:
    for winner, loser in (("Ann", "Ben"), ("Ben", "Ann")):
        assert main.run(["score", "add", f"{winner}=out", f"{loser}=r7", "Cat=b1"]) == 0
    assert main.run(["score", "undo"]) == 0
    assert totals(capsys) == [8, 0, 0]


@pytest.mark.parametrize(
    ("hands", "told"),
    [
        pytest.param(["Ben=red-7"], "Say first who went out. (Ann=out)", id="nobody-out"),
        pytest.param(["Ann=out", "Ben=out"], "two players are out", id="two-out"),
        pytest.param(["Dora=out"], "Dora does not play; expected one of Ann, Ben, Cat", id="stranger"),
        pytest.param(["Ann=out", "Ann=red-7"], "Ann stands twice", id="twice"),
        pytest.param(["Ann=out", "Ben=eleven"], "eleven: neither a card nor a picture", id="no-card"),
        pytest.param(["Ann=out", "Ben=none.jpg"], "none.jpg: no such file; expected a picture", id="no-picture"),
        pytest.param(["red-7"], "red-7: expected such as Ann=out", id="nobody"),
        pytest.param(["Ann=out", "Ben=red-7,red-7", "Cat=red-7"], "red 7: 3 in this round", id="too-many"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line_and_nothing_is_written(
    hands: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = SHEET.read_bytes()
    assert main.run(["score", "add", *hands]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert told in line
    assert SHEET.read_bytes() == before


def test_one_picture_is_not_the_hand_of_two(table: Standin, capsys: pytest.CaptureFixture[str]) -> None:
    ben = table.lay("ben.png", ["red-7"])
    assert main.run(["score", "add", "Ann=out", f"Ben={ben}", f"Cat={ben}"]) == 2
    assert "are the same; give each player their own hand" in capsys.readouterr().err


def test_a_torn_picture_is_no_hand(
    table: Standin, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def read(picture: Picture) -> Reading:
        return replace(table.read(picture), fault="torn")

    monkeypatch.setattr("croupier.pictures.table_reader.hand_readers", lambda *_, **__: (read, read, None))
    assert main.run(["score", "add", "Ann=out", f"Ben={table.lay('ben.png', ['red-7'])}", "Cat=r9"]) == 1
    assert "The lower part of the picture is missing." in capsys.readouterr().out
    assert totals(capsys) == [0, 0, 0]


def test_a_hand_without_a_card_is_no_hand(table: Standin, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["score", "add", "Ann=out", f"Ben={table.lay('ben.png', ['back'])}"]) == 1
    assert "no card face up was found" in capsys.readouterr().out


def test_a_score_without_a_sheet_or_a_game_says_how_to_begin_one(capsys: pytest.CaptureFixture[str]) -> None:
    SHEET.unlink()
    assert main.run(["score"]) == 2
    assert "begin a score sheet with croupier score new" in capsys.readouterr().err


def test_damage_is_reported_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    put(SHEET, SHEET.read_bytes() + b'{"obs": "shown"')
    for command in (["undo"], ["add", "Ann=out"], ["show"]):
        capsys.readouterr()
        assert main.run(["score", *command]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("croupier: croupier.score, line 2: ")


@pytest.mark.parametrize("operation", ["replace", "fsync", "chmod"])
def test_a_disk_that_fails_leaves_the_sheet_as_it_was(
    operation: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = SHEET.read_bytes()

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(f"os.{operation}", fail)
        assert main.run(["score", "add", "Ann=out", "Ben=r7", "Cat=b1"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "croupier.score: No space left on device: nothing was changed" in line
    assert SHEET.read_bytes() == before
    assert list(SHEET.absolute().parent.iterdir()) == [SHEET.absolute()]


def test_a_sheet_is_never_overwritten(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["score", "new", "Eva", "Flo"]) == 2
    assert "already exists" in capsys.readouterr().err
    assert main.run(["score", "add", "Ann=out", "--sheet", "other.score"]) == 2
    assert "begin one with croupier score new" in capsys.readouterr().err


def test_a_log_and_the_default_are_shown_without_a_subcommand(capsys: pytest.CaptureFixture[str]) -> None:
    for line in (["score"], ["score", "croupier.score"], ["score", "--json"], ["score", "show"]):
        assert main.run(line) == 0
    assert main.run(["score", "--journal", "none.journal"]) == 2
    assert "none.journal" in capsys.readouterr().err
