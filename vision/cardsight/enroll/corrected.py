"""Corrected cards: the symbols and colors of cards that people named.

In one deck, cards with the same symbol differ in the color of their panel only, and cards of one color in their symbol
only. A corrected card therefore teaches a symbol and a color, whatever the networks make of both. Each crop is
separated into its inks: white, the color of the panel, and black. Cards with the same symbol then show the same shades.
After alignment (Evangelidis and Psarakis 2008), two pictures of one symbol differ less in their worst spot than those
of two symbols. The border and the emblem, which all colored cards of a print share, tell whether a card is of the print
that was corrected.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.classify import normalize_crops
from cardsight.enroll.profile import Learned
from cardsight.geometry import CROP_H, CROP_W, Image
from croupier_rules.cards import BACK, color_of, symbol_of

Shades = NDArray[np.float32]
"""A crop in its inks (CROP_H, CROP_W): 0 black, 0.5 the color of the panel, 1 white."""
Panel = NDArray[np.float32]
"""The color of a panel: blue, green and red as fractions of white."""

_CARD: Final = np.s_[CROP_H // 10 : -(CROP_H // 10), CROP_W // 10 : -(CROP_W // 10)]
"""The card in its crop, without the rim."""
_MIDDLE: Final = np.s_[CROP_H // 4 : -(CROP_H // 4), CROP_W // 4 : -(CROP_W // 4)]
"""The place of the symbol in the middle."""
_COLORFUL: Final = 0.15
"""Difference between the strongest and the weakest channel from which there is a colored panel."""
_LEAST_PANEL: Final = 0.15
"""Least fraction of a card that its panel takes."""
_ONE_COLOR: Final = 0.12
_MOSTLY: Final = 0.8
"""Largest deviation of this fraction of the pixels of a panel of one color; a wild has several."""
_SPOT_PX: Final = 5
_SAME_SYMBOL: Final = 0.02
"""Largest mean squared difference in any spot of two pictures of one symbol: mostly 0.002 to 0.015; that of two
symbols is 0.04 or more."""
_SAME_PRINT: Final = 0.004
"""Largest mean squared difference beside the symbols of two cards of one print: mostly 0.001. That of two prints is
0.01 or more, unless they differ in their symbols only."""
_SAME_COLOR: Final = 0.08
"""Largest difference in a channel of the panels of two cards of one color: 0.02 under one lamp."""
_APART: Final = 2.0
"""Factor by which every other learned symbol or color must differ more."""
_TURNED: Final = {"6": "9", "9": "6"}
"""Symbols that are each other upside down: one is sure only if the other was learned, too."""
_STEPS: Final = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 30, 1e-3)
_SMOOTH_PX: Final = 3


def _masks() -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Return the masks of the card without the rim, and of that without its symbols."""
    card, corner = np.zeros((CROP_H, CROP_W), np.uint8), np.s_[: CROP_H // 3, : CROP_W // 3]
    card[_CARD] = 255
    beside = card > 0
    beside[_MIDDLE] = beside[corner] = beside[::-1, ::-1][corner] = False
    return card, beside


_WHERE, _BESIDE = _masks()


class Inks(NamedTuple):
    """A card in its inks. ``panel``: ``None`` if the card has no panel of one color, as a wild."""

    panel: Panel | None
    shades: Shades

    @classmethod
    def of(cls, crop: Image) -> Inks:
        """Separate a crop (`geometry.warp_crop`)."""
        pixels = np.minimum(normalize_crops(crop)[0], 1.0).transpose(1, 2, 0)
        panel = _panel(pixels[_CARD].reshape(-1, 3))
        if panel is None:
            return cls(None, np.asarray(pixels.min(axis=2), np.float32))
        white, colored = np.moveaxis(pixels @ np.linalg.pinv(np.stack([np.ones(3), panel])), 2, 0)
        return cls(panel, np.asarray(np.clip(white + 0.5 * colored, 0, 1), np.float32))


@dataclass(frozen=True, slots=True, eq=False)
class CorrectedCard:
    """A learned card; its shades are aligned with those of the first one."""

    learned: Learned
    panel: Panel | None
    shades: Shades

    @property
    def symbol(self) -> str:
        """Its symbol, of `symbol_of`."""
        return symbol_of(self.learned.face)

    @property
    def color(self) -> str | None:
        """Its color; ``None`` for a wild."""
        return color_of(self.learned.face)


class Look(NamedTuple):
    """A card compared with the learned ones.

    ``by_symbol`` and ``by_color``: the most similar learned card with its symbol, and with its color; ``None`` if there
    is none, or not for sure. ``is_of_print``: True if the card is of a learned print.
    """

    by_symbol: CorrectedCard | None
    by_color: CorrectedCard | None
    is_of_print: bool

    @property
    def symbol(self) -> str | None:
        """The learned symbol that the card shows, if any."""
        return None if self.by_symbol is None else self.by_symbol.symbol

    @property
    def color(self) -> str | None:
        """The learned color that the card has, if any."""
        return None if self.by_color is None else self.by_color.color


@dataclass(frozen=True, slots=True)
class CorrectedCards:
    """The symbols and colors of cards that people named."""

    cards: tuple[CorrectedCard, ...] = ()

    @classmethod
    def of(cls, learned: Iterable[Learned]) -> CorrectedCards:
        """Learn all of these cards."""
        known = cls()
        for card in learned:
            known = known.having(card)
        return known

    def having(self, card: Learned) -> CorrectedCards:
        """Return these cards and another one, unless it cannot be aligned with them. A back teaches nothing."""
        inks = Inks.of(card.crop)
        ends = self._aligned(inks.shades) if self.cards else [inks.shades]
        if card.face == BACK or not ends:
            return self
        best = min(ends, key=self._off_beside) if self.cards else inks.shades
        return CorrectedCards((*self.cards, CorrectedCard(card, inks.panel, best)))

    def without(self, card: CorrectedCard) -> CorrectedCards:
        """Return these cards without one of them."""
        return CorrectedCards(tuple(one for one in self.cards if one is not card))

    @property
    def symbols(self) -> frozenset[str]:
        """The learned symbols."""
        return frozenset(card.symbol for card in self.cards)

    @property
    def colors(self) -> frozenset[str | None]:
        """The learned colors, and ``None`` if a wild was learned."""
        return frozenset(card.color for card in self.cards)

    def look(self, crop: Image) -> Look:
        """Compare a crop with the learned cards."""
        inks = Inks.of(crop)
        ends = self._aligned(inks.shades) if self.cards else []
        is_of_print = any(self._off_beside(end) <= _SAME_PRINT for end in ends)
        return Look(self._with_symbol(ends), self._with_color(inks.panel), is_of_print)

    def _with_symbol(self, ends: list[Shades]) -> CorrectedCard | None:
        """Return the most similar card with the symbol of a card, which was aligned with either end up."""
        nearest: dict[str, tuple[float, CorrectedCard, Shades]] = {}
        for end in ends:
            for card in self.cards:
                off = _worst_spot(end, card.shades)
                if card.symbol not in nearest or off < nearest[card.symbol][0]:
                    nearest[card.symbol] = off, card, end
        two = sorted(nearest, key=lambda symbol: nearest[symbol][0])[:2]
        best = _sure({symbol: _refined(*nearest[symbol]) for symbol in two}, _SAME_SYMBOL)
        return None if best is None or _TURNED.get(best, best) not in nearest else nearest[best][1]

    def _with_color(self, panel: Panel | None) -> CorrectedCard | None:
        """Return the most similar card with the color of a panel."""
        nearest: dict[str, tuple[float, CorrectedCard]] = {}
        for card in self.cards:
            if panel is not None and card.panel is not None and card.color is not None:
                off = float(np.abs(panel - card.panel).max())
                if card.color not in nearest or off < nearest[card.color][0]:
                    nearest[card.color] = off, card
        best = _sure({color: off for color, (off, _) in nearest.items()}, _SAME_COLOR)
        return None if best is None else nearest[best][1]

    def _aligned(self, shades: Shades) -> list[Shades]:
        """Return a card with either end up, aligned with the first one."""
        ends = shades, np.ascontiguousarray(shades[::-1, ::-1])
        return [end for one in ends if (end := _moved(one, self.cards[0].shades)) is not None]

    def _off_beside(self, end: Shades) -> float:
        """Return the least difference from a learned card beside the symbols."""
        return min(float(((end - card.shades)[_BESIDE] ** 2).mean()) for card in self.cards)


def _sure(off: Mapping[str, float], most: float) -> str | None:
    """Return the name that differs least, if that is at most ``most``, and all others differ clearly more."""
    best = min(off, key=off.__getitem__, default=None)
    if best is None or off[best] > most:
        return None
    return best if all(off[one] >= _APART * off[best] for one in off if one != best) else None


def _panel(pixels: NDArray[np.float32]) -> Panel | None:
    """Return the color of the panel among the pixels (n, 3) of a card."""
    chroma = np.ptp(pixels, axis=1)
    strong = float(np.percentile(chroma, 90))
    colored = pixels[chroma > strong / 2]
    if strong < _COLORFUL or len(colored) < _LEAST_PANEL * len(pixels):
        return None
    panel = np.median(colored, axis=0)
    is_one = (np.abs(colored - panel).max(axis=1) < _ONE_COLOR).mean() >= _MOSTLY
    return np.asarray(panel, np.float32) if is_one else None


def _moved(shades: Shades, to: Shades) -> Shades | None:
    """Return the shades after the best affine alignment; ``None`` if there is none."""
    start = np.eye(2, 3, dtype=np.float32)
    try:
        _, way = cv2.findTransformECC(to, shades, start, cv2.MOTION_AFFINE, _STEPS, _WHERE, _SMOOTH_PX)
    except cv2.error:
        return None
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    moved = cv2.warpAffine(shades, way, (CROP_W, CROP_H), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.float32)


def _worst_spot(one: Shades, other: Shades) -> float:
    off = one[_MIDDLE] - other[_MIDDLE]
    return float(cv2.blur(off * off, (_SPOT_PX, _SPOT_PX)).max())


def _refined(off: float, card: CorrectedCard, shades: Shades) -> float:
    """Return the difference in the worst spot after another alignment with this card."""
    moved = _moved(shades, card.shades)
    return off if moved is None else min(off, _worst_spot(moved, card.shades))
