"""The simulated table: the true cards, where they lie, and how hands and cards move over it.

Seat 0 sits at the lower edge, the next seats follow clockwise. Nothing here decides anything: people and the shoe move
cards, the camera draws what lies there, and only the comparison at the end may look at the faces.

Coordinates are mm around the middle of the camera's view, seen from above, x to the right, y down; rectangles are
left, top, right, bottom. Times are simulated seconds."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from math import cos, radians, sin
from typing import Final

import numpy as np

VIEW_MM: Final = (711.0, 400.0)
PILE_MM: Final = (-215.0, 45.0)
HOPPER_MM: Final = (-290.0, -130.0)
PILE_ZONE_MM: Final = (-315.0, -60.0, -115.0, 150.0)
SHOW_ZONE_MM: Final = (-105.0, -190.0, 345.0, 190.0)
"""Where the discard pile lies and where hands are laid open."""

CARDS_A_PICTURE: Final = 15
"""A hand of more cards is laid open in several pictures."""
_SHOW_CELL_MM: Final = (84.0, 116.0)
_SHOW_COLUMNS: Final = 5


def show_mm(place: int) -> tuple[float, float]:
    """The middle of one of the `CARDS_A_PICTURE` places of a hand that is laid open."""
    row, column = divmod(place, _SHOW_COLUMNS)
    middle = (SHOW_ZONE_MM[0] + SHOW_ZONE_MM[2]) / 2
    return middle + (column - (_SHOW_COLUMNS - 1) / 2) * _SHOW_CELL_MM[0], (row - 1) * _SHOW_CELL_MM[1]


def edge_mm(direction_deg: float, reach: float = 430.0) -> tuple[float, float]:
    """A point outside the picture in the direction of a seat."""
    return reach * cos(radians(direction_deg)), reach * sin(radians(direction_deg))


_CARRY_MM: Final = 30.0
"""A card in a hand is carried so high above the table …"""
_HOVER_DEPTH: Final = 0.8
"""… and a hand that hesitates does so that far on its way."""


@dataclass(frozen=True, slots=True)
class Pose:
    """Where a card lies: its middle in mm, turned clockwise in degrees."""

    x: float
    y: float
    turn: float


@dataclass(frozen=True, slots=True)
class Lying:
    """A card on the table."""

    face: str
    pose: Pose


@dataclass(frozen=True, slots=True)
class Reach:
    """A hand that comes from ``seat``, is at ``at`` from ``there`` to ``back``, and is gone at ``end`` (seconds).
    Half-way between ``there`` and ``back`` it touches: it leaves the card that it ``carries``, or has the one that it
    ``takes``. One that ``keeps`` its card only shows it. On its way it may stop for ``hovers`` seconds."""

    seat: int
    at: tuple[float, float]
    begin: float
    there: float
    back: float
    end: float
    carries: Lying | None = None
    takes: Lying | None = None
    keeps: bool = False
    hovers: float = 0.0

    @property
    def touch(self) -> float:
        """When it is down on the table."""
        return (self.there + self.back) / 2

    def held(self, t: float) -> Lying | None:
        """The card in the hand."""
        if self.keeps:
            return self.carries
        return self.carries if t < self.touch else self.takes

    def depth(self, t: float) -> float:
        """How far the hand has come: 0 at the edge, 1 at its goal. It starts and stops as people's hands do."""
        if t > self.back:
            return 1 - _eased((t - self.back) / (self.end - self.back))
        if not self.hovers:
            return _eased((t - self.begin) / (self.there - self.begin))
        half = (self.there - self.begin - self.hovers) / 2
        near = _eased((t - self.begin) / half)
        return _HOVER_DEPTH * near + (1 - _HOVER_DEPTH) * _eased((t - self.there + half) / half)

    def height_mm(self, t: float) -> float:
        """How high above the table the card in the hand is; it goes down until the table stops it."""
        if self.keeps:
            return _CARRY_MM
        return _CARRY_MM * min(1.0, abs(t - self.touch) / max(self.touch - self.there, 1e-6))


