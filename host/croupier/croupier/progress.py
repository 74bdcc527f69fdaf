"""What a long work shows of itself at a terminal; elsewhere only its result is there."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")


@contextmanager
def progress() -> Iterator[Progress]:
    """Context with a bar for each step on standard error, if that is a terminal. It is gone when the work ends."""
    if not sys.stderr.isatty():
        yield Progress(None)
        return
    from rich import console, progress

    columns = (progress.TextColumn("{task.description}", markup=False), progress.BarColumn(),
               progress.TaskProgressColumn(), progress.TimeElapsedColumn())  # fmt: skip
    # What is printed into the same terminal goes above the bars, and into a file past them.
    with progress.Progress(*columns, console=console.Console(stderr=True, highlight=False), transient=True,
                             redirect_stdout=sys.stdout.isatty()) as bars:  # fmt: skip
        yield Progress(bars)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a work is. ``bars``: of rich; None shows nothing."""

    bars: Any

    def step(self, name: str, total: float | None = None) -> Callable[[float], None]:
        """Begin a step of ``total`` units, or unknown many. Call what is returned with the units done since."""
        if self.bars is None:
            return lambda n: None
        task = self.bars.add_task(name, total=total)
        return lambda n: self.bars.advance(task, n)

    def each(self, items: Iterable[T], name: str, total: float) -> Iterator[T]:
        """Yield ``items``; each is a unit of a step."""
        done = self.step(name, total)
        for item in items:
            yield item
            done(1)
