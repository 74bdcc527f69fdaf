"""Output for people: wrapped and colored on a terminal, elsewhere plain lines."""

from __future__ import annotations

from textwrap import TextWrapper
from typing import TYPE_CHECKING

from rich import console

if TYPE_CHECKING:
    from croupier.log_replay import Record
    from croupier_rules.referee import Explainer, Rulings


class Console(console.Console):
    """A console of rich that leaves a closed pipe to `cli.main.run` instead of ending the program."""

    def on_broken_pipe(self) -> None:
        """Raise BrokenPipeError."""
        raise BrokenPipeError


class Printer:
    """Prints lines on standard output."""

    def __init__(self) -> None:
        self._console = Console(highlight=False)

    def print(self, text: str, indent: int = 0, style: str = "", *, hanging: int = 0) -> None:
        """Print one line in a style of rich, indented by ``indent`` spaces; further lines by ``hanging`` more."""
        space = " " * indent
        if self._console.is_terminal:
            width = max(self._console.width - 1, indent + 20)
            # Names stay whole, so that they can be copied.
            wrapper = TextWrapper(width, space, space + " " * hanging, break_long_words=False, break_on_hyphens=False)
            text = wrapper.fill(text)
        else:
            text = space + text
        self._console.print(text, style=style, markup=False, soft_wrap=True)

    def print_step(self, step: Record, explainer: Explainer) -> None:
        """Print an observation of a table log, and the rulings on it."""
        self.print(f"{step.observation.t:9.2f}  {explainer.seen(step.observation, step.on_turn)}")
        self.print_rulings(step.rulings, explainer)

    def print_rulings(self, rulings: Rulings, explainer: Explainer) -> None:
        """Print rulings, each with its source below it."""
        for ruling in rulings:
            words = explainer.explain(ruling)
            self.print(words.text, 11, "bold")
            self.print(words.source, 13, "yellow" if ruling.is_proposed else "cyan" if ruling.basis.chosen else "dim")
        self._console.file.flush()
