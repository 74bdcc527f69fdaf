"""A disk that remembers each write, for what it would hold if the power had failed at any of them.

`recording` is a VFS for SQLite (through apsw) on top of the real one. `Disk` is what was written, in order; `after`
gives the files as a power cut between two writes, or in the midst of one, may leave them: what was synced is there,
of the rest nothing, everything, or any sectors.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Literal

import apsw

SECTOR = 512

Left = Literal["all", "synced", "some"]


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

    def after(self, n: int, left: Left, random: Random) -> dict[str, bytes]:
        """The files after ``n`` operations; ``left``: of what was written and not synced ``all`` is there and half of
        the next write too, nothing (only what was ``synced``), or ``some`` sectors."""
        files: dict[str, bytearray] = {}
        synced = {op.name: i for i, op in enumerate(self.ops[:n]) if op.what == "sync"}
        for i, op in enumerate(self.ops[:n]):
            if left == "all" or i < synced.get(op.name, -1) or op.what != "write":
                _do(files, op)
            elif left == "some":
                for torn in _sectors(op):
                    if random.random() < 0.5:
                        _do(files, torn)
        if left == "all" and n < len(self.ops) and self.ops[n].what == "write":
            torn = self.ops[n]
            _do(files, Op(torn.name, "write", torn.place, torn.data[: len(torn.data) // 2]))
        return {name: bytes(data) for name, data in files.items()}


def _do(files: dict[str, bytearray], op: Op) -> None:
    if op.what == "delete":
        files.pop(op.name, None)
        return
    data = files.setdefault(op.name, bytearray())
    if op.what == "write":
        data.extend(b"\0" * (op.place - len(data)))
        data[op.place : op.place + len(op.data)] = op.data
    elif op.what == "cut":
        del data[op.place :]


def _sectors(op: Op) -> Iterator[Op]:
    """The write in pieces that end where sectors do."""
    start = 0
    while start < len(op.data):
        end = min(len(op.data), (op.place + start) // SECTOR * SECTOR + SECTOR - op.place)
        yield Op(op.name, "write", op.place + start, op.data[start:end])
        start = end


@contextmanager
def recording(disk: Disk) -> Iterator[str]:
    """The name of a VFS that tells ``disk`` all that is done."""

    class File(apsw.VFSFile):
        def __init__(self, name: Any, flags: list[int]) -> None:
            super().__init__("", name, flags)
            self._name = Path(name.filename() if isinstance(name, apsw.URIFilename) else name).name

        def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802  # a name of SQLite, as below
            disk.ops.append(Op(self._name, "write", offset, bytes(data)))
            super().xWrite(data, offset)

        def xTruncate(self, newsize: int) -> None:  # noqa: N802
            disk.ops.append(Op(self._name, "cut", newsize))
            super().xTruncate(newsize)

        def xSync(self, flags: int) -> None:  # noqa: N802
            disk.ops.append(Op(self._name, "sync"))
            super().xSync(flags)

    class Recording(apsw.VFS):
        def xOpen(self, name: Any, flags: list[int]) -> File:  # noqa: N802
            return File(name, flags)

        def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
            disk.ops.append(Op(Path(filename).name, "delete"))
            super().xDelete(filename, syncdir)

    vfs = Recording("recording", "")
    try:
        yield "recording"
    finally:
        vfs.unregister()
