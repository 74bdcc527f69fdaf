"""`croupier bench intake`: the form of its lines, against a real hub."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from croupier.cli import main
from croupier_bench import intake
from tests.hub.postgresql import Cluster


@pytest.mark.long
def test_each_result_is_answered_and_its_time_told(
    tmp_path: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @contextmanager
    def of_the_tests() -> Iterator[object]:
        yield cluster.new_database

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(intake, "_cluster", of_the_tests)
    monkeypatch.setattr(intake, "RESULTS", 12)
    monkeypatch.setattr(intake, "CASES", ((3, 2, 1),))
    assert main.run(["bench", "intake", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["what"].split(",")[0] for line in lines] == ["SQLite", "PostgreSQL"]
    for line in lines:
        assert line["ours"] > 0
        assert 0 < line["counts"]["PUT, ms, half"] <= line["counts"]["PUT, ms, 99 of 100"]
