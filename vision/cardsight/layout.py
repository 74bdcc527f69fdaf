"""Layout: the cards that explain a picture.

Each cell of the evidence (`cardsight.evidence`) that shows a card says where the center of this card is and how it is
turned. A cell is explained if a card of the layout lies there, with this center and direction. Cells that no card
explains and that agree with each other are a hypothesis: a card that was not read. So is an index that belongs to no
card, and what the reader took for a card and could not name. How likely a hypothesis is a card is one logistic
regression of `FEATURES`, fitted to scenes whose cards are known (`training/train_layout.py`). Which of them become part
of the layout is decided in `cardsight.explanation`. What a card of the layout explains, and what shows no card, asks
nothing.
"""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.doubts import is_certain_card
from cardsight.evidence import Evidence, Peak, Plane, gather
from cardsight.geometry import Image, Outline, Quad, quad_of, rectangle
from cardsight.indices import QUESTION as SHOWN
from cardsight.indices import Patches, Unread, cards_of, own_corners
from cardsight.model import Model
from cardsight.networks import Network
from cardsight.sighting import Reading, Sighting
from croupier_rules.cards import CARD_MM

FOLDER: Final = Path(__file__).parent / "layout_model"
NETWORK: Final = "evidence.onnx.gz"
FIGURES: Final = "figures.json"
"""Files of the evidence network and of the weights, which only this module uses."""

IS_CARD: Final = 0.5
"""Probability from which a cell counts as one of a card."""
CENTER: Final = (1.5, 0.08, 0.3)
ANGLE: Final = (2.0, 0.15, 0.5)
"""Standard deviations of what a cell says of a card, of its center (card lengths) and of its angle (rad): relative to
the error that the cell expects (card lengths), and the limits of both."""
AROUND: Final = 1.12
INNER: Final = 0.94
"""Size of an outline, relative to the card's, up to which cells may be its own, and up to which they surely are:
outlines are not exact."""
TOGETHER: Final = 2.0
"""Squared deviation (standard deviations) up to which cells are of one card."""
SAME: Final = (0.05, 0.1)
REPEATED: Final = (0.08, 0.15)
"""Distance of centers (card lengths) and angle (rad) up to which an outline is that of a card that was read, and of one
that was guessed: its place is not exact."""
MOST_CELLS: Final = 1500
MOST_VOTES: Final = 120
"""Number of unexplained cells that are compared, and of those among which the center of a hypothesis is chosen: they
bound the time."""
MOVE: Final = (0.05, 0.05, 0.08)
MOVED: Final = 0.05
MOVES: Final = np.array([
    (x, y, turn) for turn in np.linspace(-0.15, 0.15, 7) for x in (-0.06, 0.0, 0.06) for y in (-0.06, 0.0, 0.06)
])  # fmt: skip
"""How far off (card lengths along and across the card, rad) a hypothesis may be: standard deviations, how much length
of edges (card lengths) outweighs one of them, and the steps that are tried."""
LIKE: Final = (0.1, 0.15)
"""Distance of centers (card lengths) and angle (rad) at which a card is rather like another one."""
IS_SEAM: Final = 0.5
SEAM: Final = 0.25
"""Probability from which a card ends in a cell upon another card, and length (card lengths) from which such an edge is
one."""
EDGE_CELLS: Final = 3
EDGE_STEPS: Final = 16
"""Width (cells) of the outline of a card, in which edges are its own, and number of places on each side of an outline
at which edges are looked for."""
LEAST_MM2: Final = 40.0
"""Area of the cells that agree from which they are a hypothesis: two cells."""
MOST: Final = 12
"""Maximum number of hypotheses of a kind: it bounds the time."""
INDEX_MM: Final = 7.0
INDEX_ANGLE: Final = 0.6
"""Distance and angle (rad) from the place of a card's index up to which an index is its own."""
NO_INDEX: Final = -3.0
"""Evidence of a card none of whose indices shows."""
FEATURES: Final = (
    "whole", "share", "corner", "seam", "foreign rim", "upon", "upon share", "near", "crossed", "hidden", "beyond",
    "bias",
)  # fmt: skip
"""Of a hypothesis: the area that only it explains as a fraction of a card's, since what shows whole would have been
read; the fraction of what should show of it that does; log odds of the symbol of its index by the corner network; how
much of its outline shows an edge upon another card (card lengths); how much of it shows an edge whose card lies on the
other side; how much of the outlines of other cards that lie on it shows an edge upon another card, where the layout has
none (card lengths), and this as a fraction of these outlines; how close it is to a card of the layout (0…1); the
largest overlap of two cards of the layout, one of which it touches: where cards lie across each other, more lie below;
the fraction of it that cards of the layout or the edge of the picture hide; the fraction beyond that edge."""

