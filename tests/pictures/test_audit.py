from __future__ import annotations

import json
import weakref
from dataclasses import replace
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardsight.sighting import CameraFault, Reading
from cardsight.sources import Picture
from croupier.cli import main
from croupier.errors import CannotWrite
from croupier_rules.cards import DECKS
from croupier_rules.deck_list import DeckList
from croupier_tally import audit
from tests.pictures.standin import Standin, card_at, sighting, whole

G7942 = whole(DECKS["g7942"])
DECK = DeckList.shipped("g7942")


def reading(faces: list[str]) -> Reading:
    cards = [sighting(face) for face in faces]
    up, down = ([c for c in cards if (c.face == "back") is back] for back in (False, True))
    return Reading((100, 100), tuple(up), tuple(down))


def without(*faces: str) -> list[str]:
    rest = list(G7942)
    for face in faces:
        rest.remove(face)
    return rest


@pytest.mark.parametrize("deck", DECKS)
def test_a_whole_deck_is_complete_and_others_are_not(deck: str) -> None:
    cards = whole(DECKS[deck])
    assert audit.audit(DeckList.shipped(deck), [reading(cards[:50]), reading(cards[50:])]).complete is True
    for other in DECKS:
        assert audit.audit(DeckList.shipped(other), [reading(cards)]).complete is (DECKS[other] == DECKS[deck])


@pytest.mark.parametrize(
    ("faces", "complete", "missing", "extra"),
    [
        pytest.param(without("red-7"), False, {"red-7": 1}, {}, id="missing"),
        pytest.param(without("wild", "wild"), False, {"wild": 2}, {}, id="two-missing"),
        pytest.param([*G7942, "red-0"], False, {}, {"red-0": 1}, id="extra"),
        pytest.param([*G7942, "wild-blank"], False, {}, {"wild-blank": 1}, id="of-another-deck"),
        pytest.param([*without("red-7"), "red-8"], False, {"red-7": 1}, {"red-8": 1}, id="swapped"),
        pytest.param([*without("red-7"), "?"], None, {"red-7": 1}, {}, id="the-unreadable-one-may-be-it"),
        pytest.param([*without("red-7"), "back"], None, {"red-7": 1}, {}, id="the-one-face-down-may-be-it"),
        pytest.param([*without("red-7", "red-8"), "?"], False, {"red-7": 1, "red-8": 1}, {}, id="one-cannot-be-two"),
        pytest.param([*G7942, "?"], False, {}, {}, id="one-too-many-whatever-it-is"),
        pytest.param([*without("red-7"), "?", "red-0"], False, {"red-7": 1}, {"red-0": 1}, id="extra-and-unreadable"),
        pytest.param([*without("red-7"), "red-7*"], True, {}, {}, id="a-star-is-that-number"),
        pytest.param([], False, dict(DECKS["g7942"]), {}, id="nothing"),
    ],
)
def test_what_is_missing_extra_or_not_known_decides(
    faces: list[str], complete: bool | None, missing: dict[str, int], extra: dict[str, int]
) -> None:
    found = audit.audit(DECK, [reading(faces)])
    assert (found.complete, found.missing, found.extra) == (complete, missing, extra)


CUT = card_at(90.0, 50.0, "?")
"""Beyond the right edge of a picture that is 100 px wide."""


@pytest.mark.parametrize(
    ("faces", "n", "complete"),
    [
        pytest.param(G7942, 2, True, id="whole-in-another-picture"),
        pytest.param(without("red-7"), 1, None, id="may-be-the-missing-one"),
        pytest.param(without("red-7", "wild"), 3, None, id="or-one-of-several"),
        pytest.param(without("red-7", "wild"), 1, False, id="cannot-be-two"),
        pytest.param([*without("red-7", "wild"), "?"], 1, None, id="with-an-unreadable-one"),
    ],
)
def test_a_card_that_the_edge_cuts_off_may_be_a_missing_one_or_whole_elsewhere(
    faces: list[str], n: int, complete: bool | None
) -> None:
    cut = Reading((100, 100), (CUT,) * n)
    found = audit.audit(DECK, [reading(faces), cut])
    assert (found.complete, found.cut_off, found.unreadable) == (complete, n, faces.count("?"))


