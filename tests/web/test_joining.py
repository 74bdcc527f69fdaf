"""Players who come with a QR code: who sits where, who lets them in, what a code is good for, what outlasts what."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from croupier.clocks import OFF_S
from croupier.commands import PressKey
from croupier.journal import Journal, text_of
from croupier.web.accounts import SESSION_S, SPECTATOR, Accounts, Newcomer, Person
from croupier.web.seating import AGREE_S, Seating
from croupier.web.worker_process import WorkerProcess
from croupier_rules.referee import Referee, parse_header
from croupier_rules.referee.corrections import ChangePlayers, to_observations
from croupier_rules.referee.observations import to_json
from tests.journal.games import game_lines
from tests.patience import PATIENCE_S
from tests.web.tables import QUICK, Page, RecordingTable, page, reached

ADMIN, LINES = Person("admin"), game_lines(1)


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Page]:
    with reached(), page(tmp_path, LINES[:20]) as made:
        yield made


def decide(admin: httpx.Client, do: str, **fields: object) -> httpx.Response:
    return admin.post("people/seats", data={"do": do, **{name: str(value) for name, value in fields.items()}})


def waiting(admin: httpx.Client) -> list[int]:
    """The numbers of the newcomers whom the admin sees."""
    return [int(number) for number in re.findall(r'name="who" value="(\d+)"', admin.get("people").text)]


def joined(up: Page, seat: int, name: str) -> httpx.Client:
    """A phone whose player has sat down."""
    phone = up.client()
    assert phone.post(f"join/{up.code(seat)}", data={"name": name}).headers["location"] == "/join"
    for number in waiting(admin := up.host()):
        assert decide(admin, "let-in", who=number).status_code == 303
    return phone


def free_seats(up: Page) -> list[str]:
    board = up.client(Person("screen")).get("games/1/board").text
    return re.findall(r' is-free" .*?<p class="name[^"]*">(.*?)</p>', board, re.DOTALL)


def test_who_scans_waits_for_the_host_and_then_has_the_keys_of_the_seat(up: Page) -> None:
    phone, admin = up.client(), up.host()
    address = re.findall(r'href="(http[^"]*/join/[^"]*)"', up.client(Person("screen")).get("games/1/board").text)[2]
    assert "Sit down: Player 2" in phone.get(address).text
    assert phone.post(address, data={"name": "Zoe"}).headers["location"] == "/join"
    assert "One moment, Zoe" in phone.get("join").text
    assert phone.post("actions/press", data={"seat": "2", "key": "uno"}).status_code == 403
    assert "Zoe asks for the seat Player 2." in admin.get("games/1").text
    assert "asks for the seat" not in up.client().get("games/1").text
    (number,) = waiting(admin)
    decide(admin, "let-in", who=number)
    assert phone.get("join").headers["location"] == "/games/1/seats/2"
    assert phone.get("").headers["location"] == "/games/1/seats/2"
    assert phone.post("actions/press", data={"seat": "2", "key": "uno"}).status_code == 204
    assert up.table.commands == [ChangePlayers("rename", 2, name="Zoe"), PressKey(2, "uno")]
    assert free_seats(up) == ["Player 0", "Player 1", "Player 3"]
    assert up.client().get(address).status_code == 404, "the code has served"


@pytest.mark.parametrize("role", ["player", "admin"])
def test_a_browser_that_refuses_cookies_is_told_before_its_code_serves(role: str, up: Page) -> None:
    path, field = (f"join/{up.code(2)}", "name") if role == "player" else ("login", "code")
    typed = {field: "Zoe" if role == "player" else up.accounts.new_code(ADMIN)}

    def sent(phone: httpx.Client, *, keeps: bool) -> httpx.Response:
        form = re.search(r'<form method="post" action="(/\w+[^"]*)" class="sheet">', phone.get(path).text)
        assert form is not None
        if not keeps:
            phone.cookies.clear()
        return phone.post(form[1].removeprefix("/"), data=typed)

    refused = sent(up.client(), keeps=False)
    assert refused.status_code == 422
    assert "Your browser refuses cookies" in refused.text
    assert up.accounts.newcomers == ()
    assert sent(up.client(), keeps=True).status_code == 303, "the code is still good"


def test_who_is_refused_has_no_seat(up: Page) -> None:
    phone, admin = up.client(), up.host()
    phone.post(f"join/{up.code(2)}", data={"name": "Zoe"})
    (number,) = waiting(admin)
    decide(admin, "refuse", who=number)
    assert "You have no seat" in phone.get("join").text
    assert waiting(admin) == []
    decide(admin, "let-in", who=number)
    assert phone.get("join").status_code == 200


def test_the_host_may_let_in_everybody_who_scans_but_no_second_phone(up: Page) -> None:
    phone, other, admin = up.client(), up.client(), up.host()
    decide(admin, "trust")
    phone.post(f"join/{up.code(1)}", data={"name": "Zoe"})
    assert phone.get("join").headers["location"] == "/games/1/seats/1"
    other.post(f"join/{up.code(1)}", data={"name": "Zoe"})
    assert "One moment" in other.get("join").text
    assert "Zoe asks for the seat Player 1, which is taken: another phone?" in admin.get("people").text
    decide(admin, "confirm")
    other = up.client()
    other.post(f"join/{up.code(0)}", data={"name": "Ann"})
    assert "One moment" in other.get("join").text


def test_a_code_ends_when_the_host_renews_it_and_wrong_ones_are_counted(up: Page) -> None:
    code, admin, phone = up.code(3), up.host(), up.client()
    decide(admin, "renew", seat=3)
    assert up.code(3) != code
    assert len(code) >= 22, "128 bits"
    assert phone.post(f"join/{code}", data={"name": "Zoe"}).status_code == 404
    assert {phone.get(f"join/{code}").status_code for _ in range(9)} == {404}, "an old code is no guess"
    assert [phone.get(f"join/{n}").status_code for n in range(6)] == [404] * 5 + [429]
    assert phone.post("login", data={"code": "23456789ab"}).status_code == 429
    assert [phone.get(f"join/{one}").status_code for one in (up.code(3), code)] == [200, 404], "nobody guesses 128 bits"


def test_the_same_phone_comes_back_to_its_seat_unless_it_is_taken(up: Page) -> None:
    phone = joined(up, 2, "Zoe")
    assert phone.post("leave").headers["location"] == "/join"
    assert "Player 2" in free_seats(up)
    assert phone.post("actions/press", data={"seat": "2", "key": "uno"}).status_code == 403
    assert "Come back: Player 2" in phone.get("join").text
    phone.post("back")
    assert phone.get("join").headers["location"] == "/games/1/seats/2"
    phone.post("leave")
    joined(up, 2, "Ann")
    assert phone.post("back").status_code == 409
    assert phone.get("join").status_code == 200


def test_a_player_may_change_the_seat_and_the_host_may_free_one(up: Page) -> None:
    phone, admin = joined(up, 2, "Zoe"), up.host()
    phone.post(f"join/{up.code(0)}", data={"name": "Zoe"})
    assert phone.get("join").headers["location"] == "/games/1/seats/2", "until the host agrees"
    decide(admin, "let-in", who=waiting(admin)[0])
    assert phone.get("join").headers["location"] == "/games/1/seats/0"
    assert free_seats(up) == ["Player 1", "Player 2", "Player 3"]
    decide(admin, "free", seat=0)
    assert "You have no seat" in phone.get("join").text


def test_who_sits_down_where_somebody_left_the_game_plays_from_now_on(tmp_path: Path) -> None:
    header = text_of(json.loads(LINES[0]) | {"given": {"phase": "turn", "turn": 1, "top": "red-7"}})
    with reached(), page(tmp_path, (header,)) as up:
        (line,) = to_observations(ChangePlayers("leave", 2), Referee(parse_header(json.loads(header))), 1.0)
        up.write(text_of(to_json(line)))
        joined(up, 1, "Ann")
        named = ChangePlayers("rename", 1, name="Ann")
        assert up.table.commands == [named], "who never left plays already"
        joined(up, 2, "Zoe")
        assert up.table.commands == [named, ChangePlayers("join", 2, name="Zoe")]


def test_a_player_does_not_swap_seats_with_somebody_who_has_not_agreed(up: Page) -> None:
    def ask(phone: httpx.Client, seat: int, other: int) -> httpx.Response:
        return phone.post("actions/player", data={"does": "swap", "seat": seat, "other": other, "line": 19})

    phone, other = joined(up, 1, "Zoe"), joined(up, 3, "Ann")
    up.table.commands.clear()
    for answer in (ask(phone, 1, 3), ask(phone, 3, 1)):
        assert answer.status_code == 409
        assert "has to agree" in answer.text
    assert up.table.commands == []
    assert ask(other, 3, 1).status_code == 204
    assert ask(up.host(), 1, 3).status_code == 204, "an admin need not ask"
    assert ask(phone, 1, 2).status_code == 204, "nobody sits there with a phone"
    assert len(up.table.commands) == 3


def test_who_asks_for_a_swap_of_seats_waits_for_a_minute() -> None:
    now, accounts = 0.0, Accounts()
    seating = Seating(accounts, lambda seat, name: None, lambda: now)
    seating.sit(None, 1, "Zoe")
    seating.sit(None, 3, "Ann")
    assert not seating.is_swap_agreed(1, 3)
    now = AGREE_S + 1.0
    assert not seating.is_swap_agreed(3, 1)
    assert seating.is_swap_agreed(1, 3)
    assert not seating.is_swap_agreed(1, 3), "each swap is agreed on its own"


def test_players_who_swap_seats_take_their_phones_along(up: Page) -> None:
    phone, other = joined(up, 1, "Zoe"), joined(up, 3, "Ann")
    up.accounts.swap_seats(1, 3)
    stream = "games/1/events?kind=seat&seat=1&own=1"
    assert phone.get(stream).text == "event: over\ndata: /join\n\n", "it follows the seat that it had"
    assert phone.get("join").headers["location"] == "/games/1/seats/3"
    assert other.get("join").headers["location"] == "/games/1/seats/1"


def test_an_admin_keeps_the_own_code(up: Page) -> None:
    admin = up.host()
    assert admin.post(f"join/{up.code(0)}", data={"name": "Zoe"}).status_code == 409
    assert admin.get("people").status_code == 200


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (" ", "a name is empty"),
        ("\u202eAnn", "cannot be seen (U+202E)"),
        ("player 1", "is taken: choose another"),
        ("P\u0406ayer 1", "is taken: choose another"),
        ("x" * 61, "61 letters"),
        ("x" * 1001, "cannot be done"),
    ],
)
def test_a_name_that_serves_for_no_seat_is_refused(up: Page, name: str, why: str) -> None:
    phone = up.client()
    answer = phone.post(f"join/{up.code(0)}", data={"name": name})
    assert (answer.status_code, why in answer.text) == (422, True)
    assert "set-cookie" not in answer.headers


def test_a_typed_name_is_that_of_the_seat_now_and_in_the_next_game(up: Page) -> None:
    joined(up, 2, "<b>Zoe[31m\u00a0x")
    assert up.table.commands == [ChangePlayers("rename", 2, name="<b>Zoe[31m x")]
    up.table.may_start_game = True
    assert 'value="&lt;b&gt;Zoe[31m x"' in up.host().get("games/1/next").text


def test_not_too_many_wait(up: Page) -> None:
    code = up.code(0)
    answers = [up.client().post(f"join/{code}", data={"name": f"Zoe {n}"}).status_code for n in range(7)]
    assert answers == [303] * 6 + [503]
    host = up.host()
    assert len(waiting(host)) == 6
    assert up.client().post(f"join/{up.code(1)}", data={"name": "Ann B"}).status_code == 303, "another seat is open"
    assert "Refuse all, and make new QR codes" in host.get("people").text
    decide(host, "refuse-all")
    assert waiting(host) == []
    assert up.client().post(f"join/{code}", data={"name": "Zoe"}).status_code == 404
    assert up.client().post(f"join/{up.code(0)}", data={"name": "Zoe"}).status_code == 303


def test_not_too_many_wait_from_all_networks() -> None:
    accounts = Accounts()
    seating = Seating(accounts, lambda seat, name: None)

    def wait(number: int, seat: int, network: str) -> bool:
        if has_room := seating.make_room(network, seat):
            accounts.wait(f"phone {number}", Newcomer(number, seat, f"Zoe {number}", network))
        return has_room

    assert all(wait(n, 0, "10.0.0.1") for n in range(6))
    assert not wait(6, 0, "10.0.0.1")
    assert wait(7, 0, "10.0.0.9"), "who has sent six names keeps nobody else out"
    assert [one.number for one in accounts.newcomers] == [*range(5), 7]
    assert [wait(n, n % 3 + 1, f"10.1.0.{n}") for n in range(30, 60)] == [True] * 18 + [False] * 12
    assert wait(60, 4, "10.0.0.2"), "thirty addresses keep nobody from a seat whose code they do not have"


@pytest.mark.parametrize("person", [SPECTATOR, Person("player", 1), Person("referee")])
def test_the_codes_of_seats_are_for_the_screen_in_the_room(up: Page, person: Person) -> None:
    codes = [up.code(seat) for seat in range(4)]
    client = up.client(person)
    seen = "".join(client.get(path).text for path in ("games/1/board", "games/1", "games/1/seats/0", "games/1/changes"))
    for query in ("kind=board", "kind=table", "kind=seat&seat=0"):
        with client.stream("GET", f"games/1/events?{query}") as stream:
            seen += next(stream.iter_text())
    assert "/join/" not in seen
    assert not any(code in seen for code in codes)
    with up.client(Person("screen")).stream("GET", "games/1/events?kind=board") as stream:
        seen = next(stream.iter_text())
    assert codes[0] in seen


def test_a_screen_is_paired_with_a_code_and_may_do_nothing_else(up: Page) -> None:
    shown = up.host().post("people", data={"role": "screen"}).text
    code = re.findall(r'<p class="code"[^>]*>(\w+)</p>', shown)[0]
    screen = up.client()
    screen.post("login", data={"code": code})
    assert screen.get("").headers["location"] == "/games/1/board"
    assert up.code(0) in screen.get("games/1/board").text
    assert [screen.get(path).status_code for path in ("people", "settings", "games/1/record")] == [403] * 3
    assert screen.post("actions/press", data={"seat": 0, "key": "uno"}).status_code == 403
    up.host().post("people", data={"role": "screen"})
    assert up.code(0) not in screen.get("games/1/board").text, "a new code ends the session of the old"


def test_a_page_that_phones_cannot_reach_offers_no_qr_code(tmp_path: Path) -> None:
    with page(tmp_path, LINES[:20]) as up:
        shown = up.host().get("people").text
        assert "/join/" not in shown + up.client().get("games/1/board").text
        assert "Phones cannot reach this page yet" in shown


def test_a_simulated_table_without_a_file_names_none_to_phones(tmp_path: Path) -> None:
    with page(tmp_path, LINES[:20]) as up:
        shown = up.client().get("phones").text
        assert "The page of a simulated table can only be opened on this machine." in shown
        assert "croupier.toml" not in shown


def test_a_page_that_follows_an_old_game_goes_on_to_the_one_that_is_played(tmp_path: Path) -> None:
    with page(tmp_path, LINES, LINES[:20], live=2) as up:
        for kind, place in (("table", ""), ("board", "/board"), ("seat&seat=1", "/seats/1")):
            assert up.client().get(f"games/1/events?kind={kind}").text == f"event: over\ndata: /games/2{place}\n\n"


@pytest.mark.long
def test_sessions_outlast_a_power_cut(tmp_path: Path) -> None:
    """The table is killed: what is not in a file is gone."""
    codes, sessions, table = tmp_path / "codes", tmp_path / "sessions", RecordingTable()

    def accounts() -> Accounts:
        return Accounts(codes, QUICK, sessions=sessions)

    accounts().new_code(Person("referee"))
    admin = (first := accounts()).new_code(ADMIN)
    with reached(), Journal(tmp_path / "croupier.journal") as journal:
        journal.add(LINES[:20], began=0.0)
        with WorkerProcess(journal.path, lambda: first, table, port=0) as up:
            host, phone = (httpx.Client(base_url=up.url, timeout=PATIENCE_S) for _ in range(2))
            assert host.post("login", data={"code": admin}).status_code == 303
            address = re.findall(r"/(join/[\w-]+)", host.get("people").text)[1]
            phone.post(address, data={"name": "Zoe"})
            decide(host, "let-in", who=waiting(host)[0])
            newcomer = httpx.Client(base_url=up.url, timeout=PATIENCE_S)
            newcomer.post(re.findall(r"/(join/[\w-]+)", host.get("people").text)[2], data={"name": "Uli"})
            (number,) = waiting(host)
            decide(host, "trust")
        kept = sessions.read_text()
        again = accounts()
        with WorkerProcess(journal.path, lambda: again, table, port=0) as up:
            assert httpx.get(f"{up.url}people", cookies=host.cookies, timeout=PATIENCE_S).status_code == 200
            seat = httpx.get(f"{up.url}join", cookies=phone.cookies, timeout=PATIENCE_S)
            assert seat.headers["location"] == "/games/1/seats/1"
            shown = httpx.get(f"{up.url}people", cookies=host.cookies, timeout=PATIENCE_S).text
            assert "Zoe plays here." in shown
            assert "Ask me first" in shown
            waits = httpx.get(f"{up.url}join", cookies=newcomer.cookies, timeout=PATIENCE_S)
            assert "One moment, Uli" in waits.text
            with httpx.Client(base_url=up.url, cookies=host.cookies, timeout=PATIENCE_S) as host:
                assert waiting(host) == [number]
                decide(host, "let-in", who=number)
            seat = httpx.get(f"{up.url}join", cookies=newcomer.cookies, timeout=PATIENCE_S)
            assert seat.headers["location"] == "/games/1/seats/2"
    assert all(one.cookies["croupier"] not in kept for one in (phone, newcomer)), "a token opens a session"
    assert stat.S_IMODE(sessions.stat().st_mode) == 0o600


def test_who_waits_for_a_seat_that_a_restart_has_taken_away_is_told_to_scan_again(tmp_path: Path) -> None:
    """The table has fewer seats than before; the codes of seats are new, and a page that shows an old one says so."""
    with reached(), page(tmp_path, LINES[:20]) as up:
        up.accounts.wait("waits", Newcomer(5, 4, "Zoe", "home"))
        up.accounts.open("left", Person("player", 4), "Zoe")
        up.accounts.set_away("left", has_left=True)
        for token in ("waits", "left"):
            told = up.client().get("join", headers={"accept-language": "de", "cookie": f"croupier={token}"})
            assert (told.status_code, "Scanne den QR-Code eines freien Platzes" in told.text) == (200, True)
            assert 'id="waits"' not in told.text
        assert waiting(up.host()) == []


MONTHS_S = 92 * 86_400.0
AUTUMN_S = 1.79e9


class Machine:
    """The clocks of a machine, and the accounts of the programs that run on it, one after the other."""

    def __init__(self, folder: Path) -> None:
        self.elapsed, self.wall = 40.0, AUTUMN_S
        self.codes, self._sessions = folder / "codes", folder / "sessions"
        self.accounts = self.start()
        self.accounts.new_code(ADMIN)
        self.accounts.open("host", ADMIN)
        self.accounts.open("phone", Person("player", 1), "Zoe")

    def start(self) -> Accounts:
        return Accounts(
            self.codes, QUICK, sessions=self._sessions, clock=lambda: self.elapsed, wall=lambda: self.wall
        )  # fmt: skip

    def restart(self, off_s: float = 0.0) -> None:
        """The machine is off for so long; its clock of elapsed time begins at 0."""
        self.accounts.keep_sessions()
        self.elapsed, self.wall = 0.0, self.wall + off_s
        self.accounts = self.start()

    @property
    def people(self) -> tuple[Person, Person]:
        return self.accounts.person("host"), self.accounts.person("phone")


THERE, GONE = (ADMIN, Person("player", 1)), (SPECTATOR, SPECTATOR)


@pytest.mark.parametrize("jump_s", [MONTHS_S, -MONTHS_S, 30 * 365 * 86_400.0, -AUTUMN_S])
def test_nobody_is_logged_out_when_the_time_of_day_jumps(tmp_path: Path, jump_s: float) -> None:
    machine = Machine(tmp_path)
    machine.wall += jump_s
    assert machine.people == THERE
    machine.elapsed += SESSION_S - 100
    assert machine.people == THERE
    machine.elapsed += 100
    assert machine.people == GONE, "a session that never ends is none"


@pytest.mark.parametrize("jump_s", [MONTHS_S, -MONTHS_S])
def test_nobody_is_logged_out_by_a_restart_after_which_it_is_another_day(tmp_path: Path, jump_s: float) -> None:
    machine = Machine(tmp_path)
    machine.restart(jump_s)
    assert machine.people == THERE
    machine.elapsed += SESSION_S - OFF_S - 1
    assert machine.people == THERE
    machine.elapsed += OFF_S + 1
    assert machine.people == GONE


def test_a_machine_that_is_started_each_evening_ends_its_sessions_too(tmp_path: Path) -> None:
    machine, evenings = Machine(tmp_path), 0
    while machine.people == THERE:
        machine.elapsed += 4 * 3600.0
        machine.wall += 4 * 3600.0
        machine.restart(20 * 3600.0)
        evenings += 1
    assert evenings == 30
    assert machine.people == GONE


def test_a_page_that_is_started_again_goes_on_with_sessions_as_old_as_they_are(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.elapsed += SESSION_S - 1
    machine.wall += MONTHS_S
    page = Accounts(clock=lambda: machine.elapsed, wall=lambda: machine.wall)
    page.take_sessions(machine.accounts.sessions)
    assert page.person("phone") == Person("player", 1)
    machine.elapsed += 1
    assert page.person("phone") == SPECTATOR


def test_who_removes_the_codes_wants_everybody_out(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.codes.unlink()
    machine.restart()
    assert machine.people == GONE


@pytest.mark.parametrize(
    "text", ["", "[]", '{"confirms": true, "sessions": {"x": {"person": {"role": "king"}}}}', "\0"]
)
def test_a_broken_file_of_sessions_lets_nobody_in_and_stops_nothing(tmp_path: Path, text: str) -> None:
    Accounts(tmp_path / "codes", QUICK).new_code(ADMIN)
    (tmp_path / "sessions").write_text(text)
    assert Accounts(tmp_path / "codes", QUICK, sessions=tmp_path / "sessions").players == {}
