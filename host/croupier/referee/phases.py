"""What the table waits for.

The order matters in one place: up to `DRAWN` a seat is on turn and may lay a card.
"""

from __future__ import annotations

from typing import Final

TURN, DRAWN, COLOR, CHALLENGE, REDEAL, PICK, DEAL, UPCARD, ROUND_OVER, GAME_OVER = range(10)

PHASES: Final = (
    "turn",
    "drawn",
    "color",
    "challenge",
    "redeal",
    "pick",
    "deal",
    "upcard",
    "round_over",
    "game_over",
)
"""By number: the ``phase`` of a position. ``paused`` is none of them: play goes on where it was."""

HAS_TURN: Final = frozenset({TURN, DRAWN, COLOR, CHALLENGE, REDEAL})
"""The phases in which it is some seat's turn."""
