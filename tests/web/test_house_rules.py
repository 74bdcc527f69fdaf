"""The table's own rules on the page: the keys that a seat has, and what everybody sees of a debt that grows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from croupier.commands import SwapHands
from croupier.game_views.record import differences
from croupier.game_views.story import Preview, Story
from croupier.journal import text_of
from croupier.web.accounts import Person
from croupier_rules.referee.header import FORMAT
from croupier_rules.referee.observations import Color, Drew, Observation, Play, Swap, to_json
from tests.web.tables import page

BEN = Person("player", 1)
STACK = {"phase": "stack", "top": "red-draw2", "stack": 8, "turn": 1}
DRAW_FOUR = (Play(1.0, card="wild-draw4"), Color(2.0, "red"))
NEXT_TO_BEN = {"turn": 0, "top": "red-3"}


def lines(ruleset: str, given: Mapping[str, Any], *told: Observation) -> tuple[str, ...]:
    head = {
        "log": FORMAT, "ruleset": ruleset, "seats": ["Ann", "Ben", "Cat", "Dan"], "dealer": 3,
        "given": {"turn": 1, "top": "red-7", **given},
    }  # fmt: skip
    return tuple(text_of(line) for line in (head, *map(to_json, told)))


@pytest.mark.parametrize(
    ("rules", "given", "told", "seat", "keys"),
    [
        pytest.param("stacking", STACK, (), 1, ["Take 8 cards", "UNO!"], id="answers-a-draw-two"),
        pytest.param("stacking", STACK, (), 2, ["UNO!"], id="waits-for-the-answer"),
        pytest.param("stacking", NEXT_TO_BEN, DRAW_FOUR, 1, ["Take 4 cards", "Challenge", "UNO!"],
                     id="answers-a-wild-draw-four"),
        pytest.param("stacking+wd4.challenge.who=nobody", NEXT_TO_BEN, DRAW_FOUR, 1, ["Take 4 cards", "UNO!"],
                     id="answers-where-nobody-challenges"),
        pytest.param("seven-zero", {"phase": "swap"}, (), 1,
                     ["Swap with Ann 7 cards", "Swap with Cat 7 cards", "Swap with Dan 7 cards", "UNO!"],
                     id="chooses-a-seat"),
        pytest.param("seven-zero", {"phase": "swap"}, (), 0, ["UNO!"], id="waits-for-the-choice"),
        pytest.param("turn.must_draw=until-it-fits", {}, (Drew(1.0, 1, 1),), 1, ["Draw a card", "Pass", "UNO!"],
                     id="draws-on"),
        pytest.param("seven-zero", {}, (Drew(1.0, 1, 1),), 1, ["Pass", "UNO!"], id="draws-once"),
    ],
)  # fmt: skip
def test_a_seat_has_the_keys_of_its_moment(
    tmp_path: Path, rules: str, given: dict[str, Any], told: tuple[Observation, ...], seat: int, keys: list[str]
) -> None:
    with page(tmp_path, lines(f"g7942-en+{rules}", given, *told)) as up:
        text = up.client(Person("player", seat)).get(f"games/1/seats/{seat}").text
    lit = [one for one in re.findall(r"<button.*?</button>", text, re.DOTALL) if 'id="key-' in one]
    buttons = [one for one in lit if " disabled>" not in one]
    assert [" ".join(re.sub(r"<[^>]*>", " ", one).split()) for one in buttons] == keys


def test_everybody_sees_what_a_stack_costs(tmp_path: Path) -> None:
    with page(tmp_path, lines("g7942-en+stacking", STACK)) as up:
        for place in ("", "/board", "/seats/3"):
            assert "8 to draw" in up.client().get(f"games/1{place}").text


def test_a_seat_is_chosen_on_the_page(tmp_path: Path) -> None:
    with page(tmp_path, lines("g7942-en+seven-zero", {"phase": "swap"})) as up:
        client = up.client(BEN)
        form = {"seat": "1", "line": "0"}
        assert client.post("actions/swap", data=form | {"other": "4"}).status_code == 422
        assert client.post("actions/swap", data=form | {"other": "3"}).status_code == 204
        assert up.table.commands == [SwapHands(3, 1, line=0)]


def test_who_draws_is_chosen_on_the_page_of_a_deck_without_colors(tmp_path: Path) -> None:
    with page(tmp_path, lines("all-wild-en", {"phase": "target", "top": "wild-target-draw2"})) as up:
        client = up.client(BEN)
        shown = client.get("games/1/seats/1").text
        assert re.findall(r'id="key-swap-\d".*?>(\w+) <small>', shown) == ["Ann", "Cat", "Dan"]
        assert client.post("actions/swap", data={"seat": "1", "line": "0", "other": "3"}).status_code == 204
        assert up.table.commands == [SwapHands(3, 1, line=0)]


@pytest.mark.parametrize(("rules", "is_offered"), [("jump-in", True), ("stacking", False)])
def test_without_a_camera_a_seat_reports_the_card_that_it_laid_out_of_turn(
    tmp_path: Path, rules: str, is_offered: bool
) -> None:
    with page(tmp_path, lines(f"g7942-en+{rules}", {"turn": 3})) as up:
        up.table.has_camera = False
        assert ('action="/actions/lay"' in up.client(BEN).get("games/1/seats/1").text) is is_offered


def test_a_swap_is_corrected_to_another_seat(tmp_path: Path) -> None:
    told = Swap(1.0, 1, 3)
    with page(tmp_path, lines("g7942-en+seven-zero", {"phase": "swap", "hands": [5, 7, 3, 2]}, told)) as up:
        client = up.client(Person("referee"))
        assert 'name="other"' in client.get("games/1/record/1").text
        seen = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", client.post(
            "games/1/preview/was", data={"n": "1", "other": "2", "line": "1"}
        ).text))  # fmt: skip
    assert "Cards of Cat 3 7" in seen
    assert "Cards of Dan 7 2" in seen


def test_a_correction_says_how_the_stack_changes() -> None:
    story = Story(*lines("g7942-en+stacking", STACK))
    position = story.moments[-1].position
    changed = [(one.now, one.then) for one in differences(Preview(position, {**position, "stack": 4}, ()), story)]
    assert changed == [("8", "4")]
