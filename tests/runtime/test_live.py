"""A running table: whatever is missing, dies, comes back or is killed, the game goes on where it stood."""

from __future__ import annotations

import json
import os
import socket
from collections import Counter
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from threading import Event as Signal
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from cardsight.track.events import Doubted
from croupier import commands, supervisor
from croupier.alarms import Alarm, AlarmRegistry
from croupier.commands import (
    CountFedCards,
    DiscardCards,
    LayCard,
    MakeHouseRule,
    NameCard,
    PluginOrder,
    PressKey,
    ShowCards,
    StartGame,
    SwapHands,
)
from croupier.config import read
from croupier.devices.pico import Layout
from croupier.devices.protocols import Ask
from croupier.errors import BadConfig, BadLog
from croupier.events import CommandGiven, Press, ShoeReport
from croupier.journal import Journal
from croupier.link.commands import Command
from croupier.link.conversation import Conversation, Event
from croupier.observers import TableObserver
from croupier.retry import RetryPolicy
from croupier.runtime.camera import TableWatch
from croupier.runtime.page import PageServer, TablePage, WaitingTable
from croupier.runtime.systemd import Systemd
from croupier.web.accounts import Accounts, Person
from croupier_extras.gpio.firmware import Ticks, load
from croupier_extras.shoe_trial.trial import ShoeTrial
from croupier_rules.referee import Options
from croupier_rules.referee.corrections import Report, SetTo
from croupier_rules.referee.observations import Shown
from tests.patience import PATIENCE_S
from tests.runtime.live import PICO, STEP_S, TWO, Board, Running
from tests.web.moments import MOMENTS

THREE = TWO.replace('["Ann", "Ben"]', '["Ann", "Ben", "Cat"]')


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "croupier.journal"


def test_without_shoe_and_camera_people_deal_and_tell(path: Path) -> None:
    table = Running(path)
    table.wait(0.5)
    assert table.people.asked[-1] == Ask("deal", n=7, seats=(1, 0))
    assert table.position.hands == (0, 0)
    table.go(0.5)
    assert table.position.hands == (7, 7)
    for _ in range(3):
        table.lay()
        table.wait(0.5)
    assert [line["obs"] for line in table.log] == ["dealt", "dealt", "upcard", "play", "play"]
    seat = table.position.turn
    table.press("draw", seat)
    table.wait(0.5)
    assert table.position.hands[seat] == 7
    assert table.alarms == []


def test_a_penalty_is_drawn_when_the_seat_says_so(path: Path) -> None:
    table = Running(path)
    table.wait(0.2)
    table.go(0.5)
    for card in ("red-7", "red-draw2"):
        table.say(CommandGiven(t=table.table.clock.now(), command=LayCard(card)))
        table.wait(0.5)
    assert table.position.owed == {0: 2}
    assert table.people.asked[-1] == Ask("draw", seat=0, n=2)
    table.press("draw", 0)
    table.wait(0.5)
    assert (table.position.owed, table.position.hands) == ({}, (9, 6))


def test_whoever_presses_undo_hears_why_a_card_cannot_be_undone(path: Path) -> None:
    table = Running(path)
    table.go(0.5)
    table.say(CommandGiven(t=table.table.clock.now(), command=LayCard("red-7")))
    table.wait(0.5)
    table.press("undo")
    table.wait(0.5)
    assert table.position.top == "red-7"
    assert "A report of a card is corrected instead" in table.people.said[-1].text


def test_the_motor_waits_for_a_go_and_then_deals(path: Path) -> None:
    table = Running(path, TWO + PICO)
    table.wait(5)
    assert table.board.got == {}
    table.go(6)
    assert table.position.hands == (7, 7)
    assert table.board.got == {0: 7, 1: 7}


def test_the_buttons_of_the_pico_are_heard(path: Path) -> None:
    table = Running(path, TWO + PICO)
    table.go(8)
    table.lay()
    table.wait(0.5)
    table.board.press(1)
    table.wait(0.5)
    assert [line["seat"] for line in table.log if line["obs"] == "uno"] == [1]


def test_a_press_that_the_line_held_up_keeps_its_place_before_a_later_one(path: Path) -> None:
    table = Running(path, TWO + PICO)
    table.go(8)
    table.board.is_read = False
    pressed = table.table.clock.now()
    table.board.press(0)
    table.wait(0.1)
    table.press("uno", 1)
    table.wait(0.2)
    assert all(line["obs"] != "uno" for line in table.log)
    table.board.is_read = True
    table.wait(1)
    first, second = (line for line in table.log if line["obs"] == "uno")
    assert (first["seat"], second["seat"]) == (0, 1)
    assert first["t"] == pytest.approx(pressed, abs=0.06)
    assert second["t"] == pytest.approx(pressed + 0.1, abs=0.001)


