from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import pytest

from cardsight.sighting import Reading
from croupier.cli import main
from croupier.errors import CannotWrite
from croupier.i18n import speaking
from croupier.pictures.readings import in_rows
from croupier_tally.sources import report_cards
from tests.pictures.standin import Standin, card_at


def test_json_has_the_fields_of_the_contract(table: Standin, capsys: pytest.CaptureFixture[str]) -> None:
    image = table.lay("table.png", ["red-7", "back", "?"])
    assert report_cards([image], table.read, as_json=True) == 0
    assert json.loads(capsys.readouterr().out) == {
        "image": image,
        "size": [200, 100],
        "cards": [
            {
                "card": "red-7",
                "confidence": 0.998,
                "quad": [[10, 10], [30, 10], [30, 40], [10, 40]],
                "symbol": "circle",
            },
            {
                "card": "?",
                "confidence": 0.61,
                "quad": [[70, 10], [90, 10], [90, 40], [70, 40]],
                "symbol": None,
                "candidates": [{"card": "red-6", "confidence": 0.61}, {"card": "red-9", "confidence": 0.37}],
            },
        ],
        "face_down": 1,
        "unreadable": 1,
        "ms": 21.4,
    }


def test_why_a_card_is_hard_to_read_is_told_to_programs_and_to_people(
    table: Standin, capsys: pytest.CaptureFixture[str]
) -> None:
    image = table.lay("table.png", ["red-7", "?"])
    doubted = replace(card_at(70, 10, "?"), doubts=("blur", "cut"))
    reading = Reading((200, 100), (card_at(10, 10, "red-7"), doubted))
    assert report_cards([image], lambda _picture: reading, as_json=True) == 0
    cards = json.loads(capsys.readouterr().out)["cards"]
    assert [card.get("doubts") for card in cards] == [None, ["blur", "cut"]]
    with speaking("de"):
        report_cards([image], lambda _picture: reading)
    assert "unscharf, vom Rand abgeschnitten" in " ".join(capsys.readouterr().out.split())


def test_cards_that_may_hide_others_are_listed_and_that_is_told(
    table: Standin, capsys: pytest.CaptureFixture[str]
) -> None:
    table.overlaps = True
    image = table.lay("table.png", ["red-7", "red-9"])
    assert report_cards([image], table.read, as_json=True) == 0
    assert json.loads(capsys.readouterr().out)["may_hide"] is True
    assert report_cards([image], table.read) == 0
    assert "cards overlap: more may be hidden under them" in capsys.readouterr().out
    table.overlaps = False
    report_cards([image], table.read)
    assert "be hidden" not in capsys.readouterr().out


def test_of_a_covered_card_the_one_above_is_told(table: Standin, capsys: pytest.CaptureFixture[str]) -> None:
    image = table.lay("table.png", ["red-7", "?"])
    hidden = replace(card_at(70, 10, "?"), doubts=("covered",), under="red-7")
    reading = Reading((200, 100), (card_at(10, 10, "red-7"), hidden))
    assert report_cards([image], lambda _picture: reading, as_json=True) == 0
    assert [card.get("under") for card in json.loads(capsys.readouterr().out)["cards"]] == [None, "red-7"]
    report_cards([image], lambda _picture: reading)
    assert "covered by: red-7" in " ".join(capsys.readouterr().out.split())


