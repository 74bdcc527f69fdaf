"""A round at a table whose camera is the browser of a phone: a real Chromium that films a table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from playwright.sync_api import Page as Tab

from croupier_sim.filming import CameraFile, FilmedTable
from tests.web import chromium
from tests.web.chromium import SLEEPS, needs_chromium
from tests.web.hosted import NAMES, PLAYS, Hosted, camera_page, end, hosted, play

pytestmark = [pytest.mark.slow, needs_chromium]


@pytest.fixture
def camera(tmp_path: Path) -> Iterator[CameraFile]:
    with closing(CameraFile(tmp_path / "camera.y4m")) as file:
        yield file


@pytest.fixture
def filming_browser(camera: CameraFile) -> Iterator[Browser]:
    with chromium.started(*camera.flags) as browser:
        yield browser


@PLAYS
def test_a_round_is_refereed_with_the_browser_of_a_phone_as_camera(
    tmp_path: Path, camera: CameraFile, filming_browser: Browser, plays: int
) -> None:
    with FilmedTable(camera, len(NAMES)) as film, hosted(tmp_path, film, "phone") as table:
        tab = camera_page(table, filming_browser)
        expect(tab.locator("#phone-status")).to_contain_text("No phone is the camera yet")
        address = tab.locator("#phone-url").inner_text()
        port, token = address.rpartition(":")[2].split("/#")
        phone = filming_browser.new_context(ignore_https_errors=True).new_page()
        phone.add_init_script(SLEEPS)
        phone.goto(f"https://127.0.0.1:{port}/#{token}")
        phone.get_by_role("button", name="Film the table").click()
        expect(phone.locator("#state")).to_contain_text("The table sees these pictures.")
        expect(tab.locator("#phone-status")).to_contain_text("The phone sends pictures.")
        play(table, filming_browser, tab, plays)
        if plays == 3:
            fall_asleep(table, phone)
        end(table)


def fall_asleep(table: Hosted, phone: Tab) -> None:
    """The phone sleeps, play pauses, and goes on by itself when it is awake."""
    phone.evaluate("window.isAsleep = true; document.dispatchEvent(new Event('visibilitychange'))")
    table.until(lambda: any("The phone’s page cannot be seen" in line for line in table.said))
    table.until(lambda: table.position.phase == "paused")
    phone.evaluate("window.isAsleep = false; document.dispatchEvent(new Event('visibilitychange'))")
    table.until(lambda: table.position.phase == "turn")
