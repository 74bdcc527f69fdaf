"""The terminal of a running table: what happens, what is asked, what does not work; and what is typed there."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Final, TextIO, cast, get_args

from rich.console import Console

from croupier import alarms
from croupier.alarms import Alarm
from croupier.cards import FACES
from croupier.commands import ChooseDealer, CountFedCards, Key, LayCard, NameCard
from croupier.devices.protocols import Ask, Say
from croupier.errors import one_line
from croupier.events import CommandGiven, Press, SequencedEvent
from croupier.i18n import _, chosen, marked, ngettext
from croupier.referee import Explainer, Referee
from croupier.referee.observations import Fault, Resumed
from croupier.referee.position import Position
from croupier.referee.rulings import Ruling
from croupier.runtime.log_lines import lines_of
from croupier.runtime.session import Kept

_ASKS: Final[dict[str, str]] = {
    "choose-dealer": marked("Choose who deals: type dealer and the number of the seat."),
    "turn-up": marked("{name}: turn up the first card of the discard pile."),
    "which-card": marked("Which card lies on top of the discard pile? Type card and its name, as card red-7."),
    "show-hand": marked("{name}: lay your hand open before the camera."),
    "recycle": marked("{name}: shuffle the discard pile, less its top card, into the draw pile."),
    "next-round": marked("The round is over. Collect all cards, shuffle them, and type go."),
    "done": marked("The game is over. Type go for another one."),
    "clear-fault": marked("Play is paused. When the table is in order, type go."),
}
"""What is asked in so many words; all else is said by the rulings."""

_HELP: Final = marked(
    "go, pause, undo; a key and a seat, as draw 2, pass 2, uno 0, accept 1, challenge 1; a color, as red; "
    "card CARD (the top card is that one), laid CARD (no camera saw it), dealer SEAT, counted N; help"
)


_DIGITS: Final = 3
"""No number that is typed has more."""


class Unread(Console):
    """That of rich; but where nobody reads any more the game goes on, without these lines."""

    def on_broken_pipe(self) -> None:
        """Instead of the end of the program."""
        self.quiet = True


class Terminal:
    """A `Page` and a listener. ``console``: where lines go."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._in_trouble: set[str] = set()
        self._names: tuple[str, ...] = ()
        self._explainer: Explainer | None = None
        self._referee: Referee | None = None

    @property
    def is_terminal(self) -> bool:
        """Whether a person sees it."""
        return self._console.is_terminal

    def begin(self, kept: Kept) -> Terminal:
        """From now on this game is told."""
        self._names, self._explainer = kept.header.seats, Explainer(kept.header, chosen())
        self._referee = kept.referee
        names = ", ".join(self._names)
        if kept.past:
            self.line(_("Going on with game {game}: {names}.", game=kept.game, names=names))
            self._tell_standing()
            self._tell_fault(kept.past[-1][0])
        else:
            self.line(_("Game {game}: {names}.", game=kept.game, names=names))
        return self

    def line(self, text: str, style: str = "") -> None:
        """One line."""
        self._console.print(one_line(text), style=style, highlight=False, markup=False, soft_wrap=True)

    def __call__(self, told: SequencedEvent, rulings: tuple[Ruling, ...], position: Position) -> None:
        """Tell what happened."""
        self._tell_fault(told)
        if isinstance(told, Resumed):
            self._tell_standing()
        if self._explainer is not None:
            for line in lines_of(told, rulings, self._explainer):
                self.line(f"{told.t:8.1f} s  {line}")

    def ask(self, ask: Ask) -> None:
        """Ask the people for something."""
        name = "" if ask.seat is None else self._names[ask.seat]
        match ask.what:
            case "deal":
                text = ngettext(
                    "Deal {n} card to each seat, then type go.", "Deal {n} cards to each seat, then type go.", ask.n
                )
            case "draw":
                text = ngettext(
                    "{name}: take {n} card, and press draw.",
                    "{name}: take {n} cards, and press draw.",
                    ask.n,
                    name=name,
                )
            case "give-back":
                text = ngettext(
                    "{name}: {n} card goes back into the shoe.",
                    "{name}: {n} cards go back into the shoe.",
                    ask.n,
                    name=name,
                )
            case _ if ask.what in _ASKS:
                text = _(_ASKS[ask.what], name=name)
            case _:
                return
        self.line(f"  → {text}", "bold")

    def say(self, say: Say) -> None:
        """It is told with what led to it."""

    def show_alarm(self, alarm: Alarm) -> None:
        """Print that something does not work, or works again."""
        if alarm.kind:
            self._in_trouble.add(alarm.device)
            self.line(f"  ! {alarms.alarm_text(alarm)}{f' ({alarm.detail})' if alarm.detail else ''}", "bold red")
        else:
            self._in_trouble.discard(alarm.device)
            self.line(f"  ✓ {alarms.alarm_text(alarm)}", "green")

    def _tell_standing(self) -> None:
        """Whose turn it is, and what is awaited."""
        if self._explainer is not None and self._referee is not None:
            self.line(f"    {self._explainer.standing(self._referee.position())}")

    def _tell_fault(self, told: SequencedEvent) -> None:
        """What paused the game, unless it was told as a trouble already."""
        if isinstance(told, Fault) and told.device not in self._in_trouble:
            self.line(f"  ! {alarms.problem_text(told.device, told.kind)}", "bold red")


class Typed:
    """A thread that reads what is typed: each line becomes a press, at the time ``now``, for ``take``. ``seats``: how
    many there are; ``asked``: whose a key is that is typed without a seat."""

    def __init__(
        self,
        source: TextIO,
        now: Callable[[], float],
        take: Callable[[Press | CommandGiven], None],
        terminal: Terminal,
        seats: int,
        asked: Callable[[Key], int | None],
    ) -> None:
        self._source, self._now, self._take, self._terminal = source, now, take, terminal
        self._seats, self._asked = seats, asked

    def start(self) -> None:
        """Begin to read; ends with the program."""
        Thread(target=self._read, name="terminal", daemon=True).start()

    def _read(self) -> None:
        for line in self._source:
            self.typed(line)

    def typed(self, line: str) -> None:
        """Take in what was typed."""
        words = line.lower().split()
        if not words:
            return
        said = meant(words, self._now(), self._seats, self._asked)
        if said is not None:
            self._take(said)
            return
        if words != ["help"]:
            self._terminal.line(_("That is no command of the table: {line}", line=line.strip()), "yellow")
        self._terminal.line(_(_HELP))


def meant(words: list[str], t: float, seats: int, asked: Callable[[Key], int | None]) -> Press | CommandGiven | None:
    """What is meant by these words, if anything."""
    word, what, *more = [*words, "", ""]
    n = int(what) if what.isascii() and what.isdecimal() and len(what) <= _DIGITS else None
    seat = n if n is not None and n < seats else None
    match word:
        case _ if any(more):
            return None
        case "card" if what in FACES:
            return CommandGiven(t=t, command=NameCard(what))
        case "laid" if what in FACES:
            return CommandGiven(t=t, command=LayCard(what))
        case "counted" if n is not None:
            return CommandGiven(t=t, command=CountFedCards(n))
        case "dealer" if seat is not None:
            return CommandGiven(t=t, command=ChooseDealer(seat))
        case _ if word in get_args(Key) and (seat is not None or not what):
            key = cast(Key, word)
            return Press(t=t, seat=(asked(key) or 0) if seat is None else seat, key=key)
        case _:
            return None
