"""The terminal of a running table: events, requests, alarms, and typed commands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Thread
from typing import Final, TextIO

from rich.console import Console

from croupier import alarms
from croupier.alarms import Alarm
from croupier.commands import Key, LayCard
from croupier.devices.protocols import Ask, Say
from croupier.errors import BadName, one_line
from croupier.events import Amended, CommandGiven, SequencedEvent, UnsureCard
from croupier.i18n import _, chosen, from_others, localize, marked, ngettext
from croupier.runtime.inbox import Inbox
from croupier.runtime.session import GameSession
from croupier.runtime.typed import TypedWords
from croupier_rules.referee import Explainer
from croupier_rules.referee.observations import Decline, Drew, Fault, Overrule, Pass, Play, Redealt, Resumed, Upcard
from croupier_rules.referee.position import Position
from croupier_rules.referee.rulings import Ruling

_ASKS: Final[dict[str, str]] = {
    "choose-dealer": marked("Choose who deals: type dealer and the name."),
    "choose-seat": marked("{name}: type choose and the name of the player whom you choose."),
    "discard": marked("{name}: type under and how many other cards of the color were laid under it."),
    "turn-up-cards": marked("{name}: draw until a card of the color comes, then pass."),
    "give-up-hand": marked("{name}: put your hand under the discard pile."),
    "turn-up": marked("{name}: turn up the first card of the discard pile."),
    "which-card": marked("Which card is on top of the discard pile? Type card and its name, such as card red-7."),
    "show-hand": marked("{name}: lay your hand open before the camera."),
    "recycle": marked("{name}: shuffle the discard pile, less its top card, into the draw pile."),
    "next-round": marked("The round is over. Collect all cards, shuffle them, and type go."),
    "done": marked("The game is over. Type go for another one."),
    "clear-fault": marked("Play is paused. When the table is in order, type go."),
}
"""The requests that the terminal words itself; all others are in the rulings."""

_HELP: Final = marked(
    "go, pause, undo; draw, pass, uno, accept or challenge with a name, such as draw {name}; a color, such as red; a "
    "card that no camera saw, such as red 5, r7 or +2 red; card CARD (names the top card), dealer NAME, swap "
    "NAME (after a seven), counted N; help. The beginning of a name or its number is enough: {names}"
)

_HELP_PLAYERS: Final = marked(
    "leave NAME (a player leaves); join NAME (comes back), or join with the number of the seat and a new name; seats "
    "NAME NAME (two players swap seats)"
)


class QuietConsole(Console):
    """A rich console that goes silent when its pipe is closed; the game goes on."""

    def on_broken_pipe(self) -> None:
        """Go silent instead of ending the program."""
        self.quiet = True


def format_event(event: SequencedEvent, rulings: Sequence[Ruling], explainer: Explainer) -> list[str]:
    """Return lines for people: the event on the discard pile or of a person, and the rulings on it."""
    lines = []
    match event:
        case Play() | Upcard():
            lines.append(f"[{explainer.card(event.card)}]")
        case Amended():
            corrected = (explainer.card(one.card) for one in event.observations if isinstance(one, Play | Upcard))
            overrules = (one for one in event.observations if isinstance(one, Overrule))
            lines += [explainer.seen(one) for one in overrules if one.undo or one.player]
            lines += [_("no, it is [{card}]", card=card) for card in corrected]
        case UnsureCard():
            candidates = " / ".join(map(explainer.card, event.candidates)) or "?"
            lines.append(_("which card is it? {candidates}", candidates=candidates))
        case Redealt() | Decline() | Drew() | Pass() | Overrule():
            lines.append(explainer.seen(event))
        case _:
            pass
    return [*lines, *(explainer.explain(ruling).text for ruling in rulings)]


class Terminal:
    """Shows a game as lines: a `Page` and an `Observer`. ``console``: where the lines go."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._alarmed: set[str] = set()
        self._names: tuple[str, ...] = ()
        self._explainer: Explainer | None = None
        self._session: GameSession | None = None
        self._words: TypedWords | None = None

    @property
    def is_terminal(self) -> bool:
        """True if the output is a terminal."""
        return self._console.is_terminal

    def begin(self, session: GameSession) -> Terminal:
        """Show this game from now on."""
        self._session = session
        self.speak()
        names = ", ".join(self._names)
        if session.past:
            self.line(_("Resuming game {game}: {names}.", game=session.game, names=names))
            self._show_position()
            self._show_fault(session.past[-1].observation)
        else:
            self.line(_("Game {game}: {names}.", game=session.game, names=names))
        return self

    def speak(self) -> None:
        """Use the table's language of now."""
        if self._session is not None:
            header = self._session.header
            self._names, self._explainer = header.seats, Explainer(header, chosen())
            self._words = TypedWords(self._names, self._explainer)

    @property
    def words(self) -> TypedWords | None:
        """The words that may be typed in this game; None before the first."""
        return self._words

    def line(self, text: str, style: str = "") -> None:
        """Print one line."""
        self._console.print(one_line(text), style=style, highlight=False, markup=False, soft_wrap=True)

    def __call__(self, event: SequencedEvent, rulings: tuple[Ruling, ...], position: Position) -> None:
        """Show an event and the rulings on it."""
        if self._explainer is not None and position.names not in ((), self._names):
            self._names, self._explainer = position.names, self._explainer.naming(position.names)
            self._words = TypedWords(self._names, self._explainer)
        self._show_fault(event)
        if isinstance(event, Resumed):
            self._show_position()
        if self._explainer is not None:
            for line in format_event(event, rulings, self._explainer):
                self.line(f"{event.t:8.1f} s  {line}")

    def ask(self, ask: Ask) -> None:
        """Print a request to people."""
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
        """Print why nothing was changed."""
        self.line(f"  ! {say.text}", "yellow")

    def alarm(self, alarm: Alarm) -> None:
        """Print an alarm, or its end."""
        text = alarms.alarm_text(alarm)
        if alarm.kind:
            self._alarmed.add(alarm.device)
            self.line(f"  ! {text}{f' ({from_others(alarm.detail)})' if alarm.detail else ''}", "bold red")
        else:
            self._alarmed.discard(alarm.device)
            self.line(f"  ✓ {text}", "green")

    def _show_position(self) -> None:
        """Print whose turn it is, and what the game waits for."""
        if self._explainer is not None and self._session is not None:
            self.line(f"    {self._explainer.standing(self._session.referee.position())}")

    def _show_fault(self, event: SequencedEvent) -> None:
        """Print the fault that paused the game, unless an alarm has shown it."""
        if isinstance(event, Fault) and event.device not in self._alarmed:
            self.line(f"  ! {alarms.problem_text(event.device, event.kind)}", "bold red")


