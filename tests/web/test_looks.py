"""Main pages look as they did: small pictures of them, compared with those of `tests.web.looks`."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser

from tests.web.chromium import needs_chromium
from tests.web.looks import FOLDER, LOOKS, Image, differing, is_like, look, opened, site
from tests.web.tables import Page

pytestmark = [pytest.mark.long, needs_chromium]


@pytest.fixture(scope="module")
def up() -> Iterator[Page]:
    with site() as made:
        yield made


def kept(name: str) -> Image:
    picture = cv2.imread(str(FOLDER / f"{name}.png"))
    assert picture is not None
    return np.asarray(picture, np.uint8)


@pytest.mark.parametrize("name", LOOKS)
def test_a_page_looks_as_it_did(name: str, up: Page, browser: Browser) -> None:
    """`make pictures` draws the pictures anew, where the page is to look otherwise."""
    with opened(browser, up, name) as tab:
        shown = look(tab)
    assert is_like(shown, kept(name)), f"{100 * differing(shown, kept(name)):.1f} % differ"


@pytest.mark.parametrize(
    ("name", "change"),
    [
        pytest.param("board-light", "#top, #pile { visibility: hidden }", id="no-card"),
        pytest.param("board-light", ".plate { visibility: hidden }", id="no-plates"),
        pytest.param("board-light", "#moment { transform: translateX(60px) }", id="shifted"),
        pytest.param("board-light", "body { filter: grayscale(1) }", id="no-colors"),
        pytest.param("table-phone", "main { margin-top: 12px !important }", id="phone-shifted"),
        pytest.param("seat-phone", "svg { visibility: hidden }", id="phone-no-card"),
    ],
)
def test_a_page_that_looks_otherwise_is_found(name: str, change: str, up: Page, browser: Browser) -> None:
    with opened(browser, up, name) as tab:
        tab.evaluate(
            "css => { const sheet = new CSSStyleSheet(); sheet.replaceSync(css);"
            " document.adoptedStyleSheets = [sheet]; }", change,
        )  # fmt: skip
        assert not is_like(look(tab), kept(name))
