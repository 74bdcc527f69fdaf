"""Shows a demo in the terminal, on a page and aloud, saves its log and its last picture, and prints its result.

All output is labeled SIMULATION.
"""

from __future__ import annotations

import json
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import time
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import cv2
from rich import box
from rich.live import Live
from rich.panel import Panel
from rich.text import Text

from croupier.alarms import Alarm, alarm_text
from croupier.commands import Command, ProvokeFault
from croupier.config import read
from croupier.console import Console
from croupier.errors import CannotServe
from croupier.events import SequencedEvent
from croupier.i18n import _, chosen, ngettext
from croupier.journal import Archive
from croupier.observers import ObservedGame, TableObserver
from croupier.observers.notifier import LAST_WORDS_S, Notifier
from croupier.optional_dependencies import WEB, requires_extra
from croupier.output_files import check_new, write_new, write_over
from croupier.pictures.readings import Seen, draw, drawing_paths
from croupier.runtime.host import greet
from croupier.runtime.page import TablePage, WaitingTable
from croupier.runtime.session import GameSession, begin
from croupier.runtime.table import NO_HOOKS, Hooks, Table
from croupier.runtime.terminal import format_event
from croupier.table_api.live_table import done
from croupier_rules.referee import Explainer
from croupier_rules.referee.observations import Play, Shown, Upcard
from croupier_rules.referee.position import Position
from croupier_rules.referee.rulings import Ruling
from croupier_sim.demo import LABEL
from croupier_sim.demo.enroll import enrolled_reader, unlearned_faces
from croupier_sim.demo.faults import FaultyJournal
from croupier_sim.demo.game import Demo, DemoOptions
from croupier_sim.demo.picture import ROOM, table_panel
from croupier_sim.table import SimTable

if TYPE_CHECKING:
    from croupier.web.serving import WebServer
    from croupier.web.worker_process import WorkerProcess

PAGE_SPEED: Final = 1.0
TERMINAL_SPEED: Final = 4.0
"""Simulated seconds per second: with a viewer on the page, and in a terminal only."""

_REDRAWS_PER_S: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoOutput:
    """Output options of a demo.

    ``headless``: show nothing and run as fast as possible. ``with_page``: also show it on a page at ``port`` (None: the
    first free one); ``opens_browser``: in a browser of this machine, where somebody sits at a terminal. ``speed``:
    simulated seconds per second; None: `PAGE_SPEED` while somebody watches the page, `TERMINAL_SPEED` otherwise.
    ``log``: file for the table log; ``journal``: file for the journal. ``voice``: also speak.
    """

    headless: bool = False
    with_page: bool = False
    opens_browser: bool = False
    as_json: bool = False
    log: Path | None = None
    journal: Path | None = None
    picture: str | None = None
    speed: float | None = None
    port: int | None = None
    voice: bool = False


def play(options: DemoOptions, output: DemoOutput) -> int:
    """Play and report. Returns 0, or 1 if the log has no result or a wrong one.

    Raises:
        CannotWrite: the log, the journal or the picture cannot be written.
        CannotServe: the page cannot be served.
    """
    headless, as_json = output.headless, output.as_json
    # The pictures are small: several threads only wait for each other, more so on a busy machine.
    cv2.setNumThreads(1)
    path = drawing_paths(output.picture, [output.picture])[0] if output.picture else None
    if output.log:
        check_new(output.log, "--log")
    console = Console(stderr=as_json)
    demo = Demo(options, enrolled_reader)
    if unlearned := unlearned_faces(demo.table):
        console.print(
            _(
                "the card reader has not learned some faces of this deck, such as {face}: one picture of each is shown",
                face=unlearned[0],
            ),
            highlight=False,
            soft_wrap=True,
        )
    camera = LastHand(demo)
    with ExitStack() as stack:
        stack.callback(demo.close)
        file = output.journal or Path(stack.enter_context(TemporaryDirectory(prefix="croupier-"))) / "croupier.journal"
        journal = stack.enter_context(FaultyJournal(file, demo.faults.before_writing))
        session = begin(journal, demo.header, now=time())
        if output.log:
            write_new(output.log, _log(journal, session.game), "--log")
            stack.callback(lambda log: write_over(log, _log(journal, session.game), "--log"), output.log)
        notifier = _voice(demo, session, console, stack) if output.voice else None
        greets = output.opens_browser and _has_terminal(console)
        up = _serve(demo, file, output.port, stack, console, greet if greets else None) if output.with_page else None
        demo.observers.append(camera)
        with _shown(demo, console, headless):
            hooks = NO_HOOKS if up is None else Hooks(on_news=up.ring)
            table = demo.begin(session, [up.publish] if up is not None else [], hooks)
            if up is not None:
                up.show(DemoPage(demo, table, notifier.plugins if notifier is not None else {}))
            if not headless:
                demo.clock.speed = lambda: _speed(output.speed, up)
            table.play()
        if path and camera.seen:
            faces = [card.face for card in camera.seen.reading.cards]
            draw(camera.seen, path, faces, caption=f"{LABEL}: what the camera saw and what was read")
        _close(demo, console, path, as_json)
        if up is not None and _has_terminal(console):
            up.ring()
            console.print(_("the page stays open until you press Ctrl-C"), style="dim")
            with suppress(KeyboardInterrupt):
                up.wait()
    return 0 if demo.truth_agrees and not demo.gave_up else 1


