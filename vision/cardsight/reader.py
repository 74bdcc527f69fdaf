"""The card reader: a picture in, the cards that lie in it out.

The finder proposes rough outlines from a small copy of the whole picture. Each is cut out straight and read; the
reader also says where the card's corners really are, and where that is far off the card is cut out and read again.
Of proposals that are one and the same card the best stays. Where cards lie under others, it looks again (`covered`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Final

import cv2
import numpy as np

from cardsight import model as models
from cardsight import occlusion
from cardsight.classify import BACK, NONE, Classification, classify_corners, classify_crops, classify_marks
from cardsight.decision import Deck, Evidence, decide, decide_hidden, gather_evidence
from cardsight.detector import DetectorPasses, Proposal, proposals
from cardsight.fusion import ramp
from cardsight.geometry import CROP_H, CROP_W, IDEAL, Image, Quad, length, moved, pyramid, turned, warp_crop, width
from cardsight.light import as_gray, one_color
from cardsight.nms import CERTAIN, Card, suppress
from cardsight.sighting import Reading
from croupier.cards import BACK as FACE_DOWN
from croupier.cards import UNREAD

SLANTED: Final = 1.3
"""Below this length in widths the long side of a slanted card may have been taken for the short one."""
SETTLED: Final = 0.02
"""Corners that are off by less than this part of a side need no second crop …"""
NEARLY: Final = 0.13
PLAIN: Final = 0.95
"""… nor those off by less than the first, where the face or back is as likely as the second: its print is plain to see.
"""
BLURRED: Final = 0.85
"""From this probability on up to `PLAIN` more and more is let pass."""
HOPELESS: Final = 0.9
"""What is no card with this probability is not looked at twice."""
IS_CARD: Final = 0.5
"""Probability from which a crop counts as a card."""
IS_BACK: Final = 0.98
"""… and as a back: backs look all alike, so what is not quite like them is some other thing with an oval on it."""
LEGIBLE: Final = 0.999
"""Where a face is less likely, and where cards lie over each other, the printed corners are looked at by themselves."""

_SIDES: Final = np.array([CROP_W, CROP_H], np.float32)


@dataclass(slots=True)
class _Stopwatch:
    """Milliseconds by stage."""

    stages: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        began = perf_counter()
        yield
        self.stages[name] = self.stages.get(name, 0.0) + (perf_counter() - began) * 1000


class Reader:
    """Reads pictures. Loading the model takes a moment, so make one and keep it; not to be shared between threads.

    ``faces``, where it is asked for: those of the deck in play, with ``red-2*`` for those with the Add-a-Rule icon;
    where no card has any of them, that is a `ValueError`.
    ``top_only``: cards that lie under others need not be looked for, which is quicker: only the top of a pile counts.
    ``long_px``: how long a card is in the picture, where that is known, as it is below a camera that hangs still: what
    is of another size is not looked for, which is quicker still.

    >>> reader = Reader()                              # doctest: +SKIP
    >>> reader.read(load_picture("table.jpg")).cards   # doctest: +SKIP
    """

    def __init__(self, model: models.Model | None = None) -> None:
        self._model = model or models.load()
        self._free = occlusion.Trust(self._model.calibration)

    def read(
        self, image: Image, /, faces: Collection[str] | None = None, *, top_only: bool = False,
        long_px: float | None = None,
    ) -> Reading:  # fmt: skip
        """Every card that is seen in the picture (height, width, 3; BGR, uint8), from top to bottom."""
        deck = Deck(faces)
        if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8:
            raise ValueError(f"a picture is an array of uint8, height x width x 3, not {image.dtype} {image.shape}")
        watch, began = _Stopwatch(), perf_counter()
        with watch.stage("shrink"):
            levels = pyramid(image)
            if (color := one_color(levels[-1])) is not None:
                image = as_gray(image, color)
                levels = pyramid(image)
        looks, found, read = DetectorPasses(self._model.detectors, levels), list[Proposal](), list[Card]()
        for thorough in (False, True):
            with watch.stage("locate"):
                new = [one for one in proposals(looks, long_px, thorough=thorough) if one not in found]
                found += new
            with watch.stage("read"):
                read += self._cards(levels, new)
            with watch.stage("sort out"):
                cards = suppress(read)
            if any(card.chance >= CERTAIN for card in cards):
                break
        guesses, mostly_hidden = list[Card](), list[Card]()
        if not top_only and occlusion.may_hide(read, found, cards):
            with watch.stage("covered"):
                more = occlusion.closer(looks, cards)
                read += self._cards(levels, more)
                cards = suppress(read)
                guesses = occlusion.unread(occlusion.face_up(read), cards)
                likely = occlusion.unread(occlusion.likely(found + more, cards), cards + guesses)
                guesses += self._guesses(levels, likely)
                mostly_hidden = occlusion.mostly_hidden(occlusion.face_up(read), cards + guesses)
        with watch.stage("marks"):
            marks = classify_marks(self._model.mark, image, [card.quad for card in cards])
        with watch.stage("corners"):
            model = self._model
            occluded = occlusion.Trust(model.occluded, occlusion.ICON_DOUBT)
            trusts = [
                self._free if top_only else occlusion.trust_in(card, cards, model.calibration, model.occluded)
                for card in cards
            ]
            seen = [gather_evidence(*one, deck) for one in zip(cards, trusts, marks, strict=True)]
            rough = [
                gather_evidence(card, occluded, None, deck) for card in guesses + mostly_hidden if not card.is_back
            ]
            self._look_at_corners(levels, seen + rough)
        with watch.stage("tell"):
            known = [(one.card, decide(one, deck)) for one in seen]
            for one in rough:
                known.append((one.card, decide_hidden(one, known, deck)))
            sightings = [sighting for card, sighting in known if sighting.face != UNREAD or card not in mostly_hidden]
            sightings.sort(key=lambda card: sum(y for _, y in card.corners_px))
        height, width = image.shape[:2]
        return Reading(
            size=(width, height),
            cards=tuple(s for s in sightings if s.face != FACE_DOWN),
            backs=tuple(s for s in sightings if s.face == FACE_DOWN),
            ms=(perf_counter() - began) * 1000,
            stages_ms=watch.stages,
        )

    def _cards(self, levels: list[Image], found: list[Proposal]) -> list[Card]:
        quads = [proposal.quad for proposal in found]
        classifications = self._judged(levels, quads)
        for n, other in self._turned(levels, quads, classifications).items():
            if other.kinds[NONE] < classifications[n].kinds[NONE]:
                quads[n], classifications[n] = turned(quads[n]), other
        likely = [n for n, classification in enumerate(classifications) if classification.kinds[NONE] < HOPELESS]
        again = []
        for n in likely:
            off = np.abs(classifications[n].corners - IDEAL) / _SIDES
            quads[n] = moved(quads[n], classifications[n].corners)
            if off.max() > _let_pass(classifications[n]) and cv2.isContourConvex(quads[n]):
                again.append(n)
        for n, classification in zip(again, self._judged(levels, [quads[n] for n in again]), strict=True):
            classifications[n], quads[n] = classification, moved(quads[n], classification.corners)
        return [
            Card(quads[n], classifications[n], float(1 - classifications[n].kinds[NONE]) * found[n].chance)
            for n in likely
            if _is_card(classifications[n]) and cv2.isContourConvex(quads[n])
        ]

    def _guesses(self, levels: list[Image], found: Sequence[Proposal]) -> list[Card]:
        """What too little is seen of to set its outline right."""
        quads = [proposal.quad for proposal in found]
        classifications = self._judged(levels, quads)
        cards = [Card(*one, 0.0) for one in zip(quads, classifications, strict=True)]
        return [card for card in cards if card.classification.kinds[NONE] < HOPELESS]

    def _judged(self, levels: list[Image], quads: list[Quad]) -> list[Classification]:
        return classify_crops(self._model.reader, [warp_crop(levels, quad) for quad in quads])

    def _turned(
        self, levels: list[Image], quads: list[Quad], classifications: list[Classification]
    ) -> dict[int, Classification]:
        """What outlines that hold no card, but are hardly longer than wide, show when read the other way round."""
        places = [
            n
            for n, classification in enumerate(classifications)
            if classification.kinds[NONE] > 1 - IS_CARD and length(quads[n]) < SLANTED * width(quads[n])
        ]
        return dict(zip(places, self._judged(levels, [turned(quads[n]) for n in places]), strict=True))

    def _look_at_corners(self, levels: list[Image], seen: Sequence[Evidence]) -> None:
        """What the printed corners show of cards that are not plain to see."""
        net = self._model.corner
        if net is None:
            return
        hard = [one for one in seen if not one.card.is_back and not self._is_plain(one)]
        for one, shown in zip(hard, classify_corners(net, levels, [one.card.quad for one in hard]), strict=True):
            one.corners = shown

    def _is_plain(self, seen: Evidence) -> bool:
        return seen.trust == self._free and bool(seen.faces.max() >= LEGIBLE)


def _is_card(classification: Classification) -> bool:
    face, back, none = classification.kinds.tolist()
    return bool(none <= 1 - IS_CARD and (back <= face or back >= IS_BACK))


def _let_pass(classification: Classification) -> float:
    """How far (parts of a side) corners may be off and need no second crop all the same."""
    plain = float(max(classification.faces.max(), classification.kinds[BACK]))
    return SETTLED + (NEARLY - SETTLED) * ramp(plain, BLURRED, PLAIN)
