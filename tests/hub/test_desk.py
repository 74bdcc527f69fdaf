"""What the director does in a browser, and who helps: roles, calls, players, penalties, the end of a round."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from fastapi import APIRouter
from starlette.applications import Starlette
from starlette.routing import Mount, Route
from starlette.testclient import TestClient

from croupier.i18n import LANGUAGES
from croupier.journal.receipt import code_of
from croupier_hub.off_time import clock_file, clock_on_disk, report_off_time
from croupier_hub.outbox import Outbox
from croupier_hub.pages.desk import TICKET_COOKIE
from croupier_hub.pages.site import create_site
from croupier_hub.signed_log import sign
from croupier_hub.store import LogStore
from croupier_hub.tickets import BADGE_S, HELPER_S, NOBODY, ROLES, Ticket, read_ticket
from tests.hub.test_logs import ONE, TWO, A, B, plan, result, text, url
from tests.journal.games import game_lines

NOW = 1_000_000.0
TICKETS = {role: Ticket(role, "Ann" if role == "player" else "", round(NOW) + BADGE_S) for role in ROLES[1:]}


class TablesOn(dict[int, bool]):
    """What a broker says of the tables."""

    is_known = True

    def is_on(self, table: int) -> bool | None:
        return self.get(table)


@dataclass
class Desk:
    """A hub that has the director's file, with two tables in round 1."""

    folder: Path
    now: float = NOW
    elapsed: float = 7.0
    lines: dict[str, list[str]] = field(default_factory=lambda: {A: [], B: []})

    def __post_init__(self) -> None:
        self.file = self.folder / "director.outbox"
        with Outbox(self.file) as outbox:
            self.store = LogStore(url(self.folder), outbox.log)
            outbox.append(lambda _: [text(enroll=A, table=1, from_round=1), text(enroll=B, table=2, from_round=1),
                                     plan(1)])  # fmt: skip
            self.store.put(outbox.piece(0))
            self.codes = {role: ticket.signed(outbox.sign) for role, ticket in TICKETS.items()}
        self.codes["spectator"] = ""
        self.on = TablesOn()
        self.browser = self.site()

    def pass_s(self, seconds: float) -> None:
        """Time passes."""
        self.elapsed += seconds
        self.now += seconds

    def site(self) -> TestClient:
        """The hub in one more process, or started again."""
        site = create_site(self.store, lambda: self.now, self.file, self.on, elapsed=lambda: self.elapsed)
        return TestClient(site, follow_redirects=False)

    def says(self, key: str, *lines: str) -> None:
        """A table writes."""
        self.lines[key] += lines
        self.store.put(sign({A: ONE, B: TWO}[key], self.lines[key]))
        self.pass_s(2)

    def ask(self, role: str, method: str, path: str, language: str = "en", /, **fields: object) -> httpx.Response:
        """What somebody of this role gets."""
        data = {name: str(value) for name, value in fields.items()}
        answer: httpx.Response = self.browser.request(
            method, path, headers=self.headers(role, language), data=data or None
        )
        return answer

    def headers(self, role: str, language: str = "en") -> dict[str, str]:
        """What the browser of somebody of this role sends along."""
        return {"cookie": f"{TICKET_COOKIE}={self.codes[role]}", "accept-language": language}

    def sees(self, role: str, path: str, language: str = "en") -> str:
        """A page, without what is said twice."""
        answer = self.ask(role, "GET", path, language)
        assert answer.status_code == 200, answer.text
        return str(answer.text)

    def does(self, role: str, path: str, /, **fields: object) -> None:
        """A form is sent, and taken."""
        answer = self.ask(role, "POST", path, **fields)
        assert answer.status_code == 303, answer.text


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    desk.store.close()


