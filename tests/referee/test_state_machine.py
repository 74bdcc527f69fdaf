"""What holds at every table, whatever is reported and corrected, by every document."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from croupier_rules.referee import Explainer, Observation, Referee, Rulings, parse_header, parse_observation, replay
from croupier_rules.referee.fields import PositionFields
from croupier_rules.referee.observations import to_json
from croupier_rules.rules import names
from tests.longer import examples, some
from tests.referee.games import on_the_table
from tests.referee.random_games import RandomGame, Seen

OBJECTIONS = {"illegal", "void", "mismatch", "warn"}
TRIES = 200


class AtTheTable(RuleBasedStateMachine):
    """People play a random game; now and then somebody corrects the record."""

    ruleset: str

    @initialize(seed=st.integers(0, 2**32))
    def sit_down(self, seed: int) -> None:
        self.game = RandomGame(self.ruleset, seed)
        self.playing = self.game.play(3)
        self.header = parse_header(self.game.header)
        self.explainer = Explainer(self.header)
        self.referee = Referee(self.header)
        self.log: list[tuple[Observation, Rulings]] = []
        self.before: list[PositionFields] = []  # the position before each observation that can be taken back
        self.deck = Counter(card.rstrip("*") for card in self.game.slow.table.deck)

    def observe(self, seen: Seen) -> Rulings:
        observation = parse_observation(seen, len(self.header.seats))
        assert parse_observation(json.dumps(to_json(observation)), len(self.header.seats)) == observation
        rulings = self.referee.observe(observation)
        assert self.explainer.seen(observation, 0)
        assert all(self.explainer.explain(ruling).text for ruling in rulings)
        said = [ruling.to_json() for ruling in rulings]
        assert json.loads(json.dumps(said)) == said
        self.log.append((observation, rulings))
        return rulings

    @rule(steps=st.integers(1, 60))
    def play_on(self, steps: int) -> None:
        for _, (seen, _) in zip(range(steps), self.playing, strict=False):
            before = self.referee.position()
            self.observe(seen)
            if seen["obs"] == "overrule":
                assert self.referee.position() == self.before[-seen["undo"]]
                del self.before[-seen["undo"] :]
            else:
                self.before.append(before)
            self.look_at_the_cards()

    @rule(back=st.integers(1, 100))
    @precondition(lambda self: self.before)
    def take_back(self, back: int) -> None:
        n = min(back, len(self.before))
        self.correct({"undo": n})
        assert self.referee.position() == self.before[-n]
        del self.before[-n:]

    @rule(direction=st.sampled_from(["left", "right"]))
    def set_right(self, direction: str) -> None:
        now = on_the_table(self.referee.position())
        self.correct({"set": {"direction": direction, "called": []}})
        assert on_the_table(self.referee.position()) == now | {"direction": direction, "called": []}

    def correct(self, correction: Seen) -> None:
        """A person corrects the record, and the world in which the game is played with it."""
        self.game.t += 1.0
        self.observe({"obs": "overrule", "t": self.game.t, **correction})
        if "undo" in correction:
            self.game.slow.observe({"obs": "overrule", **correction})
            return
        table = self.game.slow.table = self.game.slow.table.copy()
        table.direction, table.called = correction["set"]["direction"], set()

    def look_at_the_cards(self) -> None:
        """No card is lost or made, and no face is known more often than the deck holds it."""
        now = self.referee.position()
        piles = [*now["hands"], now["draw_pile"], now["discard_pile"]]
        assert sum(piles) == self.deck.total()
        assert min(piles) >= 0
        known = Counter(card.rstrip("*") for hand in now["known"].values() for card in hand)
        assert known + Counter([now["top"].rstrip("*")] if now["top"] else []) <= self.deck
        assert all(len(hand) <= now["hands"][int(seat)] for seat, hand in now["known"].items())
        assert all(n > 0 for n in now["owed"].values())

    @invariant()
    @precondition(lambda self: self.log and not self.game.slow.table.paused)
    def the_position_read_back_is_the_same(self) -> None:
        """Save in a pause: the table log does not write down what was paused."""
        now = json.loads(json.dumps(self.referee.position()))
        assert Referee(parse_header(self.game.header | {"given": now})).position() == now

    @invariant()
    @precondition(lambda self: self.log and self.game.slow.table.phase != "game_over")
    def something_is_legal(self) -> None:
        """One of the things that people would try now is not objected to; then it is taken back again."""
        now = self.referee.position()
        for _ in range(TRIES):
            if (seen := self.game.sensible()) is not None:
                rulings = self.referee.observe(parse_observation(seen | {"t": self.game.t}, len(self.header.seats)))
                self.referee.observe(parse_observation({"obs": "overrule", "t": self.game.t, "undo": 1}, 10))
                assert self.referee.position() == now
                if OBJECTIONS.isdisjoint(ruling.name for ruling in rulings):
                    return
        pytest.fail(f"{TRIES} things were tried in {now}")

    def teardown(self) -> None:
        observations = [observation for observation, _ in self.log]
        if observations:
            assert list(replay(self.header, observations)) == [rulings for _, rulings in self.log]


@pytest.mark.hypothesis
@pytest.mark.parametrize("ruleset", some(names(), 3))
def test_at_the_table(ruleset: str) -> None:
    machine = type("AtTheTable", (AtTheTable,), {"ruleset": ruleset})
    check = settings(max_examples=examples(40), stateful_step_count=15, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(machine, settings=check)
