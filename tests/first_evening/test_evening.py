"""First evenings in strange houses: from `croupier host` to the score of a round."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Playwright, expect

from croupier_rules.referee.observations import Fault
from tests.first_evening.clock import WallClock
from tests.first_evening.evening import Evening, evening
from tests.first_evening.guests import Guest, GuestInAnotherLanguage, Refuser, Sleeper, Translated
from tests.first_evening.house import HOUSES
from tests.first_evening.portal import OUTSIDE, TITLE, captive_portal
from tests.link.ptys import GPS, Talker
from tests.namespaces import World
from tests.web.chromium import needs_chromium
from tests.web.hosted import THREE, calibrate, end, hosted

pytestmark = [pytest.mark.long(minutes=1), needs_chromium]

SEASON: Final = timedelta(days=92)
NAMES: Final = ("Zoë", "Mary Ann", "دوست\u200cمن", "山田　太郎")
"""As they are typed. A table keeps them with plain spaces."""


def guests() -> tuple[Guest, ...]:
    """Four guests with phones of four kinds."""
    zoe, mary, dost, taro = NAMES
    return Sleeper(zoe), Translated(mary), Refuser(dost), GuestInAnotherLanguage(taro, "de")


def end_of(one: Evening, points: int) -> None:
    """The score stands everywhere, and the program ends in order."""
    one.expect_score(points)
    end(one.table)


def test_a_camera_behind_a_captive_portal_is_told_as_the_page_that_answers(tmp_path: Path, world: World) -> None:
    house = HOUSES["home"](world)
    assert house.router is not None
    source = f"http://{OUTSIDE}/video"
    with captive_portal(house.router), hosted(tmp_path, None, source, NAMES, house.table.command) as table:
        table.until(lambda: any("The page is at" in line for line in table.said))
        table.until(lambda: any(f'forwards to a web page, "{TITLE}"' in line for line in table.said))
        end(table)


def begin(one: Evening) -> None:
    """Show the table its places, and let everybody sit down."""
    calibrate(one.table, one.admin)
    one.sit_down(*guests())
    *others, own = (" ".join(name.split()) for name in NAMES)
    phone = one.guests[-1].tab
    expect(phone.locator("#my-name")).to_have_text(own)
    for name in others:
        expect(phone.locator("ul.others")).to_contain_text(name)


def test_in_a_home_the_camera_mirrors_and_freezes(tmp_path: Path, world: World, playwright: Playwright) -> None:
    def freeze(one: Evening) -> None:
        one.lens.is_frozen = True
        one.is_paused(by="picture is frozen")
        one.lens.is_frozen = False
        one.goes_on()

    house = HOUSES["home"](world)
    assert house.router is not None
    with captive_portal(house.router), evening(tmp_path, house, playwright) as one:
        one.lens.is_mirrored = True
        one.table.film.show(*THREE)
        expect(one.admin.locator("main")).to_contain_text("Turn off the mirror image")
        one.lens.is_mirrored = False
        begin(one)
        points = one.play(after_2=freeze).lay_hands_open()
        assert "frozen" in [seen.kind for seen, *_ in one.table.judged if isinstance(seen, Fault)]
        end_of(one, points)


def test_the_clock_jumps_three_months_ahead(tmp_path: Path, world: World, playwright: Playwright) -> None:
    """Everybody who was logged in at first presses keys to the end."""
    clock = WallClock(tmp_path, -SEASON)

    def jump(one: Evening) -> None:
        clock.set(timedelta(0))
        one.is_told("clock was changed")
        one.admin.goto(f"{one.url}people")
        expect(one.admin.locator("h1")).to_have_text("Players")

    with evening(tmp_path, HOUSES["home"](world), playwright, clock) as one:
        begin(one)
        end_of(one, one.play(after_2=jump).lay_hands_open())


def test_with_ipv6_only_the_admin_comes_in_and_what_talks_on_the_boards_port_is_told(
    tmp_path: Path, world: World, playwright: Playwright
) -> None:
    port = tmp_path / "ttyACM0"
    with Talker(GPS) as other:
        port.symlink_to(other.path)
        with evening(tmp_path, HOUSES["ipv6-only"](world), playwright, board=port) as one:
            assert one.admin.url.startswith("http://[fd00:46::5]:8300/")
            one.is_told('a GPS receiver sends "$GPGGA,123519')
            assert one.table.program.poll() is None
