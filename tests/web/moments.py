"""Games that stop at a moment at which the big screen shows something of its own."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from croupier.journal import text_of
from croupier.web.accounts import Person
from croupier_rules.cards import DECKS
from tests.web.tables import Page

NAMES: Final = ("Ann", "Ben", "Cat", "Dan", "Elisabeth", "Franziska", "Γιώργος", "Łucja", "Ida", "Jo")
HANDS: Final = (7, 4, 12, 3, 5, 6, 7, 8, 9, 2)
SCORES: Final = (120, 0, 480, 33, 250, 10, 20, 30, 40, 50)
_PLAYED: Final = ("red-3", "red-9", "blue-9")
_BLUFF: Final = ({"obs": "play", "card": "wild-draw4"}, {"obs": "color", "color": "blue"})
_CHALLENGED: Final = (*_BLUFF, {"obs": "challenge", "seat": 0})
_SHOWN: Final = {"obs": "shown", "seat": 3, "cards": ["blue-1", "blue-2"]}


def log(*lines: Mapping[str, Any], seats: int = 4, given: Mapping[str, Any] | None = None, **header: Any) -> list[str]:
    """A table log in which seat 0 is on turn over a red 7, unless ``given`` or ``header`` says otherwise; the ``lines``
    follow each other by a second."""
    state = {
        "phase": "turn",
        "turn": 0,
        "top": "red-7",
        "hands": HANDS[:seats],
        "scores": SCORES[:seats],
        **(given or {}),
    }
    head = {"log": "croupier/1", "ruleset": "g7942-en", "seats": NAMES[:seats], "dealer": 0, "given": state, **header}
    return [text_of(head), *(text_of({"t": float(n), **line}) for n, line in enumerate(lines, start=1))]


def _plays(*faces: str) -> list[dict[str, Any]]:
    return [{"obs": "play", "card": face} for face in faces]


def ended(seats: int, *, is_shown: bool = True, **scores: Sequence[int]) -> list[str]:
    """A round that seat 0 has won; with the hands of the others, or the first of them only."""
    hands = (1, *HANDS[1:seats])
    deck = sorted({face for face in DECKS["g7942"] if not face.endswith("-0")}) * 2
    random.Random(4).shuffle(deck)
    deck = [face for face in deck if face != "red-1"]
    shown = [
        {"obs": "shown", "seat": seat, "cards": deck[sum(hands[:seat]) : sum(hands[: seat + 1])]}
        for seat in range(1, seats)
    ]
    given = {"hands": hands, "called": [0], **scores}
    return log(*_plays("red-1"), *(shown if is_shown else shown[:1]), seats=seats, given=given)


MOMENTS: Final[dict[str, list[str]]] = {
    "turn-2": log(*_plays(*_PLAYED), seats=2),
    "turn-4": log(*_plays(*_PLAYED)),
    "turn-10": log(*_plays(*_PLAYED), seats=10),
    "drawn": log(*_plays(*_PLAYED), {"obs": "drew", "seat": 3, "n": 1}),
    "refused": log(*_plays(*_PLAYED, "green-4")),
    "uno": log({"obs": "uno", "seat": 0}, given={"hands": [2, *HANDS[1:4]]}),
    "answer": log(*_plays(*_PLAYED), *_BLUFF),
    "duel": log(*_plays(*_PLAYED), *_CHALLENGED),
    "verdict": log(*_plays(*_PLAYED), *_CHALLENGED, _SHOWN),
    "left": log(*_plays("red-3"), given={"out": [3], "hands": [7, 4, 12, 0]}),
    "hands": ended(4, is_shown=False),
    "podium": ended(4),
    "podium-10": ended(10),
    "won-2": ended(2, scores=[480, 100]),
    "free-4": log(given={"phase": "deal", "turn": None, "top": None, "hands": [0] * 4}),
    "free-10": log(seats=10, given={"phase": "deal", "turn": None, "top": None, "hands": [0] * 10}),
    "free-in-play": log(*_plays(*_PLAYED)),
}
"""By name: the logs of four players, where it says no other number."""


def visited(tab: Tab, up: Page, names: Collection[str] = MOMENTS.keys()) -> Iterator[str]:
    """Open the big screen, without its menu, at each of these moments; ``up`` has the games of all `MOMENTS`. The seats
    are taken, except where they are to be free."""
    for game, name in enumerate(MOMENTS, start=1):
        if name not in names:
            continue
        tab.goto("about:blank")  # a page of the live game goes on to the next one by itself
        up.table.game = game
        for person in (Person("player", seat) for seat in range(len(NAMES))):
            up.accounts.close(person)
            if "free" not in name:
                up.accounts.open(f"phone {person.seat}", person)
        tab.goto(f"games/{game}/board", wait_until="domcontentloaded")
        expect(tab.locator(".headline")).to_be_visible()
        tab.evaluate("document.body.classList.add('is-still')")
        yield name
