"""The reader is told which faces the deck in play has."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cardsight import model as models
from cardsight.classify import EMBEDDING, FACES, SIGNS, Classification
from cardsight.decision import Deck, Evidence, decide, limited
from cardsight.enroll.deck_reader import DeckReader
from cardsight.enroll.profile import DeckProfile
from cardsight.geometry import IDEAL, pyramid, warp_crop
from cardsight.nms import Card
from cardsight.occlusion import Trust
from cardsight.reader import Reader
from cardsight.sighting import Reading, Sighting
from croupier_rules.cards import DECKS, shown_by
from croupier_rules.rules import load
from tests.vision.laid import Lying, picture

SHEET = load("g7942-en").faces
HOUSE_RULES = load("house-rules-pl").faces


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


def chances(**given: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    known = {name.replace("_", "-"): chance for name, chance in given.items()}
    rest = (1 - sum(known.values())) / (len(FACES) - len(known))
    return np.array([known.get(face, rest) for face in FACES])


def test_a_face_that_the_deck_does_not_have_gives_way_to_one_that_looks_like_it() -> None:
    seen = Deck(SHEET).faces(chances(wild_shuffle=0.6, wild=0.39))
    assert FACES[int(seen.argmax())] == "wild"
    assert seen.sum() == pytest.approx(1)


def test_a_face_that_the_deck_does_not_have_stays_likeliest_where_nothing_else_was_seen() -> None:
    seen = Deck(SHEET).faces(chances(wild_shuffle=0.999))
    assert FACES[int(seen.argmax())] == "wild-shuffle"


def test_what_the_deck_has_keeps_its_chances_among_each_other() -> None:
    before = chances(red_7=0.5, red_1=0.25)
    after = Deck(SHEET).faces(before)
    assert after[FACES.index("red-7")] / after[FACES.index("red-1")] == pytest.approx(2)
    np.testing.assert_array_equal(Deck().faces(before), before)


def test_symbols_are_of_the_deck_whatever_their_color() -> None:
    even = np.full(len(SIGNS), 1 / len(SIGNS))
    seen = dict(zip(SIGNS, Deck({"red-7", "wild"}).signs(even).tolist(), strict=True))
    assert seen["7"] == seen["wild"] > 10 * seen["8"]


@pytest.mark.parametrize(("deck", "face"), [(SHEET, "red-2"), (HOUSE_RULES, "red-2*"), (None, "red-2*")])
def test_icons_are_read_only_where_the_deck_may_have_them(
    reader: Reader, deck: frozenset[str] | None, face: str
) -> None:
    (seen,) = reader.read(picture([Lying("red-2*", 640, 360, 10, 200)]), deck).cards
    assert seen.face == face


@pytest.mark.parametrize(
    ("deck", "icon", "may_be"),
    [
        (HOUSE_RULES, 0.02, ("red-2",)),
        (HOUSE_RULES, 0.2, ("red-2*", "red-2")),
        (HOUSE_RULES, 0.5, ("red-2*",)),
        (frozenset({"red-2*"}), 0.02, ("red-2*",)),
        (SHEET, 0.9, ("red-2",)),
        (None, 0.5, ("red-2",)),
        (None, 0.7, ("red-2*", "red-2")),
        (None, 0.95, ("red-2*",)),
    ],
)
def test_where_the_deck_has_both_a_faint_icon_is_a_question(
    deck: frozenset[str] | None, icon: float, may_be: tuple[str, ...]
) -> None:
    assert Deck(deck).with_icon("red-2", icon) == may_be
    assert Deck(deck).with_icon("blue-skip", icon) == ("blue-skip",)


@pytest.mark.parametrize(("deck", "most"), [(None, 0.92), (HOUSE_RULES, 1.0)], ids=["any-deck", "house-rules"])
def test_in_an_unknown_deck_a_face_with_the_icon_is_no_surer_than_the_icon(
    deck: frozenset[str] | None, most: float
) -> None:
    faces, signs = chances(red_2=0.999), np.full(len(SIGNS), 1 / len(SIGNS))
    shown = Classification(np.array([1.0, 0, 0]), faces, signs, 0.92, IDEAL, 1.0, np.zeros(EMBEDDING))
    trust = Trust(models.load().calibration, is_free=True)
    sighting = decide(Evidence(Card(IDEAL, shown, 1.0), trust, faces), Deck(deck))
    assert sighting.face == "red-2*"
    assert 0.9 < sighting.confidence <= most


@pytest.mark.parametrize("icon", [True, False], ids=["seen", "too-small-to-see"])
def test_where_the_deck_has_a_face_only_with_the_icon_that_one_is_reported(reader: Reader, icon: bool) -> None:
    deck = frozenset({"red-2*", "blue-7"})
    image = picture([Lying("red-2*" if icon else "red-2", 400, 360, 10, 200), Lying("blue-7", 800, 360, 10, 200)])
    assert {card.face for card in reader.read(image, deck).cards} == deck
    profile = DeckProfile(models.load().reader)
    profile.learn("blue-7", warp_crop(pyramid(image), Lying("blue-7", 800, 360, 10, 200).quad()))
    assert {card.face for card in DeckReader(reader, profile).read(image, deck).cards} == deck
    strange = picture([Lying("wild", 640, 360, 10, 200)], seed=1)
    (seen,) = reader.read(strange, {"red-2*"}).cards
    assert {face for face, _ in seen.candidates} == {"red-2*"}


def test_a_deck_without_any_face_is_refused(reader: Reader) -> None:
    with pytest.raises(ValueError, match="expected faces such as red-7, or None for all"):
        reader.read(picture([Lying("red-2", 640, 360)]), ())


def test_of_a_deck_with_other_names_alone_nothing_is_named(reader: Reader) -> None:
    image = picture([Lying("red-2", 400, 360), Lying("wild", 800, 360)])
    assert [(card.face, card.candidates) for card in reader.read(image, ("orange-2", "flip")).cards] == [("?", ())] * 2


def test_a_card_of_another_deck_is_a_question_with_the_faces_of_this_one(reader: Reader) -> None:
    image = picture([Lying("wild-house", 640, 360, 10, 200)])
    assert [card.face for card in reader.read(image, HOUSE_RULES).cards] == ["wild-house"]
    (seen,) = reader.read(image, SHEET).cards
    assert seen.face == "?"
    assert {face for face, _ in seen.candidates} <= SHEET


def test_a_deck_that_was_learned_keeps_the_icon_that_was_read(reader: Reader) -> None:
    shown = [Lying("red-2", 300, 350, 5, 220), Lying("red-3", 700, 350, 5, 220)]
    levels, profile = pyramid(picture(shown)), DeckProfile(models.load().reader)
    for card in shown:
        profile.learn(card.face, warp_crop(levels, card.quad()))
    image = picture([Lying("red-2*", 640, 360, 10, 200)], seed=2)
    own = DeckReader(reader, profile)
    assert [card.face for card in own.read(image).cards] == ["red-2*"]
    assert [card.face for card in own.read(image, SHEET).cards] == ["red-2"]


def seen(*cards: str) -> Reading:
    """Cards as ``red-0 .99 red-8``: face, confidence and what else the card may be."""
    found = list[Sighting]()
    for card in cards:
        face, confidence, *others = card.split()
        candidates = ((others[0], 0.5), (others[1], 0.5)) if face == "?" else ()
        found.append(Sighting(face, float(confidence), ((0, 0),) * 4, None, candidates, (), tuple(others)))
    return Reading((1, 1), tuple(found))


def shown(*readings: Reading) -> list[list[str]]:
    return [[card.face for card in reading.cards] for reading in readings]


def test_a_face_is_read_no_more_often_than_the_deck_holds_it() -> None:
    pictures = [seen("red-7 .99", "red-0 .95 red-8"), seen("red-0 .99", "blue-5* .9", "blue-5 .99", "blue-5 .97")]
    first, second = limited(pictures, shown_by("house-rules-pl"))
    assert shown(first, second) == [["red-7", "?"], ["red-0", "?", "blue-5", "blue-5"]]
    doubted = first.cards[1]
    assert doubted.doubts == ("deck",)
    assert [face for face, _share in doubted.candidates] == ["red-8", "red-0"]
    assert sum(share for _face, share in doubted.candidates) == pytest.approx(1, abs=1e-3)
    assert limited(pictures[:1], shown_by("house-rules-pl")) == pictures[:1]


def test_a_card_that_the_deck_does_not_have_is_told_as_that() -> None:
    card = replace(seen("red-7 .9 orange-7 red-1").cards[0], doubts=("covered", "blur"))
    hidden = replace(card, under="orange-1")
    free, below, known = limited(
        [Reading((1, 1), (one,)) for one in (card, hidden, *seen("orange-7 .99").cards)], {"orange-7": 2}
    )
    assert [one.cards[0].face for one in (free, below, known)] == ["?", "?", "orange-7"]
    assert free.cards[0].doubts == ("blur", "not-in-deck")
    assert below.cards[0].doubts == ("covered", "blur", "not-in-deck")
    assert [face for face, _share in free.cards[0].candidates] == ["orange-7"]


@pytest.mark.parametrize(
    ("cards", "faces"),
    [
        pytest.param(["red-0 .99", "red-0 .99"], ["red-0", "red-0"], id="a-deck-with-two-is-possible"),
        pytest.param(["red-0 .99", "red-0 .98", "red-0 .97"], ["red-0", "red-0", "?"], id="no-deck-has-three"),
        pytest.param(["red-0 .99", "red-0 .98", "wild .99"], ["red-0", "?", "wild"], id="wild-is-of-a-deck-with-one"),
        pytest.param(["red-0 .9"] * 3 + ["no-card .9"], ["red-0"] * 3 + ["no-card"], id="of-no-deck"),
        pytest.param(["? .5 red-1 red-7"] * 5, ["?"] * 5, id="unread"),
    ],
)
def test_without_a_deck_the_decks_count_that_hold_all_that_was_read(cards: list[str], faces: list[str]) -> None:
    assert shown(*limited([seen(*cards)])) == [faces]


def test_of_a_whole_deck_an_added_card_that_is_sure_stays() -> None:
    cards = [f"{face} .99" for face, n in DECKS["g7942"].items() for _ in range(n)]
    (added,) = limited([seen(*cards, "red-5 .97", "red-6 .85 red-8")], DECKS["g7942"], below=0.9)
    assert [card.face for card in added.cards[-2:]] == ["red-5", "?"]


def test_icons_are_of_the_deck_whose_file_says_so() -> None:
    assert shown_by("house-rules-pl")["blue-5*"] == shown_by("house-rules-pl")["blue-5"] == 2
    assert "blue-5*" not in shown_by("g7942")
    assert shown_by("g7942", icons=True)["blue-0*"] == 1
    assert load("house-rules-pl").faces == frozenset(shown_by("house-rules-pl"))