def test_a_pico_that_is_unplugged_while_it_deals_pauses_the_game_and_deals_on_when_it_is_back(path: Path) -> None:
    table = Running(path, TWO + PICO)
    table.go(2)
    assert 0 < table.board.got.total() < 14
    table.board.plug(False)
    table.wait(3)
    assert table.position.phase == "paused"
    assert ("pico", "gone") in table.faults
    assert table.alarms == [("pico", "gone")]
    table.board.plug(True)
    table.wait(2)
    assert table.alarms == [("pico", "gone"), ("pico", ""), ("shoe", "silence")]
    table.go(8)
    assert table.alarms[3:] == [("shoe", "")]
    assert table.position.hands == (7, 7)
    assert table.board.got == {0: 7, 1: 7}


def test_a_pico_that_is_missing_at_first_is_reported_once_and_the_game_begins_when_it_comes(path: Path) -> None:
    table = Running(path, TWO + PICO)
    table.board.plug(False)
    table.wait(6)
    assert table.alarms == [("pico", "gone")]
    assert table.faults == [("pico", "gone")]
    table.board.plug(True)
    table.wait(2)
    table.go(6)
    assert table.position.hands == (7, 7)


def test_a_job_that_the_power_broke_off_is_counted_by_a_person(path: Path) -> None:
    table = Running(path, TWO + PICO)
    table.go(2)
    before = table.board.got.total()
    assert 0 < before < 14
    table.board.start_pico("power")
    table.wait(3)
    assert ("shoe", "job-in-doubt") in table.faults
    assert table.table.devices.shoe.in_doubt is not None
    feed, _ = table.table.devices.shoe.in_doubt
    table.say(CommandGiven(t=table.table.clock.now(), command=CountFedCards(table.board.got[feed.seat])))
    table.go(8)
    assert table.position.hands == (7, 7)
    assert table.board.got == {0: 7, 1: 7}


def test_a_card_too_many_goes_back_with_the_go(path: Path) -> None:
    table = Running(path, TWO + PICO)
    table.wait(1)
    table.board.feeder.doubles = 1
    table.go(5)
    assert table.position.phase == "paused"
    assert [kind for device, kind in table.faults] == ["surplus"]
    table.go(6)
    assert table.position.hands == (7, 7)
    assert table.board.got.total() == 15


@pytest.mark.parametrize("loses_power", [False, True], ids=["pico-goes-on", "pico-without-power"])
def test_killed_while_a_card_too_many_is_still_out_it_is_asked_back(path: Path, loses_power: bool) -> None:
    table = Running(path, TWO + PICO)
    table.wait(1)
    table.board.feeder.doubles = 1
    table.go(5)
    assert ("shoe", "surplus") in table.table.alarms.active()
    table.kill()
    if loses_power:
        table.board.start_pico("power")
    table.start()
    table.wait(4)
    shoe = table.table.devices.shoe
    while (doubt := shoe.in_doubt) is not None:
        assert loses_power
        seat = doubt[0].seat
        came = table.board.got[seat] - table.board.too_many[seat] - table.position.hands[seat]
        table.say(CommandGiven(t=table.table.clock.now(), command=CountFedCards(came)))
        table.wait(1)
    assert ("shoe", "surplus") in table.table.alarms.active()
    assert table.position.phase == "paused"
    table.go(10)
    assert table.table.alarms.active() == ()
    assert table.position.hands == (7, 7)
    assert table.board.got.total() == 15


@pytest.mark.parametrize("after_s", [0.5, 1.2, 2.0, 2.1, 3.0, 9.0])
def test_killed_and_started_anew_it_stands_where_it_stood_with_the_motor_waiting(path: Path, after_s: float) -> None:
    table = Running(path, TWO + PICO)
    table.press("go")
    table.wait(after_s)
    table.kill()
    table.start()
    table.wait(4)
    assert table.table.run.session.past
    assert table.position.phase == "paused"
    assert table.faults[-1] == ("table", "restarted")
    got = table.board.got.total()
    table.wait(2)
    assert table.board.got.total() == got, "fed before anybody said go"
    table.go(10)
    assert table.position.phase == "upcard"
    assert table.position.hands == (7, 7)
    assert table.board.got == {0: 7, 1: 7}
    assert all(line["t"] <= after["t"] for line, after in zip(table.log, table.log[1:], strict=False))


