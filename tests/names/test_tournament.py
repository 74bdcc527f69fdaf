"""One person is one player of a tournament, on whatever keyboard the name was typed."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from croupier.errors import BadName
from croupier_hub.director import attend, penalize
from croupier_hub.errors import BadPlan
from croupier_hub.standings import Directed, DirectorLine, Enroll, RoundPlan, directed
from croupier_hub.table_log import _places

ZOE, ON_A_MAC = "Zo\u00eb", "Zoe\u0308"
KEY = "1f" * 32


def written(*lines: DirectorLine) -> Directed:
    return directed(line.model_dump_json() for line in lines)


def after(known: Iterable[DirectorLine]) -> list[DirectorLine]:
    return [*known]


def test_a_player_who_is_registered_twice_is_one() -> None:
    lines = after(attend(Directed(), [ZOE, "Ben"], "expected"))
    lines += after(attend(written(*lines), [f" {ON_A_MAC.upper()} "], "here"))
    known = written(*lines)
    assert known.names == ["Ben", ZOE]
    assert known.state(ZOE) == "here"
    assert after(attend(known, [ON_A_MAC], "here")) == []


def test_a_player_who_looks_like_another_is_not_registered() -> None:
    known = written(*attend(Directed(), ["Ann"], "here"))
    with pytest.raises(BadName, match="looks like"):
        after(attend(known, ["\u0410nn"], "here"))


def test_a_penalty_is_that_of_the_registered_player() -> None:
    known = written(RoundPlan(plan=1, round=1, tables={"1": [ZOE, "Ben"]}))
    (penalty,) = penalize(known, ON_A_MAC, 1, 20, "late")
    assert penalty.player == ZOE
    with pytest.raises(BadPlan, match="Zoe is no player"):
        after(penalize(known, "Zoe", 1, 20, "late"))


def test_the_result_of_a_table_counts_for_the_players_of_the_plan() -> None:
    known = written(
        Enroll(enroll=KEY, table=1, from_round=1), RoundPlan(plan=1, round=1, tables={"1": [ZOE, "Ben", "Cat"]})
    )
    (result,) = _places(known, KEY, ("cat", ON_A_MAC, "Ben"), (1, 2, 3), None)
    assert (result.seats, result.points) == ([ZOE, "Ben", "Cat"], [2, 3, 1])
    assert [*_places(known, KEY, ("Cat", "Zoe", "Ben"), (1, 2, 3), None)] == []