FROM = {role: frozenset(ROLES[place:]) for place, role in enumerate(ROLES)}
"""Each role with those above it."""
GAME = "7e" * 32
CODE = code_of(bytes.fromhex(GAME))
WITH_RECEIPT = text(result=json.loads(result(1, 1, [30, 0]))["result"] | {"game": GAME})
CALL = {"log": A, "line": 0, "do": "come"}
MATRIX: dict[str, tuple[str, int, dict[str, object]]] = {
    "PUT /logs/{log}/{start}": ("spectator", 422, {}),
    "GET /director/{start}": ("spectator", 200, {}),
    "GET /checkpoints/{log}": ("spectator", 200, {}),
    "POST /add-checkpoint": ("spectator", 400, {}),
    "GET /healthz": ("spectator", 200, {}),
    "GET /metrics": ("spectator", 200, {}),
    "GET /receipts/{code}.json": ("spectator", 200, {}),
    "GET /receipts/{code}": ("spectator", 200, {}),
    "GET /standings": ("spectator", 200, {}),
    "GET /readyz": ("spectator", 200, {}),
    "GET /results": ("spectator", 200, {}),
    "GET /": ("spectator", 200, {}),
    "GET /players": ("spectator", 200, {}),
    "GET /screen": ("spectator", 200, {}),
    "GET /screen/slide": ("spectator", 200, {}),
    "POST /choice": ("spectator", 303, {"theme": "dark"}),
    "GET /enter/{ticket}": ("spectator", 303, {}),
    "POST /out": ("spectator", 303, {}),
    "POST /check-in": ("player", 303, {}),
    "GET /calls": ("referee", 200, {}),
    "POST /calls": ("referee", 303, CALL),
    "GET /people": ("admin", 200, {}),
    "POST /people": ("admin", 303, {"names": "Eve"}),
    "POST /people/list": ("admin", 200, {"names": "Eve"}),
    "GET /people/badges.pdf": ("admin", 200, {}),
    "GET /desk": ("director", 200, {}),
    "GET /desk/now": ("director", 200, {}),
    "POST /desk/timer": ("director", 303, {"round": 1, "minutes": 5}),
    "POST /desk/penalty": ("director", 303, {"round": 1, "player": "Ann", "points": 5}),
    "POST /desk/invite": ("director", 200, {"role": "referee"}),
    "POST /desk/revoke": ("director", 303, {"role": "referee", "name": "1"}),
    "POST /desk/end": ("director", 303, {"round": 1, "anyway": "yes"}),
}
"""By address: the least role that is let in, the answer, and the form."""


POSTED = [(address.removeprefix("POST "), *how) for address, how in MATRIX.items()
          if address.startswith("POST") and how[1] < 400]  # fmt: skip


@pytest.mark.parametrize(("path", "role", "status", "form"), POSTED, ids=[one[0] for one in POSTED])
def test_every_form_that_is_sent_twice_is_written_once(
    desk: Desk, path: str, role: str, status: int, form: dict[str, object]
) -> None:
    def written() -> list[str]:
        with Outbox(desk.file) as outbox:
            return outbox.lines()

    desk.says(A, text(call="director", player="Ben"), WITH_RECEIPT)
    if path == "/desk/revoke":
        desk.ask("director", "POST", "/desk/invite", role="referee")
    first = desk.ask(role, "POST", path, once="K", **form)
    assert first.status_code == status
    after = written()
    desk.pass_s(5)
    again = desk.ask(role, "POST", path, once="K", **form)
    assert (again.status_code, again.content, written()) == (status, first.content, after)
    desk.browser = desk.site()
    desk.pass_s(5)
    elsewhere = desk.ask(role, "POST", path, once="K", **form)
    assert (elsewhere.status_code, written()) == (status, after), "another process of the hub has the same press"
    if path == "/desk/invite":
        assert re.findall('/enter/[^"<]+', elsewhere.text) == re.findall('/enter/[^"<]+', first.text)
        desk.ask(role, "POST", path, once="L", **form)
        assert len(written()) == len(after) + 1, "a new press is a new one"


