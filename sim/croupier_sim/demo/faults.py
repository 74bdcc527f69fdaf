"""Faults in a demo: provoked faults, the table's reaction to each of them, and misread cards."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from cardsight.card_reader import CardReader
from cardsight.geometry import Image
from cardsight.sighting import Reading
from croupier.alarms import Alarm
from croupier.devices.protocols import Feed, Shoe
from croupier.errors import CannotWrite
from croupier.events import CommandGiven, Press, SequencedEvent
from croupier.journal import FeedJob, Journal
from croupier_rules.cards import is_face
from croupier_rules.referee.observations import Dealt, Drew, Fault, Redealt, Resumed
from croupier_rules.referee.position import Position
from croupier_rules.referee.rulings import Ruling
from croupier_sim.machine import SimMachine
from croupier_sim.video import TroubledCamera

DISK_FULL: Final = "disk-full"
DISK_FULL_S: Final = 3.0

MAY_PASS_UNNOTICED: Final = frozenset(
    {"line-noise", "lost-bytes", "doubled-bytes", "two-presses", "reset", "brown-out"}
)
"""Faults that need no report: the link resends, a reset between two jobs is over before a machine counts as lost, and
two presses at once are two presses."""

AT_A_FEED: Final = frozenset({"jam", "double-feed", "empty-hopper"})
"""Faults that hit the next card that is fed."""

_ALARM_ONLY: Final = {"buttons": "stuck-button", "journal": DISK_FULL}
"""By device: the fault that raises an alarm of the table and does not pause play."""

_EVERY_S: Final = (12.0, 25.0)
_GRAIN_KNOWN_S: Final = 60.0
"""Time until the camera's noise is known (s). Before, a frozen picture cannot be detected."""
_HEALS_S: Final = 5.0
_PLAYED: Final = ("turn", "color", "challenge", "stack")


@dataclass(slots=True)
class Trial:
    """One fault: begin, report and recovery (s); None: not yet. ``cards``: number of cards fed since."""

    fault: str
    began: float
    reported: float | None = None
    healed: float | None = None
    cards: int = 0

    @property
    def is_waiting(self) -> bool:
        """True if the fault has hit no card yet: a card that was on its way may pass."""
        return self.fault in AT_A_FEED and self.reported is None and self.cards <= 1

    def to_json(self) -> dict[str, Any]:
        """Return the fields for the closing line of the demo."""
        after = [None if t is None else round(t - self.began, 2) for t in (self.reported, self.healed)]
        return {"fault": self.fault, "at": round(self.began, 1), "reported_after": after[0], "healed_after": after[1]}


class FaultInjector:
    """Provokes faults and notes their reports and recoveries: an `Observer`, and a listener of the alarms
    (`note_alarm`).

    With an ``rng``, faults come at random, each kind once before any repeats; without, only on request.
    """

    def __init__(self, machine: SimMachine, camera: TroubledCamera, rng: np.random.Generator | None) -> None:
        self._machine, self._camera, self._rng = machine, camera, rng
        self.faults = (*machine.faults, *camera.faults, DISK_FULL)
        """The faults that can be provoked."""
        self.trials: list[Trial] = []
        self._to_come: list[str] = []
        self._requested: list[str] = []
        self._at_a_feed: list[str] = []
        self._next_at = 0.0
        self._full_until = 0.0
        self._now = 0.0
        self._is_playing = False

    def provoke(self, fault: str) -> None:
        """Provoke one of ``faults`` soon. Thread-safe."""
        self._requested.append(fault)

    def step(self, now: float) -> None:
        """Provoke the faults that are due at ``now`` (s)."""
        self._now = now
        while self._requested:
            self._begin(self._requested.pop(0), is_feeding=self._machine.is_feeding)
        open_ = [one for one in self.trials if one.healed is None]
        for one in open_:
            if one.fault in MAY_PASS_UNNOTICED and one.reported is None and now - one.began >= _HEALS_S:
                one.healed = now if self._machine.is_connected else None
        if self._rng is None or open_ or self._at_a_feed or not self._is_playing or now < self._next_at:
            return
        if not self._to_come:
            self._to_come = [str(one) for one in self._rng.permutation(self.faults)]
        if self._to_come[-1] == "camera-frozen" and now < _GRAIN_KNOWN_S:
            self._to_come.insert(0, self._to_come.pop())
        self._begin(self._to_come.pop())
        self._next_at = now + float(self._rng.uniform(*_EVERY_S))

    @property
    def is_open(self) -> bool:
        """True while a fault has not recovered."""
        return any(one.healed is None and not one.is_waiting for one in self.trials)

    def before_feeding(self) -> None:
        """Provoke the faults that hit the next card; call before each feed."""
        while self._at_a_feed:
            self._happen(self._at_a_feed.pop(0))

    def before_writing(self) -> None:
        """Raise CannotWrite while the disk is full."""
        if self._now < self._full_until:
            self._full_until = min(self._full_until, self._now + DISK_FULL_S)
            raise CannotWrite(f"SIMULATION: {DISK_FULL}")

    def note_alarm(self, alarm: Alarm) -> None:
        """Note an alarm, or its end."""
        for trial in self.trials:
            if trial.healed is None and trial.fault == _ALARM_ONLY.get(alarm.device):
                if alarm.kind:
                    trial.reported = trial.reported or self._now
                else:
                    trial.healed = self._now

    def __call__(self, event: SequencedEvent, rulings: Sequence[Ruling], position: Position) -> None:
        """Note which fault this event reports or ends. A correction reports no new fault."""
        self._is_playing = position.phase in _PLAYED
        for trial in self.trials:
            if isinstance(event, Dealt | Redealt | Drew):
                trial.cards += event.n
            if trial.healed is not None or trial.fault in _ALARM_ONLY.values():
                continue
            if isinstance(event, Fault) and trial.reported is None:
                trial.reported = self._now
            elif isinstance(event, Resumed) and trial.reported is not None:
                trial.healed = self._now

    def _begin(self, fault: str, *, is_feeding: bool = False) -> None:
        if fault in AT_A_FEED and not is_feeding:
            self._at_a_feed.append(fault)
        else:
            self._happen(fault)

    def _happen(self, fault: str) -> None:
        self.trials.append(Trial(fault, self._now))
        if fault == DISK_FULL:
            self._full_until = inf  # until the alarm is noticed and a person makes room
        elif fault in self._camera.faults:
            self._camera.provoke(fault)
        else:
            self._machine.provoke(fault)


