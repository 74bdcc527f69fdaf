"""The simulated table: the true cards, their places, and the motion of hands and cards.

Seat 0 sits at the lower edge, the next seats follow clockwise. This module decides nothing: people and the shoe move
cards, the camera draws them, and only the comparison at the end may read hidden faces.

Coordinates are mm around the middle of the camera's view, seen from above, x to the right, y down. Rectangles are left,
top, right, bottom. Times are simulated seconds.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
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
"""The zone of the discard pile and of open hands."""

CARDS_A_PICTURE: Final = 15
"""The largest hand that is laid open in one picture."""
_SHOW_CELL_MM: Final = (84.0, 116.0)
_SHOW_COLUMNS: Final = 5


def show_mm(place: int) -> tuple[float, float]:
    """Return the middle of one of the `CARDS_A_PICTURE` places of an open hand."""
    row, column = divmod(place, _SHOW_COLUMNS)
    middle = (SHOW_ZONE_MM[0] + SHOW_ZONE_MM[2]) / 2
    return middle + (column - (_SHOW_COLUMNS - 1) / 2) * _SHOW_CELL_MM[0], (row - 1) * _SHOW_CELL_MM[1]


def edge_mm(direction_deg: float, reach: float = 430.0) -> tuple[float, float]:
    """Return a point outside the picture in the direction of a seat."""
    return reach * cos(radians(direction_deg)), reach * sin(radians(direction_deg))


_CARRY_MM: Final = 30.0
"""Height of a card in a hand above the table."""
_HOVER_DEPTH: Final = 0.8
"""Fraction of its way at which a hand hesitates."""


@dataclass(frozen=True, slots=True)
class Pose:
    """The position of a card: its middle in mm, and its rotation, clockwise in degrees."""

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
    """A hand that reaches over the table from ``seat``.

    It is at ``at`` from ``there`` to ``back`` and gone at ``end`` (seconds). Half-way between ``there`` and ``back`` it
    touches the table: it leaves the card that it ``carries``, with those ``under`` it, or takes up the one that it
    ``takes``. A hand that ``keeps`` its card only shows it. ``hovers``: time of a stop on its way (s).
    """

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
    under: tuple[Lying, ...] = ()

    @property
    def touch(self) -> float:
        """When the hand touches the table."""
        return (self.there + self.back) / 2

    def held(self, t: float) -> tuple[Lying, ...]:
        """Return the cards in the hand, the lowest first."""
        top = self.carries if self.keeps or t < self.touch else self.takes
        return () if top is None else (*(self.under if top is self.carries else ()), top)

    def depth(self, t: float) -> float:
        """Return the fraction of the way at ``t``: 0 at the edge, 1 at the goal, with the speed profile of a person's
        hand."""
        if t > self.back:
            return 1 - _eased((t - self.back) / (self.end - self.back))
        if not self.hovers:
            return _eased((t - self.begin) / (self.there - self.begin))
        half = (self.there - self.begin - self.hovers) / 2
        near = _eased((t - self.begin) / half)
        return _HOVER_DEPTH * near + (1 - _HOVER_DEPTH) * _eased((t - self.there + half) / half)

    def height_mm(self, t: float) -> float:
        """Return the height of the card in the hand above the table; the table stops it."""
        if self.keeps:
            return _CARRY_MM
        return _CARRY_MM * min(1.0, abs(t - self.touch) / max(self.touch - self.there, 1e-6))


def _eased(part: float) -> float:
    """Return the fraction of the way after a fraction of the time, at minimum jerk (Flash and Hogan 1985)."""
    x = min(max(part, 0.0), 1.0)
    return x * x * x * (10 + x * (6 * x - 15))


@dataclass(frozen=True, slots=True)
class Slide:
    """A face-down card on its way from the shoe to ``seat``."""

    seat: int
    begin: float
    end: float


_PILE_SPREAD_MM: Final = 14.0  # spread of cards laid by hand
_AGAIN_S: Final = 1.0  # from lifting a card to the begin of laying it once more
_REACH_S: Final = 0.45  # from the table's edge to its middle


@dataclass
class SimTable:
    """All cards of the deck, each in one place: ``hopper``, ``sliding``, ``hands``, ``discard``. ``spread``: an open
    hand, whose cards are in ``hands`` as well."""

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
    """Every face that touched the discard pile, in order; for the comparison only."""
    touched: list[float] = field(default_factory=list)
    """The times of these touches."""
    laid_by: list[int] = field(default_factory=list)
    """The seats that laid these cards, as everybody saw."""
    taken_back: set[int] = field(default_factory=set)
    """Which of these cards were taken off the pile again."""
    knocked_out: set[int] = field(default_factory=set)
    """The seats that gave up their hands until the end of the round."""
    round_began: int = 0
    """The number of these cards that were laid before this round."""
    on_feed: Callable[[str], None] | None = None
    """Sees each face that leaves the shoe: the camera at the card exit."""
    version: int = 0
    """Increases whenever a card at rest is laid, moved or taken."""

    def __post_init__(self) -> None:
        self._order = count()
        self._due: list[tuple[float, int, Callable[[], object]]] = []
        self.hands = [[] for _ in range(self.seats)]
        self.hopper = self._shuffled(self.deck)

    # -- time ------------------------------------------------------------------------------------------------------

    def at(self, t: float, act: Callable[[], object]) -> None:
        """Schedule ``act`` at ``t``."""
        heapq.heappush(self._due, (max(t, self.now), next(self._order), act))

    def run_to(self, t: float) -> None:
        """Advance time to ``t`` and do everything that is due."""
        while self._due and self._due[0][0] <= t:
            due, _, act = heapq.heappop(self._due)
            self.now = max(self.now, due)
            act()
        self.now = max(self.now, t)
        self.reaches = [reach for reach in self.reaches if reach.end > self.now]
        self.slides = [slide for slide in self.slides if slide.end > self.now]

    @property
    def is_moving(self) -> bool:
        """True while a hand or a card moves."""
        return bool(self.reaches or self.slides)

    # -- what hands do ---------------------------------------------------------------------------------------------

    def direction_deg(self, seat: int) -> float:
        """Return the direction of a seat from the middle: degrees clockwise from the right."""
        return 90.0 + 360.0 * seat / self.seats

    def lay(
        self, seat: int, face: str, *, stay: float = 0.1, hovers: float = 0.0, turn: float = 0.0,
        beside: tuple[float, float] = (0.0, 0.0),
    ) -> float:  # fmt: skip
        """Lay ``face`` from the hand of ``seat`` on the discard pile. Returns the time of its touch.

        ``beside``: offset from the pile (mm). ``turn``: rotation against the usual one of this seat (degrees).
        """
        self.hands[seat].remove(face)
        card = Lying(face, self._pile_pose(seat, beside, turn))
        touch = self._reach(seat, (card.pose.x, card.pose.y), stay=stay, carries=card, hovers=hovers)
        self.at(touch, lambda: self._put(seat, card))
        return touch

    def lay_two(
        self, seat: int, faces: tuple[str, str], *, stay: float = 0.3, offset: Pose = Pose(38.0, 0.0, 0.0)
    ) -> float:  # fmt: skip
        """Lay two cards at once, the second on top. Returns the time of their touch.

        ``offset``: place and rotation of the second relative to the first, to the right and downwards on that one; by
        default both can be read.
        """
        for face in faces:
            self.hands[seat].remove(face)
        under = Lying(faces[0], self._pile_pose(seat))
        aside = radians(under.pose.turn)
        over = Pose(
            under.pose.x + offset.x * cos(aside) - offset.y * sin(aside),
            under.pose.y + offset.x * sin(aside) + offset.y * cos(aside), under.pose.turn + offset.turn,
        )  # fmt: skip
        top = Lying(faces[1], over)
        touch = self._reach(seat, (top.pose.x, top.pose.y), stay=stay, carries=top, under=(under,))
        for card in (under, top):
            self.at(touch, partial(self._put, seat, card))
        return touch

    def show(self, seat: int, face: str, *, stay: float = 0.6) -> float:
        """Hold a card over the discard pile and take it back. Returns the time when it is in the hand again."""
        card = Lying(face, self._pile_pose(seat))
        self._reach(seat, (card.pose.x, card.pose.y), stay=stay, carries=card, keeps=True)
        return self.reaches[-1].end

    def turn_up(self, seat: int) -> float:
        """Lay the top card of the shoe face up on the discard pile; none if the shoe is empty.

        Returns the time of its touch.
        """
        if not self.hopper:
            return self.now
        card = Lying(self.hopper.pop(0), self._pile_pose(seat))
        touch = self._reach(seat, (card.pose.x, card.pose.y), stay=0.1, carries=card)
        self.at(touch, lambda: self._put(seat, card))
        return touch

    def take_back(self, seat: int) -> float:
        """Take the top card of the discard pile into the hand. Returns the time when it is gone."""
        card = self.discard[-1]

        def take() -> None:
            self._take_off(card)
            self.hands[seat].append(card.face)

        lifted = self._reach(seat, (card.pose.x, card.pose.y), stay=0.1, takes=card)
        self.at(lifted, take)
        return lifted

    def return_top(self, seat: int, to: str) -> float:
        """Put the top card back into the hopper: ``deck`` shuffled in, ``bottom`` under the rest."""
        card = self.discard[-1]

        def give() -> None:
            self._take_off(card)
            self.hopper = self._shuffled([*self.hopper, card.face]) if to == "deck" else [*self.hopper, card.face]

        lifted = self._reach(seat, (card.pose.x, card.pose.y), stay=0.1, takes=card)
        self.at(lifted, give)
        return lifted

    def lay_again(self, seat: int) -> float:
        """Take the top card off the pile and lay it once more. Returns the time when it is gone."""
        card = self.discard[-1]
        again = Lying(card.face, self._pile_pose(seat))

        def lay() -> None:
            touch = self._reach(seat, (again.pose.x, again.pose.y), stay=0.1, carries=again)
            self.at(touch, lambda: self._put(seat, again))

        lifted = self._reach(seat, (card.pose.x, card.pose.y), stay=0.1, takes=card)
        self.at(lifted, lambda: self._take_off(card))
        self.at(lifted + _AGAIN_S, lay)
        return lifted

    def straighten(self, seat: int) -> float:
        """Push the top card a little, for a better view of the camera. Returns the time when it rests."""
        card = self.discard[-1]

        def push() -> None:
            if self.discard and self.discard[-1] is card:
                self.discard[-1] = Lying(card.face, self._pile_pose(seat))
                self.version += 1

        still = self._reach(seat, (card.pose.x, card.pose.y), stay=0.3)
        self.at(still, push)
        return still

    def lay_open(self, seat: int, cards: list[str]) -> float:
        """Spread ``cards`` (at most `CARDS_A_PICTURE`) before the camera. Returns the time when all rest."""
        laid = [Lying(face, self._show_pose(place)) for place, face in enumerate(cards)]

        def spread() -> None:
            self.spread = laid
            self.version += 1

        done = self._reach(seat, (120.0, 0.0), stay=0.4 + 0.08 * len(cards))
        self.at(done, spread)
        return done

    def gather(self, seat: int) -> float:
        """Take the open cards into the hand. Returns the time when they are gone."""

        def take() -> None:
            self.spread = []
            self.version += 1

        done = self._reach(seat, (120.0, 0.0), stay=0.4)
        self.at(done, take)
        return done

    def wave(self, seat: int, at: tuple[float, float] | None = None) -> float:
        """Move an empty hand over the pile, or to ``at`` (mm). Returns the middle of its stay."""
        return self._reach(seat, at or (PILE_MM[0] + float(self.rng.normal(0, 30)), PILE_MM[1]), stay=0.5)

    def put_back(self, seat: int, n: int) -> float:
        """Put the last ``n`` cards of the hand under the hopper's others, or all if it has fewer.

        Returns the time when they lie there.
        """

        def give() -> None:
            hand = self.hands[seat]
            for _ in range(min(n, len(hand))):
                self.hopper.append(hand.pop())

        done = self._reach(seat, HOPPER_MM, stay=0.5)
        self.at(done, give)
        return done

    def collect_hands(self, seat: int, counts: tuple[int, ...]) -> float:
        """Put the first ``counts`` cards of each hand, shuffled, on top of the hopper's others.

        Cards that a seat got later stay with it. Returns the time when the cards lie there.
        """

        def load() -> None:
            collected = [card for hand, n in zip(self.hands, counts, strict=True) for card in hand[:n]]
            self.hands = [hand[n:] for hand, n in zip(self.hands, counts, strict=True)]
            self.hopper = [*self._shuffled(collected), *self.hopper]

        done = self._reach(seat, HOPPER_MM, stay=2.0)
        self.at(done, load)
        return done

    def move_hands(self, whose: tuple[int, ...]) -> None:
        """Give each seat the hand of the seat in ``whose``. People pass hands outside the camera's picture."""
        self.hands = [self.hands[seat] for seat in whose]

    def lay_under(self, cards: Sequence[str]) -> None:
        """Put these cards under the top one of the discard pile, where the camera does not see them."""
        pose = self.discard[-1].pose
        self.discard[-1:-1] = [Lying(face, pose) for face in cards]
        self.version += 1

    def recycle(self, seat: int) -> float:
        """Put the discard pile, less its top card, shuffled into the hopper. Returns the time when it is in."""

        def load() -> None:
            under, self.discard = self.discard[:-1], self.discard[-1:]
            self.hopper = self._shuffled([*self.hopper, *(card.face for card in under)])
            self.version += 1

        done = self._reach(seat, PILE_MM, stay=1.5)
        self.at(done, load)
        return done

    def collect(self, seat: int) -> float:
        """Put all cards of all hands and piles shuffled into the hopper. Returns the time when they are in."""

        def load() -> None:
            self.hands = [[] for _ in range(self.seats)]
            self.knocked_out.clear()
            self.discard, self.spread = [], []
            self.hopper = self._shuffled(self.deck)
            self.round_began = len(self.laid)
            self.version += 1

        done = self._reach(seat, PILE_MM, stay=2.0)
        self.at(done, load)
        return done

    # -- what the shoe does ----------------------------------------------------------------------------------------

    def feed(self, seat: int, slide_s: float) -> str:
        """Feed the top card of the hopper to ``seat``; it is in the hand ``slide_s`` later. Returns its face."""
        face = self.hopper.pop(0)
        if self.on_feed is not None:
            self.on_feed(face)
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
        under: tuple[Lying, ...] = (),
    ) -> float:
        there = self.now + hovers + _REACH_S * float(self.rng.uniform(0.8, 1.4))
        back = there + stay
        end = back + _REACH_S * float(self.rng.uniform(0.8, 1.4))
        self.reaches.append(Reach(seat, at, self.now, there, back, end, carries, takes, keeps, hovers, under))
        return there + stay / 2

    def _put(self, seat: int, card: Lying) -> None:
        self.discard.append(card)
        self.laid_by.append(seat)
        self.laid.append(card.face)
        self.touched.append(self.now)
        self.version += 1

    def _take_off(self, card: Lying) -> None:
        """Take a card off the pile."""
        self.discard.remove(card)
        still = (n for n in range(len(self.laid) - 1, -1, -1) if n not in self.taken_back)
        self.taken_back.update([n for n in still if self.laid[n] == card.face][:1])
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
