"""How even a plan is, counted by hand."""

from __future__ import annotations

import pytest

from croupier_hub.evenness import Evenness, measure
from croupier_hub.search import Round

ABCD = ((0, 1, 2, 3),)


@pytest.mark.parametrize(
    ("players", "rounds", "partners", "expected"),
    [
        pytest.param(
            4, [ABCD], False,
            Evenness(partner=(0, 0), opponent=(1, 1), left=(0, 1), byes=(0, 0), moves=(0, 0), squares=(0, 6, 4)),
            id="one-table-once",
        ),
        pytest.param(
            4, [ABCD, ABCD], True,
            Evenness(partner=(0, 2), opponent=(0, 2), left=(0, 2), byes=(0, 0), moves=(0, 0), squares=(8, 16, 16)),
            id="the-same-partners-and-neighbors-twice",
        ),
        pytest.param(
            4, [((0, 1, 2, 3),), ((3, 2, 1, 0),)], False,
            Evenness(partner=(0, 0), opponent=(2, 2), left=(0, 1), byes=(0, 0), moves=(0, 0), squares=(0, 24, 8)),
            id="the-other-way-around",
        ),
        pytest.param(
            5, [((0, 1), (2, 3)), ((2, 4), (0, 1))], False,
            Evenness(partner=(0, 0), opponent=(0, 2), left=(0, 2), byes=(0, 1), moves=(0, 1), squares=(0, 6, 12)),
            id="a-bye-and-two-who-move",
        ),
    ],
)  # fmt: skip
def test_a_plan_is_as_even_as_counted_by_hand(
    players: int, rounds: list[Round], partners: bool, expected: Evenness
) -> None:
    assert measure(players, rounds, partners=partners) == expected
