"""The user's own deck: what is learned of it, how it is read, and the file it is kept in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import cv2
import numpy as np
import pytest

from cardsight import model as models
from cardsight.enroll import DeckProfile, DeckReader
from cardsight.enroll.outlines import outlines, sharpened
from cardsight.enroll.profile import extract_features, load
from cardsight.errors import NotAProfile, OtherModel
from cardsight.geometry import Image, overlap, pyramid, warp_crop
from cardsight.reader import Reader
from croupier_rules.cards import COLORS, DECKS, LEARNED
from tests.longer import some
from tests.vision import edition, laid
from tests.vision.laid import Lying

FACES = [f"{color}-{number}" for color in COLORS for number in "012345"]


def rows(faces: list[str], turn: float, width: float = 150.0) -> list[Lying]:
    """Up to eight cards in two rows, each turned otherwise."""
    return [
        Lying(f, 180 + 300 * (n % 4), 190 + 340 * (n // 4), turn * (n + 1), width) for n, f in enumerate(faces)
    ]  # fmt: skip


def enrolled(border: bool) -> DeckProfile:
    """A profile of the strange edition, each face shown once."""
    profile = DeckProfile(models.load().reader)
    for begin in range(0, len(FACES), 8):
        cards = rows(FACES[begin : begin + 8], turn=7.0)
        levels = pyramid(edition.picture(cards, border))
        for card in cards:
            profile.learn(card.face, warp_crop(levels, card.quad()))
    return profile


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


@pytest.fixture(scope="module")
def profile() -> DeckProfile:
    return enrolled(border=True)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize(
    "border", some([pytest.param(False, id="no-card-to-the-reader"), pytest.param(True, id="bordered")], 2)
)
def test_an_edition_that_was_never_seen_is_read_once_each_face_was_shown(reader: Reader, border: bool) -> None:
    own = DeckReader(reader, enrolled(border))
    right = wrong = plain = 0
    for seed, begin in enumerate(range(0, len(FACES), 8)):
        faces = FACES[begin : begin + 8]
        image = edition.picture(rows(faces, turn=-31.0, width=130), border, seed=seed + 1)
        seen, by_itself = (Counter(card.face for card in r.read(image).cards) for r in (own, reader))
        right += sum((seen & Counter(faces)).values())
        wrong += sum((seen - Counter(faces) - Counter({"?": 99})).values())
        plain += sum((by_itself & Counter(faces)).values())
    assert wrong <= 1
    assert right >= 0.6 * len(FACES)
    assert right - plain >= 0.5 * (len(FACES) - plain), "of what the reader cannot read by itself, half"


def test_a_deck_that_was_learned_makes_no_other_print_worse(reader: Reader, profile: DeckProfile) -> None:
    faces = ["red-7", "blue-0", "green-skip", "yellow-9", "wild", "red-draw2", "wild-draw4", "green-6"]
    own = DeckReader(reader, profile)
    for style in ("modern", "classic"):
        image = laid.picture([Lying(c.face, c.x, c.y, c.turn, c.width, style) for c in rows(faces, 13.0)])
        before, after = (Counter(card.face for card in r.read(image).cards) for r in (reader, own))
        assert after == before


def test_a_face_that_the_network_has_no_name_for_is_recognized_by_its_look(reader: Reader) -> None:
    profile = DeckProfile(models.load().reader)
    shown = [Lying("wild", 300, 350, 5, 220), Lying("wild-draw4", 700, 350, 5, 220)]
    levels = pyramid(laid.picture(shown))
    profile.learn("wild", warp_crop(levels, shown[0].quad()))
    profile.learn("wild-house", warp_crop(levels, shown[1].quad()))  # as if that were its print
    profile.forget("wild-draw4")
    image = laid.picture([Lying("wild-draw4", 600, 350, 40, 200)], seed=3)
    (seen,) = DeckReader(reader, profile).read(image).cards
    assert seen.face in ("wild-house", "?")
    assert "wild-house" in (seen.face, *(face for face, _ in seen.candidates))


def test_nothing_learned_changes_nothing(reader: Reader) -> None:
    image = laid.picture(rows(["red-7", "blue-2"], 20.0))
    nothing = DeckProfile(models.load().reader)
    assert DeckReader(reader, nothing).read(image).cards == reader.read(image).cards


def test_a_name_that_contradicts_what_was_learned_is_reported(profile: DeckProfile) -> None:
    card = Lying("green-3", 400, 350, 11, 150)
    seen = extract_features(profile.net, warp_crop(pyramid(edition.picture([card], seed=5)), card.quad()))
    assert profile.conflicting_face("green-3", seen) is None
    assert profile.conflicting_face("red-1", seen) == "green-3"


@pytest.mark.parametrize("style", ["modern", "classic"])
def test_two_faces_that_a_deck_prints_alike_are_told(style: str) -> None:
    profile = DeckProfile(models.load().reader)
    cards = [Lying(face, 400, 350, 11, 150) for face in ("wild", "red-6", "red-9", "blue-6", "wild-draw4")]
    for card in cards:
        profile.learn(card.face, warp_crop(pyramid(laid.picture([card])), card.quad()))
    assert profile.look_alikes() == []
    again = Lying("wild", 500, 300, 40, 120, style)
    profile.learn("wild-dark", warp_crop(pyramid(laid.picture([again], seed=3)), again.quad()))
    ((faces, similarity),) = profile.look_alikes()
    assert faces == ("wild", "wild-dark")
    assert 0.85 < similarity <= 1
    profile.forget("wild")
    assert profile.look_alikes() == []


def test_the_icon_alone_makes_no_look_alikes(profile: DeckProfile) -> None:
    starred = DeckProfile(profile.net)
    for face in ("red-1", "red-1*", "back"):
        starred.learn(face, profile.cards[0].crop)
    assert starred.look_alikes() == []


def test_what_was_forgotten_is_not_known_any_more(profile: DeckProfile) -> None:
    short = DeckProfile(profile.net)
    for card in profile.cards[:3]:
        short.learn(card.face, card.crop)
    assert list(short.faces) == ["red-0", "red-1", "red-2"]
    assert short.forget("red-1") == 1
    assert list(short.faces) == ["red-0", "red-2"]
    assert short.forget("red-1") == 0


def test_a_profile_is_what_it_was_after_its_file_was_read(profile: DeckProfile, tmp_path: Path) -> None:
    path = tmp_path / "ours.deck"
    path.write_bytes(profile.to_bytes("abc"))
    again = load(path, models.load(), "abc")
    assert [card.face for card in again.cards] == [card.face for card in profile.cards]
    assert all((a.crop == b.crop).all() for a, b in zip(again.cards, profile.cards, strict=True))
    assert [p.name for p in tmp_path.iterdir()] == ["ours.deck"]


def test_another_model_asks_for_learning_anew(profile: DeckProfile, tmp_path: Path) -> None:
    path = tmp_path / "ours.deck"
    path.write_bytes(profile.to_bytes("abc"))
    with pytest.raises(OtherModel, match="--renew"):
        load(path, models.load(), "def")
    assert load(path, models.load(), "def", renew=True).faces == profile.faces


def _without(path: Path, key: str) -> None:
    with np.load(path) as held:
        parts = {name: held[name] for name in held.files if name != key}
    np.savez_compressed(path.open("wb"), **parts)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param(lambda path: path.unlink(), "no such file", id="missing"),
        pytest.param(lambda path: path.write_bytes(b""), "no deck profile", id="empty"),
        pytest.param(lambda path: path.write_text("hello"), "no deck profile", id="text"),
        pytest.param(lambda path: path.write_bytes(path.read_bytes()[:-200]), "no deck profile", id="cut-off"),
        pytest.param(lambda path: _without(path, "cuts"), "no deck profile", id="without-cards"),
    ],
)
def test_a_file_that_is_no_profile_is_reported_in_one_line(
    profile: DeckProfile, tmp_path: Path, change: object, said: str
) -> None:
    path = tmp_path / "ours.deck"
    path.write_bytes(profile.to_bytes("abc"))
    assert callable(change)
    change(path)
    with pytest.raises(NotAProfile, match=said) as fault:
        load(path, models.load(), "abc")
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize("bit", range(8))
@pytest.mark.parametrize(
    "place",
    [
        pytest.param(lambda data: data.index(b"version.npy") + 45, id="array-head"),
        pytest.param(lambda data: data.index(b"cuts.npy") + 28, id="packed-pixels"),
        pytest.param(lambda data: data.rindex(b"cuts.npy") - 36, id="table-of-contents"),
    ],
)
def test_a_profile_with_one_bit_wrong_is_one_or_rejected(
    profile: DeckProfile, tmp_path: Path, place: Callable[[bytes], int], bit: int
) -> None:
    path = tmp_path / "ours.deck"
    data = bytearray(profile.to_bytes("abc"))
    data[place(bytes(data))] ^= 1 << bit
    path.write_bytes(data)
    with suppress(NotAProfile):
        load(path, models.load(), "abc")


@pytest.mark.parametrize("ground", laid.GROUNDS)
def test_outlines_are_found_by_edges_to_a_few_pixels(ground: str) -> None:
    cards = [Lying("red-7", 300, 350, 20, 150), Lying("wild", 700, 350, -65, 150), Lying("blue-1", 1050, 300, 4, 150)]
    image: Image = laid.picture(cards, ground)
    found = outlines(image)
    for card in cards:
        near = [quad for quad in found if overlap(quad, card.quad()) > 0.9 and cv2.contourArea(quad) > 0.9 * 150 * 235]
        assert near, card.face
        off = min(np.abs(near[0] - np.roll(card.quad(), turn, axis=0)).max() for turn in (0, 2))
        assert off < 5
        sharp = sharpened(image, near[0])
        assert min(np.abs(sharp - np.roll(card.quad(), turn, axis=0)).max() for turn in (0, 2)) < 1


def test_a_ragged_region_of_the_size_of_a_card_is_no_outline() -> None:
    image: Image = laid.picture([Lying("red-7", 300, 350, 20, 150)], "wood")
    cv2.polylines(image, [np.array([(700, 180), (700, 520), (910, 520), (910, 180)])], False, (30, 60, 90), 12)
    assert len(outlines(image)) == 1


@pytest.mark.long
@pytest.mark.slow
def test_faces_that_only_a_deck_file_knows_are_read_once_each_was_shown(reader: Reader) -> None:
    deck = DECKS["no-mercy"]
    faces = [face for face in deck if face not in LEARNED]
    profile = DeckProfile(models.load().reader)
    for begin in range(0, len(faces), 8):
        cards = rows(faces[begin : begin + 8], turn=7.0)
        levels = pyramid(laid.picture(cards))
        for card in cards:
            profile.learn(card.face, warp_crop(levels, card.quad()))
    own, seen, plain = DeckReader(reader, profile), Counter[str](), Counter[str]()
    for begin in range(0, len(faces), 8):
        picture = laid.picture(rows(faces[begin : begin + 8], turn=-31.0, width=130.0))
        seen.update(card.face for card in own.read(picture, deck).cards)
        plain.update(card.face for card in reader.read(picture, deck).cards)
    assert plain == {"?": len(faces)}
    assert seen == Counter(faces)
