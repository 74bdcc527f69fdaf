"""The table's loop: one thread polls every source, plays one game after the other, and sleeps while nothing is due.

`croupier run`, `croupier demo`, the benches and the tests start this same loop with other devices and another clock.

    table = open_table(config, journal, AlarmRegistry(report), page)
    table.play()                      # until `end`
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar

from croupier.alarms import AlarmRegistry
from croupier.commands import Command, CountFedCards, Loudness, PressKey, ProvokeFault, StartGame
from croupier.config import Config
from croupier.devices.gpio.panel import Asked
from croupier.devices.protocols import Page
from croupier.errors import BadConfig, CannotWrite
from croupier.events import CommandGiven, Event, Observer, Press, SequencedEvent
from croupier.i18n import _, localize
from croupier.journal import Journal
from croupier.referee import Header
from croupier.referee.position import Position
from croupier.referee.rulings import Ruling
from croupier.runtime.camera import TableWatch
from croupier.runtime.devices import REAL, DeviceManager, Factories, open_devices
from croupier.runtime.game import GameRun, StepObserver
from croupier.runtime.inbox import Inbox
from croupier.runtime.session import FeedLog, GameSession, begin, resume
from croupier.runtime.systemd import Systemd

T = TypeVar("T")

LOOK_S: Final = 0.5
"""The longest sleep of the loop."""
SOON_S: Final = 0.02
"""The sleep while an event waits for a watermark and no camera wakes the loop."""
WRITE_S: Final = 1.0
"""The pause after a line could not be written."""
ON_ITS_WAY_S: Final = 0.25
"""The longest time that a command from a phone is on its way; the time of its press is as uncertain as that."""
CLOCK_JUMP_S: Final = 60.0
"""The machine's clock was set if it moves by so much against the table's clock."""

_IN_PLAY: Final = ("upcard", "turn", "drawn", "color", "challenge")
"""In the other phases cards are dealt, collected or laid open, and lie anywhere."""


class Clock(Protocol):
    """The table's clock: seconds that only go on."""

    def now(self) -> float:
        """Return the time (s)."""

    def wall(self) -> float:
        """Return the machine's clock: seconds since 1970, which people may set."""

    def wait(self, inbox: Inbox, seconds: float) -> None:
        """Let time pass until something arrives, at most ``seconds``."""


