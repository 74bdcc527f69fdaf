"""One sentence to the player whose phone it is: what the game wants of this player now."""

from __future__ import annotations

import re
from typing import Any, Final

import pytest

from croupier.game_views.offers import Offers
from croupier.game_views.player_headline import player_headline
from croupier.game_views.view import TableView
from croupier.i18n import LANGUAGES, speaking
from tests.journal.games import game_lines
from tests.web.moments import MOMENTS, NAMES, ended, log
from tests.web.stories import story_of
from tests.web.tables import RecordingTable
from tests.web.test_offers import (
    ACTED,
    BY_HAND,
    CHALLENGED,
    DAN_FIRST,
    DISCARD,
    DRAW_FOUR,
    DREW,
    ICON,
    ON,
    RED_3,
    RULES,
    STACK,
    WILD,
)

SENTENCES: Final[dict[str, tuple[list[str], int, dict[str, Any], str]]] = {
    "on turn": (log(), 0, {}, "Your turn: match red or 7"),
    "an action lies on top": (log(given={"top": "blue-skip"}), 0, {}, "Your turn: match blue or Skip"),
    "a color was named": (log(given={"top": "wild", "color": "green"}), 0, {}, "Your turn: match green"),
    "next": (log(), 1, {}, "Ann’s turn, then yours"),
    "neither": (log(), 2, {}, "Ann’s turn"),
    "has drawn": (log(DREW), 0, {}, "Drawn: play it or pass"),
    "draws on": (log(DREW, ruleset=ON), 0, {}, "Drawn: play it or pass"),
    "names a color": (log(WILD), 0, {}, "Choose the color"),
    "another names it": (log(WILD), 1, {}, "Ann names a color"),
    "answers a draw four": (log(*DRAW_FOUR), 1, {}, "Ann played +4: take 4, or challenge"),
    "whose card it is": (log(*DRAW_FOUR), 0, {}, "Ben takes or challenges"),
    "shows the hand": (log(*CHALLENGED), 0, {}, "Show your hand to Ben"),
    "sees the hand": (log(*CHALLENGED), 1, {}, "Ann shows you the hand"),
    "another duel": (log(*CHALLENGED), 2, {}, "Ann shows the hand"),
    "answers a stack": (log(given=STACK, ruleset="g7942-en+stacking"), 0, {}, "Answer with a draw card, or take 4"),
    "answers what may be handed on": (
        log(given=STACK, ruleset="g7942-en+stacking+stack.bounce=reverse"), 0, {}, "Answer, or take 4"
    ),
    "owes cards": (log(given={"owed": {"1": 2}}), 1, BY_HAND, "You owe 2 cards: take them"),
    "owes a card": (log(given={"owed": {"1": 1}}), 1, BY_HAND, "You owe 1 card: take it"),
    "swaps": (log(given={"phase": "swap"}, ruleset="g7942-en+seven-zero"), 0, {}, "Choose who swaps hands with you"),
    "targets": (
        log(given={"phase": "target", "top": "wild-target-draw2"}, ruleset="all-wild-en"), 0, {},
        "Choose who draws the cards"
    ),
    "discards": (
        log(given=DISCARD, ruleset="no-mercy-en"), 0, {}, "Lay all your cards of this color under it"
    ),
    "a rule runs": (log(RED_3, **RULES), 2, {}, "Do what the house rule asks, then press Done!"),
    "has done it": (log(RED_3, ACTED, **RULES), 2, {}, "Ben’s turn, then yours"),
    "makes a rule": (log(ICON, **RULES), 0, {}, "Make a rule for 9, or none"),
    "has left": (MOMENTS["left"], 3, {}, "You are out of this game"),
    "deals": (MOMENTS["free-4"], 0, BY_HAND, "You deal: 7 cards to each seat"),
    "turns up": (log(given={"phase": "upcard", "turn": None, "top": None}), 0, {}, "Turn up the first card"),
    "lays open": (MOMENTS["hands"], 2, {}, "Lay your hand open"),
    "lays open later": (MOMENTS["hands"], 3, {}, "Lay your hand open: Cat first, then you"),
    "lays open before another": (MOMENTS["hands"], 3, DAN_FIRST, "Lay your hand open"),
    "another lays open before": (MOMENTS["hands"], 2, DAN_FIRST, "Lay your hand open: Dan first, then you"),
    "has laid open": (MOMENTS["hands"], 1, {}, "Ann wins the round"),
    "wins the round": (MOMENTS["hands"], 0, {}, "You win the round"),
    "wins the game": (ended(2, scores=[480, 100]), 0, {}, "You have won the game"),
    "paused": (log({"obs": "fault", "device": "panel", "kind": "pause"}), 0, {}, "Paused"),
}  # fmt: skip


def sentence(lines: list[str], seat: int, **table: Any) -> str:
    story, state = story_of(lines), RecordingTable(**table).state
    view = TableView(story, None, seat)
    return player_headline(story, view, Offers.of(story, view, state, seat), state, seat)


@pytest.mark.parametrize("name", SENTENCES)
def test_a_player_reads_what_the_game_wants_of_him(name: str) -> None:
    lines, seat, table, wanted = SENTENCES[name]
    assert sentence(lines, seat, **table) == wanted


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_player_reads_of_himself_in_the_third_person(code: str) -> None:
    with speaking(code):
        for lines, seat, table, english in SENTENCES.values():
            said = sentence(lines, seat, **table)
            assert not re.search(rf"\b{NAMES[seat]}\b", said), said
            assert not re.search(r"[{}]|None", said), said
            assert code == "en" or said != english, "translated"


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_sentences_of_whole_rounds_name_nobody_as_himself_and_are_short(code: str) -> None:
    lines = game_lines(5, rounds=2)
    story, state = story_of(lines[:1]), RecordingTable(has_shoe=False).state
    with speaking(code):
        for n, line in enumerate(lines[1:]):
            story.extend([line])
            seat = n % 4
            view = TableView(story, None, seat)
            said = player_headline(story, view, Offers.of(story, view, state, seat), state, seat)
            assert said
            assert not re.search(rf"\b{re.escape(story.header.seats[seat])}\b", said), said
            assert len(said) <= 80


def test_a_refusal_goes_with_the_next_act() -> None:
    refused = log({"obs": "play", "card": "green-4"})
    last = TableView(story_of(refused), None, 0).last_act
    assert last is not None
    assert [ruling.name for ruling in last.rulings] == ["illegal"]
    after = TableView(story_of(log({"obs": "play", "card": "green-4"}, {"obs": "lift", "seat": 0})), None, 0).last_act
    assert after is not None
    assert (after.seen, after.rulings) == ("You take a card from your hand.", ())
