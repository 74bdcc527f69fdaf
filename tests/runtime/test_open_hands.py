"""Hands laid open at a table that was calibrated as a whole: anywhere in the picture but on the discard pile."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardsight import layout
from cardsight.calibrate import Calibration, Plane
from cardsight.explanation import CloseReader
from cardsight.model import load
from cardsight.reader import Reader
from cardsight.sources import Frame
from cardsight.track.zone import STRAY_LOOK_S, StrayCardDetector, Zone
from croupier.config import read
from croupier.errors import ModelNotFound
from croupier.events import HandSeen
from croupier.runtime.camera import Readers, TableWatch
from croupier.runtime.devices import zones_of
from croupier.runtime.inbox import Inbox
from croupier.runtime.open_hands import PATIENCE_S, CloseLooks, CloseReaders, HandScan
from croupier.runtime.table_camera import Zones
from croupier_rules.cards import DECKS, FACES
from croupier_sim.camera import SimCamera
from croupier_sim.drawing import STYLES, Lamp
from croupier_sim.table import PILE_MM, PILE_ZONE_MM, SHOW_ZONE_MM, Pose, SimTable
from croupier_sim.table import Lying as OnTable
from croupier_sim.video import TroubledCamera
from tests.runtime.live import TWO as CONFIG
from tests.sim.standin import TruthReader as SimReader
from tests.vision.laid import Image, Lying, fan, picture
from tests.vision.test_track import CARD_PX, Scene, TruthReader

SIZE = (1280, 720)
PX_PER_MM = 120 / 56
STEP_S = 0.1
ON_TOP = Lying("wild-draw4", 320, 360, 20)
TWO = (Lying("red-1", 760, 330), Lying("red-2", 930, 340, 12))
THREE = (Lying("blue-1", 760, 330, 5), Lying("blue-2", 930, 340), Lying("blue-3", 1100, 340))
DRAW_PILE = Lying("back", 1150, 590, 90)


def calibrated(path: Path) -> Path:
    """The file of a table of which only plane, pile and seats are known, the pile at the left."""
    plane = Plane(np.array([[PX_PER_MM, 0, SIZE[0] / 2], [0, PX_PER_MM, SIZE[1] / 2], [0, 0, 1]]))
    made = Calibration(SIZE, plane, pile=(-150.0, 0.0)).with_even_seats(2)
    file = path / "table.toml"
    file.write_text(made.to_toml(), encoding="utf-8")
    return file


class Table:
    """Shows what lies there to the zone for open hands; ``draw_pile``: face down, as it lies now."""

    def __init__(self, path: Path) -> None:
        self.reader = TruthReader()
        camera = f'source = "usb:0"\ncalibration = "{calibrated(path)}"'
        zones = zones_of(read(CONFIG.replace('source = "none"', camera)))
        assert zones is not None
        self.zone = Zone(zones.show, zones.show_card_px, self.reader, pile=zones.pile)
        self.strays = StrayCardDetector(zones.pile, zones.show, zones.pile_card_px, self.reader)
        self.hands = HandScan()
        self.draw_pile = DRAW_PILE
        self.t = 0.0

    def show(self, *cards: Lying, seconds: float) -> list[HandSeen]:
        self.reader.scene = Scene(cards)
        told = []
        for _ in range(round(seconds / STEP_S)):
            self.t += STEP_S
            image = picture((self.draw_pile, *cards), "green cloth", SIZE, round(self.t / STEP_S) % 4)
            told.append(self.hands.push(self.zone.look(self.t, image)))
        return [seen for seen in told if seen is not None]


def test_a_hand_is_what_lies_beside_the_discard_pile_and_so_is_the_next_one(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.show(ON_TOP, seconds=0.3)
    table.hands.expect([(0, 2)])
    (first,) = table.show(ON_TOP, *TWO, seconds=1.0)
    assert (first.seat, first.cards) == (0, ("red-1", "red-2"))
    table.hands.expect([(1, 3)])
    table.show(ON_TOP, seconds=0.3)
    (second,) = table.show(ON_TOP, *THREE, seconds=1.0)
    assert (second.seat, second.cards) == (1, ("blue-1", "blue-2", "blue-3"))


def test_any_hand_may_come_first_if_its_number_of_cards_tells_whose_it_is(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.show(ON_TOP, seconds=0.3)
    table.hands.expect([(0, 2), (1, 3), (2, 7)])
    (first,) = table.show(ON_TOP, *THREE, seconds=PATIENCE_S + 1.0)
    assert (first.seat, first.cards) == (1, ("blue-1", "blue-2", "blue-3"))
    table.hands.expect([(0, 2), (2, 7)])
    table.show(ON_TOP, seconds=0.3)
    (second,) = table.show(ON_TOP, *TWO, seconds=1.0)
    assert (second.seat, second.cards) == (0, ("red-1", "red-2"))


def test_of_hands_with_as_many_cards_the_one_that_was_asked_for_is_meant(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.show(ON_TOP, seconds=0.3)
    table.hands.expect([(3, 2), (0, 2)])
    (first,) = table.show(ON_TOP, *TWO, seconds=1.0)
    assert first.seat == 3
    table.hands.expect([(0, 4), (1, 3), (2, 3)])
    table.show(ON_TOP, seconds=0.3)
    (second,) = table.show(ON_TOP, *THREE, seconds=PATIENCE_S + 1.0)
    assert second.seat == 0, "nobody can tell: the referee says that its number is wrong"


def test_what_is_seen_of_a_hand_is_known_before_it_is_complete_and_that_the_last_one_still_lies_there(
    tmp_path: Path,
) -> None:
    table = Table(tmp_path)
    table.show(ON_TOP, seconds=0.3)
    table.hands.expect([(0, 3), (1, 4)])
    assert not table.hands.cards
    assert table.show(ON_TOP, *TWO, seconds=1.0) == []
    assert table.hands.cards == ("red-1", "red-2")
    (first,) = table.show(ON_TOP, *TWO, seconds=PATIENCE_S)
    assert len(first.cards) == 2
    table.hands.expect([(0, 3), (1, 4)])
    table.show(ON_TOP, *TWO, seconds=1.0)
    assert table.hands.must_be_taken_up, "the referee has said that a card is missing; it lies there as before"
    assert not table.hands.cards
    table.show(ON_TOP, seconds=0.3)
    assert not table.hands.must_be_taken_up
    table.show(ON_TOP, *THREE[:1], seconds=1.0)
    assert table.hands.cards == ("blue-1",)


@pytest.mark.long
def test_the_piles_may_look_otherwise_than_when_the_program_began(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.show(seconds=0.3)
    table.draw_pile = Lying("back", 1140, 580, 84)
    pile = (Lying("red-5", 300, 350), Lying("green-skip", 390, 430, 60), ON_TOP)
    table.hands.expect([(0, 2)])
    assert table.show(*pile, seconds=2 * PATIENCE_S) == [], "nobody has laid anything open"
    (first,) = table.show(*pile, *TWO, seconds=1.0)
    assert first.cards == ("red-1", "red-2")
    table.draw_pile = DRAW_PILE
    table.hands.expect([(1, 3)])
    table.show(*pile, seconds=PATIENCE_S)
    (second,) = table.show(*pile, *THREE, seconds=1.0)
    assert second.cards == ("blue-1", "blue-2", "blue-3")


ZONES = Zones(pile=(100, 100, 500, 500), show=(520, 0, *SIZE), pile_card_px=CARD_PX, show_card_px=CARD_PX)


class Beside(Executor):
    """Another thread, which works when the test lets it."""

    def __init__(self) -> None:
        self.waiting: list[Callable[[], None]] = []

    def submit(self, work: Callable[..., Any], /, *args: Any, **more: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.waiting.append(lambda: future.set_result(work(*args, **more)))
        return future

    def work(self) -> None:
        while self.waiting:
            self.waiting.pop(0)()


@dataclass
class Seen:
    """The camera's view as the table watches it; ``change`` is what the camera makes of the picture. ``closely``: reads
    what a close look shows."""

    reader: TruthReader = field(default_factory=TruthReader)
    closely: TruthReader | None = None
    beside: Beside = field(default_factory=Beside)
    inbox: Inbox = field(default_factory=Inbox)
    number: int = 0
    expected: list[int] = field(default_factory=list)
    """The numbers of cards of the hands that got a close look."""

    def expecting(self, number: int) -> TruthReader:
        self.expected.append(number)
        assert self.closely is not None
        return self.closely

    def __post_init__(self) -> None:
        looks = CloseLooks(lambda: None if self.closely is None else self.expecting, self.beside)
        self.watch = TableWatch(self, ZONES, Readers(TruthReader(), self.reader, TruthReader, looks), FACES)

    def start(self) -> None:
        """Do nothing."""

    close = start
    trouble = ""
    invitation, is_wanted = None, True
    image: Image | None = None

    def now(self) -> float:
        return self.number * STEP_S

    def frame(self) -> Frame:
        assert self.image is not None
        return Frame(self.now(), self.image)

    def show(self, *cards: Lying, seconds: float, change: Callable[[Image], Image] = lambda image: image) -> list[str]:
        """Returns the cards of the hands that were read."""
        for reader in (self.reader, self.closely):
            if reader is not None:
                reader.scene = Scene(tuple(replace(card, x=card.x - 520) for card in cards))
        told: list[str] = []
        for _ in range(round(seconds / STEP_S)):
            self.number += 1
            self.image = change(picture((*AROUND, *cards), "green cloth", SIZE, self.number % 4))
            self.watch.poll(self.inbox)
            told += [card for event in self.inbox.collect() if isinstance(event, HandSeen) for card in event.cards]
        return told


class SimulatedTable:
    """A simulated table; a camera of ``fps`` frames a second looks at it, whose cards are read as they are."""

    def __init__(self, fps: float, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.table, self._step_s = SimTable(4, rng, ()), 1 / fps
        self.table.discard.append(OnTable("wild", Pose(*PILE_MM, 20)))
        camera = SimCamera(self.table, style=STYLES["modern"], ground="cloth", lamp=Lamp(), rng=rng)
        (pile, pile_px), (show, show_px) = (
            (camera.zone_px(zone), camera.card_px(zone)) for zone in (PILE_ZONE_MM, SHOW_ZONE_MM)
        )
        reader = SimReader(self.table, camera)
        zones = Zones(pile=pile, show=show, pile_card_px=pile_px, show_card_px=show_px)
        self.watch = TableWatch(TroubledCamera(camera), zones, Readers(reader, reader, lambda: reader), FACES)
        self._inbox = Inbox()

    def run(self, seconds: float) -> list[HandSeen]:
        """Let time pass; returns the hands that were read, and ends with the first one."""
        seen: list[HandSeen] = []
        for _ in range(round(seconds / self._step_s)):
            self.table.run_to(self.table.now + self._step_s)
            self.watch.poll(self._inbox)
            seen = [event for event in self._inbox.collect() if isinstance(event, HandSeen)]
            if seen:
                break
        return seen


@pytest.mark.long
@pytest.mark.parametrize("fps", [1, 2, 5])
def test_hands_laid_open_right_after_one_another_are_read_however_few_pictures_the_camera_sends(fps: float) -> None:
    simulated = SimulatedTable(fps, seed=5)
    table = simulated.table
    assert simulated.run(2.0) == []
    for seat, hand in enumerate((["red-1", "blue-2"], ["green-5"], ["yellow-7"], ["wild", "yellow-7", "red-4"])):
        simulated.watch.expect_hands([(seat, len(hand))])
        table.hands[seat] = list(hand)
        table.at(table.now + 1.5, partial(table.lay_open, seat, hand))
        (seen,) = simulated.run(30.0)
        assert (seen.seat, sorted(seen.cards)) == (seat, sorted(hand))
        table.gather(seat)


AROUND = (Lying("back", 250, 200), Lying("back", 300, 560, 90), DRAW_PILE)


def darkened(image: Image) -> Image:
    return np.asarray(image * 0.02, np.uint8)


def moved(image: Image) -> Image:
    return np.roll(image, (40, 60), axis=(0, 1))


@pytest.mark.long
def test_a_hand_is_read_after_the_camera_saw_nothing_for_a_while() -> None:
    seen = Seen()
    seen.show(seconds=2.0)
    seen.watch.expect_hands([(0, 2)])
    assert seen.show(seconds=6.0, change=darkened) == []
    seen.show(seconds=1.5)
    assert seen.show(*TWO, seconds=1.0) == ["red-1", "red-2"]
    seen.watch.expect_hands([(1, 3)])
    seen.show(seconds=1.0)
    assert seen.show(*THREE, seconds=1.0) == ["blue-1", "blue-2", "blue-3"]


def test_hands_are_read_where_a_camera_that_was_moved_sees_them() -> None:
    seen = Seen()
    seen.show(seconds=2.0)
    seen.show(seconds=3.0, change=moved)
    assert seen.watch.pile.trouble == "moved"
    seen.watch.accept_view()
    seen.watch.expect_hands([(0, 2)])
    seen.show(seconds=1.0, change=moved)
    assert seen.show(*TWO, seconds=1.0, change=moved) == ["red-1", "red-2"]
    seen.watch.expect_hands([(1, 3)])
    seen.show(seconds=1.0, change=moved)
    assert seen.show(*THREE, seconds=1.0, change=moved) == ["blue-1", "blue-2", "blue-3"]


def test_a_hand_may_be_laid_open_where_the_pile_lay() -> None:
    reader, place = TruthReader(), (100, 100, 500, 500)
    zone = Zone(place, CARD_PX, reader, pile=place)
    zone.look(0.0, picture((), "green cloth", SIZE))
    reader.scene = Scene((Lying("red-1", 200, 200),))
    looks = [zone.look(t, picture((Lying("red-1", 300, 300),), "green cloth", SIZE, int(t))) for t in (1.0, 2.0)]
    assert [card.face for card in looks[1].cards] == ["red-1"]


def test_a_card_beside_the_pile_is_reported_though_hands_may_be_laid_open_there(tmp_path: Path) -> None:
    table = Table(tmp_path)
    image = picture((), size=SIZE)
    table.reader.scene = Scene((Lying("red-7", 580, 300),))
    for t in (0.0, STRAY_LOOK_S):
        table.strays.look(t, image)
    assert [card.card.face for card in table.strays.cards] == ["red-7"]


FAN = tuple(Lying(f"blue-{n}", 720 + 40 * n, 330) for n in range(1, 5))
FANNED = [f"blue-{n}" for n in range(1, 5)]


def fanned(*, mistaken: dict[str, str] | None = None, doubtful: str = "") -> Seen:
    """A table that expects four cards, and reads in a close look also those that are mostly covered."""
    closely = TruthReader()
    closely.least, closely.mistaken, closely.doubtful = 0.2, mistaken or {}, {doubtful}
    seen = Seen(closely=closely)
    seen.show(seconds=1.0)
    seen.watch.expect_hands([(0, 4)])
    return seen


def test_a_fanned_hand_is_complete_with_the_cards_that_a_close_look_names() -> None:
    seen = fanned()
    assert seen.show(*FAN, seconds=1.0) == []
    seen.beside.work()
    assert seen.show(*FAN, seconds=0.2) == FANNED
    assert seen.show(*FAN, seconds=2 * PATIENCE_S) == [], "it is told once"
    assert seen.expected == [4], "the referee knows the number"


def test_a_hand_beside_which_a_close_look_finds_another_card_is_asked_about() -> None:
    seen, other = fanned(doubtful="red-9"), Lying("red-9", 1150, 330)
    seen.show(*FAN, other, seconds=1.0)
    seen.beside.work()
    assert seen.show(*FAN, other, seconds=PATIENCE_S) == ["blue-4", "red-9"]


def test_a_close_look_at_cards_that_were_moved_since_is_forgotten() -> None:
    seen = fanned()
    seen.show(*FAN, seconds=1.0)
    others = tuple(replace(card, face=card.face.replace("blue", "red"), y=400) for card in FAN)
    seen.show(*others, seconds=0.3)
    seen.beside.work()
    assert seen.show(*others, seconds=1.0) == [], "the others are looked at now"
    seen.beside.work()
    assert seen.show(*others, seconds=0.2) == [face.replace("blue", "red") for face in FANNED]


def test_one_close_look_is_taken_at_a_time() -> None:
    seen = fanned()
    for n in range(4):
        seen.show(*(replace(card, y=330 + 20 * n) for card in FAN), seconds=1.0)
    assert len(seen.beside.waiting) == 1


def test_a_hand_in_which_a_close_look_finds_another_number_is_told_as_it_was_read_at_a_glance() -> None:
    seen = fanned(doubtful="blue-2")
    seen.show(*FAN, seconds=1.0)
    seen.beside.work()
    assert seen.show(*FAN, seconds=PATIENCE_S) == ["blue-4"]


def test_a_hand_is_not_told_incomplete_while_it_is_looked_at() -> None:
    seen = fanned()
    assert seen.show(*FAN, seconds=2 * PATIENCE_S) == []
    seen.beside.work()
    assert seen.show(*FAN, seconds=0.2) == FANNED


def no_model() -> CloseReaders:
    raise ModelNotFound("gone")


@pytest.mark.parametrize("make_readers", [lambda: None, no_model], ids=["own deck", "no model"])
def test_without_a_reader_for_close_looks_hands_are_read_at_a_glance(
    make_readers: Callable[[], CloseReaders | None],
) -> None:
    seen = fanned()
    seen.watch = TableWatch(
        seen, ZONES, Readers(TruthReader(), seen.reader, TruthReader, CloseLooks(make_readers, seen.beside)), FACES
    )
    seen.show(seconds=1.0)
    seen.watch.expect_hands([(0, 4)])
    seen.show(*FAN, seconds=1.0)
    seen.beside.work()
    assert seen.show(*FAN, seconds=PATIENCE_S) == ["blue-4"]


@pytest.mark.slow
def test_a_hand_fanned_as_people_hold_it_is_read_at_the_table() -> None:
    seen, model, deck = Seen(), load(), DECKS["g7942"]
    looks = CloseLooks(lambda: partial(CloseReader, Reader(model), model, layout.load()), seen.beside)
    seen.watch = TableWatch(seen, ZONES, Readers(TruthReader(), Reader(model), TruthReader, looks), deck)
    faces = ("yellow-reverse", "blue-skip", "blue-9", "red-7", "blue-2")
    held = fan(faces, -32, 13, 146, at=(820, 330), width=120)
    seen.show(seconds=1.0)
    seen.watch.expect_hands([(0, len(held))])
    assert seen.show(*held, seconds=0.5) == []
    seen.beside.work()
    assert seen.show(*held, seconds=0.2) == sorted(faces)
