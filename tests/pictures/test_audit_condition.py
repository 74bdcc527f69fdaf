"""Foreign and worn cards, and a deck that is run through in a video."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from cardsight.sighting import Reading, Sighting
from cardsight.sources import Frame, Picture
from croupier.pictures.readings import Seen
from croupier_rules.cards import COLORS, DECKS
from croupier_rules.deck_list import DeckList
from croupier_tally.audit import audit
from croupier_tally.audit import report as audit_report
from croupier_tally.condition import Condition
from croupier_tally.sources import new_cards, read_sources, settled_cards
from croupier_tally.sources import report_cards as read_report
from tests.vision.laid import Image, Lying, Quad, picture

SYMBOLS = ("3", "skip")
SIZE = (1280, 1080)


def sighting(card: Lying, confidence: float = 0.998) -> Sighting:
    a, b, c, d = ((float(x), float(y)) for x, y in card.quad())
    return Sighting(card.face, confidence, (a, b, c, d))


def deck(style: str = "modern", **others: str) -> list[Lying]:
    """Two threes and two skips in each color; ``others`` are printed otherwise, by the number of the card."""
    faces = [f"{color}-{symbol}" for symbol in SYMBOLS for color in COLORS for _ in range(2)]
    return [
        Lying(f, 150 + 300 * (n % 4), 140 + 260 * (n // 4), 11.0 * n, 130, others.get(f"n{n}", style))
        for n, f in enumerate(faces)
    ]


def condition(cards: Sequence[Lying], image: Image, doubt: int | None = None) -> Condition:
    found = Condition()
    read = tuple(sighting(card, 0.85 if n == doubt else 0.998) for n, card in enumerate(cards))
    found.add(Seen("deck.png", image, Reading(SIZE, read)))
    return found


def inside(quad: Quad, image: Image) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    mask = np.zeros(image.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.rint(quad).astype(np.int32), 1)
    return np.asarray(mask > 0)


@pytest.mark.parametrize("style", ["modern", "classic", "white-circle"])
def test_a_deck_of_one_print_has_nothing_foreign_and_nothing_worn(style: str) -> None:
    cards = deck(style)
    found = condition(cards, picture(cards, size=SIZE))
    assert (found.foreign(), found.worn()) == ([], [])


@pytest.mark.parametrize(("style", "other"), [("modern", "classic"), ("classic", "modern"), ("modern", "white-circle")])
def test_a_card_of_another_print_is_foreign_and_counts_as_missing(style: str, other: str) -> None:
    cards = deck(style, n5=other)
    image = picture(cards, size=SIZE)
    (remark,) = condition(cards, image).foreign()
    assert (remark.card, remark.corners_px) == (cards[5].face, sighting(cards[5]).corners_px)
    reading = Reading(SIZE, tuple(map(sighting, cards)))
    found = audit(DeckList.shipped("g7942"), [reading], [remark])
    assert found.complete is False
    assert (found.read, found.missing["green-3"]) == (15, 1)


def test_a_card_of_another_game_is_foreign() -> None:
    cards = deck()
    image = picture(cards, size=SIZE)
    strange = Lying("wild", 1150, 940, 0, 130)
    image[inside(strange.quad(), image)] = (200, 190, 240)
    found = condition(cards[:-1], picture([*cards[:-1]], size=SIZE))
    assert found.foreign() == []
    covered = picture(cards[:-1], size=SIZE)
    covered[inside(Lying("wild", 1050, 920, 8, 130).quad(), covered)] = (200, 190, 240)
    (remark,) = condition(cards[:-1], covered).foreign()
    assert remark.card is None
    assert np.mean(remark.corners_px, axis=0) == pytest.approx((1050, 920), abs=4)


@pytest.mark.parametrize("wear", ["blurred", "pale", "stained", "doubt"])
def test_what_is_worn_about_a_card_is_reported(wear: str) -> None:
    cards = deck()
    image = picture(cards, size=SIZE)
    mask = inside(cards[6].quad(), image)
    if wear == "blurred":
        image[mask] = cv2.GaussianBlur(image, (0, 0), 4)[mask]
    elif wear == "pale":
        image[mask] = (image[mask] * 0.35 + 235 * 0.65).astype(np.uint8)
    elif wear == "stained":
        middle = np.rint(cards[6].quad().mean(axis=0)).astype(int).tolist()
        cv2.circle(image, (middle[0] + 10, middle[1] - 25), 55, (40, 60, 70), cv2.FILLED)
    (remark,) = condition(cards, image, doubt=6 if wear == "doubt" else None).worn()
    assert remark.card == cards[6].face
    said = {"blurred": "blurred", "pale": "faded", "stained": "stained", "doubt": "85%"}[wear]
    assert any(said in why for why in remark.why)


def test_a_covered_card_is_not_worn() -> None:
    cards = deck()
    image, found = picture(cards, size=SIZE), Condition()
    sightings = [sighting(card, 0.89 if n == 6 else 0.998) for n, card in enumerate(cards)]
    sightings[6] = replace(sightings[6], doubts=("covered",))
    found.add(Seen("deck.png", image, Reading(SIZE, tuple(sightings))))
    assert (found.foreign(), found.worn()) == ([], [])


FPS = 25


class Deal:
    """Frames in which cards are laid on a pile one after the other, a hand moving over it between; and their reader."""

    def __init__(self, cards: Sequence[Lying]) -> None:
        self.cards = cards
        self.lying = 0

    def frames(self) -> Iterator[Frame]:
        rng = np.random.default_rng(1)
        t = 0.0
        for n in range(1, len(self.cards) + 1):
            still = picture([self.cards[n - 1]], size=(640, 480))
            for k in range(8):  # a hand comes and goes
                moving = still.copy()
                cv2.circle(moving, (80 * k, 240), 90, (120, 150, 200), cv2.FILLED)
                self.lying = -1
                yield Frame(t := t + 1 / FPS, moving)
            for _ in range(20):
                self.lying = n
                yield Frame(t := t + 1 / FPS, np.clip(still + rng.normal(0, 2, still.shape), 0, 255).astype(np.uint8))

    def read(self, _: Picture) -> Reading:
        assert self.lying > 0, "a picture was read in which a hand moves"
        return Reading((640, 480), (sighting(self.cards[self.lying - 1]),))


@pytest.mark.long
def test_each_card_of_a_run_through_is_reported_once() -> None:
    faces = ["red-7", "red-7", "blue-2", "wild", "wild"]
    deal = Deal([Lying(face, 320 + 9 * n, 240 - 7 * n, 13.0 * n, 130) for n, face in enumerate(faces)])
    told = [card.face for _, _, reading in settled_cards(deal.frames(), deal.read) for card in reading.cards]
    assert told == faces


@pytest.mark.long
def test_a_hand_over_a_card_that_stays_makes_no_second_one() -> None:
    deal = Deal([Lying("red-7", 320, 240, 13.0, 130)] * 3)
    assert [reading.cards[0].face for _, _, reading in settled_cards(deal.frames(), deal.read)] == ["red-7"]


class Spread:
    """Frames in which rows of cards are laid at once, each followed by a hand that moves over all; and their reader."""

    def __init__(self, *rows: Sequence[Lying], backs: Sequence[Lying] = (), stranger: Lying | None = None) -> None:
        self.rows, self.backs, self.stranger = rows, backs, stranger
        self.lying: list[Lying] = []

    def frames(self) -> Iterator[Frame]:
        t = 0.0
        for row in self.rows:
            self.lying += row
            still = picture([*self.lying, *self.backs], size=SIZE)
            if self.stranger is not None:
                still[inside(self.stranger.quad(), still)] = (200, 190, 240)
            for _ in range(3):
                yield Frame(t := t + 0.2, still)
                yield Frame(t := t + 0.2, still)
                yield Frame(t := t + 0.2, still)
                hand = still.copy()
                cv2.circle(hand, (600, 500), 400, (120, 150, 200), cv2.FILLED)
                yield Frame(t := t + 0.2, hand)

    def read(self, _: Picture) -> Reading:
        return Reading(SIZE, tuple(map(sighting, self.lying)), tuple(map(sighting, self.backs)))

    def seen(self, held: Mapping[str, int] | None = None) -> list[Seen]:
        """What is told of them as of a video."""
        return list(new_cards("deck.mp4", self.frames(), self.read, held))


def test_a_hand_over_many_cards_that_stay_tells_none_of_them_again() -> None:
    cards = deck()
    told = [[card.face for card in seen.reading.cards] for seen in Spread(cards[:8], cards[8:11]).seen()]
    assert [sorted(faces) for faces in told] == [sorted(c.face for c in cards[:8]), sorted(c.face for c in cards[8:11])]


def test_a_video_shows_no_card_more_often_than_its_deck_has_it() -> None:
    one, two, three = (Lying("red-0", 150 + 250 * n, 200, 0, 130) for n in range(3))
    other = Lying("red-7", 900, 500, 0, 130)
    told = [card for seen in Spread([one], [two, other], [three]).seen(DECKS["g7942"]) for card in seen.reading.cards]
    assert [(card.face, card.doubts) for card in told] == [
        ("red-0", ()), ("?", ("deck",)), ("red-7", ()), ("?", ("deck",)),
    ]  # fmt: skip


def test_what_was_reported_of_a_video_and_lies_there_still_is_of_this_game() -> None:
    cards = deck()
    found = Condition()
    for seen in Spread(cards[:7], cards[7:11], backs=[Lying("back", 150, 920, 0, 130)]).seen():
        found.add(seen)
    assert found.foreign() == []


def test_a_card_of_another_game_in_a_video_is_reported_once() -> None:
    cards = deck()
    found = Condition()
    for seen in Spread(cards[:4], cards[4:8], cards[8:9], stranger=Lying("wild", 1050, 920, 8, 130)).seen():
        found.add(seen)
    (remark,) = found.foreign()
    assert (remark.card, remark.image) == (None, "deck.mp4 at 0.6 s")


@pytest.mark.long
@pytest.mark.parametrize("command", ["read", "audit"])
def test_a_video_that_shows_no_card_or_was_cut_off_leaves_nothing_known(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    writer = cv2.VideoWriter("film.avi", cv2.VideoWriter.fourcc(*"MJPG"), FPS, (640, 480))
    rng = np.random.default_rng(1)
    for _ in range(2 * FPS):
        writer.write(np.clip(90 + rng.normal(0, 2, (480, 640, 3)), 0, 255).astype(np.uint8))
    writer.release()
    whole = Path("film.avi").read_bytes()
    Path("cut.avi").write_bytes(whole[: len(whole) // 2])

    def read(_: Picture) -> Reading:
        return Reading((640, 480), ())

    films = ["film.avi", "cut.avi"]
    assert (
        read_report(films, read) if command == "read" else audit_report(films, read, DeckList.shipped("g7942"))
    ) == 2
    told = capsys.readouterr()
    empty, cut = told.err.splitlines()
    assert empty.startswith(f"croupier {command}: film.avi: no card was still for long enough; lay or hold up")
    assert cut.startswith(f"croupier {command}: cut.avi: cut off after ")
    assert told.out == ("" if command == "read" else "g7942: cannot tell. Nothing was read: no file could be opened.\n")


@pytest.mark.long
@pytest.mark.slow
def test_a_video_file_is_run_through_and_what_is_none_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from cardsight.reader import Reader

    path, false = tmp_path / "deck.avi", tmp_path / "false.mp4"
    faces = ["red-7", "blue-2", "wild"]
    deal = Deal([Lying(face, 320, 240, 20.0 * n, 150) for n, face in enumerate(faces)])
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), FPS, (640, 480))
    for frame in deal.frames():
        writer.write(frame.image)
    writer.release()
    false.write_text("no video")
    told = [seen for _, seen in read_sources([str(path), str(false)], Reader().read, "audit")]
    assert [seen.reading.cards[0].face for seen in told[:-1] if isinstance(seen, Seen)] == faces
    assert not isinstance(told[-1], Seen)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"croupier audit: {false}: not a video")
