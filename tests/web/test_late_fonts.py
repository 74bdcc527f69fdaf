"""The big screen where its fonts come late, or never."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.longer import some
from tests.web.chromium import needs_chromium
from tests.web.moments import MOMENTS
from tests.web.test_big_screen import screen

FONTS_MS = 10_000
FRAMES_MS = 100

PAINTED = """
  const nextFrame = requestAnimationFrame.bind(window), later = setTimeout.bind(window);
  window.painted = () => new Promise((done) => nextFrame(() => later(done)));
"""
"""A frame of the true clock."""


@pytest.mark.slow
@needs_chromium
@pytest.mark.parametrize("name", some(["turn-4", "podium"], 2))
def test_nothing_jumps_where_the_fonts_come_late(browser: Browser, tmp_path: Path, name: str) -> None:
    with screen(browser, tmp_path, MOMENTS[name]) as (tab, _up):
        tab.add_init_script(PAINTED)
        tab.clock.install(time=0)
        tab.clock.pause_at(1000)  # a slow machine does not come to the end of the board's patience
        late: list[Route] = []
        tab.route("**/fonts/*", lambda font: late.append(font))
        tab.goto("games/1/board", wait_until="domcontentloaded")
        tab.evaluate("painted()")
        assert late
        expect(tab.locator(".headline")).not_to_be_visible()
        for font in late:
            font.continue_()
        tab.evaluate("document.fonts.ready.then(painted)")
        tab.clock.run_for(FRAMES_MS)
        expect(tab.locator(".headline")).to_be_visible()
        tab.evaluate("painted()")
        assert tab.evaluate("[...document.fonts].some((font) => font.status === 'loaded')")
        assert tab.evaluate("window.jumps") == []


@pytest.mark.slow
@needs_chromium
def test_a_board_whose_fonts_never_come_is_shown_without_them(browser: Browser, tmp_path: Path) -> None:
    with screen(browser, tmp_path, MOMENTS["turn-4"]) as (tab, _up):
        tab.clock.install(time=0)
        tab.clock.pause_at(1000)
        tab.route("**/fonts/*", lambda _font: None)
        tab.goto("games/1/board", wait_until="domcontentloaded")
        tab.clock.run_for(FONTS_MS - 100)
        expect(tab.locator(".headline")).not_to_be_visible()
        tab.clock.run_for(200)
        expect(tab.locator(".headline")).to_be_visible()
