"""Another game, as people agree on it at the page; shown first, and begun by a referee."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from croupier.commands import StartGame
from croupier.journal import text_of
from croupier.names import seat_names
from croupier.web.accounts import Person
from croupier_extras.statistics.people import PeopleFile
from croupier_rules.rules import load
from croupier_rules.rules.ruleset import presets
from tests.journal.games import game_lines
from tests.web.tables import Page, page

LINES = game_lines(1)
REFEREE = Person("referee")


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with page(tmp_path_factory.mktemp("next"), LINES[:1]) as made:
        yield made


@pytest.fixture
def table(up: Page) -> Page:
    up.table.commands.clear()
    up.table.may_start_game = True
    return up


AGREED: list[tuple[dict[str, str], dict[str, object]]] = [
    ({}, {}),
    ({"name-0": "Zoe", "dealer": "2"}, {"seats": ["Zoe", "Player 1", "Player 2", "Player 3"], "dealer": 2}),
    ({"partners": "yes"}, {"teams": [[0, 2], [1, 3]]}),
    ({"partners": "yes", "ruleset": "classic-hu"}, {"ruleset": "classic-hu", "teams": [[0, 1], [2, 3]]}),
    ({"house": "seven-zero"}, {"ruleset": "g7942-en+seven=swap+zero=pass-on"}),
    (
        {"house": "stacking", "rule-stack.wd4": "no", "rule-stack.limit": "8", "rule-jump_in": "identical"},
        {"ruleset": "g7942-en+stack.draw2=draw2+stack.limit=8+jump_in=identical"},
    ),
    ({"ruleset": "g7942-fr", "rule-uno.penalty": "4"}, {"ruleset": "g7942-fr+uno.penalty=4"}),
    (
        {"house": "family", "partners": "yes"},
        {
            "ruleset": "g7942-en+deal.hand=5+wd4.challenge.who=nobody+uno.penalty=1",
            "teams": [[0, 2], [1, 3]],
        },
    ),
    ({"target": "200", "deal": "winner"}, {"options": {"target": 200, "deal": "winner"}}),
    ({"scoring": "lowest"}, {"options": {"scoring": "lowest"}}),
    ({"limit": "300"}, {"options": {"variant": "elimination", "limit": 300}}),
    (
        {"ruleset": "official-el", "blank_text": "Draw three.", "blank_draw": "3", "blank_skip": "yes"},
        {
            "ruleset": "official-el",
            "options": {"custom": {"text": "Draw three.", "effect": {"draw": 3, "skip": True}}},
        },
    ),
    ({"ruleset": "house-rules-pl", "last_draws": "2"}, {"ruleset": "house-rules-pl", "options": {"own_penalties": 2}}),
]


@pytest.mark.parametrize(("form", "agreed"), AGREED)
def test_what_was_agreed_on_is_shown_and_then_begun(
    table: Page, form: dict[str, str], agreed: dict[str, object]
) -> None:
    client = table.client(REFEREE)
    assert client.get("games/1/next").status_code == 200
    seen = client.post("games/1/next", data=form)
    assert seen.status_code == 200, seen.text
    assert all(f'value="{value}"' in seen.text for value in form.values())
    assert table.table.commands == []
    assert client.post("games/1/begin", data=form).status_code == 303
    (command,) = table.table.commands
    assert isinstance(command, StartGame)
    plain = json.loads(LINES[0]) | {"dealer": None}
    assert command.header.to_json() == plain | agreed


@pytest.mark.parametrize(
    "form",
    [
        {"ruleset": "none"}, {"target": "many"}, {"dealer": "9"}, {"limit": "0"}, {"blank_text": "x"},
        {"last_draws": "2"}, {"deal": "somebody"}, {"limit": "300", "partners": "yes"},
        {"partners": "yes", "ruleset": "official-el"}, {"house": "nothing"}, {"rule-seven": "all"},
        {"rule-none": "no"},
    ],
    ids=str,
)  # fmt: skip
def test_what_the_sheet_forbids_is_refused(table: Page, form: dict[str, str]) -> None:
    client = table.client(REFEREE)
    for step in ("next", "begin"):
        answer = client.post(f"games/1/{step}", data=form)
        assert answer.status_code == 422
        assert "That did not work" in answer.text
    assert table.table.commands == []


@pytest.mark.parametrize(
    ("form", "why"),
    [
        ({"rule-stack.limit": "8"}, "nothing could be stacked"),
        ({"house": "family", "rule-wd4.challenge.shown_to": "next"}, "nobody challenges a Wild Draw Four"),
    ],
)
def test_house_rules_that_cannot_be_combined_are_refused_with_the_reason(
    table: Page, form: dict[str, str], why: str
) -> None:
    client = table.client(REFEREE)
    answer = client.post("games/1/next", data=form)
    assert (answer.status_code, why in answer.text) == (422, True)
    assert why not in client.post("games/1/next", data=form, headers={"accept-language": "de"}).text


def test_where_no_name_is_given_nobody_sits(table: Page) -> None:
    client = table.client(REFEREE)
    names = {"name-0": "Zoe", "name-2": "Eve", "all_names": "yes"}
    shown = client.post("games/1/next", data=names | {"dealer": "1"}).text
    assert "Zoe, Eve" in shown
    assert client.post("games/1/begin", data=names | {"dealer": "1"}).status_code == 303
    (command,) = table.table.commands
    assert isinstance(command, StartGame)
    given = command.header.given or {}
    assert (command.header.seats[::2][:2], command.header.dealer) == (("Zoe", "Eve"), 2)
    assert (given["phase"], 1 in given["out"], 0 in given["out"]) == ("deal", True, False)
    assert client.post("games/1/next", data={"name-0": "Zoe", "all_names": "yes"}).status_code == 422


def test_house_rules_are_offered_and_shown_in_words(table: Page) -> None:
    client = table.client(REFEREE)
    offered = client.get("games/1/next").text
    assert all(preset.about in offered for preset in presets().values())
    assert "whoever plays a 7 swaps hands with another player" in offered
    shown = client.post("games/1/next", data={"house": "jump-in"}).text
    assert "whoever holds the same card as the up-card may play it out of turn" in shown


def test_the_house_rules_of_the_last_game_are_offered_again(tmp_path: Path) -> None:
    header = json.loads(LINES[0]) | {"ruleset": "g7942-fr+quick+seven=swap+draw.voluntary=warn"}
    with page(tmp_path, (text_of(header),)) as up:
        up.table.may_start_game = True
        client = up.client(REFEREE)
        form = dict(re.findall(r'<select id="[^"]+" name="([^"]+)">.*?<option value="([^"]+)" selected', (
            client.get("games/1/next").text.replace("</select>", "</select>\n")
        )))  # fmt: skip
        assert client.post("games/1/begin", data=form).status_code == 303
        (command,) = up.table.commands
    assert isinstance(command, StartGame)
    assert command.header.ruleset.name == load(header["ruleset"]).name


def test_only_a_referee_begins_and_not_while_a_game_is_played(table: Page) -> None:
    player, referee = table.client(Person("player", 1)), table.client(REFEREE)
    assert "New game" in referee.get("games/1").text
    assert player.get("games/1/next").status_code == 403
    assert player.post("games/1/begin").status_code == 403
    table.table.may_start_game = False
    table.write(text_of({"obs": "tick", "t": 1.0}))
    assert "New game" not in referee.get("games/1").text
    for answer in (referee.get("games/1/next"), referee.post("games/1/next"), referee.post("games/1/begin")):
        assert answer.status_code == 409
    assert table.table.commands == []


@pytest.fixture
def unnamed(tmp_path: Path) -> Iterator[Page]:
    """A table whose seats have no names, before its first card."""
    header = json.loads(LINES[0]) | {"seats": list(seat_names(4))}
    with page(tmp_path, (text_of(header),)) as made:
        made.table.may_start_game, made.table.is_simulation = True, False
        PeopleFile(tmp_path / "croupier.journal").apply(json.dumps(["add", "Ann", "Ben", "Player 2"]))
        yield made


def test_where_nobody_sits_by_name_the_page_asks_who_plays_and_offers_who_has_played(unnamed: Page) -> None:
    admin = unnamed.client(Person("admin"))
    assert admin.get("").headers["location"] == "/games/1/next"
    assert "Who plays?" in admin.get("games/1").text
    asked = admin.get("games/1/next").text
    assert "<h1>Who plays?</h1>" in asked
    assert re.findall(r'name="name-\d" value="(.*?)"', asked) == [""] * 4
    (offered,) = re.findall(r'<p id="played-before".*?</p>', asked)
    assert re.findall(r'value="(.*?)"', offered) == ["Ben", "Ann"]

    typed = {"all_names": "yes", "name-0": "Ben", "name-1": "", "name-2": "Ann", "name-3": ""}
    assert admin.post("games/1/begin", data=typed).headers["location"] == "/"
    (command,) = unnamed.table.commands
    assert isinstance(command, StartGame)
    assert [command.header.seats[seat] for seat in (0, 2)] == ["Ben", "Ann"]
    assert command.header.given == {"phase": "pick", "out": [1, 3]}


def test_who_plays_is_asked_of_an_admin_alone_and_not_after_the_first_card(unnamed: Page) -> None:
    assert unnamed.client(Person("referee")).get("").headers["location"] == "/games/1"
    unnamed.table.may_start_game = False
    assert unnamed.client(Person("admin")).get("").headers["location"] == "/games/1"
