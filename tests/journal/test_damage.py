"""Files of a journal that are damaged, cut or gone: it is told, or nothing is lost; what is told names the loss."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path
from random import Random
from shutil import rmtree
from subprocess import run as run_process

import pytest

from croupier.cli.main import run
from croupier.errors import BadJournal, CannotWrite, DiskFull
from croupier.journal import Archive, Journal
from croupier.journal.database import PAGE_SIZE
from croupier.journal.head import Head, HeadFile, head_file, read_head
from croupier.runtime.session import resume
from croupier_rules.referee.observations import Fault
from tests.journal.damage import FILES, NAME, Content, examine, killed_journal, lay_down
from tests.journal.disks import mounted_disk
from tests.journal.games import game_lines
from tests.journal.test_journal import tampered
from tests.longer import many

Killed = tuple[dict[str, bytes], Content]
Out = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Killed:
    return killed_journal(tmp_path_factory.mktemp("killed"))


def flipped(data: bytes, bit: int) -> bytes:
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def examine_flips(killed: Killed, name: str, times: int, seed: int, folder: Path) -> Counter[str]:
    files, written = killed
    random, outcomes = Random(seed), Counter[str]()
    for _ in range(times):
        bit = random.randrange(8 * len(files[name]))
        path = lay_down(files | {name: flipped(files[name], bit)}, folder / "flipped")
        outcomes[examine(path, written)] += 1
        rmtree(path.parent)
    return outcomes


def examine_cuts(killed: Killed, name: str, times: int, seed: int, folder: Path) -> Counter[str]:
    files, written = killed
    random, outcomes = Random(seed), Counter[str]()
    for _ in range(times):
        path = lay_down(files | {name: files[name][: random.randrange(len(files[name]))]}, folder / "cut")
        outcomes[examine(path, written)] += 1
        rmtree(path.parent)
    return outcomes


def test_what_a_kill_leaves_is_whole(killed: Killed, tmp_path: Path) -> None:
    assert examine(lay_down(killed[0], tmp_path / "killed"), killed[1]) == "harmless"


@pytest.mark.parametrize("name", FILES)
def test_a_flipped_bit_is_reported_or_harmless(killed: Killed, name: str, tmp_path: Path) -> None:
    outcomes = examine_flips(killed, name, 40, 1, tmp_path)
    assert sum(outcomes.values()) == 40
    assert name != f"{NAME}-wal" or outcomes["repaired"] > 5


@pytest.mark.parametrize("name", FILES)
def test_a_cut_file_is_reported_or_harmless(killed: Killed, name: str, tmp_path: Path) -> None:
    assert sum(examine_cuts(killed, name, 12, 2, tmp_path).values()) == 12


@pytest.mark.long(minutes=2)
@pytest.mark.parametrize("name", FILES)
def test_thousands_of_flipped_bits_are_reported_or_harmless(killed: Killed, name: str, tmp_path: Path) -> None:
    """Ten thousand in each file with CROUPIER_LONG=4."""
    print(name, outcomes := examine_flips(killed, name, many(2_500), 3, tmp_path))
    assert sum(outcomes.values()) == many(2_500)


@pytest.mark.long
@pytest.mark.parametrize("name", FILES)
def test_a_thousand_cuts_are_reported_or_harmless(killed: Killed, name: str, tmp_path: Path) -> None:
    print(name, outcomes := examine_cuts(killed, name, many(1_000), 4, tmp_path))
    assert sum(outcomes.values()) == many(1_000)


def damaged_end(killed: Killed, folder: Path) -> Path:
    """A journal whose write-ahead log is damaged in a line that stands nowhere else, with more lines behind it."""
    files, written = killed
    wal = files[f"{NAME}-wal"]
    assert written.lines[3][-3].encode() in wal
    for line in written.lines[3][-3:]:
        wal = wal.replace(line.encode(), line.replace('"obs"', '"oBs"').encode())
    return lay_down(files | {f"{NAME}-wal": wal}, folder / "damaged")


def test_lost_lines_are_reported_and_the_files_are_kept_and_play_is_paused(killed: Killed, tmp_path: Path) -> None:
    path = damaged_end(killed, tmp_path)
    before = {name: (path.parent / name).read_bytes() for name in FILES}
    with Journal(path) as journal:
        assert journal.recovery is not None
        assert journal.recovery.is_incomplete
        n = len(journal.lines(3))
        assert f"what was written after line {n} of game 3 is lost" in str(journal.recovery.notice)
        session = resume(journal)
        assert session is not None
        assert session.past[-1].observation == Fault(session.t, device="journal", kind="lines-lost")
        assert journal.lines(3)[:-1] == killed[1].lines[3][:n]
    assert {name: Path(f"{path}-damaged-1{name[len(NAME) :]}").read_bytes() for name in FILES} == before
    with Journal(path) as again:
        assert again.recovery is None
        assert list(again.damages()) == []
    assert not Path(f"{path}-damaged-2").exists()


def test_a_game_that_is_paused_already_tells_of_lost_lines_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / NAME
    with Journal(path) as journal:
        journal.add(game_lines()[:30], began=0.0)
        assert resume(journal) is not None
        before = path.read_bytes(), Path(f"{path}-wal").read_bytes()
        journal.append(1, {"obs": "tick", "t": 999.0})
    for file, content in zip((path, Path(f"{path}-wal")), before, strict=True):
        file.write_bytes(content)
    with Journal(path) as journal:
        session = resume(journal)
        assert session is not None
        assert [json.loads(line).get("kind") for line in journal.lines(1)[-2:]] == ["restarted", "lines-lost"]
        assert session.position.phase == "paused"


@pytest.mark.parametrize("games", [1, 2])
def test_an_older_copy_of_the_journal_is_reported_by_every_command(
    tmp_path: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch, games: int
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path(NAME)
    with Journal(path) as journal:
        journal.add(game_lines()[:40], began=0.0)
    old = path.read_bytes()
    with Journal(path) as journal:
        journal.append(1, {"obs": "tick", "t": 999.0})
        if games == 2:
            journal.add(game_lines(2)[:40], began=1.0)
    path.write_bytes(old)
    damage = "game 2, line 1: the game is missing" if games == 2 else "game 1, line 41: the line is missing"
    assert run(["journal", "verify"]) == 1
    assert capsys.readouterr().out == f"{damage}\n1 game, 1 damaged\n"
    assert run(["journal", "list"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [damage]
    (tmp_path / "more.jsonl").write_text("\n".join(game_lines(3)[:40]))
    assert run(["journal", "import", "more.jsonl"]) == 0
    notice, imported = capsys.readouterr().out.splitlines()
    assert notice.startswith(f"{NAME}: damaged: what was written after line 40 of game 1 is lost; ")
    assert imported == "more.jsonl: imported as game 2"
    assert run(["journal", "verify"]) == 0


def test_damage_that_cannot_be_repaired_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / NAME
    with Journal(path) as journal:
        journal.add(game_lines()[:40], began=0.0)
    tampered(path, f"UPDATE line SET text = '{{}}' WHERE id = {(1 << 32) + 20}")
    with Journal(path) as journal:
        journal.append(1, {"obs": "tick", "t": 999.0})
        files = {name: (tmp_path / name).read_bytes() for name in FILES}
    path = lay_down(files, tmp_path / "killed")
    with pytest.raises(BadJournal, match="damaged: croupier journal verify lists the intact games"):
        Journal(path)
    assert {name: (path.parent / name).read_bytes() for name in FILES} == files
    assert run(["journal", "export", "--journal", str(path), "--to", str(tmp_path / "saved.jsonl")]) == 2
    assert (tmp_path / "saved.jsonl").read_text().splitlines() == list(game_lines()[:20])


def test_a_damaged_journal_waits_for_room_for_its_copy(killed: Killed, tmp_path: Path) -> None:
    with mounted_disk(tmp_path, size_kb=256):
        path = damaged_end(killed, tmp_path)
        before = {name: (path.parent / name).read_bytes() for name in FILES}
        ballast = tmp_path / "ballast"
        ballast.write_bytes(bytes(256 * 1024 - sum(map(len, before.values())) - 60 * 1024))
        for _ in range(2):
            with pytest.raises(DiskFull, match="No space left on device: nothing was changed; free some"):
                Journal(path)
        assert {name: (path.parent / name).read_bytes() for name in FILES} == before
        ballast.unlink()
        with Journal(path) as journal:
            assert journal.recovery is not None
            assert journal.recovery.is_incomplete


def test_a_log_that_was_not_needed_any_more_is_left_away(tmp_path: Path) -> None:
    """The write-ahead log is cut after it went into the database: with its rest, old pages would hide new ones."""
    path = tmp_path / NAME
    with Journal(path) as journal:
        journal.add(game_lines()[:40], began=0.0)
        journal.append(1, {"obs": "tick", "t": 998.0})
        journal.append(1, {"obs": "tick", "t": 999.0})
        lines = journal.lines(1)
        journal.checkpoint()
        files = {name: (tmp_path / name).read_bytes() for name in FILES}
    wal = files[f"{NAME}-wal"]
    path = lay_down(files | {f"{NAME}-wal": wal[: len(wal) - 100]}, tmp_path / "cut")
    with Journal(path) as journal:
        assert journal.recovery is not None
        assert "no line is missing" in str(journal.recovery.notice)
        assert journal.lines(1) == lines


def test_a_missing_head_is_reported_once_and_made_again(tmp_path: Path, capsys: Out) -> None:
    path = tmp_path / NAME
    with Journal(path) as journal:
        journal.add(game_lines()[:40], began=0.0)
    head_file(path).unlink()
    assert run(["journal", "verify", "--journal", str(path)]) == 1
    assert "game 1, line 40: whether lines are missing after this one is unknown" in capsys.readouterr().out
    with Journal(path) as journal:
        assert journal.recovery is not None
        assert not journal.recovery.is_incomplete
        assert str(journal.recovery.notice).startswith(f"{path}-head: missing or damaged, and now made anew")
        assert list(journal.damages()) == []
    with Journal(path) as journal:
        assert journal.recovery is None


@pytest.mark.parametrize("keeps_first_page", [False, True], ids=["empty", "first page only"])
def test_a_journal_that_is_empty_now_is_reported(tmp_path: Path, keeps_first_page: bool) -> None:
    path = tmp_path / NAME
    with Journal(path) as journal:
        for _ in range(3):
            journal.add(game_lines()[:40], began=0.0)
    path.write_bytes(b"")
    if keeps_first_page:  # as SQLite leaves it while the schema is still in the write-ahead log
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
            connection.execute("PRAGMA journal_mode = WAL")
        assert path.stat().st_size == PAGE_SIZE
    left = path.read_bytes()
    with Journal(path) as journal:
        assert journal.recovery is not None
        assert journal.recovery.is_incomplete
        assert "empty, but game 3 was written to it before" in str(journal.recovery.notice)
        copy = Path(f"{path}-damaged-1")
        assert copy.read_bytes() == left
        assert read_head(copy) is not None
        assert read_head(path) == Head()
        assert journal.add(game_lines()[:40], began=0.0) == 1
    with Journal(path) as journal:
        assert journal.recovery is None


def test_a_new_journal_lacks_nothing_that_an_old_one_had(tmp_path: Path) -> None:
    path = tmp_path / NAME
    with Journal(path) as journal:
        journal.add(game_lines()[:40], began=0.0)
    path.unlink()
    with Journal(path) as journal:
        assert journal.recovery is None
        assert journal.add(game_lines()[:40], began=0.0) == 1
        assert list(journal.damages()) == []


def test_a_head_that_could_not_be_written_holds_back_the_next_transaction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / NAME
    write, is_broken = HeadFile.write, False

    def fail(self: HeadFile, head: object) -> None:
        if is_broken:
            raise CannotWrite("the disk reports an error")
        write(self, head)  # type: ignore[arg-type]

    monkeypatch.setattr(HeadFile, "write", fail)
    with Journal(path) as journal:
        journal.add(game_lines()[:40], began=0.0)
        is_broken = True
        assert journal.append(1, {"obs": "tick", "t": 998.0}), "the line is on the disk, so it counts"
        for _ in range(2):
            with pytest.raises(CannotWrite):
                journal.append(1, {"obs": "tick", "t": 999.0})
        assert len(journal.lines(1)) == 41
        is_broken = False
        assert journal.append(1, {"obs": "tick", "t": 999.0})
        assert len(journal.lines(1)) == 42
        assert read_head(path) == journal.head()


def test_a_kill_between_a_transaction_and_its_head_is_no_loss(tmp_path: Path) -> None:
    path = tmp_path / NAME
    with Journal(path) as journal:
        journal.add(game_lines()[:40], began=0.0)
        behind = head_file(path).read_bytes()
        journal.append(1, {"obs": "tick", "t": 998.0}, {"obs": "tick", "t": 999.0})
    head_file(path).write_bytes(behind)
    with Archive(path) as archive:
        assert list(archive.damages()) == []
    with Journal(path) as journal:
        assert journal.recovery is None
        journal.append(1, {"obs": "tick", "t": 1000.0})
        assert read_head(path) == journal.head()


@pytest.mark.parametrize(
    "statement", ["UPDATE game SET began = began + 86400 WHERE id = 1", "UPDATE game SET lines = 39 WHERE id = 2"]
)
def test_a_date_that_is_not_as_it_was_written_is_reported(tmp_path: Path, capsys: Out, statement: str) -> None:
    path = tmp_path / NAME
    with Journal(path) as journal:
        for seed in (1, 2, 3):
            journal.add(game_lines(seed)[:40], began=1e9)
    tampered(path, statement)
    game = int(statement[-1])
    damage = f"game {game}, line 1: the date of the game is not as it was written"
    assert run(["journal", "verify", "--journal", str(path)]) == 1
    assert capsys.readouterr().out.splitlines()[0] == damage
    assert run(["journal", "list", "--journal", str(path)]) == 0
    assert capsys.readouterr().out.splitlines()[game] == damage


def test_an_older_game_that_lost_its_end_is_reported(tmp_path: Path) -> None:
    path = tmp_path / NAME
    with Journal(path) as journal:
        journal.add(game_lines()[:40], began=0.0)
        journal.add(game_lines(2)[:40], began=0.0)
    tampered(path, f"DELETE FROM line WHERE id = {(1 << 32) + 39}")
    with Archive(path) as archive:
        assert [(one.game, one.line, one.what) for one in archive.damages()] == [(1, 40, "the line is missing")]


OTHER_WRITER = """
import sys
from pathlib import Path
from croupier.errors import BadJournal, CannotWrite, DiskFull
from croupier.journal import Journal
try:
    Journal(Path(sys.argv[1]))
except CannotWrite as err:
    print(err)
"""


def test_one_process_writes_whatever_happens_to_the_files_beside_the_journal(tmp_path: Path) -> None:
    path = tmp_path / NAME
    with Journal(path) as journal:
        journal.add(game_lines()[:40], began=0.0)
        for file in tmp_path.iterdir():
            if file != path and not file.name.endswith(("-wal", "-shm")):
                file.unlink()
        for _ in range(2):
            other = run_process([sys.executable, "-c", OTHER_WRITER, path], capture_output=True, text=True, check=True)
            assert "another croupier is writing this journal" in other.stdout
            with pytest.raises(CannotWrite, match="another croupier is writing"):
                Journal(path)
            journal.append(1, {"obs": "tick", "t": 999.0})
    other = run_process([sys.executable, "-c", OTHER_WRITER, path], capture_output=True, text=True, check=True)
    assert other.stdout == ""
