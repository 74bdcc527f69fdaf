"""Games played without eyes: by the accessibility tree, the announcements and a keyboard alone."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from typing import Any, Final

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ViewportSize, expect
from playwright.sync_api import Page as Tab

from croupier.commands import Command, LayCard, PressKey
from croupier.journal import text_of
from croupier.web.accounts import Person
from croupier_rules.cards import COLORS, DECKS
from croupier_rules.referee import Referee, parse_header, parse_observation
from croupier_rules.referee.position import Position
from tests.longer import many
from tests.patience import PATIENCE_S
from tests.web.chromium import needs_chromium
from tests.web.moments import log
from tests.web.tables import Page, page
from tests.web.test_score_page import jpeg

pytestmark = [pytest.mark.slow, needs_chromium]

PHONE: ViewportSize = {"width": 390, "height": 844}
NAMES: Final = ("Ann", "Ben", "Cat")
ME: Final = 1
"""The seat of who plays without eyes."""
LISTENS: Final = """
  window.wordsHeard = [];
  window.nextWords = (patience) => new Promise((done, fail) => {
    window.wakeEars = () => {
      if (!window.wordsHeard.length) return;
      window.wakeEars = null;
      done(window.wordsHeard.splice(0).join(" "));
    };
    window.wakeEars();
    setTimeout(() => fail(new Error("nothing was said")), patience);
  });
  const AS_LIVE = "[role=status], [role=alert], [role=log], [aria-live]";
  const hearWhole = (live) => { if (live) window.wordsHeard.push(live.innerText.trim()); };
  new MutationObserver((changes) => {
    const whole = new Set();
    for (const { target, addedNodes } of changes) {
      const live = (target.nodeType === 1 ? target : target.parentElement)?.closest(AS_LIVE);
      if (live?.getAttribute("role") !== "log") whole.add(live);
      else for (const one of addedNodes) window.wordsHeard.push(one.textContent.trim());
    }
    whole.forEach(hearWhole);
    window.wakeEars?.();
  }).observe(document, { subtree: true, childList: true, characterData: true });
"""
"""As a screen reader does it: what is added to a log is said, and of another live region what it says now."""


class Ears:
    """All that somebody without eyes has of a page. ``hand``: the cards, as fingers know them."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        self.hand: list[str] = []

    def hear(self) -> str:
        """What was said since the last time."""
        return str(self._tab.evaluate("window.nextWords", PATIENCE_S * 1000))

    def tree(self) -> str:
        """The page as the accessibility tree has it."""
        return str(self._tab.get_by_role("main").aria_snapshot())

    def press(self, name: str, role: Any = "button") -> None:
        """Go to a key of this name, and press it."""
        self._tab.get_by_role(role, name=name, exact=True).press("Space")

    def type(self, key: str) -> None:
        """Press a key of the keyboard where the focus is."""
        self._tab.keyboard.press(key)


def fits(face: str, told: str) -> bool:
    """Whether a card may be laid, by what was said."""
    color = re.findall(r"The color to match is (\w+)", told)
    up = re.findall(r"The up-card is (?:(red|yellow|green|blue) )?([\w ]+)\.", told)
    assert up, told
    mine, _dash, symbol = face.partition("-")
    return mine == "wild" or mine in color[-1:] or SAID.get(symbol, symbol) == up[-1][1]


SAID: Final = {"skip": "Skip", "reverse": "Reverse", "draw2": "Draw Two"}
WILDS: Final = {"wild": "Wild", "wild-draw4": "Wild Draw Four"}


def is_lit(tree: str, name: str) -> bool:
    """Whether a key can be pressed now."""
    return re.search(rf'button "{name}"(?! \[disabled\])', tree) is not None


def turn(ears: Ears, told: str) -> int:
    """Do what was asked for; returns the number of keys pressed that reach the table: 0 if nothing was asked for."""
    tree = ears.tree()
    if "waits for an answer" in told and is_lit(tree, "Take the cards"):
        ears.type("Alt+Shift+T")
    elif "Name a color." in told:
        held = Counter(face.partition("-")[0] for face in ears.hand if not face.startswith("wild"))
        ears.type(f"Alt+Shift+{1 + COLORS.index(held.most_common(1)[0][0] if held else 'red')}")
    elif "Your turn." not in told:
        return 0
    elif may := [face for face in ears.hand if fits(face, told)]:
        face = min(may, key=lambda one: one.startswith("wild"))
        ears.hand.remove(face)
        color, _dash, symbol = face.partition("-")
        ears.type("Alt+Shift+L")
        ears.press("no color" if color == "wild" else color, "radio")
        ears.press(WILDS.get(face) or SAID.get(symbol, symbol))
        if len(ears.hand) == 1:
            ears.type("Alt+Shift+U")
            return 2
    else:
        ears.type("Alt+Shift+P" if is_lit(tree, "Pass") else "Alt+Shift+D")
    return 1


