"""`croupier doctor --shoe`: what is wrong with a machine is found and named, and a good machine passes."""

from __future__ import annotations

import io
import json
import sys
import time
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path
from threading import Event
from typing import Final, get_args

import pytest

from croupier.cli import main
from croupier.cli.table import Provoked
from croupier.devices.pico import Layout
from croupier.doctor.finding import Finding
from croupier.link.link import Link
from croupier_extras.gpio.firmware import Ticks, load
from croupier_extras.shoe_trial import judge as limits
from croupier_extras.shoe_trial.judge import Shown, judge
from croupier_extras.shoe_trial.piles import CLEARING, place
from croupier_extras.shoe_trial.trial import ShoeTrial, Trial, in_words, sorted_runs
from croupier_rules.cards import DECKS
from croupier_sim.board import Settings, SimPico, SimPort
from croupier_sim.shoe_trial import FAULTS as PROVOKED
from croupier_sim.shoe_trial import SimulatedShoe
from tablewire.messages import FAULTS
from tests.hardware.constants import constants
from tests.longer import some

RUNS = sorted_runs("g7942")
DECK = tuple(face for run in RUNS for face in run)
LAYOUT = Layout(seats=4)

NAMED: Final = {
    "sticky": ("shoe.jams", "widen the gate"),
    "double": ("shoe.doubles", "narrow the gate"),
    "hidden-double": ("shoe.doubles", "narrow the gate"),
    "slip": ("shoe.even", "the roller slips"),
    "worn-roller": ("shoe.speed", "clean the roller"),
    "light-weight": ("shoe.weight", "more weight"),
    "lost-steps": ("shoe.turns", "turn_acceleration"),
    "belt-slips": ("shoe.turns", "tighten the belt"),
    "no-magnet": ("shoe.finished", "magnet"),
    "dirty-exit": ("shoe.exit", "wipe the light barrier"),
    "brown-out": ("shoe.finished", "supply"),
}
"""What is provoked, the finding that names it, and what its remedy speaks of."""

CAUSES: Final = {"shoe.jams", "shoe.turns", "shoe.seats", "shoe.exit", "shoe.order", "shoe.weight"}
"""Findings that are no mere consequence of another one."""


@cache
def dealt(wrong: str) -> tuple[Trial, tuple[tuple[str, ...], ...]]:
    """A trial of a simulated shoe with this fault, and what lies at the seats then."""
    with SimulatedShoe(LAYOUT, len(DECK), wrong) as bench:
        trial = ShoeTrial(bench, LAYOUT, bench, bench.now).run(RUNS)
        return trial, tuple(tuple(DECK[n] for n in pile) for pile in bench.piles)


def tried(wrong: str, *, looked: bool = True) -> dict[str, Finding]:
    """What the doctor finds there, by id."""
    trial, piles = dealt(wrong)
    assert trial.world == "SIMULATION"
    return {one.id: one for one in judge(Shown(trial, LAYOUT, place(trial.batches, piles) if looked else None))}


def test_a_good_machine_passes() -> None:
    found = tried("nothing")
    assert {one.state for one in found.values()} == {"ok"}
    assert len(found) == 12
    assert not any(one.remedy for one in found.values())


@pytest.mark.long
@pytest.mark.parametrize("wrong", some(NAMED, len(NAMED)))
def test_a_fault_is_found_and_named_with_what_to_adjust(wrong: str) -> None:
    found = tried(wrong)
    name, remedy = NAMED[wrong]
    assert found[name].state == "wrong"
    assert remedy in found[name].remedy
    assert {one for one in (CAUSES - {name}) & set(found) if found[one].state != "ok"} == set()


def test_cards_that_lie_at_other_seats_than_they_were_dealt_to_are_counted() -> None:
    trial, piles = dealt("nothing")
    turned = (*piles[1:], piles[0])
    found = {one.id: one for one in judge(Shown(trial, LAYOUT, place(trial.batches, turned)))}
    assert found["shoe.seats"].state == "wrong"
    assert found["shoe.seats"].measured["strayed"] == len(DECK)


@pytest.mark.long
def test_a_turntable_that_loses_steps_deals_to_no_other_seat() -> None:
    assert tried("lost-steps")["shoe.seats"].measured["strayed"] == 0