def addresses(site: Starlette | Mount | APIRouter) -> Iterator[str]:
    """Every address of the hub, but for its static files and its own description."""
    for route in site.routes:
        if isinstance(route, Mount) and isinstance(route.app, Starlette):
            yield from addresses(route)
        elif isinstance(included := getattr(route, "original_router", None), APIRouter):
            yield from addresses(included)
        elif isinstance(route, Route) and route.path != "/openapi.json":
            yield from (
                f"{method} {re.sub(r':[a-z]+}', '}', route.path)}" for method in {*(route.methods or ())} - {"HEAD"}
            )


@pytest.mark.long
def test_everybody_may_do_what_the_role_allows_and_no_more(desk: Desk) -> None:
    desk.says(A, text(call="director", player="Ben"), WITH_RECEIPT)
    assert set(addresses(desk.browser.app)) == set(MATRIX)  # type: ignore[arg-type]
    for address, (least, status, form) in MATRIX.items():
        method, path = address.split()
        path = path.format(ticket=desk.codes["player"], log=A, start=0, code=CODE)
        path += "?name=Ann" if path == "/players" else ""
        for role in ROLES:
            before = len(desk.store.logs()[desk.store.director].lines)
            answer = desk.ask(role, method, path, **form)
            assert answer.status_code == (status if role in FROM[least] else 403), (address, role, answer.text)
            if role not in FROM[least]:
                assert len(desk.store.logs()[desk.store.director].lines) == before, (address, role)


@pytest.mark.parametrize("jump_s", [0, 3 * 86_400, -92 * 86_400])
def test_the_director_sees_first_which_table_stands_still_and_what_it_said_last(desk: Desk, jump_s: float) -> None:
    desk.says(A, *list(game_lines(1))[:6])
    desk.says(B, *list(game_lines(1))[:20], text(obs="fault", t=21.0, device="shoe", kind="empty"))
    desk.sees("director", "/desk")
    desk.elapsed += 200
    desk.now += 200 + jump_s
    rows = desk.sees("director", "/desk/now").partition('class="desk"')[2].split("</li>\n<li")
    assert [re.findall(r"</span> (\d+)</h3>", row) for row in rows] == [["2"], ["1"]]
    assert "Paused" in rows[0]
    assert "The shoe is empty" in rows[0]
    assert "3 minutes without news" in rows[1]
    assert len({desk.sees("director", "/desk", code) for code in LANGUAGES}) == len(LANGUAGES)


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param('{"obs":"dealt","n":' + "9" * 4500 + "}", id="more digits than a number may have"),
        pytest.param('{"obs":' + "[" * 50_000, id="nested too deeply"),
        pytest.param('{"obs"', id="cut"),
        pytest.param('{"obs":"tick","obs":"tick","t":9.0}', id="a key twice"),
        pytest.param('{"obs":"tick","t":99.0,"rulings":[{"do":"x"}],"now":{"top":[]}}', id="a verdict that is none"),
        pytest.param('{"log":"croupier/1","obs":0}', id="a header that is none"),
    ],
)
def test_a_line_that_nobody_can_read_stops_no_page_but_the_row_of_its_table(desk: Desk, broken: str) -> None:
    desk.says(A, *list(game_lines(1))[:6], broken)
    desk.says(B, *list(game_lines(1))[:6])
    for _restarted in range(2):
        rows = desk.sees("director", "/desk/now").partition('class="desk"')[2].split("</li>\n<li")
        assert [("cannot read this table’s game" in row) for row in rows] == [True, False]
        assert re.findall(r"</span> (\d+)</h3>", rows[0]) == ["1"]
        assert desk.ask("spectator", "GET", "/screen/slide?show=tables").status_code == 200
        assert desk.ask("spectator", "GET", "/standings").status_code == 200
        desk.browser = desk.site()
    desk.says(A, *list(game_lines(1))[:6])  # the next game is read again
    assert "cannot read" not in desk.sees("director", "/desk/now")


