"""The page Camera: who may use it, what reaches the table, and what can be dragged in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect
from playwright.sync_api import Page as Tab

from croupier.table_api.live_table import CameraInvitation, CameraOrder
from croupier.web.accounts import Person
from croupier.web.addresses import NetworkAddress
from tests.journal.games import game_lines
from tests.longer import some
from tests.web.chromium import needs_chromium
from tests.web.tables import Page, page

ADMIN = Person("admin")


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Page]:
    with page(tmp_path, game_lines(1)) as site:
        site.table.can_set_up_camera = True
        yield site


@pytest.mark.parametrize("role", ["spectator", "player", "referee"])
def test_only_an_admin_may_see_and_change_the_camera(role: str, up: Page) -> None:
    person = None if role == "spectator" else Person(role, 1 if role == "player" else None)
    client = up.client(person)
    assert client.get("camera").status_code == 403
    assert client.post("camera", data={"do": "save"}).status_code == 403
    assert up.table.orders == []


def test_what_the_admin_does_reaches_the_table_in_the_language_of_the_page(up: Page) -> None:
    client = up.client(ADMIN)
    answer = client.post("camera", headers={"accept-language": "de"}, data={
        "do": "save", "source": "usb:1", "pile": "10,20.5", "seats": "1,2 3,4",
    })  # fmt: skip
    assert up.table.orders == [
        CameraOrder("usb:1", (10.0, 20.5), ((1.0, 2.0), (3.0, 4.0)), measures=False, saves=True, language="de")
    ]
    assert answer.json()["seats"] == [{"name": "Ann", "at": [160.0, 220.0]}, {"name": "Ben", "at": [20.0, 120.0]}]


@pytest.mark.parametrize("fields", [{"pile": "1"}, {"pile": "a,b"}, {"seats": "1,2,3"}, {"do": "nothing"}])
def test_what_is_no_place_is_refused(fields: dict[str, str], up: Page) -> None:
    assert up.client(ADMIN).post("camera", data=fields).status_code == 422
    assert up.table.orders == []


def test_a_table_without_a_camera_to_set_up_has_no_such_page(up: Page) -> None:
    up.table.can_set_up_camera, up.table.view = False, None
    client = up.client(ADMIN)
    assert client.get("camera").status_code == 404
    assert client.post("camera", data={"do": "look"}).status_code == 404
    assert "/camera" not in client.get("games/1").text


def test_the_pile_that_cannot_be_read_is_shown_to_everybody(up: Page) -> None:
    assert "/pile.jpg" not in up.client().get("games/1").text
    up.table.alarms = (("pile", "unread"),)
    up.server.ring()
    assert "/pile.jpg" in up.client().get("games/1").text
    assert up.client().get("pile.jpg").content == up.table.picture


def test_an_admin_is_led_to_the_page_until_the_camera_knows_the_pile(up: Page) -> None:
    up.table.alarms = (("camera", "uncalibrated"),)
    assert up.client(ADMIN).get("").headers["location"] == "/camera"
    assert up.client().get("").headers["location"] == "/games/1"


@pytest.fixture
def tab(up: Page, browser: Browser) -> Iterator[Tab]:
    """The page in a browser that was opened as `croupier host` opens it."""
    context = browser.new_context(viewport={"width": 1000, "height": 800})
    made = context.new_page()
    up.table.alarms = (("camera", "uncalibrated"),)
    made.goto(f"{up.server.url}login#{up.accounts.new_code(ADMIN)}")
    made.wait_for_url("**/camera")
    expect(made.locator(".handle.pile")).to_have_count(1)
    yield made
    context.close()


def middle_of(tab: Tab, x: float, y: float) -> tuple[float, float]:
    """Where a point of the picture is on the screen."""
    box = tab.locator("#places").bounding_box()
    assert box is not None
    return box["x"] + x / 320 * box["width"], box["y"] + y / 240 * box["height"]


def answered(tab: Tab, fields: str) -> AbstractContextManager[object]:
    """Until the table has answered what was sent with these fields."""
    return tab.expect_response(lambda response: fields in (response.request.post_data or ""))


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
@pytest.mark.parametrize("scheme", some(["light", "dark"], 2))
def test_axe_finds_nothing(tab: Tab, scheme: Literal["light", "dark"]) -> None:
    tab.emulate_media(color_scheme=scheme)
    found = Axe().run(tab)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
def test_on_a_phone_nothing_is_wider_than_the_screen(tab: Tab) -> None:
    tab.set_viewport_size({"width": 360, "height": 740})
    expect(tab.locator(".handle.pile")).to_have_count(1)
    assert tab.evaluate("document.documentElement.scrollWidth") <= 360
    for _ in range(2):  # with the second answer the first has been drawn
        with tab.expect_response("**/camera"):
            pass
    width = tab.evaluate("document.querySelector('.handle.seat circle').getBoundingClientRect().width")
    assert width >= 43, "too small for a finger"


@pytest.mark.slow
@needs_chromium
def test_the_pile_and_a_seat_are_dragged_and_saved(up: Page, tab: Tab) -> None:
    expect(tab.locator("#notes")).to_contain_text("On the pile: red 7.")
    expect(tab.locator(".card-seen")).to_have_text("red 7")
    for begin, end in (((120, 100), (200, 60)), ((20, 120), (60, 60))):
        tab.mouse.move(*middle_of(tab, *begin))
        tab.mouse.down()
        tab.mouse.move(*middle_of(tab, *end), steps=4)
        with answered(tab, "pile=" if begin == (120, 100) else "seats="):
            tab.mouse.up()
    piles = [order.pile for order in up.table.orders if order.pile]
    seats = [order.seats for order in up.table.orders if order.seats]
    assert piles[0] == pytest.approx((200, 60), abs=1)
    assert seats[0] is not None
    assert seats[0][0] == (160.0, 220.0)
    assert seats[0][1] == pytest.approx((60, 60), abs=1)
    with answered(tab, "do=save"):
        tab.get_by_role("button", name="Save and use it").click()
    expect(tab.locator("#save")).to_be_enabled()  # this table does not say that it has saved
    assert any(order.saves for order in up.table.orders)


@pytest.mark.slow
@needs_chromium
def test_the_pile_is_moved_with_the_keyboard(up: Page, tab: Tab) -> None:
    tab.get_by_role("button", name="Discard pile").focus()
    with answered(tab, "pile="):
        tab.keyboard.press("ArrowRight")
    expect(tab.locator("[data-what=pile]")).to_be_focused()
    order = next(order for order in up.table.orders if order.pile)
    assert order.pile == pytest.approx((123.2, 100))


@pytest.mark.slow
@needs_chromium
def test_a_camera_is_chosen_or_given_by_its_address(up: Page, tab: Tab) -> None:
    expect(tab.get_by_label("Which camera?")).to_have_value("usb:0")
    expect(tab.get_by_label("Which camera?").locator("option").first).to_have_text("Webcam <1>")
    tab.get_by_label("Which camera?").select_option("address")
    tab.get_by_label("Its address").fill("http://phone:8080/video")
    with answered(tab, "source="):
        tab.get_by_role("button", name="Use it", exact=True).click()
    assert "http://phone:8080/video" in [order.source for order in up.table.orders]


INVITATION = CameraInvitation(
    "https://192.168.1.5:8443/#token", NetworkAddress("https://192.168.1.5:8443/#token").svg, "AB:CD:EF",
    "No phone is the camera yet.",
)  # fmt: skip


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
@pytest.mark.parametrize("scheme", some(["light", "dark"], 2))
def test_a_phone_is_shown_the_way_until_there_is_a_picture(
    scheme: Literal["light", "dark"], tab: Tab, up: Page
) -> None:
    expect(tab.locator("#phone-camera")).to_be_hidden()
    assert up.table.view is not None
    shown = up.table.view
    up.table.view = replace(shown, jpeg=b"", size=(0, 0), cards=(), pile=(), seats=(), invitation=INVITATION)
    expect(tab.locator("#phone-status")).to_have_text("No phone is the camera yet.")
    expect(tab.locator("#phone-code svg")).to_be_visible()
    expect(tab.locator("#phone-url")).to_have_text(INVITATION.url)
    expect(tab.locator(".phone-asks figure")).to_have_count(3)
    tab.get_by_text("Is it this table’s certificate?").click()
    expect(tab.locator("#phone-fingerprint")).to_have_text("AB:CD:EF")
    tab.emulate_media(color_scheme=scheme)
    tab.set_viewport_size({"width": 360, "height": 740})
    assert tab.evaluate("document.documentElement.scrollWidth") <= 360
    found = Axe().run(tab)
    assert found.violations_count == 0, found.generate_report()
    up.table.view = replace(shown, invitation=replace(INVITATION, status="The phone sends pictures."))
    expect(tab.locator("#phone-status")).to_have_text("The phone sends pictures.")
    expect(tab.locator("#phone-code")).to_be_hidden()
