"""A table that `croupier host` runs, filmed, with four phones in real browsers, and people who play a round at it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from time import monotonic

import httpx
import numpy as np
from playwright.sync_api import Browser, expect
from playwright.sync_api import Page as Tab
from playwright.sync_api import TimeoutError as NotYet

from croupier.journal.archive import Archive
from croupier.log_replay import Record, replay_lines
from croupier_rules.cards import COLORS, DECKS
from croupier_rules.referee import Observation, Rulings
from croupier_rules.referee.observations import Challenge, Color, Fault, Play, Uno
from croupier_rules.referee.position import Position
from croupier_rules.referee.rulings import Score
from croupier_sim.filming import FilmedTable
from croupier_sim.table import Lying, Pose
from tests.longer import many
from tests.patience import PATIENCE_S
from tests.web.chromium import new_tab

NAMES = ("Ann", "Ben", "Cat", "Dan")
STARTER = "red-5"
DEALT_FIRST = ("wild-draw4", "wild-draw4")
"""In hands from the start, so that there is something to challenge."""
AGAINST = ("illegal", "void", "caught", "warn", "mismatch")
"""Rulings on people who broke a rule; these do not."""
HELD_UP = ("no-picture", "frozen")
"""Faults of a camera whose film a busy machine holds up: no picture comes, or the same one again and again."""
THREE = (Lying("red-7", Pose(0, -100, 10)), Lying("blue-2", Pose(110, -90, 80)), Lying("green-4", Pose(60, 60, 30)))
"""The cards that give the scale."""


def points_of(face: str) -> int:
    """What a card that is left in a hand counts, by every printed sheet."""
    color, _, symbol = face.partition("-")
    return 50 if color == "wild" else int(symbol) if symbol.isdecimal() else 20


class Hosted:
    """`croupier host` with a filmed table as its camera. ``said``: the lines of its terminal. ``film``: None for a
    camera that films nothing. ``within``: returns the command that runs another one where the table is."""

    def __init__(
        self, folder: Path, film: FilmedTable | None, source: str, names: Sequence[str] = NAMES,
        within: Callable[..., Sequence[str]] = lambda *words: words, **environment: str,
    ) -> None:  # fmt: skip
        self._film, self._journal = film, folder / "croupier/croupier.journal"
        self.program = subprocess.Popen(
            within(sys.executable, "-m", "croupier", "host", *names, "--camera", source, "--no-browser"),
            env={**os.environ, "XDG_CONFIG_HOME": str(folder), "LANG": "C", **environment}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        self.said: list[str] = []
        self._has_news = Event()
        Thread(target=self._listen, daemon=True).start()
        try:
            self.code = self._told(r"admin code for the page.*: (\w+)")
            self.url = self._told(r"The page is at (\S+)")
        except BaseException:
            self.program.kill()
            raise

    @property
    def film(self) -> FilmedTable:
        """The film of its camera."""
        assert self._film is not None
        return self._film

    def _listen(self) -> None:
        assert self.program.stdout is not None
        for line in self.program.stdout:
            self.said.append(line)
            self._has_news.set()

    def _told(self, pattern: str) -> str:
        self.until(lambda: any(re.search(pattern, line) for line in self.said))
        return next(found[1] for line in self.said if (found := re.search(pattern, line)))

    def until(self, is_so: Callable[[], object]) -> None:
        """Wait until something is so."""
        end = monotonic() + PATIENCE_S
        while not is_so():
            assert monotonic() < end, "".join(self.said[-20:])
            self._has_news.wait(0.2)
            self._has_news.clear()

    @property
    def log(self) -> list[str]:
        """The lines of the game and its header, with the hands that only some may see."""
        with Archive(self._journal) as archive:
            return list(archive.lines(1))

    def until_logged(self, before: int, *kinds: str) -> None:
        """Wait until a line of one of these kinds (by default any) follows the first ``before`` lines."""
        pattern = re.compile(rf'"obs": ?"({"|".join(kinds) or ".*"})"')
        self.until(lambda: any(pattern.search(line) for line in self.log[before:]))

    @property
    def judged(self) -> list[tuple[Observation, int | None, Rulings, Position]]:
        """The lines of the game, judged again: each with the seat on turn before, the rulings, and the position after
        it."""
        judged: list[tuple[Observation, int | None, Rulings, Position]] = []
        for read in replay_lines((line.encode() for line in self.log), "the game"):
            if isinstance(read, Record):
                turn = judged[-1][3].turn if judged else None
                judged.append((read.observation, turn, read.rulings, read.position))
        return judged

    @property
    def position(self) -> Position:
        """The position now."""
        return self.judged[-1][3]


@contextmanager
def hosted(
    folder: Path, film: FilmedTable | None, source: str, names: Sequence[str] = NAMES,
    within: Callable[..., Sequence[str]] = lambda *words: words, **environment: str,
) -> Iterator[Hosted]:  # fmt: skip
    """The program with this camera; killed in the end, if it still runs. Arguments as of `Hosted`."""
    table = Hosted(folder, film, source, names, within, **environment)
    try:
        yield table
    finally:
        table.program.kill()
        table.program.wait()


def camera_page(hosted: Hosted, browser: Browser, url: str = "") -> Tab:
    """The admin's browser, as it was opened. ``url``: where it finds the page, by default where the table does."""
    tab = new_tab(browser, viewport={"width": 1280, "height": 900})
    tab.goto(f"{url or hosted.url}login#{hosted.code}")
    tab.wait_for_url("**/camera")
    return tab