def _eased(part: float) -> float:
    """The way of a hand that jerks as little as it can (Flash and Hogan 1985): part of the time to part of the way."""
    x = min(max(part, 0.0), 1.0)
    return x * x * x * (10 + x * (6 * x - 15))


@dataclass(frozen=True, slots=True)
class Slide:
    """A card face down on its way from the shoe to ``seat``."""

    seat: int
    begin: float
    end: float


_PILE_SPREAD_MM: Final = 14.0  # people lay cards down by hand; the pile is as untidy as that
_REACH_S: Final = 0.45  # from the table's edge to its middle


@dataclass
class SimTable:
    """All cards of the deck in one of five places: ``hopper``, ``sliding``, ``hands``, ``discard``, ``spread``
    (a hand laid open is still that seat's hand: the cards stand in both)."""

    seats: int
    rng: np.random.Generator
    deck: tuple[str, ...]
    now: float = 0.0
    hopper: list[str] = field(default_factory=list)
    hands: list[list[str]] = field(default_factory=list)
    discard: list[Lying] = field(default_factory=list)
    spread: list[Lying] = field(default_factory=list)
    reaches: list[Reach] = field(default_factory=list)
    slides: list[Slide] = field(default_factory=list)
    laid: list[str] = field(default_factory=list)
    """Every face that touched the discard pile, in order …"""
    touched: list[float] = field(default_factory=list)
    """… and when; both for the comparison only …"""
    laid_by: list[int] = field(default_factory=list)
    """… and by which seat, as everybody saw."""
    version: int = 0
    """Grows whenever a card that lies still was laid, moved or taken."""

    def __post_init__(self) -> None:
        self._order = count()
        self._due: list[tuple[float, int, Callable[[], object]]] = []
        self.hands = [[] for _ in range(self.seats)]
        self.hopper = self._shuffled(self.deck)

    # -- time ------------------------------------------------------------------------------------------------------

    def at(self, t: float, act: Callable[[], object]) -> None:
        """Let ``act`` happen at ``t``."""
        heapq.heappush(self._due, (max(t, self.now), next(self._order), act))

    def run_to(self, t: float) -> None:
        """Let everything happen that is due until ``t``."""
        while self._due and self._due[0][0] <= t:
            due, _, act = heapq.heappop(self._due)
            self.now = max(self.now, due)
            act()
        self.now = max(self.now, t)
        self.reaches = [reach for reach in self.reaches if reach.end > self.now]
        self.slides = [slide for slide in self.slides if slide.end > self.now]

    @property
    def is_moving(self) -> bool:
        """Whether a hand or a card is in motion."""
        return bool(self.reaches or self.slides)

    # -- what hands do ---------------------------------------------------------------------------------------------

    def direction_deg(self, seat: int) -> float:
        """Where a seat sits, as seen from the middle: degrees clockwise from the right."""
        return 90.0 + 360.0 * seat / self.seats

    def lay(
        self, seat: int, face: str, *, stay: float = 0.1, hovers: float = 0.0, turn: float = 0.0,
        beside: tuple[float, float] = (0.0, 0.0),
    ) -> float:  # fmt: skip
        """``seat`` takes ``face`` out of its hand and lays it on the discard pile, or ``beside`` it (mm), ``turn``
        degrees off the way that it would lie before this seat; returns when it touches."""
        self.hands[seat].remove(face)
        card = Lying(face, self._pile_pose(seat, beside, turn))
        touch = self._reach(seat, (card.pose.x, card.pose.y), stay=stay, carries=card, hovers=hovers)
        self.at(touch, lambda: self._put(seat, card))
        return touch

    def lay_two(self, seat: int, faces: tuple[str, str], *, stay: float = 0.3) -> float:
        """``seat`` lays two cards at once, the second on top and far enough aside for both to be seen."""
        for face in faces:
            self.hands[seat].remove(face)
        under = Lying(faces[0], self._pile_pose(seat))
        aside = np.deg2rad(under.pose.turn)
        over = Pose(under.pose.x + 38 * float(np.cos(aside)), under.pose.y + 38 * float(np.sin(aside)), under.pose.turn)
        top = Lying(faces[1], over)
        touch = self._reach(seat, (top.pose.x, top.pose.y), stay=stay, carries=top)
        for card in (under, top):
            self.at(touch, partial(self._put, seat, card))
        return touch

    def show(self, seat: int, face: str, *, stay: float = 0.6) -> float:
        """``seat`` holds a card over the discard pile and takes it back; returns when it is in its hand again."""
        card = Lying(face, self._pile_pose(seat))
        self._reach(seat, (card.pose.x, card.pose.y), stay=stay, carries=card, keeps=True)
        return self.reaches[-1].end

    def turn_up(self, seat: int) -> float:
        """``seat`` takes the top card off the shoe and lays it face up on the discard pile; returns when it touches."""
        card = Lying(self.hopper.pop(0), self._pile_pose(seat))
        touch = self._reach(seat, (card.pose.x, card.pose.y), stay=0.1, carries=card)
        self.at(touch, lambda: self._put(seat, card))
        return touch

    def take_back(self, seat: int) -> float:
        """``seat`` takes the top card of the discard pile back into its hand; returns when it is gone."""
        card = self.discard[-1]

        def take() -> None:
            self.discard.remove(card)
            self.hands[seat].append(card.face)
            self.version += 1

        lifted = self._reach(seat, (card.pose.x, card.pose.y), stay=0.1, takes=card)
        self.at(lifted, take)
        return lifted

    def return_top(self, seat: int, to: str) -> float:
        """``seat`` puts the top card back into the hopper: ``deck`` shuffled in, ``bottom`` under the rest."""
        card = self.discard[-1]

        def give() -> None:
            self.discard.remove(card)
            self.hopper = self._shuffled([*self.hopper, card.face]) if to == "deck" else [*self.hopper, card.face]
            self.version += 1

        lifted = self._reach(seat, (card.pose.x, card.pose.y), stay=0.1, takes=card)
        self.at(lifted, give)
        return lifted

    def straighten(self, seat: int) -> float:
        """``seat`` pushes the top card a little, so that the camera sees it better; returns when it lies still."""
        card = self.discard[-1]

        def push() -> None:
            if self.discard and self.discard[-1] is card:
                self.discard[-1] = Lying(card.face, self._pile_pose(seat))
                self.version += 1

        still = self._reach(seat, (card.pose.x, card.pose.y), stay=0.3)
        self.at(still, push)
        return still

    def lay_open(self, seat: int, cards: list[str]) -> float:
        """``seat`` spreads ``cards`` (at most `CARDS_A_PICTURE`) before the camera; returns when all lie there."""
        laid = [Lying(face, self._show_pose(place)) for place, face in enumerate(cards)]

        def spread() -> None:
            self.spread = laid
            self.version += 1

        done = self._reach(seat, (120.0, 0.0), stay=0.4 + 0.08 * len(cards))
        self.at(done, spread)
        return done

    def gather(self, seat: int) -> float:
        """``seat`` takes the cards that lie open back; returns when they are gone."""

        def take() -> None:
            self.spread = []
            self.version += 1

        done = self._reach(seat, (120.0, 0.0), stay=0.4)
        self.at(done, take)
        return done

    def wave(self, seat: int, at: tuple[float, float] | None = None) -> float:
        """A hand comes over the pile, or to ``at`` (mm), without a card; returns when half of its stay is over."""
        return self._reach(seat, at or (PILE_MM[0] + float(self.rng.normal(0, 30)), PILE_MM[1]), stay=0.5)

    def put_back(self, seat: int, n: int) -> float:
        """``seat`` puts the last ``n`` cards it got under the hopper's others; returns when they lie there."""

        def give() -> None:
            for _ in range(n):
                self.hopper.append(self.hands[seat].pop())

        done = self._reach(seat, HOPPER_MM, stay=0.5)
        self.at(done, give)
        return done

    def collect_hands(self, seat: int, counts: tuple[int, ...]) -> float:
        """``seat`` puts the first ``counts`` cards of each hand, shuffled, on top of the hopper's others; returns when
        they lie there. Cards that a seat got later stay with it."""

        def load() -> None:
            collected = [card for hand, n in zip(self.hands, counts, strict=True) for card in hand[:n]]
            self.hands = [hand[n:] for hand, n in zip(self.hands, counts, strict=True)]
            self.hopper = [*self._shuffled(collected), *self.hopper]

        done = self._reach(seat, HOPPER_MM, stay=2.0)
        self.at(done, load)
        return done

    def recycle(self, seat: int) -> float:
        """``seat`` puts the discard pile, less its top card, shuffled into the hopper; returns when it is in."""

        def load() -> None:
            under, self.discard = self.discard[:-1], self.discard[-1:]
            self.hopper = self._shuffled([*self.hopper, *(card.face for card in under)])
            self.version += 1

        done = self._reach(seat, PILE_MM, stay=1.5)
        self.at(done, load)
        return done

    def collect(self, seat: int) -> float:
        """``seat`` puts all cards of all hands and piles shuffled into the hopper; returns when they are in."""

        def load() -> None:
            self.hands = [[] for _ in range(self.seats)]
            self.discard, self.spread = [], []
            self.hopper = self._shuffled(self.deck)
            self.version += 1

        done = self._reach(seat, PILE_MM, stay=2.0)
        self.at(done, load)
        return done

    # -- what the shoe does ----------------------------------------------------------------------------------------

    def feed(self, seat: int, slide_s: float) -> str:
        """The top card of the hopper leaves towards ``seat`` and is in its hand ``slide_s`` later."""
        face = self.hopper.pop(0)
        self.slides.append(Slide(seat, self.now, self.now + slide_s))
        self.at(self.now + slide_s, lambda: self.hands[seat].append(face))
        return face

    # --------------------------------------------------------------------------------------------------------------

    def _reach(
        self,
        seat: int,
        at: tuple[float, float],
        *,
        stay: float,
        carries: Lying | None = None,
        takes: Lying | None = None,
        keeps: bool = False,
        hovers: float = 0.0,
    ) -> float:
        there = self.now + hovers + _REACH_S * float(self.rng.uniform(0.8, 1.4))
        back = there + stay
        end = back + _REACH_S * float(self.rng.uniform(0.8, 1.4))
        self.reaches.append(Reach(seat, at, self.now, there, back, end, carries, takes, keeps, hovers))
        return there + stay / 2

    def _put(self, seat: int, card: Lying) -> None:
        self.discard.append(card)
        self.laid_by.append(seat)
        self.laid.append(card.face)
        self.touched.append(self.now)
        self.version += 1

    def _pile_pose(self, seat: int, beside: tuple[float, float] = (0.0, 0.0), turned: float = 0.0) -> Pose:
        x, y = self.rng.normal(0, _PILE_SPREAD_MM / 2, 2).clip(-_PILE_SPREAD_MM, _PILE_SPREAD_MM)
        turn = self.direction_deg(seat) - 90 + turned + float(self.rng.normal(0, 14))
        return Pose(PILE_MM[0] + beside[0] + float(x), PILE_MM[1] + beside[1] + float(y), turn % 360)

    def _show_pose(self, place: int) -> Pose:
        x, y = show_mm(place)
        dx, dy = self.rng.uniform(-4, 4, 2)
        return Pose(x + float(dx), y + float(dy), float(self.rng.normal(0, 4)) + float(self.rng.choice([0, 180])))

    def _shuffled(self, cards: tuple[str, ...] | list[str]) -> list[str]:
        return [cards[i] for i in self.rng.permutation(len(cards))]
