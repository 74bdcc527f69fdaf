"""Phones of players in a real browser: they join with a QR code, play without a camera, sleep, and come back."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

import cv2
import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Locator, expect
from playwright.sync_api import Page as Tab

from croupier.commands import LayCard, PressKey
from croupier.journal import Journal, text_of
from croupier.web.accounts import Accounts, Person
from croupier.web.worker_process import WorkerProcess
from croupier_rules.referee.corrections import ChangePlayers
from tests.journal.games import game_lines
from tests.longer import some
from tests.web.chromium import needs_chromium
from tests.web.tables import QUICK, Page, RecordingTable, page, reached

pytestmark = [pytest.mark.slow, needs_chromium]

PHONE = {"width": 390, "height": 844}
LINES = game_lines(1)
ON_TURN = text_of(json.loads(LINES[0]) | {"given": {"phase": "turn", "turn": 1, "top": "red-7"}})
NAMES = ["Zoe", "Ben", "Ágnes", "Łucja"]
NAMED = ChangePlayers("rename", 1, name="Zoe")


@contextmanager
def phone(browser: Browser, url: str, *, with_script: bool = True) -> Iterator[Tab]:
    with browser.new_context(base_url=url, viewport=PHONE, java_script_enabled=with_script) as context:  # type: ignore[arg-type]
        yield context.new_page()


def seated(up: Page, tab: Tab, seat: int, name: str = "Zoe") -> None:
    """Sit down; the host agrees at once."""
    up.accounts.confirms = False
    tab.goto(f"/join/{up.code(seat)}")
    tab.get_by_label("Your name").fill(name)
    tab.get_by_role("button", name="Sit down").click()
    tab.wait_for_url(f"**/seats/{seat}")


def scanned(code: Locator) -> str:
    """What a phone reads in a QR code, as the screen shows it: it comes nearer until it can."""
    picture = cv2.imdecode(np.frombuffer(code.screenshot(), np.uint8), cv2.IMREAD_GRAYSCALE)
    assert picture is not None
    near = (cv2.resize(picture, None, fx=scale, fy=scale) for scale in (4, 3, 5, 2, 6))
    looks = (look.detectAndDecode(one)[0] for one in near for look in (cv2.QRCodeDetectorAruco(), cv2.QRCodeDetector()))
    return next(filter(None, looks), "")


def shows_codes(screen: BrowserContext, url: str, token: str) -> None:
    """The big screen is paired by a session with this token."""
    screen.add_cookies([{"name": "croupier", "value": token, "url": url}])


@pytest.mark.long
def test_four_phones_join_with_the_codes_of_the_big_screen(browser: Browser, tmp_path: Path) -> None:
    with reached(), page(tmp_path, (ON_TURN,)) as up, browser.new_context(base_url=up.server.url) as at_home:
        board, host = at_home.new_page(), at_home.new_page()
        shows_codes(at_home, up.server.url, up.accounts.invite(Person("screen")))
        board.set_viewport_size({"width": 1920, "height": 1080})
        board.goto("/games/1/board")
        expect(board.locator(".plate .qr")).to_have_count(4)
        expect(board.locator(".headline")).to_be_visible()
        codes = board.locator(".plate .qr").all()
        for code in codes:
            box = code.bounding_box()
            assert box is not None
            assert box["width"] >= 119, "read by a phone before the screen; larger while nobody plays"
            assert box["y"] + box["height"] <= 1080
        shown = [scanned(code) for code in codes]
        assert shown == [code.get_attribute("href") for code in codes]
        host.goto("/login")
        host.get_by_label("Your code").fill(up.accounts.new_code(Person("admin")))
        host.keyboard.press("Enter")
        host.wait_for_url("**/games/1")
        host.goto("/people")
        contexts = [browser.new_context(viewport=PHONE) for _ in NAMES]  # type: ignore[arg-type]
        tabs = [context.new_page() for context in contexts]
        for tab, address, name in zip(tabs, shown, NAMES, strict=True):
            tab.goto(address)
            assert Axe().run(tab).response["violations"] == []
            expect(tab.get_by_label("Your name")).to_be_focused()
            tab.keyboard.type(name)
            tab.get_by_role("button", name="Sit down").click()  # the only tap
            tab.get_by_role("heading", name=f"One moment, {name}").wait_for()
        for name in NAMES:
            host.locator(".newcomer", has_text=f"{name} asks").get_by_role("button", name="Let in").click()
        for seat, tab in enumerate(tabs):
            tab.wait_for_url(f"**/games/1/seats/{seat}")
            assert tab.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
            with tab.expect_response("**/actions/press"):
                tab.get_by_role("button", name="UNO!").click()
        named = [ChangePlayers("rename", seat, name=name) for seat, name in enumerate(NAMES)]
        assert up.table.commands == [*named, *(PressKey(seat, "uno", line=0) for seat in range(4))]
        expect(board.locator(".plate .qr")).to_have_count(0)
        assert Axe().run(host).response["violations"] == []
        for context in contexts:
            context.close()


@pytest.mark.long
@pytest.mark.parametrize("with_script", some([pytest.param(True, id="script"), pytest.param(False, id="no script")], 2))
def test_a_card_is_played_in_two_taps_and_what_the_table_says_is_read(
    browser: Browser, tmp_path: Path, with_script: bool
) -> None:
    with reached(), page(tmp_path, (ON_TURN,)) as up, phone(browser, up.server.url, with_script=with_script) as tab:
        up.table.has_camera = False
        seated(up, tab, 1)
        radios, three = tab.get_by_role("radio"), tab.locator(".symbols .choice", has_text="3")
        assert not any(one.is_checked() for one in radios.all()), "nothing is preset"
        for choice in tab.locator(".choice:visible").all():
            box = choice.bounding_box()
            assert box is not None
            assert min(box["width"], box["height"]) >= 44
        expect(three).to_be_hidden()
        tab.locator(".choice", has_text="blue").click()
        expect(tab.locator(".choice.wild").first).to_be_hidden()
        for choice in tab.locator(".symbols .choice:visible").all():
            box = choice.bounding_box()
            assert box is not None
            assert min(box["width"], box["height"]) >= 44
        with tab.expect_response("**/actions/lay") if with_script else tab.expect_event("load"):
            three.click()
        assert up.table.commands == [NAMED, LayCard("blue-3", 1, line=0)]
        up.write(text_of({"obs": "play", "t": 1.0, "seat": 1, "card": "blue-3"}))
        if not with_script:
            tab.reload()
        expect(tab.locator("#said")).to_contain_text("You may not play blue 3")
        up.write(text_of({"obs": "play", "t": 2.0, "seat": 1, "card": "red-3"}))
        if not with_script:
            tab.reload()
        expect(three).to_have_count(0)
        expect(tab.locator("#said")).to_contain_text("You play red 3")


@pytest.mark.long
def test_a_card_is_chosen_by_keyboard_alone(browser: Browser, tmp_path: Path) -> None:
    with reached(), page(tmp_path, (ON_TURN,)) as up, phone(browser, up.server.url) as tab:
        up.table.has_camera = False
        seated(up, tab, 1)
        assert Axe().run(tab).response["violations"] == []
        tab.get_by_role("radio", name="red").focus()
        for _ in range(4):
            tab.keyboard.press("ArrowDown")
        assert tab.get_by_role("radio", name="no color").is_checked()
        expect(tab.locator(".choice.colored").first).to_be_hidden()
        tab.keyboard.press("Tab")
        with tab.expect_response("**/actions/lay"):
            tab.keyboard.press("Enter")
        assert up.table.commands == [NAMED, LayCard("wild", 1, line=0)]


@pytest.mark.long
def test_the_choice_is_empty_again_after_each_card(browser: Browser, tmp_path: Path) -> None:
    header = text_of(json.loads(ON_TURN) | {"given": {"top": "red-7", "turn": 1, "hands": [7, 7, 2, 7]}})
    with reached(), page(tmp_path, (header,)) as up, phone(browser, up.server.url) as tab:
        up.table.has_camera = False
        seated(up, tab, 1)
        tab.locator(".choice", has_text="blue").click()
        up.write(text_of({"obs": "uno", "t": 1.0, "seat": 2}))
        expect(tab.locator("#said")).to_contain_text("UNO")
        assert tab.get_by_role("radio", name="blue").is_checked(), "a call of others takes nothing away"
        up.write(text_of({"obs": "play", "t": 2.0, "seat": 1, "card": "red-reverse"}))
        up.write(text_of({"obs": "play", "t": 3.0, "seat": 0, "card": "red-reverse"}))
        expect(tab.locator("#said")).to_contain_text("Player 0 plays red Reverse")
        expect(tab.get_by_role("radio", name="blue")).not_to_be_checked()


@pytest.mark.long
def test_the_table_loses_its_power_and_phones_and_screen_come_back_by_themselves(
    browser: Browser, tmp_path: Path
) -> None:
    """The whole program is gone and starts anew from its files; nobody touches a phone."""
    codes, sessions, table = tmp_path / "codes", tmp_path / "sessions", RecordingTable()
    Accounts(codes, QUICK).new_code(Person("admin"))
    with reached(), Journal(tmp_path / "croupier.journal") as journal:
        journal.add([ON_TURN], began=0.0)

        def started(port: int) -> WorkerProcess:
            accounts = Accounts(codes, QUICK, sessions=sessions)
            accounts.confirms = False
            accounts.open("screen", Person("screen"))
            return WorkerProcess(journal.path, lambda: accounts, table, port=port)

        with (
            started(0) as up,
            browser.new_context(base_url=up.url) as context,
            browser.new_context(base_url=up.url) as wall,
        ):
            url, port = up.url, up.listen().getsockname()[1]
            shows_codes(wall, url, "screen")
            board, tab = wall.new_page(), context.new_page()
            board.goto("/games/1/board")
            address = board.locator(".plate .qr").nth(2).get_attribute("href") or ""
            tab.goto(address)
            tab.get_by_label("Your name").fill("Zoe")
            tab.get_by_role("button", name="Sit down").click()
            tab.wait_for_url("**/games/1/seats/2")
            expect(board.locator(".plate .qr")).to_have_count(3)
            up.stop()
            for one in (board, tab):
                expect(one.locator("#lost")).to_contain_text("cannot be reached")
            journal.append(1, {"obs": "play", "t": 1.0, "seat": 1, "card": "red-5"})
            late = context.new_page()
            late.route("**/events*", lambda route: route.abort(), times=1)
            with started(port):
                late.goto("/games/1/seats/2")
                expect(late.locator("#lost")).to_contain_text("cannot be reached")
                expect(late.locator("#lost")).to_be_empty()
                expect(tab.locator(".who")).to_contain_text("Your turn")
                expect(board.locator(".who")).to_have_text("Player 2’s turn")
                for one in (board, tab):
                    expect(one.locator("#lost")).to_be_empty()
                with tab.expect_response(f"{url}actions/press"):
                    tab.get_by_role("button", name="UNO!").click()
                expect(board.locator(".plate .qr")).to_have_count(3)
    assert table.commands == [ChangePlayers("rename", 2, name="Zoe"), PressKey(2, "uno", line=1)]


class Network:
    """The way to a table that loses its power for a moment: what it sends by old connections never arrives, and who
    sends by them is told that they are none."""

    def __init__(self, port: int) -> None:
        self._door, self._port = socket.create_server(("127.0.0.1", 0)), port
        self.url = f"http://127.0.0.1:{self._door.getsockname()[1]}/"
        self._cuts: list[Event] = []
        Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """All connections are old ones from now on."""
        for is_cut in self._cuts:
            is_cut.set()

    def close(self) -> None:
        self._door.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                phone, _ = self._door.accept()
                table, is_cut = socket.create_connection(("127.0.0.1", self._port)), Event()
                self._cuts.append(is_cut)
                Thread(target=self._carry, args=(phone, table, is_cut, True), daemon=True).start()
                Thread(target=self._carry, args=(table, phone, is_cut, False), daemon=True).start()

    @staticmethod
    def _carry(here: socket.socket, there: socket.socket, is_cut: Event, is_told: bool) -> None:
        with suppress(OSError):
            while data := here.recv(65536):
                if not is_cut.is_set():
                    there.sendall(data)
                elif is_told:
                    break
            if is_told or not is_cut.is_set():
                here.close()
                there.shutdown(socket.SHUT_RDWR)


def test_a_line_that_goes_silent_is_noticed_and_opened_anew(browser: Browser, tmp_path: Path) -> None:
    with page(tmp_path, (ON_TURN,)) as up:
        port = int(re.findall(r":(\d+)/", up.server.url)[0])
        with closing(Network(port)) as network, phone(browser, network.url) as tab:
            tab.clock.install()
            with tab.expect_response("**/events*"):
                tab.goto("/games/1/seats/2")
            expect(tab.locator(".who")).to_have_text("Player 1’s turn")
            network.cut()
            up.write(text_of({"obs": "play", "t": 1.0, "seat": 1, "card": "red-5"}))
            with tab.expect_response("**/events*"):
                tab.clock.run_for(60_000)
            expect(tab.locator(".who")).to_have_text("Player 2’s turn")
            tab.clock.run_for(1000)
            expect(tab.locator("#lost")).to_be_empty()


@pytest.mark.long
def test_a_phone_that_slept_through_the_end_of_the_game_shows_the_next_one(browser: Browser, tmp_path: Path) -> None:
    with reached(), page(tmp_path, (ON_TURN,), (ON_TURN,)) as up, phone(browser, up.server.url) as tab:
        seated(up, tab, 1)
        up.table.game = 2
        up.server.ring()
        tab.wait_for_url("**/games/2/seats/1")
        up.write(text_of({"obs": "play", "t": 1.0, "seat": 1, "card": "red-5"}))
        expect(tab.locator("#said")).to_contain_text("You play red 5")
