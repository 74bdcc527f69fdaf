"""An evening from `croupier host` to the score of a round, with a filmed table and guests who scan codes."""

from __future__ import annotations

import re
from collections.abc import Iterator
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
        self.url = self._reachable()
        table.url = self.url
        self.admin = camera_page(table, browser)
        self.board = self.admin.context.new_page()

    def _reachable(self) -> str:
        """The first of the printed addresses at which the guests' phones find the page."""
        tried: list[str] = []

        def is_found() -> bool:
            told = dict.fromkeys(url for line in self.table.said for url in re.findall(r"http://\S+:\d+/", line))
            tried[:] = [url for url in told if "127.0.0.1" not in url and ".local" not in url]
            return any(self.house.phones.fetch(url).status == 200 for url in tried)

        self.table.until(is_found)
        return next(url for url in tried if self.house.phones.fetch(url).status == 200)

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
            codes = [(float(at[0][0]), text) for text, at in zip(texts, corners, strict=True) if "/join/" in text]
            found[:] = [text for _left, text in sorted(codes)]
            return bool(found)

        self.table.until(is_read)
        return found[0]

    def play(self) -> Players:
        """Deal and play until the round is over."""
        players = Players(self.table, [guest.tab for guest in self.guests], 0, DEAL)
        players.press(0, "dealer")
        deal(self.table, self.admin)
        players.lay(0, STARTER)
        while self.table.position.phase != "round_over":
            turn = self.table.position.turn
            for seat, guest in enumerate(self.guests):
                guest.turn(has_come=seat == turn)
            players.step()
        return players

    def expect_score(self, points: int) -> None:
        """The score of the round stands on every phone and in the log."""
        scores = [one for *_, rulings, _position in self.table.judged for one in rulings if isinstance(one, Score)]
        assert [score.points for score in scores] == [points]
        for seat, guest in enumerate(self.guests):
            guest.expect_score(points if seat == scores[0].seat else 0)


def settle(folder: Path, source: str) -> None:
    """The file that `croupier host` would make, with hands of `HAND` cards, so that a round is short."""
    path = folder / "croupier/croupier.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    rules = {("rules", "base"): "g7942-en", ("rules", "deal.hand"): HAND}
    change(path, new_options(path, (), source, [], None) | rules)


@contextmanager
def evening(
    folder: Path, house: House, playwright: Playwright, **environment: str
) -> Iterator[Evening]:  # fmt: skip
    """An evening in a house. ``environment``: of `croupier host`."""
    listener = house.phones.listen("::" if ":" in house.lens else "0.0.0.0", LENS_PORT)
    settle(folder, house.camera_url)
    chrome = house.browser(folder, chromium.CHROMIUM or "")
    with (
        PhoneApp(listener=listener) as app,
        chromium.started(playwright, program=chrome) as browser,
        FilmedTable(lens := Lens(AppFilm(app)), SEATS) as film,
        hosted(folder, film, house.camera_url, (), house.table.command, **environment) as table,
    ):
        yield Evening(table, house, browser, lens)
