"""Lines for people: on a terminal wrapped and colored, elsewhere plain and one line each."""

from __future__ import annotations

from textwrap import TextWrapper
from typing import TYPE_CHECKING

from rich import console

if TYPE_CHECKING:
    from croupier.referee import Explainer, Rulings


class Console(console.Console):
    """That of rich; but whoever reads and has seen enough is no fault, as `cli.run` has it."""

    def on_broken_pipe(self) -> None:
        """Instead of an exit status of rich's own."""
        raise BrokenPipeError


class Printer:
    """Says lines on standard output."""

    def __init__(self) -> None:
        self._console = Console(highlight=False)

    def print(self, text: str, indent: int = 0, style: str = "", *, hanging: int = 0) -> None:
        """One line, ``indent`` spaces in, in a style of rich. What does not fit goes on below, as far in, and by
        ``hanging`` further."""
        space = " " * indent
        if self._console.is_terminal:
            width = max(self._console.width - 1, indent + 20)
            # Names stay whole, so that they can be copied.
            wrapper = TextWrapper(width, space, space + " " * hanging, break_long_words=False, break_on_hyphens=False)
            text = wrapper.fill(text)
        else:
            text = space + text
        self._console.print(text, style=style, markup=False, soft_wrap=True)

    def print_rulings(self, rulings: Rulings, explainer: Explainer) -> None:
        """What the referee said, each ruling with its source below it."""
        for ruling in rulings:
            told = explainer.said(ruling)
            self.print(told.text, 11, "bold")
            self.print(told.source, 13, "yellow" if ruling.is_proposed else "cyan" if ruling.basis.chosen else "dim")
        self._console.file.flush()
