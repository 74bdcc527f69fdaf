"""A round at a table whose camera is the browser of a phone: a real Chromium that films a table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Playwright, expect
from playwright.sync_api import Page as Tab

from croupier_rules.referee.observations import Fault, Play
from croupier_sim.filming import CameraFile, FilmedTable
from croupier_sim.table import Lying, Pose
from tests.web import chromium
from tests.web.chromium import SLEEPS, needs_chromium, new_tab
from tests.web.hosted import HELD_UP, NAMES, STARTER, Hosted, calibrate, camera_page, deal, end, go_on, hosted, play

pytestmark = [pytest.mark.long, needs_chromium]

BACKS = tuple(Lying("back", Pose(*place)) for place in ((-110, -120, 15), (180, 60, 80), (-30, 120, -30)))
"""Cards that lie face down beside the pile, and not on its place either when the lens was pushed."""
PUSHED_PX = (110, 70)
"""So far that nothing lies where it lay, and the up-card still on the pile's place."""


@pytest.fixture
def camera(tmp_path: Path) -> Iterator[CameraFile]:
    with closing(CameraFile(tmp_path / "camera.y4m")) as file:
        yield file


@pytest.fixture
def filming_browser(playwright: Playwright, camera: CameraFile) -> Iterator[Browser]:
    with chromium.started(playwright, *camera.flags) as browser:
        yield browser


def test_play_pauses_while_the_phone_that_is_the_camera_sleeps(
    tmp_path: Path, camera: CameraFile, filming_browser: Browser
) -> None:
    with FilmedTable(camera, len(NAMES)) as film, hosted(tmp_path, film, "phone") as table:
        tab = camera_page(table, filming_browser)
        phone = filming_phone(tab, filming_browser)
        calibrate(table, tab)
        tab.goto(f"{table.url}games/1")
        tab.get_by_role("button", name="Ann deals").click()
        deal(table, tab)
        film.lay(0, STARTER)
        table.until(lambda: table.position.phase == "turn")
        fall_asleep(table, phone)
        assert table.position.top == STARTER
        end(table)


@pytest.mark.nightly
@pytest.mark.long(minutes=3)
def test_a_whole_round_is_refereed_with_the_browser_of_a_phone_as_camera_which_sleeps_once(
    tmp_path: Path, camera: CameraFile, filming_browser: Browser
) -> None:
    with FilmedTable(camera, len(NAMES)) as film, hosted(tmp_path, film, "phone") as table:
        tab = camera_page(table, filming_browser)
        phone = filming_phone(tab, filming_browser)
        play(table, filming_browser, tab, midway=lambda: fall_asleep(table, phone))
        end(table)


def test_the_lens_of_a_phone_that_was_moved_is_told_as_that_of_any_camera(
    tmp_path: Path, camera: CameraFile, filming_browser: Browser
) -> None:
    """The cards that show it lie there from the beginning, and one more was read meanwhile: so the table knows the view
    before the lens is moved, however few pictures the browser sends."""
    with FilmedTable(camera, len(NAMES)) as film, hosted(tmp_path, film, "phone") as table:
        tab = camera_page(table, filming_browser)
        filming_phone(tab, filming_browser)
        calibrate(table, tab, *BACKS)
        tab.goto(f"{table.url}games/1")
        tab.get_by_role("button", name="Ann deals").click()
        deal(table, tab)
        film.lay(0, STARTER)
        table.until(lambda: table.position.phase == "turn")
        alarm = tab.locator("p.trouble", has_text="The camera was moved: put it back")
        film.push(*PUSHED_PX)
        expect(alarm).to_be_visible()
        table.until(lambda: table.position.phase == "paused")
        film.push()
        expect(alarm).not_to_be_visible()
        table.until(lambda: table.position.phase == "turn")
        film.push(*PUSHED_PX)
        expect(alarm).to_be_visible()
        table.until(lambda: table.position.phase == "paused")
        go_on(table, tab)
        table.until(lambda: table.position.phase == "turn")
        expect(alarm).not_to_be_visible()
        told = [one.kind for one, *_ in table.judged if isinstance(one, Fault) and one.device == "camera"]
        assert [kind for kind in told if kind not in HELD_UP] == ["moved", "moved"]
        assert not any(isinstance(one, Play) for one, *_ in table.judged)
        end(table)


def filming_phone(tab: Tab, browser: Browser) -> Tab:
    """A phone that scans the code on the page Camera (``tab``) and films the table."""
    expect(tab.locator("#phone-status")).to_contain_text("No phone is the camera yet")
    address = tab.locator("#phone-url").inner_text()
    port, token = address.rpartition(":")[2].split("/#")
    phone = new_tab(browser, ignore_https_errors=True)
    phone.add_init_script(SLEEPS)
    phone.goto(f"https://127.0.0.1:{port}/#{token}")
    phone.get_by_role("button", name="Film the table").click()
    expect(phone.locator("#state")).to_contain_text("The table sees these pictures.")
    expect(tab.locator("#phone-status")).to_contain_text("The phone sends pictures.")
    return phone


def fall_asleep(table: Hosted, phone: Tab) -> None:
    """The phone sleeps, play pauses, and goes on by itself when it is awake."""
    phone.evaluate("window.isAsleep = true; document.dispatchEvent(new Event('visibilitychange'))")
    table.until(lambda: any("The phone’s page cannot be seen" in line for line in table.said))
    table.until(lambda: table.position.phase == "paused")
    phone.evaluate("window.isAsleep = false; document.dispatchEvent(new Event('visibilitychange'))")
    table.until(lambda: table.position.phase == "turn")
