"""Compares the cards on the table with the reports of the machine; asks the person in the terminal for the cards.

The cards leave the shoe in sorted order. So each pile consists of stretches of the sorted deck, one for each batch of
its seat, and the end of a stretch gives the number of cards of that batch.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, takewhile, zip_longest
from typing import Final, Literal

from croupier.i18n import _, marked, ngettext
from croupier_extras.shoe_trial.trial import Batch, in_words
from croupier_rules.cards import COLORS, UNREAD, is_face

FEW: Final = 3
"""Largest error of a light barrier that miscounts, in cards of a batch; a wrong turntable misplaces all of them."""

Pile = tuple[str, ...]
"""The faces of one seat, the first card first; ``?`` is unreadable."""


@dataclass(frozen=True, slots=True)
class Counted:
    """Cards of each seat: ``by_machine``, and ``by_person``, who counted the pile."""

    by_machine: tuple[int, ...]
    by_person: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Placed:
    """Each card found. ``unseen``: by batch, cards beyond the machine's count (negative: fewer). ``strayed``: face, its
    seat, and the seat where it lies. ``missing``: faces that lie nowhere. ``foreign``: faces and seats where they do
    not belong; the deck was not sorted as shown."""

    unseen: tuple[int, ...]
    strayed: tuple[tuple[str, int, int], ...]
    missing: tuple[str, ...]
    foreign: tuple[tuple[str, int], ...]


def counted(batches: Sequence[Batch], by_person: Sequence[int]) -> Counted:
    """Compare a person's counts of the seats with those of the machine."""
    by_machine = [0] * len(by_person)
    for batch in batches:
        by_machine[batch.seat] += batch.passed
    return Counted(tuple(by_machine), tuple(by_person))


def place(batches: Sequence[Batch], piles: Sequence[Pile]) -> Placed:
    """Find each card of the batches in the ``piles``, one for each seat."""
    search = _Search(tuple(chain.from_iterable(batch.run for batch in batches)), [list(pile) for pile in piles])
    came = [search.batch(batch, next_one) for batch, next_one in zip_longest(batches, batches[1:])]
    unseen = tuple(n - batch.passed for n, batch in zip(came, batches, strict=True))
    foreign = [(face, seat) for seat, pile in enumerate(search.piles) for face in pile]
    return Placed(unseen, tuple(search.strayed), tuple(search.missing), tuple(foreign))


class _Search:
    """Walks through the sorted ``deck`` and removes its cards from the ``piles``."""

    def __init__(self, deck: Pile, piles: list[list[str]]) -> None:
        self._deck, self.piles = deck, piles
        self._at = 0
        self.strayed: list[tuple[str, int, int]] = []
        self.missing: list[str] = []

    def batch(self, batch: Batch, next_one: Batch | None) -> int:
        """Find the cards of one batch. Return how many there are: as many as pulses, or a few more or fewer."""
        pulses = sum(map(len, batch.cards))
        came = 0
        while True:
            here = self._stretch(batch.seat)
            if came + here > batch.passed + FEW:
                here = max(0, batch.passed - came)  # what lies on them is the next batch, at the wrong seat
            came += self._take(batch.seat, here)
            left = pulses - came
            if left <= 0 or not any(self.piles):
                return came
            if left <= FEW and next_one is not None and self._stretch(next_one.seat):
                return came
            lengths = [self._stretch(seat) for seat in range(len(self.piles))]
            seat = lengths.index(max(lengths))
            if n := min(left, lengths[seat]):
                self.strayed += [(face, batch.seat, seat) for face in self._deck[self._at : self._at + n]]
                came += self._take(seat, n)
            elif self._goes_on():
                self.missing.append(self._deck[self._at])
                self._at += 1
                came += 1
            else:
                return came

    def _stretch(self, seat: int) -> int:
        """Return how many of the deck's next cards lie next in this pile."""
        pairs = zip(self._deck[self._at :], self.piles[seat], strict=False)
        return sum(1 for _ in takewhile(lambda pair: pair[1] in (pair[0], UNREAD), pairs))

    def _take(self, seat: int, n: int) -> int:
        del self.piles[seat][:n]
        self._at += n
        return n

    def _goes_on(self) -> bool:
        """True if a later card of the deck lies next on a pile, so that only cards between are missing."""
        return any(pile and pile[0] in self._deck[self._at + 1 :] for pile in self.piles)


Say = Callable[[str], None]
Ask = Callable[[str], str]
"""Asks for a line; raises EOFError if nobody answers."""

Look = Callable[[], Pile]
"""Reads the cards below the camera, row by row."""

CLEARING: Final = {
    "jam": marked("A card is jammed at seat {seat}. Take it out and put it back under the deck, facing the same way."),
    "double-feed": marked(
        "At seat {seat} the machine saw two cards at once. Leave them there, and make sure that the exit is clear."
    ),
    "surplus": marked("Seat {seat} got one card too many. Leave it there."),
    "exit-blocked": marked(
        "Something is blocking the card exit at seat {seat}. Take it out and put it back under the deck."
    ),
    "longest-run": marked("At seat {seat} the motor ran too long. Make sure that the exit is clear."),
    "lost-steps": marked("At seat {seat} the turntable lost steps. Make sure that nothing is in its way."),
    "no-magnet": marked("At seat {seat} the turntable did not find its magnet. Make sure that nothing is in its way."),
    "no-power": marked("At seat {seat} the motors had no power. Check emergency stop, motor switch and 12 V supply."),
    "pushed": marked("At seat {seat} the turntable was turned by hand while it dealt. Keep hands away from it."),
    "silence": marked("At seat {seat} the Pico lost contact with this program. Check its cable."),
    "in-doubt": marked("At seat {seat} the Pico restarted. Make sure that the exit is clear."),
}
"""Requests to a person by kind of fault (`tablewire.messages.FAULTS`)."""

