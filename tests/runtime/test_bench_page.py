"""The spectators of `croupier bench page` see what is written, and what is measured is when they did."""

from __future__ import annotations

from pathlib import Path

from croupier_bench.page import _late_ms, _spectators
from tests.journal.games import game_lines
from tests.web.tables import page


def test_each_spectator_tells_when_each_line_was_on_its_page(tmp_path: Path) -> None:
    lines = game_lines()
    with page(tmp_path, lines[:20]) as made:
        with _spectators(made.server.url, 3) as spectators:
            made.write(*lines[20:23])
            told = spectators()
        assert len(told["loads"]) == 3
        assert [had[0][0] for had in told["had"]] == [19] * 3


def test_a_line_is_late_until_it_or_a_later_one_is_there() -> None:
    written = [(7, 1.0), (8, 1.5), (9, 2.0)]
    assert list(_late_ms(written, [(6, 0.5), (8, 1.75)])) == [750.0, 250.0]
