"""People see names. Where a seat has no name but a number, it is the number that they type and configure: from 0."""

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


def test_the_page_counts_seats_from_0(tmp_path: Path) -> None:
    with page(tmp_path, game_lines(1)[:1]) as table:
        table.table.may_start_game = True
        client = table.client(Person("referee"))
        answer = client.get("games/1/seats/8")
        assert answer.status_code == 404
        assert "There is no seat 8." in answer.text
        assert re.findall(r">Seat (\d+)<", client.get("games/1/next").text) == ["0", "1", "2", "3"]


def test_the_description_of_a_table_counts_seats_from_0(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert read("[seats]\nnumber = 3").names() == ("Seat 0", "Seat 1", "Seat 2")
    monkeypatch.chdir(tmp_path)
    Path("croupier.toml").write_text("[seats]\nnumber = 3\ndealer = 3\n")
    assert run(["run"]) == 2
    assert "there is no seat 3: expected 0 to 2" in capsys.readouterr().err


@pytest.mark.parametrize("folder", ["host", "sim"])
def test_no_text_adds_1_to_a_seat(folder: str) -> None:
    shifted = re.compile(r"\bseat=[\w.]*seat[\w.]* *\+ *1|\bSeat \{n\}\", n=loop\.index\b|[Ss]eat \{\w+ \+ 1\}")
    files = [file for file in (ROOT / folder).rglob("*") if file.suffix in (".py", ".html", ".js")]
    assert [str(file) for file in files if shifted.search(file.read_text(encoding="utf-8"))] == []
