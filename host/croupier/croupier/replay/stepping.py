"""`croupier replay` in the terminal: a game step by step, at speed, or line by line."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Final

from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text

from croupier.console import Console
from croupier.errors import one_line
from croupier.game_views.story import Moment, Story
from croupier.i18n import _
from croupier.replay.terminal import ROOM, table_panel
from croupier_rules.referee.position import Position

SPEEDS: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
_TICK_S: Final = 0.05
_LAST: Final = 40
"""Number of moments back in which the newest lines are searched."""

KEYS: Final = {
    "\x1b[C": "on", "l": "on", "n": "on", "\x1b[D": "back", "h": "back", "p": "back",
    "\x1b[A": "round back", "k": "round back", "\x1b[B": "round on", "j": "round on",
    "\x1b[H": "begin", "g": "begin", "\x1b[F": "end", "G": "end",
    " ": "play", "+": "faster", "-": "slower", "q": "quit", "\x1b": "quit", "\x03": "quit", "\x04": "quit",
}  # fmt: skip


class Player:
    """A position in a game, and whether it is playing. ``n``: number of observations before that position."""

    def __init__(self, story: Story, n: int = 0, speed: float = 4.0) -> None:
        self.story, self.speed = story, speed
        self.is_playing = False
        self._explainer = story.explainer
        self.go(n)

    @property
    def moment(self) -> Moment:
        """The moment at the position."""
        return self.story.at(self.n)

    def press(self, key: str) -> bool:
        """Handle a key of `KEYS` or a digit (the number of a round). Return ``False`` to quit."""
        match "round" if key.isdigit() else KEYS.get(key):
            case "on":
                self.go(self.n + 1)
            case "back":
                self.go(self.n - 1)
            case "round on":
                self.go(next((n for n in self._begins() if n > self.n), len(self.story)))
            case "round back":
                self.go(max((n for n in self._begins() if n < self.n), default=0))
            case "round":
                self.go(start_of_round(self.story, int(key)))
            case "begin":
                self.go(0)
            case "end":
                self.go(len(self.story))
            case "play":
                self.is_playing = not self.is_playing and self.n < len(self.story)
            case "faster" | "slower" as how:
                near = min(range(len(SPEEDS)), key=lambda i: abs(SPEEDS[i] - self.speed))
                self.speed = SPEEDS[max(0, min(near + (1 if how == "faster" else -1), len(SPEEDS) - 1))]
            case "quit":
                return False
        return True

    def go(self, n: int) -> None:
        """Go to a position, limited to the game."""
        self.n = max(0, min(n, len(self.story)))
        self._t = self.moment.t

    def tick(self, seconds: float) -> None:
        """Advance the game by ``seconds`` of the viewer's time."""
        if not self.is_playing:
            return
        self._t += seconds * self.speed
        while self.n < len(self.story) and self.story.at(self.n + 1).t <= self._t:
            self.n += 1
        self.is_playing = self.n < len(self.story)

    def render(self, lines: int = ROOM) -> RenderableType:
        """Draw the table, the position in the game and the keys, in at most ``lines`` lines."""
        moment = self.moment
        facts = [
            (_("round"), str(moment.round)),
            (_("time"), f"{moment.t:.0f} s"),
            (_("place"), f"{moment.n}/{len(self.story)}"),
        ]
        drawn = table_panel(
            self.story.header.seats, Position.from_json(moment.position), self._explainer, self._lines(),
            title=_title(self.story), facts=facts, room=max(lines, ROOM) - 2,
        )  # fmt: skip
        how = f"{'▶' if self.is_playing else '‖'} ×{self.speed:g}"
        keys = _("←→ step  ↑↓ 1-9 round  space play  +- speed  q quit")
        return Group(drawn, Text(f" {how}  {keys}", style="dim", no_wrap=True, overflow="ellipsis"))

    def _begins(self) -> Iterator[int]:
        return (start_of_round(self.story, number) for number in range(1, self.story.at(None).round + 1))

    def _lines(self) -> Iterator[Text]:
        for moment in self.story.moments[max(1, self.n + 1 - _LAST) : self.n + 1]:
            yield from format_moment(self.story, moment)


def _title(story: Story) -> str:
    return " - ".join((_("SIMULATION"), _("replay"))) if story.is_simulation else _("replay")


def format_moment(story: Story, moment: Moment) -> Iterator[Text]:
    """Format the observation and the rulings of a moment."""
    text = story.describe(moment)
    yield Text(f"{text.t:7.1f} s  ", style="dim").append(one_line(text.seen))
    for ruling in text.rulings:
        yield Text(" " * 11).append(one_line(ruling.text), style="bold")


def start_of_round(story: Story, number: int) -> int:
    """Return the number of observations before round ``number`` (from 1); the end of the game if there is none."""
    return next((moment.n for moment in story.moments if moment.round >= number), len(story))


def print_lines(story: Story, begin: int, end: int) -> None:
    """Print observations and rulings between two positions, with a heading for each round."""
    console = Console(highlight=False)
    if story.is_simulation:
        console.print(_("SIMULATION"), style="bold magenta")
    number = 0
    for moment in story.moments[max(1, begin) : end + 1]:
        if moment.round != number:
            number = moment.round
            console.print(_("Round {number}", number=number), style="bold underline")
        for line in format_moment(story, moment):
            console.print(line, soft_wrap=True)


def print_position(player: Player) -> None:
    """Print the table at one position."""
    Console(highlight=False).print(player.render())


def step_through(player: Player) -> None:
    """Show the game on this terminal until the viewer quits."""
    console = Console()
    live = Live(console=console, get_renderable=lambda: player.render(console.height), auto_refresh=False, screen=True)
    with _keyboard() as keyboard, live:
        before = monotonic()
        while True:
            live.refresh()
            keys = _pressed(keyboard, _TICK_S if player.is_playing else None)
            now = monotonic()
            player.tick(now - before)
            before = now
            if not all(player.press(key) for key in keys):
                return


@contextmanager
def _keyboard() -> Iterator[int]:
    """Context in which keys are read one by one; the terminal is restored afterwards."""
    import termios
    import tty

    keyboard = sys.stdin.fileno()
    before = termios.tcgetattr(keyboard)
    try:
        tty.setcbreak(keyboard)
        yield keyboard
    finally:
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)


def _pressed(keyboard: int, seconds: float | None) -> list[str]:
    """Return the keys that were pressed; wait at most ``seconds`` for one (``None``: without limit)."""
    if not select.select([keyboard], [], [], seconds)[0]:
        return []
    typed = os.read(keyboard, 64).decode("utf-8", "replace")
    return split_keys(typed) if typed else ["q"]


def split_keys(typed: str) -> list[str]:
    """Split terminal input into keys: an arrow key sends three characters."""
    keys: list[str] = []
    while typed:
        keys.append(typed[:3] if typed.startswith("\x1b[") else typed[0])
        typed = typed[len(keys[-1]) :]
    return keys
