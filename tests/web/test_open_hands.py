"""Hands laid open at the end of a round: all pages say whose is next, what is seen of it, and what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from croupier.game_views.big_screen import BigScreen
from croupier.game_views.open_hands import hand_in_sight, hands_due
from croupier.game_views.view import TableView, advice
from croupier.table_api.live_table import OpenHands
from croupier.web.accounts import Person
from tests.web.moments import MOMENTS
from tests.web.stories import story_of
from tests.web.tables import RecordingTable, page

HANDS = MOMENTS["hands"]
"""Ann went out, Ben's hand was shown; Cat and Dan have to show theirs."""


@pytest.mark.parametrize(
    ("seen", "due"),
    [
        pytest.param(None, (2, 3), id="as the referee counts them"),
        pytest.param(OpenHands((3, 2)), (3, 2), id="Dan announced his first"),
        pytest.param(OpenHands((3,)), (3, 2), id="Cat still draws cards"),
        pytest.param(OpenHands((1, 3, 2)), (3, 2), id="Ben's was shown after the table last said so"),
    ],
)
def test_the_order_is_that_of_the_table_for_the_hands_that_the_referee_misses(
    seen: OpenHands | None, due: tuple[int, ...]
) -> None:
    assert hands_due(story_of(HANDS), RecordingTable(open_hands=seen).state) == due


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        pytest.param(OpenHands((3, 2)), "", id="nothing lies there"),
        pytest.param(OpenHands((3, 2), ("red-1",)), "Dan: 1 of 3 cards is seen. Lay the others beside it.", id="few"),
        pytest.param(
            OpenHands((3, 2), ("red-1", "red-2")), "Dan: 2 of 3 cards are seen. Lay the others beside them.", id="more"
        ),
        pytest.param(OpenHands((3, 2), ("red-1", "red-2", "red-3")), "", id="all"),
        pytest.param(
            OpenHands((3, 2), ("red-1", "red-2", "red-3", "red-4")),
            "Dan: 4 cards lie there, but the hand has 3.",
            id="too many",
        ),
        pytest.param(
            OpenHands((3, 2), ("?", "red-2")),
            "Dan: not every card can be read. Spread them so that no card hides another.",
            id="unread",
        ),
        pytest.param(
            OpenHands((3, 2), must_be_taken_up=True),
            "Take up the cards that lie there, then lay down the hand of Dan.",
            id="the last hand lies there",
        ),
    ],
)
def test_what_is_wrong_with_the_hand_is_said_beside_the_order(seen: OpenHands, said: str) -> None:
    story = story_of(HANDS)
    assert story.at(None).position["hands"][3] == 3
    wanted = f"Lay hands open, one after the other: Dan, Cat. {said}".rstrip()
    assert advice(story, story.at(None), RecordingTable(open_hands=seen).state) == wanted


def test_on_the_board_what_the_camera_sees_of_the_hand_that_is_next_lies_open_at_once() -> None:
    story = story_of(HANDS)
    table = RecordingTable(open_hands=OpenHands((3, 2), ("blue-1", "?"))).state
    hands = {hand.name: [card.face for card in hand.cards] for hand in BigScreen(story, TableView(story), table).hands}
    assert hands["Dan"] == ["blue-1", "?", "back"]
    assert set(hands["Cat"]) == {"back"}


def test_before_the_round_is_over_no_hand_is_in_sight() -> None:
    table = RecordingTable(open_hands=OpenHands((3, 2), ("red-1",))).state
    assert hand_in_sight(story_of(MOMENTS["turn-4"]), table) == ()
    assert hand_in_sight(story_of(HANDS), table) == ("red-1",)


def test_the_phone_of_the_player_shows_the_cards_that_are_seen(tmp_path: Path) -> None:
    with page(tmp_path, tuple(HANDS)) as up:
        up.table.open_hands = OpenHands((3, 2), ("red-1", "?"))
        dan, cat = (up.client(Person("player", seat)).get(f"games/1/seats/{seat}").text for seat in (3, 2))
        assert "in-sight" not in cat
        part = dan.partition('class="in-sight"')[2].partition("</section>")[0]
        assert part.count("<svg") == 2
        assert 'aria-label="red 1"' in part
        board = up.client().get("games/1/board").text
        assert "Dan: not every card can be read." in board
