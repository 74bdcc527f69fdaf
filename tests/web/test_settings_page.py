"""Settings of a running table, changed in a browser: a real `croupier run`, seen from two more devices, restarted."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect
from playwright.sync_api import Page as Tab

from croupier.web.accounts import Accounts, Person
from tests.patience import PATIENCE_S
from tests.ports import own_port
from tests.web.chromium import needs_chromium
from tests.web.test_browser import PHONE

pytestmark = [pytest.mark.slow, needs_chromium]

TEXT = """\
# Our table.
[camera]
source = "none"
[seats]
names = ["Ann", "Ben"]  # clockwise
dealer = 0
[rules]
base = "g7942-en"
[voice]
program = "none"
[page]
address = "127.0.0.1"
port = {port}
"""


class Table:
    """`croupier run` in a folder; people lay cards on the page."""

    def __init__(self, folder: Path) -> None:
        port = own_port()
        self.url = f"http://127.0.0.1:{port}/"
        self.folder, self.file = folder, folder / "croupier.toml"
        self.file.write_text(TEXT.format(port=port))
        self.code = Accounts(folder / "croupier.journal-codes").new_code(Person("admin"))
        self.start()

    def start(self) -> None:
        """Start the program, and wait for its page."""
        self.program = subprocess.Popen(
            [sys.executable, "-m", "croupier", "run"], cwd=self.folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        end = monotonic() + PATIENCE_S
        while True:
            try:
                urlopen(self.url, timeout=PATIENCE_S).close()
                return
            except (URLError, ConnectionError):
                assert self.program.poll() is None
                assert monotonic() < end

    def kill(self) -> None:
        self.program.kill()
        self.program.wait()


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    running = Table(tmp_path)
    yield running
    running.kill()


def device(browser: Browser, url: str) -> Tab:
    tab = browser.new_context(viewport={"width": PHONE[0], "height": PHONE[1]}, locale="tlh").new_page()
    tab.goto(url)
    return tab


@pytest.mark.long
def test_settings_change_at_once_or_wait_for_the_next_game_and_outlive_the_program(
    table: Table, browser: Browser
) -> None:  # fmt: skip
    admin = device(browser, f"{table.url}login#{table.code}")
    admin.wait_for_url("**/games/1")
    phone, board = device(browser, f"{table.url}games/1/seats/0"), device(browser, f"{table.url}games/1/board")
    expect(phone.locator("body")).to_contain_text("Ben")

    admin.get_by_role("link", name="More").click()
    admin.get_by_role("link", name="Settings").click()
    admin.wait_for_url("**/settings", wait_until="load")  # with its styles, which axe judges
    for theme in ("light", "dark"):
        admin.emulate_media(color_scheme=theme)
        found = Axe().run(admin)
        assert found.violations_count == 0, found.generate_report()
    assert admin.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    admin.get_by_label("Seat 2").fill("Bea")
    admin.get_by_role("combobox", name="Colors").select_option("dark")
    admin.get_by_role("button", name="Change at once").click()
    expect(admin.get_by_role("status").filter(has_text="Changed.")).to_be_visible()
    for tab in (phone, board):
        expect(tab.locator("body")).to_contain_text("Bea")
        expect(tab.locator("body")).not_to_contain_text("Ben")

    admin.goto(f"{table.url}settings")
    admin.get_by_label("Points that end the game").fill("300")
    admin.get_by_role("button", name="Keep for the next game").click()
    expect(admin.locator(".pending")).to_contain_text("300")
    phone.goto(f"{table.url}games/1")
    expect(phone.locator("main")).to_contain_text("300")

    table.kill()
    table.start()
    admin.goto(f"{table.url}settings")
    expect(admin.get_by_label("Seat 2")).to_have_value("Bea")
    expect(admin.locator(".pending")).to_contain_text("300")
    admin.get_by_role("button", name="Take it back").click()
    expect(admin.locator(".pending")).to_have_count(0)

    admin.goto(f"{table.url}settings")
    admin.get_by_label("Language of the table").select_option("de")
    admin.get_by_role("button", name="Change at once").click()
    expect(board.locator("html")).to_have_attribute("lang", "de")
    assert table.file.read_text().startswith('# Our table.\n[camera]\nsource = "none"\n[seats]\nnames = ["Ann", "Bea"]')