def calibrate(hosted: Hosted, tab: Tab, *others: Lying) -> None:
    """Show the table its places: three cards, one drag, Save. ``others``: three that stay there."""
    film = hosted.film
    film.show(*(others or THREE))
    expect(tab.locator("#notes")).to_contain_text("The scale comes from 3 cards.")
    tab.locator("#places").scroll_into_view_if_needed()
    box = tab.locator("#places").bounding_box()
    assert box is not None
    scale = box["width"] / film.camera.size[0]
    x, y = film.pile_px
    tab.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tab.mouse.down()
    tab.mouse.move(box["x"] + x * scale, box["y"] + y * scale, steps=5)
    with tab.expect_response(lambda response: "pile=" in (response.request.post_data or "")):
        tab.mouse.up()
    tab.get_by_role("button", name="Save and use it").click()
    expect(tab.locator("#saved")).to_be_visible()
    film.show(*others)


def phone_of(seat: int, hosted: Hosted, browser: Browser, admin: httpx.Client) -> Tab:
    """The phone of a player, logged in."""
    page = admin.post("people", data={"role": "player", "seat": str(seat)})
    code = re.search(r'class="code"[^>]*>\s*(\w+)', page.text)
    assert code is not None, page.text
    tab = new_tab(browser, viewport={"width": 390, "height": 844})
    tab.goto(f"{hosted.url}login#{code[1]}")
    tab.wait_for_url(f"**/games/1/seats/{seat}")
    expect(tab.get_by_text("Leave or change seats")).to_be_visible()
    return tab


class Players:
    """Four people who keep to the rules: they lay cards under the camera, and press on their phones.

    ``laid``: seat and face of each card they laid. ``plays``: nobody goes out before so many. ``deal``: the cards in
    the order in which the seats get them; the first hand, the second, and so on.
    """

    def __init__(self, hosted: Hosted, phones: list[Tab], plays: int, deal: Sequence[str] = DEALT_FIRST) -> None:
        self._hosted, self._phones, self._plays = hosted, phones, plays
        deck = [face for face, n in DECKS["g7942"].items() for _ in range(n)]
        for face in (STARTER, *deal):
            deck.remove(face)
        self._deck = [*(deck[n] for n in np.random.default_rng(3).permutation(len(deck))), *reversed(deal)]
        self._hands: list[list[str]] = [[] for _ in phones]
        self._has_challenged = False
        self.laid: list[tuple[int, str]] = []

    def press(self, seat: int, key: str) -> None:
        """Press a key (its name in the page) on the phone as soon as the phone shows this moment, and wait until the
        table knows. The moment may change meanwhile: where a busy machine sends no pictures, the table pauses."""
        log = self._hosted.log
        begin = told = len(log)
        end = monotonic() + PATIENCE_S
        while all(json.loads(line)["obs"] in ("fault", "resumed") for line in log[begin:]):
            if len(log) > told:  # slow, but alive
                told, end = len(log), monotonic() + PATIENCE_S
            assert monotonic() < end, self._hosted.position
            shown = f"#key-{key}[hx-vals*='\"line\": {len(log) - 1}}}']"
            with suppress(NotYet):  # it may be pressed all the same: then the log tells
                self._phones[seat].locator(shown).click(timeout=1000)
                self._hosted.until_logged(begin)
            log = self._hosted.log

    def lay(self, seat: int, face: str) -> None:
        """Lay a card, and wait until it was judged."""
        before = len(self._hosted.log)
        self._hosted.film.lay(seat, face)
        self._hosted.until_logged(before, "play", "upcard")

    def step(self) -> None:
        """Do what the table waits for."""
        position = self._hosted.position
        for hand, n in zip(self._hands, position.hands, strict=True):
            while len(hand) < n:
                hand.append(self._deck.pop())
        if position.phase == "paused":  # a busy machine sent no pictures for a while; play resumes by itself
            self._hosted.until(lambda: self._hosted.position.phase != "paused")
            return
        seat = position.turn
        assert seat is not None, position
        match position.phase:
            case "turn" if position.hands[seat] == 1 and len(self.laid) < self._plays:
                self.press(seat, "draw")
            case "turn":
                self._play(seat, str(position.top), str(position.color))
            case "drawn":
                self.press(seat, "pass")
            case "color":
                most = max(COLORS, key=lambda color: sum(face.startswith(color) for face in self._hands[seat]))
                self.press(seat, most)
            case "challenge":  # the turn is still that of who laid the card
                after = (seat + (1 if position.direction == "left" else -1)) % len(NAMES)
                self._answer(after)
            case _:
                raise AssertionError(position)

    def lay_hands_open(self) -> int:
        """Lay each hand that is left open, one after the other; returns the points of all their cards."""
        for seat, hand in enumerate(self._hands):
            if hand:
                self._lay_open(seat)
        return sum(points_of(face) for hand in self._hands for face in hand)

    def _lay_open(self, seat: int) -> None:
        """Lay a hand open beside the pile until the table has read it."""
        before = len(self._hosted.log)
        self._hosted.film.lay_open(seat, self._hands[seat])
        self._hosted.until_logged(before, "shown")
        self._hosted.film.gather(seat)

    def _play(self, seat: int, top: str, color: str) -> None:
        """Lay a card that fits; without one, draw."""
        hand, symbol = self._hands[seat], top.partition("-")[2]
        of_color = [face for face in hand if face.startswith(color)]
        fits = [*of_color, *(face for face in hand if face.partition("-")[2] == symbol and symbol)]
        if not of_color:
            fits = [*(face for face in hand if face == "wild-draw4"), *fits]
        fits = fits or [face for face in hand if face == "wild"]
        if not fits:
            self.press(seat, "draw")
            return
        hand.remove(fits[0])
        self.laid.append((seat, fits[0]))
        self.lay(seat, fits[0])
        if len(hand) == 1:
            self.press(seat, "uno")

    def _answer(self, seat: int) -> None:
        """Challenge the first Wild Draw Four, whose player lays the hand open, and accept the others."""
        if self._has_challenged:
            self.press(seat, "accept")
            return
        self._has_challenged = True
        self.press(seat, "challenge")
        self._lay_open(self.laid[-1][0])