def test_the_desk_names_tables_that_are_off_until_their_result_is_there(desk: Desk) -> None:
    def off() -> list[bool]:
        rows = desk.sees("director", "/desk/now").partition('class="desk"')[2].split("</li>\n<li")
        return ["is off, or has no network" in row for row in rows]

    desk.says(A, *list(game_lines(1))[:6])
    assert off() == [False, False]
    desk.on.update({1: True, 2: False})
    assert off() == [False, True]
    assert "The broker cannot be reached" not in desk.sees("director", "/desk/now")
    desk.says(B, result(1, 2, [0, 5]))
    assert off() == [False, False]
    desk.on.clear()
    desk.on.is_known = False
    assert "The broker cannot be reached" in desk.sees("director", "/desk/now")
    assert len({desk.sees("director", "/desk/now", code) for code in LANGUAGES}) == len(LANGUAGES)


def test_a_table_that_calls_is_told_at_the_desk_until_it_is_settled(desk: Desk) -> None:
    desk.says(A, text(obs="tick", t=1.0), text(call="director", player="Ben"))
    assert "Table 1 calls for the director (Ben)" in desk.sees("director", "/desk")
    desk.does("referee", "/calls", log=A, line=1, do="come")
    assert "Somebody is coming." in desk.sees("referee", "/calls")
    desk.does("referee", "/calls", log=A, line=1, do="settle")
    assert "Nobody calls." in desk.sees("director", "/desk")


def test_penalties_come_off_the_standings_and_ties_are_told(desk: Desk) -> None:
    desk.says(A, result(1, 1, [30, 10]))
    desk.says(B, result(1, 2, [0, 20]))
    desk.does("director", "/desk/penalty", player="Ann", round=1, points=10, why="late")
    page = desk.sees("spectator", "/")
    assert re.findall(r'class="place">.*?</td>', page) == [
        *['class="place"><span aria-hidden="true">=</span>1<span class="only-said"> shared</span></td>'] * 2,
        'class="place">3</td>', 'class="place">4</td>',
    ]  # fmt: skip
    assert "Ann · Round 1: <b>−10</b> (late)" in page
    assert "−10" in desk.sees("spectator", "/players?name=Ann")
    desk.does("director", "/desk/penalty", player="Ann", round=1, points=0)
    assert "Penalties" not in desk.sees("spectator", "/")
    assert desk.ask("director", "POST", "/desk/penalty", player="Zoe", round=1, points=1).status_code == 422
    refused = desk.ask("director", "POST", "/desk/end", round=9)
    assert (refused.status_code, "there is no round 9" in refused.text) == (422, True)


def test_less_than_nothing_is_written_with_one_minus_everywhere(desk: Desk) -> None:
    desk.says(A, result(1, 1, [30, 0]))
    desk.does("director", "/desk/penalty", player="Ben", round=1, points=10, why="late")
    for path in ("/", "/screen?show=standings", "/players?name=Ben"):
        page = desk.sees("spectator", path)
        assert "−10" in page, path
        assert ">-10<" not in page, path
    assert '<td class="points">−10</td>' in desk.sees("spectator", "/")


def test_players_register_check_in_and_withdraw(desk: Desk) -> None:
    desk.does("admin", "/people", names="Ann\nZoe\n", state="expected")
    desk.says(A, WITH_RECEIPT)
    assert f'href="/receipts/{CODE}"' in desk.sees("spectator", "/players?name=Ann")
    assert "I am here" in desk.sees("player", "/players?name=Ann")
    assert "I am here" not in desk.sees("player", "/players?name=Ben")
    desk.does("player", "/check-in")
    page = desk.sees("player", "/players?name=Ann")
    assert "checked in" in page
    assert "Table 1 · Seat 1" in page
    desk.does("admin", "/people", withdrawn="Zoe")
    assert "withdrawn, since round 1" in desk.sees("admin", "/people")
    assert desk.ask("spectator", "GET", "/players?name=Nobody").status_code == 404
    assert desk.ask("admin", "GET", "/people/badges.pdf").content.startswith(b"%PDF")


LIST = b'sep=;\r\nName;Verein;Punkte\r\n"Smith, Ann";Club A;1200\r\nJ\xfcrgen;Club B;900\r\n;;2100\r\n'


