"""A session for the eyes: people lay cards at a simulated table, hesitate, show one and take it back, wave, push the
pile, in bad light and before a camera that fails. What really happened, and when, is kept to compare with.

No rules are played and nothing is dealt; while the camera fails nobody plays, as a table that has told them would see.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from croupier.cards import DECKS
from croupier_sim.table import SimTable
from croupier_sim.video import Fault, Light, Spell

LIGHTS: Final[tuple[Light, ...]] = ("dim", "flicker", "lamp", "shadow", "glare")
FAULTS: Final[tuple[Fault, ...]] = ("frozen", "dark", "blurred", "covered", "moved", "unplugged")

ACTS: Final = {
    "lay": 0.52, "hesitate": 0.14, "two": 0.06, "show": 0.08, "wave": 0.07, "take back": 0.05, "push": 0.05,
    "astray": 0.03,
}  # fmt: skip
"""What people do, and how often."""
_LASTS_S: Final = {"hesitate": 1.0, "show": 1.9, "push": 1.2, "take back": 2.0, "wave": 1.0, "astray": 2.4}
"""How long until they do the next thing, beside what passes between any two: a card laid astray is taken away first."""

_ASKEW: Final = 0.4
"""So many cards are thrown down at any angle, the others as they were held."""

_FAULT_EVERY: Final = 11
_LIGHT_EVERY: Final = 5
_RECYCLE_EVERY: Final = 24
"""In acts. No two have a common divisor, so that every light meets every act in time."""

ASTRAY_MM: Final = (160.0, 0.0)
"""So far beside the pile a card lies that somebody laid in the wrong place."""


@dataclass(frozen=True, slots=True)
class Touch:
    """``seat`` laid ``face`` at ``t``, beside the pile where it ``is_astray``."""

    t: float
    seat: int
    face: str
    is_astray: bool = False


class Session:
    """Everything that happens until ``plays`` cards lie on the pile; let the table's time go on until ``end``."""

    def __init__(self, table: SimTable, rng: np.random.Generator, plays: int, *, troubles: bool = True) -> None:
        self.touches: list[Touch] = []
        """Every card that touched, as it happened."""
        self.lifts: list[tuple[float, str]] = []
        """When which top card was taken back."""
        self.recycled: list[float] = []
        """When the pile, less its top card, was taken away."""
        self.acts: list[str] = []
        """What people did, in order."""
        self.table, self._rng = table, rng
        self._faces = tuple(DECKS["g7942"])
        spells: list[Spell] = []
        t, done, number = table.now + 1.0, 0, 0
        first_fault = int(rng.integers(len(FAULTS)))
        while done < plays:
            number += 1
            if troubles and number % _FAULT_EVERY == 0:
                kind = FAULTS[(first_fault + number // _FAULT_EVERY) % len(FAULTS)]
                spells.append(Spell(kind, t + 1.0, t + 4.0))
                t += 5.5
            if troubles and number % _LIGHT_EVERY == 0:
                spells.append(Spell(LIGHTS[number // _LIGHT_EVERY % len(LIGHTS)], t, t + float(rng.uniform(3, 7))))
            act = str(rng.choice(list(ACTS), p=list(ACTS.values()))) if done else "lay"
            lasts = _LASTS_S.get(act, 0.0)
            table.at(t, lambda act=act: self._act(act))  # type: ignore[misc]
            if act == "take back":
                table.at(t + 2.0, lambda: self._act("lay"))
            done += {"lay": 1, "hesitate": 1, "two": 2, "take back": 1}.get(act, 0)
            if number % _RECYCLE_EVERY == 0:
                t += 3.0
                table.at(t, lambda: self.recycled.append(table.recycle(0)))
                lasts = 3.5
            t += lasts + float(rng.uniform(1.1, 2.2))
        self.spells = tuple(spells)
        self.end = t + 2.5

    def _act(self, act: str) -> None:
        table, rng = self.table, self._rng
        self.acts.append(act)
        seat = int(rng.integers(table.seats))
        face = self._drawn(seat)
        stay = float(rng.uniform(0.12, 0.4))
        match act:
            case "lay":
                turn = float(rng.uniform(0, 360)) if rng.random() < _ASKEW else 0.0
                self.touches.append(Touch(table.lay(seat, face, stay=stay, turn=turn), seat, face))
            case "hesitate":
                hovers = float(rng.uniform(0.2, 0.8))
                self.touches.append(Touch(table.lay(seat, face, stay=stay, hovers=hovers), seat, face))
            case "two":
                other = self._drawn(seat)
                touch = table.lay_two(seat, (face, other), stay=stay)
                self.touches += [Touch(touch, seat, face), Touch(touch, seat, other)]
            case "show":
                table.show(seat, face, stay=float(rng.uniform(0.3, 0.9)))
            case "wave":
                table.wave(seat)
            case "take back":
                self.lifts.append((table.take_back(seat), table.discard[-1].face))
            case "push":
                table.straighten(seat)
            case "astray":
                touch = table.lay(seat, face, stay=stay, beside=ASTRAY_MM)
                self.touches.append(Touch(touch, seat, face, is_astray=True))
                table.at(touch + 1.2, lambda: table.take_back(seat))

    def _drawn(self, seat: int) -> str:
        face = str(self._rng.choice(self._faces))
        self.table.hands[seat].append(face)
        return face
