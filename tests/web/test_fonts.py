"""The fonts of the page: every letter of its languages is in them, they are small, and pages are shown in them."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from fontTools.ttLib import TTFont
from playwright.sync_api import Browser

from croupier.i18n import LANGUAGES
from croupier.web.pages import STATIC
from tests.longer import some
from tests.web.chromium import needs_chromium
from tests.web.moments import MOMENTS
from tests.web.tables import page
from tools.texts import translations

FONTS = STATIC / "fonts"
MOST_BYTES = 80_000
MOST_PAGE_BYTES = 150_000
MOST_SHIFT = 0.1
"""A good page by web.dev: while the fonts are on their way, those of the system have nearly their width."""

SHIFTS = """
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.shift += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
"""


def letters(name: str) -> set[str]:
    """The letters of a font in all its files."""
    return {chr(code) for file in FONTS.glob(f"{name}-*.woff2") for code in TTFont(file).getBestCmap()}


@pytest.mark.parametrize("name", ["sans", "serif"])
@pytest.mark.parametrize("code", LANGUAGES)
def test_every_letter_of_a_language_is_there(name: str, code: str) -> None:
    texts = LANGUAGES[code] + "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    texts += "".join(str(text) for text in translations(code).values())
    wanted = {one for one in texts + texts.upper() if unicodedata.category(one)[0] in "LNP"}  # arrows are the system's
    assert wanted <= letters(name)


def test_they_are_small_and_have_their_license_beside_them() -> None:
    assert sum(file.stat().st_size for file in FONTS.glob("*.woff2")) <= MOST_BYTES
    license_text = (FONTS / "LICENSE.txt").read_text()
    assert "SIL OPEN FONT LICENSE Version 1.1" in license_text
    for file in FONTS.glob("*.woff2"):
        names = TTFont(file)["name"]
        assert names.getDebugName(1) in license_text
        assert names.getDebugName(0) in license_text
        assert not re.search("source", "".join(names.getDebugName(n) or "" for n in (1, 4, 6)), re.IGNORECASE), (
            "a reserved name"
        )


def test_what_is_asked_for_is_there() -> None:
    asked = set(re.findall(r"url\(/static/fonts/([^)]+)\)", (STATIC / "page.css").read_text()))
    assert asked == {file.name for file in FONTS.glob("*.woff2")}


@pytest.mark.slow
@needs_chromium
@pytest.mark.parametrize("code", some(["el", "de", "pl"], 3))
@pytest.mark.parametrize("path", some(["games/1/seats/3", "games/1", "games/1/board"], 3))
def test_a_page_is_shown_in_them_without_a_jump_and_is_small(
    browser: Browser, tmp_path: Path, path: str, code: str
) -> None:
    with page(tmp_path, tuple(MOMENTS["turn-10"])) as up:
        up.table.picture = None  # which makes room for itself
        context = browser.new_context(base_url=up.server.url, locale=code, viewport={"width": 390, "height": 844})
        with context:
            context.add_init_script(SHIFTS)
            tab, sizes, asked = context.new_page(), list[int](), list[str]()

            def note(answer: Any) -> None:
                if "/events" not in answer.url:
                    asked.append(answer.url.rpartition("/")[2])
                    answer.finished()
                    sizes.append(answer.request.sizes()["responseBodySize"])

            tab.on("response", note)
            tab.goto(path, wait_until="load")
            tab.evaluate("document.fonts.ready.then(() => new Promise(requestAnimationFrame))")
            used = set(
                tab.evaluate("[...document.fonts].filter((one) => one.status === 'loaded').map((one) => one.family)")
            )
            assert {"Croupier Sans", "Croupier Serif"} <= {one.strip('"') for one in used}
            assert "sans-latin.woff2" in asked
            assert "sans-greek.woff2" in asked or code != "el"
            assert tab.evaluate("window.shift") <= MOST_SHIFT
            assert sum(sizes) <= MOST_PAGE_BYTES
