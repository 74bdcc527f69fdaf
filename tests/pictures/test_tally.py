from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import pytest

from cardsight.camera_check import Checked
from cardsight.sighting import CameraFault, Reading
from cardsight.sources import Picture
from croupier.cli import main
from croupier.errors import CroupierError
from croupier_tally import tally
from tests.pictures.standin import Standin, card_at

LAST = ["red-7", "blue-0", "green-draw2", "yellow-skip", "red-reverse", "wild", "wild-draw4", "green-2*"]
"""A hand of every kind of card: 7 + 0 + 3 x 20 + 2 x 50 + 2."""


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_hands_are_scored_and_added(table: Standin, capsys: pytest.CaptureFixture[str]) -> None:
    images = [table.lay("anna.png", LAST), table.lay("ben.png", ["red-9", "red-9"]), table.lay("eva.png", ["red-0"])]
    assert tally.report_points(images, table.read, as_json=True) == 0
    told = lines(capsys)
    assert [line.get("points") for line in told[:3]] == [169, 18, 0]
    assert told[3:] == [{"total": 187}]
    assert told[0]["image"] == images[0]
    assert set(told[0]) == {"image", "size", "cards", "face_down", "unreadable", "ms", "points"}


@pytest.mark.parametrize(
    ("partial", "points", "total", "status"),
    [
        pytest.param(False, [None, 18], None, 1, id="never-silently-short"),
        pytest.param(True, [7, 18], 25, 0, id="partial"),
    ],
)
def test_a_card_that_cannot_be_read_leaves_no_score(
    table: Standin,
    capsys: pytest.CaptureFixture[str],
    partial: bool,
    points: list[int | None],
    total: int | None,
    status: int,
) -> None:
    images = [table.lay("anna.png", ["red-7", "?"]), table.lay("ben.png", ["red-9", "red-9"])]
    assert tally.report_points(images, table.read, as_json=True, partial=partial) == status
    told = lines(capsys)
    assert [line["points"] for line in told[:2]] == points
    assert told[2] == {"total": total}


HAND = ["red-7", "?", "red-9"]


@pytest.mark.parametrize(
    ("size", "points", "told"),
    [
        pytest.param(2, 16, "the hand is complete: what is marked ? is no card", id="complete"),
        pytest.param(3, None, "3 cards were expected; spread the hand and try again", id="one-unread"),
        pytest.param(1, None, "1 card was expected; spread the hand and try again", id="one-too-many"),
    ],
)
def test_a_hand_whose_number_of_cards_is_told_has_a_score_for_exactly_so_many(
    table: Standin, capsys: pytest.CaptureFixture[str], size: int, points: int | None, told: str
) -> None:
    image = table.lay("anna.png", HAND)
    assert tally.report_points([image], table.read, as_json=True, expected=[size]) == (points is None)
    seen, total = lines(capsys)
    assert (seen["points"], total) == (points, {"total": points})
    tally.report_points([image], table.read, expected=[size])
    shown = capsys.readouterr().out
    assert told in shown
    assert ("could not be read" in shown) == (points is None)


@pytest.mark.parametrize(
    ("answer", "points"),
    [
        pytest.param("", None, id="yes, and three are not known"),
        pytest.param("2", 16, id="the number that was read"),
        pytest.param("3", None, id="another number"),
        pytest.param("?", None, id="no number"),
    ],
)
def test_somebody_at_the_terminal_is_asked_one_question_where_more_cards_are_suspected(
    table: Standin, capsys: pytest.CaptureFixture[str], answer: str, points: int | None
) -> None:
    asked: list[str] = []

    def ask(question: str) -> str:
        asked.append(question)
        return answer

    image = table.lay("anna.png", [*HAND, "?", "?"])
    assert tally.report_points([f"Ann={image}"], table.read, still=table.read, ask=ask) == (points is None)
    assert asked == ["  Ann: 5 cards? (Enter: yes; otherwise how many) "]
    assert ("16 points" in capsys.readouterr().out) == (points is not None)