def test_files_that_are_no_pictures_have_their_own_line_and_the_others_are_read(
    table: Standin, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "list.txt"
    text.write_text("red-7\n")
    images = [table.lay("a.png", ["red-7"]), str(text), str(tmp_path / "none.jpg"), table.lay("b.png", [])]
    assert report_cards(images, table.read, as_json=True) == 2
    told = capsys.readouterr()
    lines = [json.loads(line) for line in told.out.splitlines()]
    assert [line["image"] for line in lines] == images
    assert [set(line) == {"image", "error"} for line in lines] == [False, True, True, False]
    assert told.err.splitlines() == [f"croupier read: {images[n]}: {lines[n]['error']}" for n in (1, 2)]


def test_each_line_is_out_before_the_next_picture_is_read(table: Standin, capsys: pytest.CaptureFixture[str]) -> None:
    images = [table.lay("a.png", ["red-7"]), table.lay("b.png", ["blue-2"])]
    before: list[int] = []

    def slow_read(picture: object) -> object:
        before.append(len(capsys.readouterr().out.splitlines()))
        return table.read(picture)  # type: ignore[arg-type]

    report_cards(images, slow_read, as_json=True)  # type: ignore[arg-type]
    assert before == [0, 1]


def test_people_see_every_card_and_what_a_doubtful_one_may_be(
    table: Standin, capsys: pytest.CaptureFixture[str]
) -> None:
    report_cards([table.lay("[bold]table.png", ["red-7", "wild", "?", "back"])], table.read)
    told = capsys.readouterr().out
    assert "[bold]table.png: 3 cards, unreadable: 1, face down: 1" in told
    assert "red-7" in told
    assert "99.8%" in told
    assert "red-6 / red-9" in told
    assert "\x1b" not in told


def test_cards_are_reported_in_the_order_in_which_people_read() -> None:
    upper = [card_at(10, 12, "red-1"), card_at(50, 5, "red-2"), card_at(90, 20, "red-3")]
    lower = [card_at(12, 60, "blue-1"), card_at(52, 52, "blue-2")]
    assert in_rows([lower[1], upper[2], upper[1], lower[0], upper[0]]) == (*upper, *lower)


def test_the_name_of_a_picture_cannot_break_the_line_or_steer_a_terminal(
    table: Standin, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report_cards([table.lay("a\n\x1b[31mb.png", []), str(tmp_path / "no\n\x1b[31mne.png")], table.read)
    out, err = capsys.readouterr()
    assert "\x1b" not in out + err
    assert (len(out.splitlines()), len(err.splitlines())) == (1, 1)


def test_what_was_read_is_drawn(table: Standin, tmp_path: Path) -> None:
    image, out = table.lay("a.png", ["red-7"]), tmp_path / "seen.png"
    report_cards([image], table.read, picture=str(out), as_json=True)
    given, drawn = cv2.imread(image), cv2.imread(str(out))
    assert given is not None
    assert drawn is not None
    assert drawn.shape == given.shape
    assert (drawn != given).any()


def test_drawings_of_several_pictures_are_numbered_in_their_order(table: Standin, tmp_path: Path) -> None:
    images = [table.lay("a.png", []), str(tmp_path / "none.png"), table.lay("b.png", [])]
    assert report_cards(images, table.read, picture=str(tmp_path / "seen.png")) == 2
    drawn = {path.name: path for path in tmp_path.glob("seen*")}
    assert set(drawn) == {"seen-1.png", "seen-3.png"}
    assert cv2.imread(str(drawn["seen-3.png"])).shape == cv2.imread(images[2]).shape  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("out", "told"),
    [
        pytest.param("a.png", "already exists", id="the-picture-itself"),
        pytest.param("nowhere/seen.png", "no folder", id="no-folder"),
        pytest.param("seen.pdf", r"ends in \.png", id="not-a-picture"),
        pytest.param("seen", r"ends in \.png", id="no-ending"),
        pytest.param("", r"ends in \.png", id="no-name"),
    ],
)
def test_where_a_drawing_cannot_go_nothing_is_read(table: Standin, tmp_path: Path, out: str, told: str) -> None:
    image = table.lay("a.png", ["red-7"])
    before = Path(image).read_bytes()
    with pytest.raises(CannotWrite, match=told):
        report_cards([image], lambda picture: pytest.fail("was read"), picture=out and str(tmp_path / out))
    assert Path(image).read_bytes() == before


@pytest.mark.parametrize(
    "command",
    [["read"], ["tally"], ["audit"], ["enroll", "--deck-profile", "ours.deck"], ["calibrate"]],
    ids=lambda command: command[0],
)
@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "the file is empty"),
        (b"\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf", "a picture in the format AVIF, which is not read"),
        (b"<!doctype html><title>404</title>", "a web page; expected a picture"),
        (b"\0\0\0\x18ftypcrx \0\0\0\1crx isom", "a picture in the format raw"),
    ],
    ids=["empty", "avif", "web-page", "raw"],
)
def test_a_file_that_is_no_picture_is_named_by_each_command(
    command: list[str], content: bytes, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("table.jpg").write_bytes(content)
    assert main.run([command[0], "table.jpg", *command[1:]]) != 0
    assert why in capsys.readouterr().err
