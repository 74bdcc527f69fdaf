"""The evening is sent with one tap: by the phone's own sheet for sharing, else as a download."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect
from playwright.sync_api import Page as Tab

from croupier_tally.page.serving import serve_scores
from croupier_tally.score_sheet import new_sheet
from tests.journal.games import game_lines
from tests.patience import PATIENCE_S
from tests.web.chromium import needs_chromium
from tests.web.tables import page

ENDED = game_lines(5, rounds=9, target=200)
SHARES = """
  window.sent = [];
  navigator.canShare = (what) => what.files.every((file) => file instanceof File);
  navigator.share = async ({ files }) => {
    document.body.dataset.asked = "";
    if (window.refuses) throw new DOMException("", window.refuses);
    for (const file of files) window.sent.push([file.name, file.type, file.size]);
    document.body.dataset.sent = window.sent.length;
  };
"""
"""A phone whose browser shares files; ``refuses``: the name of the error if it does not."""


@pytest.fixture
def sheet(tmp_path: Path) -> Iterator[str]:
    """The address of a score sheet whose game is won."""
    made = new_sheet(("Ann", "Ben", "Cat"), "g7942-en", target=20)
    made = made.with_winner(0).with_hand(1, ("red-7",)).with_hand(2, ("wild",))
    (tmp_path / "2026-02-01.score").write_text(made.text, encoding="utf-8")
    with serve_scores(tmp_path, "127.0.0.1", 0, None) as up:
        yield f"{up.url}score/2026-02-01"


@pytest.fixture
def tab(browser: Browser) -> Iterator[Tab]:
    with browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True) as context:
        yield context.new_page()


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
def test_one_tap_shares_the_file(tab: Tab, sheet: str) -> None:
    tab.add_init_script(SHARES)
    tab.goto(sheet)
    tab.get_by_role("link", name="Send the evening").tap()
    expect(tab.locator("body")).to_have_attribute("data-sent", "1")
    tab.get_by_role("link", name="The evening as a page").tap()
    expect(tab.locator("body")).to_have_attribute("data-sent", "2")
    (name, kind, size), (page_name, page_kind, page_size) = tab.evaluate("window.sent")
    assert (name, kind) == ("evening.png", "image/png")
    assert (page_name, page_kind) == ("evening.html", "text/html")
    assert 10_000 < size < 500_000
    assert 10_000 < page_size < 500_000


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
@pytest.mark.parametrize(
    "script",
    [
        pytest.param("navigator.share = navigator.canShare = undefined;", id="shares nothing"),
        pytest.param("navigator.share = async () => {}; navigator.canShare = () => false;", id="shares no files"),
        pytest.param("window.refuses = 'NotAllowedError';" + SHARES, id="the tap was too long ago"),
    ],
)
def test_where_nothing_can_be_shared_it_is_saved(tab: Tab, sheet: str, script: str) -> None:
    tab.add_init_script(script)
    tab.goto(sheet)
    with tab.expect_download() as saved:
        tab.get_by_role("link", name="Send the evening").tap()
    assert saved.value.suggested_filename.endswith("evening.png")
    assert Path(saved.value.path()).read_bytes().startswith(b"\x89PNG")


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
def test_who_closes_the_sheet_for_sharing_saves_nothing(tab: Tab, sheet: str) -> None:
    tab.add_init_script("window.refuses = 'AbortError';" + SHARES)
    saved: list[object] = []
    tab.on("download", lambda one: saved.append(one))
    tab.goto(sheet)
    tab.get_by_role("link", name="Send the evening").tap()
    expect(tab.locator("body[data-asked]")).to_be_visible()
    tab.reload()
    assert saved == []


@pytest.mark.long
@needs_chromium
def test_the_button_is_on_the_table_and_on_each_phone_when_the_game_is_won(tab: Tab, tmp_path: Path) -> None:
    with page(tmp_path, ENDED) as up:
        for path in ("games/1", "games/1/seats/2", "games/1?at=99999"):
            tab.goto(up.server.url + path)
            expect(tab.get_by_role("link", name="Send the evening")).to_be_visible()
            assert tab.get_by_role("link", name="Send the evening").get_attribute("href") == "/games/1/evening.png"
        tab.goto(up.server.url + "games/1?at=9")
        expect(tab.get_by_role("link", name="Send the evening")).to_have_count(0)
        tab.goto(up.server.url + "games")
        expect(tab.get_by_role("link", name="page to send")).to_have_attribute("href", "/games/1/evening.html")


def test_an_address_without_a_counted_round_says_so(tmp_path: Path) -> None:
    with page(tmp_path, ENDED[:5]) as up:
        client = up.client()
        for name in ("evening.png", "evening.html"):
            answer = client.get(f"games/1/{name}")
            assert answer.status_code == 409
            assert "nothing to send" in answer.text
        assert "Send the evening" not in client.get("games/1").text


@pytest.mark.slow
@needs_chromium
def test_the_page_of_an_evening_has_its_style_and_fonts_also_where_the_table_shows_it(tab: Tab, sheet: str) -> None:
    complaints: list[str] = []
    tab.on("console", lambda message: complaints.append(message.text))
    tab.goto(f"{sheet}/evening.html")
    box = tab.locator(".stand svg").first.bounding_box()
    assert box is not None
    assert box["width"] < 60
    tab.evaluate("document.fonts.ready.then(() => true)")
    assert tab.evaluate("[...document.fonts].some((font) => font.status === 'loaded')")
    assert complaints == []


def test_a_score_sheet_is_sent_with_its_day(sheet: str) -> None:
    answer = httpx.get(f"{sheet}/evening.html", timeout=PATIENCE_S)
    assert answer.status_code == 200
    assert "February 1, 2026" in answer.text
    assert answer.headers["content-disposition"] == "inline; filename=2026-02-01-evening.html"
    assert httpx.get(f"{sheet}/evening.doc", timeout=PATIENCE_S).status_code == 404


def test_the_script_that_sends_is_only_where_something_is_sent(tmp_path: Path, sheet: str) -> None:
    (folder := tmp_path / "table").mkdir()
    with page(folder, tuple(ENDED)) as up, httpx.Client(base_url=up.server.url, timeout=PATIENCE_S) as client:
        up.table.game = 1
        paths = ("games/1", "games/1/seats/0", "games/1?at=9", "games/1/board", "games", "statistics", "login")
        loads = {path for path in paths if "/send.js" in client.get(path).raise_for_status().text}
    assert loads == {"games/1", "games/1/seats/0", "games/1?at=9"}
    assert "/send.js" in httpx.get(sheet, timeout=PATIENCE_S).text
