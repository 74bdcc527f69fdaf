"""A game gone through on the page: by itself, step by step, from ruling to ruling; and a moment of it shared."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from http.server import BaseHTTPRequestHandler, HTTPServer
from io import BytesIO
from pathlib import Path
from threading import Thread
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import Browser, Frame, ViewportSize, expect
from playwright.sync_api import Page as Tab

from croupier.game_views.turns import timeline
from croupier_extras.documents.moment import SIZE
from tests.journal.games import game_lines
from tests.web.chromium import needs_chromium
from tests.web.moments import MOMENTS, log
from tests.web.stories import story_of
from tests.web.tables import Page, page

LINES = game_lines(5, rounds=3, target=150)
STORY = story_of(LINES)
LAST = len(STORY)
PHONE: ViewportSize = {"width": 390, "height": 844}
SCREEN: ViewportSize = {"width": 1440, "height": 900}


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with page(tmp_path_factory.mktemp("replay"), tuple(MOMENTS["refused"]), LINES) as made:
        made.table.is_simulation = False
        yield made


# -- the log of a round ------------------------------------------------------------------------------------------------


def test_what_was_taken_back_stays_and_says_so(tmp_path: Path) -> None:
    lines = log({"obs": "play", "card": "red-3"}, {"obs": "overrule", "undo": 1}, {"obs": "play", "card": "red-9"})
    with page(tmp_path, tuple(lines)) as up:
        assert up.client().get("games/1?at=1").text.count("<del>") == 1


def test_how_unsure_a_time_is_stands_below_why(tmp_path: Path) -> None:
    with page(tmp_path, tuple(log({"obs": "play", "card": "red-3", "u": 0.4}))) as up:
        (why,) = re.findall(r'<details id="why-1">.*?</details>', up.client().get("games/1?at=1").text, re.DOTALL)
    assert "±0.4 s" in why


# -- what the server tells ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", [range(LAST + 1), range(LAST, -1, -9), (0, LAST, 7, 60, 59)])
def test_what_changed_put_in_its_place_is_the_moment(up: Page, way: Any) -> None:
    client = up.client()
    shown, before = client.get(f"games/2/changes?at={way[0]}").json(), way[0]
    sent = 0
    for n in [*way][1::7]:
        changed = client.get(f"games/2/changes?since={before}&at={n}").json()
        sent += len(json.dumps(changed))
        shown, before = shown | changed, n
        assert shown == client.get(f"games/2/changes?at={n}").json()
    if way == range(LAST + 1):
        assert sent / (LAST / 7) < len(json.dumps(shown)) / 2, "most of it was not sent again"


def test_a_moment_of_the_game_that_is_played_can_be_gone_to(up: Page) -> None:
    text = up.client().get("games/1?at=2").text
    assert "hx-sse:connect" not in text
    assert 'href="/games/1">Now</a>' in text


def test_a_link_brings_a_picture_and_words_of_its_moment_along(up: Page) -> None:
    for n in (5, LAST):
        text = up.client().get(f"games/2?at={n}").text
        told = {name: unescape(value) for name, value in re.findall(r'property="og:(\w+)" content="([^"]*)"', text)}
        assert told["url"] == f"{up.server.url}games/2?at={n}"
        assert STORY.describe(STORY.at(n)).seen in told["description"]
        answer = up.client().get(told["image"])
        assert answer.headers["content-type"] == "image/png"
        assert Image.open(BytesIO(answer.content)).size == SIZE


def test_only_the_page_to_be_embedded_may_stand_in_a_frame_and_nothing_there_changes_anything(up: Page) -> None:
    client = up.client()
    for path in ("games/2/embed?at=9", "games/2?at=9", "games/2", "games", "overlay"):
        answer = client.get(path)
        policy = answer.headers["content-security-policy"]
        assert ("frame-ancestors *" in policy) == ("embed" in path), path
        assert ("frame-ancestors 'none'" in policy) == ("embed" not in path), path
    text = client.get("games/2/embed?at=9").text
    assert not re.search(r"<form|hx-post|method=", text)


# -- in a browser ------------------------------------------------------------------------------------------------------


@contextmanager
def visit(browser: Browser, up: Page, **how: Any) -> Iterator[Tab]:
    with browser.new_context(base_url=up.server.url, **({"viewport": SCREEN} | how)) as context:
        tab = context.new_page()
        complaints: list[str] = []
        tab.on("console", lambda message: complaints.append(message.text))
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        yield tab
        assert complaints == []


def place(n: int) -> str:
    return f"{n} / {LAST}"


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
def test_it_is_gone_through_step_by_step_by_keyboard_by_ruling_by_line_and_by_round(browser: Browser, up: Page) -> None:
    decided = timeline(STORY)["decisions"]
    with visit(browser, up) as tab:
        tab.goto("games/2?at=20", wait_until="domcontentloaded")
        now, said = tab.locator("#place"), tab.locator("#said .seen span")
        expect(now).to_have_text(place(20))
        tab.get_by_role("button", name="One forward").click()
        expect(now).to_have_text(place(21))
        expect(said).to_have_text(STORY.describe(STORY.at(21)).seen)
        assert tab.url.endswith("games/2?at=21")
        expect(tab.locator(".log [aria-current]")).to_contain_text(STORY.describe(STORY.at(21)).seen)
        tab.get_by_role("button", name="The next ruling").click()
        following = next(n for n in decided if n > 21)
        expect(now).to_have_text(place(following))
        tab.get_by_role("button", name="The ruling before").click()
        before = max((n for n in decided if n < following), default=0)
        expect(now).to_have_text(place(before))
        slider = tab.get_by_role("slider", name="Position in the game")
        slider.focus()
        tab.keyboard.press("End")
        expect(now).to_have_text(place(LAST))
        expect(tab.locator(".headline")).to_contain_text("has won the game")
        expect(slider).to_have_attribute("aria-valuetext", re.compile(f"^{place(LAST)}: "))
        tab.keyboard.press("ArrowLeft")
        expect(now).to_have_text(place(LAST - 1))
        tab.get_by_label("Round", exact=True).select_option("2")
        begin = next(one.n for one in STORY.moments if one.round == 2)
        expect(now).to_have_text(place(begin))
        line = begin + 3
        tab.locator(f".log [data-n='{line}'] > a").click()
        expect(now).to_have_text(place(line))
        tab.reload(wait_until="domcontentloaded")
        expect(now).to_have_text(place(line))


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
def test_it_plays_at_the_speed_that_is_chosen_pauses_and_says_nothing_aloud_meanwhile(
    browser: Browser, up: Page
) -> None:
    with visit(browser, up, reduced_motion="reduce") as tab:
        tab.clock.install(time=0)
        tab.clock.pause_at(1000)
        tab.goto("games/2?at=20", wait_until="domcontentloaded")
        now, told = tab.locator("#place"), tab.locator("#said").locator("..")
        expect(now).to_have_text(place(20))
        for speed, passed_s in (("0.5", 4), ("8", 1)):
            begin = int(now.inner_text().split()[0])
            tab.get_by_label("Speed").select_option(speed)
            tab.get_by_role("button", name="Play").click()
            expect(told).to_have_attribute("aria-live", "off")
            until = STORY.at(begin).t + passed_s * float(speed)
            due = max(one.n for one in STORY.moments if one.t <= until)
            assert due > begin
            for _ in range(passed_s * 10):
                tab.clock.run_for(100)
            expect(now).to_have_text(re.compile(rf"^({due - 1}|{due}) / "))
            tab.get_by_role("button", name="Play").click()
            expect(told).to_have_attribute("aria-live", "polite")
        stopped = now.inner_text()
        tab.clock.run_for(5000)
        expect(now).to_have_text(stopped)


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
def test_a_moment_is_shared_as_link_picture_and_code(browser: Browser, up: Page) -> None:
    with visit(browser, up) as tab:
        tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
        tab.goto("games/2?at=20", wait_until="domcontentloaded")
        tab.get_by_role("button", name="One forward").click()
        expect(tab.locator("#place")).to_have_text(place(21))
        tab.get_by_text("Share this moment").click()
        link = f"{up.server.url}games/2?at=21"
        expect(tab.get_by_label("Link")).to_have_value(link)
        expect(tab.get_by_role("link", name="Picture")).to_have_attribute("href", "/games/2/moment.png?at=21")
        assert f'src="{up.server.url}games/2/embed?at=21"' in tab.get_by_label("To embed in another page").input_value()
        tab.get_by_role("button", name="Copy the link").click()
        expect(tab.locator("#notice")).to_have_text("Copied.")
        assert tab.evaluate("navigator.clipboard.readText()") == link


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
def test_another_site_shows_the_replay_in_a_frame_and_no_other_page(browser: Browser, up: Page) -> None:
    embedding = "".join(f'<iframe name="{n}" src="{up.server.url}{path}"></iframe>' for n, path in enumerate(
        ("games/2/embed?at=20", "games/2?at=20")))  # fmt: skip

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(embedding.encode())

        def log_message(self, *_: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Site) as other, browser.new_context() as context:
        Thread(target=other.serve_forever, daemon=True).start()
        tab = context.new_page()
        tab.goto(f"http://localhost:{other.server_port}/", wait_until="load")
        shown, refused = (tab.frame(name) for name in "01")
        assert isinstance(shown, Frame)
        assert isinstance(refused, Frame)
        shown.get_by_role("button", name="One forward").click()
        expect(shown.locator("#place")).to_have_text(place(21))
        expect(refused.locator("#place")).to_have_count(0)
        other.shutdown()


@needs_chromium
@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_all_has_room_on_a_phone(
    browser: Browser, up: Page, scheme: Literal["light", "dark"]
) -> None:
    with visit(browser, up, viewport=PHONE, color_scheme=scheme, locale="hu") as tab:
        for path in (f"games/2?at={LAST - 3}", "games/2/embed?at=30"):
            tab.goto(path, wait_until="domcontentloaded")
            expect(tab.locator("#controls")).to_be_visible()
            if "embed" not in path:
                tab.locator(".share summary").click()
                tab.locator(".log summary").first.click()
            found = Axe().run(tab)
            assert found.violations_count == 0, found.generate_report()
            assert tab.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], path


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
def test_without_a_script_there_are_links_and_a_field(browser: Browser, up: Page) -> None:
    with visit(browser, up, java_script_enabled=False) as tab:
        tab.goto("games/2?at=20", wait_until="domcontentloaded")
        tab.get_by_role("link", name="One forward").click()
        expect(tab.locator("#said .seen span")).to_have_text(STORY.describe(STORY.at(21)).seen)
        tab.get_by_role("spinbutton", name="Position in the game").fill("60")
        tab.get_by_role("button", name="Look").click()
        expect(tab.locator("#said .seen span")).to_have_text(STORY.describe(STORY.at(60)).seen)
        tab.locator(".log [data-n='61'] > a").click()
        expect(tab.locator("#said .seen span")).to_have_text(STORY.describe(STORY.at(61)).seen)


def test_a_replay_is_compressed_for_whoever_can_read_that(tmp_path: Path) -> None:
    with page(tmp_path, game_lines(5, rounds=3, target=150)) as made:
        client = made.client()
        for path in ("games/1?at=62", "games/1/embed?at=62"):
            plain, packed = (client.get(path, headers={"accept-encoding": how}) for how in ("identity", "gzip"))
            assert plain.text == packed.text
            assert [one.headers.get("content-encoding") for one in (plain, packed)] == [None, "gzip"]
            assert int(packed.headers["content-length"]) * 4 < int(plain.headers["content-length"])
        assert "content-encoding" not in client.get("games/1").headers, "a live page may have secrets"
