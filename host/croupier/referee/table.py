"""The table as the record has it: where the cards are, whose turn it is, what is open.

One mutable object that the referee's parts write in. Cards are kinds (`croupier.cards.KIND`), sets of seats are bit
masks, no card or seat is `UNKNOWN`. `snapshot` and `restore` are what undo rests on: whatever a part remembers, it
remembers here.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

from croupier.cards import PLAIN
from croupier.referee.game_constants import UNKNOWN, Book
from croupier.referee.phases import DEAL, PICK
from croupier.referee.transitions import Circle, Sequel
from croupier.rules.legality import NO_UP_CARD, UpCard

Snapshot = tuple[tuple[Any, ...], tuple[Any, ...]]
"""A state of the table that it can be brought back to."""


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

    # The up-card, with the color to match and what may be laid on it; and the one under it, where a wild was laid.
    up: UpCard
    up_before: UpCard

    # Where the cards are. By seat: the faces known to be in its hand; by plain kind: how many nobody saw yet.
    hands: list[int]
    known: list[tuple[int, ...]]
    unseen: list[int]
    draw_pile: int

    # What is still to be drawn: by seat, and together.
    owed: list[int]
    owing: int

    # Masks of seats: whose call stands, who may be caught, who is out of the game.
    called: int
    catchable: int
    out: int
    scores: list[int]

    # Of this turn: the card drawn, whether the seat had nothing to lay (None: not known), and where the hand was shown
    # after a draw that nobody saw, which faces were known before.
    drawn: int
    held: tuple[int, ...] | None
    drew_by_need: bool | None

    # Of the opening: the card each seat picked (None: not asked), and whether the up-card is the starter card.
    picks: list[int | None]
    opening: bool

    # Of a Wild Draw Four: who challenged it. Of Shuffle Hands: by seat, the cards still to be dealt.
    challenger: int
    to_deal: list[int]

    # Of the house rules: text by number; the seat that may make one now, with the card it laid; the number whose rule
    # runs, and by seat when it acted (t and u).
    house_rules: dict[int, str]
    rule_card: tuple[int, int] | None
    running: int
    acted: list[tuple[float, float] | None]

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

    # The seats that play, and what follows from what they do.
    circle: Circle

    def __init__(self, book: Book) -> None:
        self.book = book
        self.dealer = book.dealer
        self.scores = [0] * book.accounts
        self.out = 0
        self.paused = False
        self.clear()

    def clear(self) -> None:
        """All cards go back into the deck; scores, dealer and seats that are out stay."""
        book, n = self.book, self.book.seats
        self.phase = PICK if self.dealer is None else DEAL
        self.turn = UNKNOWN
        self.direction = book.first_direction
        self.up = self.up_before = NO_UP_CARD
        self.hands = [0] * n
        self.known = [()] * n
        self.unseen = list(book.deck)
        self.draw_pile = book.deck_size
        self.owed = [0] * n
        self.owing = 0
        self.called = self.catchable = 0
        self.drawn = UNKNOWN
        self.drew_by_need = None
        self.held = None
        self.picks = [UNKNOWN] * n
        self.opening = False
        self.challenger = self.went_out = UNKNOWN
        self.to_deal = [0] * n
        self.house_rules = {}
        self.rule_card = None
        self.running = UNKNOWN
        self.acted = [None] * n
        self.last_served = self.scored = False
        self.touched = [None] * n
        self.watch = False
        self.catch = self.closed = self.saved = self.early = None
        self.penalty_drawn = False
        self.circle = book.circle(self.out)

    @property
    def discard_pile(self) -> int:
        """How many cards lie there: those that are in no hand and not in the draw pile, so that none is ever lost."""
        return self.book.deck_size - self.draw_pile - sum(self.hands)

    @property
    def next_seat(self) -> int:
        """The seat after the one on turn."""
        return self.circle.after[self.direction][self.turn]

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

    def forget_hands(self) -> None:
        """Nobody knows any longer which faces are in which hand."""
        for known in self.known:
            for kind in known:
                self.unseen[PLAIN[kind]] += 1
        self.known = [()] * self.book.seats

    def snapshot(self) -> Snapshot:
        """Everything that an observation may change."""
        return _plain(self), tuple([value.copy() for value in _lists(self)])

    def restore(self, snapshot: Snapshot) -> None:
        """Be again as `snapshot` was taken."""
        plain, lists = snapshot
        for name, value in zip(_PLAIN, plain, strict=True):
            setattr(self, name, value)
        for name, value in zip(_LISTS, lists, strict=True):
            setattr(self, name, value.copy())


_LISTS = ("hands", "known", "unseen", "owed", "scores", "picks", "touched", "to_deal", "house_rules", "acted")
_PLAIN = tuple(item.name for item in fields(Table) if item.name not in (*_LISTS, "book"))
_plain, _lists = attrgetter(*_PLAIN), attrgetter(*_LISTS)
