"""*Show that again*: a moment on the discard pile, slowly, by keyboard, and a note where it is gone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from queue import Queue
from threading import Event, Thread

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from cardsight.track import clip as kept
from croupier.game_views.story import Story
from croupier.journal import text_of
from croupier.table_api import live_table
from croupier.table_api.live_table import PileClip
from croupier.web.accounts import Person
from croupier_extras.clips.clips import clips_of, marks, touch_of
from croupier_rules.referee.corrections import Was, to_observations
from croupier_rules.referee.observations import Play, to_json
from tests.patience import PATIENCE_S
from tests.vision.network_cameras import gray_jpeg
from tests.web.chromium import needs_chromium
from tests.web.stories import story_of
from tests.web.tables import Page, page

HEADER = (
    '{"log": "croupier/1", "ruleset": "g7942-en", "seats": ["Ann", "Ben", "Cat"], "dealer": 2, "given": '
    '{"phase": "turn", "turn": 0, "top": "red-7", "hands": [2, 7, 7]}}'
)
LINES = (
    HEADER,
    '{"obs": "uno", "t": 99.6, "u": 0.02, "seat": 0}',
    '{"obs": "play", "t": 100.0, "u": 0.05, "card": "red-2", "seat": 0}',
    '{"obs": "uno", "t": 100.5, "u": 0.1, "seat": 1}',
    '{"obs": "play", "t": 103.0, "u": 0.05, "card": "red-5", "seat": 1}',
    '{"obs": "drew", "t": 120.0, "seat": 2, "n": 1}',
    '{"obs": "pass", "t": 121.0, "seat": 2}',
)
STORY = story_of(LINES)
PLAY = 2
CLIP = PileClip(
    t=100.0, u=0.05, size=(320, 240), outline=((100, 60), (160, 60), (160, 150), (100, 150)),
    frames=tuple((99.4 + n / 25, gray_jpeg(60 + 3 * n)) for n in range(31)),
)  # fmt: skip


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with page(tmp_path_factory.mktemp("clips"), LINES) as made:
        made.table.is_simulation = False
        yield made


def test_the_page_and_the_tracker_agree_on_what_is_kept() -> None:
    assert (live_table.CLIP_KEPT_S, live_table.CLIP_BEFORE_S) == (kept.KEPT_S, kept.BEFORE_S)
    assert live_table.CLIP_AFTER_S == kept.MOST_S


def test_what_is_ruled_within_five_seconds_of_a_touch_can_be_shown_again() -> None:
    at = {n: found.n if (found := touch_of(STORY, STORY.at(n))) is not None else None for n in range(1, len(STORY) + 1)}
    assert at == {1: None, 2: 2, 3: 2, 4: 4, 5: None, 6: None}
    assert set(clips_of(STORY, 1)) == {2, 3, 4}
    assert clips_of(story_of((*LINES, '{"obs": "tick", "t": 191.0}')), 1).keys() == {4}


def test_the_time_line_has_the_touch_and_each_press_with_its_uncertainty() -> None:
    found = [(one.name, round(one.s, 3), one.u) for one in marks(STORY, CLIP)]
    assert found == [("Ann", -0.4, 0.02), ("", 0.0, 0.05), ("Ben", 0.5, 0.1)]
    touch = next(one for one in marks(STORY, CLIP) if not one.name)
    assert (touch.left, touch.x, touch.right) == pytest.approx((45.83, 50.0, 54.17), abs=0.01)


def after_corrections(*corrections: tuple[int, str | None]) -> Story:
    """The story where one report after the other was wrong: its number among those that stand (from 1) and what the
    card was, None if nothing happened."""
    story, t = story_of(LINES), 130.0
    for n, card in corrections:
        old = story.reported(story.standing[n - 1].n)
        new = replace(old, card=card) if isinstance(old, Play) and card is not None else None
        story.extend(text_of(to_json(one)) for one in to_observations(Was(old, new), story._caught_up_referee(), t))
        t += 10
    return story


@pytest.mark.parametrize(
    ("corrections", "stay"),
    [
        pytest.param([(2, "red-3")], [1, 2, 3, 4, 5, 6], id="card"),
        pytest.param([(4, "blue-9")], [1, 2, 3, 4, 5, 6], id="card-that-makes-later-ones-illegal"),
        pytest.param([(2, "red-3"), (4, "red-6")], [1, 2, 3, 4, 5, 6], id="twice"),
        pytest.param([(1, None)], [2, 3, 4, 5, 6], id="call-that-was-none"),
        pytest.param([(2, None), (2, None)], [1, 4, 5, 6], id="no-card"),
    ],
)
def test_a_correction_loses_no_clip(corrections: Sequence[tuple[int, str | None]], stay: Sequence[int]) -> None:
    story = after_corrections(*corrections)
    assert [story.first(one).n for one in story.standing] == stay
    clips = {
        story.first(touch).t
        for one in story.standing
        if one.n in clips_of(story, 1) and (touch := touch_of(story, one)) is not None
    }
    assert clips == {{2: 100.0, 4: 103.0}[n] for n in stay if n in (2, 4)}
    presses = [(one.name, round(one.s, 3), one.u) for one in marks(story, CLIP)]
    assert presses == [("Ann", -0.4, 0.02), ("", 0.0, 0.05), ("Ben", 0.5, 0.1)], "each once, when it came"


def test_after_a_correction_the_page_asks_for_the_clip_of_the_touch(tmp_path: Path) -> None:
    story = after_corrections((2, "red-3"))
    told = (text_of(to_json(story.reported(n + 1))) for n in range(len(story)))
    with page(tmp_path, (HEADER, *told)) as made:
        made.table.is_simulation = False
        play, press = (story.standing[n].n for n in (1, 2))
        client = made.client(Person("player", 0))
        for n in (play, press):
            client.get(f"games/1/clip?at={n}")
        client.post("games/1/appeal", data={"n": str(press)})
    assert made.table.clips == [(100.0, 100.5), (100.0, 101.0), (100.0, 101.0)]
    assert made.table.appeals == [100.0]


def test_a_clip_that_is_gone_is_said_so(up: Page) -> None:
    up.table.clip = None
    for address in (f"games/1/clip?at={PLAY}", "games/1/clip?at=5", "games/1/clip"):
        answer = up.client().get(address)
        assert answer.status_code == 200
        assert "This clip is gone" in answer.text
        assert "<figure" not in answer.text
    up.table.clips.clear()
    up.client().get("games/1/clip?at=5")
    assert up.table.clips == [], "the table is not asked for what no clip shows"
    up.client().get("games/1/clip?at=3")
    assert up.table.clips == [(100.0, 101.0)], "the clip is of the touch, and long enough for the press"
    assert up.client().get("games/7/clip?at=1").status_code == 404


def test_clips_beyond_two_at_once_for_one_client_are_refused(up: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    is_open, answers = Event(), Queue[int]()
    monkeypatch.setattr(up.table, "ask", lambda request: is_open.wait(PATIENCE_S) and None)
    address = f"{up.server.url}games/1/clip?at={PLAY}"
    asked = [Thread(target=lambda: answers.put(httpx.get(address, timeout=PATIENCE_S).status_code)) for _ in range(6)]
    for thread in asked:
        thread.start()
    assert [answers.get(timeout=PATIENCE_S) for _ in range(4)] == [503] * 4
    assert up.client().get("games/1").status_code == 200, "the page goes on"
    is_open.set()
    for thread in asked:
        thread.join()
    assert [answers.get_nowait() for _ in range(2)] == [200] * 2


def test_the_clip_of_a_moment_is_linked_wherever_it_is_shown(up: Page) -> None:
    for path, link in {
        "games/1": f"/games/1/clip?at={PLAY}", "games/1/seats/0": f"/games/1/clip?at={PLAY}",
        "games/1/board": "/games/1/clip", "games/1?at=2": f"/games/1/clip?at={PLAY}",
    }.items():  # fmt: skip
        assert f'href="{link}"' in up.client().get(path).text, path
    assert re.search(r'id="again"[^>]* hidden>', up.client().get("games/1?at=5").text), "no card was laid there"
    up.table.clips.clear()
    up.client().get("games/1/clip")
    assert up.table.clips == [(103.0, 103.5)], "by default the last"
    up.table.has_camera = False
    for path in ("games/1", "games/1/seats/0", "games/1/board", "games/1?at=2"):
        assert "/clip" not in up.client().get(path).text, path
    up.table.has_camera = True


@needs_chromium
@pytest.mark.long
def test_a_moment_is_shown_again_by_keyboard(up: Page, browser: Browser) -> None:
    up.table.clip = CLIP
    for motion in ("no-preference", "reduce"):
        context = browser.new_context(reduced_motion=motion, viewport={"width": 390, "height": 844})
        tab = context.new_page()
        tab.goto(f"{up.server.url}games/1")
        for line in tab.locator(".rulings summary").all():
            line.press("Enter")
        link = tab.get_by_role("link", name=re.compile("^Show that again: Ann"))
        link.first.focus()
        tab.keyboard.press("Enter")
        tab.wait_for_url("**/games/1/clip?at=*")
        expect(tab.locator("#controls")).to_be_visible()
        at, place = tab.get_by_role("slider"), tab.locator("#place")
        if motion == "reduce":
            expect(tab.get_by_role("button", name="Play")).to_be_hidden()
            expect(place).to_have_text("0.00 s after the touch")
        else:  # it plays by itself
            expect(place).to_have_text("0.60 s after the touch")
        at.focus()
        tab.keyboard.press("Home")
        expect(place).to_have_text("0.60 s before the touch")
        tab.keyboard.press("ArrowRight")
        expect(at).to_have_attribute("aria-valuetext", "0.56 s before the touch")
        tab.get_by_role("button", name="One back").press("Enter")
        expect(place).to_have_text("0.60 s before the touch")
        if motion == "no-preference":
            tab.get_by_role("button", name="Play").press("Enter")
            at.press("Home")  # ends it, at the first picture too
            expect(tab.get_by_role("button", name="Play")).to_have_attribute("aria-pressed", "false")
            expect(place).to_have_text("0.60 s before the touch")
            tab.get_by_role("button", name="Play").press("Enter")
            expect(place).to_have_text("0.60 s after the touch")
            expect(tab.get_by_role("button", name="Play")).to_have_attribute("aria-pressed", "false")
        assert tab.locator("#picture").get_attribute("href")
        assert "Ben pressed UNO 0.50 s after the touch (±0.10 s)." in tab.locator("figcaption").inner_text()
        assert Axe().run(tab).response["violations"] == []
        assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
        context.close()
