"""An evening from `croupier host` to the score of a round, with a filmed table and guests who scan codes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from playwright.sync_api import Browser, Playwright, ViewportSize

from cardsight.geometry import Image
from croupier.config import change
from croupier.runtime.host import new_options
from croupier_rules.referee.rulings import Score
from croupier_sim.filming import FilmedTable
from tests.first_evening.clock import WallClock
from tests.first_evening.guests import Guest
from tests.first_evening.house import LENS_PORT, House
from tests.vision.network_cameras import PhoneApp
from tests.web import chromium
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
    """The app of a phone that films the table. ``is_mirrored``, ``is_frozen``: what is wrong with its pictures."""

    def __init__(self, app: AppFilm) -> None:
        self._app, self._last = app, np.zeros((1, 1, 3), np.uint8)
        self.is_mirrored = self.is_frozen = False

    def show(self, picture: Image) -> None:
        """As `Film`."""
        if not self.is_frozen:
            self._last = np.ascontiguousarray(picture[:, ::-1]) if self.is_mirrored else picture
        self._app.show(self._last)


class Evening:
    """The table, its admin, who sits at a browser in the guests' network, and the guests."""

    def __init__(self, table: Hosted, house: House, browser: Browser, lens: Lens) -> None:
        self.table, self.house, self.lens, self._browser = table, house, lens, browser
        self.guests: list[Guest] = []
        self._told = dict[str, int]()
        self.url = self._reachable()
        table.url = self.url
        self.admin = camera_page(table, browser)
        self.board = self.admin.context.new_page()

    @property
    def addresses(self) -> list[str]:
        """The addresses of the page that were printed, but for those of its own machine and its name."""
        told = dict.fromkeys(url for line in self.table.said for url in re.findall(r"http://\S+:\d+/", line))
        return [url for url in told if "127.0.0.1" not in url and ".local" not in url]

    def _reachable(self) -> str:
        """The first printed address at which the guests' phones find the page."""
        found: list[str] = []

        def is_found() -> bool:
            found[:] = [url for url in self.addresses if self.house.phones.fetch(url).status == 200]
            return bool(found)

        self.table.until(is_found)
        return found[0]

    def sit_down(self, *guests: Guest) -> None:
        """Each guest scans the code of a seat on the big screen and is let in."""
        self.board.set_viewport_size(SCREEN)
        self.board.goto(f"{self.url}games/1/board")
        for seat, guest in enumerate(guests):
            address = self._scanned()
            assert address.startswith(self.url), "the code leads to where the guests are"
            guest.come(self._browser, address)
            self.admin.goto(f"{self.url}people")
            self.admin.get_by_role("button", name="Let in", exact=True).click()
            guest.tab.wait_for_url(f"**/games/1/seats/{seat}")
            self.guests.append(guest)

    def _scanned(self) -> str:
        """What a phone reads in the code of the first free seat on the big screen."""
        found: list[str] = []

        def is_read() -> bool:
            shown = cv2.imdecode(np.frombuffer(self.board.screenshot(), np.uint8), cv2.IMREAD_GRAYSCALE)
            assert shown is not None
            _, texts, corners, *_ = cv2.QRCodeDetector().detectAndDecodeMulti(shown)
            places = () if corners is None else corners  # while the seat that was taken last leaves the screen
            codes = [(float(at[0][0]), text) for text, at in zip(texts, places, strict=True) if "/join/" in text]
            found[:] = [text for _left, text in sorted(codes)]
            return bool(found)

        self.table.until(is_read)
        return found[0]

    def play(self, **then: Callable[[Evening], None]) -> Players:
        """Deal and play until the round is over. ``then``: what happens as soon as so many cards are laid, in a turn:
        ``after_2``."""
        players = Players(self.table, [guest.tab for guest in self.guests], 0, DEAL)
        players.press(0, "dealer")
        deal(self.table, self.admin)
        players.lay(0, STARTER)
        while self.table.position.phase != "round_over":
            if self.table.position.phase == "turn" and (happens := then.pop(f"after_{len(players.laid)}", None)):
                happens(self)
            turn = self.table.position.turn
            for seat, guest in enumerate(self.guests):
                guest.turn(has_come=seat == turn)
            players.step()
        assert then == {}, "all of it has happened"
        return players

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
    folder: Path, house: House, playwright: Playwright, clock: WallClock | None = None, board: Path | None = None
) -> Iterator[Evening]:
    """An evening in a house. ``clock``: of `croupier host`; ``board``: the port of its board."""
    listener = house.phones.listen("::" if ":" in house.lens else "0.0.0.0", LENS_PORT)
    settle(folder, house.camera_url, board)
    chrome = house.browser(folder, chromium.CHROMIUM or "")
    environment = {} if clock is None else clock.environment
    with (
        PhoneApp(listener=listener) as app,
        chromium.started(playwright, program=chrome) as browser,
        FilmedTable(lens := Lens(AppFilm(app)), SEATS) as film,
        hosted(folder, film, house.camera_url, (), house.table.command, **environment) as table,
    ):
        yield Evening(table, house, browser, lens)
