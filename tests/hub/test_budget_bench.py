"""`croupier bench budget` in small: a real hub, and what each kind of request costs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from croupier_bench.hub_budget import hall, measure


@pytest.mark.long
def test_each_kind_of_request_is_measured_and_the_hall_is_made_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    *kinds, of_hall = measure(3, 2)
    statuses = {line["what"].partition(",")[0]: line["counts"]["statuses"] for line in kinds}
    assert {kind for who in hall(3) for kind in who.asks} <= statuses.keys()
    assert {kind for kind, status in statuses.items() if status == "[200]"} == {
        "a line", "the director’s log", "a proof of a log", "the desk", "calls", "the screen", "the tournament",
        "standings", "all results",
    }  # fmt: skip
    assert 0 < of_hall["ours"] < of_hall["limit"]
    assert of_hall["counts"].keys() == {f"{who.name} ({who.number}), a minute" for who in hall(3)}
