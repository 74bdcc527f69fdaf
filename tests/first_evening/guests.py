"""Guests with phones: each has a browser of its own kind."""

from __future__ import annotations

from typing import Final

from playwright.sync_api import Browser, ViewportSize, expect
from playwright.sync_api import Page as Tab

PHONE: Final[ViewportSize] = {"width": 390, "height": 844}


class Guest:
    """Somebody with an ordinary phone. ``name``: as it is typed; ``language``: of the browser."""

    def __init__(self, name: str, language: str = "en") -> None:
        self.name, self._language = name, language
        self.tab: Tab
        self.seat = -1

    def come(self, browser: Browser, address: str) -> None:
        """Open the address of a code."""
        self.tab = browser.new_context(viewport=PHONE, locale=self._language).new_page()
        self.tab.goto(address)

    def sit_down(self) -> None:
        """Type the name, and ask for the seat."""
        self.tab.locator("#name").fill(self.name)
        self.tab.locator("form.sheet button.strong").click()
        expect(self.tab.locator("#waits")).to_be_visible()

    def is_up(self) -> None:
        """It is this guest's turn."""

    def expect_score(self, points: int) -> None:
        """The phone shows the own points."""
        expect(self.tab.locator(".at-hand dd").nth(1)).to_have_text(str(points))
