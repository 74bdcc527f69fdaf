"""The page of a demo: what is played there is on it, and what is wished there happens at the table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import cv2
import httpx
import numpy as np
import pytest
from croupier.runtime.command_queue import Spoken

from croupier.commands import ChooseDealer, Command, MakeHouseRule, NameCard, PressKey, ProvokeFault
from croupier.events import Amended, CommandGiven, Press, UnsureCard
from croupier.journal import Journal
from croupier.referee.corrections import SetTo, Was
from croupier.referee.observations import Dealt, Fault, Hint, Observation, Overrule, Play, Upcard
from croupier.runtime.session import Kept, begin
from croupier.web.story import Story
from croupier_sim.demo.game import Demo
from croupier_sim.demo.machine import Sources
from croupier_sim.demo.page import DemoPageTable, page
from croupier_sim.demo.setting import DemoOptions
from tests.sim.standin import TruthReader


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[tuple[Demo, Kept]]:
    cv2.setNumThreads(1)
    journal_file = tmp_path / "croupier.journal"
    with closing(Demo(DemoOptions(seed=5, seats=2), TruthReader)) as demo, Journal(journal_file) as journal:
        yield demo, begin(journal, demo.header, now=0.0)


def step_until(demo: Demo, kept: Kept, kind: type[Observation], lines: int = 60) -> list[Observation]:
    """Play on until something of this kind is told; all that was told until then."""
    told: list[Observation] = []
    demo.listeners.append(lambda one, rulings, position: told.append(one) if isinstance(one, Observation) else None)
    demo.begin(kept.record)
    while not any(isinstance(one, kind) for one in told) and len(told) < lines and not demo.is_over:
        demo.step()
    return told


def test_the_page_shows_the_simulated_game_and_what_its_camera_sees(kept: tuple[Demo, Kept]) -> None:
    demo, game = kept
    with page(demo, game, port=0) as (up, code):
        client = httpx.Client(base_url=up.url)
        step_until(demo, game, Upcard)
        up.ring()
        shown = client.get("games/1").text
        assert "SIMULATION" in shown
        assert "Ann" in shown
        assert "’s turn" in shown or "names a color" in shown or "First card" in shown
        picture = cv2.imdecode(np.frombuffer(client.get("camera.jpg").content, np.uint8), cv2.IMREAD_COLOR)
        assert picture is not None
        assert picture.shape == (720, 1280, 3)
        assert client.post("login", data={"code": code}).status_code == 303
        assert client.post("actions/fault", data={"fault": "jam"}).status_code == 204
        assert client.post("actions/fault", data={"fault": "fire"}).status_code == 403
        client.close()


@pytest.mark.parametrize("fault", ["jam", "double-feed"])
def test_a_fault_that_was_provoked_is_told_and_healed(kept: tuple[Demo, Kept], fault: str) -> None:
    demo, game = kept
    desk = DemoPageTable(demo, game.game)
    assert fault in desk.faults
    desk.submit(ProvokeFault(fault))
    told = step_until(demo, game, Upcard)
    assert [one.kind for one in told if isinstance(one, Fault)] == [fault]
    assert demo.run is not None
    assert demo.run.position.hands == (7, 7)
    assert [len(hand) for hand in demo.table.hands] == [7, 7]


def test_a_button_that_hangs_is_told_until_it_comes_loose(kept: tuple[Demo, Kept]) -> None:
    demo, game = kept
    desk = DemoPageTable(demo, game.game)
    desk.submit(ProvokeFault("stuck-button"))
    demo.begin(game.record)
    told = []
    while demo.table.now < 18.0:
        demo.step()
        told.append(desk.alarms)
    (trial,) = demo.trials.trials
    assert (("buttons", "stuck"),) in told
    assert told[-1] == ()
    assert trial.told is not None
    assert trial.healed is not None
    assert trial.began < trial.told < trial.healed


SAID: list[tuple[Command, object]] = [
    (PressKey(1, "uno"), Press(t=9.875, u=0.125, seat=1, key="uno")),
    (NameCard("red-7"), CommandGiven(t=9.875, u=0.125, command=NameCard("red-7"))),
    (ChooseDealer(0), CommandGiven(t=9.875, u=0.125, command=ChooseDealer(0))),
    (MakeHouseRule(1, 7, "Clap."), CommandGiven(t=9.875, u=0.125, command=MakeHouseRule(1, 7, "Clap."))),
]


def test_what_is_wished_arrives_beside_the_keys_with_the_doubt_of_a_phone() -> None:
    class Keys:
        def watermark(self) -> float:
            return 10.0

        def poll(self) -> tuple[Press, ...]:
            return (Press(t=9.0, seat=0, key="go"),)

    spoken = Spoken(lambda: 10.0)
    source = Sources((Keys(), spoken))
    for wish, _ in SAID:
        spoken.wish(wish)
    assert source.watermark() == 9.875
    assert source.poll() == [Press(t=9.0, seat=0, key="go"), *(said for _, said in SAID)]
    assert source.poll() == [Press(t=9.0, seat=0, key="go")]


def test_what_is_set_right_on_the_page_stands_in_the_record_and_the_game_goes_on(kept: tuple[Demo, Kept]) -> None:
    demo, game = kept
    desk = DemoPageTable(demo, game.game)
    amended: list[Observation] = []
    demo.listeners.append(lambda one, *_: amended.extend(one.observations) if isinstance(one, Amended) else None)
    told = step_until(demo, game, Play)
    assert demo.run is not None
    dealt = next(one for one in told if isinstance(one, Dealt))
    so_far = len(told)
    for correction in (SetTo({"scores": [30, 0]}), Was(dealt, replace(dealt, u=0.5)), Was(Hint(0.0, 1), None)):
        desk.submit(correction)
    for _ in range(12):
        demo.step()
    assert demo.run.position.scores == (30, 0)
    assert [one.undo for one in amended if isinstance(one, Overrule) and not one.set] == [so_far]
    header, *lines = game.journal.lines(game.game)
    story = Story(header)
    story.extend(lines)
    assert story.moments[-1].position["scores"] == [30, 0]


def test_what_a_card_may_be_is_asked_until_somebody_knows(kept: tuple[Demo, Kept]) -> None:
    demo, game = kept
    desk = DemoPageTable(demo, game.game)
    demo.begin(game.record)
    assert demo.run is not None
    position = demo.run.position
    unsure = UnsureCard(1.0, ("red-6", "red-9"))
    for settled in (Amended(2.0, (Play(2.0, card="red-9"),)), Play(2.0, card="blue-1")):
        desk(unsure, (), position)
        desk(Play(1.5, card="?"), (), position)
        assert desk.candidates == ("red-6", "red-9")
        desk(settled, (), position)
        assert not desk.candidates
    desk(unsure, (), position)
    desk.submit(NameCard("red-6"))
    assert not desk.candidates