def _has_terminal(console: Console) -> bool:
    """True if somebody sits there who can end the program."""
    return console.is_terminal and sys.stdin.isatty()


def _log(journal: Archive, game: int) -> bytes:
    return "".join(f"{line}\n" for line in journal.lines(game)).encode()


class DemoPage(TablePage):
    """The simulated table for the page, with the faults that can be provoked there."""

    is_simulation = True

    def __init__(self, demo: Demo, table: Table, plugins: Mapping[str, TableObserver] = MappingProxyType({})) -> None:
        super().__init__(table, plugins=plugins)
        self._provoke, self.faults = demo.faults.provoke, demo.faults.faults

    def submit(self, command: Command) -> Future[None]:
        """As `TablePage.submit`; a fault is provoked at once."""
        if not isinstance(command, ProvokeFault):
            return super().submit(command)
        self._provoke(command.fault)
        return done()


def _told(
    event: SequencedEvent, rulings: Sequence[Ruling], explainer: Explainer, names: Sequence[str],
    before: Position | None,
) -> list[str]:  # fmt: skip
    """The lines of an event and its rulings, with who played. ``before``: the position then."""
    lines = format_event(event, rulings, explainer)
    if not isinstance(event, Play):
        return lines
    seat = event.seat if event.seat is not None or before is None else before.turn
    return lines if seat is None else [f"{names[seat]}: {lines[0]}", *lines[1:]]


class View:
    """Shows the demo as one picture of the table: an `Observer`. `render` returns the picture."""

    def __init__(self, names: tuple[str, ...], explainer: Explainer, table: SimTable) -> None:
        self._names, self._explainer, self._table = names, explainer, table
        self._lines: deque[Text] = deque(maxlen=ROOM)
        self._position: Position | None = None
        self._cards = 0

    def __call__(self, event: SequencedEvent, rulings: Sequence[Ruling], position: Position) -> None:
        """Take over the new state."""
        for line in _told(event, rulings, self._explainer, self._names, self._position):
            self._lines.append(Text(f"{event.t:7.1f} s  ", style="dim").append(line))
        self._position = position
        self._cards += isinstance(event, Play | Upcard)

    def show_alarm(self, alarm: Alarm) -> None:
        """Show an alarm, or its end."""
        self._lines.append(Text(f"{self._table.now:7.1f} s  ", style="dim").append(alarm_text(alarm)))

    def render(self) -> Panel:
        """Return the table: cards read, turn, color, hands, scores, and the last rulings."""
        label = _("SIMULATION")
        if self._position is None:
            return Panel(_("Dealing the cards …"), title=label, border_style="yellow", box=box.ASCII2)
        facts = [(_("cards read"), str(self._cards)), (_("time"), f"{self._table.now:.0f} s")]
        title = " - ".join((label, _("no hardware")))
        return table_panel(self._names, self._position, self._explainer, self._lines, title=title, facts=facts)


class PlainLines:
    """Shows the demo line by line: one line for each event and ruling. An `Observer`."""

    def __init__(self, explainer: Explainer, table: SimTable, console: Console) -> None:
        self._explainer, self._table, self._console = explainer, table, console
        self._position: Position | None = None

    def __call__(self, event: SequencedEvent, rulings: Sequence[Ruling], position: Position) -> None:
        """Print an event and its rulings."""
        for line in _told(event, rulings, self._explainer, position.names, self._position):
            self._print(event.t, line)
        self._position = position

    def show_alarm(self, alarm: Alarm) -> None:
        """Print an alarm, or its end."""
        self._print(self._table.now, alarm_text(alarm))

    def _print(self, t: float, line: str) -> None:
        self._console.print(f"{LABEL} {t:7.1f} s  {line}", highlight=False, markup=False, soft_wrap=True)


