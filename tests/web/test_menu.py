"""The menu of the pages: one line in every language, and all of it within reach."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from croupier.i18n import LANGUAGES
from croupier.web.accounts import Person
from tests.longer import some
from tests.web.chromium import needs_chromium
from tests.web.moments import log
from tests.web.tables import page

pytestmark = needs_chromium

LINES = """Math.round(document.querySelector(".top").getBoundingClientRect().height / parseFloat(
  getComputedStyle(document.querySelector(".brand")).fontSize))"""
"""The height of the head of a page, in heights of its largest letters."""


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("width", [320, 390, 820, 1024])
@pytest.mark.parametrize("path", ["/games/1", "/games"])
def test_the_menu_is_one_line_in_every_language(browser: Browser, tmp_path: Path, width: int, path: str) -> None:
    with page(tmp_path, tuple(log())) as up:
        up.accounts.open("keeper", Person("admin"))
        for language in LANGUAGES:
            with browser.new_context(
                base_url=up.server.url, viewport={"width": width, "height": 800}, locale=language
            ) as context:
                context.add_cookies([{"name": "croupier", "value": "keeper", "url": up.server.url}])
                tab = context.new_page()
                tab.goto(path)
                assert tab.evaluate(LINES) <= 3, language
                assert tab.evaluate("document.documentElement.scrollWidth") <= width, language


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "width"),
    some([(path, width) for path in ("/games/1", "/games") for width in (390, 820, 1280)], 5),
)
def test_all_pages_are_reached_from_the_menu(browser: Browser, tmp_path: Path, path: str, width: int) -> None:
    with page(tmp_path, tuple(log())) as up:
        up.accounts.open("keeper", Person("admin"))
        with browser.new_context(base_url=up.server.url, viewport={"width": width, "height": 800}) as context:
            context.add_cookies([{"name": "croupier", "value": "keeper", "url": up.server.url}])
            tab = context.new_page()
            pages = {"Statistics": "/statistics", "Players": "/people", "Games": "/games", "Upkeep": "/upkeep"}
            of_game = {"Big screen": "/board", "Replay": "?at=0"} if path == "/games/1" else {}
            for name, place in (pages | of_game).items():
                tab.goto(path)
                link = tab.locator("#menu").get_by_role("link", name=name, exact=True)
                if not link.is_visible():
                    tab.get_by_role("button" if width > 960 else "link", name="More").click()
                link.click()
                tab.wait_for_url(f"**{place}")
                expect(tab.locator("main")).to_be_visible()
