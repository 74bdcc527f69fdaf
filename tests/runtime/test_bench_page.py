"""The spectators of `croupier bench page` see what is written, and what is measured is when they did."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

import httpx
import pytest

from croupier_bench.browser import SLOW_NETWORK, big_screen, phone_load
from croupier_bench.page import LIMIT_PAGE_KB, PAGES, _late_ms, _spectators, measure_attack
from tests.journal.games import game_lines
from tests.patience import PATIENCE_S
from tests.web.chromium import needs_chromium
from tests.web.tables import page


@pytest.mark.long
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


def test_each_page_that_a_phone_loads_is_there(tmp_path: Path) -> None:
    with page(tmp_path, game_lines()) as made, httpx.Client(base_url=made.server.url, timeout=PATIENCE_S) as client:
        found = {what: client.get(path).status_code for what, path in PAGES.items()}
    assert found == dict.fromkeys(PAGES, 200)
    assert "the ladder" in found


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
def test_a_browser_tells_when_each_line_was_painted_on_the_big_screen(tmp_path: Path) -> None:
    lines = game_lines()
    with page(tmp_path, lines[:20]) as made, big_screen(f"{made.server.url}games/1/board") as painted:
        before = monotonic()
        made.write(lines[20])
        while not (seen := [when for n, when in painted() if n == 20]):
            pass
        assert before < seen[0] < monotonic()


@pytest.mark.slow
@needs_chromium
@pytest.mark.long
def test_a_slow_phone_waits_for_what_it_loads(tmp_path: Path) -> None:
    with page(tmp_path, game_lines(5, rounds=3, target=150)[:150]) as made:
        loads = {what: phone_load(f"{made.server.url}{path}", loads=1) for what, path in PAGES.items()}
    assert {what for what, load in loads.items() if not 20 <= load.kilobytes <= LIMIT_PAGE_KB} == set()
    load = loads["a seat"]
    least_ms = SLOW_NETWORK["latency"] + 1000 * 1000 * load.kilobytes / 2 / SLOW_NETWORK["downloadThroughput"]
    assert load.interactive_ms >= least_ms, "not faster than the network, with the half that is no font"


@pytest.mark.long
def test_a_page_under_attack_stays_small_and_silent_and_refuses_no_honest_reader() -> None:
    lines = list(measure_attack(seconds=20.0, slow=300, streams=60, guessers=20))
    figures = {line["what"].partition(",")[0]: line for line in lines}
    for what in ("memory of the page at its highest", "requests of the honest reader that were refused"):
        assert figures[what]["ours"] <= figures[what]["limit"]
    assert figures["lines in the log each minute"]["ours"] == 0
    counts = lines[-1]["counts"]
    assert counts["pages read"] > 0
    assert counts["slow"] >= 300
    assert counts["streams"].keys() == {"200"}
    assert counts["guesses"]["429"] > 0
    assert counts["guesses"].keys() <= {"403", "429", "503"}
