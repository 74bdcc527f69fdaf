"""The keys of a player's phone: each stays at its place, whatever happens, and only what applies is lit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, expect
from playwright.sync_api import Page as Tab

from croupier.game_views.offers import Offers
from croupier.game_views.view import TableView
from croupier.journal import text_of
from croupier.web.accounts import Person
from croupier.web.pages import Pages, Perspective
from tests.journal.games import game_lines
from tests.longer import some
from tests.web.chromium import needs_chromium
from tests.web.moments import log
from tests.web.stories import story_of
from tests.web.tables import RecordingTable, page

WIDTHS: Final = (320, 360, 390, 430)
HEIGHT: Final = 700
KEYS: Final = {"red", "yellow", "green", "blue", "draw", "pass", "accept", "challenge", "uno", "go", "own hand"}

MOVED: Final = """(parts) => {
  const moment = document.getElementById("moment");
  const places = new Map();
  const moved = [];
  for (const [n, part] of parts.entries()) {
    moment.innerHTML = part;
    // In another language the next news would load the page again.
    document.body.dataset.language = document.getElementById("look").dataset.language;
    for (const key of document.querySelectorAll("#dock .key")) {
      const id = { "key-dealer": "key-go", "key-play": "key-own hand", "key-open": "key-own hand" }[key.id] ?? key.id;
      const { x, y, width, height } = key.getBoundingClientRect();
      const place = [x, y, width, height].join(" ");
      if (!places.has(id)) places.set(id, place);
      if (places.get(id) !== place) moved.push(`${id} at ${n}: ${places.get(id)} -> ${place}`);
      const top = document.elementFromPoint(x + width / 2, y + height / 2);
      if (!key.contains(top)) moved.push(`${id} at ${n} is covered by ${top?.id || top?.className || top?.tagName}`);
    }
  }
  return { moved, keys: [...places.keys()].map((id) => id.slice("key-".length)) };
}"""
"""Shows parts of the page one after the other: the keys that were elsewhere than before or under something, and all."""


def parts(lines: tuple[str, ...], seat: int, language: str, **table: Any) -> Iterator[str]:
    """The page of a seat after each line of a game that is played, without repetitions."""
    story, last = story_of(lines[:1]), ""
    pages = Pages(RecordingTable(**table))
    perspective = Perspective("seat", 1, Person("player", seat), seat, language)
    for line in lines[1:]:
        story.extend([line])
        part = pages.render_part(perspective, story, None)
        if part != last:
            yield part
        last = part


def assert_nothing_moves(tab: Tab, seed: int, rounds: int, **table: bool) -> None:
    """Play these rounds on a phone of each width, in one of the languages with the longest words."""
    lines = game_lines(seed, rounds=rounds)
    shown = list(parts(lines, seed % 4, ("de", "hu", "el", "en")[seed % 4], **table))
    assert len(shown) > 10 * rounds
    for width in WIDTHS:
        tab.set_viewport_size({"width": width, "height": HEIGHT})
        found = tab.evaluate(MOVED, shown)
        assert found["moved"] == [], f"{width} px wide"
        assert set(found["keys"]) == KEYS


def player(browser: Browser, folder: Path) -> Iterator[Tab]:
    """The phone of a player, whose page hears of nothing else."""
    with page(folder, tuple(log())) as up, browser.new_context(base_url=up.server.url, is_mobile=True) as context:
        up.accounts.open("phone", Person("player", 0))
        context.add_cookies([{"name": "croupier", "value": "phone", "url": up.server.url}])
        tab = context.new_page()
        with tab.expect_response("**/events*"):
            tab.goto("games/1/seats/0", wait_until="domcontentloaded")
        tab.evaluate("document.getElementById('moment').removeAttribute('hx-sse:connect')")
        yield tab


@pytest.fixture
def phone(browser: Browser, tmp_path: Path) -> Iterator[Tab]:
    yield from player(browser, tmp_path)


@pytest.mark.slow
@needs_chromium
@pytest.mark.parametrize("has_camera", some([True, False], 2))
def test_no_key_moves_in_a_round(phone: Tab, has_camera: bool) -> None:
    assert_nothing_moves(phone, 1 + has_camera, 1, has_camera=has_camera, has_shoe=has_camera)


@pytest.mark.nightly
@pytest.mark.long(minutes=3)
@pytest.mark.slow
@needs_chromium
def test_no_key_moves_in_a_hundred_rounds(phone: Tab) -> None:
    for seed in range(10, 30):
        assert_nothing_moves(phone, seed, 5, has_camera=seed % 3 > 0, has_shoe=seed % 2 > 0)


@pytest.mark.parametrize("seat", range(4))
def test_what_is_offered_is_lit_and_nothing_else(seat: int) -> None:
    lines, table = game_lines(3, rounds=2), RecordingTable(has_camera=True, has_shoe=False)
    pages, story = Pages(table), story_of(lines[:1])
    perspective = Perspective("seat", 1, Person("player", seat), seat)
    for line in lines[1:]:
        story.extend([line])
        offers = Offers.of(story, TableView(story), table.state, seat)
        dock = pages.render_part(perspective, story, None).partition('id="dock"')[2]
        lit = set(re.findall(r'<button id="key-(\w+)"(?:(?!disabled|>).)*>', dock))
        assert lit == offers.keys - {"under", "decline"}, story.moments[-1]


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
def test_a_key_that_goes_out_keeps_the_place_of_the_focus(browser: Browser, tmp_path: Path) -> None:
    with page(tmp_path, tuple(log())) as up, browser.new_context(base_url=up.server.url, is_mobile=True) as context:
        up.accounts.open("phone", Person("player", 0))
        context.add_cookies([{"name": "croupier", "value": "phone", "url": up.server.url}])
        tab = context.new_page()
        with tab.expect_response("**/events*"):
            tab.goto("games/1/seats/0", wait_until="domcontentloaded")
        draw, before = tab.locator("#key-draw"), tab.locator("#key-uno").bounding_box()
        expect(draw).to_be_enabled()
        up.write(text_of({"obs": "drew", "t": 1.0, "seat": 0, "n": 1}))
        expect(tab.get_by_role("button", name="Pass")).to_be_enabled()
        expect(draw).to_be_disabled()
        assert tab.locator("#key-uno").bounding_box() == before
        with tab.expect_response("**/actions/press"):
            tab.keyboard.press("Alt+Shift+P")
