"""The inbox: collects the events of all sources and returns them in the order of time.

The order of two events may decide a penalty, and no event arrives when it happens: a press is known at once, a card on
the discard pile only after it has lain still, a report of the shoe perhaps only after a resend. Each source therefore
has a *watermark*, the time until which it has reported everything. The inbox returns an event as soon as no source can
report an earlier one.

    inbox = Inbox()
    inbox.put(press)                  # any thread; wakes the table
    inbox.mark("camera", 12.5)        # the camera has reported everything up to 12.5 s
    inbox.collect()                   # sort new events by time
    event = inbox.pop()               # the next event that is due, or None
"""

from __future__ import annotations

import heapq
from collections import deque
from itertools import count
from math import inf
from threading import Event as Signal

from croupier.events import Event


class Inbox:
    """All events of one table. `put` and `wake` are thread-safe; the table's thread calls the rest."""

    def __init__(self) -> None:
        self._arrived: deque[Event] = deque()
        self._waiting: list[tuple[float, int, Event]] = []
        self._order = count()
        self._marks: dict[str, float] = {}
        self._signal = Signal()

    def put(self, *events: Event) -> None:
        """Add events in any order, and wake the table."""
        if events:
            self._arrived.extend(events)
            self._signal.set()

    def wake(self) -> None:
        """End `wait`: a source must be polled."""
        self._signal.set()

    def wait(self, seconds: float) -> bool:
        """Sleep until something arrives, at most ``seconds``. Returns True if something did."""
        if not (self._signal.is_set() or (seconds > 0 and self._signal.wait(seconds))):
            return False
        self._signal.clear()
        return True

    def collect(self) -> list[Event]:
        """Sort new events by time. Returns them in the order of arrival."""
        arrived = [self._arrived.popleft() for _ in range(len(self._arrived))]
        for event in arrived:
            self.restore(event)
        return arrived

    def restore(self, event: Event) -> None:
        """Put back an event from `pop` that has to wait; it does not count as a new arrival."""
        heapq.heappush(self._waiting, (event.t, next(self._order), event))

    def holds(self, event: Event) -> bool:
        """True while this event waits."""
        return any(one is event for _t, _n, one in self._waiting) or any(one is event for one in [*self._arrived])

    def mark(self, source: str, until: float) -> None:
        """Set the watermark (s) of a source: the source has put every event up to then."""
        self._marks[source] = until

    @property
    def due(self) -> float:
        """The time (s) up to which every source has reported everything."""
        return min(self._marks.values(), default=inf)

    @property
    def is_empty(self) -> bool:
        """True while no event waits."""
        return not (self._waiting or self._arrived)

    def pop(self) -> Event | None:
        """Return the earliest due event; of events with the same time, the one that arrived first."""
        if self._waiting and self._waiting[0][0] <= self.due:
            return heapq.heappop(self._waiting)[2]
        return None
