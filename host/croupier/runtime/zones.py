"""Where in the picture the piles lie; and the discard pile where no camera looks at it."""

from __future__ import annotations

from dataclasses import dataclass

from cardsight.track.blocks import Box


@dataclass(frozen=True, slots=True)
class Zones:
    """Where in the picture the discard pile lies and where hands are laid open, and how long a card is there (px).
    ``seats_px``: where the people sit, mostly outside of the picture; empty where nobody knows. ``size``: of the
    picture that all this was measured in; None where nobody said."""

    pile: Box
    show: Box
    pile_card_px: float
    show_card_px: float
    seats_px: tuple[tuple[float, float], ...] = ()
    size: tuple[int, int] | None = None

    def misfit(self, width: int, height: int) -> str:
        """Why they are not in a picture of this size, in one line; "" where they are."""
        if self.size is not None and (width, height) != self.size:
            return f"its pictures are {width} x {height}, the calibration was made of {self.size[0]} x {self.size[1]}"
        if any(right > width or bottom > height for _, _, right, bottom in (self.pile, self.show)):
            return f"its pictures are {width} x {height}, and pile or show reach beyond that"
        return ""


class NoPile:
    """The discard pile where no camera looks at it."""

    unsettled_since: float | None = None
    top = reading = trouble = None

    def clear(self) -> None:
        """Nobody sees it."""

    def bare(self) -> None:
        """Nobody sees it."""

    def stays(self) -> None:
        """Nobody looks."""

    def correct(self, face: str) -> None:
        """Nobody sees it."""

    def lies(self, face: str) -> None:
        """Nobody sees it."""