class CommandReader:
    """Reads typed lines in a thread: each becomes an event for ``inbox``, and ``terminal`` answers it.

    ``now``: the table's clock. ``asked``: returns the seat of a key that is typed without one. ``has_camera``: returns
    True if a camera sees the laid cards; then people only correct it, as on the page.
    """

    def __init__(
        self,
        source: TextIO,
        now: Callable[[], float],
        inbox: Inbox,
        terminal: Terminal,
        asked: Callable[[Key], int | None],
        has_camera: Callable[[], bool] = lambda: False,
    ) -> None:
        self._source, self._now, self._inbox, self._terminal = source, now, inbox, terminal
        self._asked, self._has_camera = asked, has_camera

    def start(self) -> None:
        """Start the thread; it ends with the program."""
        Thread(target=self._read, name="terminal", daemon=True).start()

    def _read(self) -> None:
        for line in self._source:
            self.take(line)

    def take(self, line: str) -> None:
        """Take in one typed line, and answer it."""
        words, line = self._terminal.words, line.strip()
        if not line or words is None:
            return
        try:
            event = words.parse(line, self._now(), self._asked)
        except BadName as err:
            self._terminal.line(f"  ! {localize(err)[0]}", "yellow")
            return
        if event is not None:
            self._terminal.line(f"  › {words.answer(event)}", "dim")
            if isinstance(event, CommandGiven) and isinstance(event.command, LayCard) and self._has_camera():
                why = _("The camera sees the cards that are laid. To correct the top card, type card and its name.")
                self._terminal.line(f"  ! {why}", "yellow")
            else:
                self._inbox.put(event)
            return
        if line.casefold() != "help":
            self._terminal.line(_("Unknown command: {line}", line=line), "yellow")
            if nearest := words.nearest(line):
                self._terminal.line(_("Did you mean: {nearest}?", nearest=", ".join(nearest)), "yellow")
                return
        names = ", ".join(f"{seat} {name}" for seat, name in enumerate(words.names, start=1))
        self._terminal.line(_(_HELP, name=words.names[0], names=names))
        self._terminal.line(_(_HELP_PLAYERS))
