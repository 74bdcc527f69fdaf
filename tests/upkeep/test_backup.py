"""Backups: all that people made comes back on another machine, and nothing of a broken one does."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from random import Random

import pytest

from croupier.cli import main
from croupier.errors import CroupierError
from croupier.journal import Archive, Journal
from croupier_extras.errors import BadBackup
from croupier_extras.upkeep import backup as module
from croupier_extras.upkeep.backup import MANIFEST, back_up, restore
from tests.journal.games import game_lines

BESIDE = {
    "croupier.journal-people": b'{"people": []}', "croupier.journal-codes": b'{"codes": []}',
    "ours.deck": b"a deck", "evening.score": b"a sheet", "hub/tournament.json": b"{}",
}  # fmt: skip


def silent(n: int) -> None:
    pass


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*") if one.is_file()}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """The folder of a table with two games."""
    folder = tmp_path / "table"
    (folder / "hub").mkdir(parents=True)
    settings = '[camera]\nsource = "none"\n[tournament]\nhub = "http://127.0.0.1:1"\nfile = "hub/tournament.json"\n'
    (folder / "croupier.toml").write_text(settings)
    for name, data in BESIDE.items():
        (folder / name).write_bytes(data)
    (folder / "holiday.jpg").write_bytes(b"somebody's")
    with Journal(folder / "croupier.journal") as journal:
        for _ in range(2):
            journal.add(game_lines(), began=1e9)
    return folder


def games(journal: Path) -> list[list[str]]:
    with Archive(journal) as archive:
        return [list(archive.lines(game)) for game in archive.began()]


def test_on_another_machine_the_table_has_all_that_people_made(table: Path, tmp_path: Path) -> None:
    kept = back_up(table / "croupier.toml", tmp_path / "table.zip", silent)
    assert kept.games == 2
    assert (tmp_path / "table.zip").stat().st_mode & 0o777 == 0o600
    elsewhere = tmp_path / "elsewhere"
    back = restore(tmp_path / "table.zip", elsewhere, silent)
    assert (back.games, back.beside) == (2, None)
    found = files_of(elsewhere)
    assert "holiday.jpg" not in found
    assert {name: found[name] for name in BESIDE} == BESIDE
    assert found["croupier.toml"] == (table / "croupier.toml").read_bytes()
    assert games(elsewhere / "croupier.journal") == games(table / "croupier.journal")
    with Journal(elsewhere / "croupier.journal") as journal:  # and is played on
        assert journal.add(game_lines(), began=1e9) == 3


def test_a_running_table_is_backed_up_and_not_replaced(table: Path, tmp_path: Path) -> None:
    with Journal(table / "croupier.journal") as journal:
        journal.add(game_lines(), began=1e9)
        assert back_up(table / "croupier.toml", tmp_path / "table.zip", silent).games == 3
        before = files_of(table)
        with pytest.raises(BadBackup, match="nothing was changed"):
            restore(tmp_path / "table.zip", table, silent)
        assert files_of(table) == before


def test_what_was_there_is_kept_beside(table: Path, tmp_path: Path) -> None:
    back_up(table / "croupier.toml", tmp_path / "table.zip", silent)
    with Journal(table / "croupier.journal") as journal:
        journal.add(game_lines(), began=1e9)
    (table / "ours.deck").write_bytes(b"another deck")
    back = restore(tmp_path / "table.zip", table, silent)
    assert back.beside == table / "before-restore-1"
    assert (back.beside / "ours.deck").read_bytes() == b"another deck"
    assert (table / "ours.deck").read_bytes() == b"a deck"
    assert len(games(back.beside / "croupier.journal")) == 3
    assert len(games(table / "croupier.journal")) == 2


def test_a_backup_that_exists_already_is_not_replaced_and_none_is_left_in_part(table: Path, tmp_path: Path) -> None:
    back_up(table / "croupier.toml", tmp_path / "table.zip", silent)
    before = files_of(tmp_path)
    with pytest.raises(CroupierError, match="already exists"):
        back_up(table / "croupier.toml", tmp_path / "table.zip", silent)
    with pytest.raises(BadBackup, match="nothing was written"):
        back_up(table / "croupier.toml", tmp_path / "nowhere/table.zip", silent)
    assert files_of(tmp_path) == before


def test_no_backup_with_a_byte_changed_or_cut_off_is_taken_back(table: Path, tmp_path: Path) -> None:
    back_up(table / "croupier.toml", tmp_path / "table.zip", silent)
    whole, random = (tmp_path / "table.zip").read_bytes(), Random(50)
    with zipfile.ZipFile(tmp_path / "table.zip") as packed:
        (first, *_) = [one for one in packed.infolist() if one.filename == "croupier.journal"]
    inside = range(first.header_offset + 60, first.header_offset + first.compress_size)
    damaged = [whole[: random.randrange(len(whole))] for _ in range(10)]
    damaged += [whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] for at in random.sample(inside, 10)]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for one in damaged:
        (tmp_path / "damaged.zip").write_bytes(one)
        with pytest.raises(BadBackup, match=r"damaged\.zip: not a whole backup of Croupier; nothing was changed"):
            restore(tmp_path / "damaged.zip", elsewhere, silent)
        assert files_of(elsewhere) == {}


def rewritten(file: Path, to: Path, **changed: object) -> Path:
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(to, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, json.dumps(json.loads(data) | changed) if name == MANIFEST else data)
    return to


def test_a_backup_of_the_first_form_is_taken_back(tmp_path: Path) -> None:
    held = restore(Path(__file__).parent / "old/form-1.zip", tmp_path, silent)
    assert set(held.files) >= {"croupier.toml", "croupier.journal", *BESIDE}
    assert {name: (tmp_path / name).read_bytes() for name in BESIDE} == BESIDE
    assert games(tmp_path / "croupier.journal")[0][0].startswith('{"log":"croupier/1"')
    assert held.games == 1


def test_a_newer_form_and_a_climbing_name_are_refused(table: Path, tmp_path: Path) -> None:
    back_up(table / "croupier.toml", tmp_path / "table.zip", silent)
    newer = rewritten(tmp_path / "table.zip", tmp_path / "newer.zip", form=module.FORM + 1, croupier="9.1")
    with pytest.raises(BadBackup, match=r"written by croupier 9\.1, which is newer"):
        restore(newer, tmp_path / "elsewhere", silent)
    climbing = {"../climbed": {"size": 0, "sha256": "0" * 64}}
    bad = rewritten(tmp_path / "table.zip", tmp_path / "bad.zip", files=climbing)
    with pytest.raises(BadBackup, match="not a whole backup"):
        restore(bad, tmp_path / "elsewhere", silent)
    assert files_of(tmp_path / "elsewhere") == {}
    assert not (tmp_path / "climbed").exists()


def test_the_commands_say_what_was_kept_and_are_quiet_in_a_pipe(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(table)
    assert main.run(["backup", "../table.zip", "--language", "en"]) == 0
    out, err = capsys.readouterr()
    assert (out, err) == ("../table.zip: files: 8, games: 2.\n", "")
    assert main.run(["restore", "../table.zip", "--into", "../new", "--language", "en"]) == 0
    assert capsys.readouterr().out == "../table.zip: files: 8, games: 2.\n"
    assert main.run(["restore", "croupier.toml", "--into", "../new", "--language", "en"]) == 2
    assert capsys.readouterr().err == ("croupier: croupier.toml: not a whole backup of Croupier; nothing was changed\n")