class FaultyJournal(Journal):
    """A journal on a disk that may be full: ``before_writing`` then raises CannotWrite."""

    def __init__(self, path: Path, before_writing: Callable[[], None]) -> None:
        super().__init__(path)
        self._before_writing = before_writing

    def append(
        self, game: int, *lines: Mapping[str, Any], fed: Mapping[int, int] = MappingProxyType({})
    ) -> tuple[bytes, ...]:
        """As `Journal.append`."""
        self._before_writing()
        return super().append(game, *lines, fed=fed)

    def record_job(self, game: int, job: FeedJob) -> None:
        """As `Journal.record_job`."""
        self._before_writing()
        super().record_job(game, job)


class WatchedShoe:
    """A `Shoe` that calls ``before_feeding`` before each job."""

    def __init__(self, shoe: Shoe, before_feeding: Callable[[], None]) -> None:
        self._shoe, self._before_feeding = shoe, before_feeding

    @property
    def fault(self) -> str:
        """As `Shoe.fault`."""
        return self._shoe.fault

    @property
    def is_recovering(self) -> bool:
        """As `Shoe.is_recovering`."""
        return self._shoe.is_recovering

    @property
    def in_doubt(self) -> tuple[Feed, int] | None:
        """As `Shoe.in_doubt`."""
        return self._shoe.in_doubt

    def feed(self, feed: Feed) -> None:
        """As `Shoe.feed`."""
        self._before_feeding()
        self._shoe.feed(feed)

    def handle(self, event: Press | CommandGiven) -> None:
        """As `Shoe.handle`."""
        self._shoe.handle(event)

    def begin_game(self) -> bool:
        """As `Shoe.begin_game`."""
        return self._shoe.begin_game()

    def recover(self, jobs: Sequence[Feed] | None, fault: str) -> None:
        """As `Shoe.recover`."""
        self._shoe.recover(jobs, fault)

    def hands_counted(self) -> None:
        """As `Shoe.hands_counted`."""
        self._shoe.hands_counted()


_ALIKE: Final = {"6": "9", "9": "6", "1": "7", "7": "1", "3": "8", "8": "3", "red": "yellow", "blue": "green"}
_OFTEN: Final = 0.03  # fraction of the pictures read
_LASTS: Final = 3  # pictures in a row: a single wrong picture is outvoted anyway


class Misreader:
    """Reads like ``reader``, but sometimes wrongly. ``misreads`` counts the spells of misreading.

    They occur only where a card was just laid (``is_new``), not when the card below comes to light again.
    """

    def __init__(self, reader: CardReader, rng: np.random.Generator, is_new: Callable[[], bool]) -> None:
        self._reader, self._rng, self._is_new = reader, rng, is_new
        self._left = 0
        self.misreads = 0

    def read(
        self, bgr: Image, /, faces: Collection[str] | None = None, *, top_only: bool = False,
        long_px: float | None = None,
    ) -> Reading:  # fmt: skip
        """Read all cards in the picture, perhaps some wrongly."""
        reading = self._reader.read(bgr, faces, top_only=top_only, long_px=long_px)
        if not self._is_new():
            self._left = 0
        elif self._left == 0 and self._rng.random() < _OFTEN:
            self._left = _LASTS
            self.misreads += 1
        if self._left == 0:
            return reading
        self._left -= 1
        return replace(reading, cards=tuple(replace(card, face=_mistaken(card.face)) for card in reading.cards))


def _mistaken(face: str) -> str:
    color, _, symbol = face.partition("-")
    other = f"{color}-{_ALIKE[symbol]}" if symbol in _ALIKE else f"{_ALIKE.get(color, color)}-{symbol}"
    return other if is_face(other) else face
