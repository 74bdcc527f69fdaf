"""The terminal of a running table: what happens, what is asked, what does not work, and the commands typed there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Thread
from typing import Final, TextIO, cast, get_args

from rich.console import Console

from croupier import alarms
from croupier.alarms import Alarm
from croupier.cards import FACES
from croupier.commands import ChooseDealer, CountFedCards, Key, LayCard, NameCard
from croupier.devices.protocols import Ask, Say
from croupier.errors import one_line
from croupier.events import Amended, CommandGiven, Press, SequencedEvent, UnsureCard
from croupier.i18n import _, chosen, marked, ngettext
from croupier.referee import Explainer
from croupier.referee.observations import Decline, Fault, Play, Redealt, Resumed, Upcard
from croupier.referee.position import Position
from croupier.referee.rulings import Ruling
from croupier.runtime.inbox import Inbox
from croupier.runtime.session import GameSession

_ASKS: Final[dict[str, str]] = {
    "choose-dealer": marked("Choose who deals: type dealer and the seat number."),
    "turn-up": marked("{name}: turn up the first card of the discard pile."),
    "which-card": marked("Which card is on top of the discard pile? Type card and its name, such as card red-7."),
    "show-hand": marked("{name}: lay your hand open before the camera."),
    "recycle": marked("{name}: shuffle the discard pile, less its top card, into the draw pile."),
    "next-round": marked("The round is over. Collect all cards, shuffle them, and type go."),
    "done": marked("The game is over. Type go for another one."),
    "clear-fault": marked("Play is paused. When the table is in order, type go."),
}
"""The questions that the terminal asks itself; the rulings ask all others."""

_HELP: Final = marked(
    "go, pause, undo; a key and a seat, such as draw 2, pass 2, uno 0, accept 1, challenge 1; a color, "
    "such as red; card CARD (names the top card), laid CARD (reports a card that no camera saw), dealer "
    "SEAT, counted N; help"
)

_DIGITS: Final = 3
"""The most digits of a typed number."""


class QuietConsole(Console):
    """A rich console that falls silent when nobody reads it any more; the game goes on."""

    def on_broken_pipe(self) -> None:
        """Fall silent instead of ending the program."""
        self.quiet = True


def format_event(event: SequencedEvent, rulings: Sequence[Ruling], explainer: Explainer) -> list[str]:
    """Return lines for people: what was seen on the discard pile or done, and the rulings on it."""
    lines = []
    match event:
        case Play() | Upcard():
            lines.append(f"[{event.card}]")
        case Amended():
            corrected = (one.card for one in event.observations if isinstance(one, Play | Upcard))
            lines += [_("no, it is [{card}]", card=card) for card in corrected]
        case UnsureCard():
            lines.append(_("which card is it? {candidates}", candidates=" / ".join(event.candidates) or "?"))
        case Redealt() | Decline():
            lines.append(explainer.seen(event))
        case _:
            pass
    return [*lines, *(explainer.said(ruling).text for ruling in rulings)]


class Terminal:
    """Shows a game as lines: a `Page` and an `Observer`. ``console``: where the lines go."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._alarmed: set[str] = set()
        self._names: tuple[str, ...] = ()
        self._explainer: Explainer | None = None
        self._session: GameSession | None = None

    @property
    def is_terminal(self) -> bool:
        """True where a person sees the lines."""
        return self._console.is_terminal

    def begin(self, session: GameSession) -> Terminal:
        """Show this game from now on."""
        self._names, self._explainer = session.header.seats, Explainer(session.header, chosen())
        self._session = session
        names = ", ".join(self._names)
        if session.past:
            self.line(_("Resuming game {game}: {names}.", game=session.game, names=names))
            self._show_position()
            self._show_fault(session.past[-1].observation)
        else:
            self.line(_("Game {game}: {names}.", game=session.game, names=names))
        return self

    def line(self, text: str, style: str = "") -> None:
        """Print one line."""
        self._console.print(one_line(text), style=style, highlight=False, markup=False, soft_wrap=True)

    def __call__(self, event: SequencedEvent, rulings: tuple[Ruling, ...], position: Position) -> None:
        """Show an event and the rulings on it."""
        self._show_fault(event)
        if isinstance(event, Resumed):
            self._show_position()
        if self._explainer is not None:
            for line in format_event(event, rulings, self._explainer):
                self.line(f"{event.t:8.1f} s  {line}")

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
        """Do nothing: the line of the event says it."""

    def alarm(self, alarm: Alarm) -> None:
        """Show an alarm, or that it is over."""
        device, detail = alarm.device, alarm.detail
        self._alarmed.add(device) if alarm.kind else self._alarmed.discard(device)
        if alarm.kind:
            self.line(f"  ! {alarms.problem_text(device, alarm.kind)}{f' ({detail})' if detail else ''}", "bold red")
        else:
            self.line(f"  ✓ {alarms.cleared_text(device)}", "green")

    def _show_position(self) -> None:
        """Show whose turn it is, and what the game waits for."""
        if self._explainer is not None and self._session is not None:
            self.line(f"    {self._explainer.standing(self._session.referee.position())}")

    def _show_fault(self, event: SequencedEvent) -> None:
        """Show the fault that paused the game, unless an alarm has shown it."""
        if isinstance(event, Fault) and event.device not in self._alarmed:
            self.line(f"  ! {alarms.problem_text(event.device, event.kind)}", "bold red")


class CommandReader:
    """Reads what is typed in a thread: each line becomes an event for ``inbox``.

    ``now``: the table's clock; ``seats``: the number of seats; ``asked``: the seat that a key means that is typed
    without one."""

    def __init__(
        self,
        source: TextIO,
        now: Callable[[], float],
        inbox: Inbox,
        terminal: Terminal,
        seats: int,
        asked: Callable[[Key], int | None],
    ) -> None:
        self._source, self._now, self._inbox, self._terminal = source, now, inbox, terminal
        self._seats, self._asked = seats, asked

    def start(self) -> None:
        """Begin to read; the thread ends with the program."""
        Thread(target=self._read, name="terminal", daemon=True).start()

    def _read(self) -> None:
        for line in self._source:
            self.take(line)

    def take(self, line: str) -> None:
        """Take in one typed line."""
        words = line.lower().split()
        if not words:
            return
        event = parse_command(words, self._now(), self._seats, self._asked)
        if event is not None:
            self._inbox.put(event)
            return
        if words != ["help"]:
            self._terminal.line(_("Unknown command: {line}", line=line.strip()), "yellow")
        self._terminal.line(_(_HELP))


def parse_command(
    words: list[str], t: float, seats: int, asked: Callable[[Key], int | None]
) -> Press | CommandGiven | None:
    """Return the press or the command that the words mean at ``t``; None where they mean none."""
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
