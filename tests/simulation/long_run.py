"""`make long-run GAMES=…`: whole games in a row in one program, with faults, and what it takes of the machine.

One program plays them all, with the page's own record of the games beside the table. It is never killed; all other
faults of `run` occur. What the simulation itself keeps of a game is dropped when the next one is over.
"""

from __future__ import annotations

import ctypes
import gc
import os
import re
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

import numpy as np

from croupier.commands import PressKey
from croupier.journal import Journal, text_of
from croupier.log_replay import Record
from croupier.runtime.table import Table
from croupier.table_api.live_table import LiveLine
from croupier.web.game_repository import GameRepository
from tests.simulation.run import Chaos, Failure, Run, in_memory

_TRACE: Final = 300
"""So many lines of the trace are kept: of different lengths, they are the noise of what is measured."""
_FIXED: Final = {"seats": 4, "dealer": "dealer = 0", "shoe": "pico", "target": 1}
_WARM: Final = 0.25
"""The part of a run in which caches fill, which the slope leaves out."""
_LISTED: Final = 20
"""So many games the page lists."""
_AGAIN_S: Final = 2.0
_DAY_S: Final = 86_400.0
MOST_A_DAY: Final = 1e6
"""By so many bytes at most the memory may grow in a virtual day."""


@dataclass(frozen=True, slots=True)
class Footprint:
    """What the process takes after ``games`` at ``now`` (virtual s): memory in use and resident memory, which has free
    space in its pages (bytes); blocks of memory that Python objects have; descriptors, threads."""

    games: int
    now: float
    used: int
    resident: int
    blocks: int
    descriptors: int
    threads: int

    @classmethod
    def of(cls, games: int, now: float) -> Footprint:
        """Measure this process, once what nobody refers to is gone."""
        gc.collect()
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        descriptors = len(os.listdir("/proc/self/fd"))
        resident = pages * os.sysconf("SC_PAGE_SIZE")
        used, blocks, threads = memory_in_use(), sys.getallocatedblocks(), threading.active_count()
        return cls(games, now, used, resident, blocks, descriptors, threads)


class _MallInfo(ctypes.Structure):
    """The C library's `struct mallinfo2`."""

    _NAMES = (
        *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
        *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
    )
    _fields_ = [(name, ctypes.c_size_t) for name in _NAMES]


def memory_in_use() -> int:
    """The bytes that the C library and Python's allocator of small objects have given out, and that are not free."""
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = _MallInfo
    info = mallinfo()
    # Python tells its own on the standard error stream alone.
    with TemporaryFile() as file:
        kept = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            sys._debugmallocstats()
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        file.seek(0)
        found = re.search(rb"# bytes in allocated blocks\s*=\s*([\d,]+)", file.read())
    assert found is not None
    return int(info.uordblks + info.hblkhd) + int(found[1].replace(b",", b""))


