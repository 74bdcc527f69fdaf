"""The page in a real browser (Debian's Chromium): it follows the game, and is there for everybody."""

from __future__ import annotations

import re
from collections.abc import Iterator

import cv2
import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, expect
from playwright.sync_api import Page as Tab

from croupier.commands import NameCard, PressKey, ProvokeFault
from croupier.web.accounts import Person
from croupier_rules.referee.corrections import Correction
from tests.journal.games import game_lines
from tests.longer import some
from tests.web.chromium import needs_chromium
from tests.web.tables import Page, page

LINES = game_lines(3, rounds=2)
SO_FAR = 40
PHONE, SCREEN, WALL = (390, 844), (1440, 900), (1920, 1080)

pytestmark = [pytest.mark.slow, needs_chromium]


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with page(tmp_path_factory.mktemp("browser"), LINES[: SO_FAR + 1], LINES) as made:
        made.table.may_start_game = True
        yield made


class Visitor:
    """Somebody with a browser; all that it complains about is kept."""

    def __init__(self, browser: Browser, up: Page, size: tuple[int, int], scheme: str) -> None:
        self.context: BrowserContext = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if scheme == "dark" else "light",
            base_url=up.server.url,
        )
        self.tab: Tab = self.context.new_page()
        self.complaints: list[str] = []
        self.tab.on("console", self._complain)
        self.tab.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _complain(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)


@pytest.fixture
def visit(browser: Browser, up: Page, request: pytest.FixtureRequest) -> Iterator[Visitor]:
    size, scheme = getattr(request, "param", (SCREEN, "light"))
    up.table.commands.clear()
    up.table.candidates, up.table.alarms = (), ()
    visitor = Visitor(browser, up, size, scheme)
    yield visitor
    visitor.context.close()
    assert visitor.complaints == []


def come_in(visitor: Visitor, up: Page, person: Person) -> None:
    """By keyboard alone."""
    visitor.tab.goto("/login")
    visitor.tab.get_by_label("Your code").focus()
    visitor.tab.keyboard.type(up.accounts.new_code(person))
    visitor.tab.keyboard.press("Enter")
    visitor.tab.wait_for_url("**/games/1**")


def test_the_table_follows_the_game_without_being_asked(visit: Visitor, up: Page) -> None:
    tab = visit.tab
    with tab.expect_response("**/games/1/events*"):
        tab.goto("/games/1")
    newest = tab.locator(".rulings .seen").first
    before = newest.inner_text()
    n = len(up.journal.lines(1))
    up.write(*LINES[n : n + 2])
    expect(newest).not_to_have_text(before)
    expect(tab.locator(".oval-table")).to_be_visible()
    with tab.context.new_page() as late:
        late.goto("/games/1")
        lists = ".rulings li, #news li"
        expect(tab.locator(lists)).to_have_text(late.locator(lists).all_text_contents())


@pytest.mark.long
def test_a_replay_goes_from_line_to_line(visit: Visitor) -> None:
    tab = visit.tab
    tab.goto("/games/2?at=0")
    expect(tab.locator(".headline .who")).to_have_text("Dealing")
    slider = tab.get_by_role("slider", name="Position in the game")
    slider.focus()
    tab.keyboard.press("End")
    expect(tab.locator(".headline .who")).to_contain_text("wins the round")
    tab.keyboard.press("Home")
    expect(tab.locator(".headline .who")).to_have_text("Dealing")
    tab.goto("/games/2?at=5")
    tab.get_by_label("One forward").click()
    tab.wait_for_url("**/games/2?at=6")


@pytest.mark.parametrize("visit", [(PHONE, "light")], indirect=True, ids=["phone"])
def test_a_player_presses_uno_on_the_phone(visit: Visitor, up: Page) -> None:
    come_in(visit, up, Person("player", 1))
    visit.tab.goto("/games/1/seats/1")
    key = visit.tab.get_by_role("button", name="UNO!")
    box = key.bounding_box()
    assert box is not None
    assert box["width"] > 300
    assert box["height"] > 80
    with visit.tab.expect_response("**/actions/press") as answer:
        key.click()
    assert answer.value.status == 204
    assert up.table.commands == [PressKey(1, "uno", line=up.last_line())]
    width = visit.tab.evaluate("document.documentElement.scrollWidth")
    assert width <= PHONE[0], "nothing runs off the side"


def test_a_card_that_nobody_could_read_is_settled_by_one_tap(visit: Visitor, up: Page) -> None:
    up.table.candidates = ("red-6", "red-9")
    come_in(visit, up, Person("player", 1))
    visit.tab.goto("/games/1")
    with visit.tab.expect_response("**/actions/card"):
        visit.tab.get_by_role("button", name="red 9").first.click()
    assert up.table.commands == [NameCard("red-9", line=up.last_line())]


@pytest.mark.long
def test_what_is_not_allowed_is_said(visit: Visitor, up: Page) -> None:
    up.table.candidates = ("red-6",)
    come_in(visit, up, Person("player", 1))
    with visit.tab.expect_response("**/events?kind=table"):
        visit.tab.goto("/games/1")
    up.accounts.new_code(Person("player", 1))  # somebody made a new code: the old one is void
    visit.tab.get_by_role("button", name="red 6").first.click()
    expect(visit.tab.locator("#notice")).to_contain_text("are not allowed to do that")
    visit.complaints.clear()  # the browser itself tells of each 403


