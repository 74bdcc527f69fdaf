"""The head file: the last head that was written can be read, whatever happened to the file meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from croupier.errors import CannotWrite, DiskFull
from croupier.journal.head import Head, HeadFile, head_file, read_head
from tests.journal.disks import mounted_disk

HEADS = [Head(1, n, n // 2, bytes([n]) * 32) for n in range(1, 6)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "croupier.journal"


def written(path: Path, *heads: Head) -> None:
    file = HeadFile(path)
    for one in heads:
        file.write(one)
    file.close()


def records(path: Path) -> list[int]:
    """Where records stand in the file."""
    raw = head_file(path).read_bytes()
    return [start for start in range(0, len(raw), 256) if raw[start : start + 1] == b"["]


def test_the_newest_head_is_read(path: Path) -> None:
    assert read_head(path) is None
    assert head_file(path) == path.with_name("croupier.journal-head")
    for n in range(1, len(HEADS) + 1):
        written(path, *HEADS[:n])
        assert read_head(path) == HEADS[n - 1]
    assert records(path) == [0, 4096]
    assert len(head_file(path).read_bytes()) == 4096 + 256
    assert head_file(path).read_bytes().endswith(b" \n")


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("sessions", [True, False], ids=["opened each time", "one opening"])
def test_a_damaged_record_leaves_the_head_before(path: Path, n: int, sessions: bool) -> None:
    for one in [HEADS[:n]] if not sessions else [[last] for last in HEADS[:n]]:
        written(path, *one)
    raw = bytearray(head_file(path).read_bytes())
    newest = raw.find(HEADS[n - 1].hash.hex().encode())
    raw[newest] ^= 1
    head_file(path).write_bytes(raw)
    assert read_head(path) == (HEADS[n - 2] if n > 1 else None)
    written(path, HEADS[n])
    assert read_head(path) == HEADS[n]
    assert HEADS[n - 2].hash.hex().encode() in head_file(path).read_bytes() or n == 1


def test_a_head_that_is_less_holds_only_after_a_reset(path: Path) -> None:
    written(path, HEADS[3], HEADS[4], HEADS[0])
    assert read_head(path) == HEADS[4]
    file = HeadFile(path)
    file.reset(HEADS[0])
    file.close()
    assert read_head(path) == HEADS[0]


def test_heads_are_ordered_as_they_were_written() -> None:
    later = [Head(), Head(1, 1), Head(1, 1, 1), Head(1, 2), Head(2, 1)]
    assert sorted(later) == later


@pytest.mark.parametrize("content", [b"", b"x", b"[1, 2, 3]\tx", bytes(5000), b"\t" * 5000])
def test_what_is_no_head_is_none(path: Path, content: bytes) -> None:
    head_file(path).write_bytes(content)
    assert read_head(path) is None


def test_a_place_that_cannot_be_written_is_reported(
    tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(CannotWrite, match=r"croupier\.journal-head: No such file"):
        HeadFile(tmp_path / "none" / "croupier.journal")
    file = HeadFile(path)

    def fail(*_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("croupier.journal.head.os.fdatasync", fail)
    with pytest.raises(CannotWrite, match=r"croupier\.journal-head: Input/output error"):
        file.write(HEADS[0])
    file.close()


def test_on_a_full_disk_a_head_is_written_in_its_place(tmp_path: Path) -> None:
    with mounted_disk(tmp_path, size_kb=16):
        path = tmp_path / "croupier.journal"
        file = HeadFile(path)
        file.reset(HEADS[0])
        (tmp_path / "ballast").write_bytes(bytes(8192))
        with pytest.raises(DiskFull):
            HeadFile(tmp_path / "other").write(HEADS[0])
        for one in HEADS:
            file.write(one)
        assert read_head(path) == HEADS[-1]
        file.close()