@pytest.mark.parametrize(
    ("options", "points"),
    [
        pytest.param({}, None, id="nobody tells the number"),
        pytest.param({"ask": lambda _question: ""}, 16, id="asked"),
        pytest.param({"ask": lambda _question: "3"}, None, id="another number"),
        pytest.param({"ask": lambda _question: "what?"}, None, id="no number"),
        pytest.param({"expected": [2]}, 16, id="told"),
        pytest.param({"expected": [3]}, None, id="one is missing"),
        pytest.param({"partial": True}, 16, id="partial"),
    ],
)
def test_cards_that_lie_on_each_other_have_a_sum_only_with_their_number(
    table: Standin, capsys: pytest.CaptureFixture[str], options: dict[str, Any], points: int | None
) -> None:
    table.overlaps = True
    image = table.lay("anna.png", ["red-7", "red-9"])
    assert tally.report_points([image], table.read, still=table.read, **options) == (points is None)
    told = capsys.readouterr().out
    assert ("16 points" in told) == (points is not None)
    is_told = "cards overlap: more may be hidden under them" in told
    assert is_told == (table.told[-1] is None), "the number is not known"
    assert ("count the cards and give their number, as in --cards 2" in told) == (is_told and points is None)


def test_a_picture_is_read_again_with_the_number_that_was_answered(
    table: Standin, capsys: pytest.CaptureFixture[str]
) -> None:
    image = table.lay("anna.png", ["red-7", "?"])

    def still(picture: Picture, number: int | None = None) -> Reading:
        reading = table.read(picture, number)
        return reading if number is None else replace(reading, cards=(reading.cards[0], card_at(40, 10, "red-9")))

    assert tally.report_points([image], table.read, still=still, ask=lambda _question: "2") == 0
    told = capsys.readouterr().out
    assert table.told == [None, 2]
    assert "16 points" in told
    assert told.index("red-7") < told.rindex("red-7"), "the cards are listed again where they changed"


def test_for_programs_cards_that_may_hide_others_leave_no_score(
    table: Standin, capsys: pytest.CaptureFixture[str]
) -> None:
    table.overlaps = True
    image = table.lay("anna.png", ["red-7", "red-9"])
    assert tally.report_points([image], table.read, still=table.read, as_json=True) == 1
    seen, total = lines(capsys)
    assert (seen["points"], seen["may_hide"], total) == (None, True, {"total": None})
    assert seen["if_complete"] == {"cards": 2, "points": 16}


def test_nobody_is_asked_whose_cards_are_all_read_or_counted(table: Standin) -> None:
    def ask(question: str) -> str:
        raise AssertionError(question)

    assert tally.report_points([table.lay("anna.png", ["red-7", "red-9"])], table.read, ask=ask) == 0
    assert tally.report_points([table.lay("ben.png", HAND)], table.read, ask=ask, expected=[2]) == 0
    assert tally.report_points([table.lay("cat.png", ["back"])], table.read, ask=ask) == 1


def test_for_programs_the_points_of_the_cards_read_stand_beside_a_missing_score(
    table: Standin, capsys: pytest.CaptureFixture[str]
) -> None:
    tally.report_points([table.lay("anna.png", HAND)], table.read, as_json=True)
    assert lines(capsys)[0]["if_complete"] == {"cards": 2, "points": 16}


@pytest.mark.parametrize(
    ("candidates", "points"),
    [
        pytest.param({"yellow-4": 0.61, "yellow-4*": 0.37}, 11, id="with or without the icon"),
        pytest.param({color + "-4": 0.24 for color in ("red", "yellow", "green", "blue")}, 11, id="gray picture"),
        pytest.param({"red-skip": 0.5, "red-reverse": 0.45}, 27, id="two actions"),
        pytest.param({"red-6": 0.61, "red-9": 0.37}, None, id="different points"),
        pytest.param({"yellow-4": 0.5, "yellow-4*": 0.3}, None, id="something else is not unlikely"),
        pytest.param({}, None, id="no candidate"),
    ],
)
def test_only_what_changes_the_sum_is_asked(
    table: Standin, capsys: pytest.CaptureFixture[str], candidates: dict[str, float], points: int | None
) -> None:
    image = table.lay("anna.png", ["red-7", "?"])

    def read(picture: Picture) -> Reading:
        first, unread = table.read(picture).cards
        return replace(table.read(picture), cards=(first, replace(unread, candidates=tuple(candidates.items()))))

    assert tally.report_points([image], read, as_json=True) == (points is None)
    assert lines(capsys)[0]["points"] == points