Values = NDArray[np.float64]
Part = tuple[slice, slice]


@dataclass(frozen=True, eq=False)
class Hypothesis(Outline):
    """A card that may lie there: its `FEATURES`, and what proposed it: a sighting that could not be named, or an
    index."""

    features: Values
    asked: Sighting | None = None
    unread: Unread | None = None

    @property
    def face(self) -> int | None:
        """The place in `FACES` of what its index names; ``None`` without one."""
        return None if self.unread is None else int(self.unread.faces.argmax())


@dataclass(frozen=True, slots=True)
class LayoutModel:
    """The evidence network, and the weights by feature: ``index`` of `indices.FEATURES`, which tell how sure a card is
    that its index names, and ``layout`` of `FEATURES`."""

    evidence: Network
    index: Mapping[str, float]
    layout: Mapping[str, float]


def load(folder: Path = FOLDER) -> LayoutModel:
    """Load the network and the weights. Raises `FileNotFoundError` if a part is missing."""
    figures = json.loads((folder / FIGURES).read_text(encoding="utf-8"))
    return LayoutModel(load_evidence(folder), figures["index"], figures["layout"])


def load_evidence(folder: Path = FOLDER) -> Network:
    """Load the evidence network alone. Raises `FileNotFoundError` if it is missing."""
    return Network(gzip.decompress((folder / NETWORK).read_bytes()))


def save_weights(folder: Path, index: Mapping[str, float], layout: Mapping[str, float]) -> None:
    """Write the weights of a `LayoutModel`."""
    parts = {"index": index, "layout": layout}
    figures = {name: {field: round(value, 4) for field, value in part.items()} for name, part in parts.items()}
    (folder / FIGURES).write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


_STEPS: Final = ((np.arange(EDGE_STEPS) + 0.5) / EDGE_STEPS - 0.5).tolist()
_WIDE: Final = CARD_MM[0] / CARD_MM[1]
_RIM: Final = np.array(
    [(step, side * _WIDE / 2) for side in (-1, 1) for step in _STEPS]
    + [(side / 2, step * _WIDE) for side in (-1, 1) for step in _STEPS]
)
_INWARD: Final = np.repeat([(0.0, 1.0), (0.0, -1.0), (1.0, 0.0), (-1.0, 0.0)], EDGE_STEPS, 0)
_LENGTHS: Final = np.repeat([1.0, 1.0, _WIDE, _WIDE], EDGE_STEPS) / EDGE_STEPS
"""Places along the outline of a card, from its center (card lengths, along and across), the way into the card there,
and the length that each stands for."""
_NEXT: Final = np.array([(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)])
"""A cell and those around it."""


