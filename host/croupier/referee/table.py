"""The table as the record has it: where the cards are, whose turn it is, what is open.

One mutable object that the referee's parts write in. Cards are kinds (`croupier.cards.KIND`), sets of seats are bit
masks, no card or seat is `UNKNOWN`. `snapshot` and `restore` are what undo rests on: whatever a part remembers, it
remembers here.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from croupier.cards import PLAIN
from croupier.referee.book import UNKNOWN, Book, Sequel, Sequels
from croupier.referee.phases import DEAL, PICK
from croupier.rules.legality import ANY, NO_COLOR


@dataclass(init=False, eq=False, repr=False, slots=True)
class Table:
    """The state of one game, as of the last observation."""

    book: Book

    # Whose turn, in which phase; who deals.
    phase: int
    paused: bool
    dealer: int | None
    turn: int
    direction: int

    # The up-card, the color to match, and what may be laid on it (by kind).
    top: int
    color: int
    playable: bytes

    # Where the cards are. By seat: the faces known to be in its hand; by plain kind: how many nobody saw yet.
    hands: list[int]
    known: list[tuple[int, ...]]
    unseen: list[int]
    draw_pile: int
    discard_pile: int

    # What is still to be drawn: by seat, and together.
    owed: list[int]
    owing: int

    # Masks of seats: whose call stands, who may be caught, who is out of the game.
    called: int
    catchable: int
    out: int
    scores: list[int]

    # Of this turn: the card drawn, and whether the seat had nothing to lay (None: not known).
    drawn: int
    drew_by_need: bool | None

    # Of the opening: what each seat picked (None: not asked), and whether the up-card is the starter card.
    picks: list[int | None]
    opening: bool

    # Of a Wild Draw Four: the color in force before it, whether that was named on a wild, and who challenged it.
    color_before: int
    named_before: bool
    challenger: int

    # Of the end of a round: who went out, whether a last draw card was served, and whether points were counted.
    went_out: int
    last_served: bool
    scored: bool

    # Of the UNO windows (`uno`): by seat the time of its touch; whether a window is open or a catch may be taken
    # back; the last catch, closing, late call and early press, each with t and u.
    touched: list[tuple[float, float] | None]
    watch: bool
    catch: tuple[float, float, int, tuple[tuple[int, int], ...]] | None
    closed: tuple[float, float, int, str] | None
    saved: tuple[float, float, int] | None
    early: tuple[float, float, int] | None
    penalty_drawn: bool

    # Who follows whom, and what follows when a card is laid (`Book.circle`, `Book.sequels`).
    circle: tuple[tuple[int, ...], tuple[int, ...]]
    sequels: Sequels

    def __init__(self, book: Book) -> None:
        self.book = book
        self.dealer = book.header.dealer
        self.scores = [0] * (len(book.header.teams) or book.seats)
        self.out = 0
        self.paused = False
        self.clear()

    def clear(self) -> None:
        """All cards go back into the deck; scores, dealer and seats that are out stay."""
        book, n = self.book, self.book.seats
        self.phase = PICK if self.dealer is None else DEAL
        self.turn = UNKNOWN
        self.direction = book.first_direction
        self.top = UNKNOWN
        self.color = NO_COLOR
        self.playable = ANY
        self.hands = [0] * n
        self.known = [()] * n
        self.unseen = book.deck.copy()
        self.draw_pile = book.deck_size
        self.discard_pile = 0
        self.owed = [0] * n
        self.owing = 0
        self.called = self.catchable = 0
        self.drawn = UNKNOWN
        self.drew_by_need = None
        self.picks = [UNKNOWN] * n
        self.opening = False
        self.color_before = UNKNOWN
        self.named_before = False
        self.challenger = self.went_out = UNKNOWN
        self.last_served = self.scored = False
        self.touched = [None] * n
        self.watch = False
        self.catch = self.closed = self.saved = self.early = None
        self.penalty_drawn = False
        self.take_places()

    def take_places(self) -> None:
        """Work out who follows whom; to be done whenever ``out`` changed."""
        self.circle = self.book.circle(self.out)
        self.sequels = self.book.sequels(self.out)

    @property
    def players(self) -> list[int]:
        """The seats that are not out, in order."""
        return [seat for seat in range(self.book.seats) if not self.out >> seat & 1]

    @property
    def next_seat(self) -> int:
        """The seat after the one on turn."""
        return self.circle[self.direction][self.turn]

    @property
    def speaker(self) -> int:
        """The seat that a ruling names where the report named none: that on turn, else the dealer."""
        return self.turn if self.turn != UNKNOWN else self.dealer or 0

    def enter(self, sequel: Sequel) -> None:
        """Go where the sequel leads."""
        self.phase = sequel.phase
        self.turn = sequel.turn
        self.direction = sequel.direction
        if sequel.n:
            self.owe(sequel.debtor, sequel.n)

    def owe(self, seat: int, n: int) -> None:
        """The seat is to draw ``n`` cards more (fewer, where ``n`` is negative)."""
        self.owed[seat] += n
        self.owing += n

    def locate(self, kinds: tuple[int, ...]) -> None:
        """These cards were not seen before and are now (`UNKNOWN` among them stay unseen)."""
        for kind in kinds:
            if kind != UNKNOWN:
                self.unseen[PLAIN[kind]] -= 1

    def snapshot(self) -> tuple[Any, ...]:
        """Everything that an observation may change."""
        return tuple([_copied(getattr(self, name)) for name in _CHANGING])

    def restore(self, snapshot: tuple[Any, ...]) -> None:
        """Be again as `snapshot` was taken."""
        for name, value in zip(_CHANGING, snapshot, strict=True):
            setattr(self, name, _copied(value))


_CHANGING = tuple(item.name for item in fields(Table) if item.name != "book")


def _copied(value: Any) -> Any:
    return value.copy() if type(value) is list else value
