"""The record is set right on the page: by whom it may be, and never before it was shown what comes of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from croupier.journal import text_of
from croupier.web.accounts import SPECTATOR, Person
from croupier.web.corrections import REPORTS, possible_reports
from croupier_rules.referee import Observation
from croupier_rules.referee.corrections import Report, SetTo, Undo, Was
from croupier_rules.referee.observations import (
    Color,
    Dealt,
    Drew,
    Fault,
    Hint,
    HouseRule,
    Play,
    Shown,
    Swap,
    Uno,
    to_json,
)
from croupier_rules.rules import load, names
from tests.referee.games import header
from tests.web.tables import Page, page

REFEREE, BEN, ANN = Person("referee"), Person("player", 1), Person("player", 0)

TOLD: tuple[Observation, ...] = (
    Play(1.0, card="red-1"),
    Play(2.0, card="?"),
    Drew(3.0, 2, 1, cards=("green-9",)),
    Play(4.0, card="red-skip"),
    Uno(5.0, 1),
)
ONE, UNREAD, DREW, SKIP, PRESS = range(1, 6)
"""Their places in the log."""


def lines(*told: Observation, **given: object) -> tuple[str, ...]:
    head = header(given={"turn": 0, "top": "red-7"} | given)
    return tuple(text_of(line) for line in (head.to_json(), *map(to_json, told)))


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with page(tmp_path_factory.mktemp("record"), lines(*TOLD), lines(*TOLD)) as made:
        yield made


@pytest.fixture
def table(up: Page) -> Page:
    up.table.commands.clear()
    return up


def plain(answer: httpx.Response) -> str:
    """The words of a page."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", answer.text.partition("<main")[2]))


