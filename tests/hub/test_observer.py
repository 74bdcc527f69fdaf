"""The observer of a tournament, as croupier.toml asks for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from croupier.journal import Journal
from croupier_hub.errors import BadHub, BadOutbox
from croupier_hub.table_observer import TournamentTable
from tests.observers.test_notifier import begin_game, notifier


def test_each_game_has_the_same_observer(tmp_path: Path) -> None:
    hall = notifier(f'[tournament]\nhub = "http://127.0.0.1:9"\nfile = "{tmp_path}/table.outbox"\n')
    with Journal(tmp_path / "croupier.journal") as journal:
        found = [begin_game(hall, journal)[-1] for _ in range(2)]
    assert isinstance(found[0], TournamentTable)
    assert found == [hall.plugins["tournament"]] * 2
    hall.close()


def test_a_section_without_a_hub_asks_for_no_observer() -> None:
    assert "tournament" not in notifier("[tournament]\n").plugins


def test_a_tournament_whose_hub_or_file_others_could_read_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "table.outbox"
    table = f'[tournament]\nfile = "{file}"\nhub = '
    for hub in ("https://hub.example.org", "http://192.168.1.20:8400", "http://[fd00::1]", "http://hub.local:1"):
        notifier(f'{table}"{hub}"').close()
    for hub in ("http://hub.example.org", "http://8.8.8.8:8400", "http://[2001:4860::1]"):
        with pytest.raises(BadHub, match=r"outside your own network.* expected https:// in place of http://"):
            notifier(f'{table}"{hub}"')
    file.chmod(0o644)
    with pytest.raises(BadOutbox, match=f"expected chmod 600 {file}"):
        notifier(f'{table}"https://hub.example.org"')
