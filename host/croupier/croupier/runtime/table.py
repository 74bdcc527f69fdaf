"""The table's loop: one thread polls every source, plays one game after the other, and sleeps while nothing is due.

`croupier run`, `croupier demo`, the benchmarks and the tests start this same loop with other devices and another clock.

    table = open_table(config, journal, AlarmRegistry(report), page)
    table.play()                      # until `end`
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Final, Protocol, TypeVar

from cardsight.track.events import CameraWell
from croupier import plugins
from croupier.alarms import AlarmRegistry
from croupier.clocks import ClockJumps
from croupier.commands import Command, CountFedCards, NameCard, PressKey, StartGame, seen_line
from croupier.config import Config
from croupier.devices.protocols import Asked, Page
from croupier.errors import BadConfig, CannotWrite
from croupier.events import CommandGiven, Event, Observer, Press, SequencedEvent, ShoeReport
from croupier.i18n import _, localize
from croupier.journal import Journal
from croupier.plugins import FaceSealer, OpenSealer
from croupier.runtime.camera import Readers, TableWatch
from croupier.runtime.camera_check import ColorsPutRight, colors_put_right
from croupier.runtime.devices import REAL, DeviceManager, Devices, Factories, open_devices
from croupier.runtime.game import GameRun, StepObserver
from croupier.runtime.inbox import Inbox
from croupier.runtime.session import FeedLog, GameSession, begin, resume, with_last_players
from croupier.runtime.systemd import Systemd
from croupier.runtime.table_camera import TableCamera, Zones
from croupier_rules.referee import Header
from croupier_rules.referee.players import with_free_seats
from croupier_rules.referee.position import Position
from croupier_rules.referee.rulings import Ruling

T = TypeVar("T")

LOOK_S: Final = 0.5
"""The longest sleep of the loop."""
SOON_S: Final = 0.02
"""The sleep while an event waits for a watermark and no camera wakes the loop."""
WRITE_S: Final = 1.0
"""The pause after a failed write."""
ON_ITS_WAY_S: Final = 0.25
"""The longest time that a command from a phone travels; the uncertainty of its time."""

_IN_PLAY: Final = ("upcard", "turn", "drawn", "color", "challenge", "stack", "discard", "roulette")
"""Phases in which stray cards are searched; in the others cards are dealt, collected or laid open."""


class Clock(Protocol):
    """The table's clock, monotonic."""

    def now(self) -> float:
        """Return the time (s)."""

    def wall(self) -> float:
        """Return the machine's clock: seconds since 1970, which people may set."""

    def wait(self, inbox: Inbox, seconds: float) -> None:
        """Wait until something arrives, at most ``seconds``."""


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


ObserversOf = Callable[[GameSession, Callable[[Command], object]], Sequence[Observer]]
"""Makes the observers of a game at its begin; they may submit commands to it, as `Table.submit`."""


def _ignore(_what: object = None) -> None:
    """Do nothing."""


class Retry(Protocol):
    """A policy for writes while the disk is full."""

    def __call__(self, write: Callable[[], T], /) -> T:
        """Return the result of ``write``, or raise its error."""


def try_once(write: Callable[[], T], /) -> T:
    """A `Retry` that tries once."""
    return write()


@dataclass(frozen=True, slots=True)
class Hooks:
    """Calls of the table's loop to the program around it."""

    on_news: Callable[[], None] = _ignore
    """Something was written, or an alarm began or ended."""
    may_begin_round: Callable[[], bool] = lambda: True
    """Returns False to delay the next round."""
    retry: Retry = try_once
    """The policy for the first line of this run."""
    is_ending: Callable[[], bool] = lambda: False
    """Returns True to end the table's loop within `LOOK_S`."""


NO_HOOKS: Final = Hooks()
NO_SYSTEMD: Final = Systemd({})


@dataclass(slots=True)
class _Order:
    """A command that was submitted: its event. ``is_reported``: a report follows of what people did by hand;
    ``was_due``: it has had its turn; ``written``: as `Table.submit`."""

    event: Event
    is_reported: bool
    was_due: bool = False
    written: Future[None] = field(default_factory=Future)


