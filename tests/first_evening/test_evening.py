"""First evenings in strange houses: from `croupier host` to the score of a round."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Final, Self

import pytest
from playwright.sync_api import Playwright, expect

from croupier_bench.link import Vm
from croupier_rules.referee.observations import Fault
from croupier_sim.board.pico import interpreter
from tests.first_evening.clock import WallClock
from tests.first_evening.evening import Evening, Mishap, evening
from tests.first_evening.guests import Guest, GuestInAnotherLanguage, Refuser, Sleeper, Translated
from tests.first_evening.house import HOUSES, House
from tests.first_evening.portal import OUTSIDE, TITLE, captive_portal
from tests.first_evening.usb import PluggedCamera, show_cameras
from tests.link.ptys import GPS, Talker
from tests.longer import run_number
from tests.namespaces import Machine, World
from tests.vision.usb_machine import UsbMachine
from tests.web.chromium import needs_chromium
from tests.web.hosted import THREE, calibrate, end, hosted

pytestmark = [pytest.mark.long(minutes=1), needs_chromium]
needs_micropython = pytest.mark.skipif(interpreter() is None, reason="MicroPython's VM is for Linux on x86-64")

SEASON: Final = timedelta(days=92)
NAMES: Final = ("Zoë", "Mary Ann", "دوست\u200cمن", "山田　太郎")
"""As they are typed. A table keeps them with plain spaces."""


def guests() -> tuple[Guest, ...]:
    """Four guests with phones of four kinds."""
    zoe, mary, dost, taro = NAMES
    return Sleeper(zoe), Translated(mary), Refuser(dost), GuestInAnotherLanguage(taro, "de")


def begin(one: Evening) -> None:
    """Show the table its places, and let everybody sit down."""
    calibrate(one.table, one.admin)
    one.sit_down(*guests())
    *others, own = (" ".join(name.split()) for name in NAMES)
    phone = one.guests[-1].tab
    expect(phone.locator("#my-name span")).to_have_text(own)
    for name in others:
        expect(phone.locator("ul.others")).to_contain_text(name)


def play(one: Evening, *mishaps: Mishap) -> None:
    """A round: its score stands everywhere, and the program ends in order."""
    one.expect_score(one.play(*mishaps))
    end(one.table)


def mirror(one: Evening) -> None:
    """At first the camera mirrors its pictures."""
    one.lens.is_mirrored = True
    one.table.film.show(*THREE)
    expect(one.admin.locator("main")).to_contain_text("Turn off the mirror image")
    one.lens.is_mirrored = False


def freeze(one: Evening) -> None:
    """The picture of the camera freezes for a while."""
    one.lens.is_frozen = True
    one.is_paused(by="picture is frozen")
    one.lens.is_frozen = False
    one.goes_on()
    assert "frozen" in [seen.kind for seen, *_ in one.table.judged if isinstance(seen, Fault)]


class Jump:
    """The clock jumps three months ahead: everybody who was logged in at first presses keys to the end."""

    def __init__(self, folder: Path) -> None:
        self.clock = WallClock(folder, -SEASON)

    def __call__(self, one: Evening) -> None:
        self.clock.set(timedelta(0))
        one.is_told("clock was changed")
        one.admin.goto(f"{one.url}people")
        expect(one.admin.locator("h1")).to_have_text("Players")


class Replug:
    """The camera on USB is unplugged. Another one gets its number, and then it is plugged in at another place."""

    def __init__(self, folder: Path, table: Machine) -> None:
        self._usb = UsbMachine(folder / "usb")
        show_cameras(self._usb, table)
        self.camera = PluggedCamera(self._usb)
        assert self.camera.plug("1-1") == 0

    def __call__(self, one: Evening) -> None:
        self.camera.unplug("1-1")
        one.is_paused(by="There is no picture from the camera")
        assert self._usb.plug("Laptop cam", "1-4", serial="L1", model="0408:30d4") == 0
        one.admin.goto(f"{one.url}games/1")
        expect(one.admin.locator("main")).to_contain_text('"HD Webcam" was unplugged')
        assert self.camera.plug("1-3") == 2
        one.is_told("The camera sees the table again")
        one.goes_on()


class BoardLater:
    """A GPS receiver is at the port of the board, until the board comes."""

    def __init__(self, folder: Path) -> None:
        self.port, self._there = folder / "ttyACM0", ExitStack()

    def __enter__(self) -> Self:
        self._plug(Talker(GPS))
        return self

    def __exit__(self, *_: object) -> None:
        self._there.close()

    def __call__(self, one: Evening) -> None:
        one.is_told('a GPS receiver sends "$GPGGA,123519')
        self._plug(Vm())
        one.is_told("The Pico is back")

    def _plug(self, other: Talker | Vm) -> None:
        self.port.unlink(missing_ok=True)
        self._there.close()
        self._there.enter_context(other)
        self.port.symlink_to(other.path)


def test_a_camera_behind_a_captive_portal_is_told_as_the_page_that_answers(tmp_path: Path, world: World) -> None:
    house = House(world, HOUSES["home"])
    router = house.places[0].router
    assert router is not None
    source = f"http://{OUTSIDE}/video"
    with captive_portal(router), hosted(tmp_path, None, source, NAMES, house.table.command) as table:
        table.until(lambda: any("The page is at" in line for line in table.said))
        table.until(lambda: any(f'forwards to a web page, "{TITLE}"' in line for line in table.said))
        end(table)


def test_in_a_home_the_camera_mirrors_and_freezes(tmp_path: Path, world: World, playwright: Playwright) -> None:
    house = House(world, HOUSES["home"])
    router = house.places[0].router
    assert router is not None
    with captive_portal(router), evening(tmp_path, house, playwright) as one:
        mirror(one)
        begin(one)
        play(one, freeze)


def test_in_a_hotspot_the_clock_jumps_three_months_ahead(tmp_path: Path, world: World, playwright: Playwright) -> None:
    jump = Jump(tmp_path)
    with evening(tmp_path, House(world, HOUSES["hotspot"]), playwright, clock=jump.clock) as one:
        begin(one)
        play(one, jump)


@needs_micropython
def test_with_ipv6_only_a_gps_receiver_is_at_the_boards_port_until_the_board_comes(
    tmp_path: Path, world: World, playwright: Playwright
) -> None:
    house = House(world, HOUSES["ipv6-only"])
    with BoardLater(tmp_path) as board, evening(tmp_path, house, playwright, board=board.port) as one:
        assert one.admin.url.startswith("http://[fd00:46::5]:8300/")
        begin(one)
        board(one)
        play(one)


def test_in_two_networks_the_camera_is_plugged_in_again_under_another_number(
    tmp_path: Path, world: World, playwright: Playwright
) -> None:
    house = House(world, HOUSES["two-networks"])
    replug = Replug(tmp_path, house.table)
    with evening(tmp_path, house, playwright, usb=replug.camera) as one:
        assert [room.url for room in one.rooms] == ["http://192.168.1.5:8300/", "http://10.42.0.1:8300/"]
        begin(one)
        play(one, replug)


@pytest.mark.nightly
@needs_micropython
@pytest.mark.parametrize("n", range(3))
def test_mishaps_come_together(n: int, tmp_path: Path, world: World, playwright: Playwright) -> None:
    """A house and the mishaps that the number of the run draws."""
    chance = Random(f"{run_number()} {n}")
    house = House(world, HOUSES[chance.choice(sorted(HOUSES))])
    drawn = chance.sample(["mirror", "freeze", "jump", "replug", "board"], 4)
    jump = Jump(tmp_path) if "jump" in drawn else None
    replug = Replug(tmp_path, house.table) if "replug" in drawn else None
    in_play = [mishap for mishap in (jump, replug, freeze if "freeze" in drawn else None) if mishap is not None]
    chance.shuffle(in_play)
    with ExitStack() as stack:
        board = stack.enter_context(BoardLater(tmp_path)) if "board" in drawn else None
        one = stack.enter_context(evening(
            tmp_path, house, playwright, clock=None if jump is None else jump.clock,
            board=None if board is None else board.port, usb=None if replug is None else replug.camera,
        ))  # fmt: skip
        if "mirror" in drawn:
            mirror(one)
        begin(one)
        if board is not None:
            board(one)
        play(one, *in_play)
