"""The score of a pile tracker on video whose truth is known: plays by outcome, errors of time, faults."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from cardsight.track.events import Touched
from croupier_rules.cards import UNREAD
from croupier_sim.video import Touch


@dataclass
class Score:
    """Counts, errors and remarks of one or several videos."""

    videos: int = 0
    plays: int = 0
    right: int = 0
    asked: int = 0
    """Reported as ``?``."""
    wrong: int = 0
    lost: int = 0
    invented: int = 0
    """Reports without a cause."""
    in_time: int = 0
    """Contacts reported within one frame of the truth."""
    within_u: int = 0
    """Contacts reported within their uncertainty, or one frame."""
    seats_reported: int = 0
    right_seat: int = 0
    lifts: int = 0
    lifts_found: int = 0
    recycled: int = 0
    recycled_found: int = 0
    strays: int = 0
    """Cards laid beside the pile."""
    strays_found: int = 0
    faults: int = 0
    faults_found: int = 0
    false_faults: int = 0
    off_s: list[float] = field(default_factory=list)
    """Errors of the contact times."""
    decided_s: list[float] = field(default_factory=list)
    """Delays of the reports since no hand was over the pile."""
    fault_s: list[float] = field(default_factory=list)
    """Delays of the reports of faults."""
    remarks: list[str] = field(default_factory=list)
    """All errors, in words."""

    @property
    def reported(self) -> int:
        """Number of plays that were reported, with any face."""
        return self.right + self.asked + self.wrong

    @property
    def counts(self) -> dict[str, int]:
        """All counts that are not 0, by name."""
        return {name: value for name, value in vars(self).items() if isinstance(value, int) and value}

    def add(self, other: Score) -> None:
        """Add another score."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    def add_play(
        self, event: Touched, waiting: list[Touch], frame_s: float, before_s: float, after_s: float
    ) -> Touch | None:  # fmt: skip
        """Count a report, and move its play out of ``waiting``. Returns that play, ``None`` for an invented report.

        ``before_s`` and ``after_s``: largest error of a contact time that is too early or too late.
        """
        near = [touch for touch in waiting if -before_s <= event.t - touch.t <= after_s]
        same = [touch for touch in near if touch.face == event.face.removesuffix("*")]
        if not near:
            self.add_invented(event)
            return None
        touch = (same or near)[0]
        waiting.remove(touch)
        off = event.t - touch.t
        if same:
            self.right += 1
        else:
            self.asked += event.face == UNREAD
            self.wrong += event.face != UNREAD
            self.remarks.append(f"{touch} reported as {event.face}")
        self.in_time += abs(off) <= frame_s
        self.within_u += abs(off) <= max(event.u, frame_s)
        self.off_s.append(off)
        if event.seat is not None:
            self.seats_reported += 1
            self.right_seat += event.seat == touch.seat
        return touch

    def add_invented(self, report: object) -> None:
        """Count a report without a cause."""
        self.invented += 1
        self.remarks.append(f"invented {report}")

    def add_lost(self, waiting: Iterable[Touch]) -> None:
        """Count the plays that were not reported."""
        for touch in waiting:
            self.lost += 1
            self.remarks.append(f"lost {touch}")

    def __str__(self) -> str:
        """The figures in one line."""
        off_ms = 1000 * np.abs(self.off_s or [0.0])
        p50, p95, most = np.percentile(off_ms, (50, 95, 100))
        return (
            f"{self.plays} plays, {self.reported} reported, {self.invented} invented; contact off by {p50:.0f} ms "
            f"(p50), {p95:.0f} ms (p95), {most:.0f} ms (max), {self.in_time} within a frame; {self.right} cards right"
        )
