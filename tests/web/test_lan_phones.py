"""Phones in the local network, by HTTP and by HTTPS: how they come from the one to the other, what keeps their screens
on, and that each has every turn, awake or woken for it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic
from typing import Final

import pytest
from playwright.sync_api import Browser, BrowserContext, Playwright, expect
from playwright.sync_api import Page as Tab

from croupier.journal import Journal, text_of
from croupier.web.accounts import Accounts, Person
from croupier.web.serving import ServerThread
from croupier_extras.certificate import own_certificate
from tests.first_evening.guests import PHONE
from tests.first_evening.house import HOTSPOT, browser_on, joined
from tests.namespaces import World
from tests.patience import PATIENCE_S
from tests.web.chromium import SLEEPS, needs_chromium
from tests.web.moments import log
from tests.web.tables import QUICK, Page, RecordingTable

pytestmark = [pytest.mark.long(minutes=2), needs_chromium]

SEATS: Final = 4
PORT: Final = 8300
HOST: Final = HOTSPOT.table[0].partition("/")[0]
TURN_S: Final = 20
MINUTES: Final = 30
PLAYS: Final = 40

HAS_SCREEN: Final = """
if (navigator.wakeLock) navigator.wakeLock.request = async () => (
  { released: false, async release() { this.released = true; } });
