"""The page of a demo: what is played there is on it, and what is ordered there happens at the table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import cv2
import httpx
import numpy as np
import pytest

from croupier.commands import ChooseDealer, Command, MakeHouseRule, NameCard, PressKey, ProvokeFault
from croupier.console import Console
from croupier.events import Amended, CommandGiven, Press
from croupier.game_views.story import Story
from croupier.journal import Journal
from croupier.runtime.session import begin
from croupier.runtime.table import Table
from croupier_rules.referee.corrections import SetTo, Was
from croupier_rules.referee.observations import Dealt, Fault, Hint, Observation, Overrule, Play, Upcard
from croupier_sim.demo.game import Demo, DemoOptions
from croupier_sim.demo.presentation import DemoPage, _serve
from tests.patience import PATIENCE_S
from tests.runtime.rounds import step
from tests.sim.standin import TruthReader


class Game:
    """A demo with its page object, and everything that is observed in it."""

    def __init__(self, demo: Demo, journal: Journal) -> None:
        self.demo, self.journal = demo, journal
        self.seen: list[Observation] = []
        self.amended: list[Observation] = []
        demo.observers.append(lambda event, rulings, position: self._note(event))

    def begin(self) -> Table:
        table = self.demo.begin(begin(self.journal, self.demo.header, now=0.0))
        self.page = DemoPage(self.demo, table)
        return table

    def step_until(self, kind: type[Observation], lines: int = 60) -> list[Observation]:
        """Play on until an observation of this kind comes; returns all observations until then."""
        while not any(isinstance(one, kind) for one in self.seen) and len(self.seen) < lines and not self.demo.is_over:
            step(self.demo)
        return self.seen

    def _note(self, event: object) -> None:
        if isinstance(event, Observation):
            self.seen.append(event)
        elif isinstance(event, Amended):
            self.amended.extend(event.observations)


@pytest.fixture
def game(tmp_path: Path) -> Iterator[Game]:
    cv2.setNumThreads(1)
    with (
        closing(Demo(DemoOptions(seed=5, seats=2), TruthReader)) as demo,
        Journal(tmp_path / "croupier.journal") as journal,
    ):
        yield Game(demo, journal)


def test_the_page_shows_the_simulated_game_and_what_its_camera_sees(
    game: Game, capsys: pytest.CaptureFixture[str]
) -> None:
    with ExitStack() as stack:
        up = _serve(game.demo, game.journal.path, 0, stack, Console())
        assert up is not None
        game.begin()
        up.show(game.page)
        code = capsys.readouterr().out.split()[-1]
        client = stack.enter_context(httpx.Client(base_url=up.url, timeout=PATIENCE_S))
        game.step_until(Upcard)
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


@pytest.mark.long
@pytest.mark.parametrize("fault", ["jam", "double-feed"])
def test_a_fault_that_was_provoked_is_reported_and_healed(game: Game, fault: str) -> None:
    game.begin()
    assert fault in game.page.faults
    game.page.submit(ProvokeFault(fault))
    seen = game.step_until(Upcard)
    assert [one.kind for one in seen if isinstance(one, Fault)] == [fault]
    assert game.demo.run.position.hands == (7, 7)
    assert [len(hand) for hand in game.demo.table.hands] == [7, 7]


@pytest.mark.long
def test_a_button_that_hangs_is_reported_until_it_comes_loose(game: Game) -> None:
    game.begin()
    game.page.submit(ProvokeFault("stuck-button"))
    alarms = []
    while game.demo.table.now < 18.0:
        step(game.demo)
        alarms.append(game.page.state.alarms)
    (trial,) = game.demo.faults.trials
    assert (("buttons", "stuck"),) in alarms
    assert alarms[-1] == ()
    assert trial.reported is not None
    assert trial.healed is not None
    assert trial.began < trial.reported < trial.healed


ORDERED: list[tuple[Command, object]] = [
    (PressKey(1, "uno"), Press(t=9.875, u=0.125, seat=1, key="uno")),
    (NameCard("red-7"), CommandGiven(t=9.875, u=0.125, command=NameCard("red-7"))),
    (ChooseDealer(0), CommandGiven(t=9.875, u=0.125, command=ChooseDealer(0))),
    (MakeHouseRule(1, 7, "Clap."), CommandGiven(t=9.875, u=0.125, command=MakeHouseRule(1, 7, "Clap."))),
]


def test_what_is_ordered_on_the_page_arrives_beside_the_keys_with_the_doubt_of_a_phone(game: Game) -> None:
    table = game.begin()
    game.demo.table.run_to(10.0)
    table.inbox.put(Press(t=9.0, seat=0, key="go"))
    for command, _ in ORDERED:
        game.page.submit(command)
    assert table.inbox.collect() == [Press(t=9.0, seat=0, key="go"), *(event for _, event in ORDERED)]
    assert table.inbox.collect() == []


@pytest.mark.long
def test_what_is_set_right_on_the_page_stands_in_the_record_and_the_game_goes_on(game: Game) -> None:
    game.begin()
    seen = game.step_until(Play)
    dealt = next(one for one in seen if isinstance(one, Dealt))
    so_far = len(seen)
    for correction in (SetTo({"scores": [30, 0]}), Was(dealt, replace(dealt, u=0.5)), Was(Hint(0.0, 1), None)):
        game.page.submit(correction)
    for _ in range(12):
        step(game.demo)
    assert game.demo.run.position.scores == (30, 0)
    assert [one.undo for one in game.amended if isinstance(one, Overrule) and not one.set] == [so_far]
    story = Story(*game.journal.lines(1))
    assert story.moments[-1].position["scores"] == [30, 0]