def test_killed_while_it_deals_and_the_pico_without_power_a_person_counts(path: Path) -> None:
    table = Running(path, TWO + PICO)
    table.go(2)
    got = table.board.got.total()
    assert 0 < got < 14
    table.kill()
    table.board.start_pico("power")
    table.start()
    table.wait(4)
    table.go(1)
    assert table.position.phase == "paused"
    shoe = table.table.devices.shoe
    while (doubt := shoe.in_doubt) is not None:
        seat = doubt[0].seat
        table.say(
            CommandGiven(
                t=table.table.clock.now(), command=CountFedCards(table.board.got[seat] - table.position.hands[seat])
            )
        )
        table.wait(1)
    table.go(8)
    assert table.position.hands == (7, 7)
    assert table.board.got == {0: 7, 1: 7}


@pytest.mark.parametrize("second_s", [0.3, 1.4, 2.8])
@pytest.mark.parametrize("first_s", [0.2, 0.9, 2.1, 3.9])
def test_killed_twice_while_it_deals_each_card_is_logged_once(path: Path, first_s: float, second_s: float) -> None:
    """A job that ends with no card leaves no line, and must not take the line of the next job for its own."""
    table = Running(path, THREE + PICO, board=Board(card_s=0.7, turn_s=0.7))
    for alive_s in (first_s, second_s):
        table.go(alive_s)
        table.kill()
        table.start()
        table.wait(4)
    table.go(40)
    assert table.position.phase == "upcard"
    assert table.board.got == {0: 7, 1: 7, 2: 7}
    dealt = Counter[int]()
    for line in table.log:
        if line["obs"] == "dealt":
            dealt[line["seat"]] += line["n"]
    assert dealt == table.board.got
    jobs = table.disk.journal.feed_jobs(table.table.run.session.game)
    assert all(job.fed is not None for job in jobs)
    assert sum(job.fed or 0 for job in jobs) == 21


class Bench:
    """The same Pico, as `croupier doctor --shoe` talks to it while no table runs."""

    def __init__(self, board: Board) -> None:
        self._board = board
        board.host = Conversation()
        board.plug(True)

    def now(self) -> float:
        return self._board.now

    def send(self, command: Command) -> bool:
        return self._board.host.send(command)

    def wait(self, seconds: float) -> list[Event]:
        end = self._board.now + seconds
        while not (events := self._board.host.events()) and self._board.now < end:
            self._board.run_to(self._board.now + STEP_S)
        return events

    def clear(self, kind: str, seat: int) -> bool:
        return False


@pytest.mark.parametrize("told", [pytest.param(56, id="many-jobs-before"), pytest.param(0, id="the-first-job")])
@pytest.mark.parametrize("n", [1, 3, 20])
def test_killed_while_it_deals_and_the_shoe_tried_on_new_power_a_person_counts(path: Path, told: int, n: int) -> None:
    board = Board()
    if told:
        memory = load(Ticks(lambda: 0.0)).memory.Memory(board.registers)
        memory.begin(told, 1)
        memory.end("complete")
        board.start_pico("watchdog")
    table = Running(path, TWO + PICO, board=board)
    table.go(2)
    before = dict(board.got)
    assert 0 < sum(before.values()) < 14
    table.kill()
    board.start_pico("power")
    trial = ShoeTrial(bench := Bench(board), Layout(seats=2), bench, bench.now, has_turntable=False)
    assert trial.run((("red-1",),) * n).given_up == ""
    assert board.got.total() == sum(before.values()) + n
    board.got = Counter(before)  # what was tried goes back under the deck
    board.plug(False)
    table.start()
    table.wait(4)
    table.go(3)
    assert table.position.phase == "paused"
    assert board.got == before, "dealt again"
    doubt = table.table.devices.shoe.in_doubt
    assert doubt is not None
    seat = doubt[0].seat
    n = board.got[seat] - table.position.hands[seat]
    table.say(CommandGiven(t=table.table.clock.now(), command=CountFedCards(n)))
    table.wait(1)
    table.go(8)
    assert table.position.hands == (7, 7)
    assert board.got == {0: 7, 1: 7}


