"""Guests with phones: each has a browser of its own kind."""

from __future__ import annotations

import re
from typing import Final

import cv2
import numpy as np
from playwright.sync_api import Browser, BrowserContext, Locator, ViewportSize, expect
from playwright.sync_api import Page as Tab

from tests.web.chromium import SLEEPS

PHONE: Final[ViewportSize] = {"width": 390, "height": 844}

TRANSLATES: Final = """
const skipped = "script, style, textarea, svg, .notranslate, [translate=no], font";
const turn = (root) => {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT), texts = [];
  while (walker.nextNode()) texts.push(walker.currentNode);
  for (const text of texts) {
    if (!text.parentElement || !text.data.trim() || text.parentElement.closest(skipped)) continue;
    const outer = document.createElement("font"), inner = document.createElement("font");
    for (const font of [outer, inner]) {
      font.setAttribute("dir", "auto");
      font.setAttribute("style", "vertical-align: inherit;");
    }
    inner.textContent = text.data.replace(/\\p{L}+/gu, (word) => `${word}o`);
    text.replaceWith(outer);
    outer.append(inner);
  }
};
addEventListener("DOMContentLoaded", () => {
  document.documentElement.lang = "eo";
  document.documentElement.classList.add("translated-ltr");
  turn(document.body);
  new MutationObserver((changes) => {
    for (const { target } of changes) if (target.isConnected) turn(target.nodeType === 1 ? target : target.parentNode);
  }).observe(document.body, { childList: true, characterData: true, subtree: true });
});
"""
"""What the translator of Google's browser does to a page: each text is put into two ``font`` elements, at first and
whenever something has changed, and the page is in another language. Here every word gets an o at its end."""

NO_STORAGE: Final = """
for (const name of ["localStorage", "sessionStorage", "indexedDB", "caches"])
  Object.defineProperty(window, name, { get: () => { throw new DOMException("denied", "SecurityError"); } });
delete Navigator.prototype.serviceWorker;
"""
"""What the scripts of a page find in a browser that keeps nothing."""


def scanned(code: Locator) -> str:
    """What a phone's camera reads in a QR code on a screen; "" where it reads nothing."""
    picture = cv2.imdecode(np.frombuffer(code.screenshot(scale="device"), np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    # As a phone that comes nearer: OpenCV finds a code at some sizes and not at others.
    sizes = (cv2.resize(picture, None, fx=size, fy=size, interpolation=cv2.INTER_CUBIC) for size in (1, 2, 3, 4, 6))
    return next(filter(None, (cv2.QRCodeDetector().detectAndDecode(one)[0] for one in sizes)), "")


class Guest:
    """Somebody with an ordinary phone. ``name``: as it is typed; ``language``: of the browser."""

    def __init__(self, name: str, language: str = "en") -> None:
        self.name, self._language = name, language
        self.tab: Tab

    def come(self, browser: Browser, address: str) -> None:
        """Open the address of a code in the own browser, and ask for the seat."""
        self.tab = self._context(browser).new_page()
        self.ask(address)
        expect(self.tab.locator("#waits")).to_be_visible()

    def _context(self, browser: Browser) -> BrowserContext:
        return browser.new_context(viewport=PHONE, locale=self._language)

    def ask(self, address: str) -> None:
        """Type the name at the address of a code."""
        self.tab.goto(address)
        self.tab.locator("#name").fill(self.name)
        self.send()

    def send(self) -> None:
        """Send the form."""
        self.tab.locator("form.sheet button.strong").click()

    def turn(self, *, has_come: bool) -> None:
        """The own turn has come, or it is another's."""

    def expect_score(self, points: int) -> None:
        """The phone shows the own points, and the others with their cards."""
        self.turn(has_come=True)
        expect(self.tab.locator(".at-hand dd").nth(1)).to_have_text(str(points))
        expect(self.tab.locator("ul.others li:visible")).to_have_count(3)


class GuestInAnotherLanguage(Guest):
    """Sees the page in the own language."""

    def expect_score(self, points: int) -> None:
        """As `Guest`."""
        expect(self.tab.locator("html")).to_have_attribute("lang", self._language)
        super().expect_score(points)


class Sleeper(Guest):
    """A phone that sleeps while it is another's turn: its page is frozen, and nothing comes through."""

    def _context(self, browser: Browser) -> BrowserContext:
        context = super()._context(browser)
        context.add_init_script(SLEEPS)
        return context

    def come(self, browser: Browser, address: str) -> None:
        """As `Guest`."""
        super().come(browser, address)
        self._phone = self.tab.context.new_cdp_session(self.tab)
        self._is_asleep = False

    def turn(self, *, has_come: bool) -> None:
        """Fall asleep, or wake up."""
        if has_come == (not self._is_asleep):
            return
        self._is_asleep = not has_come
        if has_come:
            self._phone.send("Page.setWebLifecycleState", {"state": "active"})
            self.tab.context.set_offline(False)
        self.tab.evaluate(
            "is => { window.isAsleep = is; document.dispatchEvent(new Event('visibilitychange')) }", self._is_asleep
        )
        if not has_come:
            self.tab.context.set_offline(True)
            self._phone.send("Page.setWebLifecycleState", {"state": "frozen"})


class Translated(Guest):
    """A browser that translates every page."""

    def _context(self, browser: Browser) -> BrowserContext:
        context = super()._context(browser)
        context.add_init_script(TRANSLATES)
        return context

    def expect_score(self, points: int) -> None:
        """As `Guest`; what the page says is translated."""
        super().expect_score(points)
        expect(self.tab.locator("ul.others li").first).to_have_text(re.compile(r"\d cards?o"))


class Refuser(Guest):
    """A browser that refuses cookies at first, and never keeps anything else."""

    def _context(self, browser: Browser) -> BrowserContext:
        context = super()._context(browser)
        context.add_init_script(NO_STORAGE)
        return context

    def ask(self, address: str) -> None:
        """As `Guest`, and once more with cookies when the page asks for them."""
        self._keeps_cookies = False
        super().ask(address)
        expect(self.tab.locator("main")).to_contain_text("Your browser refuses cookies")
        self._keeps_cookies = True
        super().ask(address)

    def send(self) -> None:
        """As `Guest`; cookies that were refused are not there."""
        if not self._keeps_cookies:
            self.tab.context.clear_cookies()
        super().send()
