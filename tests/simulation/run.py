"""One seed, one run: a table with everything round it, what goes wrong there, and what must hold all the same.

For a while the seed lets go wrong what can: the program is killed between any two steps, the disk tears, fills and
crawls, the cable loses bytes and comes out, the Pico resets, cards stick and come in twos, people press what they like.
Then nothing goes wrong any more, people do what they are asked, and the game must end.
"""

from __future__ import annotations

import json
import os
import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any, Final, Protocol

from croupier.alarms import AlarmRegistry
from croupier.config import read
from croupier.devices.protocols import Ask, Say
from croupier.errors import CannotWrite, CroupierError
from croupier.journal import Archive, Journal
from croupier.runtime.devices import Factories
from croupier.runtime.game import StepObserver
from croupier.runtime.inbox import Inbox
from croupier.runtime.session import resume
from croupier.runtime.table import Table, open_table
from croupier_rules.rules.ruleset import load, names, presets
from tests.simulation.disk import Disk, SimJournal
from tests.simulation.line import Cable, HostLine
from tests.simulation.people import People
from tests.simulation.pico import Board
from tests.simulation.world import Killed, World

_RESTART_S: Final = (1.0, 4.0)
"""The service begins anew so long after it ended."""
_CALM_S: Final = 60.0
"""The longest time without a line in the log after the last thing went wrong."""
_END_S: Final = 600.0
"""So long after the last thing went wrong the game is over."""
_SETTLED_S: Final = 1.0
"""A game is over once it has been for so long."""
_TOML: Final = """
[camera]
source = "none"
[seats]
number = {seats}
{dealer}
[rules]
base = "{sheet}"
{house}
[game]
target = {target}
{agreed}
[shoe]
kind = "{shoe}"
speed = {speed}
[buttons]
kind = "{shoe}"
[ring]
kind = "{shoe}"
"""


class Failure(AssertionError):
    """Something does not hold that must."""


class _Clock:
    """The table's clock: a `croupier.runtime.table.Clock` in virtual time."""

    def __init__(self, run: Run, start: float) -> None:
        self._run, self._zero = run, run.world.now - start

    def now(self) -> float:
        return self._run.world.now - self._zero

    def wall(self) -> float:
        return 1.7e9 + self._run.world.now + self._run.wall_ahead

    def wait(self, inbox: Inbox, seconds: float) -> None:
        world, run = self._run.world, self._run
        world.point("wait")
        world.run_to(world.now + seconds, lambda: inbox.wait(0) or run.is_over)
        while world.now < run.stalled_until:
            world.run_to(run.stalled_until)
        run.check_end()


class _Page:
    """Where people are asked; what they do follows from what the table shows."""

    def __init__(self, world: World) -> None:
        self._world = world

    def ask(self, ask: Ask) -> None:
        self._world.note("ask", ask.what, ask.seat, ask.card or "", ask.n or "")
        self._world.point("after ask")

    def say(self, say: Say) -> None:
        self._world.note("say", say.text)


@dataclass
class Outcome:
    """How a run ended. ``failure``: what did not hold; "" where all did. ``of``: what was simulated."""

    seed: int
    rules: str
    failure: str = ""
    trace: list[str] = field(default_factory=list, repr=False)
    virtual_s: float = 0.0
    kills: int = 0
    writes: int = 0
    points: int = 0
    games: int = 0
    lines: int = 0
    of: str = "table"


