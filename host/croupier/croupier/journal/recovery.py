"""Recovery of a damaged journal, before it is opened for writing, which would destroy the evidence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from croupier.errors import BadJournal, CannotWrite, marked
from croupier.files import unwritten, write_whole
from croupier.journal.archive import Archive
from croupier.journal.database import DAMAGED, PAGE_SIZE, is_empty
from croupier.journal.head import Head, head_file, read_head
from croupier.journal.wal import repaired

_ASIDE: Final = "-damaged-"
"""Infix of the names of copies: name of the journal, this, a number."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """The result of a recovery: ``notice`` for people; ``is_incomplete``: True if lines are lost."""

    notice: BadJournal
    is_incomplete: bool = False


@dataclass(frozen=True, slots=True, order=True)
class _Extent:
    """The readable part of a journal. ``is_complete``: all that its head file names; ``is_whole``: all up to ``head``;
    ``lacks_head``: there is no undamaged head file."""

    is_complete: bool = False
    is_whole: bool = False
    head: Head = field(default_factory=Head)
    lacks_head: bool = False


def recover(path: Path) -> Recovery | None:
    """Check that the journal ``path`` reaches its head; if not, copy its files aside, and repair them as far as
    possible.

    The write-ahead log may be damaged while the database behind it is not, or in a page that a later frame repeats. So
    the journal is read as it is, with corrected checksums in its log, and without the log; the longest result is taken.
    Returns None if no line is missing. The caller has the writer's lock, and nobody has the file open.

    Raises:
        BadJournal: the newest game is damaged, and opening the file would carry the damage of the log into it.
        CannotWrite: the files cannot be read now, or not be copied, as on a full disk; nothing was changed.
    """
    if Path(f"{path}-journal").exists() or read_head(path) == Head():
        return None  # its creation was interrupted; opening completes it
    found = _extent(path)
    if found.is_complete and not found.lacks_head:
        return None
    try:
        best, log = max([(found, None), *_tried(path)], key=lambda one: one[0])
        if not best.is_whole:
            if _wal(path).exists() and _wal(path).stat().st_size:
                raise BadJournal(DAMAGED, file=path)
            return None
        copy = _copy_aside(path) if log is not None or not best.is_complete else None
        if log is not None:
            write_whole(_wal(path), log)
    except CannotWrite:
        raise
    except OSError as err:
        raise unwritten(path, err) from err
    if best.lacks_head:
        gone = marked(
            "{file}: missing or damaged, and now made anew: whether the newest lines of the journal are missing is "
            "unknown"
        )
        return Recovery(BadJournal(gone, file=head_file(path)))
    if best.is_complete:
        mended = marked("{file}: damaged and repaired: no line is missing; the damaged files are kept as {copy}")
        return Recovery(BadJournal(mended, file=path, copy=copy))
    if not best.head.game:
        emptied = marked(
            "{file}: empty, but game {game} was written to it before: the files are kept as {copy}; if there is a "
            "backup of the journal, put it in place before you go on"
        )
        game = (read_head(copy) if copy is not None else None) or Head()
        return Recovery(BadJournal(emptied, file=path, copy=copy, game=game.game), is_incomplete=True)
    lost = marked(
        "{file}: damaged: what was written after line {line} of game {game} is lost; the damaged files are kept as "
        "{copy}; compare the table with the page before you go on"
    )
    where = {"game": best.head.game, "line": best.head.lines}
    return Recovery(BadJournal(lost, file=path, copy=copy, **where), is_incomplete=True)


def _tried(path: Path) -> Iterator[tuple[_Extent, bytes]]:
    """The readable part with another write-ahead log, and that log."""
    if not _wal(path).exists():
        return
    for log in (repaired(_wal(path).read_bytes(), PAGE_SIZE), b""):
        if log is None:
            continue
        with TemporaryDirectory(prefix=".croupier-", dir=path.parent) as folder:
            copy = Path(folder) / path.name
            copy.write_bytes(path.read_bytes())
            _wal(copy).write_bytes(log)
            if head_file(path).exists():
                head_file(copy).write_bytes(head_file(path).read_bytes())
            yield _extent(copy, with_structure=True), log


def _extent(path: Path, *, with_structure: bool = False) -> _Extent:
    noted = read_head(path)
    wanted = noted or Head()
    if is_empty(path):
        return _Extent(not wanted.game, True)
    try:
        with Archive(path) as archive:
            if with_structure:
                archive.check_structure()
            head = archive.head()
            is_whole = len(archive.whole_lines(head.game)[0]) == head.lines
            is_same = head.game == wanted.game and head.lines >= wanted.lines and head.records >= wanted.records
            is_complete = is_whole and (is_same or head.game > wanted.game)
            return _Extent(is_complete, is_whole, head, noted is None and archive.has_heads)
    except BadJournal:
        return _Extent()


def _copy_aside(path: Path) -> Path:
    """Copy the files of the journal under a free name; the copy is a journal itself."""
    copy = next(copy for n in count(1) if not (copy := Path(f"{path}{_ASIDE}{n}")).exists())
    for name in (lambda journal: journal, _wal, head_file):
        if name(path).exists():
            write_whole(name(copy), name(path).read_bytes())
    return copy


def _wal(journal: Path) -> Path:
    return Path(f"{journal}-wal")
