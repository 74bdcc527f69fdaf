"""A disk that remembers each write, for what it would hold if the power had failed at any of them.

`recording` watches SQLite's files, through a VFS of apsw on top of the real one, and the head file beside them. `Disk`
is what was done to all files, in order. `states` gives the files as a power cut between two operations, or in the midst
of one, may leave them: what was synced is there, of the rest any part, in any order.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import compress, product
from pathlib import Path
from random import Random
from typing import Any, Literal

import apsw
import pytest

from croupier.journal import database, head

SECTOR = 512

Files = dict[str, bytes]


@dataclass(frozen=True)
class Op:
    """One thing done to the file ``name``: ``write`` at ``place``, ``cut`` to the length ``place``, ``sync`` or
    ``delete``."""

    name: str
    what: Literal["write", "cut", "sync", "delete"]
    place: int = 0
    data: bytes = b""


@dataclass
class Disk:
    """What was done, in order."""

    ops: list[Op] = field(default_factory=list)

    @classmethod
    def holding(cls, files: Files) -> Disk:
        """A disk that has these files already."""
        return cls([op for name, data in files.items() for op in (Op(name, "write", 0, data), Op(name, "sync"))])

    def state(self, n: int, random: Random) -> Files:
        """The files that a power cut after ``n`` operations may leave: any of what no sync followed, by sectors."""
        torn = {i: [one for one in _sectors(self.ops[i]) if random.random() < 0.5] for i in self._pending(n)}
        return self._after(n, set(), torn=torn)

    def states(self, n: int, most: int, random: Random) -> Iterator[Files]:
        """The files that a power cut after ``n`` operations may leave.

        Operations that no sync followed are there or not, each for itself: all combinations if they are at most
        ``most``. Otherwise so many: none, all with half of the next write too, and random ones, of single sectors."""
        pending = self._pending(n)
        if 1 << len(pending) <= most:
            for chosen in product((False, True), repeat=len(pending)):
                yield self._after(n, set(pending) - set(compress(pending, chosen)))
            return
        yield self._after(n, set(pending))
        yield self._after(n, set(), self._half(n))
        for _ in range(most - 2):
            yield self.state(n, random)

    def _pending(self, n: int) -> list[int]:
        """The operations before the ``n``-th that need not be on the disk."""
        synced = {op.name: i for i, op in enumerate(self.ops[:n]) if op.what == "sync"}
        return [i for i, op in enumerate(self.ops[:n]) if op.what != "sync" and i > synced.get(op.name, -1)]

    def _half(self, n: int) -> list[Op]:
        following = self.ops[n] if n < len(self.ops) else None
        if following is None or following.what != "write":
            return []
        return [Op(following.name, "write", following.place, following.data[: len(following.data) // 2])]

    def _after(
        self, n: int, missing: set[int], more: Iterable[Op] = (), torn: dict[int, list[Op]] | None = None
    ) -> Files:
        files: dict[str, bytearray] = {}
        for i, op in enumerate(self.ops[:n]):
            for one in (torn or {}).get(i, [op] if i not in missing else []):
                _do(files, one)
        for one in more:
            _do(files, one)
        return {name: bytes(data) for name, data in files.items()}


def _do(files: dict[str, bytearray], op: Op) -> None:
    if op.what == "delete":
        files.pop(op.name, None)
    if op.what in ("delete", "sync"):
        return
    data = files.setdefault(op.name, bytearray())
    if op.what == "write":
        data.extend(b"\0" * (op.place - len(data)))
        data[op.place : op.place + len(op.data)] = op.data
    elif op.what == "cut":
        del data[op.place :]


def _sectors(op: Op) -> Iterator[Op]:
    """The write in pieces that end where sectors do; another operation as it is."""
    if op.what != "write":
        yield op
    start = 0
    while start < len(op.data):
        end = min(len(op.data), (op.place + start) // SECTOR * SECTOR + SECTOR - op.place)
        yield Op(op.name, "write", op.place + start, op.data[start:end])
        start = end


class Connection:
    """A connection of apsw as the journal uses one of sqlite3."""

    def __init__(self, path: str, vfs: str, how: str) -> None:
        writing = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        self._connection = apsw.Connection(path, apsw.SQLITE_OPEN_READONLY if "ro" in how else writing, vfs)

    def execute(self, statement: str, values: tuple[Any, ...] = ()) -> Any:
        return self._connection.execute(statement, values)

    @property
    def in_transaction(self) -> bool:
        return self._connection.in_transaction

    def close(self) -> None:
        # One that only reads may cut nothing. SQLite passes over that, apsw does not.
        with suppress(apsw.IOError):
            self._connection.close()


@contextmanager
def recording(disk: Disk) -> Iterator[None]:
    """Tell ``disk`` all that is done to the files of journals that are opened meanwhile."""

    class File(apsw.VFSFile):
        def __init__(self, name: Any, flags: list[int]) -> None:
            super().__init__("", name, flags)
            self._name = Path(name.filename() if isinstance(name, apsw.URIFilename) else name).name

        def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802  # a name of SQLite, as below
            disk.ops.append(Op(self._name, "write", offset, bytes(data)))
            super().xWrite(data, offset)

        def xTruncate(self, newsize: int) -> None:  # noqa: N802
            super().xTruncate(newsize)
            disk.ops.append(Op(self._name, "cut", newsize))

        def xSync(self, flags: int) -> None:  # noqa: N802
            disk.ops.append(Op(self._name, "sync"))
            super().xSync(flags)

    class Recording(apsw.VFS):
        def xOpen(self, name: Any, flags: list[int]) -> File:  # noqa: N802
            return File(name, flags)

        def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
            if Path(filename).exists():
                disk.ops.append(Op(Path(filename).name, "delete"))
                super().xDelete(filename, syncdir)
                if syncdir:
                    disk.ops.append(Op(Path(filename).name, "sync"))

    name = f"recording-{id(disk)}"
    vfs = Recording(name, "")
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(head, "os", _RecordingOs(disk))
            patch.setattr(database, "_connect", lambda path, how="rw": Connection(str(path), name, how))
            yield
    finally:
        vfs.unregister()


class _RecordingOs:
    """The calls of `os` by which the head file is written."""

    def __init__(self, disk: Disk) -> None:
        self._disk, self._names = disk, dict[int, str]()

    def open(self, path: Path, flags: int, mode: int) -> int:
        file = os.open(path, flags, mode)
        self._names[file] = path.name
        return file

    def pwrite(self, file: int, data: bytes, offset: int) -> int:
        self._disk.ops.append(Op(self._names[file], "write", offset, data))
        return os.pwrite(file, data, offset)

    def fdatasync(self, file: int) -> None:
        self._disk.ops.append(Op(self._names[file], "sync"))
        os.fdatasync(file)

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)
