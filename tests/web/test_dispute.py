"""Table and record disagree about a card: the card is named, and both lines that cannot both be right are offered."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from croupier.game_views.dispute import dispute
from croupier.table_api.live_table import PileClip
from croupier.web.accounts import Person
from tests.web.moments import log
from tests.web.stories import story_of
from tests.web.tables import page

RED_0, BLUE_0 = {"obs": "play", "card": "red-0"}, {"obs": "play", "card": "blue-0"}
AGAIN = (RED_0, BLUE_0, RED_0)
"""The deck has each 0 once."""
HELD = {"obs": "shown", "seat": 1, "cards": ["green-1", "red-0"]}
FULL = {"obs": "shown", "seat": 1, "cards": ["green-1", "green-2"]}
LESS = {"obs": "shown", "seat": 1, "cards": ["green-2", "green-3"]}
OUT: dict[str, Any] = {"hands": [1, 2, 2, 2], "called": [0]}


@pytest.mark.parametrize(
    ("lines", "given", "named"),
    [
        pytest.param(AGAIN, {}, ("red-0", 3, 1), id="played twice"),
        pytest.param((RED_0, HELD), OUT, ("red-0", 2, 1), id="played and held"),
        pytest.param((RED_0, BLUE_0), {}, None, id="each once"),
        pytest.param((RED_0, FULL, LESS), OUT, ("green-1", 3, 2), id="not in the hand"),
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


def test_a_card_that_the_hand_does_not_have_is_named_on_every_screen(tmp_path: Path) -> None:
    with page(tmp_path, tuple(log(RED_0, FULL, LESS, given=OUT))) as up:
        client = up.client(Person("referee"))
        part = client.get("games/1").text.partition('id="dispute"')[2].partition("</section>")[0]
        assert "Not in the hand of Ben: green 1" in part
        assert [f'href="/games/1/record/{n}"' in part for n in (3, 2)] == [True, True]
        assert "<img" not in part, "the clip of the pile shows no hand"
        assert "Not in the hand of Ben: green 1" in up.client().get("games/1/board").text


def test_where_pictures_are_kept_the_dispute_shows_them(tmp_path: Path) -> None:
    with page(tmp_path, tuple(log(*AGAIN))) as up:
        up.table.clip = PileClip(1.0, 0.02, (9, 9), ((1.0, 1.0),) * 4, ((1.0, b"first"), (1.2, b"last")))
        client = up.client(Person("referee"))
        part = client.get("games/1").text.partition('id="dispute"')[2].partition("</section>")[0]
        sources = re.findall(r'<img src="([^"]+)"', part)
        assert [unescape(one) for one in sources] == [f"/games/1/clip?at={n}&still=true" for n in (3, 1)]
        answer = client.get(unescape(sources[1]))
        assert (answer.content, answer.headers["content-type"]) == (b"last", "image/jpeg")
        up.table.clip = None
        assert client.get(unescape(sources[1])).status_code == 404
