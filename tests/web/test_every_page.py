"""Pages beside the game, on a phone, a tablet and a laptop: nothing lies beside the screen, and axe finds nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, expect
from playwright.sync_api import Page as Tab

from croupier.web.accounts import Person
from tests.journal.games import game_lines
from tests.longer import some
from tests.web.chromium import needs_chromium
from tests.web.moments import MOMENTS
from tests.web.tables import Page, page, reached

PAGES = (
    "games",
    "statistics",
    "statistics/ladder",
    "clips",
    "people",
    "score",
    "upkeep",
    "phones",
    "login",
    "games/99",
)
SCREENS = {"el": (390, 844), "hu": (820, 1180), "de": (1280, 800)}

BESIDE = """() => [...document.querySelectorAll("html, .wide")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.className || one.tagName)"""

pytestmark = [pytest.mark.slow, needs_chromium]


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    games = (tuple(MOMENTS["turn-4"]), tuple(MOMENTS["podium-10"]), game_lines(5, rounds=3, target=150))
    with reached(), page(tmp_path_factory.mktemp("pages"), *games) as made:
        made.accounts.open("host", Person("admin"))
        yield made


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with page(tmp_path_factory.mktemp("empty"), tuple(MOMENTS["free-4"])) as made:
        made.accounts.open("host", Person("admin"))
        yield made


def visitor(browser: Browser, up: Page, code: str, scheme: str = "light") -> BrowserContext:
    width, height = SCREENS[code]
    context = browser.new_context(
        base_url=up.server.url, locale=code, viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
    )  # fmt: skip
    context.add_cookies([{"name": "croupier", "value": "host", "url": up.server.url}])
    return context


def opened(context: BrowserContext, path: str) -> Tab:
    tab = context.new_page()
    tab.goto(path, wait_until="load")
    tab.evaluate("document.fonts.ready.then(() => true)")
    return tab


@pytest.mark.parametrize("code", SCREENS)
@pytest.mark.parametrize("path", some(PAGES, 3))
def test_nothing_lies_beside_the_screen(browser: Browser, up: Page, path: str, code: str) -> None:
    with visitor(browser, up, code) as context:
        assert opened(context, path).evaluate(BESIDE) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", some(PAGES, 3))
def test_axe_finds_nothing(browser: Browser, up: Page, path: str, scheme: str) -> None:
    with visitor(browser, up, "el", scheme) as context:
        found = Axe().run(opened(context, path))
        assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("code", SCREENS)
def test_each_name_of_a_new_score_sheet_stands_beside_its_own_field(browser: Browser, up: Page, code: str) -> None:
    with visitor(browser, up, code) as context:
        tab = opened(context, "score")
        for n in range(4):
            label = tab.locator(f"label[for='name-{n}']").bounding_box()
            field = tab.locator(f"#name-{n}").bounding_box()
            assert label is not None
            assert field is not None
            if code == "el":
                assert 0 <= field["y"] - label["y"] - label["height"] < 12, "on a phone above it"
            else:
                assert label["x"] + label["width"] <= field["x"]
                assert field["y"] <= label["y"] <= field["y"] + field["height"]


def test_a_large_screen_shows_the_same_larger(browser: Browser, up: Page) -> None:
    with visitor(browser, up, "de") as context:
        tab, heights = opened(context, "games"), []
        for width, height in ((1920, 1080), (3840, 2160)):
            tab.set_viewport_size({"width": width, "height": height})
            box = tab.locator("tbody tr").first.bounding_box()
            assert box is not None
            heights.append(box["height"])
        assert heights[1] == pytest.approx(2 * heights[0], rel=0.03)


def test_every_player_of_the_ladder_has_the_own_sign(browser: Browser, up: Page) -> None:
    with visitor(browser, up, "de") as context:
        tab = opened(context, "statistics/ladder")
        rows = tab.locator("tbody tr").count()
        assert rows >= 10
        expect(tab.locator("tbody th .player-sign")).to_have_count(rows)


@pytest.mark.parametrize("path", ["clips", "statistics", "statistics/ladder"])
def test_an_empty_page_leads_on(browser: Browser, empty: Page, path: str) -> None:
    with visitor(browser, empty, "de") as context:
        tab = opened(context, path)
        expect(tab.get_by_role("main").get_by_role("link", name="Zurück zum Tisch")).to_have_attribute("href", "/")
