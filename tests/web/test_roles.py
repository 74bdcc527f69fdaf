"""Who may do what: every address of the page's own description, for every role, for the own seat and for another's."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest

from croupier.config.model import later_options
from croupier.journal import Journal, text_of
from croupier.setup.page import TableSetup
from croupier.table_api.live_table import Settings
from croupier.web.accounts import SPECTATOR, Accounts, Person
from croupier.web.serving import serve_in_thread
from croupier_extras.voice.cues import Loudness
from croupier_rules.referee import parse_header
from croupier_tally.score_sheet import new_sheet
from tests.journal.games import game_lines
from tests.patience import PATIENCE_S
from tests.web.tables import QUICK, Page, page, reached

OWN, OTHER, REFEREE, ADMIN = Person("player", 1), Person("player", 2), Person("referee"), Person("admin")
SCREEN = Person("screen")
EVERYBODY = frozenset((SPECTATOR, SCREEN, OWN, OTHER, REFEREE, ADMIN))
PLAYERS = EVERYBODY - {SPECTATOR, SCREEN}
WITH_SEAT = frozenset((OWN, OTHER))
SEAT = PLAYERS - {OTHER}
"""Who acts for seat 1: its player, and the referees."""
REFEREES = frozenset((REFEREE, ADMIN))
ADMINS = frozenset((ADMIN,))

HEADER = json.loads(game_lines(1)[0]) | {"given": {"top": "red-7", "turn": 3}}
LINES = (
    text_of(HEADER),
    text_of({"obs": "play", "t": 1.0, "seat": 3, "card": "?"}),
    text_of({"obs": "uno", "t": 2.0, "seat": 1}),
)
NEXT = {f"name-{seat}": f"P{seat}" for seat in range(4)}
PLACES = {"game": 1, "seat": 1, "n": 1, "sheet": "evening", "clip": 7, "file": "score.pdf"}
SETTINGS = Settings(
    now=tuple({
        "seats.names": ("Ann", "Ben", "Cat", "Dan"), "table.language": None, "page.theme": "auto",
        "page.no_call": "after",
        "voice.on": False,
        "voice.volume": 80, "voice.language": None,
    }.items()),
    later=tuple(later_options(parse_header(HEADER)).items()), running=(), next_header="", unsaved="",
)  # fmt: skip
SHEET = new_sheet(("Ann", "Ben", "Cat"), "g7942-en").with_winner(1)
"""A round in which nobody has shown a hand."""


@dataclass(frozen=True)
class Entry:
    """``may``: who is let in, and answered with ``status``, or as ``but`` says; ``form``: what is sent; ``table``: of
    the live table."""

    may: frozenset[Person]
    status: int = 200
    form: Mapping[str, str] = field(default_factory=dict)
    table: Mapping[str, Any] = field(default_factory=dict)
    but: Mapping[Person, int] = field(default_factory=dict)


def action(may: frozenset[Person], form: Mapping[str, str], **table: Any) -> Entry:
    return Entry(may, 204, form, table)


CORRECTIONS = {
    "was": (PLAYERS, {"n": "1", "card": "red-5"}),
    "never": (REFEREES, {"n": "2"}),
    "undo": (SEAT, {"n": "2"}),
    "set": (REFEREES, {"dealer": "1"}),
    "report": (REFEREES, {"obs": "hint", "seat": "1"}),
}
BLIND = {"has_camera": False}
RED_5 = {"card:color": "red", "card:symbol": "5"}
MATRIX: dict[str, list[Entry]] = {
    "GET /": [Entry(EVERYBODY, 303)],
    "GET /sw.js": [Entry(EVERYBODY)],
    "GET /favicon.ico": [Entry(EVERYBODY)],
    "GET /away": [Entry(EVERYBODY)],
    "GET /games": [Entry(EVERYBODY)],
    "GET /overlay": [Entry(EVERYBODY)],
    "GET /overlay/events": [Entry(EVERYBODY)],
    "GET /statistics": [Entry(EVERYBODY)],
    "GET /statistics.csv": [Entry(EVERYBODY)],
    "GET /statistics.json": [Entry(EVERYBODY)],
    "GET /statistics/ladder": [Entry(EVERYBODY)],
    "GET /statistics/sign": [Entry(ADMINS, 422)],
    "POST /statistics/sign": [
        Entry(ADMINS, 303, {"do": "choose", "name": "Ann", "color": "plum", "shape": "heart"}),
        Entry(ADMINS, 303, {"do": "automatic", "name": "Ann"}),
    ],
    "POST /statistics/people": [
        Entry(ADMINS, 303, {"do": "rename", "name": "Player 1", "new": "Ann"}),
        Entry(ADMINS, 303, {"do": "forget", "name": "Player 2"}),
    ],
    "POST /statistics/own": [Entry(WITH_SEAT, 303, {"do": do}) for do in ("leave-out", "take-in")],
    "GET /games/{game}": [Entry(EVERYBODY)],
    "GET /games/{game}/board": [Entry(EVERYBODY)],
    "GET /games/{game}/seats/{seat}": [Entry(EVERYBODY)],
    "GET /games/{game}/{file}": [Entry(EVERYBODY)],
    "GET /games/{game}/changes": [Entry(EVERYBODY)],
    "GET /games/{game}/embed": [Entry(EVERYBODY)],
    "GET /games/{game}/clip": [Entry(EVERYBODY)],
    "GET /games/{game}/events": [Entry(EVERYBODY)],
    "GET /games/{game}/log.jsonl": [Entry(EVERYBODY)],
    "GET /camera.jpg": [Entry(EVERYBODY)],
    "GET /pile.jpg": [Entry(EVERYBODY)],
    "GET /camera": [Entry(ADMINS, table={"can_set_up_camera": True})],
    "POST /camera": [Entry(ADMINS, 200, {"do": "look"}, {"can_set_up_camera": True})],
    "GET /score": [Entry(EVERYBODY)],
    "POST /score": [Entry(PLAYERS, 303, NEXT)],
    "POST /score/read": [Entry(PLAYERS, 422)],
    "GET /score/camera.jpg": [Entry(PLAYERS)],
    "GET /score/{sheet}": [Entry(EVERYBODY)],
    "GET /score/{sheet}/version": [Entry(EVERYBODY)],
    "GET /score/{sheet}/{file}": [Entry(EVERYBODY)],
    "POST /score/{sheet}/winner": [Entry(PLAYERS, 303, {"version": "{version}", "seat": "1"})],
    "POST /score/{sheet}/dealer": [Entry(PLAYERS, 303, {"version": "{version}", "seat": "2"})],
    "POST /score/{sheet}/target": [Entry(PLAYERS, 409, {"version": "{version}", "target": "700"})],
    "POST /score/{sheet}/rematch": [Entry(PLAYERS, 303, {"version": "{version}"})],
    "POST /score/{sheet}/hand": [Entry(PLAYERS, 303, {"round": "1", "seat": "2", "card-0": "red-7"})],
    "POST /score/{sheet}/undo": [Entry(PLAYERS, 303, {"version": "{version}"})],
    "GET /login": [Entry(EVERYBODY)],
    "POST /login": [Entry(EVERYBODY, 303, {"code": "{code}"})],
    "POST /logout": [Entry(EVERYBODY, 303)],
    "POST /language": [Entry(EVERYBODY, 303, {"language": "de"})],
    "POST /theme": [Entry(EVERYBODY, 303, {"theme": "dark"})],
    "GET /people": [Entry(ADMINS)],
    "GET /upkeep": [Entry(ADMINS)],
    "POST /upkeep": [Entry(ADMINS, 409, {"do": "backup"}), Entry(ADMINS, 409, {"do": "update"})],
    "GET /phones": [Entry(EVERYBODY)],
    "GET /board": [Entry(EVERYBODY, 303)],
    "GET /secure": [Entry(EVERYBODY, 404)],
    "POST /people": [Entry(ADMINS, 200, {"role": "player", "seat": "3"})],
    "GET /settings": [Entry(ADMINS, table={"settings": SETTINGS})],
    "POST /settings": [
        *(Entry(ADMINS, 303, {"do": do}, {"settings": SETTINGS}) for do in ("now", "later", "keep")),
    ],
    "GET /join": [Entry(EVERYBODY, but={OWN: 303, OTHER: 303})],
    "GET /join/{code}": [Entry(EVERYBODY)],
    "POST /join/{code}": [Entry(EVERYBODY, 303, {"name": "Zoe"}, but={REFEREE: 409, ADMIN: 409})],
    "POST /leave": [Entry(WITH_SEAT, 303)],
    "POST /back": [Entry(WITH_SEAT, 303)],
    "POST /people/seats": [
        *(Entry(ADMINS, 303, {"do": do, "who": "1"}) for do in ("let-in", "refuse")),
        *(Entry(ADMINS, 303, {"do": do, "seat": "3"}) for do in ("renew", "free")),
        *(Entry(ADMINS, 303, {"do": do}) for do in ("trust", "confirm")),
    ],
    "POST /actions/press": [
        action(SEAT, {"seat": "1", "key": key})
        for key in ("uno", "draw", "pass", "accept", "challenge", "acted", "decline", "go", "pause", "red", "blue")
    ],
    "POST /actions/card": [
        action(REFEREES, {"card": "red-9"}),
        action(PLAYERS, {"card": "red-9"}, candidates=("red-6", "red-9")),
    ],
    "POST /actions/dealer": [action(PLAYERS, {"seat": "1"})],
    "POST /actions/swap": [action(SEAT, {"seat": "1", "other": "2"})],
    "POST /actions/player": [
        action(SEAT, {"does": "leave", "seat": "1"}),
        action(REFEREES, {"does": "swap", "seat": "0", "other": "3"}),
    ],
    "POST /actions/under": [action(SEAT, {"seat": "1", "n": "2"})],
    "POST /actions/rule": [action(SEAT, {"seat": "1", "number": "7", "text": "Clap."})],
    "POST /actions/voice": [
        action(PLAYERS, {"volume": "60", "muted": "no"}, plugins=(("voice", Loudness(80, muted=False)),)),
        action(frozenset(), {"volume": "60", "muted": "no"}),
    ],
    "POST /actions/lay": [
        action(SEAT, {"seat": "1"} | RED_5, **BLIND),
        action(PLAYERS, {"seat": "3"} | RED_5, **BLIND),
        action(PLAYERS, RED_5, **BLIND),
        action(frozenset(), {"seat": "1"} | RED_5),
    ],
    "POST /actions/show": [
        action(SEAT, {"seat": "1", "card-00": "red-5"}, **BLIND),
        action(frozenset(), {"seat": "1", "card-00": "red-5"}),
    ],
    "POST /actions/count": [action(PLAYERS, {"count": "3"})],
    "POST /actions/fault": [
        action(REFEREES, {"fault": "jam"}),
        action(frozenset(), {"fault": "flood"}),
        action(frozenset(), {"fault": "jam"}, is_simulation=False),
    ],
    "POST /games/{game}/clip/keep": [Entry(PLAYERS, 409, {"n": "1"})],
    "GET /clips": [Entry(PLAYERS)],
    "GET /clips/{clip}": [Entry(PLAYERS, 404)],
    "GET /clips/{clip}/pictures.zip": [Entry(PLAYERS, 404)],
    "GET /games/{game}/evening.mp4": [Entry(PLAYERS, 409)],  # no moment of it was kept
    "POST /clips/{clip}": [Entry(PLAYERS, 404, {"do": do}) for do in ("agree", "refuse", "delete")],
    "POST /games/{game}/appeal": [Entry(REFEREES, 200, {"n": "1"})],
    "GET /games/{game}/record": [Entry(REFEREES)],
    "GET /games/{game}/record/{n}": [Entry(REFEREES)],
    **{f"POST /games/{{game}}/preview/{kind}": [Entry(may, 200, form)] for kind, (may, form) in CORRECTIONS.items()},
    **{f"POST /games/{{game}}/correct/{kind}": [Entry(may, 303, form)] for kind, (may, form) in CORRECTIONS.items()},
    "GET /games/{game}/next": [Entry(REFEREES, table={"may_start_game": True})],
    "POST /games/{game}/next": [Entry(REFEREES, 200, NEXT, {"may_start_game": True})],
    "POST /games/{game}/begin": [Entry(REFEREES, 303, NEXT, {"may_start_game": True})],
}
SETUP_MATRIX: dict[str, list[Entry]] = {
    "GET /": [Entry(ADMINS, 303)],
    "GET /setup": [Entry(ADMINS, 303)],
    "POST /camera": [Entry(ADMINS, 409, {"do": "look"})],
    "GET /setup/file": [Entry(ADMINS)],
    "POST /setup/file": [Entry(ADMINS, 200, {"text": "", "do": "check"})],
    "GET /setup/{name}": [Entry(ADMINS)],
    "POST /setup/{name}": [Entry(ADMINS, 200, {"do": "answer"})],
}


OF_A_TOURNAMENT = {"GET /badge/{ticket}", "POST /badge/{ticket}", "POST /actions/call"}
"""Where croupier-hub is installed: tests/hub/test_at_table.py."""


def addresses(url: str) -> set[str]:
    """Every address of the site's own description; an address with a choice of kinds once for each kind."""
    found = set()
    for path, operations in httpx.get(f"{url}openapi.json", timeout=PATIENCE_S).json()["paths"].items():
        for method, operation in operations.items():
            kinds = [one["schema"]["enum"] for one in operation.get("parameters", ()) if one["name"] == "kind"]
            is_in_path = kinds and "{kind}" in path
            paths = [path.replace("{kind}", kind) for kind in kinds[0]] if is_in_path else [path]
            found |= {f"{method.upper()} {one}" for one in paths}
    return found


