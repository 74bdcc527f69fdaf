"""The people at the simulated table compare the record with the cards that they have laid, and correct it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from croupier.commands import NameCard
from croupier.events import CommandGiven
from croupier_rules.cards import DECKS
from croupier_rules.referee.corrections import Report, Was
from croupier_rules.referee.observations import Dealt, Observation, Play, Upcard
from croupier_sim.machine import StandIn
from croupier_sim.people import SimPeople
from croupier_sim.players import PLAIN
from croupier_sim.record import Mistake, first_mistake
from croupier_sim.table import SimTable


@pytest.mark.parametrize(
    ("record", "laid", "found"),
    [
        pytest.param("abc", "abc", None, id="right"),
        pytest.param("axc", "abc", Mistake("misread", 1, 1), id="misread"),
        pytest.param("ab", "abc", Mistake("missing", 2, 2), id="the last is missing"),
        pytest.param("ac", "abc", Mistake("missing", 1, 1), id="one is missing"),
        pytest.param("abbc", "abc", Mistake("extra", 2, 2), id="one was never laid"),
        pytest.param("ac", "abBc", Mistake("missing", 1, 1), id="one is missing, another was taken back"),
        pytest.param("abc", "aBbc", None, id="taken back and laid again"),
        pytest.param("abbc", "aBbc", None, id="taken back, laid again, and both are told"),
        pytest.param("abx", "abC", Mistake("misread", 2, 2), id="the last one, just laid, is misread"),
        pytest.param("ab", "abC", None, id="the last one was just laid"),
    ],
)
def test_the_first_mistake_is_found(record: str, laid: str, found: Mistake | None) -> None:
    """A capital letter: the record may lack that card."""
    assert first_mistake(record, laid.lower(), [letter.isupper() for letter in laid]) == found


NOW = 10.0
DEALT = Dealt(0.0, seat=0, n=7)
STARTER = Upcard(1.0, card="red-1")
FIRST, SECOND = Play(2.0, card="red-2"), Play(3.0, card="red-9")


def said(record: Sequence[Observation], laid: Sequence[str]) -> list[object]:
    """What people say of the record when seat 1 has laid these cards, some time ago."""
    rng = np.random.default_rng(1)
    table = SimTable(2, rng, tuple(DECKS["g7942"]))
    people = SimPeople(table, StandIn(table, rng), rng, [PLAIN] * 2)
    people.record.read = lambda: record
    table.hands = [[], list(laid)]
    for face in laid:
        table.run_to(table.lay(1, face) + 0.5)
    table.run_to(NOW)
    people.record.correct()
    return [one.command for one in people.poll() if isinstance(one, CommandGiven)]


@pytest.mark.parametrize(
    ("record", "laid", "correction"),
    [
        pytest.param([STARTER, FIRST], ["red-1", "red-2"], [], id="right"),
        pytest.param([STARTER, SECOND], ["red-1", "red-6"], [NameCard("red-6")], id="top card"),
        pytest.param(
            [STARTER, SECOND, FIRST],
            ["red-1", "red-6", "red-2"],
            [Was(SECOND, Play(3.0, card="red-6"))],
            id="card below",
        ),
        pytest.param([STARTER, FIRST, SECOND], ["red-1", "red-2"], [Was(SECOND, None)], id="never laid"),
        pytest.param([STARTER], ["red-1", "red-2"], [Report(Play(NOW, "red-2", 1))], id="not noticed"),
        pytest.param([SECOND, DEALT, STARTER], ["red-1"], [], id="only this round"),
    ],
)
def test_the_first_mistake_is_corrected(record: list[Observation], laid: list[str], correction: list[object]) -> None:
    assert said([DEALT, *record], laid) == correction
