"""`croupier bench strangers` in small: real servers, strangers and honest users, and what is told of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from croupier_bench.strangers import measure


@pytest.mark.long
@pytest.mark.slow
def test_strangers_take_nothing_that_was_acknowledged_and_fill_neither_memory_nor_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = {line["what"]: line for line in measure(4.0, 10, 2.0)}
    assert lines["acknowledged results that are not there"]["ours"] == 0
    assert lines["acknowledged results that are not there"]["counts"]["acknowledged"] > 0
    for what, line in lines.items():
        if "memory" in what or "log" in what:
            assert line["ours"] <= line["limit"], line
    assert lines["memory of the hub at its highest"]["counts"]["descriptors, second half"] > 0
    assert sum(lines["what strangers did"]["counts"].values()) > 0
