"""Shows a demo in the terminal: live as one picture of the table, or as plain lines. Always labeled SIMULATION."""

from __future__ import annotations

from collections import deque
from typing import Final

from croupier.runtime.terminal import format_event
from rich import box
from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from croupier.alarms import Alarm, alarm_text
from croupier.events import SequencedEvent
from croupier.i18n import _
from croupier.referee import Explainer
from croupier.referee.observations import Play, Upcard
from croupier.referee.position import Position
from croupier.referee.rulings import Ruling
from croupier.replay.terminal import ROOM, table_panel
from croupier.runtime.terminal import format_event
from croupier_sim.table import SimTable

LABEL: Final = "SIMULATION"


class View:
    """A listener of a run. ``render`` gives the picture of the table as it is now."""

    def __init__(self, names: tuple[str, ...], explainer: Explainer, table: SimTable) -> None:
        self._names, self._explainer, self._table = names, explainer, table
        self._lines: deque[Text] = deque(maxlen=ROOM)
        self._position: Position | None = None
        self._cards = 0

    def __call__(self, told: SequencedEvent, rulings: tuple[Ruling, ...], position: Position) -> None:
        """Keep what there is to show."""
        self._position = position
        for line in lines_of(told, rulings, self._explainer):
            self._lines.append(Text(f"{told.t:7.1f} s  ", style="dim").append(line))
        self._cards += isinstance(told, Play | Upcard)

    def show_alarm(self, alarm: Alarm) -> None:
        """Something does not work, or works again."""
        self._lines.append(Text(f"{self._table.now:7.1f} s  ", style="dim").append(alarm_text(alarm)))

    def render(self) -> Panel:
        """The table: what the camera read, whose turn, the color, the hands, the scores, the referee's last words."""
        label = _("SIMULATION")
        if self._position is None:
            return Panel(_("The cards are dealt …"), title=label, border_style="yellow", box=box.ASCII2)
        facts = [(_("cards read"), str(self._cards)), (_("time"), f"{self._table.now:.0f} s")]
        title = " - ".join((label, _("no hardware")))
        return table_panel(self._names, self._position, self._explainer, self._lines, title=title, facts=facts)


class PlainLines:
    """A listener that prints one line for each thing said."""

    def __init__(self, explainer: Explainer, table: SimTable, console: Console) -> None:
        self._explainer, self._table, self._console = explainer, table, console

    def __call__(self, told: SequencedEvent, rulings: tuple[Ruling, ...], position: Position) -> None:
        """Print what was said."""
        for line in lines_of(told, rulings, self._explainer):
            self._print(told.t, line)

    def show_alarm(self, alarm: Alarm) -> None:
        """Something does not work, or works again."""
        self._print(self._table.now, alarm_text(alarm))

    def _print(self, t: float, line: str) -> None:
        self._console.print(f"{LABEL} {t:7.1f} s  {line}", highlight=False, markup=False, soft_wrap=True)
