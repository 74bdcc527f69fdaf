"""What a long work shows of itself in a terminal; in a pipe only its result is there."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any


class Step:
    """One step of a work, of ``total`` units or unknown many."""

    def __init__(self, shown: Any, task: Any) -> None:
        self._shown, self._task = shown, task

    def __call__(self, n: int) -> None:
        """So many more are done."""
        if self._shown is not None:
            self._shown.update(self._task, advance=n)

    def one(self) -> None:
        """One more is done."""
        self(1)


class Progress:
    """A bar for each step on standard error, if that is a terminal; it is gone when the work ends."""

    def __init__(self) -> None:
        self._shown: Any = None

    def __enter__(self) -> Progress:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
            from rich.progress import Progress as Bars

            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[told]}"),
                TimeElapsedColumn(),
            )
            self._shown = Bars(*columns, console=Console(stderr=True), transient=True)
            self._shown.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown is not None:
            self._shown.stop()

    def step(self, name: str, total: int | None = None) -> Step:
        """Begin a step."""
        if self._shown is None:
            return Step(None, None)
        return Step(self._shown, self._shown.add_task(name, total=total))

    def say(self, line: str) -> None:
        """Print a line of the result."""
        if self._shown is not None:
            self._shown.console.print(line, markup=False, highlight=False)
        else:
            print(line, flush=True)
