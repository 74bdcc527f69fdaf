"""`croupier bench intake`, and those of minutes, in small: the form of their lines, against a real hub."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from croupier.cli import main
from croupier_bench import federation, hub, intake
from tests.hub.postgresql import Cluster


def test_what_a_bench_writes_lies_elsewhere_than_where_it_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with hub.disk_folder() as folder:
        (Path(folder) / "hub.db").touch()
        assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_each_result_is_answered_and_its_time_told(
    tmp_path: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @contextmanager
    def of_the_tests() -> Iterator[object]:
        yield cluster.new_database

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(intake, "cluster", of_the_tests)
    monkeypatch.setattr(intake, "RESULTS", 12)
    monkeypatch.setattr(intake, "CASES", ((3, 2, 1),))
    assert main.run(["bench", "intake", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["what"].split(",")[0] for line in lines] == ["SQLite", "PostgreSQL"]
    for line in lines:
        assert line["ours"] > 0
        assert 0 < line["counts"]["PUT, ms, half"] <= line["counts"]["PUT, ms, 99 of 100"]


@pytest.mark.long
@pytest.mark.parametrize("name", ["club", "federation", "replay", "outage"])
def test_the_long_ones_lose_nothing(
    name: str, tmp_path: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @contextmanager
    def of_the_tests() -> Iterator[object]:
        yield cluster.new_database

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(hub, "LONG_S", {4: 1.0})
    monkeypatch.setattr(hub, "_GAME", 2)
    for module in (hub, federation):
        monkeypatch.setattr(module, "BEAT_S", 0.1)
    for what, value in {"cluster": of_the_tests, "TABLES": 3, "PROCESSES": 1, "RATE": 120, "RATE_S": 1.0,
                        "MILLIONS": 60, "IN_A_PUT": 4, "MILLIONS_IN_A_PUT": 10, "REPLAYS": 1, "WAITING": 30,
                        "PUNCTUAL": 2}.items():  # fmt: skip
        monkeypatch.setattr(federation, what, value)
    assert main.run(["bench", name, "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(lines) == {"club": 1, "federation": 1, "replay": 3, "outage": 3}[name]
    assert all(line["ours"] > 0 for line in lines)