class Run:
    """The run of one ``seed`` with its journal in ``folder``.

    ``rules``: a sheet, or SHEET+PRESET, in place of what the seed chooses; `FIRST`: as the first seeds had it.
    ``kept``: as in `World`; ``fixed``: what else of the table the seed does not choose."""

    step_observers: tuple[StepObserver, ...] = ()
    """As `open_table` has them."""

    def __init__(
        self, seed: int, folder: Path, rules: str = "", *, kept: int | None = None,
        fixed: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:  # fmt: skip
        self.world = world = World(seed, kept)
        chance = world.chance("table")
        self.is_first = rules == FIRST
        chosen = _chosen(chance) if self.is_first else _chosen(chance) | _chosen_besides(world.chance("rules"), rules)
        chosen |= fixed
        self.seats, self.has_shoe, self.rules = chosen["seats"], chosen["shoe"] == "pico", chosen["rules"]
        self.config = read(_toml(chosen))
        cards = 108 if self.is_first else self.config.ruleset().number("deck.size")
        self.disk = Disk(world, folder / "croupier.journal")
        start_us = chance.choice((0, chance.randrange(1 << 31), (1 << 30) - chance.randrange(60_000_000)))
        self.board = Board(
            world, seats=self.seats, cards=cards, start_us=start_us, drift=chance.uniform(-60e-6, 60e-6)
        )  # fmt: skip
        self.board.on_card = self._count
        self.cable = Cable(world, self.board)
        self.fed_for: Counter[tuple[int, int]] = Counter()
        self.doubled: Counter[tuple[int, int]] = Counter()
        self.seats_of: dict[tuple[int, int], set[int]] = {}
        self.people = People(world, self.board, self.fed_for, None if self.is_first else cards)
        self.people.has_buttons = self.has_shoe
        self.wall_ahead = 0.0
        self.stalled_until = 0.0
        self.is_over = False
        self.kills = 0
        self.line: HostLine | None = None
        self.table: Table | None = None
        self.journal: SimJournal | None = None
        self.alarms: AlarmRegistry | None = None
        self.acknowledged: dict[int, list[str]] = {}
        self._written_at = 0.0
        self._recorded: dict[int, tuple[int, int]] = {}
        """The job that had a number on the wire last, by the number."""
        self._settled_since: float | None = None
        self.chaos = self._new_chaos()

    def _new_chaos(self) -> Chaos:
        return Chaos(self)

    def play(self) -> None:
        """Run to the end. Raises Failure, or whatever the program raised."""
        while not self.is_over:
            try:
                self._live()
            except Killed as killed:
                self._bury(killed)
            except CannotWrite as err:
                self.world.note("cannot start:", str(err).rpartition(": ")[2])
                if self.journal is not None:
                    self.disk.kill(self.journal)
                    self.journal = None
            if not self.is_over:
                self.world.run_to(self.world.now + self.chaos.chance.uniform(*_RESTART_S))
                self.check_bound()
        self._check_at_end()

    def _live(self) -> None:
        """One life of the program."""
        world = self.world
        world.note("program starts")
        self.journal = journal = self.disk.open()
        journal.on_written, journal.on_job = self._acknowledge, self._record
        self._check_acknowledged(journal)
        self.alarms = alarms = AlarmRegistry(lambda alarm: world.note("alarm", alarm.device, alarm.kind or "over"))
        self.table = table = open_table(
            self.config, journal, alarms, _Page(world),
            factories=Factories(link=self._link, reader=lambda config: None),  # type: ignore[arg-type,return-value]
            clock=lambda start: _Clock(self, start),
            observers=lambda session, submit: [lambda *told: world.point("after observer")],
            step_observers=self.step_observers,
        )  # fmt: skip
        table.manager.start()
        self.people.table = table
        table.play()
        self._check_replay(journal)
        self.people.table = None
        table.manager.close()
        journal.close()

    def _link(self, port: str, now: Callable[[], float], wake: Callable[[], None]) -> HostLine:
        self.line = HostLine(self.world, self.cable, now, wake)
        return self.line

    def _bury(self, killed: Killed) -> None:
        self.kills += 1
        self.people.table = None
        if self.line is not None:
            self.line.close()
        if self.journal is not None:
            self.disk.kill(self.journal)
        self.journal = self.line = self.table = None
        if killed.is_power_cut and self.chaos.chance.random() < 0.7:
            self.board.boot("power")

    # -- what must hold ----------------------------------------------------------------------------------------------

    def _count(self, seat: int, cards: int, number: int) -> None:
        """A card left the shoe."""
        job = self._recorded.get(number)
        if job is None:
            raise Failure(f"a card for the number {number}, which no journal knows")
        self.fed_for[job] += cards
        self.doubled[job] += cards - 1
        self.seats_of.setdefault(job, set()).add(seat)

    def _record(self, game: int, job: int, number: int, seat: int, n: int) -> None:
        self._recorded[number] = game, job

    def _acknowledge(self, game: int, texts: list[str]) -> None:
        self.acknowledged.setdefault(game, []).extend(texts)
        self._written_at = self.world.now

    def _check_acknowledged(self, journal: Archive) -> None:
        """What the journal said was on the disk is there; of what it did not say, the last write may be."""
        for game, texts in self.acknowledged.items():
            lines = journal.lines(game)
            if lines[: len(texts)] != texts:
                raise Failure(f"game {game}: {len(texts)} lines were acknowledged, {len(lines)} are there, or others")
        damages = list(journal.damages())
        if damages:
            raise Failure(f"the journal is damaged: {damages}")
        self.acknowledged = {game: journal.lines(game) for game in journal.began()}

    def _check_replay(self, journal: SimJournal) -> None:
        """The log gives the position that the table has."""
        table = self.table
        assert table is not None
        path = self.disk.path.with_name("copy.journal")
        for name, data in self.disk.image().items():
            self.disk.path.with_name(name.replace(self.disk.path.name, path.name)).write_bytes(data)
        with Journal(path) as copy:
            resumed = resume(copy)
            if resumed is not None:
                live, again = table.run.position, resumed.referee
                stood = resumed.past[-1 if live.phase == "paused" else -2].position if resumed.past else again.state()
                if stood != live:
                    raise Failure(f"the log gives {stood}, the table has {live}")

    def check_end(self) -> None:
        """End the run when all is done."""
        self.check_bound()
        table = self.table
        if table is None or not self.chaos.is_over:
            return
        is_settled = table.run.is_game_over and not table.devices.shoe.fault and not table.alarms.active()
        if not is_settled or table.run.session.open_jobs():
            self._settled_since = None
        elif self._settled_since is None:
            self._settled_since = self.world.now
        elif self.world.now - self._settled_since > _SETTLED_S:
            self._settled_since = None
            self._end_game(table)

    def _end_game(self, table: Table) -> None:
        """The game is over, and all that was wrong is mended."""
        self.is_over = True
        table.end()

    def check_bound(self) -> None:
        """Raises Failure where the game does not end."""
        is_still = self.world.now > max(self._written_at, self.chaos.ends) + _CALM_S
        if is_still or self.world.now > self.chaos.ends + _END_S:
            table = self.table
            state = "the program does not run" if table is None else (
                f"{table.run.position}, shoe {table.devices.shoe.fault!r}, alarms {table.alarms.active()}, "
                f"jobs without an outcome {table.run.session.open_jobs()}, "
                f"interlocks {vars(table.run.sequencer._interlocks)}"
            )  # fmt: skip
            what = f"standstill: no line for {_CALM_S:.0f} s" if is_still else f"the game is not over in {_END_S:.0f} s"
            raise Failure(f"{what} after the last fault: {state}")

    def _check_at_end(self) -> None:
        """Cards fed = cards in the log."""
        with Journal(self.disk.path) as journal:
            self._check_acknowledged(journal)
            for game in journal.began():
                self._check_jobs(journal, game, is_last=game == journal.last())

    def _check_jobs(self, journal: Journal, game: int, *, is_last: bool) -> None:
        expected: Counter[int] = Counter()
        for job in journal.feed_jobs(game):
            key = game, job.job
            came = self.fed_for[key]
            if job.fed is None:
                if came and is_last:  # after a kill nobody asks what a job of a game that is over came to
                    raise Failure(f"game {game}, job {job.job}: {came} cards came, and the journal does not know it")
                continue
            if job.fed != came:
                raise Failure(f"game {game}, job {job.job}: the journal has {job.fed} cards, {came} came")
            if came > job.n + self.doubled[key]:
                raise Failure(f"game {game}, job {job.job}: {came} cards for {job.n}, {self.doubled[key]} came in twos")
            if came and self.seats_of[key] != {job.seat}:
                raise Failure(f"game {game}, job {job.job}: for seat {job.seat}, fed to {self.seats_of[key]}")
            expected[job.seat] += min(job.fed, job.n)
        if not self.has_shoe:
            return
        logged = _logged(journal.lines(game)[1:])
        if +logged != +expected:
            raise Failure(f"game {game}: the log has {dict(logged)} cards by seat, the jobs {dict(expected)}")

    def outcome(self) -> Outcome:
        """What is to be told."""
        world = self.world
        return Outcome(
            world.seed, self.rules, "", list(world.trace), world.now, self.kills, self.disk.writes, world.points,
            len(self.acknowledged), sum(len(lines) for lines in self.acknowledged.values()),
        )  # fmt: skip


FIRST: Final = "first"
"""In place of rules: the seed means what it meant while people knew the printed sheets alone."""
_PRINTED: Final = tuple(name for name in names() if not load(name).own_words)
_DECKS: Final = tuple(sorted({load(name).deck for name in names()}))
_HOUSE: Final = (*("" for _ in presets()), *(f"+{name}" for name in presets()))
"""As many tables play a sheet as it is as with house rules that people know by a name."""
_AGREED: Final = ("", "", 'deal = "winner"', 'deal = "same"', 'scoring = "lowest"', "limit = 100")
"""What a table may agree on before play, where the sheet has it."""


def _chosen(chance: Random) -> dict[str, Any]:
    """The table of a seed."""
    seats = chance.choice((2, 2, 2, 2, 3, 4, 6))
    shoe = "pico" if chance.random() < 0.9 else "none"
    target = chance.choice((1, 1, 1, 1, 40))
    rules, dealer = chance.choice(("g7942-en", "g7942-en", *_PRINTED)), chance.randrange(seats)
    speed = chance.choice((1200, 1200, 700, 1430))
    return {
        "seats": seats, "dealer": f"dealer = {dealer}", "rules": rules, "target": target, "agreed": "",
        "shoe": shoe, "speed": speed,
    }  # fmt: skip


def _chosen_besides(chance: Random, rules: str) -> dict[str, Any]:
    """What a seed chooses since people know all sheets: seats and rules, and what is agreed before play."""
    seats = chance.choice((2, 2, 3, 3, 4, 6))
    deck = chance.choice(_DECKS)
    sheet = chance.choice([name for name in names() if load(name).deck == deck])
    chosen = {"rules": rules or sheet + chance.choice(_HOUSE), "seats": seats}
    chosen["dealer"] = f"dealer = {chance.randrange(seats)}" if chance.random() < 0.8 else ""
    counts_rounds = load(chosen["rules"]).value("score.values") == "one-a-round"
    chosen["target"] = chance.choice((1, 1, 1, 2, 3) if counts_rounds else (1, 1, 1, 40, 150))
    agreed = [chance.choice(_AGREED), ""]
    return chosen | {"agreed": next(text for text in agreed if _is_possible(chosen | {"agreed": text}))}


def _toml(chosen: Mapping[str, Any]) -> str:
    sheet, _, preset = chosen["rules"].partition("+")
    return _TOML.format(**chosen, sheet=sheet, house=f'house = "{preset}"' if preset else "")


def _is_possible(chosen: Mapping[str, Any]) -> bool:
    """True if the sheet allows what was agreed."""
    try:
        read(_toml({"shoe": "none", "speed": 1200, **chosen}))
    except CroupierError:
        return False
    return True


def _logged(lines: list[str]) -> Counter[int]:
    """The cards that the record, as it stands, says each seat was fed."""
    standing: list[dict[str, Any]] = []
    for line in map(json.loads, lines):
        for _ in range(line.get("undo") or 0):
            at = next(i for i in range(len(standing) - 1, -1, -1) if standing[i]["obs"] != "overrule")
            del standing[at]
        standing.append(line)
    cards: Counter[int] = Counter()
    for line in standing:
        if line["obs"] in ("dealt", "drew", "redealt"):
            cards[line["seat"]] += line["n"]
    return cards


class Chaos:
    """What goes wrong from now until `ends` (s), by the seed and ``name``; ``has_kills``: kills of the program, too."""

    def __init__(self, run: Run, name: str = "chaos", *, has_kills: bool = True) -> None:
        self.run, world = run, run.world
        self.chance = chance = world.chance(name)
        lasts = (4.0, 10.0, 20.0) if run.is_first else (10.0, 20.0, 40.0)
        self.ends = world.now + 3.0 + chance.choice(lasts) * chance.uniform(0.3, 1.5)
        self.faults = 0
        """How many things went wrong."""
        self.is_over = False
        self._every_s = chance.choice((0.1, 0.3, 0.6, 1.2))
        kinds: list[Callable[[], None]] = [
            *((self._kill, self._kill, self._kill, self._power_cut) if has_kills else ()),
            *((self._kill_at_write, self._kill_at_write) if has_kills else ()),
            self._bad_line, self._mute, self._lag, self._unplug, self._reset, self._brown_out, self._hang,
            self._jam, self._double, self._empty, self._full, self._slow, self._jump, self._stall, self._stuck_button,
            self._presses,
        ]  # fmt: skip
        # Each seed has its own few kinds, some of them more often than others.
        self._kinds = [chance.choice(kinds) for _ in range(chance.choice((2, 4, 6, 12)))]
        self._full_until = 0.0
        world.after(chance.uniform(0.0, 3.0), self._next)
        world.at(self.ends, self._end)

    def _next(self) -> None:
        if self.is_over:
            return
        kind = self.chance.choice(self._kinds)
        self.run.world.note("chaos", kind.__name__.lstrip("_"))
        kind()
        self.faults += 1
        self.run.world.after(self.chance.expovariate(1 / self._every_s), self._next)

    def _end(self) -> None:
        """From now on nothing goes wrong, and what is wrong is mended."""
        run = self.run
        self.is_over = True
        run.world.note("calm")
        run.world.calm()
        run.people.is_unruly = False
        run.cable.damage, run.cable.is_mute, run.cable.lag_s = 0.0, False, 0.0
        run.cable.plug(True)
        run.disk.is_full = run.disk.is_slow = False
        run.board.motor.next_sticks = run.board.motor.next_double = None
        run.board.motor.is_lifted = False
        run.board.motor._show()

    def _later(self, low: float, high: float, act: Callable[..., None], *arguments: Any) -> None:
        self.run.world.after(self.chance.uniform(low, high), act, *arguments)

    def _kill(self) -> None:
        self._kill_within(40, is_power_cut=False)

    def _power_cut(self) -> None:
        self._kill_within(40, is_power_cut=True)

    def _kill_within(self, points: int, *, is_power_cut: bool) -> None:
        counts_waits = self.chance.random() < 0.3
        self.run.world.kill_after(
            self.chance.randrange(1, points), is_power_cut=is_power_cut, counts_waits=counts_waits
        )

    def _kill_at_write(self) -> None:
        """Kill the program in one of the steps round the next write."""
        run = self.run
        run.disk.on_write = lambda: self._kill_soon()

    def _kill_soon(self) -> None:
        self.run.disk.on_write = lambda: None
        if not self.is_over:
            self._kill_within(9, is_power_cut=self.chance.random() < 0.3)

    def _bad_line(self) -> None:
        self.run.cable.damage = self.chance.choice((0.02, 0.1, 0.4, 0.8))
        self._later(0.5, 4.0, self._set_damage)

    def _set_damage(self) -> None:
        self.run.cable.damage = 0.0

    def _mute(self) -> None:
        self.run.cable.is_mute = True
        self._later(0.2, 4.0, self._unmute)

    def _unmute(self) -> None:
        self.run.cable.is_mute = False

    def _lag(self) -> None:
        self.run.cable.lag_s = self.chance.uniform(0.01, 0.3)
        self._later(0.2, 3.0, self._hurry)

    def _hurry(self) -> None:
        self.run.cable.lag_s = 0.0

    def _unplug(self) -> None:
        self.run.cable.plug(False)
        self._later(0.05, 5.0, self.run.cable.plug, True)

    def _reset(self) -> None:
        self.run.board.boot("watchdog")

    def _brown_out(self) -> None:
        self.run.board.boot("power")

    def _hang(self) -> None:
        self.run.board.hang()

    def _jam(self) -> None:
        chance = self.chance
        self.run.board.motor.next_sticks = chance.uniform(-60.0, 40.0), chance.random() < 0.6

    def _double(self) -> None:
        """A second card comes along. At the lowest speed the barrier cannot tell one that looks out less than 24 mm."""
        self.run.board.motor.next_double = self.chance.uniform(20.0 if self.run.is_first else 25.0, 75.0)

    def _empty(self) -> None:
        motor = self.run.board.motor
        motor.is_lifted = True
        motor._show()

    def _full(self) -> None:
        self.run.disk.is_full = True
        self._later(0.1, 5.0, self._make_room)

    def _make_room(self) -> None:
        self.run.disk.is_full = False

    def _slow(self) -> None:
        self.run.disk.is_slow = True
        self._later(0.1, 4.0, self._quicken)

    def _quicken(self) -> None:
        self.run.disk.is_slow = False

    def _jump(self) -> None:
        self.run.wall_ahead += self.chance.choice((-1e6, -3600.0, -30.0, 30.0, 7200.0, 1e7))

    def _stall(self) -> None:
        """The computer is busy with something else; the program's threads stand still."""
        run = self.run
        seconds = self.chance.choice((0.1, 0.5, 1.5, 4.0)) * self.chance.uniform(0.5, 1.5)
        run.stalled_until = run.world.now + seconds
        line = run.line
        if line is not None:
            line.stall(True)
            run.world.after(seconds, line.stall, False)

    def _stuck_button(self) -> None:
        self.run.board.press(self.chance.randrange(self.run.seats), self.chance.uniform(8.0, 14.0))

    def _presses(self) -> None:
        for _ in range(self.chance.randint(1, 40)):
            self.run.world.after(self.chance.uniform(0, 0.3), self.run.board.press, self.chance.randrange(10), 0.02)


def in_memory() -> TemporaryDirectory[str]:
    """A folder in memory, where there is one."""
    memory = Path("/dev/shm")
    return TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None)


class Simulated(Protocol):
    """A run of one seed."""

    def play(self) -> None:
        """Play it. Raises what fails."""

    def outcome(self) -> Outcome:
        """What has come of it so far."""


def outcome_of(make: Callable[[Path], Simulated]) -> Outcome:
    """Make a run in a folder of its own and play it; what fails is in the outcome."""
    with in_memory() as folder:
        run = make(Path(folder))
        try:
            run.play()
        except Exception as err:
            outcome = run.outcome()
            outcome.failure = f"{type(err).__name__}: {err}"
            outcome.trace.append("".join(traceback.format_exception(err)))
            return outcome
    return run.outcome()


def run_seed(seed: int, rules: str = "") -> Outcome:
    """Run one seed; ``rules``: as in `Run`."""
    return outcome_of(lambda folder: Run(seed, folder, rules))


def told(outcome: Outcome) -> str:
    """A seed that failed, in one line: the command that replays it, its rules and what did not hold."""
    of = "" if outcome.of == "table" else f"OF={outcome.of} "
    return f"make sim {of}SEEDS={outcome.seed}   # {outcome.rules}: {outcome.failure[:400]}"
