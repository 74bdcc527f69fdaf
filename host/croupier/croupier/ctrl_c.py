"""Ctrl-C as a flag, for what must not be torn: KeyboardInterrupt may come between any two steps, even while a lock is
held, for which others then wait forever. Questions at the terminal are the exception: Ctrl-C ends them."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

Ask = Callable[[str], str]
"""Asks a person at the terminal and returns the answer, as `input` does."""


class StopFlag:
    """A signal handler that notes Ctrl-C."""

    def __init__(self) -> None:
        self.is_set = False

    def __call__(self, _signal: int, _frame: FrameType | None) -> None:
        """Note Ctrl-C."""
        self.is_set = True


@contextmanager
def until_ctrl_c() -> Iterator[StopFlag]:
    """Context in which Ctrl-C sets a flag instead of raising KeyboardInterrupt."""
    stop = StopFlag()
    before = signal.signal(signal.SIGINT, stop)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def interrupted_by_ctrl_c() -> Iterator[None]:
    """Context in which Ctrl-C raises KeyboardInterrupt again, inside `until_ctrl_c`, and sets its flag as well."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        if isinstance(before, StopFlag):
            before.is_set = True
        raise
    finally:
        signal.signal(signal.SIGINT, before)


def terminal() -> Ask | None:
    """A function that asks at the terminal; None if standard input is not a terminal."""
    return _asked if sys.stdin is not None and sys.stdin.isatty() else None


def _asked(question: str) -> str:
    try:
        with interrupted_by_ctrl_c():
            return input(question)
    except (EOFError, KeyboardInterrupt):
        print()  # ends the line of the question
        raise
