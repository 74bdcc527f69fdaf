"""The journal on a disk that is slow, full, or torn by a kill in the middle of a write.

The journal is the real one, on real SQLite. A kill in the middle of a write is made from the files before and after
it: of the blocks in which they differ, some were written. SQLite writes the log first, syncs it, carries it over into
the file and syncs that; so either the log is torn and the file as before, or the log whole and the file torn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any, Final

from croupier.errors import CannotWrite
from croupier.journal import FeedJob, Journal
from croupier.journal.log_file import text_of
from tests.simulation.world import World

_BLOCK: Final = 512
_SLOW_S: Final = (0.3, 2.5)
_USUAL_S: Final = (0.001, 0.012)
"""A synced write on an SD card, and on one that is busy with itself."""

Image = dict[str, bytes]


def image_of(path: Path) -> Image:
    """The files of the database ``path`` as they are."""
    names = (path.name, f"{path.name}-wal")
    return {name: file.read_bytes() for name in names if (file := path.with_name(name)).exists()}


def put_image(path: Path, image: Image) -> None:
    """Put files, for their owner alone, in place of those of a database that nobody has open any more."""
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
        path.with_name(name).unlink(missing_ok=True)
    for name, data in image.items():
        (file := path.with_name(name)).write_bytes(data)
        file.chmod(0o600)


class Disk:
    """The files of the journal at ``path``. ``is_full``: nothing can be written. ``is_slow``: a write takes long."""

    def __init__(self, world: World, path: Path) -> None:
        self.world, self.path = world, path
        self.is_full = self.is_slow = False
        self.writes = 0
        self.on_write: Callable[[], None] = lambda: None
        self._chance = world.chance("disk")
        self._torn: Image | None = None

    def open(self) -> SimJournal:
        """Open the journal, as the program does when it starts. Raises CannotWrite while the disk is full."""
        if self.is_full:
            raise CannotWrite(f"{self.path}: the disk is full")
        return SimJournal(self)

    def image(self) -> Image:
        """The files as they are."""
        return image_of(self.path)

    def kill(self, journal: SimJournal) -> None:
        """The program that has ``journal`` open is gone; what is left is what was written."""
        left = self._torn or self.image()
        self._torn = None
        journal.close()
        put_image(self.path, left)

    @contextmanager
    def writing(self, what: str) -> Iterator[None]:
        """A transaction goes to the disk; the program may be killed before, in the midst of it, and after it."""
        world = self.world
        world.point(f"before {what}")
        if self.is_full:
            world.note("disk full:", what)
            raise CannotWrite(f"{self.path}: the disk is full")
        self.writes += 1
        if not world.will_kill():
            yield
        else:
            is_power_cut = world.is_power_cut_due
            before = self.image()
            yield
            self._torn = torn(before, self.image(), self._chance, is_power_cut=is_power_cut)
            world.die(f"while it wrote {what}")
        low, high = _SLOW_S if self.is_slow else _USUAL_S
        world.run_to(world.now + self._chance.uniform(low, high))
        self.on_write()
        world.point(f"after {what}")


def torn(before: Image, after: Image, chance: Random, *, is_power_cut: bool) -> Image:
    """The files as a kill in the middle of a write leaves them."""
    names = [name for name in after if after[name] != before.get(name)]
    log = next((name for name in names if name.endswith("-wal")), None)
    file = next((name for name in names if not name.endswith("-wal")), None)
    left = dict(before)
    if file is not None and (log is None or chance.random() < 0.5):
        left[file] = _partly(before.get(file, b""), after[file], chance, is_power_cut=is_power_cut)
        if log is not None:
            left[log] = after[log]
    elif log is not None:
        left[log] = _partly(before.get(log, b""), after[log], chance, is_power_cut=is_power_cut)
    return left


def _partly(before: bytes, after: bytes, chance: Random, *, is_power_cut: bool) -> bytes:
    """Some of the blocks that changed: the first of them, or after a power cut also any."""
    starts = range(0, max(len(before), len(after)), _BLOCK)
    changed = [at for at in starts if before[at : at + _BLOCK] != after[at : at + _BLOCK]]
    written = changed[: chance.randint(0, len(changed))]
    if is_power_cut and chance.random() < 0.5:
        written = [at for at in changed if chance.random() < 0.5]
    out = bytearray(before)
    for at in written:
        block = after[at : at + _BLOCK]
        if at > len(out):
            out.extend(bytes(at - len(out)))
        out[at : at + len(block)] = block
    return bytes(out)


class SimJournal(Journal):
    """The real journal on a `Disk`. ``on_written(game, texts)`` hears of each acknowledged line, ``on_job(game, job,
    number, seat, n)`` of each job before the shoe is told of it."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self.on_written: Callable[[int, list[str]], None] = lambda game, texts: None
        self.on_job: Callable[..., None] = lambda *job: None
        super().__init__(disk.path)

    def add(self, lines: Any, *, began: float) -> int:
        """As `Journal.add`."""
        texts = list(lines)
        with self._disk.writing("a game"):
            game = super().add(texts, began=began)
            self._disk.world.note("game", game)
        self.on_written(game, texts)
        return game

    def append(
        self, game: int, *lines: Mapping[str, Any], fed: Mapping[int, int] = MappingProxyType({})
    ) -> tuple[bytes, ...]:  # fmt: skip
        """As `Journal.append`."""
        world = self._disk.world
        with self._disk.writing(f"{len(lines)} lines"):
            hashes = super().append(game, *lines, fed=fed)
            for line in lines:
                world.note("log", dict(line))
            if fed:
                world.note("jobs ended", dict(fed))
        self.on_written(game, [text_of(line) for line in lines])
        return hashes

    def record_job(self, game: int, job: FeedJob) -> None:
        """As `Journal.record_job`."""
        with self._disk.writing(f"job {job.job}"):
            super().record_job(game, job)
            self.on_job(game, job.job, job.number, job.seat, job.n)
            self._disk.world.note("job", job.job, "number", job.number, "seat", job.seat, "n", job.n)