def test_people_are_told_of_a_card_at_the_edge_where_one_is_missing(
    table: Standin, capsys: pytest.CaptureFixture[str]
) -> None:
    image = table.lay("deck.png", without("red-7"))

    def still(picture: Picture) -> Reading:
        read = table.read(picture)
        return replace(read, cards=(*read.cards, card_at(-10.0, 40.0, "?")))

    assert audit.report([image], table.read, DECK, still=still) == 1
    told = capsys.readouterr().out
    assert "cannot tell" in told
    assert "1 card is cut off by the edge of a picture" in told


@given(st.lists(st.sampled_from([*G7942, "?", "back", "wild-shuffle"]), max_size=130))
def test_every_card_is_accounted_for(faces: list[str]) -> None:
    found = audit.audit(DECK, [reading(faces)])
    assert found.read + found.unknown == len(faces)
    assert found.read - sum(found.extra.values()) + sum(found.missing.values()) == found.expected == 108


def spoken(table: Standin, capsys: pytest.CaptureFixture[str], *hands: list[str]) -> tuple[int, dict[str, Any]]:
    """Exit status and last line of an audit of one picture for each of ``hands``."""
    images = [table.lay(f"{n}.png", hand) for n, hand in enumerate(hands)]
    status = audit.report(images, table.read, DECK, as_json=True)
    return status, json.loads(capsys.readouterr().out.splitlines()[-1])


def test_json_sums_up_all_pictures(table: Standin, capsys: pytest.CaptureFixture[str]) -> None:
    status, told = spoken(table, capsys, without("red-7", "blue-2")[:60], ["?", *without("red-7", "blue-2")[60:]])
    assert status == 1
    assert told == {
        "deck": "g7942",
        "expected": 108,
        "read": 106,
        "unreadable": 1,
        "face_down": 0,
        "cut_off": 0,
        "missing": {"red-7": 1, "blue-2": 1},
        "extra": {},
        "foreign": [],
        "worn": [],
        "may_hide": False,
        "complete": False,
    }


@pytest.mark.parametrize(
    ("hand", "status", "complete"),
    [(G7942, 0, True), (without("wild"), 1, False), ([*without("wild"), "?"], 1, None)],
    ids=["yes", "no", "cannot-tell"],
)
def test_the_exit_status_is_the_answer(
    table: Standin, capsys: pytest.CaptureFixture[str], hand: list[str], status: int, complete: bool | None
) -> None:
    got, told = spoken(table, capsys, hand)
    assert (got, told["complete"]) == (status, complete)


@pytest.mark.parametrize(
    ("hand", "complete", "is_told"),
    [(G7942, True, False), (without("wild"), None, True), ([*without("wild"), "wild-draw4"], False, True)],
    ids=["complete", "one-may-be-hidden", "one-too-many"],
)
def test_where_cards_lie_on_each_other_missing_ones_may_lie_hidden(
    table: Standin, capsys: pytest.CaptureFixture[str], hand: list[str], complete: bool | None, is_told: bool
) -> None:
    table.overlaps = True
    assert spoken(table, capsys, hand)[1]["complete"] is complete
    audit.report([table.lay("deck.png", hand)], table.read, DECK)
    assert ("missing ones may be hidden; spread them" in capsys.readouterr().out) == is_told


