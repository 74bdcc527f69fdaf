"""How the table is built, as the Pico must know it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from croupier.devices.deal_plan import PITCH_MM, Machine, plan_deal
from croupier.link import commands
from croupier.link.commands import Command


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How the table is built: what the Pico is told before it may deal.

    ``angles``: where each seat is, in degrees from the magnet, clockwise seen from above, -180 to 180; evenly round the
    table where it is empty. ``lights`` of the ring; ``speed`` of a card at the exit (mm/s), ``turn_speed`` (1/min) and
    ``turn_acceleration`` (rad/s²) of the turntable.
    """

    seats: int
    angles: tuple[float, ...] = ()
    lights: int = 24
    speed: int = 1200
    turn_speed: int = 80
    turn_acceleration: int = 40

    def places(self) -> tuple[float, ...]:
        """The angle of each seat. Raises ValueError where the angles are not one for each seat."""
        angles = self.angles or tuple((360 * seat / self.seats + 180) % 360 - 180 for seat in range(self.seats))
        if len(angles) != self.seats:
            raise ValueError(f"{len(angles)} angles for {self.seats} seats: expected one for each")
        return angles

    def plan(self, lacking: Mapping[int, int]) -> tuple[tuple[int, int], ...]:
        """The feeds, each a seat and a number of cards, that bring each seat as many as it lacks. The opening deal is
        planned (`plan_deal`), what is left of one that was broken off goes from seat to seat. Raises ValueError as
        `places` does."""
        n, *others = set(lacking.values())
        if others:
            return tuple(lacking.items())
        places = self.places()
        machine = Machine(
            feed_s=PITCH_MM / self.speed, acceleration=float(self.turn_acceleration), top_speed=float(self.turn_speed)
        )
        return plan_deal({seat: places[seat] for seat in lacking}, n, machine).feeds

    def commands(self) -> list[Command]:
        """What tells all this. Raises ValueError where the angles are not one for each seat."""
        angles = self.places()
        config = commands.Config(
            seats=self.seats, lights=self.lights, speed=self.speed, turn_speed=self.turn_speed,
            turn_acceleration=self.turn_acceleration,
        )  # fmt: skip
        return [config, *(commands.Place(seat=seat, angle=round(10 * angles[seat])) for seat in range(self.seats))]
