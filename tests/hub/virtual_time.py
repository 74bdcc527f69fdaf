"""The time of tables in a test: hours pass as soon as every table waits for them."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from threading import Condition, current_thread

import pytest

from croupier import supervisor
from croupier_hub import table_observer
from tests.patience import PATIENCE_S

_OTHERS: float = 0.01
"""What waits for something else than the hub takes so much of its time, of the real one."""


class VirtualTime:
    """In place of `threading.Event` and of the clock in what sends a table's log to the hub. ``now``: in seconds;
    ``tables``: how many of them wait by it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, tables: int) -> None:
        self.now, self._tables = 0.0, tables
        self._changed = Condition()
        self._waiting: dict[str, tuple[float, Callable[[], bool]]] = {}
        """By table: until when, and whether it is told to go on."""
        here = self

        class VirtualEvent:
            def __init__(self) -> None:
                self._is_set = False

            def is_set(self) -> bool:
                return self._is_set

            def set(self) -> None:
                with here._changed:
                    self._is_set = True
                    here._changed.notify_all()

            def clear(self) -> None:
                self._is_set = False

            def wait(self, timeout: float | None = None) -> bool:
                return here._wait(self.is_set, timeout)

        for module in (supervisor, table_observer):
            monkeypatch.setattr(module, "Event", VirtualEvent)
        monkeypatch.setattr(table_observer, "monotonic", lambda: self.now)

    def go_on(self, seconds: float) -> None:
        """Let so much time pass: all that the tables do meanwhile is done on return."""
        end = self.now + seconds
        with self._changed:
            while True:
                assert self._changed.wait_for(self._is_idle, PATIENCE_S), "a table does not come to rest"
                first = min((until for until, _ in self._waiting.values()), default=inf)
                self.now = min(first, end)
                if first > end:
                    return
                self._changed.notify_all()

    def _is_idle(self) -> bool:
        waiting = self._waiting.values()
        return len(waiting) == self._tables and not any(until <= self.now or is_told() for until, is_told in waiting)

    def _wait(self, is_told: Callable[[], bool], timeout: float | None) -> bool:
        name = current_thread().name
        with self._changed:
            if not name.startswith("supervisor of tournament"):
                return self._changed.wait_for(is_told, None if timeout is None else timeout * _OTHERS)
            me, until = f"{name} {current_thread().ident}", inf if timeout is None else self.now + timeout
            self._waiting[me] = until, is_told
            self._changed.notify_all()
            self._changed.wait_for(lambda: is_told() or until <= self.now)
            del self._waiting[me]
            return is_told()
