"""Debian's Chromium for the tests of the page; where that is installed, without its windows, which cost the most."""

from __future__ import annotations

import shutil
from contextlib import AbstractContextManager, closing

import pytest
from playwright.sync_api import Browser, Page, Playwright, ViewportSize, expect

from tests.patience import PATIENCE_S

CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip
SLEEPS = "window.isAsleep = false; Object.defineProperty(document, 'hidden', { get: () => window.isAsleep });"
"""The script of a page whose phone falls asleep when a test sets ``isAsleep`` and says so."""
expect.set_options(timeout=1000 * PATIENCE_S)

needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="there is no chromium here; tests/apt.txt installs it where it may"
)


def started(playwright: Playwright, *flags: str, program: str | None = CHROMIUM) -> AbstractContextManager[Browser]:
    """A browser with more ``flags``."""
    return closing(playwright.chromium.launch(executable_path=program, args=[*FLAGS, *flags]))


def new_tab(browser: Browser, *, viewport: ViewportSize | None = None, ignore_https_errors: bool = False) -> Page:
    """A page in a context of its own."""
    return browser.new_context(viewport=viewport, ignore_https_errors=ignore_https_errors).new_page()
