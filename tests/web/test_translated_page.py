"""A page that the browser has translated goes on following the game.

A browser's translator (seen in Chromium's) replaces each text by one in two `<font>` elements, does so again for what
a script adds, and sets another language at the root. It leaves out what is marked ``translate="no"``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from playwright.sync_api import Page as Tab

from croupier.journal import text_of
from croupier.web.accounts import Person
from croupier_rules.referee import Referee, parse_header
from croupier_rules.referee.corrections import ChangePlayers, to_observations
from croupier_rules.referee.observations import parse_observation, to_json
from tests.journal.games import game_lines
from tests.longer import some
from tests.web.chromium import needs_chromium
from tests.web.tables import Page, page

pytestmark = [pytest.mark.slow, needs_chromium]

LINES = game_lines(3, rounds=2)
SO_FAR = 40

TRANSLATOR = """
window.addEventListener("load", () => {
  const left = "[translate=no], .notranslate, font, script, style, textarea, svg";
  const one = (text) => {
    if (!text.nodeValue.trim() || !text.parentElement || text.parentElement.closest(left)) return;
    const outer = document.createElement("font"), inner = document.createElement("font");
    outer.style.verticalAlign = inner.style.verticalAlign = "inherit";
    inner.textContent = "«" + text.nodeValue + "»";
    outer.append(inner);
    text.replaceWith(outer);
  };
  const all = (root) => {
    if (root.nodeType === Node.TEXT_NODE) return one(root);
    const texts = [], walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) texts.push(walk.currentNode);
    texts.forEach(one);
  };
  document.documentElement.lang = "fi";
  document.documentElement.classList.add("translated-ltr");
  all(document.body);
  new MutationObserver((changes) => changes.forEach((change) => {
    change.addedNodes.forEach(all);
    if (change.type === "characterData") all(change.target);
  })).observe(document.body, { childList: true, subtree: true, characterData: true });
});
"""


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Page]:
    with page(tmp_path, LINES[: SO_FAR + 1], LINES) as made:
        yield made


def renamed(up: Page, seat: int, name: str) -> Iterator[str]:
    """The lines of the log after which somebody else sits at a seat."""
    lines = [json.loads(line) for line in up.journal.lines(1)]
    referee = Referee(parse_header(lines[0]))
    for line in lines[1:]:
        referee.observe(parse_observation(line, len(lines[0]["seats"])))
    for observation in to_observations(ChangePlayers("rename", seat, name=name), referee, lines[-1]["t"]):
        yield text_of(to_json(observation))


def texts(tab: Tab) -> dict[str, str]:
    """What stands in each region of the page, as it was before it was translated."""
    found: dict[str, str] = tab.evaluate(
        "Object.fromEntries([...document.querySelectorAll('#moment [id]')].map((one) => [one.id, one.textContent]))"
    )
    return {name: " ".join(re.sub("[«»]", "", text).split()) for name, text in found.items()}


@pytest.mark.parametrize("path", some(["/games/1/seats/1", "/games/1", "/games/1/board"], 3))
def test_a_translated_page_shows_each_change_at_once_and_is_not_loaded_again(
    browser: Browser, up: Page, path: str
) -> None:
    with browser.new_context(base_url=up.server.url) as context:
        tab, plain = context.new_page(), context.new_page()
        tab.add_init_script(TRANSLATOR)
        token = up.accounts.invite(Person("player", 1))
        context.add_cookies([{"name": "croupier", "value": token, "url": up.server.url}])
        loads: list[str] = []
        for one in (tab, plain):
            with one.expect_response("**/games/1/events*"):
                one.goto(path)
        tab.on("load", lambda loaded: loads.append(loaded.url))
        for _change in range(6):
            n = len(up.journal.lines(1))
            up.write(*LINES[n : n + 1])
            with context.new_page() as late:
                late.goto(path)
                now = texts(late)
            for one in (plain, tab):
                one.wait_for_function(
                    "([name, text]) => document.getElementById(name).textContent.replace(/[«»]/g, '')"
                    ".split(/\\s+/).filter(Boolean).join(' ') === text",
                    arg=["headline", now["headline"]],
                )
            assert texts(tab) == texts(plain)
            assert texts(plain) == now
        assert tab.locator("font").count() > 0
        assert loads == []
        names = tab.locator("[translate=no]").all_text_contents()
        assert names
        assert not any("«" in name for name in names)


def test_the_title_of_an_open_page_names_who_sits_there_now(browser: Browser, up: Page) -> None:
    first, *others = json.loads(LINES[0])["seats"]
    names = [first, "Eve", "Zoë"]
    with browser.new_context(base_url=up.server.url) as context:
        for path, rest, before, after in (
            ("/games/1", others, *names[:2]), ("/games/1/seats/0", [], *names[1:]),
        ):  # fmt: skip
            tab = context.new_page()
            with tab.expect_response("**/games/1/events*"):
                tab.goto(path)
            expect(tab).to_have_title(", ".join((before, *rest)) + " · Croupier")
            up.write(*renamed(up, 0, after))
            expect(tab).to_have_title(", ".join((after, *rest)) + " · Croupier")