@pytest.mark.long
def test_a_referee_sets_the_record_right_by_keyboard_alone(visit: Visitor, up: Page) -> None:
    come_in(visit, up, Person("referee"))
    tab = visit.tab
    tab.get_by_role("link", name="Correct the record").press("Enter")
    tab.get_by_role("link", name="This is wrong").first.press("Enter")
    expect(tab.get_by_role("heading", name=re.compile("really"))).to_be_visible()
    tab.get_by_role("button", name="That did not happen").press("Enter")
    expect(tab.get_by_role("heading", name="This is what changes")).to_be_visible()
    assert up.table.commands == [], "nothing is done before it was seen"
    tab.get_by_role("button", name="Correct").press("Enter")
    tab.wait_for_url("**/games/1")
    (command,) = up.table.commands
    assert isinstance(command, Correction)


@pytest.mark.long
def test_how_the_table_really_stands_is_filled_in_and_what_nobody_saw_reported(visit: Visitor, up: Page) -> None:
    come_in(visit, up, Person("referee"))
    tab = visit.tab
    tab.goto("/games/1/record")
    tab.get_by_label("Points of Player 0").fill("30")
    tab.get_by_role("button", name="Preview the change").first.click()
    expect(tab.get_by_role("row", name="Points of Player 0")).to_contain_text("30")
    tab.get_by_role("link", name="Leave it as it is").click()
    tab.wait_for_url("**/games/1")
    assert up.table.commands == []
    tab.goto("/games/1/record")
    tab.get_by_text("the discard pile became the draw pile").click()
    tab.locator("#report-recycled").get_by_role("button").click()
    tab.get_by_role("button", name="Correct").click()
    tab.wait_for_url("**/games/1")
    assert len(up.table.commands) == 1


@pytest.mark.long
def test_a_referee_goes_on_stops_play_and_provokes_a_fault(visit: Visitor, up: Page) -> None:
    come_in(visit, up, Person("referee"))
    tab = visit.tab
    tab.get_by_text("Provoke a fault").click()
    for name in ("Go on", "Stop play", "Fault: jam"):
        with tab.expect_response("**/actions/*") as answer:
            tab.get_by_role("button", name=name).click()
        assert answer.value.status == 204
    line = up.last_line()
    assert up.table.commands == [PressKey(0, "go", line=line), PressKey(0, "pause", line=line), ProvokeFault("jam")]


@pytest.mark.long
def test_the_camera_is_seen_where_there_is_one(visit: Visitor, up: Page) -> None:
    picture = visit.tab.locator("img.camera")
    up.table.picture = None
    visit.tab.goto("/games/1")
    visit.tab.get_by_text("There is no picture.").scroll_into_view_if_needed()
    expect(visit.tab.get_by_text("There is no picture.")).to_be_visible()
    up.table.picture = cv2.imencode(".jpg", np.zeros((36, 64, 3), np.uint8))[1].tobytes()
    expect(picture).to_be_visible()
    expect(visit.tab.get_by_text("There is no picture.")).not_to_be_visible()


@pytest.mark.parametrize(
    ("has_camera", "alarms", "is_shown"),
    [(True, (), True), (False, (("camera", "uncalibrated"),), True), (False, (("shoe", "jam"),), False)],
)
def test_a_table_without_a_camera_does_not_miss_its_picture(
    up: Page, has_camera: bool, alarms: tuple[tuple[str, str], ...], is_shown: bool
) -> None:
    up.table.has_camera, up.table.alarms = has_camera, alarms
    assert ("There is no picture." in up.client().get("games/1").text) is is_shown


@pytest.mark.parametrize("visit", [(PHONE, "dark")], indirect=True, ids=["phone"])
def test_what_to_do_and_what_does_not_work_is_shown_on_the_phone(visit: Visitor, up: Page) -> None:
    up.table.alarms = (("camera", "dark"),)
    visit.tab.goto("/games/1/seats/2")
    expect(visit.tab.get_by_role("status").first).to_contain_text("darkness")
    assert visit.tab.evaluate("document.documentElement.scrollWidth") <= PHONE[0]


@pytest.mark.long
@pytest.mark.parametrize("visit", [(PHONE, "light")], indirect=True, ids=["phone"])
def test_what_a_player_opens_stays_open_when_the_table_changes(visit: Visitor, up: Page) -> None:
    come_in(visit, up, Person("player", 2))
    visit.tab.get_by_text("Leave or change seats").click()
    up.table.alarms = (("camera", "dark"),)
    up.server.ring()
    expect(visit.tab.get_by_role("status").first).to_contain_text("darkness")
    expect(visit.tab.get_by_role("button", name="I leave the game")).to_be_visible()


EVERYWHERE = [
    pytest.param((size, scheme), path, id=f"{path} {name} {scheme}")
    for path, name, size in [
        ("/games/1", "screen", SCREEN), ("/games/1", "phone", PHONE), ("/games/1/board", "wall", WALL),
        ("/games/1/seats/0", "phone", PHONE), ("/games/2?at=9999", "screen", SCREEN), ("/games", "screen", SCREEN),
        ("/statistics", "phone", PHONE),
        ("/login", "phone", PHONE), ("/people", "screen", SCREEN), ("/games/1/record", "phone", PHONE),
    ]
    for scheme in ("light", "dark")
]  # fmt: skip


EVERYWHERE += [
    pytest.param((PHONE, "light"), "/games/1/next", id="/games/1/next phone light"),
    pytest.param((PHONE, "dark"), f"/games/1/record/{SO_FAR}", id="/games/1/record/n phone dark"),
]


@pytest.mark.parametrize(("visit", "path"), some(EVERYWHERE, 11), indirect=["visit"])
def test_axe_finds_nothing(visit: Visitor, up: Page, path: str) -> None:
    if path.startswith(("/people", "/games/1/record", "/games/1/next")):
        come_in(visit, up, Person("admin"))
    visit.tab.goto(path)
    found = Axe().run(visit.tab)
    assert found.violations_count == 0, found.generate_report()
