"""Who may do what: every address of the page's own description, for every role, for the own seat and for another's."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest

from croupier.commands import Loudness
from croupier.journal import Journal, text_of
from croupier.setup.page import TableSetup
from croupier.web.accounts import SPECTATOR, Accounts, Person
from croupier.web.serving import serve_in_thread
from tests.journal.games import game_lines
from tests.web.tables import QUICK, Page, page

OWN, OTHER, REFEREE, ADMIN = Person("player", 1), Person("player", 2), Person("referee"), Person("admin")
EVERYBODY = frozenset((SPECTATOR, OWN, OTHER, REFEREE, ADMIN))
PLAYERS = EVERYBODY - {SPECTATOR}
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
PLACES = {"game": 1, "seat": 1, "n": 1}


@dataclass(frozen=True)
class Entry:
    """``may``: who is let in, and answered with ``status``; ``form``: what is sent; ``table``: of the live table."""

    may: frozenset[Person]
    status: int = 200
    form: Mapping[str, str] = field(default_factory=dict)
    table: Mapping[str, Any] = field(default_factory=dict)


def _action(may: frozenset[Person], form: Mapping[str, str], **table: Any) -> Entry:
    return Entry(may, 204, form, table)


CORRECTIONS = {
    "was": (PLAYERS, {"n": "1", "card": "red-5"}),
    "never": (REFEREES, {"n": "2"}),
    "undo": (SEAT, {"n": "2"}),
    "set": (REFEREES, {"dealer": "1"}),
    "report": (REFEREES, {"obs": "hint", "seat": "1"}),
}
BLIND = {"has_camera": False}
MATRIX: dict[str, list[Entry]] = {
    "GET /": [Entry(EVERYBODY, 303)],
    "GET /games": [Entry(EVERYBODY)],
    "GET /games/{game}": [Entry(EVERYBODY)],
    "GET /games/{game}/board": [Entry(EVERYBODY)],
    "GET /games/{game}/seats/{seat}": [Entry(EVERYBODY)],
    "GET /games/{game}/score.pdf": [Entry(EVERYBODY)],
    "GET /games/{game}/part": [Entry(EVERYBODY)],
    "GET /games/{game}/events": [Entry(EVERYBODY)],
    "GET /games/{game}/log.jsonl": [Entry(EVERYBODY)],
    "GET /camera.jpg": [Entry(EVERYBODY)],
    "GET /login": [Entry(EVERYBODY)],
    "POST /login": [Entry(EVERYBODY, 303, {"code": "{code}"})],
    "POST /logout": [Entry(EVERYBODY, 303)],
    "POST /language": [Entry(EVERYBODY, 303, {"language": "de"})],
    "GET /people": [Entry(ADMINS)],
    "POST /people": [Entry(ADMINS, 200, {"role": "player", "seat": "3"})],
    "POST /actions/press": [
        _action(SEAT, {"seat": "1", "key": key})
        for key in ("uno", "draw", "pass", "accept", "challenge", "acted", "decline", "go", "pause", "red", "blue")
    ],
    "POST /actions/card": [
        _action(REFEREES, {"card": "red-9"}),
        _action(PLAYERS, {"card": "red-9"}, candidates=("red-6", "red-9")),
    ],
    "POST /actions/dealer": [_action(PLAYERS, {"seat": "1"})],
    "POST /actions/rule": [_action(SEAT, {"seat": "1", "number": "7", "text": "Clap."})],
    "POST /actions/voice": [
        _action(PLAYERS, {"volume": "60", "muted": "no"}, loudness=Loudness(80, muted=False)),
        _action(frozenset(), {"volume": "60", "muted": "no"}),
    ],
    "POST /actions/lay": [
        _action(SEAT, {"seat": "1", "card": "red-5"}, **BLIND),
        _action(PLAYERS, {"seat": "3", "card": "red-5"}, **BLIND),
        _action(PLAYERS, {"card": "red-5"}, **BLIND),
        _action(frozenset(), {"seat": "1", "card": "red-5"}),
    ],
    "POST /actions/show": [
        _action(SEAT, {"seat": "1", "card-00": "red-5"}, **BLIND),
        _action(frozenset(), {"seat": "1", "card-00": "red-5"}),
    ],
    "POST /actions/count": [_action(PLAYERS, {"count": "3"})],
    "POST /actions/fault": [
        _action(REFEREES, {"fault": "jam"}),
        _action(frozenset(), {"fault": "flood"}),
        _action(frozenset(), {"fault": "jam"}, is_simulation=False),
    ],
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
    "GET /setup/seen.jpg": [Entry(ADMINS, 404)],
    "GET /setup/file": [Entry(ADMINS)],
    "POST /setup/file": [Entry(ADMINS, 200, {"text": "", "do": "check"})],
    "GET /setup/{name}": [Entry(ADMINS)],
    "POST /setup/{name}": [Entry(ADMINS, 200, {"do": "answer"})],
}
"""404: the camera has not looked yet."""


def addresses(url: str) -> set[str]:
    """Every address of the site's own description; an address with a choice of kinds once for each kind."""
    found = set()
    for path, operations in httpx.get(f"{url}openapi.json").json()["paths"].items():
        for method, operation in operations.items():
            kinds = [one["schema"]["enum"] for one in operation.get("parameters", ()) if one["name"] == "kind"]
            is_in_path = kinds and "{kind}" in path
            paths = [path.replace("{kind}", kind) for kind in kinds[0]] if is_in_path else [path]
            found |= {f"{method.upper()} {one}" for one in paths}
    return found