class LongRun(Run):
    """``games`` of one ``seed`` in a row, in one program. `footprints`: after each ``every`` games."""

    def __init__(self, seed: int, folder: Path, games: int, every: int = 10) -> None:
        self.games = self.faults = self.lines = 0
        super().__init__(seed, folder, kept=_TRACE, fixed=_FIXED)
        self.footprints: list[Footprint] = []
        self._wanted, self._every = games, every
        self._over = 0
        """The last game that was over; the next one has not begun while it is the table's."""
        self._asked = 0.0
        self._page: GameRepository | None = None
        self.step_observers = (self._publish,)

    def check_end(self) -> None:
        """As `Run.check_end`; once a game is over, somebody asks for the next."""
        table = self.table
        if table is not None and table.run.session.game == self._over:
            self.check_bound()
            if self.world.now >= self._asked:
                self._asked = self.world.now + _AGAIN_S
                self.people.submit(PressKey(0, "go"))
            return
        super().check_end()

    def _end_game(self, table: Table) -> None:
        self.games += 1
        self.faults += self.chaos.faults
        self._over = table.run.session.game
        self._check_games(table.run.session.journal)
        if self._page is not None:
            self._page.newest(_LISTED)
            self._page._stories.clear()  # a few are kept; their lengths differ from game to game
        if self.games % self._every == 0:
            self.footprints.append(Footprint.of(self.games, self.world.now))
        if self.games == self._wanted:
            super()._end_game(table)
            return
        self.chaos, self.people.is_unruly = self._new_chaos(), True

    def _new_chaos(self) -> Chaos:
        return Chaos(self, f"chaos of game {self.games}", has_kills=False)

    def _check_games(self, journal: Journal) -> None:
        """Check the games before this one, and drop what is known of them."""
        for game in [game for game in self.acknowledged if game < self._over]:
            self.lines += len(self.acknowledged[game])
            if journal.lines(game) != self.acknowledged.pop(game):
                raise Failure(f"game {game}: its lines are not those that were acknowledged")
            self._check_jobs(journal, game, is_last=False)
            for by_job in (self.fed_for, self.doubled, self.seats_of):
                for job in [job for job in by_job if job[0] == game]:
                    del by_job[job]
        self._recorded = {number: job for number, job in self._recorded.items() if job[0] >= self._over}

    def _check_at_end(self) -> None:
        with Journal(self.disk.path) as journal:
            self._check_games(journal)
            self._check_acknowledged(journal)
            self._check_jobs(journal, self._over, is_last=True)

    def _publish(self, game: int, step: Record) -> None:
        """The page takes over a step, and shows the game."""
        if self._page is None:
            self._page = GameRepository(self.disk.path)
        self._page.append(LiveLine(game, step.n, text_of(step.data), step.position.phase))
        self._page.story(game)


@dataclass(frozen=True, slots=True)
class Report:
    """What a long run took; ``failure``: what did not hold."""

    games: int
    faults: int
    virtual_s: float
    lines: int
    footprints: tuple[Footprint, ...]
    failure: str = ""

    @property
    def bytes_a_day(self) -> float:
        """By how many bytes the memory in use grows in a virtual day."""
        return self._slope([one.now / _DAY_S for one in self.footprints], [one.used for one in self.footprints])

    @property
    def blocks_a_game(self) -> float:
        """By how many blocks of Python objects a game makes the memory grow."""
        return self._slope([one.games for one in self.footprints], [one.blocks for one in self.footprints])

    def _slope(self, x: list[float], y: list[int]) -> float:
        """By least squares, over all but the first part."""
        first = int(_WARM * len(x))
        return float(np.polyfit(x[first:], y[first:], 1)[0])

    @property
    def is_constant(self) -> bool:
        """True if descriptors and threads are as many at the end of each game."""
        return len({(one.descriptors, one.threads) for one in self.footprints}) == 1


def play(seed: int, games: int) -> Report:
    """Play so many games in a row."""
    with in_memory() as folder:
        run = LongRun(seed, Path(folder), games, every=max(1, games // 100))
        failure = ""
        try:
            run.play()
        except Exception as err:
            failure = f"{type(err).__name__}: {err}"
        lines = run.lines
    return Report(run.games, run.faults, run.world.now, lines, tuple(run.footprints), failure)


def told(report: Report) -> str:
    """The figures of a report, in one line."""
    first, last = report.footprints[0], report.footprints[-1]
    state = "constant" if report.is_constant else "NOT constant"
    return (
        f"{report.games} games in {report.virtual_s / 3600:.1f} virtual hours, {report.faults} faults, {report.lines} "
        f"lines of table logs: memory in use {first.used / 1e6:.2f} to {last.used / 1e6:.2f} MB, "
        f"{report.bytes_a_day / 1e6:+.2f} MB a virtual day, {report.blocks_a_game:+.2f} blocks of Python objects a "
        f"game (resident {first.resident / 1e6:.1f} to {last.resident / 1e6:.1f} MB); "
        f"{last.descriptors} descriptors and {last.threads} threads, {state}"
        f"{report.failure and '; '}{report.failure}"
    )


def main(games: int) -> int:
    """Play so many games and print what they took; returns the exit status."""
    report = play(1, games)
    if not report.footprints:
        print(report.failure)
        return 1
    print(told(report))
    return 0 if report.is_constant and not report.failure and report.bytes_a_day < MOST_A_DAY else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
