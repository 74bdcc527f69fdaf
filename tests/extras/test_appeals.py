"""An appeal against a card: who may, what the pictures say in words, and what becomes of the record."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from queue import Queue
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from cardsight.reader import Reader
from cardsight.track.appeal import Appeals
from croupier.alarms import AlarmRegistry
from croupier.child_process import Channel
from croupier.errors import NoAnswer
from croupier.journal import Journal
from croupier.runtime.page import TablePage, WaitingTable
from croupier.table_api.live_table import AppealRequest, CameraRequest, PileVerdict, Request
from croupier.table_api.messages import FROM_PAGE, Answer, encode_content
from croupier.web.accounts import SPECTATOR, Accounts, Person
from croupier.web.worker_process import WorkerProcess, _RemoteTable
from croupier_extras.clips.clips import decide_appeal, may_appeal
from croupier_rules.referee.corrections import Was, to_observations
from croupier_rules.referee.observations import Play, to_json
from tests.extras.test_clips import CLIP, HEADER, LINES, PLAY
from tests.patience import PATIENCE_S
from tests.vision.test_clip import filmed
from tests.web.chromium import needs_chromium
from tests.web.stories import story_of
from tests.web.tables import QUICK, Page, RecordingTable, page

SURE = PileVerdict("red-3", 14, 15, is_sure=True)
LOGIN = "You are not allowed to do that. Log in with your code first."


@pytest.fixture
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with page(tmp_path_factory.mktemp("appeals"), LINES) as made:
        made.table.is_simulation, made.table.clip = False, CLIP
        yield made


@pytest.mark.parametrize(
    ("verdict", "says", "card"),
    [
        pytest.param(None, "No picture that is kept shows the card. People decide.", None, id="gone"),
        pytest.param(PileVerdict("?", 0, 4, is_sure=False), "No picture that is kept", None, id="unread"),
        pytest.param(
            PileVerdict("red-3", 9, 15, is_sure=False),
            "The picture shows red 3, 9 of 15 pictures. That is not sure enough: the record stays, and people decide.",
            None, id="unsure",
        ),
        pytest.param(
            PileVerdict("red-2", 15, 15, is_sure=True),
            "The picture shows red 2, 15 of 15 pictures. The record is right.", None, id="right",
        ),
        pytest.param(PileVerdict("red-2*", 15, 15, is_sure=True), "The record is right.", None, id="icon"),
        pytest.param(
            SURE, "The picture shows red 3, 14 of 15 pictures. The record is corrected.", "red-3", id="overturned"
        ),
    ],
)  # fmt: skip
def test_an_appeal_says_what_the_picture_shows(verdict: PileVerdict | None, says: str, card: str | None) -> None:
    story = story_of(LINES)
    decision = decide_appeal(story, story.at(PLAY), verdict)
    assert says in decision.text
    old = story.reported(PLAY)
    assert isinstance(old, Play)
    assert decision.correction == (Was(old, Play(old.t, card, old.seat, u=old.u), is_read=True) if card else None)
    assert (decision.effect is None) is (card is None)


def test_a_card_that_people_have_corrected_meanwhile_is_left_to_them() -> None:
    story = story_of(LINES)
    touch, old = story.at(PLAY), story.reported(PLAY)
    again = [to_json(one) for one in to_observations(Was(old, None), story._caught_up_referee(), 130.0)]
    story.extend(map(json.dumps, again))
    decision = decide_appeal(story, touch, SURE)
    assert "can no longer be changed like this: people decide" in decision.text
    assert decision.correction is None


def test_whom_a_card_concerns_may_appeal() -> None:
    story = story_of(LINES)
    assert {
        person: may_appeal(person, story.at(PLAY))
        for person in (SPECTATOR, *(Person("player", seat) for seat in range(3)), Person("player"), Person("referee"))
    } == {
        SPECTATOR: False, Person("player", 0): True, Person("player", 1): True, Person("player", 2): False,
        Person("player"): False, Person("referee"): True,
    }  # fmt: skip


def test_the_table_answers_what_the_kept_frames_show() -> None:
    assert WaitingTable(AlarmRegistry(lambda alarm: None)).ask(AppealRequest(5.0)) is None, "there is no table yet"
    table: Any = SimpleNamespace(
        run=SimpleNamespace(watch=SimpleNamespace(appeals=Appeals(filmed(), Reader))),
        clock=SimpleNamespace(now=lambda: 9.0),
    )
    shown = TablePage(table)
    verdict = shown.ask(AppealRequest(5.0))
    assert verdict is not None
    assert (verdict.face, verdict.is_sure) == ("red-7", True)
    assert shown.ask(AppealRequest(3.5)) is None


def test_an_appeal_corrects_the_record_as_a_person_does(up: Page) -> None:
    up.table.verdict = SURE
    ann = up.client(Person("player", 0))
    assert ">Appeal</button>" in ann.get(f"games/1/clip?at={PLAY}").text
    answer = ann.post("games/1/appeal", data={"n": "3"})
    assert answer.status_code == 200
    assert "The picture shows red 3, 14 of 15 pictures. The record is corrected." in answer.text
    assert "<figure" in answer.text, "the text is beside the picture"
    (correction,) = up.table.commands
    assert isinstance(correction, Was)
    assert (correction.old, correction.new) == (
        Play(100.0, "red-2", 0, u=0.05), Play(100.0, "red-3", 0, u=0.05)
    )  # fmt: skip
    assert up.table.appeals == [100.0], "the press at line 3 is ruled on by the touch before it"
    part = ann.post("games/1/appeal", data={"n": str(PLAY)}, headers={"hx-request": "true"}).text
    assert part.startswith("<p><b>The picture shows red 3, 14 of 15 pictures. The record is corrected.</b></p>\n")


def test_which_later_rulings_change_is_told_with_the_decision_and_by_a_correction_by_hand(up: Page) -> None:
    """On a green 7 the red 5 that Ben laid does not fit, so that Cat drew out of turn; his UNO call stays as it was."""
    story = story_of(LINES)
    effect = decide_appeal(story, story.at(PLAY), replace(SURE, face="green-7")).effect
    assert effect is not None
    assert [(one.n, [ruling.name for ruling in one.rulings]) for one in effect.later] == [
        (4, ["illegal"]), (5, ["illegal"])
    ]  # fmt: skip
    up.table.verdict = replace(SURE, face="green-7")
    changes = re.compile(r"These later rulings change:</p>(.*?)</ul>", re.DOTALL)
    referee = up.client(Person("referee"))
    for address, form in (
        ("games/1/appeal", {"n": str(PLAY)}), ("games/1/preview/was", {"n": str(PLAY), "card": "green-7"})
    ):  # fmt: skip
        shown = changes.findall(referee.post(address, data=form).text)
        assert len(shown) == 1, address
        assert "Ben" in shown[0]
        assert "red 5" in shown[0]
    up.table.verdict = SURE
    assert not changes.search(referee.post("games/1/appeal", data={"n": str(PLAY)}).text)


def test_only_a_standing_card_is_appealed_against_and_only_by_whom_it_concerns(up: Page) -> None:
    for client, status, text in (
        (up.client(), 403, LOGIN), (up.client(Person("player", 2)), 403, LOGIN),
        (up.client(Person("referee")), 200, "No picture that is kept"),
    ):  # fmt: skip
        answer = client.post("games/1/appeal", data={"n": str(PLAY)})
        assert (answer.status_code, text in answer.text) == (status, True)
    assert ">Appeal</button>" not in up.client().get(f"games/1/clip?at={PLAY}").text
    referee = up.client(Person("referee"))
    assert referee.post("games/1/appeal", data={"n": "5"}).status_code == 409, "no card was laid then"
    assert referee.post("games/2/appeal", data={"n": "2"}).status_code == 409
    assert referee.post("games/1/appeal", data={"n": "x"}).status_code == 422
    up.write('{"obs": "overrule", "t": 125.0, "undo": 5}')
    assert referee.post("games/1/appeal", data={"n": str(PLAY)}).status_code == 409, "it was taken back"
    assert up.table.commands == []


def test_appeals_beyond_two_at_once_for_one_client_are_refused_and_clips_go_on(
    up: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_open, answers = Event(), Queue[int]()
    answer = up.table.ask

    def waiting(request: Request[Any]) -> object:
        return is_open.wait(PATIENCE_S) and None if isinstance(request, AppealRequest) else answer(request)

    monkeypatch.setattr(up.table, "ask", waiting)
    cookie = dict(up.client(Person("referee")).cookies)
    address = f"{up.server.url}games/1/appeal"

    def ask() -> None:
        answers.put(httpx.post(address, data={"n": "2"}, cookies=cookie, timeout=PATIENCE_S).status_code)

    asked = [Thread(target=ask) for _ in range(5)]
    for thread in asked:
        thread.start()
    assert [answers.get(timeout=PATIENCE_S) for _ in range(3)] == [503] * 3
    assert "<figure" in up.client().get(f"games/1/clip?at={PLAY}").text, "the page goes on"
    is_open.set()
    for thread in asked:
        thread.join()
    assert [answers.get_nowait() for _ in range(2)] == [200] * 2


@pytest.mark.long
def test_an_appeal_goes_from_the_process_of_the_page_to_the_table_and_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, accounts, is_up = RecordingTable(verdict=SURE, is_simulation=False), Accounts(hasher=QUICK), Event()
    code = accounts.new_code(Person("player", 0))
    with Journal(tmp_path / "croupier.journal") as journal:
        journal.add(LINES, began=0.0)
        with WorkerProcess(
            tmp_path / "croupier.journal", lambda: accounts, table, port=0, on_up=is_up.set
        ) as served, httpx.Client(base_url=served.url, timeout=PATIENCE_S) as client:  # fmt: skip
            assert is_up.wait(PATIENCE_S)
            client.post("login", data={"code": code})
            assert "The record is corrected." in client.post("games/1/appeal", data={"n": str(PLAY)}).text
            table.verdict = None
            assert "No picture that is kept" in client.post("games/1/appeal", data={"n": str(PLAY)}).text
            monkeypatch.setattr(table, "ask", lambda request: 1 / 0)
            failed = client.post("games/1/appeal", data={"n": str(PLAY)})
            assert (failed.status_code, "The table does not answer: try again." in failed.text) == (503, True)
    assert table.appeals == [100.0, 100.0]
    assert [type(one) for one in table.commands] == [Was]


def test_an_appeal_that_the_table_does_not_answer_in_time_is_no_verdict_and_keeps_nobody_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def taken(request: AppealRequest | CameraRequest, content: object) -> None:
        remote.take(Answer(request.number, encode_content(request, content)))

    def asked() -> AppealRequest | CameraRequest:
        message = FROM_PAGE.decode(far.receive_bytes())
        assert isinstance(message, AppealRequest | CameraRequest)
        return message

    monkeypatch.setattr(AppealRequest, "within_s", 0.1)
    near, far = map(Channel, socket.socketpair())
    with closing(near), closing(far):
        remote = _RemoteTable(RecordingTable().state, near)
        with pytest.raises(NoAnswer, match=r"^The table does not answer: try again\.$"):
            remote.ask(AppealRequest(100.0))
        late = asked()
        taken(late, SURE)
        with pytest.raises(NoAnswer):  # what comes too late is no verdict on another card
            remote.ask(AppealRequest(103.0))
        assert (late, asked()) == (AppealRequest(100.0), AppealRequest(103.0))
        monkeypatch.undo()
        verdicts, pictures = Queue[PileVerdict | None](), Queue[bytes | None]()
        waits = Thread(target=lambda: verdicts.put(remote.ask(AppealRequest(103.0))))
        waits.start()
        appeal = asked()
        taken(replace(appeal, number=99), None)
        thread = Thread(target=lambda: pictures.put(remote.ask(CameraRequest())))
        thread.start()
        taken(asked(), b"picture")
        assert pictures.get(timeout=PATIENCE_S) == b"picture", "others need not wait for the appeal"
        taken(appeal, SURE)
        assert verdicts.get(timeout=PATIENCE_S) == SURE
        waits.join()
        thread.join()


@needs_chromium
@pytest.mark.long
def test_a_player_appeals_by_keyboard_and_hears_what_the_picture_shows(up: Page, browser: Browser) -> None:
    up.table.verdict = SURE
    for scripts in (True, False):
        up.table.commands.clear()
        context = browser.new_context(viewport={"width": 390, "height": 844}, java_script_enabled=scripts)
        context.add_cookies([
            {"name": "croupier", "value": up.client(Person("player", 0)).cookies["croupier"], "url": up.server.url}
        ])  # fmt: skip
        tab = context.new_page()
        tab.goto(f"{up.server.url}games/1/clip?at={PLAY}")
        tab.get_by_role("button", name="Appeal").press("Enter")
        told = tab.locator("#appeal[role=status]")
        expect(told).to_contain_text("The picture shows red 3, 14 of 15 pictures. The record is corrected.")
        assert len(up.table.commands) == 1
        if scripts:
            assert tab.url.endswith(f"/clip?at={PLAY}"), "the clip goes on"
            expect(tab.locator("#picture")).to_have_attribute("href", re.compile("^blob:"))
            assert Axe().run(tab).response["violations"] == []
            assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
        context.close()


def test_the_log_of_an_appeal_is_that_of_any_correction() -> None:
    story = story_of((HEADER, *LINES[1:4]))
    correction = decide_appeal(story, story.at(PLAY), SURE).correction
    assert correction is not None
    lines = [to_json(one) for one in to_observations(correction, story._caught_up_referee(), 105.0)]
    assert [(line["obs"], line.get("undo"), line.get("card")) for line in lines] == [
        ("overrule", 2, None), ("play", None, "red-3"), ("uno", None, None)
    ]  # fmt: skip
