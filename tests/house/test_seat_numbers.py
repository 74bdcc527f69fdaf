"""People see names, and count from 1 where a seat has none. The files that they write, and the log, count from 0."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from croupier.cli.main import run
from croupier.config import read
from croupier.web.accounts import Person
from tests.journal.games import game_lines
from tests.web.tables import page
from tools.lock import ROOT


def test_the_page_counts_seats_from_1(tmp_path: Path) -> None:
    with page(tmp_path, game_lines(1)[:1]) as table:
        table.table.may_start_game = True
        client = table.client(Person("referee"))
        assert client.get("games/1/seats/8").status_code == 404
        assert re.findall(r">Seat (\d+)<", client.get("games/1/next").text) == ["1", "2", "3", "4"]


def test_the_description_of_a_table_counts_seats_from_0(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert read("[seats]\nnumber = 3").names() == ("Player 1", "Player 2", "Player 3")
    monkeypatch.chdir(tmp_path)
    Path("croupier.toml").write_text("[seats]\nnumber = 3\ndealer = 3\n")
    assert run(["run"]) == 2
    assert "there is no seat 3: expected 0 to 2" in capsys.readouterr().err


@pytest.mark.parametrize("folder", ["host", "sim"])
def test_no_page_shows_the_index_of_a_seat(folder: str) -> None:
    """Labels of forms count from 1."""
    index = re.compile(r"\bSeat \{n\}\", n=(loop\.index0|[\w.]*number|[\w.]*index\(\w+\))\)|f\"Seat \{seat\}\"")
    files = [file for file in (ROOT / folder).rglob("*") if file.suffix in (".py", ".html", ".js")]
    found = [str(file) for file in files if index.search(file.read_text(encoding="utf-8"))]
    # A bundle is for those who write code.
    assert [one for one in found if not one.endswith("croupier_extras/bundle.py")] == []
