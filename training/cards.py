"""Drawn cards for training: every face in many prints, none of them on sale."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from croupier_rules.cards import COLORED, WILDS
from croupier_sim.drawing import STYLES, Bgr, Style, card_mask, draw_back, draw_face
from croupier_sim.shapes import FAMILIES
from training.photometry import Array, Random

FACES = (*COLORED, *WILDS)
"""Faces that the reader learns; number cards sometimes have the Add-a-Rule icon."""


def _near(rng: Random, bgr: Bgr, hue: float, tone: float) -> Bgr:
    """Vary a color as another printer would mix it."""
    h, s, v = (float(x) for x in cv2.cvtColor(np.uint8([[bgr]]), cv2.COLOR_BGR2HSV)[0, 0])
    mixed = np.uint8(
        [
            [
                [
                    (h + rng.normal(0, hue)) % 180,
                    np.clip(s * rng.normal(1, tone), 90, 255),
                    np.clip(v * rng.normal(1, tone), 60, 255),
                ]
            ]
        ]
    )
    b, g, r = cv2.cvtColor(mixed, cv2.COLOR_HSV2BGR)[0, 0]
    return int(b), int(g), int(r)


def style(rng: Random) -> Style:
    """Return a random variation of a print on sale."""
    base = STYLES[str(rng.choice(list(STYLES)))]
    scale = lambda value, spread: float(value * rng.normal(1, spread))  # noqa: E731
    return replace(
        base,
        red=_near(rng, base.red, 3, 0.12),
        yellow=_near(rng, base.yellow, 3, 0.1),
        green=_near(rng, base.green, 11, 0.2),
        blue=_near(rng, base.blue, 5, 0.15),
        border_side=scale(base.border_side, 0.12),
        border_end=scale(base.border_end, 0.12),
        panel_radius=float(rng.uniform(1.0, 4.5)),
        oval_axes=(scale(base.oval_axes[0], 0.05), scale(base.oval_axes[1], 0.04)),
        oval_tilt=base.oval_tilt + float(rng.normal(0, 3)),
        oval_line=scale(base.oval_line, 0.2),
        corner=(base.corner[0] + float(rng.normal(0, 0.8)), base.corner[1] + float(rng.normal(0, 0.8))),
        corner_height=float(rng.uniform(7, 12.5)) if base.ink == "white" else scale(base.corner_height, 0.12),
        middle_height=base.middle_height * float(rng.uniform(0.88, 1.35 if base.emblem == "circle" else 1.12)),
        family=str(rng.choice(list(FAMILIES))),
        weight=float(np.clip(scale(base.weight, 0.15), 0.12, 0.3)),
        stretch=float(rng.uniform(0.9, 1.35)),
        underline=float(rng.uniform(0.03, 0.12)),
        arrow_turn=float(rng.uniform(-58, -36)),
        arrow_girth=float(rng.uniform(0.7, 1.1)),
        slant=base.slant + float(rng.normal(0, 4)),
        shadow=(scale(base.shadow[0], 0.3), scale(base.shadow[1], 0.3)),
        outline=base.outline * float(rng.uniform(0, 1.3)),
        cards_slant=base.cards_slant + float(rng.normal(0, 3)),
        quarters=tuple(rng.permutation(base.quarters)) if rng.random() < 0.5 else base.quarters,
        special="oval" if rng.random() < 0.75 else "wheel",
        back_panel=_near(rng, (60, 40, 40), 40, 0.4) if rng.random() < 0.4 else base.back_panel,
        back_oval=_near(rng, base.back_oval, 20, 0.3),
    )


def drawn(rng: Random, face: str, width_px: int = 176) -> Array:
    """Draw a card face up, or a ``back``, in a random print."""
    print_ = style(rng)
    if face == "back":
        return draw_back(print_, width_px=width_px)
    image = draw_face(face, print_, width_px=width_px)
    if face == "wild-blank" and rng.random() < 0.35:
        _write(rng, image)
    return image


def _write(rng: Random, image: Array) -> None:
    """Write a rule by hand on a blank card."""
    height, width = image.shape[:2]
    font, size, ink = int(rng.choice([6, 7])), rng.uniform(0.2, 0.42) * width / 100, rng.integers(0, 90, 3).tolist()
    for line in range(int(rng.integers(1, 4))):
        words = "".join(rng.choice(list("abcdefghiklmnoprstuvwz  "), int(rng.integers(4, 10))))
        at = (int(rng.uniform(0.2, 0.38) * width), int((0.4 + 0.1 * line) * height))
        cv2.putText(image, words, at, font, size, ink, int(rng.integers(1, 3)), cv2.LINE_AA)


def mask(width_px: int = 176) -> Array:
    """Return the alpha (0…255) of the card's rounded outline."""
    return card_mask(width_px)