def test_what_comes_of_a_correction_is_shown_and_then_it_is_made(table: Page) -> None:
    client = table.client(REFEREE)
    form = {"n": str(SKIP), "card": "red-reverse"}
    seen = client.post("games/1/preview/was", data=form)
    assert "Direction to the left to the right" in plain(seen)
    assert table.table.commands == [], "nothing is done yet"
    fields = dict(re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', seen.text))
    assert fields == {**form, "line": str(len(TOLD)), "once": fields["once"]}
    made = client.post("games/1/correct/was", data=fields)
    assert (made.status_code, made.headers["location"]) == (303, "/games/1")
    assert table.table.commands == [Was(TOLD[SKIP - 1], Play(4.0, card="red-reverse"))]


def test_a_color_is_corrected_to_another_of_the_deck(tmp_path: Path) -> None:
    head = replace(header(given={"turn": 0, "top": "clubs-9"}), ruleset=load("mau-mau-en"))
    told = Play(1.0, card="clubs-jack"), Color(2.0, "hearts", 0)
    with page(tmp_path, tuple(text_of(line) for line in (head.to_json(), *map(to_json, told)))) as made:
        client = made.client(REFEREE)
        for address in ("games/1/record", "games/1/record/2"):
            choice = re.search(r'name="color">(.*?)</select>', client.get(address).text)
            assert choice is not None
            assert re.findall(r">(\w+)</option>", choice[1]) == ["clubs", "diamonds", "hearts", "spades"]
        assert client.post("games/1/correct/was", data={"n": "2", "color": "spades"}).status_code == 303
        assert made.table.commands == [Was(told[1], Color(2.0, "spades", 0))]


def test_what_came_while_a_correction_was_open_is_said_and_asked_about(tmp_path: Path) -> None:
    with page(tmp_path, lines(*TOLD)) as made:
        client = made.client(REFEREE)
        fields = {"n": str(SKIP), "card": "red-reverse", "line": str(len(TOLD))}
        made.write(text_of(to_json(Uno(5.5, 2))))
        assert client.post("games/1/preview/was", data=fields).status_code == 200, "a call changes nothing about it"
        made.write(text_of(to_json(Play(6.0, card="red-5"))))
        for step in ("preview", "correct"):
            asked = client.post(f"games/1/{step}/was", data=fields)
            assert asked.status_code == 409
            assert "red 5. Is the correction still right?" in plain(asked)
        assert made.table.commands == []
        again = dict(re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', asked.text))
        assert client.post("games/1/correct/was", data=again).status_code == 303
        assert made.table.commands == [Was(TOLD[SKIP - 1], Play(4.0, card="red-reverse"))]


@pytest.mark.parametrize(
    ("action", "form"),
    [
        ("card", {"card": "blue-7"}),
        ("lay", {"card:color": "blue", "card:symbol": "7"}),
        ("press", {"seat": "3", "key": "draw"}),
        ("press", {"seat": "3", "key": "go"}),
        ("show", {"seat": "1", "card-0": "blue-7"}),
        ("dealer", {"seat": "1"}),
    ],
)
def test_an_action_for_a_moment_that_is_over_is_not_done(tmp_path: Path, action: str, form: dict[str, str]) -> None:
    with page(tmp_path, lines(*TOLD)) as made:
        made.table.has_camera = False
        client = made.client(REFEREE)
        made.write(text_of(to_json(Play(6.0, card="red-5"))))
        late = client.post(f"actions/{action}", data={**form, "line": str(len(TOLD))})
        assert (late.status_code, made.table.commands) == (409, [])
        assert "Nothing was changed" in late.text
        other_game = client.post(f"actions/{action}", data={**form, "line": "99"})
        assert (other_game.status_code, made.table.commands) == (409, [])
        assert client.post(f"actions/{action}", data={**form, "line": str(len(TOLD) + 1)}).status_code == 204
        assert len(made.table.commands) == 1


def test_a_call_is_passed_on_whatever_was_shown(table: Page) -> None:
    assert table.client(BEN).post("actions/press", data={"seat": "1", "key": "uno", "line": "1"}).status_code == 204


def test_a_referee_says_beside_a_ruling_that_it_was_otherwise(table: Page) -> None:
    link = f'href="/games/1/record/{SKIP}"'
    assert link in table.client(REFEREE).get("games/1").text
    for who in (None, BEN):
        assert link not in table.client(who).get("games/1").text
    assert link not in table.client(REFEREE).get("games/1?at=4").text, "what is only replayed is not corrected"


def test_of_a_long_round_the_last_lines_are_shown_and_those_before_them_folded_away(tmp_path: Path) -> None:
    many = [Uno(float(t), 1) for t in range(30)]
    with page(tmp_path, lines(*many)) as made:
        shown, _fold, folded = made.client(REFEREE).get("games/1/record").text.partition('<details id="earlier">')
        assert "/record/30" in shown
        assert '/record/1"' not in shown
        assert '/record/1"' in folded


CORRECTIONS = [
    ("never", {"n": str(SKIP)}, Was(TOLD[SKIP - 1], None)),
    ("undo", {"n": str(PRESS)}, Undo(TOLD[PRESS - 1])),
    ("was", {"n": str(DREW), "count": "2"}, Was(TOLD[DREW - 1], Drew(3.0, 2, 2))),
    ("was", {"n": str(PRESS), "seat": "3"}, Was(TOLD[PRESS - 1], Uno(5.0, 3))),
    ("set", {"hands-1": "9"}, SetTo({"hands": {1: 9}})),
    ("set", {"direction": "right", "scores-0": "30"}, SetTo({"scores": {0: 30}, "direction": "right"})),
    ("set", {"turn": "2", "was-turn": "3", "top": "red-skip", "was-top": "red-skip"}, SetTo({"turn": 2})),
    ("report", {"obs": "play", "card": "blue-skip", "seat": ""}, Report(Play(0.0, card="blue-skip"))),
    ("report", {"obs": "color", "color": "blue", "seat": "2"}, Report(Color(0.0, "blue", 2))),
    ("report", {"obs": "drew", "seat": "3", "count": "1"}, Report(Drew(0.0, 3, 1))),
    ("report", {"obs": "hint", "seat": "3"}, Report(Hint(0.0, 3))),
    ("report", {"obs": "swap", "seat": "0", "other": "2"}, Report(Swap(0.0, 0, 2))),
    ("report", {"obs": "fault"}, Report(Fault(0.0, "referee", "pause"))),
    ("report", {"obs": "dealt", "seat": "0", "count": "7"}, Report(Dealt(0.0, 0, 7))),
    (
        "report",
        {"obs": "house_rule", "seat": "0", "number": "7", "text": "Clap."},
        Report(HouseRule(0.0, 0, 7, "Clap.")),
    ),
    (
        "report",
        {"obs": "shown", "seat": "0", "card-00": "red-1", "card-01": "", "card-02": "blue-2"},
        Report(Shown(0.0, 0, ("red-1", "blue-2"))),
    ),
]


@pytest.mark.parametrize(("what", "form", "correction"), CORRECTIONS)
def test_a_referee_corrects_everything(table: Page, what: str, form: dict[str, str], correction: object) -> None:
    client = table.client(REFEREE)
    assert client.post(f"games/1/preview/{what}", data=form).status_code == 200
    assert client.post(f"games/1/correct/{what}", data=form, headers={"hx-request": "true"}).status_code == 204
    assert table.table.commands == [correction]


def test_what_the_game_did_while_a_form_was_filled_in_is_not_taken_back(table: Page) -> None:
    """The turn went on since the form was shown; only what was typed is set."""
    form = {"turn": "0", "was-turn": "0", "top": "red-1", "was-top": "red-1", "scores-0": "30", "was-scores-0": "0"}
    seen = plain(table.client(REFEREE).post("games/1/preview/set", data=form))
    assert "Points of Player 0 0 30" in seen
    assert "Turn" not in seen
    assert "Top card" not in seen


def test_there_is_a_form_for_everything_that_may_be_reported_under_the_rules_in_play(table: Page) -> None:
    text = table.client(REFEREE).get("games/1/record").text
    groups = possible_reports(load("g7942-en"))
    assert re.findall(r'name="obs" value="(\w+)"', text) == [name for group in groups.values() for name in group]


@pytest.mark.parametrize(
    ("rules", "impossible"),
    [
        pytest.param(
            "g7942-en", {"swap", "target", "discarded", "redealt", "house_rule", "decline", "acted"}, id="classic"
        ),
        pytest.param("no-mercy-en", {"target", "redealt", "house_rule", "decline", "acted"}, id="no-mercy"),
        pytest.param("all-wild-en", {"discarded", "redealt", "house_rule", "decline", "acted"}, id="all-wild"),
        pytest.param(
            "swap-hands-en", {"target", "discarded", "redealt", "house_rule", "decline", "acted"}, id="swap-hands"
        ),
    ],
)
def test_what_the_rules_do_not_know_is_not_offered(rules: str, impossible: set[str]) -> None:
    offered = {name for group in possible_reports(load(rules)).values() for name in group}
    assert set(REPORTS) - offered - {"hint"} == impossible
    known = {name for name in names() for group in possible_reports(load(name)).values() for name in group}
    assert known == set(REPORTS), "each is offered under some rules"


MAY = [
    ("was", {"n": str(UNREAD), "card": "red-5"}, {REFEREE, BEN, ANN}),
    ("was", {"n": str(UNREAD), "card": "red-5", "seat": "3"}, {REFEREE}),
    ("was", {"n": str(ONE), "card": "red-5"}, {REFEREE}),
    ("never", {"n": str(UNREAD)}, {REFEREE}),
    ("undo", {"n": str(PRESS)}, {REFEREE, BEN}),
    ("set", {"hands-1": "9"}, {REFEREE}),
    ("report", {"obs": "hint", "seat": "1"}, {REFEREE}),
]


@pytest.mark.parametrize("who", [SPECTATOR, BEN, ANN, REFEREE], ids=str)
def test_others_settle_what_nobody_could_read_and_undo_what_they_pressed(table: Page, who: Person) -> None:
    client = table.client(None if who == SPECTATOR else who)
    for what, form, may in MAY:
        for step in ("preview", "correct"):
            status = client.post(f"games/1/{step}/{what}", data=form).status_code
            assert status == (403 if who not in may else 200 if step == "preview" else 303), (what, form, step)
    assert client.get("games/1/record").status_code == (200 if who == REFEREE else 403)
    assert client.get(f"games/1/record/{ONE}").status_code == (200 if who == REFEREE else 403)


@pytest.mark.parametrize(
    ("what", "form", "status", "says"),
    [
        ("undo", {"n": str(SKIP)}, 409, "cannot be undone, only corrected|last report can be undone"),
        ("undo", {"n": str(ONE)}, 409, "last report can be undone"),
        ("was", {"n": "99", "card": "red-5"}, 422, "no longer in the record"),
        ("was", {"n": "٣", "card": "red-5"}, 422, "Expected a number"),
        ("was", {"n": str(ONE), "card": "red-77"}, 422, "That cannot be"),
        ("was", {"n": str(DREW), "count": "many"}, 422, "Expected a number"),
        ("set", {"hands-1": "190"}, 422, "That is not possible"),
        ("set", {"direction": "up"}, 422, "cannot be done"),
        ("set", {}, 422, "same as the record"),
        ("report", {"obs": "overrule"}, 422, "cannot be done"),
        ("report", {"obs": "drew"}, 422, "That is not possible"),
        ("steal", {}, 422, "no page at this address"),
    ],
)
def test_what_cannot_be_is_said_plainly(table: Page, what: str, form: dict[str, str], status: int, says: str) -> None:
    client = table.client(REFEREE)
    for step in ("preview", "correct"):
        answer = client.post(f"games/1/{step}/{what}", data=form)
        assert answer.status_code == status
        assert re.search(says, plain(answer))
    assert table.table.commands == []


def test_a_script_that_asks_is_answered_in_words(table: Page) -> None:
    """The table's page shows what it is answered in its line of notices."""
    answer = table.client(REFEREE).post("games/1/correct/undo", data={"n": "99"}, headers={"hx-request": "true"})
    assert answer.status_code == 422
    assert answer.headers["content-type"].startswith("text/plain")
    assert "no longer in the record" in answer.text
    assert "<" not in answer.text


def test_a_game_that_is_not_played_is_not_corrected(table: Page) -> None:
    client = table.client(REFEREE)
    assert client.get("games/2/record").status_code == 409
    assert client.post("games/2/correct/undo", data={"n": str(PRESS)}).status_code == 409


def test_open_points_are_asked_where_the_table_is_shown(table: Page) -> None:
    for who, is_asked in ((BEN, True), (REFEREE, True), (SPECTATOR, False)):
        text = table.client(None if who == SPECTATOR else who).get("games/1").text
        assert ("It is this card" in text) is is_asked
        assert ("Undo: " in text) is (who in (BEN, REFEREE))
    assert "Undo: " not in table.client(ANN).get("games/1").text, "what somebody else pressed"


def test_what_a_card_may_be_says_what_comes_of_it(tmp_path: Path) -> None:
    with page(tmp_path, lines(*TOLD[:UNREAD])) as made:
        made.table.candidates = ("red-skip", "red-9", "wild")
        text = made.client(BEN).get("games/1").text
        comes = ["Then: Player 3’s turn", "Then: Player 2’s turn", "Then: Player 1 names a color"]
        assert re.findall(r"<small>([^<]*)", text) == comes
        assert text.count("It is this card") == 1, "the top card is asked once"


def test_a_correction_begins_with_what_the_reader_took_the_card_for(tmp_path: Path) -> None:
    seen = ((2.0, ("red-9", "red-6")), (4.0, ("red-skip", "red-reverse", "wild-house", "green-skip")))
    keys = re.compile(r'class="face-key" name="card" value="([^"]*)"')
    with page(tmp_path, lines(*TOLD[:SKIP])) as made:
        made.table.sightings = seen
        referee = made.client(REFEREE)
        offered = {n: keys.findall(referee.get(f"games/1/record/{n}").text) for n in (ONE, UNREAD, SKIP)}
        assert offered == {ONE: [], UNREAD: ["red-9", "red-6"], SKIP: ["red-reverse", "green-skip"]}
        shown = referee.get("games/1").text
        assert keys.findall(shown) == ["red-reverse", "green-skip", "red-9", "red-6"]
        assert shown.count("<small>Then: ") == 2
        assert keys.findall(made.client(BEN).get("games/1").text) == ["red-9", "red-6"], "a card that was read is right"
        answer = referee.post("games/1/correct/was", data={"n": str(UNREAD), "card": "red-6"})
        assert (answer.status_code, made.table.commands) == (303, [Was(TOLD[1], Play(2.0, card="red-6"))])


@pytest.mark.long
def test_the_cards_of_a_hand_that_was_shown_to_one_stay_hidden(tmp_path: Path) -> None:
    hand = Shown(2.0, 3, ("blue-2", "?", "green-4"))
    given = {"phase": "challenge", "top": "wild-draw4", "color": "red", "turn": 3, "hands": [7, 7, 7, 3]}
    with page(tmp_path, lines(hand, **given)) as made:
        client = made.client(REFEREE)
        shown = client.get("games/1").text + client.get("games/1/record").text
        form = client.get("games/1/record/1")
        assert not re.search(r"value=\"(blue-2|green-4)\" selected", form.text + shown)
        assert "blue 2" not in plain(made.client().get("games/1"))
        assert "Card 2 could not be read" in form.text
        answer = client.post("games/1/correct/was", data={"n": "1", "place": "1", "card": "red-5"})
        assert answer.status_code == 303
        assert made.table.commands == [Was(hand, Shown(2.0, 3, ("blue-2", "red-5", "green-4")))]
        assert (
            made.client(BEN).post("games/1/correct/was", data={"n": "1", "place": "1", "card": "red-5"}).status_code
            == 403
        )
        assert "It is this card" not in made.client(BEN).get("games/1").text
