"""The inbox: the events of all sources, given out in the order of their time.

Which of two things came first may decide a penalty, and no event arrives at the moment when it happens: a press is
known at once, a card on the discard pile only after it has lain still, a report of the shoe perhaps only after its line
was sent again. Each source therefore says with its *watermark* up to which second it has told everything. The inbox
gives out an event as soon as no source can still tell an earlier one, and waits no longer than that.

    inbox = Inbox()
    inbox.put(press)                  # any thread; wakes the table
    inbox.mark("camera", 12.5)        # the camera has told everything up to 12.5 s
    inbox.collect()                   # what has arrived takes its place in the order of time
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
    """All events of one table. `put` and `wake` may be called from any thread, the rest from the table's thread."""

    def __init__(self) -> None:
        self._arrived: deque[Event] = deque()
        self._waiting: list[tuple[float, int, Event]] = []
        self._order = count()
        self._marks: dict[str, float] = {}
        self._signal = Signal()

    def put(self, *events: Event) -> None:
        """Take in events in any order, and wake the table."""
        if events:
            self._arrived.extend(events)
            self._signal.set()

    def wake(self) -> None:
        """End `wait`: a source has something to be polled for."""
        self._signal.set()

    def wait(self, seconds: float) -> bool:
        """Sleep until something arrives, at most ``seconds``; returns True if something did."""
        is_woken = self._signal.wait(seconds)
        self._signal.clear()
        return is_woken

    def collect(self) -> list[Event]:
        """Put what has arrived into the order of time; returns it in the order of arrival."""
        arrived = [self._arrived.popleft() for _ in range(len(self._arrived))]
        for event in arrived:
            self.restore(event)
        return arrived

    def restore(self, event: Event) -> None:
        """Put an event back that was given out and has to wait; it is no new arrival."""
        heapq.heappush(self._waiting, (event.t, next(self._order), event))

    def mark(self, source: str, until: float) -> None:
        """Set the watermark (s) of a source: the source has put every event up to then."""
        self._marks[source] = until

    @property
    def due(self) -> float:
        """The second up to which every source has told everything."""
        return min(self._marks.values(), default=inf)

    @property
    def is_empty(self) -> bool:
        """True while no event waits."""
        return not (self._waiting or self._arrived)

    def pop(self) -> Event | None:
        """Give out the earliest event that is due; of events of the same time the one that arrived first."""
        if self._waiting and self._waiting[0][0] <= self.due:
            return heapq.heappop(self._waiting)[2]
        return None
