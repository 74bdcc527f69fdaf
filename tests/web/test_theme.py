"""The colors of a page: of the table, or of this device, which keeps its choice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, expect
from playwright.sync_api import Page as Tab

from tests.web.chromium import needs_chromium
from tests.web.moments import log
from tests.web.tables import Page, page

LIGHT, DARK = "rgb(244, 239, 228)", "rgb(20, 18, 15)"
"""The ground."""
MEDIA = {"auto": "(prefers-color-scheme: dark)", "light": "not all", "dark": "all"}


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with page(tmp_path_factory.mktemp("theme"), tuple(log())) as made:
        yield made


@pytest.mark.parametrize("of_table", MEDIA)
def test_the_device_goes_before_the_table(up: Page, of_table: str) -> None:
    up.table.theme = of_table
    client = up.client()
    for chosen in ("", "dark", "light", "auto", "pink"):
        client.cookies.set("theme", chosen)
        media = MEDIA[chosen if chosen in MEDIA else of_table]
        for path in ("games/1", "games/1/board", "games/1/seats/0", "statistics", "away", "nothing"):
            assert f'href="/static/dark.css" media="{media}"' in client.get(path).text, (path, chosen)
    assert up.client().post("theme", data={"theme": "pink"}).status_code == 422


def visitor(browser: Browser, up: Page, **how: Any) -> BrowserContext:
    return browser.new_context(base_url=up.server.url, color_scheme="light", **how)


def choose_dark(tab: Tab) -> None:
    tab.mouse.move(9, 9)  # the big screen shows its menu to who touches anything
    dark = tab.get_by_role("button", name="dark", exact=True, include_hidden=True)
    with tab.expect_event("load"):  # before, the new page may have no style yet
        dark.click()
    expect(dark).to_have_attribute("aria-current", "true")


def expect_ground(tab: Tab, color: str, why: str = "") -> None:
    """A page that has been left may still be there for a moment, and its style may come after its text."""
    expect(tab.locator("body"), why).to_have_css("background-color", color)


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
@pytest.mark.parametrize("path", ["/games/1/seats/0", "/games/1/board", "/games/1"])
def test_a_phone_and_a_big_screen_keep_their_colors(browser: Browser, up: Page, path: str) -> None:
    up.table.theme = "auto"
    with visitor(browser, up) as context:
        tab = context.new_page()
        tab.goto(path)
        expect_ground(tab, LIGHT)
        choose_dark(tab)
        assert tab.url.endswith(path)
        expect_ground(tab, DARK)
        up.table.theme = "light"
        with tab.expect_response("**/events*"):
            tab.reload()
        up.table.alarms = (("camera", "dark"),)
        up.server.ring()
        expect(tab.get_by_role("status").first).to_contain_text("darkness")
        up.table.alarms = ()
        expect_ground(tab, DARK, "the table changes nothing here")
        assert Axe().run(tab).violations_count == 0


@pytest.mark.slow
@needs_chromium
def test_the_menu_of_a_big_screen_is_reached_by_keys_alone(browser: Browser, up: Page) -> None:
    with visitor(browser, up) as context:
        tab = context.new_page()
        tab.goto("/games/1/board")
        menu = tab.get_by_role("navigation")
        expect(menu).to_be_hidden()
        for _ in range(3):  # the way to the table, the brand, the first page
            tab.keyboard.press("Tab")
        expect(menu.get_by_role("link").first).to_be_focused()
        expect(menu).to_be_visible()


@pytest.mark.slow
@needs_chromium
def test_no_other_colors_are_shown_first(browser: Browser, up: Page) -> None:
    """Without a script nothing could set them later."""
    up.table.theme = "auto"
    with visitor(browser, up, java_script_enabled=False) as context:
        tab = context.new_page()
        tab.goto("/games/1")
        choose_dark(tab)
        expect_ground(tab, DARK)
