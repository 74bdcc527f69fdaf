"""Some pages as small pictures, to be compared with those in ``pictures``: so small that no font is told from another,
and large enough for a missing card, another color and a shifted plate. `make pictures` draws them anew."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt
from playwright.sync_api import Browser, Route, ViewportSize
from playwright.sync_api import Page as Tab

from croupier.web.accounts import Person
from tests.journal.games import game_lines
from tests.web.moments import MOMENTS, NAMES
from tests.web.tables import Page, page

Image = npt.NDArray[np.uint8]
FOLDER: Final = Path(__file__).parent / "pictures"

PHONE: Final[ViewportSize] = {"width": 390, "height": 844}
TABLET: Final[ViewportSize] = {"width": 1024, "height": 768}
HD: Final[ViewportSize] = {"width": 1920, "height": 1080}
UHD: Final[ViewportSize] = {"width": 3840, "height": 2160}

LOOKS: Final[dict[str, tuple[str, str, ViewportSize, dict[str, Any]]]] = {
    "board-light": ("turn-4", "games/{game}/board", HD, {}),
    "board-2-dark": ("turn-2", "games/{game}/board", HD, {"color_scheme": "dark"}),
    "board-10-4k-hu": ("turn-10", "games/{game}/board", UHD, {"locale": "hu"}),
    "board-refused": ("refused", "games/{game}/board", HD, {}),
    "board-podium-el": ("podium", "games/{game}/board", HD, {"locale": "el"}),
    "table-phone": ("turn-4", "games/{game}", PHONE, {}),
    "table-tablet-dark-de": ("turn-10", "games/{game}", TABLET, {"color_scheme": "dark", "locale": "de"}),
    "seat-phone": ("turn-4", "games/{game}/seats/1", PHONE, {}),
    "seat-phone-dark-el": ("answer", "games/{game}/seats/0", PHONE, {"color_scheme": "dark", "locale": "el"}),
    "overlay": ("turn-10", "overlay", HD, {}),
    "replay": ("", "games/{game}?at=62", HD, {}),
    "replay-tablet-dark-de": ("", "games/{game}?at=62", TABLET, {"color_scheme": "dark", "locale": "de"}),
}
"""By name: the moment of `MOMENTS` (none: a whole game), the address, the size, and other settings of the browser."""

_PLACES: Final = {name: n for n, name in enumerate(MOMENTS, start=1)}
_AREA_PX: Final = 96 * 54

_NEAR: Final = 40
"""Levels, of 255, by which a pixel may differ: where a letter is drawn some pixels further, it does."""
_MOST_FAR: Final = 0.025
"""Fraction of the pixels that may differ by more. With other hinting of the fonts it is less than 0.01."""


@contextmanager
def site() -> Iterator[Page]:
    """A site with all moments and a whole game, at which all seats are taken."""
    games = (*map(tuple, MOMENTS.values()), game_lines(5, rounds=3, target=150))
    with TemporaryDirectory() as name, page(Path(name), *games) as up:
        up.table.is_simulation, up.table.picture = False, None
        for seat in range(len(NAMES)):
            up.accounts.open(f"phone {seat}", Person("player", seat))
        yield up


@contextmanager
def opened(browser: Browser, up: Page, name: str) -> Iterator[Tab]:
    """The page of this name, with all that it loads, without motion."""
    moment, path, size, how = LOOKS[name]
    game = _PLACES.get(moment, len(MOMENTS) + 1)
    up.table.game = _PLACES.get(moment, 1)
    with browser.new_context(
        base_url=up.server.url, viewport=size, reduced_motion="reduce", service_workers="block", **how
    ) as context:  # a service worker would ask for the style again while the context closes
        if "seats/" in path:
            cookie = f"phone {path.rpartition('/')[2]}"
            context.add_cookies([{"name": "croupier", "value": cookie, "url": up.server.url}])
        context.route("**/page.css", _wait_for_fonts)
        tab = context.new_page()
        tab.goto(path.format(game=game), wait_until="load")
        tab.evaluate("document.body.classList.add('is-still'); document.fonts.ready.then(() => true)")
        yield tab


def _wait_for_fonts(route: Route) -> None:
    """Give a page its style without the others' freedom to show another font where ours are late."""
    answer = route.fetch()
    route.fulfill(response=answer, body=answer.text().replace("font-display: swap", "font-display: block"))


def look(tab: Tab) -> Image:
    """What the browser shows, small."""
    shown = cv2.imdecode(np.frombuffer(tab.screenshot(animations="disabled"), np.uint8), cv2.IMREAD_COLOR)
    assert shown is not None
    height, width = shown.shape[:2]
    scale = (_AREA_PX / (height * width)) ** 0.5
    small = cv2.resize(shown, (round(width * scale), round(height * scale)), interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)


def differing(one: Image, other: Image) -> float:
    """The fraction of the pixels in which two pictures differ."""
    if one.shape != other.shape:
        return 1.0
    return float((cv2.absdiff(one, other).max(axis=2) > _NEAR).mean())


def is_like(one: Image, other: Image) -> bool:
    """Whether two pictures show the same but for how letters are drawn."""
    return differing(one, other) <= _MOST_FAR


def draw_all(browser: Browser) -> None:
    """Draw all pictures anew."""
    FOLDER.mkdir(exist_ok=True)
    with site() as up:
        for name in LOOKS:
            with opened(browser, up, name) as tab:
                cv2.imwrite(str(FOLDER / f"{name}.png"), look(tab), [cv2.IMWRITE_PNG_COMPRESSION, 9])
