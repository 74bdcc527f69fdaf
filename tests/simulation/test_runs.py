"""The deterministic simulation: whatever goes wrong round a table, what must hold holds, and the game ends."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from croupier.devices.pico.shoe import PicoShoe
from croupier.journal import Journal
from croupier.runtime.interlocks import Interlocks
from croupier.runtime.table import Table
from tests.longer import run_number
from tests.simulation import long_run, pico
from tests.simulation.disk import Disk, SimJournal
from tests.simulation.run import FIRST, run_seed, told

ROOT = Path(__file__).parents[2]
CHUNK = 10
"""Seeds of one test."""


def check(seeds: range, rules: str = "") -> None:
    failures = [told(outcome) for seed in seeds if (outcome := run_seed(seed, rules)).failure]
    assert not failures, "\n".join(failures)


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, 6 * CHUNK, CHUNK))
def test_all_holds_whatever_goes_wrong(first: int) -> None:
    check(range(first, first + CHUNK))


@pytest.mark.parametrize(
    ("seed", "rules"),
    [
        pytest.param(501541, FIRST, id="lines-that-waited-kept-a-motor-running"),
        pytest.param(601057, FIRST, id="a-card-that-was-drawn-just-before-the-game-was-won"),
        pytest.param(801117, FIRST, id="a-kill-between-the-end-of-a-game-and-its-last-card"),
        pytest.param(700972, FIRST, id="a-game-of-many-rounds-is-no-standstill"),
        pytest.param(6179, FIRST, id="a-challenge-that-was-undone-shows-no-hand"),
        pytest.param(3267, FIRST, id="a-round-opened-again-just-before-go"),
        pytest.param(6906, FIRST, id="the-last-round-corrected-while-the-next-is-dealt"),
        pytest.param(1981059, "", id="two-cards-at-a-motor-that-silence-stopped"),
    ],
)
def test_what_a_seed_has_found_stays_mended(seed: int, rules: str) -> None:
    check(range(seed, seed + 1), rules)


@pytest.mark.nightly
@pytest.mark.parametrize("hundred", range(8))
def test_all_holds_for_thousands_of_seeds(hundred: int) -> None:
    """CROUPIER_RUN chooses the seeds (`run_number`)."""
    first = 100 * (1 + 8 * run_number() + hundred)
    check(range(first, first + 100))


def test_a_seed_gives_the_same_run_byte_for_byte() -> None:
    assert run_seed(2).trace == run_seed(2).trace


@pytest.mark.long
@pytest.mark.slow
def test_a_seed_gives_the_same_run_in_another_process() -> None:
    digests = set()
    for hash_seed in ("1", "2"):
        told = subprocess.run(
            [sys.executable, "-m", "tests.simulation", "36"], cwd=ROOT, env=os.environ | {"PYTHONHASHSEED": hash_seed},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        digests |= {line for line in told.stdout.splitlines() if line.startswith("trace ")}
    assert len(digests) == 1


@pytest.mark.long
def test_the_seeds_let_go_wrong_what_can() -> None:
    runs = [(seed, rules) for seed in range(70, 130) for rules in ("no-mercy-en+seven-zero", "")]
    left = {
        "KILLED while it wrote", "KILLED after", "by a power cut", "pico starts: watchdog", "pico starts: power",
        "cable out", "disk full", "2 cards to seat", "alarm shoe jam",
        "alarm shoe job-in-doubt", "alarm shoe silence", "alarm clock set", "alarm buttons stuck", "'undo':",
        "ask next-round", "ask done", "ask choose-dealer", "ask choose-seat", "ask stack", "ask discard",
        "ask turn-up-cards", "ask collect-hands", "does='leave'", "does='join'", "does='swap'", "under the draw pile",
    }  # fmt: skip
    while left and runs:
        said = "\n".join(run_seed(*runs.pop(0)).trace)
        left -= {what for what in left if what in said}
    assert not left, "never"


@pytest.mark.nightly  # three minutes; what is found when something is left over, is tested below
def test_games_in_a_row_in_one_program_take_no_more_and_more_of_the_machine(record_property: Any) -> None:
    """In so few games caches still fill; one object that is kept of each line of the log would be more."""
    report = long_run.play(run_number(), 40)
    record_property("figures", long_run.told(report))
    assert report.failure == ""
    assert report.games == 40
    assert report.is_constant, long_run.told(report)
    assert report.blocks_a_game < report.lines / report.games, long_run.told(report)


@pytest.mark.long
def test_a_program_that_keeps_something_of_each_game_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[list[str]] = []
    monkeypatch.setattr(Table, "_note_news", lambda table, *told: kept.append([str(told)]))
    report = long_run.play(1, 8)
    assert report.failure == ""
    assert report.blocks_a_game > report.lines / report.games, long_run.told(report)


# What the simulation would find: each of these breaks one thing that must hold.


def found(seeds: range, what: str) -> bool:
    return any(what in run_seed(seed).failure for seed in seeds)


@pytest.mark.long
def test_it_finds_a_shoe_that_feeds_a_job_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    deal = pico._firmware.app.Shoe.deal

    def forgetful(shoe: Any, job: int, place: int | None, n: int) -> None:
        shoe._ended.clear()
        shoe._memory.job = 0
        deal(shoe, job, place, n)

    monkeypatch.setattr(pico._firmware.app.Shoe, "deal", forgetful)
    assert found(range(11, 100), " came")


@pytest.mark.long
def test_it_finds_a_motor_that_goes_on_without_a_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pico._firmware.app.Guard, "_look", lambda guard: None)
    assert found(range(60), "after the host fell silent")


def test_it_finds_a_log_that_differs_from_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    append = SimJournal.append

    def forgetful(journal: SimJournal, game: int, *lines: Any, fed: Mapping[int, int] = MappingProxyType({})) -> Any:
        append(journal, game, *(line for line in lines if line["obs"] != "play"), fed=fed)
        return (b"",) * len(lines)

    monkeypatch.setattr(SimJournal, "append", forgetful)
    assert found(range(10), "the log gives")


def test_it_finds_an_acknowledged_line_that_a_kill_took_away(monkeypatch: pytest.MonkeyPatch) -> None:
    image = Disk.image
    monkeypatch.setattr(Disk, "image", lambda disk: dict(list(image(disk).items())[:1]))
    assert found(range(20), "no game 1")


@pytest.mark.long
def test_it_finds_an_outcome_of_a_job_that_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Journal, "_end_job", lambda journal, game, job, fed: None)
    assert found(range(1, 11), "without an outcome [Feed")


def test_it_finds_a_table_that_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Interlocks, "is_clear", property(lambda interlocks: False))
    assert found(range(10), "standstill")


def test_it_finds_cards_that_are_logged_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    reports = PicoShoe.reports
    monkeypatch.setattr(PicoShoe, "reports", lambda shoe: reports(shoe) * 2)
    assert found(range(10), "the log has")
