"""What goes wrong in a demo, and how the table took it: told after how long, healed after how long."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any, Final

import numpy as np

from croupier.alarms import Alarm
from croupier.errors import CannotWrite
from croupier.events import SequencedEvent
from croupier.referee.observations import Fault, Observation, Resumed
from croupier.referee.position import Position
from croupier.referee.rulings import Ruling
from croupier_sim.demo.machine import WatchedShoe
from croupier_sim.machine import SimMachine
from croupier_sim.video import TroubledCamera

DISK_FULL: Final = "disk-full"
DISK_FULL_S: Final = 3.0

MENDED_BY_ITSELF: Final = frozenset({"line-noise", "lost-bytes", "doubled-bytes", "two-presses"})
"""The link sends again, and two presses at once are two presses: nobody needs to hear of it."""

AT_A_FEED: Final = frozenset({"jam", "double-feed", "empty-hopper"})
"""These befall the next card that is to be fed."""

_STOPS_NO_PLAY: Final = {"buttons": "stuck-button", "journal": DISK_FULL}
"""By the part that is in trouble: what of it is a trouble of the table, and no fault that stops play."""

_EVERY_S: Final = (12.0, 25.0)
_GRAIN_KNOWN_S: Final = 60.0
"""Before a camera has shown its noise for a while, nobody can tell that its pictures stand still."""
_HEALS_S: Final = 5.0
_PLAYED: Final = ("turn", "color", "challenge")


@dataclass(slots=True)
class Trial:
    """One fault: when it began, was told and was healed (s); ``None``: not (yet)."""

    fault: str
    began: float
    told: float | None = None
    healed: float | None = None

    def to_json(self) -> dict[str, Any]:
        """For the closing line of the demo."""
        after = [None if t is None else round(t - self.began, 2) for t in (self.told, self.healed)]
        return {"fault": self.fault, "at": round(self.began, 1), "told_after": after[0], "healed_after": after[1]}


class Trials:
    """Provokes faults, by wish or, with a ``rng``, now and then, each kind once before any comes again; and notes what
    became of them: a listener of a run, and of the table's alarms (`note_alarm`)."""

    def __init__(
        self, machine: SimMachine, camera: TroubledCamera, shoe: WatchedShoe, rng: np.random.Generator | None
    ) -> None:
        self._machine, self._camera, self._shoe, self._rng = machine, camera, shoe, rng
        shoe.before_feeding = self._before_feeding
        self.faults = (*machine.faults, *camera.faults, DISK_FULL)
        """What may be provoked."""
        self.trials: list[Trial] = []
        self._to_come: list[str] = []
        self._wished: list[str] = []
        self._at_a_feed: list[str] = []
        self._next_at = 0.0
        self._full_until = 0.0
        self._now = 0.0
        self._is_playing = False

    def wish(self, fault: str) -> None:
        """Let one of ``faults`` happen. May be called from any thread."""
        self._wished.append(fault)

    def step(self, now: float) -> None:
        """Let happen what is due."""
        self._now = now
        while self._wished:
            self._begin(self._wished.pop(0), may_feed=self._shoe.is_feeding)
        open_ = [one for one in self.trials if one.healed is None]
        for one in open_:
            if one.fault in MENDED_BY_ITSELF and one.told is None and now - one.began >= _HEALS_S:
                one.healed = now if self._machine.is_heard else None
        if self._rng is None or open_ or self._at_a_feed or not self._is_playing or now < self._next_at:
            return
        if not self._to_come:
            self._to_come = [str(one) for one in self._rng.permutation(self.faults)]
        if self._to_come[-1] == "camera-frozen" and now < _GRAIN_KNOWN_S:
            self._to_come.insert(0, self._to_come.pop())
        self._begin(self._to_come.pop())
        self._next_at = now + float(self._rng.uniform(*_EVERY_S))

    @property
    def is_disk_full(self) -> bool:
        """Whether nothing can be written now."""
        return self._now < self._full_until

    @property
    def is_open(self) -> bool:
        """Whether something is not healed yet."""
        return any(one.healed is None for one in self.trials)

    def _before_feeding(self) -> None:
        while self._at_a_feed:
            self._happens(self._at_a_feed.pop(0))

    def before_writing(self) -> None:
        """Raises CannotWrite while the disk is full."""
        if self.is_disk_full:
            self._full_until = min(self._full_until, self._now + DISK_FULL_S)
            raise CannotWrite(f"SIMULATION: {DISK_FULL}")

    def note_alarm(self, alarm: Alarm) -> None:
        """Note an alarm of the table, or its end."""
        for trial in self.trials:
            if trial.healed is None and trial.fault == _STOPS_NO_PLAY.get(alarm.device):
                if alarm.kind:
                    trial.told = trial.told or self._now
                else:
                    trial.healed = self._now

    def __call__(self, told: SequencedEvent, rulings: tuple[Ruling, ...], position: Position) -> None:
        """Note which fault this tells of, or ends."""
        self._is_playing = position.phase in _PLAYED
        # What is only told anew, after a correction, tells of no fault that nobody knew.
        if isinstance(told, Observation):
            self._note(told)

    def _note(self, one: Observation) -> None:
        for trial in self.trials:
            if trial.healed is not None or trial.fault in _STOPS_NO_PLAY.values():
                continue
            if isinstance(one, Fault) and trial.told is None:
                trial.told = self._now
            elif isinstance(one, Resumed) and trial.told is not None:
                trial.healed = self._now

    def _begin(self, fault: str, *, may_feed: bool = False) -> None:
        if fault in AT_A_FEED and not may_feed:
            self._at_a_feed.append(fault)
        else:
            self._happens(fault)

    def _happens(self, fault: str) -> None:
        self.trials.append(Trial(fault, self._now))
        if fault == DISK_FULL:
            self._full_until = inf  # until somebody has noticed, and made room
        elif fault in self._camera.faults:
            self._camera.provoke(fault)
        else:
            self._machine.provoke(fault)
