"""The time for which a hub is off, at most a day: its clock may have jumped meanwhile, as that of a machine without a
clock of its own does at each start.

A hub with the director's file keeps the time of day beside it. At the next start, what is beyond a day, and a clock
that went back, is written into the director's log like a jump that the running hub notices: tickets last as long as
they were meant to. Of a round that is timed the day counts, so its time is up after a jump while the hub was off.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Final

from croupier.clocks import CLOCK_JUMP_S, off_s
from croupier.files import write_whole
from croupier_hub.director import open_outbox, report_jump, write_to
from croupier_hub.store import LogStore

_TIME: Final = "[0-9]{1,12}"

KEEP_S: Final = 60.0
"""The time of day is kept so often."""


def clock_file(director: Path) -> Path:
    """The file with the time of day, beside the director's."""
    return director.with_name(f"{director.name}-clock")


def jump_while_off(seen: float, now: float) -> tuple[int, int] | None:
    """What the clock of a hub would show that was on when it showed ``seen``, and what it shows (s since 1970); None
    if it cannot be separated from time that passed."""
    expected = seen + off_s(seen, now)
    return None if abs(now - expected) <= CLOCK_JUMP_S else (round(expected), round(now))


def report_off_time(store: LogStore, director: Path, now: float) -> None:
    """Write a jump of the clock since the hub was on into the director's log.

    Raises:
        BadOutbox, HubRefuses: the director's file cannot be used.
    """
    try:
        text = clock_file(director).read_text("ascii").strip()
    except (OSError, ValueError):
        return
    if re.fullmatch(_TIME, text) and (jump := jump_while_off(int(text), now)) is not None:
        with open_outbox(director) as outbox:
            write_to(store, outbox, lambda known: report_jump(known, *jump))


@contextmanager
def clock_on_disk(director: Path, clock: Callable[[], float], every_s: float = KEEP_S) -> Iterator[None]:
    """Context in which the time of day (s since 1970) is kept, by a thread. A full disk is no reason to end."""
    is_over = Event()

    def keep() -> None:
        while True:
            with suppress(OSError):
                write_whole(clock_file(director), f"{clock():.0f}\n".encode(), 0o600)
            if is_over.is_set():
                return
            is_over.wait(every_s)

    thread = Thread(target=keep, name="clock", daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