class Visitors:
    """One of each role, who asks a site without a browser. ``ticket``: of a player of a tournament."""

    ticket = ""

    def __init__(self, url: str, accounts: Accounts) -> None:
        self._url, self._accounts = url, accounts
        self._codes = {person: accounts.new_code(person) for person in EVERYBODY - {SPECTATOR}}
        self._client = httpx.Client(base_url=url, timeout=PATIENCE_S)

    def ask(self, person: Person, address: str, form: Mapping[str, str]) -> tuple[int, str]:
        """Status and location of the answer."""
        method, path = address.split()
        self._client.cookies.clear()
        token = self._accounts.log_in(self._codes[person]) if person != SPECTATOR else None
        headers = {"cookie": f"croupier={token}"} if token else {}
        code = self._codes.get(person, self._codes[OTHER])
        filled = {"{code}": code, "{version}": SHEET.version}
        data = {name: filled.get(text, text) for name, text in form.items()} if method == "POST" else None
        code = self.join_code() if "{code}" in path else ""
        path = path.format(**PLACES, name="camera", code=code, ticket=self.ticket).removeprefix("/")
        with self._client.stream(method, path, headers=headers, data=data) as answer:
            return answer.status_code, answer.headers.get("location", "")

    def join_code(self) -> str:
        """The code of seat 3, as the admin's page shows it."""
        cookie = f"croupier={self._accounts.log_in(self._codes[ADMIN])}"
        shown = self._client.get("people", headers={"cookie": cookie}).text
        return str(re.findall(r"/join/([\w-]+)", shown)[3])

    def close(self) -> None:
        self._client.close()


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Page, Visitors]]:
    with reached(), page(tmp_path_factory.mktemp("roles"), LINES) as up:
        visitors = Visitors(up.server.url, up.accounts)
        yield up, visitors
        visitors.close()


