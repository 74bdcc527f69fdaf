"""The site over real HTTP: what is shown to whom, what may be done by whom, and what nobody may do."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from threading import Thread

import pytest

from croupier.commands import (
    ChooseDealer,
    Command,
    CountFedCards,
    LayCard,
    MakeHouseRule,
    NameCard,
    PluginOrder,
    PressKey,
    ProvokeFault,
    ShowCards,
)
from croupier.game_views.story import Story
from croupier.journal import Journal, text_of
from croupier.web.accounts import SPECTATOR, Person
from croupier.web.game_repository import GameRepository
from croupier_extras.voice.cues import Loudness
from tests.journal.games import game_lines
from tests.patience import PATIENCE_S
from tests.web.events import events
from tests.web.stories import simulated
from tests.web.tables import Page, page

PLAYER, OTHER, REFEREE, ADMIN = Person("player", 1), Person("player", 0), Person("referee"), Person("admin")

LINES = game_lines(1, rounds=2, open_hands=True)
SO_FAR = 120
"""Observations of the game that is played."""

NASTY = "<script>alert(1)</script>"
MARKUP = (
    text_of({"log": "croupier/1", "ruleset": "g7942-en", "seats": [NASTY, '"><img src=x>', "Cat"], "dealer": 0}),
    text_of({"obs": "fault", "t": 1.0, "device": "<b>shoe", "kind": "</title><svg onload=alert(2)>"}),
)


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with page(tmp_path_factory.mktemp("site"), LINES[: SO_FAR + 1], LINES, MARKUP) as made:
        yield made


@pytest.fixture
def table(up: Page) -> Page:
    up.table.commands.clear()
    up.table.candidates = ()
    return up


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("games/1", "SIMULATION"),
        ("games/1", "hx-sse:connect"),
        ("games/2?at=0", "Dealing"),
        ("games/2?at=99999", "wins the round"),
        ("games/1/board", "is-board"),
        ("games/1/seats/3", "Player 3"),
        ("games", "g7942-en"),
        ("login", "Your code"),
    ],
)
def test_everybody_may_look(table: Page, path: str, says: str) -> None:
    answer = table.client().get(path)
    assert answer.status_code == 200
    assert says in answer.text


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("games/9", 404), ("games/1073741823", 404),
        ("games/2147483647", 422),
        ("games/0", 422), ("games/x", 422), ("games/1/seats/7", 404), ("games/1/seats/-1", 422),
        ("games/1?at=-1", 422), ("games/1/events?kind=seat", 404), ("people", 403), ("static/../site.py", 404),
        ("nothing", 404),
    ],
)  # fmt: skip
def test_what_is_not_there_is_said_plainly(table: Page, path: str, status: int) -> None:
    answer = table.client().get(path)
    assert answer.status_code == status
    assert "Traceback" not in answer.text


def test_the_start_is_the_table_that_is_played_at(table: Page) -> None:
    answer = table.client().get("")
    assert (answer.status_code, answer.headers["location"]) == (303, "/games/1")


@pytest.mark.parametrize("path", ["games/3", "games/3?at=1", "games/3/board", "games/3/seats/0", "games"])
def test_names_and_reports_are_text_never_markup(table: Page, path: str) -> None:
    text = table.client().get(path).text
    for markup in ("<script>alert", "<img src=x", "<b>shoe", "<svg onload"):
        assert markup not in text
    assert "&lt;script&gt;" in text


LOG = re.compile(r'<section id="turns".*?</section>', re.DOTALL)
"""Of the whole round, in a replay: what was laid later stands in it."""

FACE = re.compile(r"(red|yellow|green|blue) (\d|Skip|Reverse|Draw Two)|Wild")


def test_no_page_shows_a_face_of_a_hidden_hand(table: Page) -> None:
    """The shoe has read every card of this game; its pages show none before it is laid, or its round is over."""
    client = table.client()
    dealt = [i for i, line in enumerate(LINES) if '"obs":"dealt"' in line][:4]
    for n in dealt:
        assert "cards" in json.loads(LINES[n])
        for path in (f"games/2/embed?at={n}", f"games/2?at={n}", f"games/2/board?at={n}", f"games/2/seats/1?at={n}"):
            table_now = LOG.sub("", client.get(path).text)
            assert not FACE.search(table_now), path
        changes = client.get(f"games/2/changes?at={n}").json()
        assert not FACE.search("".join(html for name, html in changes.items() if name != "turns"))
    story = Story(LINES[0])
    story.extend(LINES[1:])
    for moment in story.moments:
        assert "known" not in moment.position
        if moment.obs in ("dealt", "drew"):
            assert not FACE.search(story.describe(moment).seen)


def test_a_replay_shows_what_the_table_showed_then(table: Page) -> None:
    story = Story(LINES[0])
    for n, line in enumerate(LINES[1:60], start=1):
        story.extend([line])
        assert story.at(None) == story.at(n)
    long = Story(LINES[0])
    long.extend(LINES[1:])
    assert [long.at(n) for n in range(60)] == [story.at(n) for n in range(60)]


@pytest.mark.parametrize(
    ("seat", "says"), [(1, "Answer with a draw card, or take 2"), (2, "Player 1 answers or draws")]
)
def test_whose_turn_it_is_reads_so_on_the_own_phone(tmp_path: Path, seat: int, says: str) -> None:
    given = {"phase": "stack", "turn": 1, "top": "red-draw2", "stack": 2}
    with page(tmp_path, (text_of(json.loads(LINES[0]) | {"ruleset": "g7942-en+stacking", "given": given}),)) as up:
        client = up.client(Person("player", seat))
        assert f'<span class="who">{says}</span>' in client.get(f"games/1/seats/{seat}").text


def test_a_game_that_was_simulated_is_labeled_where_all_games_are_listed(tmp_path: Path) -> None:
    with page(tmp_path, tuple(simulated(LINES)), LINES, live=2) as up:
        up.table.is_simulation = False
        listed = up.client().get("games").text
        assert listed.count("SIMULATION") == 1
        assert "SIMULATION" in up.client().get("games/1?at=30").text
        assert "SIMULATION" not in up.client().get("games/2").text


def test_a_touch_that_could_not_be_dated_well_says_by_how_much(tmp_path: Path) -> None:
    played = next(n for n, line in enumerate(LINES) if json.loads(line).get("obs") == "play")
    sure, unsure = (json.dumps(json.loads(LINES[played]) | {"u": u}) for u in (0.03, 0.31))
    with page(tmp_path, (*LINES[:played], sure), (*LINES[:played], unsure)) as up:
        assert "±" not in up.client().get("games/1").text
        shown = up.client().get("games/2").text
        assert "±0.3 s" in shown
        assert "±0.3 s" in shown


def test_a_game_that_cannot_be_described_does_not_prevent_the_list(tmp_path: Path) -> None:
    impossible = text_of({"obs": "overrule", "t": 1.0, "set": {"dealer": 99}})
    with page(tmp_path, LINES, (LINES[0], impossible), LINES) as up:
        listed = up.client().get("games")
        assert listed.status_code == 200
        assert "This game cannot be shown" in listed.text
        for game in (1, 3):
            assert f'href="/games/{game}?at=0"' in listed.text or f'href="/games/{game}"' in listed.text


def test_a_list_of_games_goes_through_none_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[int] = []
    extend = Story.extend

    def counted(self: Story, lines: Iterable[str]) -> None:
        lines = list(lines)
        told.append(len(lines))
        extend(self, lines)

    monkeypatch.setattr(Story, "extend", counted)
    path = tmp_path / "croupier.journal"
    with Journal(path) as journal:
        for lines in (LINES, LINES, LINES[:10]):
            journal.add(lines, began=1.7e9)
        listing = GameRepository(path)
        for _ in range(3):
            listed = listing.newest(100)
        assert told == [9, len(LINES) - 1, len(LINES) - 1]
        journal.append(3, json.loads(LINES[10]))
        listed = listing.newest(100)
        assert told[3:] == [10]
    assert [one.game.number for one in listed] == [3, 2, 1]
    assert listed[2].points == listed[1].points != listed[0].points


def test_who_is_refused_reads_why_in_their_language(table: Page) -> None:
    german = {"accept-language": "de"}
    stranger = table.client().get("login", headers={"host": "evil.example"} | german)
    assert (stranger.status_code, "Adresse" in stranger.text) == (421, True)
    foreign = table.client().post(
        "language", data={"language": "de"}, headers={"origin": "http://evil.example"} | german
    )
    assert (foreign.status_code, "Seite" in foreign.text) == (403, True)


def test_who_has_gone_out_has_no_call_any_more(tmp_path: Path) -> None:
    given = {"phase": "turn", "top": "red-7", "turn": 1, "hands": [5, 1, 5, 5], "called": [1]}
    lines = [text_of(json.loads(LINES[0]) | {"given": given}), text_of({"obs": "play", "t": 1.0, "card": "red-5"})]
    with page(tmp_path, tuple(lines)) as made:
        before, after = (made.client().get(f"games/1/board?at={n}").text for n in (0, 1))
        assert "<em>UNO</em>" in before
        assert "<em>UNO</em>" not in after


def test_what_does_not_work_and_what_is_to_be_done_is_said(table: Page) -> None:
    table.table.alarms = (("camera", "dark"), ("shoe", "job-in-doubt"))
    for path in ("games/1", "games/1/board", "games/1/seats/0"):
        assert "sees only darkness" in table.client().get(path).text
    assert "How many of the cards came out?" in table.client(PLAYER).get("games/1").text
    assert "How many of the cards came out?" not in table.client().get("games/1").text
    assert "How many cards does each hand have?" not in table.client(REFEREE).get("games/1/record").text
    table.table.alarms = (("shoe", "jobs-unreadable"),)
    record = table.client(REFEREE).get("games/1/record").text
    assert "How many cards does each hand have?" in record
    fields = re.findall(r'<input id="hands-\d"[^>]*>', record)
    assert len(fields) == 4
    assert all('value=""' in field and "required" in field for field in fields), "the old numbers invite a guess"
    assert "was-hands-0" not in record
    table.table.alarms = ()
    assert "darkness" not in table.client().get("games/1").text


PAUSED = [text_of({"obs": "fault", "t": 1.0, "device": "shoe", "kind": "jam"})]
LAST_CARD: dict[str, object] = {"phase": "turn", "top": "red-7", "turn": 0, "hands": [1, 5, 5, 5], "called": [0]}
WAITING: list[tuple[dict[str, object], list[str], str]] = [
    ({"phase": "turn", "top": "red-7"}, PAUSED, "A card is jammed in the shoe"),
    ({"phase": "deal"}, [], "Deal 7 cards to each seat"),
    ({"phase": "upcard"}, [], "turn up the first card"),
    ({"phase": "game_over"}, [], "Press Go on to start another one"),
    (
        LAST_CARD,
        [text_of({"obs": "play", "t": 1.0, "card": "red-5"})],
        "one after the other: Player 1, Player 2, Player 3",
    ),
    ({"phase": "turn", "top": "red-7", "draw_pile": 0}, [], "shuffle the discard pile"),
]


@pytest.mark.parametrize(("given", "lines", "says"), WAITING)
def test_what_the_game_waits_for_is_said(
    tmp_path_factory: pytest.TempPathFactory, given: dict[str, object], lines: list[str], says: str
) -> None:
    header = text_of(json.loads(LINES[0]) | {"given": given})
    with page(tmp_path_factory.mktemp("waiting"), (header, *lines)) as made:
        made.table.has_shoe = False
        assert says in made.client().get("games/1").text


def test_without_a_camera_people_say_what_is_laid(tmp_path_factory: pytest.TempPathFactory) -> None:
    header = text_of(json.loads(LINES[0]) | {"given": {"top": "red-7", "turn": 1}})
    hand = {"seat": "1", "card-00": "red-1", "card-01": "blue-2"}
    with page(tmp_path_factory.mktemp("blind"), (header,)) as made:
        client, other = made.client(PLAYER), made.client(OTHER)
        assert 'action="/actions/lay"' not in client.get("games/1/seats/1").text
        assert (
            client.post("actions/lay", data={"card:color": "red", "card:symbol": "5", "seat": "1"}).status_code == 403
        ), "the camera sees it"
        made.table.has_camera = False
        made.server.ring()
        made.write(text_of({"obs": "tick", "t": 1.0}))
        assert 'action="/actions/lay"' in client.get("games/1/seats/1").text
        assert (
            client.post("actions/lay", data={"card:color": "red", "card:symbol": "5", "seat": "1"}).status_code == 204
        )
        assert other.post("actions/show", data=hand).status_code == 403
        assert client.post("actions/show", data=hand).status_code == 204
        for wrong in (
            {"card:symbol": "5"},
            {"card:color": "wild", "card:symbol": "red-5"},
            {"card:color": "red", "card:symbol": "wild"},
        ):
            assert "Choose a color and a card." in client.post("actions/lay", data=wrong | {"seat": "1"}).text
        assert client.post("actions/lay", data={"card:color": "red", "seat": "1"}).status_code == 422
        assert client.post("actions/show", data={"seat": "1", "card-00": "?"}).status_code == 422
        assert client.post("actions/count", data={"count": "3"}).status_code == 204
        assert made.client().post("actions/count", data={"count": "3"}).status_code == 403
        assert made.table.commands == [LayCard("red-5", 1), ShowCards(1, ("red-1", "blue-2")), CountFedCards(3)]


@pytest.mark.parametrize(("seat", "status"), [("0", 204), ("1", 204), ("", 204), ("2", 403)])
def test_a_player_lays_a_card_for_the_own_seat_or_the_seat_on_turn_only(tmp_path: Path, seat: str, status: int) -> None:
    header = text_of(json.loads(LINES[0]) | {"given": {"top": "red-7", "turn": 1}})
    with page(tmp_path, (header,)) as made:
        made.table.has_camera = False
        for who, expected in ((OTHER, status), (REFEREE, 204), (SPECTATOR, 403)):
            client = made.client(None if who == SPECTATOR else who)
            assert (
                client.post("actions/lay", data={"card:color": "red", "card:symbol": "5", "seat": seat}).status_code
                == expected
            )


UNO = {"seat": "1", "key": "uno"}

COMMANDS: list[tuple[str, dict[str, str], Command, set[Person]]] = [
    ("press", {"seat": "1", "key": "uno"}, PressKey(1, "uno"), {PLAYER, REFEREE, ADMIN}),
    ("press", {"seat": "0", "key": "go"}, PressKey(0, "go"), {OTHER, REFEREE, ADMIN}),
    ("card", {"card": "red-7"}, NameCard("red-7"), {REFEREE, ADMIN}),
    ("dealer", {"seat": "2"}, ChooseDealer(2), {PLAYER, OTHER, REFEREE, ADMIN}),
    ("rule", {"seat": "1", "number": "7", "text": "Clap."}, MakeHouseRule(1, 7, "Clap."), {PLAYER, REFEREE, ADMIN}),
    ("fault", {"fault": "jam"}, ProvokeFault("jam"), {REFEREE, ADMIN}),
    ("voice", {"volume": "60", "muted": "yes"}, PluginOrder("voice", "60 muted"), {PLAYER, OTHER, REFEREE, ADMIN}),
]


@pytest.mark.parametrize("who", [SPECTATOR, PLAYER, OTHER, REFEREE, ADMIN], ids=str)
def test_everybody_may_do_what_is_theirs_and_no_more(table: Page, who: Person) -> None:
    client = table.client(None if who == SPECTATOR else who)
    table.table.plugins = (("voice", Loudness(80, muted=False)),)
    for what, form, command, may in COMMANDS:
        answer = client.post(f"actions/{what}", data=form)
        assert answer.status_code == (204 if who in may else 403)
        assert table.table.commands == ([command] if who in may else [])
        table.table.commands.clear()


def test_an_order_is_answered_when_it_is_written(table: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table.table, "writes", False)
    client, answers = table.client(REFEREE), SimpleQueue[int]()
    press = Thread(target=lambda: answers.put(client.post("actions/press", data=UNO).status_code))
    press.start()
    while not table.table.unwritten:
        assert answers.empty()
        press.join(0.01)
    written = table.table.unwritten.pop()
    assert answers.empty()
    written.set_result(None)
    assert answers.get(timeout=PATIENCE_S) == 204
    press.join()


def test_an_order_that_waits_is_answered_as_received(table: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table.table, "writes", False)
    monkeypatch.setattr("croupier.web.http.WRITTEN_S", 0.0)
    client = table.client(REFEREE)
    answer = client.post("actions/press", data=UNO)
    assert (answer.status_code, answer.text) == (202, "The table has received this, but has not saved it yet.")
    assert client.post("actions/press", data=UNO, headers={"accept": "text/html"}).status_code == 303
    table.table.unwritten.clear()


def test_what_nobody_could_read_any_player_settles(table: Page) -> None:
    table.table.candidates = ("red-6", "red-9")
    assert table.client().post("actions/card", data={"card": "red-9"}).status_code == 403
    assert table.client(PLAYER).post("actions/card", data={"card": "red-9"}).status_code == 204
    assert table.table.commands == [NameCard("red-9")]


def test_the_voice_is_muted_where_there_is_one_and_all_who_look_see_it(table: Page) -> None:
    client = table.client(PLAYER)
    table.table.plugins = (("voice", None),)
    assert "Mute the table" not in client.get("games/1").text
    assert client.post("actions/voice", data={"volume": "80", "muted": "yes"}).status_code == 403
    table.table.plugins = (("voice", Loudness(80, muted=False)),)
    assert "Mute the table" in client.get("games/1").text
    table.table.plugins = (("voice", Loudness(80, muted=True)),)
    assert "Unmute the table" in client.get("games/1").text
    assert "Unmute the table" not in table.client().get("games/1").text


@pytest.mark.parametrize(
    ("what", "form"),
    [
        ("press", {"seat": "4", "key": "uno"}), ("press", {"seat": "1", "key": "explode"}), ("press", {}),
        ("card", {"card": "red-77"}), ("card", {"card": "?"}), ("rule", {"seat": "1", "number": "10", "text": "x"}),
        ("rule", {"seat": "1", "number": "1", "text": " "}), ("dealer", {"seat": "٣"}),
        ("dealer", {"seat": "9" * 30}), ("dealer", {"seat": "000099"}), ("press", {"seat": "0000099", "key": "uno"}),
        ("rule", {"seat": "1", "number": "000099", "text": "x"}), ("voice", {"volume": "0000900", "muted": "no"}),
        ("voice", {"volume": "101", "muted": "no"}), ("voice", {"volume": "60"}),
    ],
)  # fmt: skip
def test_a_command_that_makes_no_sense_is_refused(table: Page, what: str, form: dict[str, str]) -> None:
    assert table.client(ADMIN).post(f"actions/{what}", data=form).status_code == 422
    assert table.client(ADMIN).post("actions/steal", data=form).status_code == 404
    assert table.table.commands == []


@pytest.mark.parametrize(
    ("kind", "body", "status", "why"),
    [
        pytest.param("x-www-form-urlencoded", b"\xff=1", 422, "cannot be done", id="not UTF-8"),
        pytest.param("x-www-form-urlencoded", b"a=1&" * 5000, 400, "the fields of a form", id="many fields"),
        pytest.param("x-www-form-urlencoded", b"x" * 300_000, 413, "too much", id="too much"),
        pytest.param("json", b'{"key": "uno", "seat": 1}', 422, "cannot be done", id="no form"),
    ],
)
def test_a_form_that_is_none_is_refused(table: Page, kind: str, body: bytes, status: int, why: str) -> None:
    headers = {"content-type": f"application/{kind}"}
    answer = table.client(ADMIN).post("actions/press", content=body, headers=headers)
    assert (answer.status_code, why in answer.text) == (status, True)
    assert table.table.commands == []


def test_a_file_in_a_form_is_refused(table: Page) -> None:
    answer = table.client(ADMIN).post("actions/press", data={"key": "uno"}, files={"seat": b"1"})
    assert answer.status_code == 422


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421), ({"host": "localhost.evil.example"}, 421), ({"host": "["}, 421),
        ({"host": ""}, 421), ({"host": "localhost:1"}, 200), ({"host": "192.168.1.5:8300"}, 200),
    ],
)  # fmt: skip
def test_only_what_is_addressed_to_us_is_answered(table: Page, headers: dict[str, str], status: int) -> None:
    answer = table.client().get("login", headers=headers)
    assert answer.status_code == status


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 204), ({"sec-fetch-site": "same-origin"}, 204), ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403), ({"origin": "http://["}, 403),
        ({"sec-fetch-site": "cross-site"}, 403), ({"sec-fetch-site": "same-site"}, 403),
    ],
)  # fmt: skip
def test_no_other_page_can_do_anything_here(table: Page, headers: dict[str, str], status: int) -> None:
    client = table.client(REFEREE)
    answer = client.post("actions/fault", data={"fault": "jam"}, headers=headers)
    assert answer.status_code == status


def test_every_answer_says_what_a_browser_may_do_with_it(table: Page) -> None:
    for path in ("login", "games/1", "nothing", "static/page.css"):
        headers = table.client().get(path).headers
        assert "script-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


def test_codes_are_made_by_an_admin_and_shown_once(table: Page) -> None:
    admin = table.client(ADMIN)
    answer = admin.post("people", data={"role": "player", "seat": "2"})
    (code,) = re.findall(r'<p class="code" translate="no">(\w+)</p>', answer.text)
    assert code not in admin.get("people").text
    client = table.client()
    assert client.post("login", data={"code": code.upper()}).status_code == 303
    assert client.post("actions/press", data={"seat": "2", "key": "uno"}).status_code == 204
    assert client.post("people", data={"role": "admin", "seat": ""}).status_code == 403
    again = admin.post("people", data={"role": "player", "seat": "2"})
    assert again.status_code == 200
    assert client.post("actions/press", data={"seat": "2", "key": "uno"}).status_code == 403, "the old code is void"
    for bad in ({"role": "player", "seat": "9"}, {"role": "king", "seat": ""}, {"role": "referee", "seat": "1"}, {}):
        assert admin.post("people", data=bad).status_code == 422


def test_who_leaves_is_a_spectator_again(table: Page) -> None:
    client = table.client(ADMIN)
    assert client.get("people").status_code == 200
    token = client.cookies["croupier"]
    assert client.post("logout").status_code == 303
    client.cookies.set("croupier", token)
    assert client.get("people").status_code == 403


@pytest.mark.parametrize(
    ("who", "phase", "status"), [(None, "turn", 200), (None, "challenge", 204), (REFEREE, "challenge", 200)]
)
def test_the_camera_is_shown_but_for_a_hand_that_lies_open_for_one(
    table: Page, tmp_path_factory: pytest.TempPathFactory, who: Person | None, phase: str, status: int
) -> None:
    given = {"phase": phase, "top": "wild-draw4", "color": "red", "turn": 1}
    header = text_of(json.loads(LINES[0]) | {"given": given})
    with page(tmp_path_factory.mktemp("camera"), (header,)) as made:
        assert made.client(who).get("camera.jpg").status_code == status


def test_a_hand_shown_to_one_stays_private_until_the_game_goes_on() -> None:
    story = Story(text_of(json.loads(LINES[0]) | {"given": {"top": "red-7", "turn": 1}}))
    hand = ["blue-1", "blue-2", "blue-3", "blue-4", "green-1", "green-2"]
    for line, is_private in (
        ({"obs": "play", "t": 0.1, "card": "wild-draw4"}, False),
        ({"obs": "color", "t": 0.2, "color": "blue"}, True),
        ({"obs": "challenge", "t": 1.0, "seat": 2}, True),
        ({"obs": "shown", "t": 2.0, "seat": 1, "cards": hand}, True),
        ({"obs": "drew", "t": 3.0, "seat": 2, "n": 6}, True),
        ({"obs": "play", "t": 4.0, "card": "blue-5"}, False),
    ):
        story.extend([text_of(line)])
        assert story.has_private_hand is is_private, line


def test_the_log_is_there_without_the_faces_of_hidden_hands(table: Page) -> None:
    client = table.client()
    over = client.get("games/2/log.jsonl")
    assert over.text.splitlines() == list(LINES), "the game is over"
    dealt = [json.loads(line) for line in client.get("games/1/log.jsonl").text.splitlines() if '"dealt"' in line]
    assert len(dealt) > 4
    assert all("cards" not in line for line in dealt[-4:]), "of the round that is played"


def test_what_is_written_is_streamed_with_its_place_in_the_log(table: Page) -> None:
    client = table.client()
    with client.stream("GET", "games/1/events") as answer:
        stream = events(answer)
        n, text = next(stream)
        assert n == SO_FAR
        assert "headline" in text
        table.write(LINES[SO_FAR + 1])
        n, after = next(stream)
        assert n == SO_FAR + 1
        assert after != text
    table.write(*LINES[SO_FAR + 2 : SO_FAR + 5])
    with client.stream("GET", "games/1/events", headers={"last-event-id": str(SO_FAR + 1)}) as answer:
        ((n, _),) = islice(events(answer), 1)
        assert n == SO_FAR + 4, "who comes back gets what is now"
    with client.stream("GET", "games/1/events?kind=seat&seat=2", headers={"last-event-id": "nonsense"}) as answer:
        ((n, text),) = islice(events(answer), 1)
        assert (n, "Your cards" in text) == (SO_FAR + 4, True)


def test_each_reads_the_page_in_a_language_of_his_own(table: Page) -> None:
    german, asked = table.client(), table.client()
    answer = german.post("language", data={"language": "de"}, headers={"referer": f"{table.server.url}games/2?at=0"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/games/2?at=0")
    for client, accept, lang, says in [
        (german, "fr", "de", "Es wird gegeben"),
        (asked, "el,en;q=0.5", "el", "Μοίρασμα"),
        (asked, "", "en", "Dealing"),
    ]:
        text = client.get("games/2?at=0", headers={"accept-language": accept}).text
        assert f'<html lang="{lang}">' in text
        assert says in text


def test_the_referee_speaks_the_readers_language_and_the_document_its_own(table: Page) -> None:
    text = table.client().get("games/2?at=99999", headers={"accept-language": "de"}).text
    assert "Die Runde ist zu Ende" in text
    assert "Die Anleitung sagt" in text
    assert "The first player" in text or "points" in text, "the sentence of the English sheet"


@pytest.mark.parametrize(
    "referer", ["https://elsewhere.example//bad.example/x", "\\\\bad.example", "//bad.example", "http://[x"]
)
def test_a_choice_of_language_leads_nowhere_else(table: Page, referer: str) -> None:
    answer = table.client().post("language", data={"language": "sv"}, headers={"referer": referer})
    assert re.match(r"/(?![/\\])", answer.headers["location"])


def test_a_language_that_there_is_not_is_refused(table: Page) -> None:
    assert table.client().post("language", data={"language": "../de"}).status_code == 422


def test_the_score_sheet_is_there_for_printing(table: Page) -> None:
    client = table.client()
    assert 'href="/games/2/score.pdf"' in client.get("games/2?at=99999").text
    answer = client.get("games/2/score.pdf", headers={"accept-language": "pl"})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/pdf")
    assert answer.content.startswith(b"%PDF")
    assert client.get("games/9/score.pdf").status_code == 404


LATE = [
    text_of(json.loads(LINES[0]) | {"given": {"top": "red-7", "turn": 1, "hands": [5, 2, 5, 5]}}),
    text_of({"obs": "play", "t": 1.0, "card": "red-5"}),
    text_of({"obs": "play", "t": 3.0, "card": "red-6"}),
    text_of({"obs": "uno", "t": 6.0, "seat": 0}),
]
LIFT = text_of({"obs": "lift", "t": 2.0, "seat": 2})


@pytest.mark.parametrize(
    ("lines", "ruleset", "language", "says"),
    [
        (LATE, "g7942-en", "en", "No sensor sees a card leave a hand"),
        (LATE, "g7942-en", "de", "wenn der nächste Spieler zieht oder seine Karte den Ablegestapel berührt"),
        ([*LATE[:2], LIFT, *LATE[2:]], "g7942-en", "en", ""),
        (LATE, "g7942-nl", "en", ""),
    ],
    ids=["a live table", "in the reader's language", "a log with lifts", "a sheet without lifts"],
)
def test_why_a_call_was_too_late_says_what_stands_for_a_lifted_card(
    tmp_path: Path, lines: list[str], ruleset: str, language: str, says: str
) -> None:
    header = text_of(json.loads(lines[0]) | {"ruleset": ruleset})
    with page(tmp_path, (header, *lines[1:])) as made:
        shown = made.client().get("games/1", headers={"accept-language": language}).text
    assert 'class="said void"' in shown
    if says:
        assert says in shown
    else:
        assert "No sensor sees" not in shown


def test_a_browser_finds_the_icon_where_it_looks_without_being_told(table: Page) -> None:
    answer = table.client().get("favicon.ico")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