@pytest.mark.long
def test_cards_that_the_light_barrier_cannot_tell_apart_are_found_by_what_lies_there() -> None:
    found = tried("hidden-double")
    assert (found["shoe.doubles"].measured["unseen"], found["shoe.counts"].measured["lie"]) == (2, 108)


@pytest.mark.long
def test_where_nobody_looks_the_hopper_tells_that_too_much_was_counted() -> None:
    assert tried("slip", looked=False)["shoe.counts"].state == "wrong"
    assert tried("nothing", looked=False)["shoe.counts"].state == "absent"


def test_everything_that_can_be_provoked_is_tried_and_offered() -> None:
    assert {*NAMED, "nothing"} == set(PROVOKED) == set(get_args(Provoked))


@pytest.mark.parametrize("deck", DECKS)
def test_the_sorted_deck_is_the_deck_and_no_two_neighbors_are_alike(deck: str) -> None:
    cards = [face for run in sorted_runs(deck) for face in run]
    assert Counter(cards) == DECKS[deck]
    colored = [face for face in cards if not face.startswith("wild")]
    assert all(a != b for a, b in pairwise(colored))


def test_people_see_the_order_in_a_line_for_each_run() -> None:
    assert in_words(RUNS[0]) == "red-0 … red-draw2"
    assert in_words(RUNS[-1]) == "4 wild, 4 wild-draw4"


def test_the_limits_are_those_of_the_firmware() -> None:
    feeder = load(Ticks(lambda: 0.0)).feeder
    assert (feeder.CARD_MM, feeder.DOUBLE, feeder.DOUBLE_GAP_US) == (
        limits.LENGTH_MM, limits.DOUBLE, limits.DOUBLE_GAP_MS * 1000,
    )  # fmt: skip
    assert feeder.SPEED == limits.REFERENCE_SPEED
    assert constants("firmware/pico/turntable.py")["LOST_STEPS"] == limits.LOST_STEPS


def test_every_fault_of_the_firmware_says_what_a_person_is_to_do() -> None:
    assert set(CLEARING) == set(FAULTS) - {"stuck-button", "overflow"}


@pytest.mark.long
def test_it_deals_through_a_real_port(tmp_path: Path) -> None:
    """The link that a table uses, on a pseudo-terminal, in real time: two short runs are enough."""
    with SimPico(Settings(cards=4)) as pico, SimPort(pico, tmp_path, speed=2.0) as port:
        port.start()

        class Nobody:
            def clear(self, _kind: str, _seat: int) -> bool:
                return False

        with Link(str(tmp_path / "ttyACM*")) as link:
            trial = ShoeTrial(link, LAYOUT, Nobody(), time.monotonic).run((RUNS[0][:2], RUNS[1][:2]))
    assert (trial.given_up, trial.passed, trial.left_over) == ("", 4, False)
    assert [batch.ends for batch in trial.batches] == [["complete"], ["complete"]]


@pytest.mark.long
def test_the_command_says_that_it_is_a_simulation_and_ends_with_2_where_something_is_wrong(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main.run(["doctor", "--shoe", "--simulated", "belt-slips"]) == 2
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "SIMULATION"
    assert told[1].startswith("wrong      shoe.turns: ")
    assert "tighten the belt" in told[2]
    assert told[-1] == "wrong: 1, OK: 11"


@pytest.mark.long
def test_the_command_as_json(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main.run(["doctor", "--shoe", "--simulated", "nothing", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["world"] == "SIMULATION"
    assert {one["state"] for one in told["findings"]} == {"ok"}
    speed = next(one for one in told["findings"] if one["id"] == "shoe.speed")
    assert speed["measured"]["configured_mm_s"] == 1200


def test_nothing_moves_where_nobody_stands_by(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    with SimPico(Settings(cards=4)) as pico, SimPort(pico, tmp_path) as port:
        port.start()
        waited = Event()
        while not list(tmp_path.glob("ttyACM*")):
            waited.wait(0.01)
        Path("croupier.toml").write_text(f'[shoe]\nkind = "pico"\n[pico]\nport = "{tmp_path}/ttyACM*"\n')
        assert main.run(["doctor", "--shoe"]) == 2
        assert not pico.is_driven
    assert "without a person standing by" in capsys.readouterr().err


def test_a_table_without_a_shoe_is_reported_so(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("croupier.toml").write_text('[shoe]\nkind = "none"\n')
    assert main.run(["doctor", "--shoe"]) == 2
    assert "there is no shoe to try" in capsys.readouterr().err
