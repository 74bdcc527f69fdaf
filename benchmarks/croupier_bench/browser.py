"""The big screen in a real browser, where one is installed: when each line of the log was painted."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic, time

from croupier.errors import CannotSimulate

_PAINTED = """
  window.painted = [];
  document.addEventListener("htmx:sse:after:message", (event) => {
    const n = Number(event.detail.message.id);
    requestAnimationFrame(() => setTimeout(() => window.painted.push([n, Date.now() / 1000])));
  });
"""
"""The frame that shows a change is painted when a timeout that its callback sets ends."""


@contextmanager
def big_screen(url: str) -> Iterator[Callable[[], list[tuple[int, float]]]]:
    """Show a big screen of 1080 lines. The yielded function returns the painted places in the log, and when each was
    painted (s, `time.monotonic`).

    Raises:
        CannotSimulate: there is no playwright or no Chromium.
    """
    chromium = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError as err:
        raise CannotSimulate("playwright is missing: pip install playwright") from err
    if chromium is None:
        raise CannotSimulate("there is no chromium: install it with apt")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 1920, "height": 1080})
        tab.add_init_script(_PAINTED)
        tab.goto(url)

        def painted() -> list[tuple[int, float]]:
            ahead = monotonic() - time()
            return [(n, when + ahead) for n, when in tab.evaluate("window.painted")]

        yield painted
        browser.close()
