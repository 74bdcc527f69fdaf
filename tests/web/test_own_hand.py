"""The own hand on a player's phone: the faces that the log names, for nobody else and no longer than it is theirs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from croupier.game_views.story import Story
from croupier.journal import text_of
from croupier.web.accounts import Person
from croupier_rules.referee import Observation, Referee
from croupier_rules.referee.corrections import ChangePlayers, to_observations
from croupier_rules.referee.observations import Drew, Play, Shown, to_json
from tests.referee.games import Watched, header
from tests.web.tables import page

ANN, BEN, CAT, REFEREE, ADMIN = (*(Person("player", seat) for seat in range(3)), Person("referee"), Person("admin"))
HANDS = {"0": ["green-5", "red-2", "wild"], "1": ["blue-9", "yellow-skip", "wild-draw4"]}
GIVEN = {"turn": 0, "top": "red-7", "hands": [3, 4, 5], "known": HANDS}


def log(*told: Observation, **given: Any) -> tuple[str, ...]:
    head = header(3, given=GIVEN | given)
    return tuple(text_of(line) for line in (head.to_json(), *map(to_json, told)))


def held(text: str) -> list[str]:
    """The names of the cards in the own hand that a page shows."""
    found = re.search(r'<ul class="keys held".*?</ul>', text, re.DOTALL)
    return re.findall(r'aria-label="([^"]+)"', found[0])[1:] if found else []


def test_the_player_sees_the_cards_that_the_log_names(tmp_path: Path) -> None:
    told = (Play(1.0, card="red-2"), Drew(2.0, 1, 1, cards=("green-3",)), Drew(2.5, 2, 1, cards=("blue-1",)))
    with page(tmp_path, log(*told)) as up:
        ann, ben, cat = (up.client(one) for one in (ANN, BEN, CAT))
        assert held(ann.get("games/1/seats/0").text) == ["green 5", "Wild"]
        unread = "a card that could not be read"
        names = ["yellow Skip", "green 3", "blue 9", "Wild Draw Four", unread]
        assert held(ben.get("games/1/seats/1").text) == names
        assert held(cat.get("games/1/seats/2").text) == ["blue 1", *[unread] * 5]
        with ben.stream("GET", "games/1/events?kind=seat&seat=1&own=1") as events:
            assert held(next(events.iter_text())) == names


PATHS = (
    "", "board", *(f"seats/{seat}" for seat in range(3)), "?at=1", "board?at=1", "seats/1?at=1", "record", "log.jsonl",
    "changes", "embed", "moment.png?at=1", "score.pdf",
)  # fmt: skip


@pytest.mark.long
def test_every_page_and_export_for_others_is_the_same_whatever_a_player_holds(tmp_path: Path) -> None:
    other_hands = HANDS | {"1": ["red-4", "red-5", "wild"]}
    play = Play(1.0, card="red-2")
    (one := tmp_path / "one").mkdir()
    (other := tmp_path / "other").mkdir()
    with (
        page(one, log(play, Drew(2.0, 1, 1, cards=("green-3",)))) as up,
        page(other, log(play, Drew(2.0, 1, 1, cards=("yellow-0",)), known=other_hands)) as disguised,
    ):
        for who in (None, ANN, CAT, REFEREE, ADMIN):
            clients = up.client(who), disguised.client(who)
            for path in ("overlay", "statistics", *(f"games/1/{path}".replace("/?", "?") for path in PATHS)):
                first, second = (client.get(path.removesuffix("/")) for client in clients)
                assert (first.status_code, first.status_code in (200, 303, 403)) == (second.status_code, True), path
                shown, same = (
                    re.sub(rb'127\.0\.0\.1:\d+|/CreationDate \S+|name="once" value="[^"]*"', b"", answer.content)
                    for answer in (first, second)
                )
                assert shown == same, (who, path)
        own, other_own = up.client(BEN), disguised.client(BEN)
        seats = [path for path in PATHS if "seats" in path]
        differ = [path for path in seats if own.get(f"games/1/{path}").text != other_own.get(f"games/1/{path}").text]
        assert differ == ["seats/1"], "the own hand, but not in what is past"


@pytest.mark.parametrize("change", [ChangePlayers("swap", 0, 1), ChangePlayers("leave", 1)])
def test_a_page_of_the_player_before_shows_no_hand_of_the_next(change: ChangePlayers) -> None:
    lines = log()
    referee = Referee(header(3, given=GIVEN))
    assert all(Story(*lines).own_hand(seat) for seat in (0, 1))
    changed = [text_of(to_json(one)) for one in to_observations(change, referee, 1.0)]
    story = Story(*lines, *changed)
    seats = (0, 1) if change.does == "swap" else (1,)
    assert [story.own_hand(seat) for seat in seats] == [()] * len(seats)
    assert story.own_hand(2) == ()


def test_what_is_shown_is_what_the_player_holds_through_whole_rounds() -> None:
    seen: list[list[str]] = []
    watched: Watched

    def look(observation: Observation, _rulings: object, _referee: object) -> None:
        story.extend([text_of(to_json(observation))])
        if isinstance(observation, Play | Drew | Shown):
            seat = observation.seat
            if seat is not None and not story.at(None).is_over:
                seen.append(sorted(story.own_hand(seat)))
                assert seen[-1] == sorted(watched.table._hands[seat])

    head = header(4)
    story = Story(text_of(head.to_json()))
    watched = Watched(head, 7, look, open_hands=True)
    watched.play(2)
    assert len(seen) > 20
