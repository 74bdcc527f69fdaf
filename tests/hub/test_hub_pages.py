"""The pages of a tournament in a real browser: the desk, players, calls, screens, a player's page and a receipt."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import cv2
import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Locator, ViewportSize, expect

from croupier_hub.outbox import Outbox
from croupier_hub.pages.badges import reachable
from croupier_hub.pages.desk import TICKET_COOKIE
from croupier_hub.pages.site import create_site
from croupier_hub.pages.tournament import SCENES
from croupier_hub.serving import serving
from tests.hub.test_desk import CODE, GAME, Desk
from tests.hub.test_logs import A, B, result, text
from tests.journal.games import game_lines
from tests.web.chromium import needs_chromium
from tests.web.looks import HD, PHONE, UHD

pytestmark = needs_chromium

LONG = "Wilhelmine-Charlotte von Hohenstein-Schwarzenfels"
PAGES = {
    "/": "spectator", "/players?name=Ann": "player", f"/receipts/{CODE}": "spectator", "/nowhere": "spectator",
    "/screen?show=pairings": "spectator", "/screen?show=tables": "spectator", "/screen?show=standings": "spectator",
    "/calls": "referee", "/people": "director", "/desk": "director",
}  # fmt: skip
"""Each page, and who sees it."""
WIDER = """[...document.querySelectorAll("body *")].filter((one) =>
  !one.closest(".only-said, .to-main, .is-screen .top, .is-screen .foot") &&
  one.getBoundingClientRect().right > innerWidth + 1
).map((one) => one.outerHTML.slice(0, 120))"""


SMALLEST = """Math.min(...[...document.querySelectorAll("#slide *")].filter(
  one => !one.closest(".only-said, svg") && [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim())
).map(one => parseFloat(getComputedStyle(one).fontSize))) / innerHeight"""
"""The smallest letters of a slide, as a part of the height of the screen."""
FILLED = """(() => {
  const shown = [...document.querySelectorAll("#slide > :last-child, #slide > :last-child *")];
  const boxes = shown.map(one => one.getBoundingClientRect());
  return Math.max(...boxes.map(box => box.bottom)) / innerHeight;
})()"""
"""How far down the screen a slide goes."""


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[tuple[Desk, str]]:
    """A hub with two tables, one of which stands still and calls; its address."""
    desk = Desk(tmp_path)
    desk.does("director", "/people", names=f"{LONG}\nAnn\nBen", state="expected")
    desk.does("director", "/desk/timer", round=1, minutes=50)
    desk.does("director", "/desk/penalty", player="Ben", round=1, points=10, why="zu spät gekommen, zum dritten Mal")
    ended = json.loads(result(1, 1, [30, 0]))["result"] | {"game": GAME}
    desk.says(A, *list(game_lines(1))[:6], text(result=ended), text(call="director", player=LONG))
    desk.says(B, *list(game_lines(1))[:20], text(obs="fault", t=21.0, device="shoe", kind="empty"))
    with serving(create_site(desk.store, lambda: desk.now, desk.file)) as url:
        yield desk, url
    desk.store.close()


def come_in(context: BrowserContext, desk: Desk, url: str, role: str) -> None:
    context.clear_cookies()
    if desk.codes[role]:
        context.add_cookies([{"name": TICKET_COOKIE, "value": desk.codes[role], "url": url}])


def read_code(shown: Locator) -> str:
    """What a QR code says, as a phone reads it off the screen."""
    picture = cv2.imdecode(np.frombuffer(shown.screenshot(), np.uint8), cv2.IMREAD_GRAYSCALE)
    assert picture is not None
    return cv2.QRCodeDetector().detectAndDecode(picture)[0]


@pytest.mark.long
@pytest.mark.parametrize("size", [pytest.param(PHONE, id="phone"), pytest.param(HD, id="screen")])
@pytest.mark.parametrize(("scheme", "language"), [("light", "de"), ("dark", "el")])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_page(
    browser: Browser, hall: tuple[Desk, str], size: Any, scheme: Literal["light", "dark"], language: str
) -> None:
    desk, url = hall
    with browser.new_context(base_url=url, viewport=size, color_scheme=scheme, locale=language) as context:
        tab = context.new_page()
        for path, role in PAGES.items():
            come_in(context, desk, url, role)
            tab.goto(path)
            assert tab.evaluate(WIDER) == [], path
            found = Axe().run(tab)
            assert found.violations_count == 0, (path, found.generate_report())


@pytest.mark.long
@pytest.mark.parametrize("size", [pytest.param(HD, id="hd"), pytest.param(UHD, id="4k")])
@pytest.mark.parametrize("tables", [1, 2, 3, 4, 5, 8, 40])
def test_a_public_screen_is_filled_and_read_across_the_hall(
    browser: Browser, tmp_path: Path, size: ViewportSize, tables: int
) -> None:
    desk = Desk(tmp_path)
    with Outbox(desk.file) as outbox:
        seats = {str(n): [f"Anna {n}", f"Ben {n}", f"Cat {n}", LONG[:n]] for n in range(1, tables + 1)}
        outbox.append(lambda _: [text(plan=2, round=1, tables=seats)])
        desk.store.put(outbox.piece(0))
    points = {"round": 1, "table": 1, "plan": 2, "seats": seats["1"], "points": [0, 0, 70, 0]}
    desk.says(A, *list(game_lines(1))[:40], text(result=points))
    with (
        serving(create_site(desk.store, lambda: desk.now, desk.file)) as url,
        browser.new_context(base_url=url, viewport=size, locale="hu") as context,
    ):
        tab = context.new_page()
        for scene in SCENES:
            tab.goto(f"/screen?show={scene}")
            assert tab.evaluate(SMALLEST) >= 0.024, scene
            assert 0.7 <= tab.evaluate(FILLED) <= 1, scene
            assert tab.evaluate(WIDER) == [], scene
    desk.store.close()


@pytest.mark.long
def test_a_player_registers_checks_in_and_reads_the_receipt_and_a_helper_comes_in_by_a_code(
    browser: Browser, hall: tuple[Desk, str]
) -> None:
    desk, url = hall
    with browser.new_context(base_url=url, viewport=PHONE, locale="en") as context:
        tab = context.new_page()
        come_in(context, desk, url, "director")
        tab.goto("/people")
        tab.get_by_label("Names, one a line").fill("Name\tClub\nZoe\tA")
        tab.get_by_role("button", name="Register players").click()
        expect(tab.get_by_text("Column 2, “Club”: left out")).to_be_visible()
        expect(tab.get_by_label("Names, one a line")).to_have_value("Zoe")
        tab.get_by_role("button", name="Register players").click()
        tab.get_by_role("button", name="Check in Zoe").click()
        expect(tab.get_by_role("button", name="Not here after all Zoe")).to_be_visible()
        tab.goto("/desk")
        tab.get_by_role("button", name="Referee: answers calls").click()
        expect(tab.locator(".new-code .qr svg")).to_be_visible()
        link = tab.locator(".new-code .code-link a").get_attribute("href") or ""
        come_in(context, desk, url, "player")
        tab.goto("/players?name=Ann")
        tab.get_by_role("button", name="I am here").click()
        expect(tab.get_by_text("checked in")).to_be_visible()
        tab.get_by_role("link", name=CODE).click()
        expect(tab.get_by_role("heading", name=CODE)).to_be_visible()
        assert read_code(tab.locator(".qr")) == f"{reachable(url)}/receipts/{CODE}"
        tab.goto("/nowhere")
        expect(tab.get_by_text("There is no page at this address.")).to_be_visible()
        tab.goto(f"/enter/{link.rpartition('/')[2]}")
        tab.get_by_role("button", name="I am coming").click()
        expect(tab.get_by_text("Somebody is coming.")).to_be_visible()


def test_a_wrong_address_leads_on(browser: Browser, hall: tuple[Desk, str]) -> None:
    _desk, url = hall
    with browser.new_context(base_url=url, locale="de") as context:
        tab = context.new_page()
        tab.goto("/nowhere")
        tab.get_by_role("main").get_by_role("link", name="Turnier").click()
        expect(tab.get_by_role("heading", level=1)).to_have_text("Turnier")
