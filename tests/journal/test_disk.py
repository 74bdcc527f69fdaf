"""A disk that is full, that may not be written, or that fails: one line, nothing lost, nothing by halves."""

from __future__ import annotations

import json
import os
import resource
import signal
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from croupier.errors import CannotWrite, CroupierError
from croupier.journal import Archive, Journal
from croupier.output_files import write_new
from tests.journal.disks import mounted, mounted_disk
from tests.journal.games import game_lines
from tests.processes import forks_of

LINES = game_lines(rounds=3)
SIZE_KB = 192
IS_ROOT = os.geteuid() == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own, of `SIZE_KB`."""
    with mounted_disk(tmp_path, SIZE_KB):
        yield tmp_path


def test_a_file_for_which_there_is_no_room_is_not_left_by_halves(tmp_path: Path) -> None:
    file, content = tmp_path / "game.html", b"x" * 100_000
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, before[1]))
    try:
        with pytest.raises(CannotWrite, match="File too large"):
            write_new(file, content)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []
    write_new(file, content)
    assert file.read_bytes() == content


def play_until_it_fails(journal: Journal, game: int) -> tuple[int, CannotWrite]:
    """Append line after line; how many the game has when one cannot be written, and what is said then."""
    n = len(journal.lines(game))
    for line in LINES[n:]:
        try:
            n += len(journal.append(game, json.loads(line)))
        except CannotWrite as err:
            return n, err
    raise AssertionError("everything could be written")


def test_on_a_full_disk_play_waits_and_goes_on_when_there_is_room(small_disk: Path) -> None:
    ballast = small_disk / "pictures"
    ballast.write_bytes(b"x" * 100_000)
    with Journal(small_disk / "croupier.journal") as journal:
        game = journal.add(LINES[:1], began=0.0)
        n, err = play_until_it_fails(journal, game)
        assert "disk is full" in str(err)
        assert "free some space" in str(err)
        assert "\n" not in str(err)
        assert journal.lines(game) == list(LINES[:n])
        with pytest.raises(CannotWrite):
            journal.append(game, json.loads(LINES[n]), *map(json.loads, LINES[n + 1 : n + 40]))
        assert journal.lines(game) == list(LINES[:n]), "what belongs together is written together"
        ballast.unlink()
        assert len(journal.append(game, json.loads(LINES[n]))) == 1
        assert list(journal.damages()) == []
    with Archive(small_disk / "croupier.journal") as archive:
        assert archive.lines(game) == list(LINES[: n + 1])


@pytest.mark.parametrize("there", [True, False], ids=["journal there", "no journal yet"])
def test_where_nothing_may_be_written_the_journal_can_still_be_read(
    tmp_path: Path, there: bool, request: pytest.FixtureRequest
) -> None:
    folder = request.getfixturevalue("small_disk") if IS_ROOT else tmp_path
    path = folder / "croupier.journal"
    if there:
        with Journal(path) as journal:
            journal.add(LINES[:20], began=0.0)
    # Root may write into any folder, but not on a disk that is read-only.
    assert mounted("-o", "remount,ro", str(folder)) if IS_ROOT else not folder.chmod(0o500)
    with pytest.raises(CannotWrite, match=r"user can write to|Permission denied"):
        Journal(path)
    if there:
        with Archive(path) as archive:
            assert archive.lines(1) == list(LINES[:20])


def play_to_the_limit(path: Path, said: Connection) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with Journal(path) as journal:
        game = journal.add(LINES[:1], began=0.0)
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, resource.RLIM_INFINITY))
        n, err = play_until_it_fails(journal, game)
        again = [str(err)]
        try:
            journal.append(game, json.loads(LINES[n]))
        except CroupierError as second:
            again.append(str(second))
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        said.send((n, again, len(journal.append(game, json.loads(LINES[n])))))


def test_where_the_disk_fails_to_write_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "croupier.journal"
    processes = forks_of(__name__)
    receiver, sender = processes.Pipe(duplex=False)
    child = processes.Process(target=play_to_the_limit, args=(path, sender))
    child.start()
    sender.close()
    n, said, now = receiver.recv()
    child.join()
    assert len(said) == 2
    assert all("reports an error" in line and line.count("\n") == 0 for line in said)
    assert now == 1
    with Archive(path) as archive:
        assert archive.whole_lines(1) == (list(LINES[: n + 1]), None)
