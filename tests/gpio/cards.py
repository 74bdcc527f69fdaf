"""Cards before the exit of a small shoe, moved by what the motor's pins say, in steps of half a millisecond."""

from __future__ import annotations

from collections.abc import Callable

from croupier_rules.cards import CARD_MM
from tests.gpio.fake_lgpio import FakePins

STEP_S = 0.0005
FULL_SPEED = 1430.0
LENGTH_MM, GAP_MM = CARD_MM[1], 26.0
SPIN_UP_S, BRAKE_S = 0.025, 0.003


class Cards:
    """``pitches``: for each card how far it lies behind the one before (mm). ``stuck``: the card that sticks with half
    of it out, until it is pulled back by hand. ``order``: what the motor did, each once while it lasts."""

    def __init__(
        self, fake: FakePins, forward: int, back: int, way_out: int, hopper: int, n: int, *, double: int = -1,
        stuck: int = -1,
    ) -> None:  # fmt: skip
        self._fake, self._forward, self._back, self._exit, self._hopper = fake, forward, back, way_out, hopper
        self.now = 100.0
        self._speed = 0.0
        self._leads: list[float] = []
        for card in range(n):
            behind = LENGTH_MM / 2 if card == double else LENGTH_MM + GAP_MM
            self._leads.append((self._leads[-1] if self._leads else LENGTH_MM + GAP_MM - 20.0) - behind)
        self._stuck_at = stuck
        self.passed = 0
        self.order: list[str] = []
        self._tell()

    def run(self, seconds: float, step: Callable[[], object]) -> None:
        """Let time pass; the program looks each millisecond."""
        for at in range(round(seconds / STEP_S)):
            self.now += STEP_S
            self._move()
            self._tell()
            if at % 2:
                step()

    def driven(self) -> str:
        """What the motor's pins say."""
        ahead, behind = (self._fake.lines[gpio].output for gpio in (self._forward, self._back))
        if ahead == behind:
            return "brake" if ahead else "off"
        return "forward" if ahead > behind else "back"

    def _move(self) -> None:
        driven = self.driven()
        if not self.order or self.order[-1] != driven:
            self.order.append(driven)
        ahead, behind = (self._fake.lines[gpio].output for gpio in (self._forward, self._back))
        wanted = 0.0 if driven == "brake" else FULL_SPEED * (ahead - behind)
        self._speed += (wanted - self._speed) * STEP_S / (BRAKE_S if driven == "brake" else SPIN_UP_S)
        moved = self._speed * STEP_S
        if self._stuck_at >= 0 and moved > 0 and self._leads[self._stuck_at] + moved > LENGTH_MM / 2:
            return
        self._leads = [lead + moved if lead <= LENGTH_MM else lead for lead in self._leads]
        self.passed = sum(lead > LENGTH_MM for lead in self._leads)

    def _tell(self) -> None:
        stamp = round(self.now * 1e9)
        covered = any(0 <= lead <= LENGTH_MM for lead in self._leads)
        self._fake.drive(self._exit, int(covered), stamp)
        self._fake.drive(self._hopper, int(self.passed == len(self._leads)), stamp)
