"""The page on a phone: below 600 px, held in one hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ViewportSize, expect
from playwright.sync_api import Page as Tab

from croupier.game_views.view import TableView
from croupier.journal import Journal, text_of
from croupier.web.accounts import Accounts, Person
from croupier.web.serving import serve_in_thread
from tests.web.chromium import needs_chromium
from tests.web.moments import MOMENTS, log
from tests.web.stories import story_of
from tests.web.tables import QUICK, Page, RecordingTable, page

PHONE: ViewportSize = {"width": 390, "height": 844}
NOTED = """
  window.hums = []; window.locks = 0; window.tones = [];
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (when) {
    window.tones.push(this.frequency.value);
    return start.call(this, when);
  };
  navigator.vibrate = (ms) => window.hums.push(ms);
  Object.defineProperty(navigator, "wakeLock", { value: { request: async () => {
    window.locks++;
    return { released: false, async release() { this.released = true; window.locks--; } };
  } } });
"""
"""A phone that hums, sounds, and whose screen stays on."""

IN_CHARGE = """() => navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller ||
  new Promise((done) => navigator.serviceWorker.addEventListener("controllerchange", done))).then(() => true)"""


KEPT = """async (language) => {
  const kept = await caches.match("/away");
  return kept && (await kept.text()).includes(`<html lang="${language}"`);
}"""
"""The page for a table that does not answer is kept in this language."""


@contextmanager
def phone(browser: Browser, folder: Path, lines: Sequence[str], seat: int | None) -> Iterator[tuple[Tab, Page]]:
    """The phone of the player of a seat, or of somebody who looks on, at the page of the seat or of the table."""
    with (
        page(folder, tuple(lines)) as up,
        browser.new_context(base_url=up.server.url, viewport=PHONE, is_mobile=True) as context,
    ):
        context.add_init_script(NOTED)
        tab = context.new_page()
        if seat is not None:
            up.accounts.open("phone", Person("player", seat))
            context.add_cookies([{"name": "croupier", "value": "phone", "url": up.server.url}])
        with tab.expect_response("**/events*"):
            tab.goto("games/1" if seat is None else f"games/1/seats/{seat}", wait_until="domcontentloaded")
        yield tab, up


def test_who_only_looks_on_is_offered_no_key(tmp_path: Path) -> None:
    with page(tmp_path, tuple(MOMENTS["turn-4"])) as up:
        text = up.client().get("games/1/seats/3").text
    assert 'name="key"' not in text
    assert 'id="dock"' not in text
    assert "Log in with your code" in text


@pytest.mark.parametrize(
    ("given", "lively"),
    [
        pytest.param({"hands": [2, 4, 4, 4]}, [True, False, False, False], id="two-cards-on-turn"),
        pytest.param({"hands": [4, 2, 4, 1]}, [False, False, False, True], id="one-card"),
        pytest.param({"hands": [4, 4, 4, 1], "called": [3]}, [False] * 4, id="has-called"),
        pytest.param({"hands": [4, 4, 4, 1], "catchable": [3]}, [True] * 4, id="others-may-catch"),
    ],
)
def test_the_uno_key_lives_when_a_call_counts(given: dict[str, list[int]], lively: list[bool]) -> None:
    assert [seat.may_call for seat in TableView(story_of(log(given=given))).seats] == lively


@pytest.mark.parametrize(
    ("no_call", "while_it_counts", "later"),
    [
        pytest.param("at-once", ("no call!",), (), id="at-once"),
        pytest.param("after", (), ("no call!",), id="after"),
        pytest.param("never", (), (), id="never"),
    ],
)
def test_the_table_chooses_when_a_missing_call_is_seen(
    no_call: str, while_it_counts: tuple[str, ...], later: tuple[str, ...]
) -> None:
    """Ann laid her last card but one without a call; then Ben plays, and it is too late to catch her."""
    plays = {"obs": "play", "card": "red-3"}, {"obs": "play", "card": "red-5"}
    story = story_of(log(*plays, given={"hands": [2, 4, 4, 4]}))
    assert story.at(1).position["catchable"] == [0]
    assert story.at(2).position["catchable"] == []
    seen = [TableView(story, n, no_call=no_call).seats for n in (1, 2)]
    assert [seats[0].states for seats in seen] == [while_it_counts, later]
    assert seen[0][2].may_call == bool(while_it_counts), "the key of another does not tell it either"


def test_who_was_caught_is_not_said_not_to_have_called() -> None:
    story = story_of(log({"obs": "play", "card": "red-3"}, {"obs": "uno", "seat": 2}, given={"hands": [2, 4, 4, 4]}))
    assert TableView(story, no_call="after").seats[0].states == TableView(story).seats[0].states != ("no call!",)


def test_seats_are_told_in_the_order_of_their_turns() -> None:
    view = TableView(story_of(log({"obs": "play", "card": "red-reverse"}, given={"turn": 1})))
    assert [seat.name for seat in view.in_turn] == ["Ann", "Dan", "Cat", "Ben"]


@pytest.mark.slow
@needs_chromium
def test_the_table_is_a_large_card_and_seats_in_turn_order_and_the_menu_is_below(
    browser: Browser, tmp_path: Path
) -> None:
    with phone(browser, tmp_path, MOMENTS["turn-10"], None) as (tab, _up):
        expect(tab.locator(".oval-table")).not_to_be_visible()
        card = tab.locator(".pocket svg").first.bounding_box()
        assert card is not None
        assert card["height"] == 160
        first, second = tab.locator(".pocket li").all()[:2]
        expect(first).to_contain_text("Dan")
        expect(second).to_contain_text("Elisabeth")
        menu, more = tab.get_by_role("navigation", name="Pages"), tab.get_by_role("link", name="More")
        expect(menu).not_to_be_visible()
        box = more.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] == PHONE["height"]
        assert box["height"] >= 44
        more.click()
        expect(menu.get_by_role("link", name="Games")).to_be_in_viewport(ratio=1)
        tab.get_by_role("link", name="Cancel").click()
        expect(menu).not_to_be_visible()
        assert tab.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
def test_a_phone_hums_once_when_the_turn_comes_and_its_screen_stays_on(browser: Browser, tmp_path: Path) -> None:
    with phone(browser, tmp_path, log(), 1) as (tab, up):
        assert (tab.evaluate("window.hums"), tab.evaluate("window.locks")) == ([], 1)
        up.write(text_of({"obs": "play", "t": 1.0, "card": "red-3"}))
        expect(tab.locator("#mine[data-turn]")).to_be_visible()
        assert (tab.evaluate("window.hums.length"), tab.evaluate("window.locks")) == (1, 1)
        up.write(text_of({"obs": "drew", "t": 2.0, "seat": 1, "n": 1}))
        expect(tab.get_by_role("button", name="Pass")).to_be_enabled()
        assert tab.evaluate("window.hums.length") == 1
        up.write(text_of({"obs": "pass", "t": 3.0, "seat": 1}))
        expect(tab.locator("#mine:not([data-turn])")).to_be_visible()
        assert tab.evaluate("window.locks") == 1, "UNO is called and caught in the turns of others, too"


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
def test_a_phone_that_cannot_hum_sounds_for_the_own_turn_until_somebody_says_no(
    browser: Browser, tmp_path: Path
) -> None:
    with phone(browser, tmp_path, log(given={"hands": [2, 4, 4, 4]}), 1) as (tab, up):
        tab.evaluate("navigator.vibrate = undefined")
        tab.locator("h1").click()
        up.write(text_of({"obs": "uno", "t": 1.0, "seat": 0}))
        expect(tab.locator("#said")).to_contain_text("Ann's UNO")
        assert tab.evaluate("window.tones") == []
        up.write(text_of({"obs": "play", "t": 2.0, "seat": 0, "card": "red-3"}))
        expect(tab.locator("#mine[data-turn]")).to_be_visible()
        assert list(map(int, tab.evaluate("window.tones"))) == TURN
        sound = tab.get_by_role("button", name="Sound on this phone")
        sound.click()
        sound.click()
        tab.evaluate("window.tones.length = 0")
        up.write(text_of({"obs": "drew", "t": 3.0, "seat": 1, "n": 1}), text_of({"obs": "pass", "t": 4.0, "seat": 1}))
        expect(tab.locator("#mine:not([data-turn])")).to_be_visible()
        up.write(
            *(
                text_of({"obs": kind, "t": 5.0 + n, "seat": seat, **more})
                for n, (kind, seat, more) in enumerate(
                    (kind, seat, more) for seat in (2, 3, 0) for kind, more in (("drew", {"n": 1}), ("pass", {}))
                )
            )
        )
        expect(tab.locator("#mine[data-turn]")).to_be_visible()
        assert tab.evaluate("window.tones") == []


TURN, UNO, AGAINST, REFUSED = [523, 784], [784, 784, 1047], [392, 294], [165, 156]


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
def test_a_phone_sounds_for_who_wants_it_and_keeps_the_choice(browser: Browser, tmp_path: Path) -> None:
    with phone(browser, tmp_path, log(given={"hands": [2, 4, 4, 4]}), 1) as (tab, up):

        def heard(line: dict[str, object], text: str) -> list[int]:
            tab.evaluate("window.tones.length = 0")
            up.write(text_of(line))
            expect(tab.locator("#said")).to_contain_text(text)
            return list(map(int, tab.evaluate("window.tones")))

        assert heard({"obs": "uno", "t": 1.0, "seat": 0}, "Ann's UNO") == [], "off by default"
        sound = tab.get_by_role("button", name="Sound on this phone")
        expect(sound).to_have_attribute("aria-pressed", "false")
        sound.click()
        assert list(map(int, tab.evaluate("window.tones"))) == TURN, "an example, and unlocked"
        assert heard({"obs": "play", "t": 2.0, "seat": 0, "card": "red-3"}, "plays red 3") == TURN
        assert heard({"obs": "play", "t": 3.0, "seat": 1, "card": "blue-9"}, "may not play blue 9") == REFUSED
        tab.reload()
        expect(sound).to_have_attribute("aria-pressed", "true")
        tab.locator("h1").click()
        assert heard({"obs": "play", "t": 4.0, "seat": 1, "card": "red-9"}, "You play red 9") == []
        sound.click()
        tab.reload()
        expect(sound).to_have_attribute("aria-pressed", "false")


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
def test_a_call_and_a_catch_sound_differently(browser: Browser, tmp_path: Path) -> None:
    with phone(browser, tmp_path, log(given={"hands": [2, 4, 4, 4]}), 2) as (tab, up):
        tab.get_by_role("button", name="Sound on this phone").click()
        for line, text, tones in (
            ({"obs": "play", "t": 1.0, "seat": 0, "card": "red-3"}, "plays red 3", []),
            ({"obs": "uno", "t": 2.0, "seat": 1}, "caught", AGAINST),
            ({"obs": "drew", "t": 3.0, "seat": 0, "n": 2}, "draws 2 cards", []),
        ):
            tab.evaluate("window.tones.length = 0")
            up.write(text_of(line))
            expect(tab.locator("#said")).to_contain_text(text)
            assert list(map(int, tab.evaluate("window.tones"))) == tones


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
def test_a_page_that_is_asked_for_while_the_table_is_away_says_so_and_comes_back(
    browser: Browser, tmp_path: Path
) -> None:
    path, accounts, table = tmp_path / "croupier.journal", Accounts(hasher=QUICK), RecordingTable()
    with Journal(path) as journal, browser.new_context(locale="de", viewport=PHONE) as context:
        journal.add(MOMENTS["turn-4"], began=0.0)
        tab = context.new_page()
        with serve_in_thread(path, accounts, table, port=0) as up:
            url, port = up.url, urlsplit(up.url).port
            tab.goto(f"{url}games/1", wait_until="domcontentloaded")
            tab.evaluate(IN_CHARGE)
            tab.wait_for_function(KEPT, arg="de")
            context.add_cookies([{"name": "language", "value": "nl", "url": url}])
            tab.goto(f"{url}games/1", wait_until="domcontentloaded")
            tab.wait_for_function(KEPT, arg="nl")
        tab.goto(f"{url}games/1", wait_until="domcontentloaded")
        expect(tab.get_by_role("status")).to_contain_text("niet bereikbaar")
        with serve_in_thread(path, accounts, table, port=port or 0):
            expect(tab.locator(".headline")).to_contain_text("Dan is aan de beurt")


def test_the_page_can_be_installed(tmp_path: Path) -> None:
    with page(tmp_path, tuple(MOMENTS["turn-4"])) as up:
        client = up.client()
        assert '<link rel="manifest" href="/static/manifest.webmanifest">' in client.get("games/1").text
        manifest = client.get("static/manifest.webmanifest").json()
        assert client.get(manifest["start_url"]).status_code == 303
        for icon in manifest["icons"]:
            assert client.get(icon["src"]).headers["content-type"].startswith(icon["type"])
