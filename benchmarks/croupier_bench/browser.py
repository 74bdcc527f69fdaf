"""The page in a real browser, where one is installed: when lines of the log are painted on a big screen, and how fast a
slow phone has a page."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from time import monotonic, time
from typing import TYPE_CHECKING, Final

from croupier.errors import CannotSimulate

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SLOW_NETWORK: Final = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 94_000}
"""As Lighthouse throttles for phones: milliseconds, and bytes per second (1.6 and 0.75 Mbit/s)."""

SLOWER_CPU: Final = 4

_PAINTED = """
  window.painted = [];
  document.addEventListener("htmx:sse:after:message", (event) => {
    const n = Number(event.detail.message.id);
    requestAnimationFrame(() => setTimeout(() => window.painted.push([n, Date.now() / 1000])));
  });
"""
"""The frame that shows a change is painted when a timeout that its callback sets ends."""


@contextmanager
def _chromium() -> Iterator[Browser]:
    """A browser. Raises CannotSimulate: there is no playwright or no Chromium."""
    chromium = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError as err:
        raise CannotSimulate("playwright is missing: pip install playwright") from err
    if chromium is None:
        raise CannotSimulate("there is no chromium: install it with apt")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def big_screen(url: str) -> Iterator[Callable[[], list[tuple[int, float]]]]:
    """Show a big screen of 1080 lines. The yielded function returns the painted places in the log, and when each was
    painted (s, `time.monotonic`).

    Raises:
        CannotSimulate: there is no playwright or no Chromium.
    """
    with _chromium() as browser:
        tab = browser.new_page(viewport={"width": 1920, "height": 1080})
        tab.add_init_script(_PAINTED)
        tab.goto(url)

        def painted() -> list[tuple[int, float]]:
            ahead = monotonic() - time()
            return [(n, when + ahead) for n, when in tab.evaluate("window.painted")]

        yield painted


@dataclass(frozen=True, slots=True)
class PhoneLoad:
    """How a slow phone loads a page for the first time: kilobytes over the network, and the time (ms) until its scripts
    have run, so that every key answers; medians."""

    kilobytes: float
    interactive_ms: float


def _recorder(sizes: list[int]) -> Callable[[dict[str, int]], None]:
    """A listener that notes the bytes of each answer, with its head."""
    return lambda event: sizes.append(event["encodedDataLength"])


def phone_load(url: str, loads: int = 5) -> PhoneLoad:
    """Load a page ``loads`` times on a phone with `SLOW_NETWORK`, whose processor is `SLOWER_CPU` times slower.

    Raises:
        CannotSimulate: there is no playwright or no Chromium.
    """
    bytes_, ends_ms = [], []
    with _chromium() as browser:
        for _load in range(loads):
            with browser.new_context(viewport={"width": 390, "height": 844}, is_mobile=True) as context:
                tab = context.new_page()
                devtools, sizes = context.new_cdp_session(tab), list[int]()
                devtools.on("Network.loadingFinished", _recorder(sizes))
                devtools.send("Network.enable")
                devtools.send("Network.emulateNetworkConditions", SLOW_NETWORK)
                devtools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER_CPU})
                tab.goto(url, wait_until="load")
                tab.evaluate("document.fonts.ready.then(() => true)")
                timing = "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"
                ends_ms.append(float(tab.evaluate(timing)))
                bytes_.append(sum(sizes))
    return PhoneLoad(median(bytes_) / 1000, median(ends_ms))
