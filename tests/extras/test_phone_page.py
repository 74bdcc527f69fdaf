"""The page of the phone that films, in a real browser whose camera shows a picture of one gray."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Playwright, expect
from playwright.sync_api import Page as Tab

from cardsight.errors import NoFrame
from croupier_extras.phone_camera.camera import PhoneCamera
from croupier_sim.filming import CameraFile
from tests.extras.phones import camera_at, token
from tests.longer import some
from tests.web import chromium
from tests.web.chromium import SLEEPS, needs_chromium

pytestmark = [pytest.mark.slow, needs_chromium]

SIZE = (320, 240)
GRAY = 120

NO_WEBSOCKET = "const Real = WebSocket; window.WebSocket = function (url) { return new Real(url + '-refused'); };"
"""As Safari does it where it does not know the certificate."""
NO_CAMERA = "Object.defineProperty(navigator, 'mediaDevices', { value: undefined });"
REFUSES = "navigator.mediaDevices.getUserMedia = async () => {{ throw new DOMException('', '{}'); }};"


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CameraFile]:
    with closing(CameraFile(tmp_path_factory.mktemp("film") / "camera.y4m", SIZE)) as file:
        file.show(np.full((SIZE[1], SIZE[0], 3), GRAY, np.uint8))
        yield file


@pytest.fixture(scope="module")
def browser(playwright: Playwright, film: CameraFile) -> Iterator[Browser]:
    with chromium.started(playwright, *film.flags) as one:
        yield one


@pytest.fixture(scope="module")
def camera(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PhoneCamera]:
    with camera_at(tmp_path_factory.mktemp("table"), patience_s=0.2) as one:
        yield one


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    with closing(browser.new_context(ignore_https_errors=True, viewport={"width": 360, "height": 740})) as one:
        yield one


def scanned(context: BrowserContext, camera: PhoneCamera, script: str = "") -> Tab:
    """The page that a phone opens by the code."""
    tab = context.new_page()
    tab.add_init_script(script)
    tab.goto(f"https://127.0.0.1:{camera.port}/#{token(camera)}")
    return tab


def filming(context: BrowserContext, camera: PhoneCamera, script: str = "") -> Tab:
    tab = scanned(context, camera, script)
    tab.get_by_role("button", name="Film the table").click()
    expect(tab.locator("#state")).to_contain_text("The table sees these pictures.")
    return tab


def assert_seen(camera: PhoneCamera) -> None:
    """The table gets the picture that is before the browser's camera."""
    while True:
        try:
            frame = camera.frame()
        except NoFrame:
            continue
        assert frame.image.shape == (SIZE[1], SIZE[0], 3)
        assert abs(float(frame.image.mean()) - GRAY) < 6
        assert frame.t - frame.u <= camera.now()
        return


def until(camera: PhoneCamera, text: str) -> None:
    """Ask for pictures until there is none for this reason."""
    why = ""
    while text not in why:
        try:
            camera.frame()
        except NoFrame as err:
            why = str(err)


@pytest.mark.parametrize(
    "script", some([pytest.param("", id="websocket"), pytest.param(NO_WEBSOCKET, id="no-websocket")], 2)
)
def test_the_table_sees_what_the_phone_films(script: str, context: BrowserContext, camera: PhoneCamera) -> None:
    tab = scanned(context, camera, script)
    expect(tab.get_by_role("button", name="Film the table")).to_be_enabled()
    expect(tab.locator("#film-view")).to_be_hidden()
    tab = filming(context, camera, script)
    assert_seen(camera)
    expect(tab.locator("#film-view")).to_be_visible()
    expect(tab.get_by_role("button", name="Film the table")).to_be_hidden()


@pytest.mark.long
def test_a_phone_that_sleeps_is_told_and_goes_on_by_itself(context: BrowserContext, camera: PhoneCamera) -> None:
    tab = filming(context, camera, SLEEPS)
    assert_seen(camera)
    tab.evaluate("window.isAsleep = true; document.dispatchEvent(new Event('visibilitychange'))")
    until(camera, "The phone’s page cannot be seen")
    tab.evaluate("window.isAsleep = false; document.dispatchEvent(new Event('visibilitychange'))")
    assert_seen(camera)


@pytest.mark.long
def test_another_phone_takes_over_and_the_first_says_so(
    context: BrowserContext, browser: Browser, camera: PhoneCamera
) -> None:
    first = filming(context, camera)
    with closing(browser.new_context(ignore_https_errors=True)) as other:
        filming(other, camera)
        expect(first.locator("#state")).to_contain_text("This phone is not the camera now")
        assert_seen(camera)


@pytest.mark.long
def test_the_phone_comes_back_to_a_table_that_was_started_anew(context: BrowserContext, tmp_path: Path) -> None:
    with camera_at(tmp_path) as before:
        tab = filming(context, before)
        port = before.port
    expect(tab.locator("#state")).to_contain_text("The table cannot be reached.")
    with closing(PhoneCamera(tmp_path / "phone.pem", port=port, host="127.0.0.1", size=SIZE, fps=15.0)) as after:
        expect(tab.locator("#state")).to_contain_text("The table sees these pictures.")
        assert_seen(after)


@pytest.mark.parametrize(
    ("script", "said", "can_try"),
    [
        pytest.param(NO_CAMERA, "This browser gives pages no camera.", False, id="no-camera"),
        pytest.param(
            REFUSES.format("NotAllowedError"), "The browser keeps the camera from this page.", True, id="denied"
        ),
        pytest.param(REFUSES.format("NotReadableError"), "The camera does not start", True, id="in-use"),
    ],
)
def test_what_keeps_the_phone_from_filming_is_said(
    script: str, said: str, can_try: bool, context: BrowserContext, camera: PhoneCamera
) -> None:
    tab = scanned(context, camera, script)
    button = tab.get_by_role("button", name="Film the table")
    if can_try:
        button.click()
    expect(tab.locator("#state")).to_contain_text(said)
    expect(button).to_be_enabled(enabled=can_try)


@pytest.mark.parametrize("scheme", some(["light", "dark"], 2))
def test_axe_finds_nothing_and_nothing_is_wider_than_a_phone(
    scheme: Literal["light", "dark"], context: BrowserContext, camera: PhoneCamera
) -> None:
    tab = filming(context, camera)
    tab.emulate_media(color_scheme=scheme)
    red, *_ = map(int, re.findall(r"\d+", tab.evaluate("getComputedStyle(document.body).backgroundColor")))
    assert (red < 100) == (scheme == "dark")
    found = Axe().run(tab)
    assert found.violations_count == 0, found.generate_report()
    assert tab.evaluate("document.documentElement.scrollWidth") <= 360
