"""What a good machine keeps to. Reckoned from sizes and data sheets, not measured on a bench (docs/firmware.md).

What the firmware itself takes for its limit is repeated here from `pico.feeder` and `pico.turntable`; a test compares.
"""

from __future__ import annotations

from typing import Final

from croupier.cards import CARD_MM
from tablewire.messages import TURN_STEPS

LENGTH_MM: Final = CARD_MM[1]
DOUBLE: Final = 1.15
"""The firmware takes a pulse of more card lengths for two cards …"""

DOUBLE_GAP_MS: Final = 5.0
"""… and so two that follow closer."""

DUST: Final = 0.5
"""A pulse of less than so much of a card is none."""

LOST_STEPS: Final = TURN_STEPS // 180
"""A turntable that is off by so many (2°) has lost steps."""

GOOD_STEPS: Final = 13
"""Within 1° homing repeats itself."""

SPEED: Final = (0.90, 1.12)
"""What cards may need to pass, in parts of what the configured speed says: near 1.15 the firmware sees doubles."""

SPREAD: Final = 0.10
"""Nine of ten pulses lie within so much of each other; the firmware's margin for doubles is 0.15."""

GAP_MS: Final = 10.0
"""The gap from card to card, at least; usual are 20 ms."""

LATE: Final = 3.0
"""A gap that is so many times the usual one: the roller slipped before it took the card."""

FEED_MS: Final = 94.0
REFERENCE_SPEED: Final = 1200
FEED: Final = 1.2
"""From card to card at the reference speed (mm/s), and how many times that is still good."""

HIDDEN_MM: Final = 13
"""Two cards that lie on each other to within this look like one (0.15 of a card)."""

LAST_CARDS: Final = 15
"""Jams among so many of the last cards come from too little weight on them."""
