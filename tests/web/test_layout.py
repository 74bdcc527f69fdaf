"""Long words of other languages find room on a phone, and a big screen is read from afar."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from croupier.journal import text_of
from croupier.web.accounts import Person
from tests.journal.games import game_lines
from tests.web.chromium import needs_chromium
from tests.web.tables import page

LINES = game_lines(3, rounds=2)
HEADER = json.loads(LINES[0]) | {"seats": ["Ágnes Szentgyörgyi-Wolkenstein", "Ben", "Ζωή", "Łucja"]}
PAGES = ("games/1", "games/1/seats/0", "games/1/record", "games")
LONGEST = ("de", "hu", "el")
"""The languages with the longest words."""


@pytest.mark.slow
@needs_chromium
def test_nothing_runs_off_the_side_of_a_phone_in_the_languages_with_the_longest_words(
    browser: Browser, tmp_path: Path
) -> None:
    game = (text_of(HEADER), *LINES[1:])
    with (
        page(tmp_path, game[:60], game) as up,
        browser.new_context(base_url=up.server.url, viewport={"width": 360, "height": 780}) as context,
    ):
        tab = context.new_page()
        tab.goto("login")
        tab.locator("#code").fill(up.accounts.new_code(Person("admin")))
        tab.keyboard.press("Enter")
        tab.wait_for_url("**/games/1")
        for code in LONGEST:
            context.set_extra_http_headers({"accept-language": code})
            for path in PAGES:
                tab.goto(path, wait_until="domcontentloaded")
                assert tab.locator("html").get_attribute("lang") == code
                assert tab.evaluate("document.documentElement.scrollWidth") <= 360, f"{path} in {code}"


@pytest.mark.slow
@needs_chromium
@pytest.mark.parametrize("seats", [4, 10])
def test_a_big_screen_says_of_everybody_how_many_cards_in_letters_that_are_read_from_afar(
    browser: Browser, tmp_path: Path, seats: int
) -> None:
    """Letters of 17 mm are read from five meters: 5 % of the height of a screen of 27 inches; many seats need a larger
    screen."""
    head = {"log": "croupier/1", "ruleset": "g7942-en", "seats": [f"Somebody {n}" for n in range(seats)], "dealer": 0}
    dealt = (text_of({"obs": "dealt", "t": float(n), "seat": n, "n": 7}) for n in range(seats))
    with (
        page(tmp_path, (text_of(head), *dealt)) as up,
        browser.new_page(base_url=up.server.url, viewport={"width": 1920, "height": 1080}) as tab,
    ):
        tab.goto("games/1/board", wait_until="domcontentloaded")
        counts = tab.locator("#seats b")
        assert counts.all_inner_texts() == ["7 cards"] * seats
        for count in counts.all():
            size = float(count.evaluate("one => parseFloat(getComputedStyle(one).fontSize)"))
            assert size >= (0.05 if seats == 4 else 0.035) * 1080 - 1
            box = count.bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 1920
            assert box["y"] + box["height"] <= 1080
