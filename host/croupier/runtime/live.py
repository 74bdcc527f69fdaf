"""A table that is played at now: one thread owns journal, referee and director, and sleeps until something happens."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final

from cardsight.track.zone import StrayCardDetector
from croupier.alarms import AlarmRegistry
from croupier.config import Config
from croupier.devices.protocols import Feed, Page
from croupier.devices.supervisor import Bell
from croupier.errors import BadConfig, CannotWrite
from croupier.events import CommandGiven, DeviceBack, DeviceLost, Press, SequencedEvent
from croupier.i18n import _, localize
from croupier.journal import Journal
from croupier.referee import Header
from croupier.referee.observations import Observation
from croupier.referee.position import Position
from croupier.referee.rulings import Ruling
from croupier.runtime.device_manager import Kit
from croupier.runtime.factories import REAL, Makers
from croupier.runtime.interlocks import trouble_left
from croupier.runtime.jobs import Job, Jobs
from croupier.runtime.page_table import PageTable
from croupier.runtime.session import Kept, begin, resume
from croupier.runtime.systemd import Notify
from croupier.runtime.table import Listener, TableRun

LOOK_S: Final = 0.5
"""So often the table looks round even if nobody rings."""
SOON_S: Final = 0.02
"""… and so often while something waits for word that nothing was before it."""
WRITE_S: Final = 1.0
"""After a line could not be written, so long until the next attempt."""
_IN_PLAY: Final = ("upcard", "turn", "drawn", "color", "challenge")
"""In other phases cards are dealt, collected or laid open, and lie anywhere."""
CLOCK_JUMP_S: Final = 60.0
"""The machine's clock was set if it moves by so much against the one that only counts."""