@pytest.fixture(scope="module")
def setup(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Visitors]]:
    folder, accounts = tmp_path_factory.mktemp("roles"), Accounts(hasher=QUICK)
    Journal(folder / "croupier.journal").close()
    table_setup = TableSetup(folder / "croupier.toml")
    with serve_in_thread(folder / "croupier.journal", accounts, setup=table_setup, port=0) as up:
        visitors = Visitors(up.url, accounts)
        yield up.url, visitors
        visitors.close()


def test_the_matrix_has_every_address_of_the_page(live: tuple[Page, Visitors], setup: tuple[str, Visitors]) -> None:
    assert addresses(live[0].server.url) - OF_A_TOURNAMENT == set(MATRIX)
    assert addresses(setup[0]) - OF_A_TOURNAMENT == {*MATRIX, *SETUP_MATRIX}


def check(up: Page, visitors: Visitors, address: str, entries: Sequence[Entry]) -> None:
    """Ask for an address as everybody; see who is answered, and what the table is told."""
    names = ("has_camera", "may_start_game", "is_simulation", "settings", "plugins")
    usual = {name: getattr(type(up.table), name) for name in names} | {"candidates": ()}
    for entry in entries:
        for name, value in (usual | dict(entry.table)).items():
            setattr(up.table, name, value)
        for person in sorted(EVERYBODY, key=repr):
            up.table.commands.clear()
            up.table.changes.clear()
            (up.journal.path.parent / "evening.score").write_text(SHEET.text)
            status, _location = visitors.ask(person, address, entry.form)
            answer = entry.but.get(person, entry.status)
            assert status == (answer if person in entry.may else 403), (person, entry.form)
            acts = address.startswith(("POST /actions", "POST /games/{game}/correct", "POST /games/{game}/begin"))
            assert len(up.table.commands) == (acts and person in entry.may), (person, entry.form)
            changes = address == "POST /settings" and person in entry.may
            assert len(up.table.changes) == changes, (person, entry.form)


