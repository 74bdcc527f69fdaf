"""A game as a page that stands alone, in a real browser without a network."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect
from playwright.sync_api import Page as Tab

from croupier.cli import main
from croupier.i18n import speaking
from croupier.web.pages import standalone_page
from tests.journal.games import game_lines
from tests.web.chromium import needs_chromium
from tests.web.stories import simulated, story_of

NASTY = "</script><script>alert(1)</script>"
LINES = game_lines(3, rounds=2)
STORY = story_of(LINES, NASTY)


def test_it_is_one_file_that_asks_for_nothing_else() -> None:
    page = standalone_page(STORY)
    assert not re.search(r"(src|href)=\"(?!#|data:)", page)
    assert "default-src 'none'" in unescape(page)
    assert NASTY not in page
    assert "&lt;script&gt;alert" in page


@pytest.mark.long
def test_a_game_that_was_simulated_is_labeled() -> None:
    assert "SIMULATION" in standalone_page(story_of(simulated(LINES)))
    assert "SIMULATION" not in standalone_page(STORY)


def test_no_face_of_a_hidden_hand_is_in_it() -> None:
    story = story_of(game_lines(1, open_hands=True)[:5])
    assert [moment.obs for moment in story.moments].count("dealt") == 4
    assert not re.search(
        r"(red|yellow|green|blue) (\d|Skip|Reverse|Draw Two)", standalone_page(story).partition("<body")[2]
    )


def test_it_is_written_into_a_new_file_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, file = tmp_path / "game.jsonl", tmp_path / "game.html"
    log.write_text("\n".join(game_lines(1)), encoding="utf-8")
    assert main.run(["replay", str(log), "--page", str(file), "--language", "de"]) == 0
    written = file.read_text(encoding="utf-8")
    assert '<html lang="de">' in written
    assert main.run(["replay", str(log), "--page", str(file)]) == 2
    assert "game.html: this file already exists" in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == written


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("alone") / "game.html"
    with speaking("fr"):
        file.write_text(standalone_page(STORY), encoding="utf-8")
    return file.as_uri()


@pytest.fixture
def tab(browser: Browser) -> Iterator[Tab]:
    complaints: list[str] = []
    with browser.new_context(offline=True, viewport={"width": 390, "height": 844}, color_scheme="dark") as context:
        tab = context.new_page()
        tab.on("console", lambda message: complaints.append(message.text))
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        tab.on("dialog", lambda dialog: complaints.append(dialog.message))
        yield tab
    assert complaints == []


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
def test_it_is_gone_through_by_keyboard_by_round_and_by_itself(tab: Tab, address: str) -> None:
    tab.goto(address)
    place, who = tab.locator("#place"), tab.locator(".headline .who")
    expect(place).to_have_text(f"0 / {len(STORY)}")
    expect(who).to_have_text("Distribution")
    tab.locator("#at").focus()
    tab.keyboard.press("End")
    expect(who).to_contain_text("gagne la manche")
    expect(tab.locator(".scores tbody tr")).to_have_count(2)
    tab.keyboard.press("Home")
    expect(who).to_have_text("Distribution")
    tab.get_by_role("button", name="Un pas en avant").click()
    expect(place).to_have_text(f"1 / {len(STORY)}")
    expect(tab.locator("#fan-0 use, #fan-1 use, #fan-2 use, #fan-3 use")).to_have_count(7)
    tab.get_by_label("Manche", exact=True).select_option("2")
    begin = next(moment.n for moment in STORY.moments if moment.round == 2)
    expect(place).to_have_text(f"{begin} / {len(STORY)}")
    tab.get_by_label("Vitesse").select_option("8")
    tab.get_by_role("button", name="Lire").click()
    expect(place).not_to_have_text(f"{begin} / {len(STORY)}")
    found = Axe().run(tab)
    assert found.violations_count == 0, found.generate_report()
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390, "nothing runs off the side"
