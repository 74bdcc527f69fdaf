"""The card reader with the model that ships, on drawn pictures whose truth is known."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from collections.abc import Iterator
from typing import Any

import cv2
import numpy as np
import pytest
from _pytest.mark import ParameterSet

from cardsight.classify import EMBEDDING, FACES, classify_crops
from cardsight.decision import CANDIDATES, SURE
from cardsight.detector import Proposal
from cardsight.geometry import overlap, pyramid, quad_of, rotated, warp_crop
from cardsight.model import FOLDER, load
from cardsight.networks import CACHED
from cardsight.reader import Reader
from cardsight.sources import MAX_SIDE_PX
from cardsight.track.blocks import Part
from cardsight.track.cards import read_part
from croupier_sim import table as sim
from croupier_sim.camera import SimCamera
from croupier_sim.drawing import STYLES, Lamp
from croupier_sim.table import PILE_ZONE_MM, Pose, SimTable
from tests.longer import some
from tests.vision.laid import GROUNDS, Image, Lying, picture


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


@pytest.mark.parametrize("degrees", [25, 45, -30, -50])
def test_a_card_is_read_where_the_detector_returns_another_direction(
    reader: Reader, monkeypatch: pytest.MonkeyPatch, degrees: float
) -> None:
    card = Lying("wild", 320, 240, 12)
    crossed = [Lying("yellow-6", 312, 246, 100), card]
    proposal = Proposal(rotated(card.quad(), degrees), odds=0.4, length_px=88.0)
    monkeypatch.setattr("cardsight.reader.proposals", lambda *_, **__: [proposal])
    (read,) = reader.read(picture(crossed, "green cloth", (640, 480)), top_only=True).cards
    assert read.face == "wild"
    assert overlap(quad_of(read.corners_px), card.quad()) > 0.9


def blur(image: Image, sigma: float) -> Image:
    return cv2.GaussianBlur(image, (0, 0), sigma).astype(np.uint8)


def rows(faces: tuple[str, ...], style: str, rng: np.random.Generator) -> list[Lying]:
    """Up to ten cards, hardly touching, each turned its own way."""
    return [
        Lying(face, 150 + 245 * (i % 5), 190 + 340 * (i // 5), float(rng.uniform(0, 360)), 120, style)
        for i, face in enumerate(faces)
    ]


def every_pair() -> Iterator[ParameterSet]:
    """Every print on every ground; `make test` reads each print and each ground once."""
    for i, style in enumerate(STYLES):
        for k, ground in enumerate(GROUNDS):
            is_quick = i % len(GROUNDS) == k
            yield pytest.param(style, ground, marks=pytest.mark.slow if is_quick else pytest.mark.long)


@pytest.mark.parametrize(("style", "ground"), some(every_pair(), 4))
def test_every_face_of_every_print_on_every_ground(reader: Reader, style: str, ground: str) -> None:
    rng = np.random.default_rng(sorted(STYLES).index(style) * 10 + sorted(GROUNDS).index(ground))
    told, wrong = 0, []
    for start in range(0, len(FACES), 10):
        cards = rows(FACES[start : start + 10], style, rng)
        reading = reader.read(picture(cards, ground, seed=start))
        faces = Counter(card.face for card in reading.cards)
        told += sum((faces & Counter(card.face for card in cards)).values())
        wrong += list((faces - Counter(card.face for card in cards) - Counter({"?": 99})).elements())
        assert not reading.backs
    assert not wrong
    assert told >= len(FACES) - 2


def test_outlines_lie_on_the_cards_and_begin_with_a_short_edge(reader: Reader) -> None:
    cards = rows(FACES[:10], "classic", np.random.default_rng(3))
    reading = reader.read(picture(cards))
    for card in cards:
        seen = next(s for s in reading.cards if s.face == card.face)
        corners = np.array(seen.corners_px, np.float32)
        either = min(np.abs(np.roll(corners, turn, 0) - card.quad()).max() for turn in (0, 2))
        assert either < 6, card


def test_backs_are_distinguished_from_faces(reader: Reader) -> None:
    cards = rows(("back", "red-1", "back", "wild", "back", "green-9"), "modern", np.random.default_rng(5))
    reading = reader.read(picture(cards))
    assert Counter(card.face for card in reading.cards) == Counter(["red-1", "wild", "green-9"])
    assert len(reading.backs) == 3


@pytest.mark.parametrize("ground", list(GROUNDS))
def test_an_empty_table_holds_nothing(reader: Reader, ground: str) -> None:
    image = picture([], ground)
    cv2.rectangle(image, (200, 200), (420, 500), (240, 240, 240), -1)
    cv2.circle(image, (900, 300), 120, (40, 40, 180), -1)
    reading = reader.read(image)
    assert not reading.cards
    assert not reading.backs


def test_the_top_card_of_a_pile_is_read(reader: Reader) -> None:
    rng = np.random.default_rng(8)
    pile = [
        Lying(face, 640 + rng.normal(0, 12), 360 + rng.normal(0, 12), float(rng.uniform(0, 360)), 130)
        for face in ("red-2", "red-skip", "blue-skip", "blue-8", "yellow-8", "wild-draw4", "green-0", "green-5")
    ]
    for count in range(1, len(pile) + 1):
        reading = reader.read(picture(pile[:count]))
        top = pile[count - 1]
        over = [
            s
            for s in reading.cards
            if overlap(np.array(s.corners_px, np.float32), top.quad()) > 0.9 and s.face == top.face
        ]
        assert over, (top, reading.cards)


def test_a_card_that_is_mostly_covered_is_no_confident_guess(reader: Reader) -> None:
    image = picture([Lying("green-6", 640, 360, 20, 130)])
    cv2.rectangle(image, (540, 240), (740, 430), (120, 140, 170), -1)
    for seen in reader.read(image).cards:
        assert seen.face in ("green-6", "?")


@pytest.mark.parametrize("shape", [(16, 16), (1, 1), (40, 3000), (3000, 40), (2000, 2000)])
def test_any_shape_of_picture_is_read(reader: Reader, shape: tuple[int, int]) -> None:
    reading = reader.read(np.zeros((*shape, 3), np.uint8))
    assert (reading.size, reading.cards) == ((shape[1], shape[0]), ())


def test_the_longest_picture_can_be_cut_out_of() -> None:
    strip = np.full((40, MAX_SIDE_PX, 3), 200, np.uint8)
    assert np.all(warp_crop([strip], Lying("red-7", MAX_SIDE_PX - 20, 20, 20, 20).quad()) == 200)


def test_where_nothing_is_found_in_a_long_picture_it_takes_no_memory_to_look_farther(reader: Reader) -> None:
    strip = np.zeros((16, MAX_SIDE_PX, 3), np.uint8)
    tracemalloc.start()
    assert reader.read(strip).cards == ()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 10 * strip.nbytes


@pytest.mark.parametrize("wrong", [np.zeros((10, 10), np.uint8), np.zeros((9, 9, 3), np.float32), None, "a.jpg"])
def test_what_is_no_color_picture_is_refused(reader: Reader, wrong: Any) -> None:
    with pytest.raises(ValueError, match="height x width x 3"):
        reader.read(wrong)


def test_a_question_comes_with_candidates_and_a_face_with_confidence(reader: Reader) -> None:
    cards = rows(FACES[20:30], "modern", np.random.default_rng(6))
    blurred = blur(picture(cards), 3)
    seen = [s for sigma in (2, 4, 6, 8) for s in reader.read(blur(blurred, sigma)).cards]
    for sighting in seen:
        assert 0 <= sighting.confidence <= 1
        if sighting.face == "?":
            assert sighting.confidence < SURE
            chances = [p for _, p in sighting.candidates]
            assert chances == sorted(chances, reverse=True)
            assert len(chances) > 1
        else:
            assert sighting.confidence >= SURE
            assert len({sighting.face, *sighting.runners_up}) == CANDIDATES, "what it may be instead, for a correction"


def test_marks_for_the_color_blind_are_read_where_they_are_printed(reader: Reader) -> None:
    printed = {"red": "circle", "yellow": "star", "green": "triangle", "blue": "square"}
    faces = tuple(f"{color}-{symbol}" for color in printed for symbol in ("3", "skip"))
    cards = [
        Lying(f, 250 + 420 * (i % 4), 300 + 500 * (i // 4), 17.0 * i, 200, "modern-symbols")
        for i, f in enumerate(faces)
    ]
    seen = {s.face: s.symbol for s in reader.read(picture(cards, size=(1920, 1080))).cards}
    assert seen == {face: printed[face.split("-")[0]] for face in faces}
    plain = [Lying(c.face, c.x, c.y, c.turn, c.width, "modern") for c in cards]
    assert {s.symbol for s in reader.read(picture(plain, size=(1920, 1080))).cards} == {None}


def test_the_add_a_rule_icon_is_recognized_where_it_is_printed(reader: Reader) -> None:
    faces = ("red-2*", "red-2", "blue-7*", "blue-7", "green-0*", "green-0", "yellow-9", "wild-house", "blue-skip")
    reading = reader.read(picture(rows(faces, "modern", np.random.default_rng(4))))
    assert Counter(card.face for card in reading.cards) == Counter(faces)


def test_a_card_that_fills_the_picture_and_many_small_ones_are_found_alike(reader: Reader) -> None:
    one = reader.read(picture([Lying("blue-5", 640, 360, 90, 400)]))
    assert [card.face for card in one.cards] == ["blue-5"]
    faces = FACES[:40]
    small = [Lying(face, 60 + 125 * (i % 10), 90 + 180 * (i // 10), 0, 56) for i, face in enumerate(faces)]
    told = Counter(card.face for card in reader.read(picture(small)).cards)
    assert sum((told & Counter(faces)).values()) >= 38
    assert not told - Counter(faces) - Counter({"?": 9})


def test_cards_alike_in_print_are_alike_in_the_embedding() -> None:
    model = load()
    place = [Lying(face, 640, 360, turn, 130) for face in ("red-7", "blue-skip") for turn in (0, 180)]
    cuts = [warp_crop(pyramid(picture([card], seed=n)), card.quad()) for n, card in enumerate(place)]
    seen = np.stack([classification.embedding for classification in classify_crops(model.reader, cuts)])
    seen /= np.linalg.norm(seen, axis=1, keepdims=True)
    assert seen.shape == (4, EMBEDDING)
    likeness = seen @ seen.T
    assert min(likeness[0, 1], likeness[2, 3]) > max(likeness[0, 2], likeness[0, 3], likeness[1, 2]) + 0.2


def test_cut_outs_read_together_are_read_as_each_by_itself() -> None:
    model = load()
    cards = rows(FACES[5:10], "classic", np.random.default_rng(2))
    cuts = [warp_crop(pyramid(picture(cards)), card.quad()) for card in cards]
    alone = [classify_crops(model.reader, [one])[0].faces for one in cuts]
    together = [classification.faces for classification in classify_crops(model.reader, cuts)]
    np.testing.assert_allclose(together, alone, atol=1e-4)
    assert classify_crops(model.reader, []) == []


def test_finders_are_kept_ready_for_the_sizes_asked_for_last() -> None:
    finders = load().detector
    first = finders[1, 3, 64, 96]
    others = [finders[1, 3, 32 * n, 128] for n in range(1, CACHED)]
    assert finders[1, 3, 64, 96] is first
    assert finders[1, 3, 32, 128] is others[0]
    assert finders[1, 3, 32, 160] not in others
    assert finders[1, 3, 64, 128] is not others[1]


def test_the_model_that_ships_is_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 2_000_000


@pytest.mark.parametrize("widths", [(30, 90), (45, 230), (150, 60)])
def test_where_their_length_is_known_only_cards_of_it_are_looked_for(reader: Reader, widths: tuple[int, int]) -> None:
    rows = [
        [Lying(face, 220 + 420 * n, 190 + 340 * row, 25.0 * n + 10, width) for n, face in enumerate(faces)]
        for row, (width, faces) in enumerate(zip(widths, (FACES[3:6], FACES[7:10]), strict=True))
    ]
    image = picture(rows[0] + rows[1])
    for width, cards in zip(widths, rows, strict=True):
        told = reader.read(image, long_px=width * 88 / 56).cards
        assert {sighting.face for sighting in told} == {card.face for card in cards}


@pytest.mark.parametrize("seed", [5, 7, 10])
def test_a_free_card_is_read_where_two_below_it_look_like_a_wide_one(reader: Reader, seed: int) -> None:
    """On a pile that shows two blue cards beside the top one. ``seed``: of the camera's noise."""
    table = SimTable(4, rng := np.random.default_rng(seed), ())
    camera = SimCamera(table, style=STYLES["modern"], ground="cloth", lamp=Lamp(), rng=rng, size=(1280, 720))
    table.discard += [
        sim.Lying("red-3", Pose(-200, 40, 200)),
        sim.Lying("blue-reverse", Pose(-229, 41, 283)),
        sim.Lying("blue-8", Pose(-210, 49, 351)),
        sim.Lying("blue-6", Pose(-218, 33, 100)),
        sim.Lying("wild-draw4", Pose(-201, 44, 154)),
    ]
    long_px = camera.card_px(PILE_ZONE_MM)
    pile = Part(camera.zone_px(PILE_ZONE_MM), long_px)
    read = read_part(reader, pile, long_px, camera.frame().image, None, top_only=False)
    assert "wild-draw4" in [card.face for card in read.cards]


def test_an_empty_table_is_looked_at_once_where_the_length_of_cards_is_known(reader: Reader) -> None:
    image = picture([])
    assert not reader.read(image, long_px=150.0).cards
    looks = []
    finders = reader._model.detector
    for long_px in (None, 150.0):
        finders._by_shape.clear()
        reader.read(image, long_px=long_px)
        looks.append(len(finders._by_shape))
    assert looks[1] == 1 < looks[0]
