"""Shows a demo in the terminal: live as one picture of the table, or as plain lines. Always labeled SIMULATION."""

from __future__ import annotations

from collections import deque
from math import ceil
from typing import Final

from rich import box
from rich.columns import Columns
from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from croupier.app.running.lines import lines_of
from croupier.app.running.position import Position
from croupier.app.running.sequencer import Told
from croupier.devices.sim.table import SimTable
from croupier.referee import Explainer
from croupier.referee.observations import Play, Upcard
from croupier.referee.rulings import Ruling

LABEL: Final = "SIMULATION"
_ROOM: Final = 24
_WIDTH: Final = 76
"""Lines of an ordinary terminal, and columns inside the frame there: all that is shown finds room in it."""
_SIGNS: Final = {"red": "●", "yellow": "★", "green": "▲", "blue": "■"}
"""The marks that stand for the colors on cards for the color-blind."""
_WAYS: Final = {"left": "↻ to the left", "right": "↺ to the right"}


def color_text(color: str | None) -> Text:
    """A color as word, shape and color."""
    return Text(f"{_SIGNS.get(color or '', '·')} {color or 'none'}", style=f"bold {color}" if color in _SIGNS else "")


def card_text(card: str | None) -> Text:
    """A card with the shape of its color."""
    color, _, symbol = (card or "").partition("-")
    if color not in _SIGNS:
        return Text(card or "none", style="bold")
    return Text(f"{_SIGNS[color]} {color} {symbol}", style=f"bold {color}")


class View:
    """A listener of a run. ``render`` gives the picture of the table as it is now."""

    def __init__(self, names: tuple[str, ...], explainer: Explainer, table: SimTable) -> None:
        self._names, self._explainer, self._table = names, explainer, table
        self._lines: deque[Text] = deque(maxlen=_ROOM)
        self._position: Position | None = None
        self._cards = 0

    def __call__(self, told: Told, rulings: tuple[Ruling, ...], position: Position) -> None:
        """Keep what there is to show."""
        self._position = position
        for line in lines_of(told, rulings, self._explainer):
            self._lines.append(Text(f"{told.t:7.1f} s  ", style="dim").append(line))
        self._cards += isinstance(told, Play | Upcard)

    def render(self) -> Panel:
        """The table: what the camera read, whose turn, the color, the hands, the scores, the referee's last words."""
        position = self._position
        if position is None:
            return Panel("The cards are dealt …", title=LABEL, border_style="yellow", box=box.ASCII2)
        seats = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for column, align in (
            ("", "left"),
            ("seat", "left"),
            ("cards", "right"),
            ("owes", "right"),
            ("score", "right"),
        ):
            seats.add_column(column, justify=align)  # type: ignore[arg-type]
        for seat, name in enumerate(self._names):
            on_turn = seat == position.turn
            seats.add_row(
                "►" if on_turn else "",
                Text(name, style="bold" if on_turn else ""),
                str(position.hands[seat]),
                str(position.owed.get(seat, "")),
                str(position.scores[seat]),
            )
        facts = Table(box=None, show_header=False, pad_edge=False)
        facts.add_row("last card", card_text(position.top))
        facts.add_row("color", color_text(position.color))
        facts.add_row("play goes", _WAYS[position.direction])
        facts.add_row("draw pile", str(position.draw_pile))
        facts.add_row("discard pile", str(position.discard_pile))
        facts.add_row("phase", position.phase.replace("_", " "))
        for number, text in position.house_rules.items():
            facts.add_row(f"rule for {number}", Text(text))
        facts.add_row("cards read", str(self._cards))
        facts.add_row("time", f"{self._table.now:.0f} s")
        above = max(len(self._names) + 4, facts.row_count)
        said = self._last_lines(_ROOM - above - 4)
        body = Group(Columns([seats, facts], padding=(0, 4)), Text("the referee says", style="dim"), *said)
        return Panel(body, title=f"{LABEL} - no hardware", border_style="yellow")

    def _last_lines(self, room: int) -> list[Text]:
        """What was said last, as far as it fits into so many lines."""
        fitting: deque[Text] = deque()
        for line in reversed(self._lines):
            room -= ceil(line.cell_len / _WIDTH)
            if room < 0:
                break
            fitting.appendleft(line)
        return list(fitting)


class PlainLines:
    """A listener that prints one line for each thing said."""

    def __init__(self, explainer: Explainer, console: Console) -> None:
        self._explainer, self._console = explainer, console

    def __call__(self, told: Told, rulings: tuple[Ruling, ...], position: Position) -> None:
        """Print what was said."""
        for line in lines_of(told, rulings, self._explainer):
            self._console.print(f"{LABEL} {told.t:7.1f} s  {line}", highlight=False, markup=False, soft_wrap=True)
