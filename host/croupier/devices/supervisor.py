"""The parts of a table while it runs: each may be missing, die and come back, and none holds up the others.

A part that has to be opened (a port, pins, a page) is kept by a `Keeper` in a thread of its own. What does not work
stands in `Troubles`, told once when it begins and once when it is over. Whoever has something for the table rings its
`Bell`; the table sleeps until then.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Lock, Thread
from typing import Final, Generic, Protocol, TypeVar

from croupier.devices.pico.pico import Line
from croupier.errors import CroupierError
from croupier.i18n import localize
from croupier.link.commands import Command
from croupier.link.conversation import Event as LineEvent
from croupier.link.conversation import Silent

PAUSES_S: Final = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
"""From one attempt to open a part to the next; the last again and again."""

_LET_GO_S: Final = 0.2
"""Whoever uses a part that has failed is through with it after so long."""

_END_S: Final = 3.0


class Bell:
    """Wakes the table. Rung from any thread; heard by one."""

    def __init__(self) -> None:
        self._rung = Event()

    def ring(self) -> None:
        """There is something to do."""
        self._rung.set()

    def wait(self, seconds: float) -> None:
        """Sleep until it is rung, at most so long."""
        self._rung.wait(seconds)
        self._rung.clear()


Tell = Callable[[str, str, str], None]
"""Told of a change: the part, what is wrong with it (a kind of `croupier.alarms`; "" when it works again), and a
line of what exactly, for whoever mends it."""


class Troubles:
    """What does not work now. May be used from any thread."""

    def __init__(self, tell: Tell) -> None:
        self._tell, self._lock = tell, Lock()
        self._now: dict[str, str] = {}

    def set(self, part: str, kind: str, line: str = "") -> None:
        """``part`` is in trouble of this ``kind``, or ("") well; told if that is new."""
        with self._lock:
            is_new = self._now.get(part, "") != kind
            if kind:
                self._now[part] = kind
            else:
                self._now.pop(part, None)
        if is_new:
            self._tell(part, kind, line)

    def now(self) -> tuple[tuple[str, str], ...]:
        """Parts and what is wrong with them, in the order in which it began."""
        with self._lock:
            return tuple(self._now.items())


class Part(Protocol):
    """Something that is open."""

    def close(self) -> None:
        """Give it back."""


P = TypeVar("P", bound=Part)


def never_fails(part: object, is_closing: Event) -> str:
    """Stay with a part that mends itself, until it is closed."""
    is_closing.wait()
    return ""


class Keeper(Generic[P]):
    """Opens a part and keeps it open. Where that fails, and where the part fails later, ``wrong`` is told why in one
    line, and it is tried again with growing pauses. ``use`` is handed the part, and None when it is gone. ``stay``:
    stays with the part until it fails, and returns why, or until the event that it is given is set."""

    def __init__(
        self,
        name: str,
        open_part: Callable[[], P],
        wrong: Callable[[str], None],
        *,
        use: Callable[[P | None], None],
        stay: Callable[[P, Event], str] = never_fails,
    ) -> None:
        self._open, self._wrong, self._use, self._stay = open_part, wrong, use, stay
        self._is_closing = Event()
        self._thread = Thread(target=self._run, name=f"keeper of {name}", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def close(self) -> None:
        """Close the part; one that hangs is left to itself."""
        self._is_closing.set()
        if self._thread.is_alive():
            self._thread.join(_END_S)

    def _run(self) -> None:
        failed = 0
        while not self._is_closing.is_set():
            why, was_open = self._keep()
            if self._is_closing.is_set():
                return
            self._wrong(why)
            failed = 0 if was_open else failed + 1
            self._is_closing.wait(PAUSES_S[min(max(failed - 1, 0), len(PAUSES_S) - 1)])

    def _keep(self) -> tuple[str, bool]:
        """Open it and stay with it until it fails: why, and whether it was open."""
        try:
            part = self._open()
        except (CroupierError, OSError, ModuleNotFoundError) as err:
            return localize(err)[0] if isinstance(err, CroupierError) else str(err), False
        try:
            self._use(part)
            return self._stay(part, self._is_closing), True
        finally:
            self._use(None)
            self._is_closing.wait(_LET_GO_S)
            part.close()


class LateLine:
    """A `Line` to a Pico whose port, or pins, may come later and go again; ``now``: the table's clock."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._line: Line | None = None
        self._is_lost = False

    def use(self, line: Line | None) -> None:
        """This is the line from now on; None: there is none."""
        self._is_lost = self._is_lost or line is None
        self._line = line

    def send(self, command: Command) -> bool:
        """As `Line.send`."""
        line = self._line
        return line is not None and line.send(command)

    def told_until(self) -> float:
        """As `Line.told_until`."""
        line = self._line
        return self._now() if line is None else line.told_until()

    def events(self) -> list[LineEvent]:
        """As `Line.events`; losing the line is a silence."""
        line, told = self._line, list[LineEvent]()
        if self._is_lost:
            self._is_lost = False
            told.append(Silent(t=self._now()))
        return told if line is None else told + line.events()