@pytest.mark.parametrize("address", MATRIX)
def test_everybody_may_do_what_the_role_allows_and_no_more(live: tuple[Page, Visitors], address: str) -> None:
    check(*live, address, MATRIX[address])


@pytest.mark.parametrize(
    "address",
    [
        "POST /people", "POST /people/seats", "POST /score", "POST /score/{sheet}/winner", "POST /settings",
        "POST /games/{game}/next", "POST /games/{game}/begin", "POST /games/{game}/clip/keep", "POST /clips/{clip}",
    ],
)  # fmt: skip
def test_who_may_not_do_something_does_not_hear_what_its_form_lacks(live: tuple[Page, Visitors], address: str) -> None:
    assert address in MATRIX
    status, _location = live[1].ask(Person("spectator"), address, {"seat": "many", "target": "few", "do": "?"})
    assert status == 403


@pytest.mark.parametrize("address", SETUP_MATRIX)
def test_a_table_is_set_up_by_an_admin_alone(setup: tuple[str, Visitors], address: str) -> None:
    _url, visitors = setup
    (entry,) = SETUP_MATRIX[address]
    for person in sorted(EVERYBODY, key=repr):
        status, location = visitors.ask(person, address, entry.form)
        is_in = status != 403 and location != "/login"
        assert is_in is (person in entry.may), person
        assert status in ((entry.status,) if is_in else (403, 303)), person