class Table:
    """A table and its games, one after the other. ``session``: the first game; ``header``: of the games after it.

    ``manager``: the devices. ``page``: receives requests, and knows the seat asked last. ``observers``: makes the
    observers of a game. ``step_observers``: get each line of the log. ``systemd``: its watchdog.
    """

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
        observers: ObserversOf = lambda session, submit: (),
        step_observers: Sequence[StepObserver] = (),
        hooks: Hooks = NO_HOOKS,
        systemd: Systemd = NO_SYSTEMD,
    ) -> None:
        self.manager, self.alarms, self.page, self.inbox, self.clock = manager, alarms, page, inbox, clock
        self._journal, self._header = session.journal, header
        self._observers, self._step_observers = observers, tuple(step_observers)
        self._hooks, self._systemd = hooks, systemd
        self._next_header: Header | None = None
        self._wants_game = self._has_news = self._is_ending = False
        self._clock_jumps = ClockJumps(clock.wall, clock.now)
        self._write_at = 0.0
        self._changes: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._new_orders: SimpleQueue[_Order] = SimpleQueue()
        self._orders: list[_Order] = []
        """Commands whose outcome is not on the disk yet."""
        self.run = self._begin(session)
        manager.recover(session, self.run.shoe_fault)

    def play(self) -> None:
        """Play until `end`."""
        self._systemd.ready()
        while not self._ends:
            if self.turn():
                self._hooks.on_news()
            if not self._ends:
                self.clock.wait(self.inbox, self._sleep_s())
        self._systemd.stopping()

    def end(self) -> None:
        """End `play` within `LOOK_S`. Thread-safe."""
        self._is_ending = True

    @property
    def devices(self) -> Devices:
        """The devices in use."""
        return self.manager.devices

    @property
    def _ends(self) -> bool:
        return self._is_ending or self._hooks.is_ending()

    def submit(self, command: Command) -> Future[None]:
        """Take in a person's command to the game, as `LiveTable.submit`. Thread-safe."""
        u = ON_ITS_WAY_S / 2
        t = max(0.0, self.clock.now() - u)
        event: Event
        match command:
            case PressKey(seat=seat, key=key):
                event = Press(t=t, u=u, seat=seat, key=key, line=seen_line(command))
            case _:
                event = CommandGiven(t=t, u=u, command=command)
        order = _Order(event, is_reported=isinstance(command, CountFedCards) or not self.devices.has_shoe)
        self.inbox.put(event)
        self._new_orders.put(order)  # last: an order whose event does not wait has had its turn
        self.inbox.wake()
        return order.written

    @property
    def next_header(self) -> Header:
        """The header of the next game, but for names and free seats."""
        return self._header

    def use_header(self, header: Header) -> None:
        """Let the next game be played by the rules and options of ``header``. Thread-safe."""
        self._header = header

    def use_camera(self, camera: TableCamera, zones: Zones | None, readers: Readers) -> None:
        """Watch the table with this camera and calibration from now on. Thread-safe; the loop takes it over."""
        self.do(lambda: self._use_camera(camera, zones, readers))

    def do(self, change: Callable[[], None]) -> None:
        """Let the loop call ``change`` between two events. Thread-safe."""
        self._changes.put(change)
        self.inbox.wake()

    def turn(self) -> bool:
        """Process all that is due. Returns True if there is anything new to show."""
        self._has_news = False
        alarms = self.alarms.active(), self.alarms.seen()
        while not self._changes.empty():
            self._changes.get()()
            self._has_news = True
        self._poll()
        self._find_stray_cards()
        if self.clock.now() >= self._write_at:
            self._act()
        self._systemd.alive(self.clock.now())
        self._systemd.status(self._status())
        return self._has_news or alarms != (self.alarms.active(), self.alarms.seen())

    def _poll(self) -> None:
        """Poll every source for its events and its watermark."""
        now, inbox = self.clock.now(), self.inbox
        # Commands come from any thread; those given before this moment are in the inbox by now.
        inbox.mark("people", now - ON_ITS_WAY_S / 2)
        self.run.watch.poll(inbox)
        self.manager.poll(inbox, self.run.sequencer)
        watch = self.run.watch
        # For how long there was no picture would be news at each turn.
        line = self.devices.camera.trouble.partition(" (no picture for ")[0]
        watch.check_camera(is_playing=self.run.position.phase in _IN_PLAY)
        trouble = "uncalibrated" if watch.is_uncalibrated else watch.pile.trouble or watch.camera_fault or ""
        if trouble == "colors-exchanged":
            self._use_camera(colors_put_right(self.devices.camera), self.devices.zones, self.devices.readers)
        if not trouble or trouble == "colors-exchanged":
            trouble = "put-right" if isinstance(self.devices.camera, ColorsPutRight) else ""
        if watch.misfit and not line:
            self.alarms.set("camera", "other-size", watch.misfit)
        else:
            self.alarms.set("camera", "missing" if line else trouble, line)
        self._watch_wall_clock()
        arrived = inbox.collect()
        while not self._new_orders.empty():
            self._orders.append(self._new_orders.get())
        for event in arrived:
            self._arrive(event)

    def _arrive(self, event: Event) -> None:
        """Pass an event to those parts that act at its arrival."""
        self.run.arrive(event)
        if self.run.is_past(event):
            return
        match event:
            case Press():
                self.devices.shoe.handle(event)
                if event.key == "go":
                    self._wants_game = True
                    self.manager.acknowledge()
                    if not (self.devices.has_shoe or self.run.watch.has_camera):
                        # Nobody else can know that the discard pile was turned over; counts only where that is due.
                        self.inbox.put(ShoeReport(t=event.t, u=event.u, kind="loaded"))
            case CommandGiven(command=StartGame(header=header)):
                self._next_header = header
            case CommandGiven(command=NameCard()):
                self._has_news = True  # the question for it is settled
            case CommandGiven(command=CountFedCards()):
                self.devices.shoe.handle(event)
            case _:
                pass

    def _watch_wall_clock(self) -> None:
        if by := self._clock_jumps.jump_s():
            self.alarms.set("clock", "set", f"by {by:+.0f} s")
            self.alarms.set("clock", "")

    def _find_stray_cards(self) -> None:
        """Search for stray cards while the pile is at rest."""
        run = self.run
        if run.watch.has_camera and not run.is_unsettled:
            is_playing = run.position.phase in _IN_PLAY
            cards = run.watch.find_stray_cards(is_playing=is_playing)
            is_unread = is_playing and run.watch.has_unread_card
            self.alarms.set("pile", "unread" if is_unread else "astray" if cards else "", cards)

    def _act(self) -> None:
        try:
            self.run.advance()
            self._begin_another_game()
        except CannotWrite as err:
            # The event that was to be written waits, and so do all later ones.
            self._write_at = self.clock.now() + WRITE_S
            self.alarms.set("journal", "not-written", localize(err)[0])
            return
        self.alarms.set("journal", "")
        self._answer_orders()
        if self.run.is_round_over and not self.run.is_game_over and self._hooks.may_begin_round():
            self.run.begin_round()

    def _answer_orders(self) -> None:
        """Answer each command that has had its turn: what follows from it is written.

        What people do by hand comes as a report in the next pass of the loop; such a command is answered when that is
        written, too. A command that begins a game is answered when there is one.
        """
        if self._next_header is not None or self._wants_game:
            return
        for order in [*self._orders]:
            if self.run.sequencer.holds(order.event):
                continue
            if order.is_reported and not order.was_due:
                order.was_due = True
                self.inbox.wake()
            elif not (order.is_reported and self.run.sequencer.is_waiting):
                self._orders.remove(order)
                order.written.set_result(None)

    @property
    def may_start_game(self) -> bool:
        """True if another game may begin: the last is over, or no card has been dealt by hand yet."""
        position = self.run.position
        waits = position.phase == "pick" or (position.phase == "deal" and not self.run.has_shoe)
        return self.run.is_game_over or (waits and not any(position.hands))

    def _sleep_s(self) -> float:
        """Return the time until the next poll (s). A working camera wakes the loop for each frame."""
        return SOON_S if self.run.sequencer.is_waiting and not self.run.watch.is_seeing else LOOK_S

    def _status(self) -> str:
        """Return the state in one line, for the machine's operator."""
        position, names = self.run.position, self.run.session.header.seats
        turn = "" if position.turn is None else f", {names[position.turn]} is on turn"
        wrong = "".join(f"; {device}: {kind}" for device, kind in self.alarms.active())
        return f"game {self.run.session.game}, {position.phase}{turn}{wrong}"

    def _begin_another_game(self) -> None:
        """Begin the next game if somebody asked for it, with the header from the page, which also holds for later
        games; without one with the players of the last game.

        A request is dropped only when its game is on the disk, or was rejected.
        """
        header = self._next_header
        is_agreed = header is not None and self.may_start_game and len(header.seats) == len(self._header.seats)
        if is_agreed or (self.run.is_game_over and self._wants_game):
            if self.run.sequencer.is_waiting or not self.manager.begin_game():
                return  # events still to come belong to the last game
            if header is None or not is_agreed:
                referee = self.run.session.referee
                header = with_free_seats(self._header, referee.header.seats, referee.free_seats)
            self.run = self._begin(begin(self._journal, header, now=self.clock.wall()))
            self._header, self._has_news = header, True
        self._next_header, self._wants_game = None, False

    def _begin(self, session: GameSession) -> GameRun:
        devices, rules = self.devices, session.header.ruleset
        sealer: FaceSealer | None = None
        if (eye := devices.exit_camera) is not None:
            open_sealer: OpenSealer = plugins.load(plugins.FACE_SEALERS, plugins.SEALER)
            sealer = open_sealer(session.journal, session.game, eye, rules)
        guarded = [_GuardedObserver(observer, self.alarms) for observer in self._observers(session, self.submit)]
        return GameRun(
            session,
            self._watch(rules.faces),
            self.inbox,
            devices.shoe,
            devices.ring,
            self.page,
            has_shoe=devices.has_shoe,
            plan=devices.plan,
            first_job=session.journal.last_job(session.game) + 1,
            observers=(self._note_news, *guarded),
            step_observers=self._step_observers,
            sealer=sealer,
        )

    def _watch(self, faces: Collection[str]) -> TableWatch:
        return TableWatch(self.devices.camera, self.devices.zones, self.devices.readers, faces)

    def _use_camera(self, camera: TableCamera, zones: Zones | None, readers: Readers) -> None:
        self.manager.use_camera(camera, zones, readers)
        if self.run.watch.pile.trouble is not None:  # nobody else reports its end
            self.inbox.put(CameraWell(t=self.clock.now()))
        self.run.use_watch(self._watch(self.run.session.header.ruleset.faces))

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
    observers: ObserversOf = lambda session, submit: (),
    step_observers: Sequence[StepObserver] = (),
    hooks: Hooks = NO_HOOKS,
    systemd: Systemd = NO_SYSTEMD,
) -> Table:
    """Build the table that ``config`` describes. It resumes an unfinished game, unless ``is_new``.

    ``clock``: makes the table's clock, given its first time.

    Raises:
        CroupierError: a device that the configuration names, or the journal, cannot be used.
    """
    resumed = None if is_new else hooks.retry(lambda: _resumed(journal, len(config.names())))
    inbox, table_clock = Inbox(), clock(resumed.t if resumed is not None else 0.0)
    asked = Asked(page)
    devices = open_devices(config, table_clock.now, inbox, asked, FeedLog(journal, alarms), factories)
    # A game begins only if every device that the configuration names can be used.
    if resumed is None:
        header = config.header() if config.seats.names else with_last_players(config.header(), journal)
        resumed = hooks.retry(lambda: begin(journal, header, now=table_clock.wall()))
    return Table(
        resumed,
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
    """Resume the newest game if it is not over. Raises BadConfig if it has another number of seats."""
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
    """An observer that cannot stop the table: its failure becomes an alarm, and it is called again at the next
    event."""

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