def test_a_round_that_was_over_when_it_was_killed_is_followed_by_the_next(path: Path) -> None:
    table = Running(path)
    table.wait(0.2)
    table.go(0.5)
    for _ in range(40):
        if table.position.phase == "round_over":
            break
        table.press("uno", table.position.turn or 0)
        table.lay()
        table.wait(0.5)
    assert table.position.phase == "round_over"
    loser = next(seat for seat, n in enumerate(table.position.hands) if n)
    cards = ("blue-9", "blue-8", "blue-6", "blue-5", "blue-4", "blue-3", "blue-2")[: table.position.hands[loser]]
    t = table.table.clock.now()
    table.say(CommandGiven(t=t, command=Report(Shown(t, seat=loser, cards=cards))))
    table.wait(0.5)
    assert sum(table.position.scores) > 0
    table.kill()
    table.start()
    table.wait(0.5)
    for _ in range(3):
        table.go(0.5)
    assert table.position.hands == (7, 7)


def test_a_full_disk_is_reported_and_nothing_is_lost(path: Path) -> None:
    table = Running(path)
    table.wait(0.2)
    table.disk.is_full = True
    table.go(5)
    assert table.alarms == [("journal", "not-written")]
    assert table.position.hands == (0, 0), "acted on what is not written"
    table.disk.is_full = False
    table.wait(2)
    assert table.alarms == [("journal", "not-written"), ("journal", "")]
    assert table.position.hands == (7, 7)


def test_a_full_disk_keeps_the_next_game_waiting(path: Path) -> None:
    table = Running(path)
    table.wait(0.5)
    table.disk.is_full = True
    agreed = replace(table.table.run.session.referee.header, seats=("Zoe", "Yan"))
    table.table.submit(StartGame(agreed))
    table.wait(4)
    assert table.alarms == [("journal", "not-written")]
    assert table.table.run.session.game == 1
    table.disk.is_full = False
    table.wait(2)
    assert table.alarms == [("journal", "not-written"), ("journal", "")]
    assert table.table.run.session.game == 2
    assert table.table.run.session.referee.header == agreed


def test_what_cannot_be_is_said_and_not_written(path: Path) -> None:
    table = Running(path)
    table.wait(0.2)
    table.go(0.5)
    before = table.log
    table.say(CommandGiven(t=table.table.clock.now(), command=MakeHouseRule(0, 99, "Clap.")))
    table.wait(0.5)
    assert table.log == before
    assert any("number" in said.text for said in table.people.said)
    table.kill()
    table.start()
    assert table.position.hands == (7, 7), "the game goes on"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        pytest.param(TWO.replace("dealer = 0\n", ""), "First say who deals, such as: dealer Ann", id="who-deals"),
        pytest.param(TWO, "This card was not counted: no round is being played.", id="deal"),
    ],
)
def test_a_card_that_is_reported_before_the_round_is_not_lost_in_silence(path: Path, text: str, answer: str) -> None:
    table = Running(path, text)
    table.wait(0.2)
    before = table.log
    table.say(CommandGiven(t=table.table.clock.now(), command=LayCard("red-7")))
    table.wait(0.5)
    assert table.log == before
    assert [said.text for said in table.people.said][-1].endswith(answer)


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(Press(t=1.0, seat=0, key="draw"), id="draw"),
        pytest.param(Press(t=1.0, seat=0, key="go"), id="go"),
        pytest.param(Press(t=1.0, seat=0, key="open"), id="open"),
        pytest.param(CommandGiven(t=1.0, command=SwapHands(1)), id="swap"),
        pytest.param(CommandGiven(t=1.0, command=DiscardCards(2)), id="under"),
        pytest.param(CommandGiven(t=1.0, command=NameCard("red-5")), id="card"),
        pytest.param(CommandGiven(t=1.0, command=CountFedCards(3)), id="counted"),
    ],
)
def test_what_means_nothing_before_somebody_deals_is_answered_by_the_question_who_deals(
    path: Path, given: Press | CommandGiven
) -> None:
    table = Running(path, TWO.replace("dealer = 0\n", ""))
    table.wait(0.2)
    before, asked = table.log, len(table.people.asked)
    table.say(replace(given, t=table.table.clock.now()))
    table.wait(0.5)
    assert table.log == before
    assert table.people.asked[asked:] == [Ask("choose-dealer")]