def test_a_hand_without_a_question_is_not_complete_before_its_last_card(
    table: Standin, capsys: pytest.CaptureFixture[str]
) -> None:
    images = [table.lay("anna.png", ["red-7"]), table.lay("ben.png", ["red-9"])]
    assert tally.report_points(images, table.read, expected=[1, 2]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "Total: no score"
    assert tally.report_points(images, table.read, expected=[1, 2], partial=True) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "Total: 16 points"


@pytest.mark.parametrize(("partial", "total"), [(False, None), (True, 7)])
def test_a_hand_whose_picture_is_spoilt_leaves_no_total(
    table: Standin, tmp_path: Path, capsys: pytest.CaptureFixture[str], partial: bool, total: int | None
) -> None:
    images = [table.lay("anna.png", ["red-7"]), str(tmp_path / "none.png")]
    assert tally.report_points(images, table.read, as_json=True, partial=partial) == 2
    told = lines(capsys)
    assert set(told[1]) == {"image", "error"}
    assert told[2] == {"total": total}
    tally.report_points(images, table.read, partial=partial)
    (row,) = (line for line in capsys.readouterr().out.splitlines() if "–" in line)
    assert re.search(r" – +(no score|0 points)", row), "it has no number of cards"


def test_people_see_the_points_of_each_card_and_what_is_not_counted(
    table: Standin, capsys: pytest.CaptureFixture[str]
) -> None:
    images = [table.lay("anna.png", ["red-7", "wild", "back"]), table.lay("ben.png", ["?", "red-9"])]
    tally.report_points(images, table.read)
    told = capsys.readouterr().out
    rows = [line.split() for line in told.splitlines()]
    assert [row[-1] for row in rows if row and row[0] in ("red-7", "wild", "red-9")] == ["7", "50", "9"]
    assert any(row[0] == "?" and "?" in row[1:] for row in rows if row)
    assert "57 points" in told
    assert "1 card face down: not counted" in told
    assert "1 card could not be read: --partial counts the others" in told
    assert told.splitlines()[-1] == "Total: no score"


def test_the_score_is_drawn_onto_the_picture(table: Standin, tmp_path: Path) -> None:
    image, out = table.lay("anna.png", ["red-7", "?"]), tmp_path / "scored.png"
    tally.report_points([image], table.read, picture=str(out), partial=True)
    given, drawn = cv2.imread(image), cv2.imread(str(out))
    assert given is not None
    assert drawn is not None
    assert (drawn != given).any()


def test_an_unknown_ruleset_is_refused_before_anything_is_read(table: Standin) -> None:
    image = table.lay("anna.png", ["red-7"])
    with pytest.raises(CroupierError, match="g7942-en"):
        tally.report_points([image], lambda picture: pytest.fail("was read"), "g7942-xx")


@pytest.mark.parametrize("faces", [[], ["back", "back"]])
def test_a_picture_without_a_card_face_up_has_no_score(
    table: Standin, capsys: pytest.CaptureFixture[str], faces: list[str]
) -> None:
    images = [table.lay("anna.png", ["red-7"]), table.lay("ben.png", faces)]
    assert tally.report_points(images, table.read) == 1
    told = capsys.readouterr().out
    assert "no card face up was found" in told
    assert told.splitlines()[-1] == "Total: no score"
    assert tally.report_points(images, table.read, partial=True) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "Total: 7 points"


def test_hands_have_names_and_a_row_each(table: Standin, capsys: pytest.CaptureFixture[str]) -> None:
    images = [f"Ann={table.lay('1.png', ['red-7', 'wild'])}", f"Ben={table.lay('2.png', ['red-9'])}"]
    assert tally.report_points(images, table.read) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows[-3:] == [
        ["Ann", "2", "cards", "57", "points"],
        ["Ben", "1", "card", "9", "points"],
        ["Total:", "66", "points"],
    ]
    tally.report_points(images, table.read, as_json=True)
    assert [(line.get("name"), line.get("points")) for line in lines(capsys)[:2]] == [("Ann", 57), ("Ben", 9)]


def test_a_file_whose_name_has_an_equals_sign_is_that_file(table: Standin) -> None:
    image = table.lay("a=b.png", ["red-7"])
    assert tally.split_name(image) == (None, image)
    assert tally.split_name("Ann=hand.jpg") == ("Ann", "hand.jpg")


def test_a_card_cut_off_by_the_edge_is_told(table: Standin, capsys: pytest.CaptureFixture[str]) -> None:
    image = table.lay("anna.png", ["red-7"])

    def still(picture: Picture) -> Reading:
        return replace(table.read(picture), cards=(*table.read(picture).cards, card_at(-8, 40, "?")))

    assert tally.report_points([image], table.read, still=still) == 1
    assert "a card is cut off by the edge of the picture" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("fault", "is_mended", "points", "status", "said"),
    [
        pytest.param(
            "torn", False, None, 1, "The lower part of the picture is missing. Take the picture again", id="torn"
        ),
        pytest.param(
            "mirrored", True, 7, 0, "The picture is mirrored. It was put right for this reading.", id="mended"
        ),
    ],
)
def test_a_camera_that_shows_the_hand_wrongly_is_told_and_gives_no_sum_of_it(
    table: Standin, capsys: pytest.CaptureFixture[str], fault: CameraFault, is_mended: bool, points: int | None,
    status: int, said: str,
) -> None:  # fmt: skip
    image = table.lay("anna.png", ["red-7"])

    def read(picture: Picture) -> Reading:
        return replace(table.read(picture), fault=fault, is_mended=is_mended)

    assert tally.report_points([image], read, as_json=True) == status
    line = lines(capsys)[0]
    assert (line["points"], line["camera"], line["mended"]) == (points, fault, is_mended)
    assert tally.report_points([image], read) == status
    assert said in capsys.readouterr().out