class Clock:
    """The table's clock: seconds that only go on, from ``start``."""

    def __init__(self, start: float, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic, self._zero = monotonic, monotonic() - start

    def __call__(self) -> float:
        """Now."""
        return self._monotonic() - self._zero


class LiveTable:
    """The table that ``config`` describes, its games in ``journal``. Goes on with the game that is not over, unless
    ``is_new``. ``listeners``: makes those who look at a game; ``page``: where people are asked.

    Raises:
        CroupierError: something that the configuration names cannot be used, or the journal cannot.
    """

    def __init__(
        self,
        config: Config,
        journal: Journal,
        alarms: AlarmRegistry,
        page: Page,
        *,
        listeners: Callable[[Kept], Sequence[Listener]] = lambda kept: (),
        is_new: bool = False,
        makers: Makers = REAL,
        notify: Notify | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._config, self._journal, self._listeners = config, journal, listeners
        self._wall, self.alarms = wall, alarms
        self._notify = notify or Notify({})
        self.bell = Bell()
        self._is_ending = False
        self._agreed: Header | None = None
        kept = None if is_new else resume(journal)
        self.is_resumed = kept is not None
        if kept is not None and len(kept.header.seats) != len(config.names()):
            raise BadConfig(
                _(
                    "game {game}, which is not over, has {n} seats, the configuration {others}: expected as many; "
                    "change [seats], or begin another game with --new",
                    game=kept.game,
                    n=len(kept.header.seats),
                    others=len(config.names()),
                )
            )
        self.now = Clock(kept.t if kept is not None else 0.0, monotonic)
        self._wall_ahead = wall() - self.now()
        self.kit = Kit(config, self.now, self.bell, alarms, page, self._heard, makers, self)
        # What cannot be used has said so by now: no game is begun that nobody can play.
        kept = kept or self._new_game()
        self.desk = PageTable(kept.game, self.kit.spoken, lambda: self.run, alarms.active)
        self._gone: dict[str, str] = {}
        self._jobs = Jobs(journal.path.with_name(f"{journal.path.name}-shoe"))
        self._lines = 0
        self._write_at = 0.0
        self.on_news: Callable[[], None] = lambda: None
        """Called when something was written, or works again or not."""
        self._wants_game = self._has_news = False
        self.run = self._begin(kept)
        jobs = [
            Feed(-job.number, job.seat, job.n, number=job.number) for job in self._jobs.open_in(kept.game, kept.past)
        ]
        self.kit.shoe.recover(jobs, trouble_left(kept.past))

    def play(self) -> None:
        """Until `end`."""
        self._notify.ready()
        while not self._is_ending:
            if self.turn():
                self.on_news()
            self.bell.wait(self._rest_s())
        self._notify.stopping()

    def end(self) -> None:
        """Stop playing within `LOOK_S`. May be called from a handler of signals, so it only sets a flag."""
        self._is_ending = True

    def turn(self) -> bool:
        """Take in what has happened and act on what is due; returns whether there is anything new to be shown."""
        self._has_news = False
        wrong = self.alarms.active()
        self._look_after_parts()
        self.run.look()
        self._look_beside()
        if self.now() >= self._write_at:
            self._act()
        self._notify.alive(self.now())
        self._notify.status(self._status())
        return self._has_news or wrong != self.alarms.active()

    def _look_beside(self) -> None:
        """Whether a card lies where none belongs, while the game goes on and nothing happens on the pile."""
        run, beside = self.run, self.beside
        if beside is None or run.frame is None or run.is_unsettled:
            return
        if run.position.phase in _IN_PLAY:
            beside.look(run.frame.t, run.frame.image)
        else:
            beside.forget()
        run.astray = tuple(stray.card for stray in beside.cards)
        self.alarms.set("pile", "astray" if run.astray else "", ", ".join(card.face for card in run.astray))

    def _act(self) -> None:
        try:
            self.run.act()
            self._begin_another()
        except CannotWrite as err:
            # What was to be written waits, and so does all that came after it.
            self._write_at = self.now() + WRITE_S
            self.alarms.set("journal", "not-written", localize(err)[0])
            return
        self.alarms.set("journal", "")
        if self.run.is_round_over and not self.run.is_game_over:
            self.run.next_round()

    def _look_after_parts(self) -> None:
        now = self.now()
        gone = self.kit.watch()
        for device in self._gone.keys() - gone.keys():
            self.run.sequencer.push(DeviceBack(now, device))
        for device in gone.keys() - self._gone.keys():
            self.run.sequencer.push(DeviceLost(now, device, gone[device]))
        line = self.kit.camera.trouble
        self.alarms.set("camera", "missing" if line else self.run.pile.trouble or "", line)
        self.alarms.set("shoe", self.kit.shoe.fault)
        self.run.sequencer.wait_for("shoe", self.kit.shoe.is_recovering, now)
        self._gone = gone
        if abs(self._wall() - now - self._wall_ahead) > CLOCK_JUMP_S:
            self.alarms.set("clock", "set", f"by {self._wall() - now - self._wall_ahead:+.0f} s")
            self.alarms.set("clock", "")
            self._wall_ahead = self._wall() - now

    def _rest_s(self) -> float:
        """How long nothing is due. A camera that is well rings for each of its pictures."""
        sees = self.run.frame is not None and self.run.pile.trouble is None
        return SOON_S if self.run.sequencer.is_waiting and not sees else LOOK_S

    def _status(self) -> str:
        """One line for whoever looks after the machine."""
        position, names = self.run.position, self.run.referee.header.seats
        turn = "" if position.turn is None else f", {names[position.turn]} is on turn"
        wrong = "".join(f"; {part}: {kind}" for part, kind in self.alarms.active())
        return f"game {self.desk.game}, {position.phase}{turn}{wrong}"

    def _new_game(self) -> Kept:
        return begin(self._journal, self._agreed or self._config.header(), now=self._wall())

    def _begin_another(self) -> None:
        """The next game, if one is wished; another than the file describes, if that was agreed on at the page, and
        those after it are as it is. What is wished is forgotten only when the game is on the disk."""
        header = self.desk.begun
        is_agreed = header is not None and self.desk.may_start_game and len(header.seats) == len(self._config.names())
        if is_agreed:
            self._agreed = header
        if is_agreed or (self.run.is_game_over and self._wants_game):
            self.run = self._begin(self._new_game())
            self._has_news = True
        self._wants_game, self.desk.begun = False, None

    def _begin(self, kept: Kept) -> TableRun:
        """Play ``kept``. The numbers of jobs go on with the clock: the shoe never does a thousand in a second."""
        self.desk.game = kept.game
        self._lines = len(kept.past)

        def record(observations: Sequence[Observation]) -> None:
            kept.record(observations)
            self._lines += len(observations)
            for observation in observations:
                self._jobs.logged(observation)

        watched = [_Watched(listener, self.alarms) for listener in self._listeners(kept)]
        run = TableRun(
            kept.referee,
            record,
            self.kit.devices,
            pile_reader=self.kit.reader,
            show_reader=self.kit.reader,
            zones=self.kit.zones,
            listeners=(self.desk, self._told, *watched),
            first_job=round(self.now() * 1000) + 1,
            has_shoe=self.kit.has_shoe,
            plan=self.kit.plan,
            past=kept.past,
        )
        self.kit.run = run
        self.beside: StrayCardDetector | None = None
        if (zones := self.kit.zones) is not None:
            faces = kept.header.ruleset.faces
            self.beside = StrayCardDetector(zones.pile, zones.show, zones.pile_card_px, self.kit.reader, faces=faces)
        return run

    def record(self, number: int, feed: Feed) -> bool:
        """As `JobLog.record`: write the job that the shoe is to be told of."""
        try:
            self._jobs.told(Job(self.desk.game, self._lines, number, feed.seat, feed.n))
        except CannotWrite as err:
            self.alarms.set("journal", "not-written", localize(err)[0])
            return False
        return True

    def _told(self, told: SequencedEvent, rulings: tuple[Ruling, ...], position: Position) -> None:
        self._has_news = True

    def _heard(self, press: Press | CommandGiven) -> None:
        self._wants_game = self._wants_game or (isinstance(press, Press) and press.key == "go")


class _Watched:
    """A listener that cannot stop the table: if it fails, that is told, and it is asked again next time."""

    def __init__(self, listener: Listener, alarms: AlarmRegistry) -> None:
        self._listener, self._alarms = listener, alarms
        self._name = type(listener).__name__.lower()

    def __call__(self, told: SequencedEvent, rulings: tuple[Ruling, ...], position: Position) -> None:
        try:
            self._listener(told, rulings, position)
        except Exception as err:  # whatever it is, the game goes on
            self._alarms.set(self._name, "failed", f"{type(err).__name__}: {err}")
        else:
            self._alarms.set(self._name, "")