def deal(hosted: Hosted, tab: Tab) -> None:
    """Say in the admin's ``tab`` that the cards are dealt."""
    before = len(hosted.log)
    tab.goto(f"{hosted.url}games/1")
    go_on = tab.get_by_role("button", name="Go on", exact=True)

    def is_dealt() -> bool:
        kinds = [json.loads(line).get("obs") for line in hosted.log[before:]]
        if "dealt" not in kinds and go_on.is_enabled():
            go_on.click()
        return "dealt" in kinds

    hosted.until(is_dealt)


def go_on(hosted: Hosted, tab: Tab) -> None:
    """Press *Go on* in the admin's ``tab`` until play goes on: a press on a page that shows an earlier moment counts
    for nothing."""
    button = tab.get_by_role("button", name="Go on", exact=True)

    def has_gone_on() -> bool:
        is_paused = hosted.position.phase == "paused"
        if is_paused and button.is_enabled():
            button.click()
        return not is_paused

    hosted.until(has_gone_on)


PLAYS = many(40)
"""With fewer than thirty the round ends as soon as somebody can go out."""


def play(hosted: Hosted, browser: Browser, tab: Tab, midway: Callable[[], None] = lambda: None) -> None:
    """Calibrate in the admin's ``tab``, and play a round of at least `PLAYS` cards to its end. What was laid must be
    what was judged, and the score that of the hands. ``midway``: what happens after a few cards, in a player's turn."""
    calibrate(hosted, tab)
    with httpx.Client(base_url=hosted.url, timeout=PATIENCE_S) as admin:
        assert admin.post("login", data={"code": hosted.code}).status_code == 303
        phones = [phone_of(seat, hosted, browser, admin) for seat in range(len(NAMES))]
    players = Players(hosted, phones, PLAYS)
    players.press(0, "dealer")
    deal(hosted, tab)
    players.lay(0, STARTER)
    while len(players.laid) < 3 or hosted.position.phase != "turn":
        players.step()
    midway()
    while len(players.laid) < PLAYS or hosted.position.phase != "round_over":
        players.step()
    points_of_hands = players.lay_hands_open()
    judged = hosted.judged
    seen = [observation for observation, _turn, _rulings, _position in judged]
    played = [(turn if one.seat is None else one.seat, one.card) for one, turn, *_ in judged if isinstance(one, Play)]
    assert played == players.laid
    assert [one for one in seen if isinstance(one, Fault) and one.kind not in HELD_UP] == []
    assert [(one, ruling) for one, _, rulings, _ in judged for ruling in rulings if ruling.name in AGAINST] == []
    assert {Uno, Challenge, Color} <= set(map(type, seen))
    scores = [ruling for *_, rulings, _position in judged for ruling in rulings if isinstance(ruling, Score)]
    assert [(score.seat, score.points) for score in scores] == [(players.laid[-1][0], points_of_hands)]


def end(hosted: Hosted) -> None:
    """End the program, which must still run."""
    assert hosted.program.poll() is None
    hosted.program.send_signal(signal.SIGTERM)
    assert hosted.program.wait(PATIENCE_S) == 0