def test_a_list_of_players_is_shown_as_it_was_understood_before_anything_is_written(desk: Desk) -> None:
    file = {"file": ("Spieler.csv", LIST, "text/csv")}
    page = desk.browser.post("/people/list", files=file, data={"state": "here"}, headers=desk.headers("admin")).text
    assert "Spieler.csv: Windows-1252, columns separated by semicolons" in page
    assert "Column 2, “Verein”: left out" in page
    assert "Line 5 is left out: it has no name" in page
    (names,) = re.findall(r'<textarea id="new"[^>]*>\n(.*?)</textarea>', page, re.DOTALL)
    assert html.unescape(names) == "Smith, Ann\nJürgen"
    assert '<option value="here" selected>' in page
    assert "Jürgen" not in desk.sees("admin", "/people")
    desk.does("admin", "/people", names=html.unescape(names), state="here")
    desk.does("admin", "/people", names=html.unescape(names), state="here")
    assert desk.sees("admin", "/people").count('name="expected" value="Smith, Ann"') == 1


@pytest.mark.parametrize(
    ("names", "status", "told"),
    [
        ("Ann\tClub A\nBen\tClub B", 200, "No header says which column has the names"),
        ("Ann\nBen\nann\n", 422, "line 3: ann stands in line 1 already"),
        ("Name,Club\nSmith, Ann,A", 422, "line 2: 3 columns, and 2 in line 1"),
        ("", 422, "it is empty"),
    ],
)
def test_a_pasted_list_is_shown_with_its_doubt_or_refused_with_its_line(
    desk: Desk, names: str, status: int, told: str
) -> None:
    answer = desk.ask("admin", "POST", "/people/list", names=names)
    assert (answer.status_code, told in html.unescape(answer.text)) == (status, True)


@pytest.mark.long
def test_a_hub_without_the_directors_file_shows_and_changes_nothing(desk: Desk) -> None:
    desk.browser = TestClient(create_site(desk.store, lambda: desk.now), follow_redirects=False)
    for path in ("/desk", "/people"):
        assert '<form method="post" action="/desk' not in desk.sees("director", path)
        assert "it can only show" in desk.sees("director", path)
    assert desk.ask("admin", "POST", "/people", names="Eve").status_code == 409


def test_what_the_director_takes_back_opens_nothing_more(desk: Desk) -> None:
    for number in ("1", "2"):
        page = desk.ask("director", "POST", "/desk/invite", role="referee").text
        desk.codes[number] = re.findall(r'/enter/([^"<]+)"', page)[0]
    assert {desk.ask(number, "GET", "/calls").status_code for number in ("1", "2")} == {200}
    desk.does("director", "/desk/revoke", role="referee", name="1")
    assert [desk.ask(number, "GET", "/calls").status_code for number in ("1", "2")] == [403, 200]
    assert desk.browser.get(f"/enter/{desk.codes['1']}").status_code == 403
    assert re.findall(r'name="name" value="(.)"', desk.sees("director", "/desk")) == ["2"]
    desk.does("director", "/desk/revoke", name="Ann")
    assert "I am here" not in desk.sees("player", "/players?name=Ann")
    with Outbox(desk.file) as outbox:  # a badge that is printed later
        desk.codes["player"] = Ticket("player", "Ann", round(desk.now) + 1 + BADGE_S).signed(outbox.sign)
    assert "I am here" in desk.sees("player", "/players?name=Ann")
    assert desk.ask("director", "POST", "/desk/revoke", name="Zoe").status_code == 422


def jumps_told(desk: Desk) -> int:
    with Outbox(desk.file) as outbox:
        return sum('"clock"' in line for line in outbox.lines())