@pytest.mark.parametrize(
    ("rules", "options", "faces"),
    [
        pytest.param("", ["--deck", "g7942"], ["red-0", "?"], id="option"),
        pytest.param('[rules]\nbase = "g7942-en"\n', [], ["red-0", "?"], id="rules-of-the-table"),
        pytest.param("[deck]\n", [], ["red-0", "red-0"], id="by-what-is-seen"),
        pytest.param('[rules]\nbase = "g7942-en"\n', ["--deck", "no-mercy"], ["red-0", "red-0"], id="option-first"),
    ],
)
@pytest.mark.parametrize("command", ["tally", "read"])
def test_a_hand_has_no_card_more_often_than_its_deck(
    table: Standin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    command: str, rules: str, options: list[str], faces: list[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("croupier.toml").write_text(rules)
    known: list[object] = []

    def read(levels: list[Picture], cards: object = None) -> Reading:
        known.append(cards)
        return table.read(levels[0])

    monkeypatch.setattr("croupier.pictures.table_reader.shipped_model", lambda: None)
    monkeypatch.setattr("croupier.pictures.table_reader._reader", lambda *_args: (SimpleNamespace(read=read), None))
    monkeypatch.setattr(
        "cardsight.explanation.Explanation",
        lambda _levels, reading, *_args, **_options: SimpleNamespace(reading=lambda _number: reading),
    )
    monkeypatch.setattr("cardsight.camera_check.checked", lambda levels, reading, *_args: Checked(levels, reading))
    main.run([command, table.lay("anna.png", ["red-0", "red-0"]), "--json", *options])
    told = json.loads(capsys.readouterr().out.splitlines()[0])
    assert [card["card"] for card in told["cards"]] == faces
    assert (known[0] is None) is (not rules.startswith("[rules]") and not options)
    if "?" in faces:
        assert told["cards"][1]["doubts"] == ["deck"]
