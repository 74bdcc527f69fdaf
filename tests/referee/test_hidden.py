"""Which faces of a log anybody may see: those of rounds that are over, and stay so."""

from __future__ import annotations

import json
from typing import Any

from croupier.log_replay import redacted_lines
from croupier_rules.referee.observations import (
    Dealt,
    Drew,
    Fault,
    Observation,
    Overrule,
    Pass,
    Play,
    Shown,
    Tick,
    Upcard,
    to_json,
)
from tests.referee.games import header

GIVEN = {"turn": 0, "top": "red-7", "hands": [1, 5, 1], "called": [2], "known": {"1": ["blue-1"]}}
GREEN = ("green-3",)


def seen(*observations: Observation) -> list[dict[str, Any]]:
    """The log of these, one a second, as anybody may see it."""
    told = [{**to_json(one), "t": float(t)} for t, one in enumerate(observations)]
    lines = [json.dumps(line) for line in (header(3, given=GIVEN).to_json(), *told)]
    return [json.loads(line) for line in redacted_lines(lines)]


TO_THE_END = (Drew(0.0, 0, 1, GREEN), Pass(0.0, 0), Play(0.0, "red-5"), Play(0.0, "red-6"))


def test_the_faces_of_a_round_are_open_when_it_is_over_also_while_play_is_paused() -> None:
    for more in ((), (Fault(0.0, "shoe", "jam"), Shown(0.0, 1, ("blue-1", "?", "?", "?")))):
        log = seen(*TO_THE_END, *more)
        assert log[0]["given"]["known"] == GIVEN["known"]
        assert log[1]["cards"] == ["green-3"]


def test_the_faces_of_a_round_whose_end_was_taken_back_stay_hidden_until_it_is_over() -> None:
    log = seen(*TO_THE_END, Overrule(0.0, undo=1), Tick(0.0))
    assert "known" not in log[0]["given"]
    assert "cards" not in log[1]
    log = seen(*TO_THE_END, Overrule(0.0, set={"phase": "turn", "turn": 1}))
    assert "cards" not in log[1]
    log = seen(*TO_THE_END, Overrule(0.0, undo=1), Play(0.0, "red-4"))
    assert log[1]["cards"] == ["green-3"]


def test_an_end_that_was_taken_back_out_of_the_next_deal_is_none_either() -> None:
    log = seen(*TO_THE_END, Dealt(0.0, 0, 1, ("blue-9",)), Overrule(0.0, undo=2))
    assert "cards" not in log[1]


def test_cards_that_were_dealt_before_the_end_was_corrected_stay_hidden_until_their_round_is_over() -> None:
    dealt = Dealt(0.0, 0, 7, ("blue-9",) * 2)
    again = (Overrule(0.0, undo=2), Play(0.0, "red-4"), dealt)
    log = seen(*TO_THE_END, dealt, *again)
    assert log[1]["cards"] == ["green-3"]
    assert [line for line in log[2:] if "cards" in line] == []
    assert [line for line in seen(*TO_THE_END, dealt, *again[:2])[2:] if "cards" in line] == []
    others = (Dealt(0.0, 1, 7), Dealt(0.0, 2, 7), Upcard(0.0, "red-7"), Overrule(0.0, set={"phase": "round_over"}))
    log = seen(*TO_THE_END, dealt, *again, *others)
    assert len([line for line in log[2:] if "cards" in line]) == 2


def test_the_rounds_before_stay_open() -> None:
    dealt = Dealt(0.0, 0, 7, ("blue-9",) * 2)
    log = seen(*TO_THE_END, dealt, Overrule(0.0, undo=1), dealt)
    assert log[1]["cards"] == ["green-3"]
    assert [line for line in log[2:] if "cards" in line] == []
