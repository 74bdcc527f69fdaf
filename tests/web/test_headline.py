"""The one thing that everybody wants to know, read from across the room."""

from __future__ import annotations

import json
from typing import Any

import pytest

from croupier.game_views.view import TableView
from croupier.i18n import LANGUAGES, speaking
from tests.web.stories import story_of

NAMES = ["Ann", "Ben", "Cat", "Dan"]
SCORED = {"hands": [1, 1, 1, 1], "known": {"1": ["wild"], "2": ["red-9"], "3": ["red-9"]}}
LAST_CARD = {"obs": "play", "t": 1.0, "card": "red-1"}


def headline(given: dict[str, Any], *lines: dict[str, Any], names: list[str] = NAMES, **more: Any) -> str:
    table = {"phase": "turn", "turn": 0, "top": "red-7", "called": [0], **given}
    head = {"log": "croupier/1", "ruleset": "g7942-en", "seats": names, "dealer": 3, "given": table, **more}
    return TableView(story_of([json.dumps(line) for line in (head, *lines)])).headline


@pytest.mark.parametrize("code", LANGUAGES)
def test_who_has_won_is_named(code: str) -> None:
    with speaking(code):
        said = headline(SCORED, LAST_CARD, options={"target": 40})
    assert "Ann" in said
    assert not any(name in said for name in NAMES[1:])
    assert not said.endswith(".")


def test_partners_have_won_together() -> None:
    won = headline(SCORED, LAST_CARD, teams=[[0, 2], [1, 3]], options={"target": 40})
    assert won == "Ann and Cat have won the game"


def test_those_who_share_the_lowest_total_are_named() -> None:
    tied = SCORED | {"scores": [490, 50, 91, 500]}
    assert headline(tied, LAST_CARD, options={"scoring": "lowest"}) == "Ben and Cat share the win"


@pytest.mark.parametrize("taken_back", [False, True])
def test_where_nobody_has_won_nobody_is_named(taken_back: bool) -> None:
    if taken_back:
        undone = {"obs": "overrule", "t": 2.0, "undo": 1}
        assert headline(SCORED, LAST_CARD, undone, options={"target": 40}) == "Ann’s turn"
    else:
        assert headline({"phase": "game_over", "turn": None}) == "Game over"


def test_long_names_leave_room_and_too_many_are_none_of_a_headline() -> None:
    long = [f"{name} {'x' * 60}" for name in NAMES]
    won = headline(SCORED, LAST_CARD, names=long, options={"target": 40})
    assert won.startswith("Ann x")
    assert len(won) < 40
    held = [f"{color}-{action}" for color in ("red", "blue", "green") for action in ("skip", "reverse", "draw2")]
    known = {str(seat): [card] for seat, card in enumerate(held, start=1)}
    many = {"hands": [1] * 10, "known": known, "scores": [500, *[0] * 9]}
    names = [f"Somebody {seat}" for seat in range(10)]
    assert headline(many, LAST_CARD, names=names, dealer=9, options={"scoring": "lowest"}) == "Game over"