class Layout:
    """The cards that explain the ``evidence`` of a picture so far. ``long``: length of a card (px)."""

    def __init__(self, evidence: Evidence, long: float) -> None:
        self._seen, self._long = evidence, long
        self._cell_mm2 = (evidence.cell * CARD_MM[1] / long) ** 2
        self._card = 1 - evidence.none
        self._errors = evidence.errors / long
        self._unexplained = self._card.copy()
        self._outlined = np.zeros(evidence.none.shape, np.uint8)
        self._seams = cv2.dilate(evidence.seams, np.ones((3, 3), np.uint8))
        ways = np.stack([np.cos(evidence.inward), np.sin(evidence.inward)], -1)
        self._ends = (np.maximum(evidence.edges, evidence.seams)[..., None] * ways).astype(np.float32)
        self._layers = np.zeros(evidence.none.shape, np.uint8)
        self._origin = evidence.places[0, 0].astype(np.float64)
        self._steps = np.maximum((evidence.places[-1, -1] - self._origin) / np.maximum(self._last, 1), 1e-6)
        self._peaks = list(evidence.indices())
        self._at = np.reshape([peak.place for peak in self._peaks], (-1, 2))
        self._turns = np.array([peak.angle for peak in self._peaks])
        self._is_free = np.ones(len(self._peaks), bool)
        self.cards = list[Outline]()
        self.guesses = list[Hypothesis]()
        self._crossings = list[tuple[Outline, float]]()

    @property
    def _last(self) -> Values:
        return np.array(self._card.shape[::-1], np.float64) - 1

    def add(self, card: Outline) -> None:
        """Add a card."""
        part, agreement = self._agreement(card)
        np.minimum(self._unexplained[part], self._card[part] * (1 - agreement), out=self._unexplained[part])
        part, inside = self._inside(card.quad, 1.0)
        self._layers[part] += inside
        line = np.rint(np.clip(self._cells(card.quad), -4000, 4000) * 16).astype(np.int32)
        cv2.polylines(self._outlined, [line], True, 1, EDGE_CELLS, shift=4)
        self._is_free &= ~self._own(card)
        for other in self.cards:
            if (shared := card.overlap(other)) > 0:
                self._crossings += [(card, shared), (other, shared)]
        self.cards.append(card)

    def guess(self, one: Hypothesis) -> None:
        """Add a card that was not read."""
        self.add(one)
        self.guesses.append(one)

    def indices(self) -> list[Peak]:
        """Return the indices that belong to no card, the surest first."""
        return [self._peaks[n] for n in np.flatnonzero(self._is_free)]

    def has(self, one: Unread) -> bool:
        """True if an index is that of a card."""
        return any(
            _are_own(one.corner.place[None], np.array([one.corner.angle]), card, self._long).any()
            for card in self.cards
        )

    def outlines(self) -> Iterator[Quad]:
        """Yield the outlines of cards on which unexplained cells agree, the largest first."""
        is_left = self._unexplained > IS_CARD
        votes = np.column_stack([plane[is_left] for plane in (self._seen.centers, self._seen.angles, self._errors)])
        step = max(1, len(votes) // MOST_CELLS)
        votes, mm2 = votes[::step], self._cell_mm2 * step
        for _ in range(MOST):
            some = votes[np.linspace(0, len(votes) - 1, min(MOST_VOTES, len(votes))).astype(int)]
            together = self._together(some[:, None], votes)
            own = together[together.sum(1).argmax()] if len(votes) else np.zeros(0, bool)
            if own.sum() * mm2 < LEAST_MM2:
                return
            sure = 1 / votes[own, 3] ** 2
            x, y = np.average(votes[own, :2], 0, sure).tolist()
            angle = float(np.angle(np.average(np.exp(2j * votes[own, 2]), weights=sure))) / 2
            one = Outline(self.snapped(self._rectangle(x, y, angle)))
            if not (
                any(_are_same(one, card, SAME) for card in self.cards)
                or any(_are_same(one, card, REPEATED) for card in self.guesses)
            ):
                yield one.quad
            votes = votes[~(own | self._together(np.array([x, y, angle, 0.0]), votes))]

    def snapped(self, quad: Quad) -> Quad:
        """Return the outline near one along which most of its own edges run. What cells say of the center of a card of
        which little shows is less exact."""
        angle = _angle(quad)
        ahead = np.array([math.cos(angle), math.sin(angle)])
        ways = np.stack([ahead, [-ahead[1], ahead[0]]])
        middles, turns = quad.mean(0) + MOVES[:, :2] @ ways * self._long, angle + MOVES[:, 2]
        places, inward = self._rim(middles, turns)
        cells = self._cells(places).astype(np.float32)
        ends = cv2.remap(self._ends, cells, np.empty(0), cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        own = np.maximum((ends * inward).sum(-1), 0) @ _LENGTHS
        best = int((own - MOVED * ((MOVES / MOVE) ** 2).sum(1)).argmax())
        x, y = middles[best].tolist()
        return self._rectangle(x, y, float(turns[best]))

    def seams(self) -> list[Quad]:
        """Return where cards end upon other cards and no card of the layout does: boxes around each such edge, the
        longest first."""
        loose = (self._seen.seams > IS_SEAM) & (self._outlined == 0) & (self._card > IS_CARD)
        count, parts = cv2.connectedComponents(loose.astype(np.uint8))
        boxes = list[tuple[float, Quad]]()
        for part in range(1, count):
            points = self._seen.places[parts == part]
            if len(points) * self._seen.cell > SEAM * self._long:
                box = cv2.boxPoints(cv2.minAreaRect(points))
                boxes.append((float(len(points)), np.asarray(box, np.float32)))
        return [box for _, box in sorted(boxes, key=lambda one: -one[0])]

    def features(self, quad: Quad, symbol: float = NO_INDEX) -> Values:
        """Return the `FEATURES` of a hypothesis. ``symbol``: log odds of the symbol of its index."""
        card = Outline(quad)
        part, agreement = self._agreement(card)
        area = float((agreement * self._unexplained[part]).sum()) * self._cell_mm2
        whole = self._inside(quad, INNER, part)[1] > 0
        free = whole & (self._layers[part] == 0)
        shown = float((self._card[part] * agreement)[free].sum()) / max(float(free.sum()), 4.0)
        whole_cells = card.area * INNER**2 / self._seen.cell**2  # those beyond the picture's edge, too
        above = whole & (self._outlined[part] > 0) & (self._layers[part] <= 1)
        upon = float(self._seen.seams[part][above].sum())
        return np.array(
            [
                area / (CARD_MM[0] * CARD_MM[1]),
                shown,
                symbol,
                *self._along(quad),
                upon * self._seen.cell / self._long / EDGE_CELLS,
                upon / max(float(above.sum()), 4.0),
                max((_likeness(card, other) for other in self.cards), default=0.0),
                max((one for near, one in self._crossings if near.shared(card) > 0), default=0.0),
                max(0.0, 1 - float(free.sum()) / max(1.0, whole_cells)),
                max(0.0, 1 - float(whole.sum()) / max(1.0, whole_cells)),
                1.0,
            ]
        )

    def shown(self, quad: Quad) -> float:
        """Return how likely the cells in an outline show a card, any card (0…1); 1 without cells."""
        part, inside = self._inside(quad, INNER)
        cells = self._card[part][inside > 0]
        return float(cells.mean()) if cells.size else 1.0

    def _along(self, quad: Quad) -> tuple[float, float]:
        """Return how much of an outline, where it is no other card's, shows an edge upon another card, and how much an
        edge whose card lies outside of it (card lengths)."""
        (places,), (inward,) = self._rim(quad.mean(0)[None], np.array([_angle(quad)]))
        cells = np.rint(self._cells(places)).astype(int)
        inside = ((cells >= 0) & (cells <= self._last)).all(1)
        cols, rows = cells[inside].T
        own = _LENGTHS[inside] * (self._outlined[rows, cols] == 0)
        near = np.clip(cells[inside][:, None] + _NEXT, 0, self._last.astype(int))
        foreign = -(self._ends[near[..., 1], near[..., 0]] * inward[inside][:, None]).sum(-1).min(1)
        return float(own @ self._seams[rows, cols]), float(own @ np.maximum(foreign, 0))

    def _rim(self, middles: Values, turns: Values) -> tuple[Values, Values]:
        """Return places (n, m, 2) along the outlines of n cards (px), and the unit vectors into the card there."""
        cos, sin = np.cos(turns), np.sin(turns)
        ways = np.stack([np.stack([cos, sin], -1), np.stack([-sin, cos], -1)], 1)
        return middles[:, None] + _RIM @ ways * self._long, _INWARD @ ways

    def _rectangle(self, x: float, y: float, angle: float) -> Quad:
        """Return the outline of a card with this center (px) and this direction (rad) of its long sides."""
        return rectangle(x, y, self._long, self._long * _WIDE, angle)

    def _together(self, one: Values, votes: Values) -> NDArray[np.bool_]:
        """True where votes (…, 4: center, angle, error) agree with ``one`` of them."""
        return np.asarray(
            self._off(votes[..., :2] - one[..., :2], votes[..., 2] - one[..., 2], votes[..., 3]) < TOGETHER
        )

    def _off(self, apart: Plane | Values, turned: Plane | Values, errors: Plane | Values) -> Values:
        """Return the squared deviation of votes, in standard deviations: ``apart`` (px) and ``turned`` (rad)."""
        turned = (turned + np.pi / 2) % np.pi - np.pi / 2
        off = (apart**2).sum(-1) / (np.clip(CENTER[0] * errors, *CENTER[1:]) * self._long) ** 2
        return np.asarray(off + (turned / np.clip(ANGLE[0] * errors, *ANGLE[1:])) ** 2)

    def _agreement(self, card: Outline) -> tuple[Part, Values]:
        """Return the cells around a card, and how well (0…1) what each says agrees with it; 0 outside of the card."""
        part, inside = self._inside(card.quad, AROUND)
        apart = self._seen.centers[part] - np.array(card.middle)
        off = self._off(apart, self._seen.angles[part] - _angle(card.quad), self._errors[part])
        return part, np.exp(-np.minimum(off / 2, 50)) * inside

    def _cells(self, points: Quad | Values) -> Values:
        """Return where points (px) lie on the grid of the cells: column, row."""
        return np.asarray((points - self._origin) / self._steps, np.float64)

    def _inside(self, quad: Quad, size: float, part: Part | None = None) -> tuple[Part, NDArray[np.uint8]]:
        """Return the part of the grid (that around the outline, or ``part``), and a mask (0 or 1) of its cells whose
        middles lie in an outline of another ``size``, relative to it."""
        middle = quad.mean(0)
        there = self._cells(middle + (quad - middle) * size)
        if part is None:
            low = np.clip(np.floor(there.min(0)), 0, self._last + 1).astype(int)
            high = np.clip(np.ceil(there.max(0)) + 1, low, self._last + 1).astype(int)
            part = np.s_[low[1] : high[1], low[0] : high[0]]
        rows, cols = part
        mask = np.zeros((rows.stop - rows.start, cols.stop - cols.start), np.uint8)
        if mask.size:
            corners = np.clip(there - (cols.start, rows.start), -4000, 4000)
            cv2.fillConvexPoly(mask, np.rint(corners * 16).astype(np.int32), 1, shift=4)
        return part, mask

    def _own(self, card: Outline) -> NDArray[np.bool_]:
        """Return which of the indices are those of a card."""
        return _are_own(self._at, self._turns, card, self._long)


class Picture:
    """What a picture (a `pyramid`) shows: its evidence, and what may be cards of it besides those of the ``reading``.
    It begins as many layouts as are wanted."""

    def __init__(self, levels: list[Image], reading: Reading, model: Model, evidence: Network) -> None:
        assert model.corner is not None
        self._asked = [card for card in reading.cards if not is_certain_card(card)]
        self._named = [outline_of(card) for card in (*reading.cards, *reading.backs) if is_certain_card(card)]
        self._long = median(one.long for one in self._named or map(outline_of, self._asked))
        self._seen = gather(evidence, levels, self._long)
        layout, patches = self.layout(), Patches(model.corner, levels, self._long)
        peaks = [(peak.place, peak.angle) for peak in layout.indices()[:MOST]]
        likely = [one for one in patches.closely_at(peaks) if one.shown[0] < 1 - SHOWN]
        found = cards_of(levels, likely, patches.px_per_mm, model)
        self._by_index = [by_index(layout, one) for one in found]

    def layout(self) -> Layout:
        """Return a layout of the cards that were read."""
        layout = Layout(self._seen, self._long)
        for one in self._named:
            layout.add(one)
        return layout

    def by_index(self, layout: Layout) -> list[Hypothesis]:
        """Return the cards whose index belongs to no card of the layout. Each index is a card, however close they are,
        so their features are those at first."""
        return [
            one
            for one in self._by_index
            if one.unread is not None
            and not layout.has(one.unread)
            and not any(_are_same(one, other, REPEATED) and other.face == one.face for other in layout.guesses)
        ]

    def by_cells(self, layout: Layout) -> list[Hypothesis]:
        """Return the cards that the reader could not name, and those on which unexplained cells agree."""
        asked = [card for card in self._asked if not any(one.asked is card for one in layout.guesses)]
        outlines: list[tuple[Quad, Sighting | None]] = [(quad_of(card.corners_px), card) for card in asked]
        outlines += [(quad, None) for quad in layout.outlines()]
        return [Hypothesis(quad, layout.features(quad), asked=card) for quad, card in outlines]


def by_index(layout: Layout, one: Unread) -> Hypothesis:
    """Return the hypothesis of the card of an index."""
    return Hypothesis(one.quad, layout.features(one.quad, float(one.features[0])), unread=one)


def odds_of(one: Hypothesis, weights: Mapping[str, float]) -> float:
    """Return the log odds that a hypothesis is a card."""
    return float(one.features @ np.array([weights.get(name, 0.0) for name in FEATURES]))


def _likeness(one: Outline, other: Outline) -> float:
    """Return how close two cards are (0…1)."""
    off = one.distance_to(other) / other.long / LIKE[0], angle_between(one.quad, other.quad) / LIKE[1]
    return math.exp(-(off[0] ** 2 + off[1] ** 2) / 2)


def _are_same(one: Outline, other: Outline, limits: tuple[float, float]) -> bool:
    return one.distance_to(other) < limits[0] * other.long and angle_between(one.quad, other.quad) < limits[1]


def _are_own(places: Values, turns: Values, card: Outline, long: float) -> NDArray[np.bool_]:
    """Return which of these indices (px; rad) are one of the two of a card of the length ``long``."""
    own = np.zeros(len(places), bool)
    for end, corner in enumerate(own_corners(card)):
        off = (turns - _angle(card.quad) + math.pi / 2 - math.pi * end + math.pi) % (2 * math.pi) - math.pi
        near = ((places - corner) ** 2).sum(1) < (INDEX_MM * long / CARD_MM[1]) ** 2
        own |= near & (np.abs(off) < INDEX_ANGLE)
    return own


def outline_of(card: Sighting) -> Outline:
    """Return the outline of a sighting."""
    return Outline(quad_of(card.corners_px))


def angle_between(one: Quad, other: Quad) -> float:
    """Return the angle (rad, 0…π/2) between the long sides of two cards."""
    return abs((_angle(one) - _angle(other) + math.pi / 2) % math.pi - math.pi / 2)


def _angle(quad: Quad) -> float:
    """Return the direction of the long sides, from the first edge on (rad)."""
    x, y = (quad[2] + quad[3] - quad[0] - quad[1]).tolist()
    return math.atan2(y, x)