@pytest.mark.parametrize("jump_s", [92 * 86_400, -92 * 86_400])
def test_a_ticket_and_the_time_of_a_round_last_as_long_as_they_were_meant_to_when_the_clock_jumps(
    desk: Desk, jump_s: int
) -> None:
    desk.now = 1.79e9
    desk.browser = desk.site()
    with Outbox(desk.file) as outbox:
        desk.codes["director"] = Ticket("director", "1", round(desk.now) + HELPER_S).signed(outbox.sign)
        desk.codes["player"] = Ticket("player", "Ann", round(desk.now) + BADGE_S).signed(outbox.sign)
    desk.does("director", "/desk/timer", round=1, minutes=30)
    desk.pass_s(60)
    processes = [desk.browser, desk.site()]
    desk.now += jump_s
    desk.pass_s(60)
    for process in (*processes, desk.site()):
        desk.browser = process
        assert desk.ask("director", "GET", "/desk").status_code == 200
        assert "I am here" in desk.sees("player", "/players?name=Ann")
        assert 'data-left="1680"' in desk.sees("director", "/desk"), "28 of 30 minutes are left"
        assert desk.browser.get(f"/enter/{desk.codes['director']}").status_code == 303
        assert jumps_told(desk) == 1
    page = desk.ask("director", "POST", "/desk/invite", role="referee").text
    desk.codes["referee"] = re.findall(r'/enter/([^"<]+)"', page)[0]
    cookie = desk.browser.get(f"/enter/{desk.codes['referee']}").headers["set-cookie"]
    assert f"Max-Age={HELPER_S}" in cookie
    desk.pass_s(HELPER_S + max(0, -jump_s))  # what was made by a clock of the future lasts longer
    assert [desk.ask(role, "GET", "/calls").status_code for role in ("director", "referee")] == [403, 403]
    assert "I am here" in desk.sees("player", "/players?name=Ann")


@pytest.mark.parametrize(
    ("off_s", "jumps"),
    [
        pytest.param(3600, 0, id="off-for-an-hour"),
        pytest.param(92 * 86_400, 1, id="off-while-the-clock-jumped-by-months"),
        pytest.param(-92 * 86_400, 1, id="off-while-the-clock-went-back"),
    ],
)
def test_a_ticket_lasts_as_long_as_it_was_meant_to_when_the_clock_jumps_while_the_hub_is_off(
    desk: Desk, off_s: int, jumps: int
) -> None:
    desk.now = 1.79e9
    with Outbox(desk.file) as outbox:
        desk.codes["director"] = Ticket("director", "1", round(desk.now) + HELPER_S).signed(outbox.sign)
    with clock_on_disk(desk.file, lambda: desk.now):
        pass
    desk.now += off_s
    for _start in range(2):
        report_off_time(desk.store, desk.file, desk.now)
        with clock_on_disk(desk.file, lambda: desk.now):
            pass
        desk.browser = desk.site()
        assert desk.ask("director", "GET", "/desk").status_code == 200
        assert jumps_told(desk) == jumps
    desk.pass_s(HELPER_S + max(0, -off_s))
    assert desk.ask("director", "GET", "/desk").status_code == 403


@pytest.mark.parametrize("content", ["", "x", "1e9", "9" * 400, "9" * 5000, "\N{SNOWMAN}"])
def test_a_damaged_file_of_the_clock_is_no_jump(desk: Desk, content: str) -> None:
    clock_file(desk.file).write_text(content, "utf-8")
    report_off_time(desk.store, desk.file, desk.now)
    assert jumps_told(desk) == 0


@pytest.mark.long
def test_a_ticket_is_good_for_whom_it_names_and_until_it_expires(desk: Desk) -> None:
    director, code = desk.store.director, desk.codes["player"]
    assert read_ticket(code, director, desk.now) == TICKETS["player"]
    assert read_ticket(code, director, desk.now + BADGE_S) == NOBODY
    assert read_ticket(code, A, desk.now) == NOBODY
    for n in range(len(code)):
        other = code[:n] + ("A" if code[n] != "A" else "B") + code[n + 1 :]
        assert read_ticket(other, director, desk.now) in (NOBODY, TICKETS["player"])  # the last bits mean nothing
    for bad in ("", "x", "%", code[:-8], code.replace(code[-20:], "")):
        assert read_ticket(bad, director, desk.now) == NOBODY
    desk.pass_s(BADGE_S)
    assert desk.ask("director", "GET", "/desk").status_code == 403
    assert desk.browser.get(f"/enter/{code}").status_code == 403
