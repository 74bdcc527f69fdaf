"""A damaged write-ahead log: what is right in it is readable again."""

from __future__ import annotations

import sqlite3
import struct
from pathlib import Path
from shutil import rmtree

import pytest

from croupier.journal import Journal, wal
from croupier.journal.database import PAGE_SIZE
from tests.journal.damage import NAME, Content, killed_journal, lay_down

WAL = f"{NAME}-wal"
FRAME = 24 + PAGE_SIZE
Killed = tuple[dict[str, bytes], Content]


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Killed:
    """A journal that was never carried over, so that all of it is in the log."""
    return killed_journal(tmp_path_factory.mktemp("killed"), checkpoint_at=0)


def frames(log: bytes) -> list[tuple[int, int, int, int, int, int]]:
    return [struct.unpack_from(">6I", log, start) for start in range(32, len(log) - FRAME + 1, FRAME)]


def replaced(log: bytes) -> int:
    """The number of a frame, early in the log, whose page a later frame has again."""
    pages = [page for page, *_ in frames(log)]
    return next(n for n, page in enumerate(pages) if n > 5 and page in pages[n + 1 :])


def read(log: bytes, files: dict[str, bytes], folder: Path) -> list[tuple[object, ...]]:
    """What SQLite finds in the journal with this log."""
    path = lay_down(files | {WAL: log}, folder / "read")
    connection = sqlite3.connect(path)
    try:
        return connection.execute("SELECT * FROM line ORDER BY id").fetchall()
    finally:
        connection.close()
        rmtree(path.parent)


def test_a_log_that_is_right_says_the_same_when_it_was_repaired(killed: Killed, tmp_path: Path) -> None:
    files, written = killed
    repaired = wal.repaired(files[WAL], PAGE_SIZE)
    assert repaired is not None
    assert len(repaired) == len(files[WAL])
    rows = read(repaired, files, tmp_path)
    assert len(rows) == sum(map(len, written.lines.values()))
    assert rows == read(files[WAL], files, tmp_path)


@pytest.mark.parametrize(
    "place",
    [
        pytest.param(lambda frame: 3, id="magic"),
        pytest.param(lambda frame: 7, id="version"),
        pytest.param(lambda frame: 10, id="page size"),
        pytest.param(lambda frame: 12, id="sequence"),
        pytest.param(lambda frame: 17, id="salt"),
        pytest.param(lambda frame: 22, id="second salt"),
        pytest.param(lambda frame: 25, id="checksum"),
        pytest.param(lambda frame: 31, id="second checksum"),
        pytest.param(lambda frame: frame + 9, id="salt of a frame"),
        pytest.param(lambda frame: frame + 14, id="second salt of a frame"),
        pytest.param(lambda frame: frame + 17, id="checksum of a frame"),
        pytest.param(lambda frame: frame + 23, id="second checksum of a frame"),
        pytest.param(lambda frame: frame + 24, id="first byte of a page"),
        pytest.param(lambda frame: frame + FRAME - 1, id="last byte of a page"),
    ],
)
def test_damage_that_hides_no_page_loses_nothing(killed: Killed, place: object, tmp_path: Path) -> None:
    files, written = killed
    log = bytearray(files[WAL])
    log[place(32 + replaced(files[WAL]) * FRAME)] ^= 1  # type: ignore[operator]
    path = lay_down(files | {WAL: bytes(log)}, tmp_path / "damaged")
    with Journal(path) as journal:
        assert Content.of(journal) == written
        assert list(journal.damages()) == []
        assert journal.recovery is None or "repaired: no line is missing" in str(journal.recovery.notice)
    assert Path(f"{path}-damaged-1-wal").exists() == (journal.recovery is not None)
    assert not list(path.parent.glob(".croupier-*")), "nothing is left of what was tried"


def test_without_a_head_the_log_that_reaches_furthest_is_taken(killed: Killed, tmp_path: Path) -> None:
    files, written = killed
    log = bytearray(files[WAL])
    log[32 + replaced(files[WAL]) * FRAME + 500] ^= 1
    path = lay_down({NAME: files[NAME], WAL: bytes(log)}, tmp_path / "damaged")
    with Journal(path) as journal:
        assert Content.of(journal) == written
        assert journal.recovery is not None
        assert "is unknown" in str(journal.recovery.notice)
        assert not journal.recovery.is_incomplete
    assert Path(f"{path}-damaged-1-wal").read_bytes() == bytes(log)


def test_only_transactions_that_are_whole_are_repaired(killed: Killed, tmp_path: Path) -> None:
    files, _ = killed
    ends = [n for n, (_, pages, *_) in enumerate(frames(files[WAL])) if pages]
    torn = files[WAL][: 32 + (ends[-1]) * FRAME + 100]
    repaired = wal.repaired(torn, PAGE_SIZE)
    assert repaired is not None
    assert len(repaired) == 32 + (ends[-2] + 1) * FRAME


def test_frames_of_an_earlier_use_are_left_away(killed: Killed) -> None:
    log = killed[0][WAL]
    old = bytearray(log[32 : 32 + 2 * FRAME])
    for start in (0, FRAME):
        old[start + 8 : start + 16] = b"old salt"
        old[start + 4 : start + 8] = b"\0\0\0\x05"
    repaired = wal.repaired(log + bytes(old), PAGE_SIZE)
    assert repaired is not None
    assert len(repaired) == len(log)


@pytest.mark.parametrize("size", [0, 31, 32, 32 + FRAME - 1])
def test_a_log_without_a_frame_cannot_be_repaired(killed: Killed, size: int) -> None:
    assert wal.repaired(killed[0][WAL][:size], PAGE_SIZE) is None


def test_a_log_without_the_end_of_a_transaction_cannot_be_repaired(killed: Killed) -> None:
    log = killed[0][WAL]
    first_end = next(n for n, (_, pages, *_) in enumerate(frames(log)) if pages)
    assert first_end > 0
    assert wal.repaired(log[: 32 + first_end * FRAME], PAGE_SIZE) is None