class SystemClock:
    """The clock of this machine, from ``start`` (s) on."""

    def __init__(
        self,
        start: float = 0.0,
        monotonic: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._monotonic, self.wall = monotonic, wall
        self._zero = monotonic() - start

    def now(self) -> float:
        """Return the time (s)."""
        return self._monotonic() - self._zero

    def wait(self, inbox: Inbox, seconds: float) -> None:
        """Sleep until something arrives, at most ``seconds``."""
        inbox.wait(seconds)


ObserversOf = Callable[[GameSession], Sequence[Observer]]
"""Makes those who follow a game when the game begins."""


def _ignore(_what: object = None) -> None:
    """Do nothing."""


class Retry(Protocol):
    """How long to try what cannot be written because the disk is full."""

    def __call__(self, write: Callable[[], T], /) -> T:
        """Return what ``write`` returns, or raise its error."""


def try_once(write: Callable[[], T], /) -> T:
    """A `Retry` that tries once."""
    return write()


@dataclass(frozen=True, slots=True)
class Hooks:
    """Calls of the table's loop to the program around it."""

    on_news: Callable[[], None] = _ignore
    """Something was written, or an alarm began or ended."""
    on_loudness: Callable[[Loudness], None] = _ignore
    """Set the volume of the voice."""
    on_fault: Callable[[str], None] = _ignore
    """Provoke a fault, in a simulation."""
    may_begin_round: Callable[[], bool] = lambda: True
    """Return False to hold the next round back after the last was scored."""
    retry: Retry = try_once
    """How long to try to write the first line of this run."""


NO_HOOKS: Final = Hooks()
NO_SYSTEMD: Final = Systemd({})


class Table:
    """A table and its games, one after the other. ``session``: the first game; ``header``: the games after it.

    ``manager``: the devices; ``page``: where people are asked, and who was asked last; ``observers``: makes those who
    follow a game; ``step_observers`` get each line of the log; ``systemd``: watches over the program."""

    def __init__(
        self,
        session: GameSession,
        header: Header,
        manager: DeviceManager,
        alarms: AlarmRegistry,
        page: Asked,
        *,
        inbox: Inbox,
        clock: Clock,
        observers: ObserversOf = lambda session: (),
        step_observers: Sequence[StepObserver] = (),
        hooks: Hooks = NO_HOOKS,
        systemd: Systemd = NO_SYSTEMD,
    ) -> None:
        self.manager, self.devices = manager, manager.devices
        self.alarms, self.page, self.inbox, self.clock = alarms, page, inbox, clock
        self._journal, self._header = session.journal, header
        self._observers, self._step_observers = observers, tuple(step_observers)
        self._hooks, self._systemd = hooks, systemd
        self._next_header: Header | None = None
        self._wants_game = self._has_news = self._is_ending = False
        self._wall_ahead = clock.wall() - clock.now()
        self._write_at = 0.0
        self.run = self._begin(session)
        manager.recover(session, self.run.shoe_fault)

    def play(self) -> None:
        """Play until `end`."""
        self._systemd.ready()
        while not self._is_ending:
            if self.turn():
                self._hooks.on_news()
            if not self._is_ending:
                self.clock.wait(self.inbox, self._sleep_s())
        self._systemd.stopping()

    def end(self) -> None:
        """End `play` within `LOOK_S`. A handler of signals may call it, so it only sets a flag."""
        self._is_ending = True

    def submit(self, command: Command) -> None:
        """Take in a command of a person; any thread may call it. The volume of the voice is set at once."""
        u = ON_ITS_WAY_S / 2
        t = max(0.0, self.clock.now() - u)
        match command:
            case Loudness():
                self._hooks.on_loudness(command)
            case ProvokeFault(fault=fault):
                self._hooks.on_fault(fault)
            case PressKey(seat=seat, key=key):
                self.inbox.put(Press(t=t, u=u, seat=seat, key=key))
            case _:
                self.inbox.put(CommandGiven(t=t, u=u, command=command))

    def turn(self) -> bool:
        """Take in what has happened and act on what is due; returns True if there is anything new to show."""
        self._has_news = False
        alarms = self.alarms.active()
        self._poll()
        self._find_stray_cards()
        if self.clock.now() >= self._write_at:
            self._act()
        self._systemd.alive(self.clock.now())
        self._systemd.status(self._status())
        return self._has_news or alarms != self.alarms.active()

    def _poll(self) -> None:
        """Ask every source for its events and its watermark."""
        now, inbox = self.clock.now(), self.inbox
        # Commands of people come with any thread; whoever gave one before this has put it by now.
        inbox.mark("people", now - ON_ITS_WAY_S / 2)
        self.run.watch.poll(inbox)
        self.manager.poll(inbox, self.run.sequencer)
        line = self.devices.camera.trouble
        self.alarms.set("camera", "missing" if line else self.run.watch.pile.trouble or "", line)
        self._watch_wall_clock(now)
        for event in inbox.collect():
            self._arrive(event)

    def _arrive(self, event: Event) -> None:
        """Let those take note of an event who need not wait for its turn."""
        self.run.arrive(event)
        match event:
            case Press():
                self.devices.shoe.handle(event)
                if event.key == "go":
                    self._wants_game = True
                    self.manager.acknowledge()
            case CommandGiven(command=StartGame(header=header)):
                self._next_header = header
            case CommandGiven(command=CountFedCards()):
                self.devices.shoe.handle(event)
            case _:
                pass

    def _watch_wall_clock(self, now: float) -> None:
        ahead = self.clock.wall() - now
        if abs(ahead - self._wall_ahead) > CLOCK_JUMP_S:
            self.alarms.set("clock", "set", f"by {ahead - self._wall_ahead:+.0f} s")
            self.alarms.set("clock", "")
            self._wall_ahead = ahead

    def _find_stray_cards(self) -> None:
        """Look for cards that lie where none belongs, while nothing happens on the pile."""
        run = self.run
        if run.watch.has_camera and not run.is_unsettled:
            cards = run.watch.find_stray_cards(is_playing=run.position.phase in _IN_PLAY)
            self.alarms.set("pile", "astray" if cards else "", cards)

    def _act(self) -> None:
        try:
            self.run.advance()
            self._begin_another_game()
        except CannotWrite as err:
            # What was to be written waits, and so does all that came after it.
            self._write_at = self.clock.now() + WRITE_S
            self.alarms.set("journal", "not-written", localize(err)[0])
            return
        self.alarms.set("journal", "")
        if self.run.is_round_over and not self.run.is_game_over and self._hooks.may_begin_round():
            self.run.begin_round()

    @property
    def may_start_game(self) -> bool:
        """True while another game may begin: the last is over, or no card has been dealt by hand yet."""
        position = self.run.position
        waits = position.phase == "pick" or (position.phase == "deal" and not self.run.has_shoe)
        return self.run.is_game_over or (waits and not any(position.hands))

    def _sleep_s(self) -> float:
        """Return how long nothing is due (s). A camera that works wakes the loop for each of its frames."""
        return SOON_S if self.run.sequencer.is_waiting and not self.run.watch.is_seeing else LOOK_S

    def _status(self) -> str:
        """Return one line for whoever looks after the machine."""
        position, names = self.run.position, self.run.session.header.seats
        turn = "" if position.turn is None else f", {names[position.turn]} is on turn"
        wrong = "".join(f"; {device}: {kind}" for device, kind in self.alarms.active())
        return f"game {self.run.session.game}, {position.phase}{turn}{wrong}"

    def _begin_another_game(self) -> None:
        """Begin the next game if somebody asked for it: with the header agreed on at the page, which then also holds
        for the games after it, or as before. A request is dropped only when its game is on the disk, or refused."""
        header = self._next_header
        is_agreed = header is not None and self.may_start_game and len(header.seats) == len(self._header.seats)
        if is_agreed or (self.run.is_game_over and self._wants_game):
            if self.run.sequencer.is_waiting or not self.manager.begin_game():
                return  # what is still to come belongs to the last game
            next_header = header if is_agreed and header is not None else self._header
            self.run = self._begin(begin(self._journal, next_header, now=self.clock.wall()))
            self._header, self._has_news = next_header, True
        self._next_header, self._wants_game = None, False

    def _begin(self, session: GameSession) -> GameRun:
        devices, faces = self.devices, session.header.ruleset.faces
        guarded = [_GuardedObserver(observer, self.alarms) for observer in self._observers(session)]
        watch = TableWatch(devices.camera, devices.zones, devices.pile_reader, devices.hand_reader, faces)
        return GameRun(
            session,
            watch,
            self.inbox,
            devices.shoe,
            devices.ring,
            self.page,
            has_shoe=devices.has_shoe,
            plan=devices.plan,
            first_job=session.journal.last_job(session.game) + 1,
            observers=(self._note_news, *guarded),
            step_observers=self._step_observers,
        )

    def _note_news(self, event: SequencedEvent, rulings: tuple[Ruling, ...], position: Position) -> None:
        self._has_news = True


def open_table(
    config: Config,
    journal: Journal,
    alarms: AlarmRegistry,
    page: Page,
    *,
    is_new: bool = False,
    factories: Factories = REAL,
    clock: Callable[[float], Clock] = SystemClock,
    observers: ObserversOf = lambda session: (),
    step_observers: Sequence[StepObserver] = (),
    hooks: Hooks = NO_HOOKS,
    systemd: Systemd = NO_SYSTEMD,
) -> Table:
    """Put the table together that ``config`` describes. It resumes the game that is not over, unless ``is_new``.

    ``clock``: makes the table's clock, from a second on.

    Raises:
        CroupierError: a device that the configuration names cannot be used, or the journal cannot.
    """
    resumed = None if is_new else hooks.retry(lambda: _resumed(journal, len(config.names())))
    inbox, table_clock = Inbox(), clock(resumed.t if resumed is not None else 0.0)
    asked = Asked(page)
    devices = open_devices(config, table_clock.now, inbox, asked, FeedLog(journal, alarms), factories)
    # A game begins only when every device that the configuration names can be used.
    session = resumed or hooks.retry(lambda: begin(journal, config.header(), now=table_clock.wall()))
    return Table(
        session,
        config.header(),
        DeviceManager(devices, alarms, table_clock.now),
        alarms,
        asked,
        inbox=inbox,
        clock=table_clock,
        observers=observers,
        step_observers=step_observers,
        hooks=hooks,
        systemd=systemd,
    )


def _resumed(journal: Journal, seats: int) -> GameSession | None:
    """Resume the newest game if it is not over. Raises BadConfig where it has another number of seats."""
    session = resume(journal)
    if session is not None and len(session.header.seats) != seats:
        raise BadConfig(
            _(
                "game {game} is not over and has {n} seats, but the configuration has {others}: change "
                "[seats], or start a new game with --new",
                game=session.game,
                n=len(session.header.seats),
                others=seats,
            )
        )
    return session


class _GuardedObserver:
    """An observer that cannot stop the table: its failure becomes an alarm, and it is called again next time."""

    def __init__(self, observer: Observer, alarms: AlarmRegistry) -> None:
        self._observer, self._alarms = observer, alarms
        self._name = type(observer).__name__.lower()

    def __call__(self, event: SequencedEvent, rulings: tuple[Ruling, ...], position: Position) -> None:
        try:
            self._observer(event, rulings, position)
        except Exception as err:  # whatever it is, the game goes on
            self._alarms.set(self._name, "failed", f"{type(err).__name__}: {err}")
        else:
            self._alarms.set(self._name, "")
