"""A sealed hand that is opened for a ruling is seen by nobody before the round is over.

Two tables hear the same game. Neither is told the faces that are dealt and drawn, which are in boxes; where a hand is
opened, one hears its cards and the other one other cards. Page, overlay, voice, terminal, home automation, webhooks and
the log that is given out say the same at both. What shows a game cannot open boxes: it may not even import them.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from croupier.game_views.story import Story
from croupier.journal import text_of
from croupier.log_replay import redacted_lines
from croupier.runtime.terminal import format_event
from croupier_extras.home_automation.home_assistant import RoundCounter, TableState, ruling_event
from croupier_extras.voice.notifier import VoiceNotifier
from croupier_extras.webhooks.sending import Webhooks
from croupier_rules.cards import BACK, FACES
from croupier_rules.referee import Explainer, Header, Observation, Referee, Rulings
from croupier_rules.referee.observations import Shown, to_json
from croupier_rules.referee.verdict import verdict_to_json
from croupier_rules.rules import load, names
from croupier_sim.random_play import plays
from tests.longer import many, run_number
from tests.referee.games import Watched


class Ears:
    """All that is said of a game to others than the seat itself."""

    def __init__(self, head: Header, opened: Callable[[Observation], Observation]) -> None:
        self._opened, self._head, self._said = opened, head, list[str]()
        self._explainer = Explainer(head)
        self._voice = VoiceNotifier(
            head, "en", lambda *cues: self._said.extend(cue.text for cue in cues), now=lambda: 0.0
        )
        self._home = TableState(head, Referee(head).state(), RoundCounter())
        self._hooks = Webhooks([], "", print)
        self._hooks._senders.append((frozenset(), self))  # type: ignore[arg-type]
        self._story, self._position = Story(text_of(head.to_json())), Referee(head).position()
        self._lines = [text_of(head.to_json())]

    def put(self, body: dict[str, Any]) -> None:
        """What a webhook is sent."""
        self._said.append(json.dumps(body))

    def hear(self, observation: Observation, rulings: Rulings, referee: Referee) -> Any:
        """Everything that is said and shown of one line of the log."""
        told, position = self._opened(observation), referee.state()
        self._said.clear()
        for observer in (self._voice, self._home, self._hooks):
            observer(told, rulings, position)
        self._lines.append(text_of(to_json(told)))
        before, self._position = self._position, referee.position()
        verdict = verdict_to_json(rulings, before, self._position, referee.hands_to_show)
        self._story.extend([text_of({**to_json(told), **verdict})])
        return (
            [*self._said, *format_event(told, rulings, self._explainer)],
            [ruling_event(ruling, self._explainer) for ruling in rulings],
            self._home.now,
            self._story.moments[-1],
        )

    def exported(self) -> set[str]:
        """The faces of hands in the log that is given out."""
        lines = [json.loads(line) for line in redacted_lines(self._lines)]
        return {card for line in lines[1:] for card in line.get("cards", ())}


RULESETS = [name for name in names() if plays(load(name))]
"""The documents that `croupier_sim.random_play` knows."""


class TwoTables:
    """A random game by one of the documents, heard at two tables. ``n``: states that were compared; ``opened``: hands
    that were opened."""

    def __init__(self, seed: int) -> None:
        self.n = self.opened = 0
        self._random = Random(seed)
        players = tuple(f"Player {seat}" for seat in range(2 + seed % 9))
        head = Header(ruleset=load(RULESETS[seed % len(RULESETS)]), seats=players, dealer=seed % len(players))
        self._ears = Ears(head, lambda one: one), Ears(head, self._other)
        self._is_over = False
        Watched(head, seed, self._look).play(1)

    def _look(self, observation: Observation, rulings: Rulings, referee: Referee) -> None:
        self._is_over = self._is_over or referee.is_round_over
        if self._is_over:  # what is over is open
            return
        self.n += 1
        one, other = (ears.hear(observation, rulings, referee) for ears in self._ears)
        assert one == other, self.n
        if isinstance(observation, Shown) or self.n % 50 == 0:
            self.opened += isinstance(observation, Shown)
            assert self._ears[0].exported() <= {BACK}, self.n

    def _other(self, observation: Observation) -> Observation:
        if not isinstance(observation, Shown):
            return observation
        return replace(
            observation, cards=tuple(self._random.choice(FACES) for card in observation.cards if card != BACK)
        )


def compared(states: int, first: int) -> int:
    opened, seed = 0, first
    while states > 0:
        tables = TwoTables(seed)
        states, opened, seed = states - tables.n, opened + tables.opened, seed + 1
    return opened


def test_no_sealed_face_is_shown_or_said() -> None:
    assert compared(2_000, 0)


@pytest.mark.nightly
@pytest.mark.long(minutes=2)
def test_no_sealed_face_is_shown_or_said_in_many_states() -> None:
    """With CROUPIER_LONG=5 in a million states of the referee."""
    assert compared(many(200_000), 100_000 + run_number() * 10_000)


@pytest.mark.parametrize("leaks", ["croupier.game_views.story.without_faces", "croupier.log_replay.without_faces"])
def test_a_face_that_leaks_is_found(leaks: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaks, lambda secret: secret)
    with pytest.raises(AssertionError):
        compared(2_000, 0)


def test_what_shows_a_game_may_not_import_what_opens_boxes() -> None:
    rules = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    (of_the_table,) = [rule for rule in rules if rule["name"] == "The table imports no plug-in"]
    assert "croupier" in of_the_table["source_modules"]
    assert "croupier_extras" in of_the_table["forbidden_modules"]
    (of_the_hub,) = [rule for rule in rules if rule["name"].startswith("Of the extras, the hub uses home automation")]
    assert "croupier_extras.sealed" in of_the_hub["forbidden_modules"]