class Told(list[Command]):
    """The commands that a table was given, which can be waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.next: Queue[Command] = Queue()

    def append(self, command: Command) -> None:
        super().append(command)
        self.next.put(command)


class Round:
    """A round at a table without a camera, whose shoe deals: the others play by the rules, seat `ME` by its phone.

    ``turns``: how often the table waited for that seat.
    """

    def __init__(self, up: Page, ears: Ears, lines: Sequence[str], seed: int) -> None:
        self._up, self._ears, self._random = up, ears, random.Random(seed)
        self._referee = Referee(parse_header(json.loads(lines[0])))
        self._deck = [face for face, n in DECKS["g7942"].items() for _ in range(n)]
        self._deck.remove("red-7")
        self._random.shuffle(self._deck)
        self._hands: list[list[str]] = [[self._deck.pop() for _ in range(7)] for _ in NAMES]
        self._laid: list[str] = []
        ears.hand = self._hands[ME]
        self.told, self.turns, self._t = Told(), 0, 0.0
        up.table.commands = self.told

    def play(self) -> str:
        """Play until somebody goes out; returns what was said last."""
        said = ""
        while (position := self._referee.state()).phase not in ("round_over", "game_over"):
            seat = position.next_seat if position.phase == "challenge" else position.turn
            assert seat is not None, position
            if seat != ME:
                self._write(*self._other(seat, position))
                continue
            self.turns += 1
            while not (n := turn(self._ears, said)):
                said += self._ears.hear()
            said = ""
            self._write(*(self._done(self.told.next.get(timeout=PATIENCE_S)) for _ in range(n)))
        while "out of cards" not in said:
            said += self._ears.hear()
        return said

    def _write(self, *done: Mapping[str, Any]) -> None:
        """Write what was done, and the cards that the shoe gives for it."""
        lines = list[str]()

        def write(one: Mapping[str, Any]) -> None:
            self._t += 1.0
            line = {"t": self._t, **one}
            lines.append(text_of(line))
            rulings = self._referee.observe(parse_observation(line, len(NAMES)))
            if one["obs"] == "play":
                self._laid.append(one["card"])
            assert not {ruling.name for ruling in rulings} & {"illegal", "void", "caught", "warn"}, (line, rulings)

        for one in done:
            write(one)
            if one["obs"] == "drew":
                self._deal(one["seat"], one["n"])
        for seat, n in self._referee.position()["owed"].items():
            write({"obs": "drew", "seat": int(seat), "n": n})
            self._deal(int(seat), n)
        self._up.write(*lines)

    def _deal(self, seat: int, n: int) -> None:
        if n > len(self._deck):  # the discard pile is shuffled, but for the up-card
            self._random.shuffle(under := self._laid[:-1])
            self._deck, self._laid = under + self._deck, self._laid[-1:]
        self._hands[seat] += [self._deck.pop() for _ in range(min(n, len(self._deck)))]

    def _done(self, command: Command) -> Mapping[str, Any]:
        """What a key of the phone makes the table write."""
        match command:
            case LayCard(card=card):
                return {"obs": "play", "seat": ME, "card": card}
            case PressKey(key="draw"):
                return {"obs": "drew", "seat": ME, "n": 1}
            case PressKey(key=key) if key in COLORS:
                return {"obs": "color", "color": key}
            case PressKey(key=key):
                return {"obs": key, "seat": ME}
        raise AssertionError(command)

    def _other(self, seat: int, position: Position) -> list[Mapping[str, Any]]:
        hand, color = self._hands[seat], str(position.color)
        if position.phase == "challenge":
            return [{"obs": "accept", "seat": seat}]
        if position.phase == "color":
            return [{"obs": "color", "color": self._random.choice(COLORS)}]
        if position.phase == "drawn":
            return [{"obs": "pass", "seat": seat}]
        symbol = str(position.top).partition("-")[2]
        of_color = [face for face in hand if face.startswith(color)]
        may = of_color or [face for face in hand if face.startswith("wild") or face.partition("-")[2] == symbol]
        if not may:
            return [{"obs": "drew", "seat": seat, "n": 1}]
        hand.remove(face := self._random.choice(may))
        return [
            {"obs": "play", "seat": seat, "card": face},
            *([{"obs": "uno", "seat": seat}] if len(hand) == 1 else []),
        ]


@contextmanager
def seated(browser: Browser, folder: Path, lines: Sequence[str]) -> Iterator[tuple[Page, Ears, Tab]]:
    """The phone of seat `ME` on the page of the seat."""
    with (
        page(folder, tuple(lines)) as up,
        browser.new_context(base_url=up.server.url, viewport=PHONE, is_mobile=True) as context,
    ):
        up.table.has_camera = False
        up.accounts.open("phone", Person("player", ME))
        context.add_cookies([{"name": "croupier", "value": "phone", "url": up.server.url}])
        context.add_init_script(LISTENS)
        tab = context.new_page()
        with tab.expect_response("**/events*"):
            tab.goto(f"games/1/seats/{ME}", wait_until="domcontentloaded")
        yield up, Ears(tab), tab


def dealt(seed: int) -> list[str]:
    """A game of which seat 0, 1 or 2 begins the round."""
    return log(seats=len(NAMES), given={"hands": [7] * 3, "scores": [0] * 3, "turn": seed % 3})


@pytest.mark.long(minutes=1)
@pytest.mark.parametrize("rounds", [many(8)])
def test_rounds_are_played_by_tree_and_speech_without_a_missed_turn(
    browser: Browser, tmp_path: Path, rounds: int
) -> None:
    turns = 0
    for seed in range(rounds):
        (folder := tmp_path / str(seed)).mkdir()
        with seated(browser, folder, dealt(seed)) as (up, ears, _tab):
            up_to_end = Round(up, ears, dealt(seed), seed)
            up_to_end.play()
            turns += up_to_end.turns
            assert up_to_end.told.next.empty(), "each key was a turn that the table waited for"
    assert turns > 3 * rounds


@pytest.mark.long
def test_how_much_is_said_is_chosen_and_kept_and_an_update_takes_no_focus_away(
    browser: Browser, tmp_path: Path
) -> None:
    lines = log(seats=3, given={"hands": [2, 5, 5]})
    with seated(browser, tmp_path, lines) as (up, ears, tab):
        detail, log_of_words = tab.get_by_role("combobox", name="A screen reader says"), tab.get_by_role("log")

        def said(line: Mapping[str, Any]) -> str:
            before = log_of_words.inner_text()
            up.write(text_of(line))
            expect(tab.locator(f"#news li[data-n='{up.last_line()}']").first).to_be_attached()
            return log_of_words.inner_text().removeprefix(before).strip()

        assert Axe().run(tab).violations_count == 0
        detail.select_option("what concerns me")
        assert said({"obs": "uno", "t": 1.0, "seat": 0}) == ""
        asked = said({"obs": "play", "t": 2.0, "seat": 0, "card": "red-3"})
        assert "Your turn." in asked
        assert "The up-card is red 3." in asked
        assert "Cat: 5 cards" not in asked
        tab.get_by_role("button", name="Draw a card").focus()
        assert "Your turn." in said({"obs": "drew", "t": 3.0, "seat": 1, "n": 1})
        expect(tab.get_by_role("region", name="Ben")).to_be_focused()
        with tab.expect_response("**/actions/press"):
            ears.type("p")
        assert up.table.commands == [PressKey(ME, "pass", line=3)], "a letter alone, in the play area"
        detail.focus()
        ears.type("u")
        detail.select_option("what happens, and all counts of cards")
        assert "Cat: 5 cards, Ann: 1 card, Ben: 6 cards." in said({"obs": "pass", "t": 4.0, "seat": 1})
        tab.reload()
        expect(detail).to_have_value("3")
        assert len(up.table.commands) == 1, "no letter counts elsewhere"
        tab.get_by_role("button", name="Say how it stands").press("Enter")
        expect(log_of_words).to_contain_text("The up-card is red 3.")


@pytest.mark.long
def test_a_hand_before_the_phones_camera_is_said_on_that_phone_alone(browser: Browser, tmp_path: Path) -> None:
    (photo := tmp_path / "hand.jpg").write_bytes(jpeg("red-7", "wild-draw4", "blue-skip"))
    (folder := tmp_path / "games").mkdir()
    with seated(browser, folder, log(seats=3)) as (up, ears, tab):
        tab.get_by_label("What do I hold?").last.set_input_files(photo)
        said = ""
        while "You hold:" not in said:
            said += ears.hear()
        assert "You hold: red 7, Wild Draw Four, blue Skip." in said
        assert up.table.commands == []
        others = [up.client().get(path).text for path in ("games/1", "games/1/seats/0", "games/1/board")]
        assert not any("blue Skip" in page for page in others)
