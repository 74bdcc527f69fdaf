"""A stand-in for the card reader that answers from the simulator's truth. For tests only: quick, and never wrong."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import cv2
import numpy as np

from cardsight.geometry import Image
from cardsight.sighting import Reading, Sighting
from croupier_sim.camera import SimCamera
from croupier_sim.table import PILE_ZONE_MM, SHOW_ZONE_MM, SimTable


class TruthReader:
    """Reads the zone that has the size of the picture; a card counts as seen when 60 % of it is in view."""

    def __init__(self, table: SimTable, camera: SimCamera) -> None:
        self._table, self._camera = table, camera

    def read(self, bgr: Image, /, faces: Collection[str] | None = None, **how: Any) -> Reading:
        """The cards in the zone, with their corners in pixels of ``bgr``."""
        table, camera = self._table, self._camera
        for zone, cards in ((PILE_ZONE_MM, table.discard), (SHOW_ZONE_MM, table.spread)):
            left, top, right, bottom = camera.zone_px(zone)
            if bgr.shape[:2] != (bottom - top, right - left):
                continue
            above = np.zeros(bgr.shape[:2], np.uint8)
            seen: list[Sighting] = []
            for card in reversed(cards):
                corners = camera.corners_px(card.pose) - (left, top)
                own = np.zeros_like(above)
                cv2.fillPoly(own, [np.round(corners).astype(np.int32)], 1)
                if (own & ~above & 1).sum() >= 0.6 * own.sum():
                    a, b, c, d = ((float(x), float(y)) for x, y in corners)
                    seen.append(Sighting(card.face, 1.0, (a, b, c, d)))
                above |= own
            return Reading((bgr.shape[1], bgr.shape[0]), tuple(seen))
        return Reading((bgr.shape[1], bgr.shape[0]), ())  # beside the zones lies nothing
