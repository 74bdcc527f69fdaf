"""The overlay for a stream: what it shows, how late, and what it never shows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser, expect

from croupier.journal import Journal, text_of
from croupier.web.accounts import SPECTATOR, Accounts
from croupier.web.pages import Pages, Perspective
from croupier.web.renderer import Renderer
from croupier.web.serving import site
from croupier_extras.stream import PARTS, PLUGIN, Timeline
from tests.journal.games import game_lines
from tests.web.chromium import needs_chromium
from tests.web.events import events, taken_in
from tests.web.moments import MOMENTS
from tests.web.stories import simulated, story_of
from tests.web.tables import QUICK, Page, RecordingTable, page

LINES = game_lines(3, rounds=2)
SO_FAR = 60
EVERYTHING = Perspective("overlay", 1, SPECTATOR, plugin=PLUGIN, parts=PARTS)
MINUTE_S = 60.0


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with page(tmp_path_factory.mktemp("overlay"), LINES[: SO_FAR + 1]) as made:
        yield made


# -- what an address asks for ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("", {"top", "ruling", "seats"}),
        ("?parts=top", {"top"}),
        ("?parts=seats,top&size=150", {"top", "seats"}),
        ("?parts=%20ruling%20&delay=0&language=de", {"ruling"}),
    ],
)
def test_the_address_says_which_parts_are_shown(up: Page, query: str, shown: set[str]) -> None:
    text = up.client().get(f"overlay{query}").text
    assert {part for part in PARTS if f'id="{part}"' in text} == shown


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("parts=top,hands", "The address says parts=top,hands. Expected: top, ruling, seats."),
        ("parts=", "The address says parts=. Expected: top, ruling, seats."),
        ("delay=61", "The address says delay=61. Expected: minutes from 0 to 60."),
        ("delay=-1", "The address says delay=-1. Expected: minutes from 0 to 60."),
        ("delay=nan", "The address says delay=nan. Expected: minutes from 0 to 60."),
        ("delay=soon", "The address says delay=soon. Expected: minutes from 0 to 60."),
        ("size=33", "The address says size=33. Expected: 50, 75, 100, 125, 150, 200."),
        ("language=xx", "The address says language=xx. Expected: en, fr, de,"),
    ],
)
def test_what_the_address_cannot_mean_is_said_in_one_sentence(up: Page, query: str, why: str) -> None:
    for path in ("overlay", *(["overlay/events"] if "size" not in query else [])):
        answer = up.client().get(f"{path}?{query}")
        assert answer.status_code == 422
        assert why in answer.text


def test_the_language_of_the_address_goes_before_that_of_the_browser(up: Page) -> None:
    text = up.client().get("overlay?language=de", headers={"accept-language": "fr"}).text
    assert '<html lang="de"' in text


def test_before_the_first_game_it_is_empty_and_without_a_fault(tmp_path: Path) -> None:
    with page(tmp_path, live=1) as up:
        answer = up.client().get("overlay")
    assert answer.status_code == 200
    assert 'id="seats"' not in answer.text


def test_a_simulated_game_is_labeled_whatever_parts_are_shown() -> None:
    story, pages = story_of(simulated(LINES)), Pages(None)
    for part in PARTS:
        assert "SIMULATION" in pages.render_part(replace(EVERYTHING, parts=(part,)), story, len(story))


def test_what_changed_comes_at_once_and_put_in_its_place_it_is_what_is_now(tmp_path: Path) -> None:
    with page(tmp_path, LINES[: SO_FAR + 1]) as up:
        with up.client().stream("GET", "overlay/events?language=en") as answer:
            stream = events(answer)
            n, shown = next(stream)
            for line in LINES[SO_FAR + 1 : SO_FAR + 9]:
                up.write(line)
                while n < up.last_line():
                    n, event = next(stream)
                    shown = taken_in(shown, event)
        with up.client().stream("GET", "overlay/events?language=en") as answer:
            assert next(events(answer)) == (n, shown)


# -- how late ---------------------------------------------------------------------------------------------------------


@given(st.integers(0, 400), st.integers(0, 60 * 60), st.integers(0, 3))
def test_nothing_that_is_newer_than_the_delay_is_in_it(seed: int, delay_s: int, looks: int) -> None:
    """Lines come at any time, and the page looks now and then: what is shown is what stood in the log by then."""
    random, story, timeline = Random(seed), story_of(LINES[:1]), Timeline()
    came = [0.0]
    now = 0.0
    for line in LINES[1:]:
        now += random.choice((0.0, 0.2, 3.0, 40.0, 400.0))
        came.append(now)
        story.extend([text_of(json.loads(line) | {"t": now})])
        if looks and random.randrange(looks) == 0:
            timeline.note(1, story, now)
            place = timeline.place(now - delay_s)
            due = sum(one <= now - delay_s for one in came) - 1
            assert (place[1] if place else -1) <= due
            if place is not None and looks == 1:
                assert place == (1, due)


def test_a_page_that_starts_in_the_middle_of_a_game_knows_how_old_its_lines_are_but_not_of_a_simulation() -> None:
    real, fast = story_of(LINES), story_of(simulated(LINES))
    last = real.moments[-1]
    before = max(moment.n for moment in real.moments if moment.t <= last.t - 30.0)
    for story, place in ((real, (1, before)), (fast, None)):
        timeline = Timeline()
        timeline.note(1, story, 1000.0)
        assert timeline.place(970.0) == place
        assert timeline.place(1000.0) == (1, len(story))


def test_the_end_of_a_game_is_seen_before_the_next_one_begins_and_no_more_than_an_hour_is_kept() -> None:
    timeline, first, second = Timeline(), story_of(LINES), story_of(LINES[:1])
    timeline.note(1, first, 1000.0)
    timeline.note(2, second, 1100.0)
    assert timeline.place(1099.0) == (1, len(first))
    assert timeline.place(1100.0) == (2, 0)
    timeline.note(2, second, 1100.0 + 61 * MINUTE_S)
    assert timeline.place(1099.0) is None
    assert timeline.place(1101.0) == (2, 0)


def part(renderer: Renderer, perspective: Perspective) -> str:
    shown = renderer.live(perspective)
    assert shown is not None
    return shown[1]


def test_a_late_overlay_shows_what_the_table_showed_then(tmp_path: Path) -> None:
    now, late = [0.0], replace(EVERYTHING, delay_s=300)
    path = tmp_path / "croupier.journal"
    with Journal(path) as journal:
        journal.add(LINES[: SO_FAR + 1], began=0.0)
        table = RecordingTable(is_simulation=False)
        renderer: Renderer = site(path, Accounts(hasher=QUICK), table, clock=lambda: now[0])[Renderer]
        renderer.live(late)
        then = part(renderer, EVERYTHING)
        now[0] = 299.0
        journal.append(1, json.loads(LINES[SO_FAR + 1]))
        changed = part(renderer, EVERYTHING)
        assert changed != then
        assert part(renderer, late) not in (then, changed)
        now[0] = 300.0
        assert part(renderer, late) == then
        now[0] = 600.0
        assert part(renderer, late) == changed


@pytest.mark.parametrize("seed", range(4))
def test_a_moment_looks_as_if_nothing_had_come_after_it(seed: int) -> None:
    lines, pages = game_lines(seed, rounds=2), Pages(None)
    whole = story_of(lines)
    for n in range(0, len(whole), 7):
        so_far = story_of(lines[: n + 1])
        assert Pages(None).render_part(EVERYTHING, so_far, n) == pages.render_part(EVERYTHING, whole, n)


# -- in a browser -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@needs_chromium
def test_it_is_transparent_follows_the_game_and_is_read_over_any_picture(browser: Browser, tmp_path: Path) -> None:
    lines = MOMENTS["turn-10"]
    size: Any = {"width": 1920, "height": 1080}
    with page(tmp_path, tuple(lines[:-1])) as up, browser.new_context(base_url=up.server.url, viewport=size) as context:
        tab = context.new_page()
        complaints: list[str] = []
        tab.on("console", lambda message: complaints.append(message.text))
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        tab.goto("overlay?language=de", wait_until="domcontentloaded")
        grounds = "[document.documentElement, document.body].map((one) => getComputedStyle(one).backgroundColor)"
        assert tab.evaluate(grounds) == ["rgba(0, 0, 0, 0)"] * 2
        expect(tab.get_by_role("img", name="rote 9", exact=True)).to_be_visible()
        up.write(lines[-1])
        expect(tab.get_by_role("img", name="blaue 9", exact=True)).to_be_visible()
        expect(tab.locator("#seats li")).to_have_count(10)
        sizes = "[...document.querySelectorAll('.moment p, .moment b, .moment span:not(.only-said)')]"
        assert tab.evaluate(f"Math.min(...{sizes}.map((one) => parseFloat(getComputedStyle(one).fontSize)))") >= 24
        for box in (part.bounding_box() for part in tab.locator("#seats li, #top, #ruling").all()):
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 1920
            assert box["y"] + box["height"] <= 1080
        found = Axe().run(tab)
        assert found.violations_count == 0, found.generate_report()
        assert complaints == []
