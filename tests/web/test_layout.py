"""Long words of other languages find room on a phone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from croupier.journal import text_of
from croupier.web.accounts import Person
from croupier_tally.score_sheet import new_sheet
from tests.journal.games import game_lines
from tests.web.chromium import needs_chromium
from tests.web.moments import ended
from tests.web.tables import page

LINES = game_lines(3, rounds=2)
HEADER = json.loads(LINES[0]) | {"seats": ["Ágnes Szentgyörgyi-Wolkenstein", "Ben", "Ζωή", "Łucja"]}
PAGES = ("games/1", "games/1/seats/0", "games/1/record", "games", "statistics", "score", "score/evening")
LONGEST = ("de", "hu", "el")
"""The languages with the longest words."""


@pytest.mark.long
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
        begun = new_sheet(HEADER["seats"], "g7942-en").with_winner(1).with_hand(0, ["wild-draw4"])
        (tmp_path / "evening.score").write_text(begun.text, encoding="utf-8")
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


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
def test_the_boxes_to_tick_are_of_one_size(browser: Browser, tmp_path: Path) -> None:
    header = text_of(HEADER | {"given": {"phase": "game_over"}})
    with (
        page(tmp_path, (header,)) as up,
        browser.new_page(base_url=up.server.url, viewport={"width": 390, "height": 844}) as tab,
    ):
        up.table.may_start_game = True
        tab.goto("login")
        tab.locator("#code").fill(up.accounts.new_code(Person("referee")))
        tab.keyboard.press("Enter")
        tab.wait_for_url("**/games/1")
        tab.goto("games/1/next")
        boxes = [box.bounding_box() for box in tab.locator("input[type=checkbox]").all()]
        assert {(box["width"], box["height"]) for box in boxes if box} == {(24, 24)}
        assert len(boxes) == 2


TEN = (
    "Ágnes",
    "Bertalan",
    "Csilla",
    "Dorottya",
    "Erzsébet",
    "Ferenc",
    "Gáspár",
    "Hajnalka",
    "Ibolya",
    "Maximilián-Károly",
)


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
def test_the_columns_of_ten_players_need_no_scrolling_and_the_keys_of_a_sheet_show_their_icons(
    browser: Browser, tmp_path: Path
) -> None:
    header, *lines = ended(10)
    game = (text_of(json.loads(header) | {"seats": TEN}), *lines)
    sheet = new_sheet(TEN, "g7942-en").with_winner(0)
    for seat in sheet.to_show:
        sheet = sheet.with_hand(seat, [f"blue-{seat}"])
    (tmp_path / "evening.score").write_text(sheet.text, encoding="utf-8")
    with page(tmp_path, game) as up, browser.new_context(base_url=up.server.url, locale="hu") as context:
        up.accounts.open("phone", Person("player", 0))
        context.add_cookies([{"name": "croupier", "value": "phone", "url": up.server.url}])
        tab = context.new_page()
        for width in (390, 1920):
            tab.set_viewport_size({"width": width, "height": 900})
            for path in ("games/1", "score/evening"):
                tab.goto(path, wait_until="domcontentloaded")
                table = tab.locator(".wide").first
                assert table.evaluate("wide => wide.querySelectorAll('thead .player-sign').length") == len(TEN)
                assert table.evaluate("wide => wide.scrollWidth - wide.clientWidth") == 0, f"{path} at {width} px"
        icons = [icon.bounding_box() for icon in tab.locator(".players label svg, .players .by-hand svg").all()]
        assert len(icons) == 2 * len(TEN)
        assert {(box["width"], box["height"]) for box in icons if box} == {(24, 24)}
