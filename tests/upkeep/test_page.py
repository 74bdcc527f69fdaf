"""Backup and update on the page: who may, how far they are, and what the table does of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from croupier.errors import BadMessage
from croupier.web.accounts import Person
from croupier_extras.upkeep import routes
from croupier_extras.upkeep.backup import restore
from croupier_extras.upkeep.routes import WISH, BackupState, Upkeep, _back_up, keep
from tests.journal.games import game_lines
from tests.web.tables import page


def part(folder: Path) -> Upkeep:
    return Upkeep(folder / "croupier.journal", lambda text: None, folder / "said")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """The folder of a table with one game."""
    with page(tmp_path, game_lines(1)):
        pass
    (tmp_path / "croupier.toml").write_text('[camera]\nsource = "none"\n')
    return tmp_path


def test_a_backup_is_written_beside_the_journal_under_a_new_name_and_can_be_taken_back(table: Path) -> None:
    assert part(table).backup() is None
    for n in (1, 2):
        _begin(table)
        state = part(table).backup()
        assert state is not None
        assert (state.file, state.games, state.error) == (f"backup-{n}.zip", 1, "")
        assert state.done > 0
        assert state.is_over
    held = restore(table / "backup-2.zip", table / "elsewhere", lambda n: None)
    assert held.games == 1
    assert "croupier.journal-upkeep" not in held.files
    assert not any(name.endswith(".zip") for name in held.files)


def _begin(table: Path) -> None:
    """As `keep`, without its thread."""
    assert routes._backing_up.acquire(blocking=False)
    _back_up(table / "croupier.journal")


def test_why_there_is_no_backup_is_said(table: Path) -> None:
    (table / "croupier.toml").write_text("[tabel]\n")
    _begin(table)
    state = part(table).backup()
    assert state is not None
    assert "tabel: unknown section" in state.error
    assert list(table.glob("*.zip")) == []
    _begin(table)  # the next one may begin


def test_the_table_writes_the_wish_for_an_update_and_nothing_else_that_a_page_sends(table: Path) -> None:
    keep(table / "croupier.journal", "update")
    assert part(table).is_update_wanted
    before = sorted(table.iterdir())
    for text in ("", "Update", "../update", "update --older"):
        with pytest.raises(BadMessage):
            keep(table / "croupier.journal", text)
    assert sorted(table.iterdir()) == before


def test_what_the_last_update_said_is_shown(table: Path) -> None:
    assert part(table).said() == []
    (table / "said").write_text("Version 0.2.1 is tried.\nVersion 0.2.1 is kept.\n")
    assert part(table).said() == ["Version 0.2.1 is tried.", "Version 0.2.1 is kept."]


class AtOnce:
    """A thread that has ended when it has begun."""

    def __init__(self, *, target: Callable[[Path], None], args: tuple[Path], name: str, daemon: bool) -> None:
        self._target, self._args = target, args

    def start(self) -> None:
        self._target(*self._args)


BETWEEN = "A backup and an update are possible between two games."


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program is the Debian package, and a backup is there at once."""
    monkeypatch.setattr(routes, "Thread", AtOnce)
    monkeypatch.setattr(routes, "is_package", lambda: True)


@pytest.mark.slow
def test_an_admin_backs_up_and_updates_between_games(table: Path, package: None) -> None:
    with page(table, game_lines(1), live=2) as up:
        up.table.may_start_game = True
        client = up.client(Person("admin"))
        assert BETWEEN not in client.get("upkeep").text
        assert client.post("upkeep", data={"do": "backup"}).status_code == 303
        assert "The last backup: backup-1.zip, games: 2." in client.get("upkeep").text
        assert client.post("upkeep", data={"do": "update"}).status_code == 303
        assert (table / WISH).exists()
        told = client.get("upkeep").text
        assert "The update begins." in told
        assert "Look for a newer version" not in told


@pytest.mark.slow
@pytest.mark.parametrize("do", ["backup", "update"])
def test_during_a_game_both_are_refused_in_one_line(do: str, table: Path, package: None) -> None:
    with page(table, game_lines(1), live=2) as up:
        client = up.client(Person("admin"))
        shown = client.get("upkeep").text
        assert shown.count(BETWEEN) == 1
        assert f'name="do" value="{do}" disabled>' in shown
        refused = client.post("upkeep", data={"do": do})
        assert refused.status_code == 409
        assert BETWEEN in refused.text
        assert not (table / WISH).exists()
        assert list(table.glob("*.zip")) == []


@pytest.mark.slow
def test_a_table_that_is_no_package_says_so_and_takes_no_wish(table: Path) -> None:
    with page(table, game_lines(1), live=2) as up:
        up.table.may_start_game = True
        client = up.client(Person("admin"))
        told = "It is updated as it was installed."
        assert told in client.get("upkeep").text
        refused = client.post("upkeep", data={"do": "update"})
        assert (refused.status_code, told in refused.text) == (409, True)
        assert not (table / WISH).exists()


def test_a_state_that_is_damaged_is_no_backup(table: Path) -> None:
    (table / "croupier.journal-upkeep").write_text("{")
    assert part(table).backup() is None
    assert not BackupState("backup-1.zip", 5).is_over
