"""`croupier tournament demo`: a whole tournament in one program, with a real hub and real tables."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from croupier.cli import main
from croupier_hub.results import Results, TableResult, check
from tests.extras.broker import MOSQUITTO
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.skipif(
    MOSQUITTO is None, reason="there is no mosquitto here; tests/apt.txt installs it where it may"
)
DEMO = ("tournament", "demo", "--speed", "1e9")


def demo(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main.run([*DEMO, *arguments]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def scored(table: TableResult) -> str:
    points = zip(table.seats, table.points or (), strict=True)
    return ", ".join(f"{player}: {gained}" for player, gained in points)


@pytest.mark.long
def test_every_round_is_played_at_every_table_and_ends_with_the_standings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "results.json"
    file.write_text(demo(capsys, "--tables", "2", "--rounds", "2", "--json"))
    results = check(file)
    assert [(one.ended, len(one.tables)) for one in results.rounds] == [(True, 2)] * 2
    assert all(table.points and sum(table.points) > 0 for one in results.rounds for table in one.tables)
    assert (len(results.standings), results.forks, results.quarantined) == (8, {}, [])
    lines = demo(capsys, "--tables", "2", "--rounds", "2").splitlines()
    places = [one.place for one in results.standings]
    assert lines[0].startswith("SIMULATION: the hub is at http://127.0.0.1:")
    assert lines[1].startswith("Director: http://127.0.0.1:")
    assert lines.pop(2).startswith("mosquitto: mqtt://house:")
    for number, one in enumerate(results.rounds):  # the same seed, and what was printed as it came
        heading, *told = lines[2 + 3 * number : 5 + 3 * number]
        assert heading == f"Round {one.round}"
        assert sorted(told) == [f"Table {table.table} – {scored(table)}" for table in one.tables]
    rows = [row.split(maxsplit=1) for row in lines[9:]]
    assert [place.strip("=") for place, _ in rows] == [str(place) for place in places]
    assert [place.startswith("=") for place, _ in rows] == [places.count(place) > 1 for place in places]
    assert [row.split() for _, row in rows] == [[*one.player.split(), str(one.points)] for one in results.standings]
    other = Results.model_validate_json(demo(capsys, "--tables", "2", "--rounds", "2", "--seed", "2", "--json"))
    assert other.standings != results.standings


@pytest.mark.long
def test_ctrl_c_ends_it_and_leaves_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "croupier", *DEMO[:2], "--tables", "2", "--speed", "0.1"]
    with subprocess.Popen(
        command, env=os.environ | {"TMPDIR": str(tmp_path)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process, ExitStack() as end:  # fmt: skip
        end.callback(process.kill)
        assert process.stdout is not None
        assert "SIMULATION" in process.stdout.readline()
        assert "/enter/" in process.stdout.readline()
        assert "mqtt://" in process.stdout.readline()
        assert process.stdout.readline() == "Round 1\n"
        assert list(tmp_path.iterdir())
        process.send_signal(signal.SIGINT)
        _out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, err) == (130, "")
    assert not list(tmp_path.iterdir())
