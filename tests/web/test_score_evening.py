"""The score evening of a family of five: phones in the network of the house, taps counted."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import Playwright, expect

from croupier_tally.score_sheet import read_sheet
from tests.first_evening.house import browser_on
from tests.namespaces import World
from tests.patience import PATIENCE_S
from tests.web.chromium import needs_chromium
from tests.web.test_score_page import PHONE, jpeg

FAMILY = ("Ann", "Ben", "Cat", "Dan", "Eve")
MOST_TAPS = 12
CAMERA_APP_TAPS = 2
"""In the phone's own camera: the shutter, and *Use this picture*."""

BY_PHOTO: dict[str, tuple[str, ...]] = {
    "Ben": ("red-7", "wild-draw4"), "Cat": ("blue-skip",), "Dan": ("green-9", "yellow-2"), "Eve": ("wild",),
}  # fmt: skip
BY_KEYS: dict[str, tuple[str, ...]] = {"Ann": ("red-7",), "Cat": ("wild",), "Dan": ("blue-1",), "Eve": ("yellow-9",)}


class Taps:
    """The finger of a person at a phone."""

    def __init__(self, tab: Tab) -> None:
        self.tab, self.n = tab, 0

    def on(self, name: str) -> None:
        """Tap on a key by its name."""
        self.n += 1
        self.tab.get_by_role("button", name=name, exact=True).tap()

    def photograph(self, name: str, picture: bytes) -> None:
        """Tap on the camera beside a name, and take a picture."""
        self.n += 1 + CAMERA_APP_TAPS
        camera = self.tab.get_by_label(f"{name}: Photograph the hand", exact=True)
        camera.set_input_files({"name": "hand.jpg", "mimeType": "image/jpeg", "buffer": picture})

    def type(self, name: str, faces: Sequence[str]) -> None:
        """Enter the hand of a player by one tap for each card."""
        self.on(f"{name}: Enter the cards")
        for face in faces:
            self.n += 1
            self.tab.locator(f"#keypad [value={face}]").tap()
        self.n += 1
        self.tab.locator("#enough").tap()


def play_by_keys(tab: Tab) -> Taps:
    """Enter the hands of a round that Ben wins."""
    taps = Taps(tab)
    for n, (name, cards) in enumerate(BY_KEYS.items()):
        taps.type(name, cards)
        if n < len(BY_KEYS) - 1:
            expect(tab.locator(".players .state", has_text=re.compile(r"\d"))).to_have_count(n + 1)
    return taps


def expect_round(tab: Tab, number: int) -> None:
    """The round before this one is counted."""
    expect(tab.get_by_role("heading", name=f"Round {number}", exact=True)).to_be_visible(timeout=PATIENCE_S * 1000)


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
def test_a_family_of_five_keeps_the_score_of_a_game(playwright: Playwright, world: World, tmp_path: Path) -> None:
    table, phones, home = world.machine("table"), world.machine("phones"), world.network()
    home.join(table, "eth0", "192.168.1.5/24")
    home.join(phones, "wlan0", "192.168.1.7/24")
    sheets = tmp_path / "sheets"
    sheets.mkdir()
    program = str(Path(sys.executable).with_name("croupier"))
    command = (program, "score", "page", str(sheets), "--host", "0.0.0.0", "--port", "8000")
    with (
        table.start(*command, stdout=subprocess.PIPE, text=True) as page,
        browser_on(phones, playwright, tmp_path) as browser,
        browser.new_context(
            base_url="http://192.168.1.5:8000", viewport=PHONE, has_touch=True, is_mobile=True
        ) as context,
    ):
        assert page.stdout is not None
        assert "8000" in page.stdout.readline()
        tab = context.new_page()
        tab.goto("score", timeout=PATIENCE_S * 1000)
        for seat, name in enumerate(FAMILY):
            if seat == 4:
                tab.locator("#more-players summary").tap()
            tab.locator(f"#name-{seat}").fill(name)
        tab.get_by_role("button", name="Begin the score sheet").tap()

        by_photo = Taps(tab)
        for n, (name, cards) in enumerate(BY_PHOTO.items()):
            by_photo.photograph(name, jpeg(*cards))
            if n < len(BY_PHOTO) - 1:
                awaited = tab.locator(".players .state", has_text=re.compile(r"\d"))
                expect(awaited).to_have_count(n + 1, timeout=PATIENCE_S * 1000)
        expect_round(tab, 2)
        assert by_photo.n <= MOST_TAPS
        expect(tab.locator(".players li").first).to_contain_text("leads")
        expect(tab.locator(".players li").nth(1)).to_contain_text("deals")

        for number in range(2, 7):
            by_keys = play_by_keys(tab)
            expect_round(tab, number + 1)
            assert by_keys.n == 3 * len(BY_KEYS) <= MOST_TAPS

        (file,) = sheets.glob("*.score")
        assert read_sheet(file).story.at(None).position["scores"] == [138, 5 * 67, 0, 0, 0]

        first = tab.locator("details.told").last
        first.locator("summary").tap()
        first.get_by_role("button", name="Cat: Enter the cards").tap()
        tab.locator("#keypad [value=blue-1]").tap()
        tab.locator("#enough").tap()
        expect(first.locator("summary")).to_have_text("Round 1 · mended")
        assert read_sheet(file).story.at(None).position["scores"] == [138 - 20 + 1, 5 * 67, 0, 0, 0]

        for number in (7, 8):
            play_by_keys(tab)
            expect_round(tab, number + 1)
        play_by_keys(tab)
        expect(tab.locator(".winner")).to_have_text("Ben has won the game.", timeout=PATIENCE_S * 1000)
        places = tab.locator(".podium li")
        expect(places.locator("b")).to_have_text(["Ben", "Ann", "Cat", "Dan", "Eve"])
        expect(places.locator("span")).to_have_text(["536", "119", "0", "0", "0"])
        expect(places.locator(".player-sign")).to_have_count(len(FAMILY))
        assert places.evaluate_all("all => all.map((one) => one.value)") == [1, 2, 3, 3, 3]

        tab.get_by_role("button", name="Rematch", exact=True).tap()
        expect_round(tab, 1)
        expect(tab.locator(".players .total")).to_have_text(["0"] * 5)
        expect(tab.locator(".players li", has_text="deals")).to_contain_text("Eve")
        assert len(list(sheets.glob("*.score"))) == 2
