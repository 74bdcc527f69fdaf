"""Table and record disagree about a card: the card is named, and both lines that cannot both be right are offered."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from croupier.game_views.dispute import dispute
from croupier.web.accounts import Person
from tests.web.moments import log
from tests.web.stories import story_of
from tests.web.tables import page

RED_0, BLUE_0 = {"obs": "play", "card": "red-0"}, {"obs": "play", "card": "blue-0"}
AGAIN = (RED_0, BLUE_0, RED_0)
"""The deck has each 0 once."""
HELD = {"obs": "shown", "seat": 1, "cards": ["green-1", "red-0"]}
OUT: dict[str, Any] = {"hands": [1, 2, 2, 2], "called": [0]}


@pytest.mark.parametrize(
    ("lines", "given", "named"),
    [
        pytest.param(AGAIN, {}, ("red-0", 3, 1), id="played twice"),
        pytest.param((RED_0, HELD), OUT, ("red-0", 2, 1), id="played and held"),
        pytest.param((RED_0, BLUE_0), {}, None, id="each once"),
        pytest.param((*AGAIN, {"obs": "play", "card": "red-3", "seat": 2}), {}, None, id="somebody went on"),
    ],
)
def test_a_card_that_was_seen_too_often_is_named_with_both_lines(
    lines: tuple[Mapping[str, Any], ...], given: dict[str, Any], named: tuple[str, int, int] | None
) -> None:
    story = story_of(log(*lines, given=given))
    found = dispute(story, story.at(None))
    assert (found and (found.face, found.n, found.before)) == named


def test_both_ways_out_are_keys_and_both_cards_are_shown(tmp_path: Path) -> None:
    with page(tmp_path, tuple(log(*AGAIN))) as up:
        for person, path in ((Person("referee"), "games/1"), (Person("referee"), "games/1/seats/2")):
            text = up.client(person).get(path).text
            part = text.partition('id="dispute"')[2].partition("</section>")[0]
            assert "Too many of this card: red 0" in part
            assert part.count("<svg") == 2
            assert 'href="/games/1/record/3"' in part
            assert 'href="/games/1/record/1"' in part
        part = up.client(Person("player", 2)).get("games/1/seats/2").text.partition('id="dispute"')[2]
        assert "Ann plays red 0." in part.partition("</section>")[0]