class LastHand:
    """Keeps the frame of the last open hand and its reading: an `Observer`."""

    def __init__(self, demo: Demo) -> None:
        self._demo = demo
        self.seen: Seen | None = None

    def __call__(self, event: SequencedEvent, rulings: Sequence[Ruling], position: Position) -> None:
        """Keep the frame of an open hand."""
        watch = self._demo.run.watch
        if isinstance(event, Shown) and watch.frame is not None:
            self.seen = Seen("table", watch.frame.image, watch.reading(watch.frame.image))


def _speed(speed: float | None, up: WebServer | None) -> float:
    return speed or (PAGE_SPEED if up is not None and up.followers else TERMINAL_SPEED)


def _serve(
    demo: Demo, journal: Path, port: int | None, stack: ExitStack, console: Console,
    opens: Callable[[str], None] | None = None,
) -> WorkerProcess | None:  # fmt: skip
    """Serve the page if it is installed, and print its address and login code. ``opens``: is called with the address of
    the big screen when the page is up."""
    try:
        with requires_extra(WEB):
            from croupier.web.accounts import Accounts, Person
            from croupier.web.worker_process import WorkerProcess
    except CannotServe as missing:
        console.print(str(missing))
        return None
    accounts = Accounts()
    code = accounts.new_code(Person("admin"))
    waiting = WaitingTable(demo.alarms, is_simulation=True)
    greetings = deque([] if opens is None else [opens])

    def show() -> None:
        if greetings:
            greetings.pop()(f"{up.url}board")

    up = WorkerProcess(journal, lambda: accounts, waiting, port=port, on_up=show)
    stack.enter_context(up)
    console.print(f"{LABEL}: " + _("the page is at {address}", address=up.url), highlight=False)
    console.print(
        _("to make corrections and provoke faults there, log in with the code {code}", code=code), highlight=False
    )
    return up


def _voice(demo: Demo, session: GameSession, console: Console, stack: ExitStack) -> Notifier:
    """Speak what happens and what people are asked for.

    Raises:
        BadConfig: the voice is not installed.
    """
    language = f'[table]\nlanguage = "{chosen()}"\n' if chosen() else ""
    report = partial(console.print, highlight=False, markup=False, soft_wrap=True)
    demo.page = notifier = Notifier(read(f"{language}[voice]\non = true\n"), demo.page, report)
    # Ctrl-C shall silence the voice at once.
    stack.callback(lambda: notifier.close(LAST_WORDS_S if demo.is_over else 0.0))
    demo.observers += notifier.begin(ObservedGame(session.header, session.game, session.past, session.position))
    return notifier


@contextmanager
def _shown(demo: Demo, console: Console, headless: bool) -> Iterator[None]:
    """Show the demo while it runs: live on a terminal, line by line elsewhere, not at all if headless."""
    explainer = Explainer(demo.header, chosen())
    if headless:
        yield
    elif console.is_terminal:
        view = View(demo.header.seats, explainer, demo.table)
        demo.observers.append(view)
        demo.alarm_listeners.append(view.show_alarm)
        with Live(console=console, get_renderable=view.render, refresh_per_second=_REDRAWS_PER_S):
            yield
    else:
        lines = PlainLines(explainer, demo.table, console)
        demo.observers.append(lines)
        demo.alarm_listeners.append(lines.show_alarm)
        yield


def _close(demo: Demo, console: Console, path: Path | None, as_json: bool) -> None:
    summary = demo.summary()
    if path:
        console.print(_("what the camera saw: {file}", file=path), highlight=False, soft_wrap=True)
    if demo.gave_up:
        console.print(_("the table came to a standstill: the record and the table disagree"), style="bold red")
    if not demo.truth_agrees:
        console.print(_("the result in the log differs from what really happened at the table"), style="bold red")
    if as_json:
        print(json.dumps(summary))
        return
    seats = demo.header.seats
    n, bad = summary["cards_read"], summary["cards_misread"]
    parts = [
        ngettext("{n} round", "{n} rounds", summary["rounds"]),
        *([] if summary["winner"] is None else [_("{name} went out", name=seats[summary["winner"]])]),
        _("points: {points}", points=", ".join(map("{} {}".format, seats, summary["scores"]))),
        ngettext("{n} card read, {bad} misread", "{n} cards read, {bad} misread", n, bad=bad),
        _("{s} s of play in {wall} s", s=round(summary["simulated_s"]), wall=round(summary["wall_s"])),
    ]
    console.print(f"{LABEL}: {'; '.join(parts)}", highlight=False, markup=False, soft_wrap=True)
