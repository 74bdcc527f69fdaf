"""Setting up on a page: over real HTTP, and in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Any

import httpx
import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Playwright, expect

from cardsight.calibrate import table
from croupier.config import load
from croupier.journal import Journal
from croupier.networks import Network
from croupier.runtime.devices import zones_of
from croupier.runtime.systemd import Systemd
from croupier.setup import page as setting_up
from croupier.setup.page import TableSetup
from croupier.web.accounts import Accounts, Person
from croupier.web.serving import serve_in_thread
from tests.patience import PATIENCE_S
from tests.pictures.test_calibrate import SPREAD, view
from tests.web import chromium
from tests.web.chromium import needs_chromium
from tests.web.test_browser import PHONE

ADMIN = Person("admin")


class Site:
    """A table that is set up, and who may come in."""

    def __init__(self, folder: Path, address: str, setup: TableSetup, accounts: Accounts) -> None:
        self.file, self.address, self.setup, self.accounts = folder / "croupier.toml", address, setup, accounts

    def client(self, person: Person | None = ADMIN) -> httpx.Client:
        client = httpx.Client(base_url=self.address, headers={"origin": self.address.rstrip("/")}, timeout=PATIENCE_S)
        if person is not None:
            client.post("/login", data={"code": self.accounts.new_code(person)})
        return client


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    accounts, setup = Accounts(), TableSetup(tmp_path / "croupier.toml")
    Journal(tmp_path / "croupier.journal").close()
    with serve_in_thread(tmp_path / "croupier.journal", accounts, setup=setup, port=0) as up:
        yield Site(tmp_path, up.url, setup, accounts)
    setup.close()


def test_a_step_is_tried_and_kept(site: Site) -> None:
    client = site.client()
    said = {"camera.source": "none", "camera.fps": "15"}
    tried = client.post("/setup/camera", data=said | {"do": "try"})
    assert "This table has no camera." in tried.text
    assert not site.file.exists()
    assert "Saved." in client.post("/setup/camera", data=said | {"do": "keep"}).text
    assert load(site.file).camera.fps == 15


def test_what_is_emptied_on_the_page_is_as_usual_again(site: Site) -> None:
    client = site.client()
    client.post("/setup/deck", data={"deck.profile": "ours.deck", "do": "keep"})
    assert 'profile = "ours.deck"' in site.file.read_text()
    assert "Saved." in client.post("/setup/deck", data={"deck.profile": "", "do": "keep"}).text
    assert "ours.deck" not in site.file.read_text()


def test_what_is_wrong_is_reported_beside_the_question_and_not_written(site: Site) -> None:
    answer = site.client().post("/setup/camera", data={"camera.fps": "<b>fast", "do": "keep"})
    assert "expected a number, 1 to 120" in answer.text
    assert 'value="&lt;b&gt;fast"' in answer.text
    assert not site.file.exists()


def test_pins_are_asked_once_they_are_needed_and_dropped_with_the_rest(site: Site) -> None:
    client = site.client()
    assert "shoe.exit" not in client.get("/setup/shoe").text
    asked = client.post("/setup/shoe", data={"shoe.kind": "pi", "do": "keep"})
    assert "shoe.exit" in asked.text
    assert "expected the pin of each" in asked.text
    assert "shoe.exit" not in client.post("/setup/shoe", data={"do": "drop"}).text


def test_whoever_sets_up_on_a_phone_lets_phones_look_at_the_table(site: Site) -> None:
    client = site.client()
    assert "Who can open its page?" in client.get("/setup/ruleset").text
    client.post("/setup/ruleset", data={"page.address": "0.0.0.0", "do": "keep"})
    assert load(site.file).page.address == "0.0.0.0"


def looked(client: httpx.Client, **order: str) -> dict[str, Any]:
    """The answer to the script of the page, once the camera has given a picture that was read."""
    until = monotonic() + PATIENCE_S
    while True:
        answer: dict[str, Any] = client.post("/camera", data=order).raise_for_status().json()
        if answer["picture"]:
            return answer
        assert monotonic() < until, answer["notes"]


@pytest.fixture
def watched(site: Site) -> Site:
    """A table whose camera sees cards, and whose calibration cannot be read."""
    folder = site.file.parent
    (folder / "seen").mkdir()
    view(folder / "seen" / "0.png", *SPREAD)
    (folder / "table.toml").write_text("as it was")
    site.file.write_text(
        f'[camera]\nsource = "{folder}/seen"\nsize = "1280x720"\ncalibration = "table.toml"\n'
        '[seats]\nnames = ["Ann", "Ben"]\n'
    )
    return site


@pytest.mark.long
@pytest.mark.slow
def test_what_people_see_and_drag_is_written_when_it_is_kept(watched: Site) -> None:
    calibration = watched.file.parent / "table.toml"
    client = watched.client()
    assert 'id="camera-view"' in client.get("/setup/table").text
    seen = looked(client)
    assert len(seen["cards"]) == len(SPREAD)
    assert [seat["name"] for seat in seen["seats"]] == ["Ann", "Ben"]
    looked(client, pile="500,300")
    client.post("/setup/seats", data={"do": "keep"})  # another step
    assert calibration.read_text() == "as it was"
    assert "are known from the calibration" in client.post("/setup/table", data={"do": "try"}).text
    client.post("/setup/table", data={"do": "drop"})
    client.post("/setup/table", data={"do": "keep"})
    assert calibration.read_text() == "as it was"
    looked(client)
    dragged = looked(client, pile="500,300", seats="20,300 900,300")
    assert not dragged["is_saved"]
    assert "Saved." in client.post("/setup/table", data={"do": "keep"}).text
    assert looked(client)["is_saved"]
    found = table.load(calibration)
    assert found.plane.to_px([found.pile])[0] == pytest.approx((500, 300), abs=0.5)
    assert zones_of(load(watched.file)) is not None


def test_without_a_camera_and_with_contradictions_there_is_no_picture(site: Site) -> None:
    client = site.client()
    assert 'id="camera-view"' not in client.post("/setup/camera", data={"camera.source": "none"}).text
    assert client.post("/camera", data={"do": "look"}).text == "This table has no camera."
    client.post("/setup/camera", data={"camera.source": "usb:0"})
    contradicted = client.post("/setup/shoe", data={"shoe.kind": "pi"})
    assert "expected the pin of each" in contradicted.text
    assert 'id="camera-view"' not in client.get("/setup/table").text
    assert client.post("/camera", data={"do": "look"}).status_code == 409


@pytest.mark.parametrize("person", [None, Person("referee")])
@pytest.mark.parametrize("path", ["/setup/camera", "/setup/file"])
def test_it_is_for_the_admin_alone(site: Site, person: Person | None, path: str) -> None:
    client = site.client(person)
    assert client.get(path).status_code == 403
    assert client.post(path, data={"camera.source": "none", "do": "keep"}).status_code == 403
    assert client.post("/camera", data={"do": "look"}).status_code == 403
    assert client.get("/").headers["location"] == "/login"
    assert not site.file.exists()


def test_a_step_that_is_not_there_is_said(site: Site) -> None:
    assert site.client().get("/setup/kitchen").status_code == 404


def test_a_broken_file_is_shown_by_line_checked_and_written_and_kept_as_it_was_before(site: Site) -> None:
    broken = "[camera]\nsoruce = 3\n"
    site.file.write_text(broken)
    client = site.client()
    assert client.get("/setup").headers["location"] == "/setup/file"
    assert client.get("/setup/camera").headers["location"] == "/setup/file"
    shown = client.get("/setup/file").text
    assert re.search(r"Line 2</strong>\s*\[camera\] soruce: unknown option", shown)
    still = client.post("/setup/file", data={"text": broken, "do": "save"}).text
    assert "soruce: unknown option" in still
    right = '[camera]\r\nsource = "none"  # ours\r\n'
    assert "Everything is in order" in client.post("/setup/file", data={"text": right, "do": "check"}).text
    assert site.file.read_text() == broken
    assert "Saved." in client.post("/setup/file", data={"text": right, "do": "save"}).text
    assert site.file.read_text() == '[camera]\nsource = "none"  # ours\n'
    assert site.file.with_name("croupier.toml.before").read_text() == broken
    assert client.get("/setup").headers["location"] == "/setup/camera"


class Waiting:
    """`croupier run --mend` at a table that cannot be played at yet."""

    def __init__(self, file: Path, capfd: pytest.CaptureFixture[str]) -> None:
        self.setup, self._capfd = setting_up.TableSetup(file), capfd
        self._thread = Thread(target=setting_up.wait_until_valid, args=(file, Systemd({})), daemon=True)
        self._told = ""

    def told(self, what: str) -> str:
        """All that it has told since, once that is in it."""
        while what not in self._told:
            assert self.waits()
            self._told += "".join(self._capfd.readouterr())
        told, self._told = self._told, ""
        return told

    def start(self) -> Waiting:
        self._thread.start()
        return self

    def waits(self, seconds: float = 0.05) -> bool:
        self._thread.join(seconds)
        return self._thread.is_alive()


@pytest.fixture
def waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[[Path], Waiting]:
    def wait(file: Path) -> Waiting:
        made = Waiting(file, capfd)
        monkeypatch.setattr(setting_up, "TableSetup", lambda _file: made.setup)
        monkeypatch.setattr(setting_up, "ALIVE_S", 0.01)
        return made.start()

    return wait


def test_a_table_waits_until_its_file_is_mended(tmp_path: Path, waiting: Callable[[Path], Waiting]) -> None:
    file = tmp_path / "croupier.toml"
    file.write_text("[page]\nport = 0\n[tabel]\n")
    table = waiting(file)
    told = table.told("code")
    assert "croupier.toml:3: tabel: unknown section: did you mean table?" in told
    assert table.waits()
    table.setup.save('[camera]\nsource = "none"\n')
    assert not table.waits(10)


def test_on_a_machine_without_a_screen_the_address_for_phones_is_told(
    tmp_path: Path, waiting: Callable[[Path], Waiting], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("croupier.networks.own_networks", lambda: (Network("wlan0", ("192.0.2.7",), "wlan"),))
    file = tmp_path / "croupier.toml"
    file.write_text('[page]\naddress = "0.0.0.0"\n[tabel]\n')
    table = waiting(file)
    assert re.search(r"On your network it is at http://192\.0\.2\.7:\d+/\n", table.told("192.0.2.7"))
    table.setup.save('[camera]\nsource = "none"\n')
    assert not table.waits(10)


NO_PLACES = "the place of the discard pile in the picture is missing"


@pytest.mark.parametrize(
    ("text", "wanting"),
    [
        pytest.param(None, "No such file or directory: expected the file that describes the table", id="no-file"),
        pytest.param("[table]\n", NO_PLACES, id="no-places"),
        pytest.param('[camera]\ncalibration = "gone.toml"\n', "gone.toml: no such file", id="no-calibration"),
        pytest.param(
            '[camera]\nsource = "none"\n[deck]\nprofile = "gone.deck"\n', "gone.deck: no such file", id="no-deck"
        ),
    ],
)
def test_a_table_waits_as_well_for_what_its_file_names_and_what_it_needs(
    tmp_path: Path, waiting: Callable[[Path], Waiting], text: str | None, wanting: str
) -> None:
    file = tmp_path / "croupier.toml"
    if text is not None:
        file.write_text(text)
    table = waiting(file)
    assert wanting in table.told("code")
    table.setup.save("[camera]\nfps = 15\n")  # right as a file, and still nobody could play
    table.told(NO_PLACES)
    assert table.waits()
    table.setup.act("camera", "keep", {"camera.source": "none"})
    assert not table.waits(10)


def test_a_file_that_is_right_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "croupier.toml").write_text('[camera]\nsource = "none"\n')
    setting_up.wait_until_valid(tmp_path / "croupier.toml", Systemd({}))


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
def test_by_keyboard_on_a_phone_and_axe_finds_nothing(site: Site, playwright: Playwright) -> None:
    with chromium.started(playwright) as browser:
        tab = browser.new_page(base_url=site.address, viewport={"width": PHONE[0], "height": PHONE[1]})
        tab.goto("/")
        tab.get_by_label("Your code").focus()
        tab.keyboard.type(site.accounts.new_code(ADMIN))
        tab.keyboard.press("Enter")
        source = tab.get_by_label("Which camera?")
        source.focus()
        tab.keyboard.press("Control+A")
        tab.keyboard.type("none")
        tab.keyboard.press("Enter")
        expect(tab.get_by_text("This table has no camera.").first).to_be_visible()
        assert Axe().run(tab).response["violations"] == []
        tab.get_by_role("button", name="Keep").focus()
        tab.keyboard.press("Enter")
        expect(tab.get_by_text("Saved.")).to_be_visible()
        tab.goto("/setup/file")
        assert Axe().run(tab).response["violations"] == []
        assert tab.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    assert load(site.file).camera.source == "none"


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
def test_the_pile_is_dragged_on_the_live_picture_in_the_words_of_the_reader(
    watched: Site, playwright: Playwright
) -> None:
    with chromium.started(playwright) as browser:
        tab = browser.new_page(
            base_url=watched.address, viewport={"width": PHONE[0], "height": PHONE[1]}, locale="de", has_touch=True
        )
        tab.goto("/login")
        tab.locator("[name=code]").fill(watched.accounts.new_code(ADMIN))
        tab.keyboard.press("Enter")
        tab.wait_for_url("**/setup/camera")
        expect(tab.locator(".card-seen", has_text="rote 7")).to_have_count(1)
        expect(tab.locator(".handle")).to_have_count(0)
        tab.goto("/setup/table")
        expect(tab.locator(".handle.seat")).to_have_count(2)
        pile = tab.locator(".handle.pile").bounding_box()
        assert pile is not None
        tab.locator(".handle.pile").scroll_into_view_if_needed()
        with tab.expect_response(lambda response: "pile=" in (response.request.post_data or "")) as dragged:
            tab.locator(".handle.pile").drag_to(tab.locator("#places"), target_position={"x": 90, "y": 60})
        box = tab.locator("#places").bounding_box()
        assert box is not None
        middle = np.mean(dragged.value.json()["pile"], axis=0)
        assert middle * box["width"] / 1280 == pytest.approx((90, 60), abs=3)
        assert Axe().run(tab).response["violations"] == []
        assert tab.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
        tab.locator("[value=keep]").click()
        expect(tab.get_by_text("Gespeichert.")).to_be_visible()
    found = table.load(watched.file.parent / "table.toml")
    assert found.plane.to_px([found.pile])[0] == pytest.approx(middle, abs=1)