"""
"""A browser without a screen refuses wake locks, where pages have them at all."""


def plays() -> list[str]:
    """Forty cards, each of which may follow the one before; the first follows a red 7."""
    up, down = range(1, 10), range(9, 0, -1)
    runs = [("red", down), ("yellow", up), ("green", down), ("blue", up)]
    faces = ["red-9", *(f"{color}-{n}" for color, numbers in runs for n in numbers)][1:]
    return ["red-8", *faces, "blue-8", "blue-7", "blue-6"]


class Phone:
    """A phone that shows its seat. ``console``: what its page wrote there."""

    def __init__(self, context: BrowserContext, url: str, seat: int) -> None:
        context.add_init_script(SLEEPS)
        context.add_init_script(HAS_SCREEN)
        context.add_cookies([{"name": "croupier", "value": f"phone-{seat}", "url": url, "sameSite": "Strict"}])
        self.tab, self.seat, self._is_asleep = context.new_page(), seat, False
        self.console: list[str] = []
        self.tab.on("console", lambda one: self.console.append(f"{one.type}: {one.text}"))
        self.tab.on("pageerror", lambda error: self.console.append(str(error)))
        self.tab.clock.install()
        self._page = context.new_cdp_session(self.tab)
        self.tab.goto(f"{url}games/1/seats/{seat}")

    def expect_turn(self, *, is_own: bool) -> None:
        """The phone shows whose turn it is."""
        expect(self.tab.locator("#mine[data-turn]" if is_own else "#mine:not([data-turn])")).to_be_visible()

    def sleep(self, way: str) -> None:
        """Fall asleep. ``way``: ``frozen``: the page stands still and nothing comes through; ``hidden``: it goes on
        behind another; ``silent``: it is told nothing, and stands still, as a laptop that is shut."""
        self._is_asleep = True
        if way != "silent":
            self._see(is_hidden=True)
        if way != "hidden":
            self.tab.context.set_offline(True)
            self._page.send("Page.setWebLifecycleState", {"state": "frozen"})

    def wake(self) -> None:
        """Wake up."""
        if not self._is_asleep:
            return
        self._is_asleep = False
        self._page.send("Page.setWebLifecycleState", {"state": "active"})
        self.tab.context.set_offline(False)
        self._see(is_hidden=False)

    def pass_time(self, seconds: int) -> None:
        """The clock of the phone goes on, whether it sleeps or not."""
        self.tab.clock.fast_forward(seconds * 1000)

    def _see(self, *, is_hidden: bool) -> None:
        self.tab.evaluate(
            "is => { window.isAsleep = is; document.dispatchEvent(new Event('visibilitychange')) }", is_hidden
        )


@contextmanager
def phones(
    scheme: str, lines: list[str], world: World, playwright: Playwright, folder: Path, seats: int = SEATS
) -> Iterator[tuple[Page, list[Phone]]]:
    """A table in a hotspot with the game of these ``lines``, and phones there for the first ``seats``."""
    machine = world.machine("table")
    guests = joined(world, machine, HOTSPOT).phone
    own_certificate(certificate := folder / "own.pem", [HOST])
    path, accounts, table = folder / "croupier.journal", Accounts(hasher=QUICK), RecordingTable()
    for seat in range(SEATS):
        accounts.open(f"phone-{seat}", Person("player", seat))
    with ExitStack() as stack:
        journal = stack.enter_context(Journal(path))
        journal.add(lines, began=1.7e9)
        listener = stack.enter_context(machine.listen(HOST, PORT))
        server = ServerThread(listener, path, accounts, table, certificate=certificate)
        stack.callback(server.stop)
        browser: Browser = stack.enter_context(browser_on(guests, playwright, folder))
        url = f"{scheme}://{HOST}:{PORT}/"
        yield (
            Page(server, table, accounts, journal),
            [Phone(browser.new_context(viewport=PHONE, ignore_https_errors=True), url, seat) for seat in range(seats)],
        )


def comes_true(tab: Tab, condition: str) -> None:
    """Wait for what the scripts of a page hold."""
    end = monotonic() + PATIENCE_S
    while not tab.evaluate(condition):
        assert monotonic() < end, condition
        tab.wait_for_timeout(50)


def test_a_phone_comes_to_https_with_its_seat_and_nothing_is_on_the_console(
    world: World, playwright: Playwright, tmp_path: Path
) -> None:
    with phones("http", log(), world, playwright, tmp_path, 1) as (_up, (guest,)):
        phone, offer = guest.tab, guest.tab.get_by_role("link", name="Keep the screen on")
        assert phone.evaluate("isSecureContext") is False
        expect(offer).to_be_visible()
        below = "top => document.querySelector('#secure-offer a').getBoundingClientRect().top - top"
        gap = phone.get_by_text("Leave or change seats").evaluate(f"it => ({below})(it.getBoundingClientRect().bottom)")
        assert gap >= 8, "keys do not touch each other"
        offer.click()
        expect(phone.locator("figure")).to_have_count(3)
        phone.get_by_role("link", name="Go on with https").click()
        phone.wait_for_url(f"https://{HOST}:{PORT}/games/1/seats/0")
        assert phone.evaluate("isSecureContext") is True
        expect(phone.get_by_text("Leave or change seats")).to_be_visible()
        expect(offer).not_to_be_visible()
        comes_true(phone, "lock !== null && !lock.released")
        assert phone.locator("video").count() == 0
        phone.reload()
        comes_true(phone, "lock !== null && !lock.released")
        assert guest.console == []


def test_without_https_a_silent_video_keeps_the_screen_on_but_in_a_break(
    world: World, playwright: Playwright, tmp_path: Path
) -> None:
    with phones("http", log(), world, playwright, tmp_path, 1) as (_up, (guest,)):
        phone, offer = guest.tab, guest.tab.get_by_role("link", name="Keep the screen on")
        expect(phone.locator("#my-name")).to_be_visible()
        assert phone.locator("video").count() == 0, "a browser plays nothing before the first touch"
        phone.locator("#my-name").click()
        comes_true(phone, "video && !video.paused && video.readyState >= 3")
        assert phone.evaluate("[video.muted, video.loop]") == [False, False]
        comes_true(phone, "video.currentTime > 1")
        phone.clock.fast_forward("10:00")
        comes_true(phone, "video.paused")
        phone.locator("#my-name").click()
        comes_true(phone, "!video.paused")
        guest.sleep("hidden")
        comes_true(phone, "video.paused")
        guest.wake()
        comes_true(phone, "!video.paused")
        offer.click()
        phone.get_by_role("link", name="Play on without it").click()
        expect(phone.locator("#my-name")).to_be_visible()
        expect(offer).not_to_be_visible()
        assert guest.console == []


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_each_phone_has_every_turn_of_forty_plays(
    scheme: str, world: World, playwright: Playwright, tmp_path: Path
) -> None:
    lines = log(given={"hands": [PLAYS // SEATS + 2] * SEATS})
    with phones(scheme, lines, world, playwright, tmp_path) as (up, guests):
        for n, card in enumerate(plays()):
            for guest in guests:
                guest.expect_turn(is_own=guest.seat == n % SEATS)
            up.write(text_of({"obs": "play", "t": n + 1.0, "card": card}))
            assert up.last_line() == n + 1
        assert n + 1 == PLAYS
        for guest in guests:
            guest.expect_turn(is_own=guest.seat == PLAYS % SEATS)
            assert guest.tab.evaluate("isSecureContext") is (scheme == "https")
            assert guest.console == []


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_no_phone_misses_a_turn_in_thirty_minutes_in_which_they_sleep(
    scheme: str, world: World, playwright: Playwright, tmp_path: Path
) -> None:
    """The phones of others sleep, each in one of three ways, while somebody is on turn; whoever is on turn has just
    taken up the own one."""
    chance, lines = random.Random(47), log(given={"hands": [7] * SEATS})
    with phones(scheme, lines, world, playwright, tmp_path) as (up, guests):
        for n in range(MINUTES * 60 // TURN_S):
            on_turn = n % SEATS
            guests[on_turn].wake()
            guests[on_turn].expect_turn(is_own=True)
            for guest in guests:
                if guest.seat != on_turn and not guest._is_asleep and chance.random() < 0.7:
                    guest.sleep(chance.choice(("frozen", "hidden", "silent")))
                guest.pass_time(TURN_S)
            t = float(n * TURN_S)
            up.write(
                text_of({"obs": "drew", "t": t + 1, "seat": on_turn, "n": 1}),
                text_of({"obs": "pass", "t": t + 2, "seat": on_turn}),
            )
        for guest in guests:
            guest.wake()
            guest.expect_turn(is_own=guest.seat == (n + 1) % SEATS)