class Visitors:
    """One of each role, who asks a site without a browser."""

    def __init__(self, url: str, accounts: Accounts) -> None:
        self._url, self._accounts = url, accounts
        self._codes = {person: accounts.new_code(person) for person in EVERYBODY - {SPECTATOR}}
        self._client = httpx.Client(base_url=url, timeout=60.0)

    def ask(self, person: Person, address: str, form: Mapping[str, str]) -> tuple[int, str]:
        """Status and location of the answer."""
        method, path = address.split()
        token = self._accounts.log_in(self._codes[person]) if person != SPECTATOR else None
        headers = {"cookie": f"croupier={token}"} if token else {}
        code = self._codes.get(person, self._codes[OTHER])
        data = {name: text.replace("{code}", code) for name, text in form.items()} if method == "POST" else None
        path = path.format(**PLACES, name="camera").removeprefix("/")
        with self._client.stream(method, path, headers=headers, data=data) as answer:
            return answer.status_code, answer.headers.get("location", "")

    def close(self) -> None:
        self._client.close()


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Page, Visitors]]:
    with page(tmp_path_factory.mktemp("roles"), LINES) as up:
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
    assert addresses(live[0].server.url) == set(MATRIX)
    assert addresses(setup[0]) == {*MATRIX, *SETUP_MATRIX}


@pytest.mark.parametrize("address", MATRIX)
def test_everybody_may_do_what_the_role_allows_and_no_more(live: tuple[Page, Visitors], address: str) -> None:
    up, visitors = live
    usual = {name: getattr(type(up.table), name) for name in ("has_camera", "may_start_game", "is_simulation")}
    for entry in MATRIX[address]:
        for name, value in (usual | {"candidates": (), "loudness": None} | dict(entry.table)).items():
            setattr(up.table, name, value)
        for person in sorted(EVERYBODY, key=repr):
            up.table.commands.clear()
            status, _location = visitors.ask(person, address, entry.form)
            assert status == (entry.status if person in entry.may else 403), (person, entry.form)
            acts = address.startswith(("POST /actions", "POST /games/{game}/correct", "POST /games/{game}/begin"))
            assert len(up.table.commands) == (acts and person in entry.may), (person, entry.form)


@pytest.mark.parametrize("address", SETUP_MATRIX)
def test_a_table_is_set_up_by_an_admin_alone(setup: tuple[str, Visitors], address: str) -> None:
    _url, visitors = setup
    (entry,) = SETUP_MATRIX[address]
    for person in sorted(EVERYBODY, key=repr):
        status, location = visitors.ask(person, address, entry.form)
        is_in = status != 403 and location != "/login"
        assert is_in is (person in entry.may), person
        assert status in ((entry.status,) if is_in else (403, 303)), person
