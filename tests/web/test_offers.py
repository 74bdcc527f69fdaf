"""What the page of a seat offers: what applies at this moment to this seat, and nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from croupier.game_views.offers import Offers
from croupier.game_views.story import Story
from croupier.game_views.view import TableView
from croupier.table_api.live_table import OpenHands
from croupier.web.accounts import Person
from croupier_rules.referee import parse_observation
from croupier_rules.referee.observations import Accept, Challenge, Color, Pass
from croupier_rules.referee.rulings import Illegal, Void
from tests.journal.games import game_lines
from tests.web.moments import MOMENTS, ended, log
from tests.web.stories import story_of
from tests.web.tables import RecordingTable, page

BLIND, BY_HAND = {"has_camera": False}, {"has_shoe": False}
COLORS = {"red", "yellow", "green", "blue"}
WILD = {"obs": "play", "card": "wild"}
DRAW_FOUR = ({"obs": "play", "card": "wild-draw4"}, {"obs": "color", "color": "blue"})
CHALLENGED = (*DRAW_FOUR, {"obs": "challenge", "seat": 1})
DREW = {"obs": "drew", "seat": 0, "n": 1}
PAUSE = {"obs": "fault", "device": "panel", "kind": "pause"}
ICON = {"obs": "play", "card": "red-9*"}
ACTED = {"obs": "acted", "seat": 2}
PICK = {"phase": "pick", "turn": None, "top": None, "hands": [0] * 4}
UPCARD = {"phase": "upcard", "turn": None, "top": None, "hands": [7] * 4}
STACK = {"phase": "stack", "top": "red-draw2", "stack": 4}
DISCARD = {"phase": "discard", "top": "red-discard-all"}
DRY = {"draw_pile": 0, "hands": [7] * 4}
LAST_DRAWN = {"draw_pile": 0, "discard_pile": 2, "hands": [26, 26, 27, 27]}
ALL_HELD = {"draw_pile": 0, "discard_pile": 1, "hands": [26, 27, 27, 27]}
HAS_LEFT = {"out": [1], "hands": [7, 0, 5, 3]}
DAN_FIRST = {"open_hands": OpenHands((3, 2))}
"""Dan announced his hand before Cat, who was asked."""
ON = "g7942-en+turn.must_draw=until-it-fits"
RULES: dict[str, Any] = {"ruleset": "house-rules-pl", "given": {"house_rules": {"3": "Clap."}}}
RED_3 = {"obs": "play", "card": "red-3"}

KEYS: dict[str, tuple[list[str], int, dict[str, Any], set[str]]] = {
    "on turn": (log(), 0, {}, {"uno", "draw"}),
    "not on turn": (log(), 1, {}, {"uno"}),
    "on turn without a camera": (log(), 0, BLIND, {"uno", "draw", "lay"}),
    "not on turn without a camera": (log(), 1, BLIND, {"uno"}),
    "has drawn": (log(DREW), 0, {}, {"uno", "pass"}),
    "draws on": (log(DREW, ruleset=ON), 0, {}, {"uno", "draw", "pass"}),
    "drew the most cards": (log(DREW, DREW, ruleset=f"{ON}+draw.most=2"), 0, {}, {"uno", "pass"}),
    "drew one of the most cards": (log(DREW, ruleset=f"{ON}+draw.most=2"), 0, {}, {"uno", "draw", "pass"}),
    "names a color": (log(WILD), 0, {}, {"uno", *COLORS}),
    "another names a color": (log(WILD), 1, {}, {"uno"}),
    "answers a draw four": (log(*DRAW_FOUR), 1, {}, {"uno", "accept", "challenge"}),
    "another answers": (log(*DRAW_FOUR), 2, {}, {"uno"}),
    "whose card it is": (log(*DRAW_FOUR), 0, {}, {"uno"}),
    "no second challenge": (log(*CHALLENGED), 1, {}, {"uno"}),
    "shows the hand": (log(*CHALLENGED), 0, BLIND, {"uno", "show"}),
    "another shows the hand": (log(*CHALLENGED), 1, BLIND, {"uno"}),
    "answers a stack": (log(given=STACK, ruleset="g7942-en+stacking"), 0, BLIND, {"uno", "accept", "lay"}),
    "the shoe deals what is owed": (log(given={"owed": {"1": 2}}), 1, {}, {"uno"}),
    "takes what is owed": (log(given={"owed": {"1": 2}}), 1, BY_HAND, {"uno", "draw"}),
    "owes cards before the turn": (log(given={"owed": {"0": 2}}), 0, {}, {"uno"}),
    "paused": (log(PAUSE), 0, {}, {"go"}),
    "who deals": (log(given=PICK, dealer=None), 2, {}, {"dealer"}),
    "the shoe deals": (MOMENTS["free-4"], 0, {}, set()),
    "people deal": (MOMENTS["free-4"], 0, BY_HAND, {"go"}),
    "first card": (log(given=UPCARD), 2, BLIND, {"lay"}),
    "has left": (MOMENTS["left"], 3, {}, set()),
    "hand to be shown": (MOMENTS["hands"], 2, BLIND, {"show"}),
    "hand was shown": (MOMENTS["hands"], 1, BLIND, set()),
    "hand that is asked for": (MOMENTS["hands"], 2, {}, set()),
    "hand before the one that is asked for": (MOMENTS["hands"], 3, {}, {"open"}),
    "hand that its player announced": (MOMENTS["hands"], 3, DAN_FIRST, set()),
    "hand after one that was announced": (MOMENTS["hands"], 2, DAN_FIRST, {"open"}),
    "round is scored": (MOMENTS["podium"], 0, {}, {"go"}),
    "game is over": (ended(2, scores=[480, 100]), 1, {}, {"go"}),
    "the pile goes into the shoe": (log(given=DRY), 1, {}, {"uno", "go"}),
    "the camera sees a new pile": (log(given=DRY), 1, BY_HAND, {"uno"}),
    "people make a new pile": (log(given=DRY), 1, BY_HAND | BLIND, {"uno", "go"}),
    "the last card is drawn from a new pile": (log(given=DRY), 0, {}, {"uno", "draw", "go"}),
    "one card below the top makes a new pile": (log(given=LAST_DRAWN), 0, {}, {"uno", "draw", "go"}),
    "no card is left to draw": (log(given=ALL_HELD), 0, {}, {"uno", "pass"}),
    "discards all": (log(given=DISCARD, ruleset="no-mercy-en"), 0, {}, {"uno", "under"}),
    "no rule runs": (log(**RULES), 0, {}, {"uno", "draw"}),
    "a rule runs": (log(RED_3, **RULES), 2, {}, {"uno", "acted"}),
    "has done it": (log(RED_3, ACTED, **RULES), 2, {}, {"uno"}),
    "makes a rule": (log(ICON, **RULES), 0, {}, {"uno", "decline"}),
    "another makes a rule": (log(ICON, **RULES), 1, {}, {"uno", "draw"}),
}


def offers_now(story: Story, seat: int, **table: Any) -> Offers:
    return Offers.of(story, TableView(story), RecordingTable(**table).state, seat)


def offers(lines: list[str], seat: int, **table: Any) -> Offers:
    return offers_now(story_of(lines), seat, **table)


@pytest.mark.parametrize("name", KEYS)
def test_a_seat_is_offered_what_applies(name: str) -> None:
    lines, seat, table, wanted = KEYS[name]
    assert offers(lines, seat, **table).keys == wanted


def test_a_rule_is_made_by_who_laid_the_icon_for_its_number() -> None:
    assert [offers(log(ICON, **RULES), seat).rulable for seat in (0, 1)] == [(9,), ()]


def test_hands_are_swapped_by_who_laid_the_seven_with_who_plays() -> None:
    lines = log(given={"phase": "swap", "out": [2], "hands": [7, 4, 0, 3]}, ruleset="g7942-en+seven-zero")
    assert [offers(lines, seat).swaps for seat in range(4)] == [(1, 3), (), (), ()]


def test_others_jump_in_with_the_same_card_only() -> None:
    lines = log(given={"turn": 3}, ruleset="g7942-en+jump-in")
    assert [offers(lines, seat, **BLIND).jump_in for seat in range(4)] == ["red-7", "red-7", "red-7", None]
    assert offers(lines, 0).jump_in is None, "the camera sees it"
    assert offers(log(given={"turn": 3}), 0, **BLIND).jump_in is None
    with_icon = {"turn": 3, "top": "red-9*"}
    assert offers(log(given=with_icon, ruleset="house-rules-pl+jump-in"), 0, **BLIND).jump_in == "red-9"


@pytest.mark.parametrize(
    ("lines", "leaves", "joins", "changes"),
    [
        pytest.param(log(), True, False, (0, 2, 3), id="turn"),
        pytest.param(log(*DRAW_FOUR), True, False, (), id="a-card-waits-for-an-answer"),
        pytest.param(log(seats=2), False, False, (0,), id="two-play"),
        pytest.param(log(given=HAS_LEFT), False, True, (0, 2, 3), id="has-left"),
        pytest.param(log(*DRAW_FOUR, given=HAS_LEFT), False, False, (), id="too-late-to-join"),
    ],
)  # fmt: skip
def test_players_come_and_go_when_they_can(
    lines: list[str], leaves: bool, joins: bool, changes: tuple[int, ...]
) -> None:
    found = offers(lines, 1)
    assert (found.leaves, found.joins, found.changes) == (leaves, joins, changes)


@pytest.mark.parametrize("seed", range(3))
def test_what_is_pressed_in_a_game_was_offered(seed: int) -> None:
    header, *lines = game_lines(seed, rounds=1)
    story, pressed = story_of([header]), 0
    for line in lines:
        said = parse_observation(json.loads(line), len(story.header.seats))
        seat: int | None = getattr(said, "seat", None)
        seat = story.moments[-1].position["turn"] if seat is None else seat
        key = said.color if isinstance(said, Color) else said.name
        is_pressed = seat is not None and isinstance(said, Accept | Challenge | Color | Pass)
        before = offers_now(story, seat or 0).keys if is_pressed else None
        story.extend([line])
        if before is not None and not any(isinstance(one, Illegal | Void) for one in story.moments[-1].rulings):
            assert key in before, line
            pressed += 1
    assert pressed


def test_the_page_has_a_key_for_each_offer_and_no_other(tmp_path: Path) -> None:
    with page(tmp_path, tuple(log(*DRAW_FOUR))) as up:
        for seat in range(3):
            up.accounts.open(f"phone {seat}", Person("player", seat))
            client = up.client()
            client.cookies.set("croupier", f"phone {seat}")
            text = client.get(f"games/1/seats/{seat}").text
            shown = re.findall('name="key" value="([^"]+)"[^>]*hx-swap="none"( disabled)?>', text)
            assert {key for key, off in shown if not off} == offers(log(*DRAW_FOUR), seat).keys
