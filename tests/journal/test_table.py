"""A table whose log fails or whose power is cut: play goes on with nothing lost and nothing dealt twice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from random import Random

import cv2
import pytest

from croupier.devices.pico import PicoShoe
from croupier.devices.protocols import Feed
from croupier.errors import CannotWrite
from croupier.journal import Journal
from croupier.runtime.session import begin, resume
from croupier_sim.demo.faults import FaultyJournal
from croupier_sim.demo.game import Demo, DemoOptions
from tests.runtime.rounds import step
from tests.sim.standin import TruthReader

pytestmark = pytest.mark.slow

ENOUGH = 28
"""Observations: some turns into the first round."""

LONGEST_S = 150.0
"""In simulated time that is much more than enough."""


@pytest.fixture
def demo() -> Iterator[Demo]:
    cv2.setNumThreads(1)
    with closing(Demo(DemoOptions(seed=5, seats=2), TruthReader)) as demo:
        yield demo


@pytest.mark.long
def test_what_could_not_be_written_is_written_later(demo: Demo, tmp_path: Path) -> None:
    random, failed = Random(1), 0

    def fail_now_and_then() -> None:
        nonlocal failed
        if demo.live is not None and random.random() < 0.3:
            failed += 1
            raise CannotWrite("croupier.journal: the disk is full")

    with FaultyJournal(tmp_path / "croupier.journal", fail_now_and_then) as journal:
        demo.begin(begin(journal, demo.header, now=0.0))
        while len(journal.lines(1)) <= ENOUGH and demo.table.now < LONGEST_S:
            step(demo)
        log = [json.loads(line) for line in journal.lines(1)[1:]]
    played = [one["card"] for one in log if one["obs"] == "play"]
    assert failed > 5
    assert len(played) > 5
    assert played == demo.table.laid[1 : 1 + len(played)]
    assert all(one["t"] <= other["t"] for one, other in pairwise(log))


@pytest.mark.long
@pytest.mark.parametrize(
    ("cuts", "pauses"),
    [
        pytest.param((3,), 1, id="while dealing"),
        pytest.param((9, 10, 22), 2, id="again while paused, and later"),
    ],
)
def test_after_a_power_cut_the_motor_waits_and_nothing_is_dealt_twice(
    demo: Demo, cuts: tuple[int, ...], pauses: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ordered: list[tuple[str, Feed]] = []
    feed = PicoShoe.feed

    def watched(shoe: PicoShoe, job: Feed) -> None:
        ordered.append((demo.run.position.phase if demo.live else "", job))
        feed(shoe, job)

    monkeypatch.setattr(PicoShoe, "feed", watched)
    with Journal(tmp_path / "croupier.journal") as journal:
        demo.begin(begin(journal, demo.header, now=0.0))
        for end in (*cuts, ENOUGH):
            while len(journal.lines(1)) <= end and demo.table.now < LONGEST_S:
                step(demo)
            if end is ENOUGH:
                break
            again = resume(journal)
            assert again is not None
            demo.begin(again)
            assert demo.run.position.phase == "paused"
        said = [json.loads(line)["obs"] for line in journal.lines(1)[3:]]  # after what marks a simulation
        assert said.count("resumed") == said.count("fault") == pauses
        dealt = sum(json.loads(line)["n"] for line in journal.lines(1) if '"dealt"' in line)
        assert dealt == 14
        assert list(journal.damages()) == []
    assert demo.table.now < LONGEST_S
    assert "paused" not in [phase for phase, _ in ordered]
    assert len({job.job for _, job in ordered}) == len(ordered)
    position = demo.run.position
    assert sum(position.hands) + position.draw_pile + position.discard_pile == 108