@pytest.mark.parametrize("face", ["red-9", "?"])
def test_a_card_that_was_misread_before_the_program_was_killed_is_set_right_after(
    path: Path, face: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    taught = list[str]()
    monkeypatch.setattr(TableWatch, "learn", lambda _watch, _t, face: taught.append(face))
    table = Running(path)
    table.wait(0.2)
    table.go(0.5)
    table.say(CommandGiven(t=table.table.clock.now(), command=LayCard("red-7")))
    table.wait(0.5)
    table.say(CommandGiven(t=table.table.clock.now(), command=LayCard(face)))
    table.wait(0.5)
    table.kill()
    table.start()
    table.wait(0.5)
    table.go(0.5)
    table.say(CommandGiven(t=table.table.clock.now(), command=NameCard("red-6")))
    table.wait(0.5)
    assert table.position.top == "red-6"
    assert taught == ["red-6"], "the reader may learn it"


@pytest.mark.long
def test_an_admin_s_code_that_could_not_be_written_is_shown_when_it_can(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Journal(path).close()
    told, may_write, is_up = list[str](), Signal(), Signal()
    changes: list[tuple[str, str]] = []
    sync = os.fsync

    def fsync(file: int) -> None:
        if not may_write.is_set():
            raise OSError(28, "No space left on device")
        sync(file)

    def note(alarm: Alarm) -> None:
        changes.append((alarm.device, alarm.kind))
        # The disk has room from the moment at which the failure is told.
        (may_write if alarm.kind else is_up).set()

    monkeypatch.setattr("os.fsync", fsync)
    monkeypatch.setattr(supervisor, "RETRY", RetryPolicy(0.0, 0.0))
    terminal: Any = SimpleNamespace(line=lambda text, style="": told.append(text), is_terminal=False)
    alarms = AlarmRegistry(note)
    config = read(f"{TWO}[journal]\nfile = '{path}'\n")
    server = PageServer(config, alarms, terminal)
    server.start(WaitingTable(alarms))
    assert is_up.wait(60)
    server.close()
    assert changes == [("page", "gone"), ("page", "")]
    (code,) = [line.split()[-1] for line in told if line.startswith("The admin code")]
    accounts = Accounts(Path(f"{path}-codes"))
    assert accounts.person(accounts.log_in(code)) == Person("admin")


def test_a_table_that_is_hosted_again_keeps_the_admins_code_and_sessions(path: Path) -> None:
    config = read(f"{TWO}[journal]\nfile = '{path}'\n")
    alarms = AlarmRegistry(lambda alarm: None)
    lines, urls = list[str](), SimpleQueue[str]()
    terminal: Any = SimpleNamespace(line=lambda text, style="": lines.append(text), is_terminal=False)

    def may_see_the_codes(client: httpx.Client, base: str) -> bool:
        return client.get(f"{base}people").status_code == 200

    page = TablePage(Running(path).table)
    with httpx.Client(timeout=PATIENCE_S) as phone, httpx.Client(timeout=PATIENCE_S) as browser:
        for start in range(2):
            server = PageServer(config, alarms, terminal, urls.put)
            server.start(page)
            base, _, invited = urls.get(timeout=PATIENCE_S).partition("login#")
            codes = [line.split()[-1] for line in lines if line.startswith("The admin code")]
            assert len(codes) == 1, "the first start alone makes one"
            if start == 0:
                assert phone.post(f"{base}login", data={"code": codes[0]}).status_code == 303
            assert may_see_the_codes(phone, base)
            assert not may_see_the_codes(httpx.Client(timeout=PATIENCE_S), base)
            assert browser.post(f"{base}login", data={"code": invited}).status_code == 303
            assert may_see_the_codes(browser, base)
            again = httpx.post(f"{base}login", data={"code": invited}, timeout=PATIENCE_S)
            assert again.status_code == 403, "it opens one session"
            server.close()
    kept = json.loads(Path(f"{path}-sessions").read_text())["sessions"]
    assert len(kept) == 2, "one of the phone, one of the browser"


def test_a_clock_that_jumps_is_reported(path: Path) -> None:
    table = Running(path)
    table.wait(1)
    table.wall += 7200
    table.wait(1)
    assert table.alarms == [("clock", "set"), ("clock", "")]
    table.wait(5)
    assert len(table.alarms) == 2


def played(path: Path, *jumps_s: float) -> tuple[Running, list[dict[str, Any]]]:
    """A table whose clock jumps so after each card; and what its pages and its hub have of the game."""
    table = Running(path)
    table.go(0.5)
    for jump_s in jumps_s:
        table.lay()
        table.wait(0.5)
        table.wall += jump_s
    table.press("uno", 1)
    table.wait(0.5)
    return table, table.log


def test_the_log_of_a_game_is_the_same_whatever_the_time_of_day_does(tmp_path: Path) -> None:
    _table, steady = played(tmp_path / "steady.journal", 0.0, 0.0, 0.0)
    table, jumped = played(tmp_path / "jumped.journal", 92 * 86_400.0, -92 * 86_400.0, -1000.0)
    assert jumped == steady, "statistics, windows, replay and hub know a game by its lines alone"
    assert len({line["t"] for line in jumped}) > 3
    table.kill()
    table.wall = 0.0
    table.start()
    table.wait(0.5)
    times = [line["t"] for line in table.log]
    assert times == sorted(times), "a program that is started again in another year goes on where it stopped"
    assert times[-1] < times[len(steady) - 1] + 60


def test_a_listener_that_fails_stops_nobody(path: Path) -> None:
    heard: list[object] = []

    class Voice:
        def __call__(self, *told: object) -> None:
            heard.append(told)
            raise OSError("no sound")

    table = Running(path, observers=lambda session, submit: [Voice()])
    table.wait(0.2)
    table.go(0.5)
    assert table.position.hands == (7, 7)
    assert table.alarms == [("voice", "failed")]
    assert len(heard) > 1


def test_a_game_goes_on_only_with_as_many_seats(path: Path) -> None:
    table = Running(path)
    table.wait(0.5)
    table.kill()
    table.text = TWO.replace('"Ben"', '"Ben", "Cat"')
    with pytest.raises(BadConfig, match="has 2 seats, but the configuration has 3"):
        table.start()
    table.start(is_new=True)
    assert table.table.run.session.game == 2
    assert table.table.run.session.referee.header.seats == ("Ann", "Ben", "Cat")


def test_a_table_that_cannot_be_played_at_begins_no_game(path: Path) -> None:
    with pytest.raises(BadConfig, match="the place of the discard pile in the picture is missing"):
        Running(path, '[seats]\nnames = ["Ann", "Ben"]\n')
    table = Running(path)
    assert not table.table.run.session.past
    assert table.table.run.session.game == 1


def test_systemd_hears_how_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(path))
        systemd.settimeout(1)
        notify = Systemd({"NOTIFY_SOCKET": str(path), "WATCHDOG_USEC": "30000000"})
        notify.ready()
        notify.status("Ann's\nturn")
        notify.status("Ann's\nturn")
        for now in (0.0, 5.0, 10.0):
            notify.alive(now)
        notify.stopping()
        told = [systemd.recv(4096).decode() for _ in range(5)]
    assert told == ["READY=1", "STATUS=Ann's turn", "WATCHDOG=1", "WATCHDOG=1", "STOPPING=1"]


def test_without_systemd_nothing_is_sent() -> None:
    Systemd({}).ready()
    Systemd({"NOTIFY_SOCKET": "/nowhere/at/all"}).ready()
    assert Systemd({"WATCHDOG_USEC": "1000000", "WATCHDOG_PID": "1"}).watchdog_s is None


def test_after_a_game_a_go_begins_the_next(path: Path) -> None:
    table = Running(path, f"{TWO}[game]\ntarget = 1\n")
    table.wait(0.2)
    table.go(0.5)
    play_a_round(table)
    assert table.people.asked[-1] == Ask("done")
    table.go(0.5)
    assert table.table.run.session.game == 2
    table.go(0.5)
    assert table.position.hands == (7, 7)
    assert table.log[0]["obs"] == "dealt"


def test_a_job_whose_line_the_referee_refuses_is_done_all_the_same(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Running(path, TWO + PICO)
    table.wait(1)
    table.go(9)
    table.lay()
    table.wait(0.5)
    session, seat = table.table.run.session, table.position.turn
    judge = session.judge

    def refuse(observations: Any) -> Any:
        if observations[0].name == "drew":
            raise BadLog("that cannot be")
        return judge(observations)

    monkeypatch.setattr(session, "judge", refuse)
    table.press("draw", seat)
    table.wait(1)
    assert table.people.said[-1].text == "that cannot be"
    assert [job.fed for job in table.disk.journal.feed_jobs(1) if job.n == 1] == [1]
    monkeypatch.undo()
    table.press("draw", seat)
    table.wait(1)
    assert table.log[-1]["obs"] == "drew", "the seat may still draw"


def test_cards_that_a_job_did_not_feed_are_ordered_again_though_nothing_else_happens(path: Path) -> None:
    """Killed while a job was sent that the Pico never heard of: its end, no cards, may come after play went on."""
    table = Running(path, TWO + PICO)
    table.wait(1)
    table.go(9)
    for card in ("red-7", "red-draw2"):
        table.say(CommandGiven(t=table.table.clock.now(), command=LayCard(card)))
        table.wait(0.5)
    ordered = table.table.run._director._ordered
    for _ in range(10):
        if ordered:
            break
        table.wait(0.1)
    (job,) = ordered
    table.say(ShoeReport(t=0.0, kind="fed", job=job, seat=0, asked=2, n=0))
    table.wait(0.1)
    assert [(feed.n, feed.job != job) for feed in ordered.values()] == [(2, True)]


def play_a_round(table: Running) -> None:
    """Whoever is on turn lays a card that fits, until a hand is empty; the other hand is counted."""
    for _ in range(40):
        if table.position.phase == "round_over":
            break
        table.press("uno", table.position.turn or 0)
        table.lay()
        table.wait(0.5)
    loser = next(seat for seat, n in enumerate(table.position.hands) if n)
    t, n = table.table.clock.now(), table.position.hands[loser]
    table.say(CommandGiven(t=t, command=Report(Shown(t, seat=loser, cards=("green-9", "green-8", "blue-6")[:n]))))
    table.wait(0.5)
    assert table.position.phase == "game_over", table.position


@pytest.mark.parametrize("shoe", ["", PICO], ids=["people-deal", "shoe"])
def test_the_cards_of_a_second_game_are_dealt_anew(path: Path, shoe: str) -> None:
    """The feed jobs of each game are numbered from 1: those of the second are none that were done."""
    table = Running(path, f"{TWO}[game]\ntarget = 1\n{shoe}")
    table.wait(1)
    table.go(9)
    play_a_round(table)
    before = table.board.got.total()
    table.go(0.5)
    assert table.table.run.session.game == 2
    assert table.position.hands == (0, 0), "nobody has been dealt a card yet"
    if not shoe:
        assert table.people.asked[-1] == Ask("deal", n=7, seats=(1, 0))
    table.go(9)
    assert table.position.hands == (7, 7)
    assert table.board.got.total() - before == (14 if shoe else 0)


def test_another_game_before_its_cards_were_dealt_asks_for_no_card_twice(path: Path) -> None:
    table = Running(path)
    table.wait(0.5)
    table.table.submit(StartGame(replace(table.table.run.session.referee.header, seats=("Zoe", "Yan"))))
    table.wait(0.5)
    table.go(0.5)
    assert [line["n"] for line in table.log] == [7, 7]


def test_another_game_while_the_pico_is_gone_is_paused_too(path: Path) -> None:
    table = Running(path, f"{TWO}[game]\ntarget = 1\n{PICO}")
    table.wait(1)
    table.go(9)
    play_a_round(table)
    table.board.plug(False)
    table.wait(3)
    table.go(1)
    assert table.table.run.session.game == 2
    assert table.faults == [("pico", "gone")]


def test_killed_while_a_color_is_awaited_the_same_seat_is_asked_again(path: Path) -> None:
    table = Running(path)
    table.wait(0.2)
    table.go(0.5)
    for card in ("red-7", "wild"):
        table.say(CommandGiven(t=table.table.clock.now(), command=LayCard(card)))
        table.wait(0.5)
    asked = Ask("name-color", seat=1, card="wild")
    assert table.people.asked[-1] == asked
    table.kill()
    table.start()
    assert asked in table.people.asked
    assert table.table.page.seat("red") == 1
    table.go(0.5)
    table.press("red", 1)
    table.wait(0.5)
    assert (table.position.color, table.position.turn) == ("red", 0)


def test_a_pico_that_is_unplugged_before_it_said_how_it_stands_is_asked_again(path: Path) -> None:
    table = Running(path, TWO + PICO)
    table.press("go")
    table.board.start_pico("power")
    table.wait(0.1)
    table.board.plug(False)
    table.wait(2)
    table.board.plug(True)
    table.wait(4)
    table.go(8)
    assert table.position.hands == (7, 7)


def test_a_button_that_hangs_is_reported_until_it_comes_loose(path: Path) -> None:
    table = Running(path, TWO + PICO)
    table.wait(1)
    table.board.pico.report("fault", "stuck-button", 0b10, table.board.ticks)
    table.wait(0.5)
    assert table.alarms == [("buttons", "stuck")]
    assert table.faults == [], "the others work, and so does the game"
    table.board.pico.report("fault", "stuck-button", 0, table.board.ticks)
    table.wait(0.5)
    assert table.alarms[1:] == [("buttons", "")]


def test_a_lost_report_pauses_play_until_somebody_compared_the_table(path: Path) -> None:
    table = Running(path, TWO + PICO)
    table.wait(4)
    table.go(8)
    table.board.pico.report("fault", "overflow", 3, table.board.ticks)
    table.wait(0.5)
    assert ("pico", "overflow") in table.alarms
    assert ("pico", "overflow") in table.faults
    assert table.position.phase == "paused"
    table.wait(5)
    assert table.position.phase == "paused", "only a person knows what is missing"
    table.go(1)
    assert ("pico", "") in table.alarms
    assert table.position.phase != "paused"


def test_another_game_as_it_was_agreed_on_at_the_page_begins_before_a_card_is_dealt(path: Path) -> None:
    table = Running(path)
    table.wait(0.5)
    assert table.table.may_start_game
    agreed = replace(table.table.run.session.referee.header, seats=("Zoe", "Yan"), options=Options(target=200))
    table.table.submit(StartGame(agreed))
    table.wait(0.5)
    assert table.table.run.session.referee.header == agreed
    assert table.table.run.session.game == 2
    table.go(0.5)
    assert table.position.hands == (7, 7)
    assert not table.table.may_start_game
    table.table.submit(StartGame(replace(agreed, seats=("Ann", "Ben"))))
    table.wait(0.5)
    assert table.table.run.session.game == 2, "a game that is played goes on"


@pytest.mark.parametrize(
    "settled",
    [
        pytest.param(LayCard("red-4"), id="the-next-card"),
        pytest.param(NameCard("red-9"), id="another-card"),
        pytest.param(NameCard("red-6"), id="the-card-that-was-read"),
        pytest.param(SetTo({"hands": {1: 4}}), id="a-correction"),
    ],
)
def test_what_a_card_may_be_is_asked_until_somebody_knows(path: Path, settled: commands.Command) -> None:
    table = Running(path)
    page = TablePage(table.table)
    table.go(0.5)
    for card in ("red-5", "red-6"):
        table.say(CommandGiven(t=table.table.clock.now(), command=LayCard(card)))
        table.wait(0.5)
    table.table.inbox.put(Doubted(t=table.table.clock.now(), candidates=("red-6", "red-9")))
    table.wait(0.5)
    assert page.state.candidates == ("red-6", "red-9")
    table.say(CommandGiven(t=table.table.clock.now(), command=LayCard("?")))
    table.wait(0.5)
    assert page.state.candidates == ("red-6", "red-9")
    page.submit(settled)
    table.wait(0.5)
    assert not page.state.candidates


class Hearing(TableObserver):
    def __init__(self) -> None:
        self.heard: list[tuple[str, str]] = []

    def order(self, order: str, player: str) -> None:
        self.heard.append((order, player))


def test_an_order_goes_to_its_plugin_and_the_game_hears_nothing_of_it(path: Path) -> None:
    table, voice = Running(path), Hearing()
    page = TablePage(table.table, plugins={"voice": voice})
    page.submit(PluginOrder("voice", "60 muted"))
    page.submit(PluginOrder("voice", "70", 1))
    page.submit(PluginOrder("bell", "ring"))  # from a page that is older than the table
    page.submit(PressKey(0, "go"))
    assert voice.heard == [("60 muted", ""), ("70", table.table.run.position.names[1])]
    assert [type(event) for event in table.table.inbox.collect()] == [Press], "the key alone"


def test_started_anew_it_asks_only_for_the_hand_that_is_still_due(path: Path) -> None:
    with Journal(path) as journal:
        journal.add(MOMENTS["hands"], began=0.0)
    table = Running(path, TWO.replace('"Ann", "Ben"', '"Ann", "Ben", "Cat", "Dan"'))
    assert [ask.seat for ask in table.people.asked if ask.what == "show-hand"] == [2], "seat 1 was counted"
    table.go(1)
    assert table.position.phase == "round_over"
    table.press("open", seat=3)
    table.wait(1)
    assert [ask.seat for ask in table.people.asked if ask.what == "show-hand"] == [2, 3], "who says so comes first"
    table.say(CommandGiven(t=table.table.clock.now(), command=ShowCards(3, ("red-9", "red-skip", "blue-4"))))
    table.wait(1)
    assert [ask.seat for ask in table.people.asked if ask.what == "show-hand"] == [2, 3, 2]
    table.kill()
