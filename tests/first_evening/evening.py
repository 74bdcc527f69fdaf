"""An evening from `croupier host` to the score of a round, with a filmed table and guests who scan codes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import numpy as np
from playwright.sync_api import Browser, Playwright, ViewportSize

from cardsight.geometry import Image
from croupier.config import change
from croupier.runtime.host import new_options
from croupier_rules.referee.rulings import Score
from croupier_sim.filming import Film, FilmedTable
from tests.first_evening.clock import WallClock
from tests.first_evening.guests import Guest, scanned
from tests.first_evening.house import LENS_PORT, House, browser_on
from tests.first_evening.usb import PluggedCamera
from tests.namespaces import Machine
from tests.vision.network_cameras import PhoneApp
from tests.web.filmed_table import AppFilm
from tests.web.hosted import STARTER, Hosted, Players, camera_page, deal, hosted

DEAL: Final = (
    "blue-8", "yellow-4", "green-6",
    "red-1", "red-9", "blue-2",
    "red-3", "wild", "blue-5",
    "red-skip", "blue-7", "green-1",
)  # fmt: skip
"""The hands of four seats. Seat 1 plays first and goes out with its third card: a round of eight plays, in which three
call UNO, one names a color, and one is skipped."""
HAND: Final = 3
SEATS: Final = 4
SCREEN: Final[ViewportSize] = {"width": 1920, "height": 1080}


class Lens:
    """The lens of a camera that films the table. ``is_mirrored``, ``is_frozen``: what is wrong with its pictures."""

    def __init__(self, camera: Film) -> None:
        self._camera, self._last = camera, np.zeros((1, 1, 3), np.uint8)
        self.is_mirrored = self.is_frozen = False

    def show(self, picture: Image) -> None:
        """As `Film`."""
        if not self.is_frozen:
            self._last = np.ascontiguousarray(picture[:, ::-1]) if self.is_mirrored else picture
        self._camera.show(self._last)


class Room:
    """Where guests are: a browser in one of the networks, and the big screen there. ``url``: of the page there."""

    def __init__(self, table: Hosted, phone: Machine, browser: Browser) -> None:
        self._table, self._phone, self.browser = table, phone, browser
        self.url = self._reachable()
        self.admin = camera_page(table, browser, self.url)
        self.board = self.admin.context.new_page()
        self.board.set_viewport_size(SCREEN)

    def _reachable(self) -> str:
        """The first printed address at which the phone here finds the page."""
        found: list[str] = []

        def is_found() -> bool:
            found[:] = [url for url in addresses(self._table) if self._phone.fetch(url).status == 200]
            return bool(found)

        self._table.until(is_found)
        return found[0]

    def scan(self) -> str:
        """What a phone reads in the code of the first free seat on the big screen."""
        self.board.goto(f"{self.url}games/1/board")
        return scanned(self.board.locator(".invitations .qr").first)


def addresses(table: Hosted) -> list[str]:
    """The addresses of the page that were printed, but for those of its own machine and its name."""
    told = dict.fromkeys(url for line in table.said for url in re.findall(r"http://\S+:\d+/", line))
    return [url for url in told if "127.0.0.1" not in url and ".local" not in url]


class Evening:
    """The table, the rooms, the guests, and the admin, who is in the first room."""

    def __init__(self, table: Hosted, rooms: Sequence[Room], lens: Lens) -> None:
        self.table, self.rooms, self.lens = table, rooms, lens
        self.guests: list[Guest] = []
        self._told = dict[str, int]()
        self.admin, self.url = rooms[0].admin, rooms[0].url
        table.url = self.url

    def sit_down(self, *guests: Guest) -> None:
        """Each guest scans the code of a seat on the big screen and is let in; one here, the next in the next room."""
        for seat, guest in enumerate(guests):
            room = self.rooms[seat % len(self.rooms)]
            address = room.scan()
            assert address.startswith(room.url), "the code leads to where the guests are"
            guest.come(room.browser, address)
            self.admin.goto(f"{self.url}people")
            self.admin.get_by_role("button", name="Let in", exact=True).click()
            guest.tab.wait_for_url(f"**/games/1/seats/{seat}")
            self.guests.append(guest)

    def play(self, *mishaps: Mishap) -> int:
        """Deal, play until the round is over, and lay the hands open; returns the points of their cards. The first of
        the ``mishaps`` happens in a turn after two cards, each further one two cards later."""
        coming = {2 * n: mishap for n, mishap in enumerate(mishaps, 1)}
        players = Players(self.table, [guest.tab for guest in self.guests], 0, DEAL)
        players.press(0, "dealer")
        deal(self.table, self.admin)
        players.lay(0, STARTER)
        while self.table.position.phase != "round_over":
            if self.table.position.phase == "turn" and (happens := coming.pop(len(players.laid), None)):
                happens(self)
            turn = self.table.position.turn
            for seat, guest in enumerate(self.guests):
                guest.turn(has_come=seat == turn)
            players.step()
        assert coming == {}, "all of it has happened"
        return players.lay_hands_open()

    def is_told(self, text: str) -> None:
        """Wait until the terminal tells this, once more than before."""
        before = self._told.get(text, 0)
        self.table.until(lambda: sum(text in line for line in self.table.said) > before)
        self._told[text] = before + 1

    def is_paused(self, *, by: str) -> None:
        """Wait until play pauses, and why is told; no card is invented meanwhile."""
        self.is_told(by)
        self.table.until(lambda: self.table.position.phase == "paused")

    def goes_on(self) -> None:
        """Wait until play goes on by itself."""
        self.table.until(lambda: self.table.position.phase == "turn")

    def expect_score(self, points: int) -> None:
        """The score of the round stands on every phone and in the log."""
        scores = [one for *_, rulings, _position in self.table.judged for one in rulings if isinstance(one, Score)]
        assert [score.points for score in scores] == [points]
        for seat, guest in enumerate(self.guests):
            guest.expect_score(points if seat == scores[0].seat else 0)


Mishap = Callable[[Evening], None]
"""What goes wrong in the middle of a round, and is put right."""


def settle(folder: Path, source: str, board: Path | None = None) -> None:
    """The file that `croupier host` would make, with hands of `HAND` cards, so that a round is short. ``board``: the
    port of the board whose buttons the players may press."""
    path = folder / "croupier/croupier.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    options = new_options(path, (), source, [], None)
    options |= {("rules", "base"): "g7942-en", ("rules", "deal.hand"): HAND}
    if board is not None:
        options |= {("buttons", "kind"): "pico", ("pico", "port"): str(board)}
    change(path, options)


@contextmanager
def evening(
    folder: Path, house: House, playwright: Playwright, *, clock: WallClock | None = None, board: Path | None = None,
    usb: PluggedCamera | None = None,
) -> Iterator[Evening]:  # fmt: skip
    """An evening in a house. ``clock``: of `croupier host`; ``board``: the port of its board; ``usb``: its camera, the
    first on USB, in place of an app of a phone."""
    source = house.camera_url if usb is None else "usb:0"
    settle(folder, source, board)
    with ExitStack() as stack:
        film: Film
        if usb is not None:
            film = usb
            stack.callback(usb.close)
        else:
            listener = house.places[0].phone.listen("::" if "[" in source else "0.0.0.0", LENS_PORT)
            film = AppFilm(stack.enter_context(PhoneApp(listener=listener)))
        filmed = stack.enter_context(FilmedTable(lens := Lens(film), SEATS))
        browsers = [stack.enter_context(browser_on(place.phone, playwright, folder)) for place in house.places]
        environment = {} if clock is None else clock.environment
        table = stack.enter_context(hosted(folder, filmed, source, (), house.table.command, **environment))
        rooms = [Room(table, place.phone, one) for place, one in zip(house.places, browsers, strict=True)]
        yield Evening(table, rooms, lens)