def test_a_picture_that_cannot_be_seen_leaves_the_answer_open(
    table: Standin, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    images = [table.lay("a.png", without("red-7")), str(tmp_path / "none.png")]
    assert audit.report(images, table.read, DECK, as_json=True) == 2
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["complete"] is None


@pytest.mark.parametrize(
    ("fault", "is_mended", "complete", "said"),
    [
        pytest.param("torn", False, None, "The lower part of the picture is missing. Take", id="torn"),
        pytest.param("mirrored", True, True, "The picture is mirrored. It was put right", id="mended"),
    ],
)
def test_a_torn_picture_leaves_the_answer_open_and_what_was_put_right_is_told(
    table: Standin, capsys: pytest.CaptureFixture[str], fault: CameraFault, is_mended: bool, complete: bool | None,
    said: str,
) -> None:  # fmt: skip
    image = table.lay("a.png", G7942)

    def read(picture: Picture) -> Reading:
        return replace(table.read(picture), fault=fault, is_mended=is_mended)

    assert audit.report([image], read, DECK, as_json=True) == (0 if complete else 1)
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["complete"] is complete
    audit.report([image], read, DECK)
    assert said in capsys.readouterr().out


def test_people_see_that_a_file_could_not_be_read(
    table: Standin, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    audit.report([table.lay("a.png", without("red-7")), str(tmp_path / "none.png")], table.read, DECK)
    told = capsys.readouterr().out.splitlines()
    assert told[1:3] == [
        "g7942: cannot tell. 107 of 108 cards read.",
        "  1 file could not be opened: the missing cards may be there",
    ]


def test_where_nothing_could_be_seen_no_card_is_reported_missing(
    table: Standin, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit.report([str(tmp_path / "none.png"), str(tmp_path / "neither.png")], table.read, DECK) == 2
    assert capsys.readouterr().out == "g7942: cannot tell. Nothing was read: no file could be opened.\n"


def test_people_see_the_answer_and_what_to_do(table: Standin, capsys: pytest.CaptureFixture[str]) -> None:
    audit.report([table.lay("a.png", [*without("wild", "wild", "red-7"), "red-0", "?", "back"])], table.read, DECK)
    told = capsys.readouterr().out.splitlines()
    assert told[1] == "g7942: not complete. 106 of 108 cards read."
    assert "  missing: red-7, 2 x wild" in told
    assert "  too many: red-0" in told
    assert any("unreadable: 1" in line for line in told)
    assert any("face down: 1" in line for line in told)


def test_a_file_named_twice_has_two_drawings(
    table: Standin, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    image = table.lay("a.png", ["red-7", "blue-2"])
    assert audit.report([image, image], table.read, DECK, picture=str(tmp_path / "seen.png")) == 1
    one, other = ((tmp_path / f"seen-{n}.png").read_bytes() for n in (1, 2))
    assert one == other != Path(image).read_bytes()


@pytest.mark.parametrize("drawn", [False, True])
def test_pictures_are_not_kept_in_memory_until_all_are_read(
    table: Standin, tmp_path: Path, capsys: pytest.CaptureFixture[str], drawn: bool
) -> None:
    shown: list[weakref.ref[Picture]] = []

    def read(picture: Picture) -> Reading:
        assert sum(one() is not None for one in shown) <= 1, "more than the last one is kept"
        shown.append(weakref.ref(picture))
        return table.read(picture)

    images = [table.lay(f"{n}.png", ["red-7"]) for n in range(4)]
    audit.report(images, read, DECK, picture=str(tmp_path / "seen.png") if drawn else None)
    assert len(shown) == 4
    assert len(list(tmp_path.glob("seen-*.png"))) == (4 if drawn else 0)


def test_what_came_from_standard_input_is_drawn_on_too(
    table: Standin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = Path(table.lay("a.png", ["red-7"])).read_bytes()
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(data)))
    assert audit.report(["-"], table.read, DECK, picture=str(tmp_path / "seen.png")) == 1
    assert (tmp_path / "seen.png").exists()


def test_a_picture_that_is_gone_before_it_is_drawn_on_is_reported_in_one_line(
    table: Standin, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    image = table.lay("a.png", ["red-7"])

    def read(picture: Picture) -> Reading:
        Path(image).unlink()
        return table.read(picture)

    with pytest.raises(CannotWrite, match=r"a\.png: no such file"):
        audit.report([image], read, DECK, picture=str(tmp_path / "seen.png"))


@pytest.mark.parametrize(
    ("rules", "options", "deck"),
    [
        pytest.param("", [], "g7942", id="none"),
        pytest.param('[rules]\nbase = "official-el"\n', [], "official-el", id="rules-of-the-table"),
        pytest.param('[rules]\nbase = "official-el"\n', ["--deck", "no-mercy"], "no-mercy", id="option-first"),
    ],
)
def test_the_deck_is_the_one_of_the_tables_rules(
    table: Standin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    rules: str, options: list[str], deck: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("croupier.toml").write_text(rules or "[deck]\n")
    monkeypatch.setattr("croupier.pictures.table_reader.hand_readers", lambda *_, **__: (table.read, table.read, None))
    main.run(["audit", table.lay("deck.png", ["red-7"]), "--json", *options])
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["deck"] == deck
