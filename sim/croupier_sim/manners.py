"""How the simulated people play: what they forget, dare and try."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """How somebody plays: probabilities, and seconds from being asked to acting.

    ``wrong_card``: lays a card that does not match. ``no_draw``: passes without the card it should draw.
    ``takes_back``: shows the others a card over the pile and keeps it. ``out_of_turn``: lays a card in another's turn.
    """

    think_s: tuple[float, float] = (0.6, 2.0)
    draw_by_choice: float = 0.03
    play_drawn: float = 0.9
    bluff: float = 0.3
    call_uno: float = 0.8
    call_late: float = 0.4
    catch: float = 0.6
    challenge: float = 0.3
    wave: float = 0.05
    make_rule: float = 0.8
    follow_rule: float = 0.95
    follow_s: tuple[float, float] = (0.4, 1.6)
    wrong_card: float = 0.02
    no_draw: float = 0.0
    takes_back: float = 0.0
    out_of_turn: float = 0.0


PLAIN: Final = Manners()

HABITS: Final[Mapping[str, Manners]] = {
    "plain": PLAIN,
    "slow": replace(PLAIN, think_s=(1.5, 4.5), follow_s=(1.0, 3.0)),
    "forgetful": replace(PLAIN, call_uno=0.25, call_late=0.3, follow_rule=0.6),
    "bluffing": replace(PLAIN, bluff=0.9, challenge=0.6),
    "cheating": replace(PLAIN, wrong_card=0.12, no_draw=0.2, takes_back=0.1),
    "hasty": replace(PLAIN, think_s=(0.3, 0.9), out_of_turn=0.08),
}
"""What ``--habits`` knows. ``hasty`` plays out of turn."""


_COMMON: Final = ("plain",) * 12 + ("slow",) * 2 + ("forgetful",) * 4 + ("bluffing",) * 4 + ("cheating",) * 3


def mixed(seats: int, rng: np.random.Generator) -> tuple[str, ...]:
    """A habit for each seat, by chance. Most people are plain; hasty ones come only where they are asked for, since a
    card laid out of turn is told from the arm alone, and games with them need many more frames."""
    return tuple(str(name) for name in rng.choice(_COMMON, seats))


@dataclass(frozen=True, slots=True)
class Act:
    """``seat`` did at ``t`` what the rules do not allow: ``why`` the referee should say so, as in `Illegal.why`; or
    ``""`` where it should say nothing, since no card was laid."""

    t: float
    seat: int
    why: str