_SHORT: Final = {"s": "skip", "r": "reverse", "d": "draw2", "+2": "draw2", "d2": "draw2"}
_WILD: Final = {"w": "wild", "w4": "wild-draw4", "w+4": "wild-draw4", "ws": "wild-shuffle", "wb": "wild-blank",
                "wh": "wild-house"}  # fmt: skip


class Person:
    """The person in the terminal. ``way``: asked for ``cards`` or only ``counts``; ``look``: the camera reads them."""

    def __init__(self, say: Say, ask: Ask, way: Literal["cards", "counts"] = "cards", look: Look | None = None) -> None:
        self._say, self._ask, self._way, self._look = say, ask, way, look

    def lay_in(self, runs: Sequence[Pile]) -> None:
        """Ask for the sorted deck in the hopper. Raises EOFError if nobody answers."""
        self._say(_("Sort the deck with the first card at the bottom, so that it leaves the shoe first:"))
        for run in runs:
            self._say(f"  {in_words(run)}")
        self._ask(_("Load it and keep your hands off the turntable. Then press Enter:") + " ")
        self._say(_("Dealing …"))

    def clear(self, kind: str, seat: int) -> bool:
        """Ask the person to clear a fault. Implements `trial.Helper`."""
        try:
            self._say(_(CLEARING[kind], seat=seat + 1))
            answer = self._ask(_("Then press Enter (q gives up):") + " ")
        except EOFError:
            return False
        return answer.strip().lower() != "q"

    def table(self, batches: Sequence[Batch], seats: int) -> Counted | Placed | None:
        """Ask for the cards of each seat. Return None if nobody answers."""
        expected = expected_piles(batches, seats)
        try:
            piles = [self._pile(seat, pile) for seat, pile in enumerate(expected)]
        except EOFError:
            return None
        found = [pile for pile in piles if not isinstance(pile, int)]
        if len(found) == len(piles):
            return place(batches, found)
        return counted(batches, [pile if isinstance(pile, int) else len(pile) for pile in piles])

    def _pile(self, seat: int, expected: Pile) -> Pile | int:
        if self._way == "counts":
            return self._number(seat, len(expected))
        should = ngettext(
            "Seat {seat} should hold {n} card: {cards}.",
            "Seat {seat} should hold {n} cards, in the order in which they came: {cards}.",
            len(expected),
            seat=seat + 1,
            cards=stretches(expected),
        )
        self._say(should)
        if self._look is not None:
            lay = _(
                "Lay them face up in rows under the camera, with the first one dealt at the top left. Then press Enter:"
            )
            self._ask(f"{lay} ")
            pile = self._look()
            self._say("  " + _("read: {n}, unreadable: {unread}", n=len(pile), unread=pile.count(UNREAD)))
            return pile
        while True:
            is_so = _(
                "Is that right? Press Enter for yes; otherwise type how many there are, or all of "
                "them (r0 rs y+2 w w4):"
            )
            answer = self._ask(f"{is_so} ")
            try:
                return expected if not answer.strip() else read_pile(answer)
            except ValueError as err:
                self._say(f"  {err}")

    def _number(self, seat: int, expected: int) -> int:
        while True:
            how_many = _("How many cards are at seat {seat}? (Enter for {n}):", seat=seat + 1, n=expected)
            answer = self._ask(f"{how_many} ").strip()
            if not answer or answer.isdecimal():
                return int(answer) if answer else expected
            self._say("  " + _("{value}: expected a number", value=answer))


def expected_piles(batches: Sequence[Batch], seats: int) -> list[Pile]:
    """Return the pile of each seat if the machine counted right."""
    deck = iter(tuple(chain.from_iterable(batch.run for batch in batches)))
    piles: list[list[str]] = [[] for _ in range(seats)]
    for batch in batches:
        piles[batch.seat] += [face for _, face in zip(range(batch.passed), deck, strict=False)]
    return [tuple(pile) for pile in piles]


def stretches(pile: Pile) -> str:
    """Format a pile: ``red-0 … red-draw2, green-3``."""
    parts = []
    for color, group in groupby(pile, lambda face: face.partition("-")[0]):
        faces = tuple(group)
        parts.append(in_words(faces) if len(faces) > 1 or color not in COLORS else faces[0])
    return ", ".join(parts) or "–"


def read_pile(text: str) -> Pile | int:
    """Parse ``r0 rs y+2 w w4``, whole names, or a number. Raises ValueError with the word that is no card."""
    if text.strip().isdecimal():
        return int(text)
    return tuple(_face(word) for word in re.split(r"[\s,]+", text.strip().lower()))


def _face(word: str) -> str:
    if is_face(word) or word == UNREAD:
        return word
    if word in _WILD:
        return _WILD[word]
    color = next((color for color in COLORS if word[:1] == color[0]), "")
    face = f"{color}-{_SHORT.get(word[1:], word[1:])}"
    if not is_face(face):
        text = _("{word}: unknown card: expected red-7 or r7, rs, rr, r+2, w, w4; ? where it cannot be read", word=word)
        raise ValueError(text)
    return face
