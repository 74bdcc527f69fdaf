"""The table: what never changes during a game (`GameConstants`), the state (`Table`), and how cards move in it.

The state is one mutable object that the parts of the referee write to. Cards are kinds (`croupier_rules.cards.KIND`),
sets of seats are bit masks, a missing card or seat is `UNKNOWN`. Undo rests on `snapshot` and `restore`: whatever a
part has to remember, it remembers in the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple

from croupier_rules.cards import KIND_SEEN, PLAIN, UNKNOWN
from croupier_rules.referee import rulings
from croupier_rules.referee.header import Header
from croupier_rules.referee.observations import Acted, Observation, Play, Recycled, Uno
from croupier_rules.referee.rulings import ColorIs, Draw, Mismatch, Recycle, Ruling, Rulings, Short, UnoStands
from croupier_rules.referee.transitions import (
    DEAL,
    DIRECTIONS,
    HAS_TURN,
    PHASES,
    PICK,
    STACK,
    Transition,
    TransitionTable,
    transition_table,
)
from croupier_rules.rules import UNWRITTEN, Basis
from croupier_rules.rules.card_tables import CardTables, UpCard, card_tables
from croupier_rules.rules.own_rules import own_rules


class GameConstants:
    """Values that stay the same for the whole game. ``cards`` are the tables of the deck, ``deck`` counts its cards by
    kind, ``team_of`` gives the team of each seat."""

    def __init__(self, header: Header) -> None:
        rules = header.ruleset
        self.rules = rules
        self.options = header.options
        self.dealer = header.dealer
        self.seats = len(header.seats)
        self.names = header.seats
        self.team_of = {seat: number for number, team in enumerate(header.teams) for seat in team}
        self.accounts = len(header.teams) or self.seats
        self.cards = card_tables(rules.deck)
        self.deck = self.cards.sides[0]
        self.deck_size = sum(self.deck)
        self.deck_list = list(self.deck)
        self.first_direction = DIRECTIONS.index(str(rules.value("start.direction")))
        self.hand_size = rules.hand_size(self.seats)
        self.calls = rules.value("uno.call.when") != "none"
        self.own = own = own_rules(rules)
        self.draw_size = 1 if own is not None and own.draws_until_it_fits else rules.number("turn.must_draw")
        self.must_lay_drawn = (
            rules.value("draw.forced.then_play") == "must",
            rules.value("draw.voluntary.then_play") == "must",
        )
        if own is not None and own.must_lay_drawn:
            self.must_lay_drawn = (True, True)
        self.warns_of_draws = rules.value("draw.voluntary") == "warn"
        # The draw after which nothing is to be asked; UNKNOWN where it matters whether the seat had to draw.
        self.plain_draw = UNKNOWN if own or self.warns_of_draws or any(self.must_lay_drawn) else self.draw_size
        self.closes_on_lift = rules.value("uno.catch.closes") == "lift"
        self.closes_at_all = rules.value("uno.catch.closes") != "never"
        # By seat: a mask of the partners that it may not catch; and what says so: the table's own choice, or the
        # sheet in its sentence on the penalty (the table log has no rule id for it).
        self.spared = [0] * self.seats
        if rules.value("uno.catch.who") == "opponents":
            self.spared = [
                sum(1 << mate for team in header.teams if seat in team for mate in team if mate != seat)
                for seat in range(self.seats)
            ]
        self.spares = rules.basis("uno.catch.who" if rules.is_chosen("uno.catch.who") else "uno.penalty")
        self.most_house_rules = rules.most_house_rules
        self.colors, self.colors_again = (
            [ColorIs(rules.basis("card.wild.current_color", part), color) for color in self.cards.colors]
            for part in ("all", "again")
        )
        # By seat: its call stands.
        self.called: list[Rulings] = [(UnoStands(rules.basis("uno.call.when"), seat),) for seat in range(self.seats)]
        # Points that end the game; None where a round is the game.
        self.target = self.options.target
        if self.target is None and rules.value("goal") == "points":
            self.target = rules.number("score.target")
        self.lowest_wins = self.options.scoring == "lowest" or rules.value("score.alt_lowest") == "played"
        self.counts_rounds = rules.value("score.values") == "one-a-round"
        self.is_round_the_game = self.target is None
        self.most_held = own.most_held if own is not None else None

    def transitions(self, out: int) -> TransitionTable:
        """The seats that are not ``out`` (a mask), and what follows from what they do."""
        return transition_table(self.rules, self.seats, out)


class Laid(NamedTuple):
    """The last card that was laid: the report, the seat, which seat was on turn then, and the rule that let another
    lay it (``""`` where it was the one on turn)."""

    report: Play
    seat: int
    on_turn: int
    rule: str = ""


Snapshot = tuple[tuple[Any, ...], tuple[Any, ...]]
"""A state of the table that it can be brought back to."""


@dataclass(init=False, eq=False, repr=False, slots=True)
class Table:
    """The state of one game, as of the last observation."""

    constants: GameConstants
    cards: CardTables

    # Whose turn, in which phase; who deals.
    phase: int
    paused: bool
    # Whether an ordinary card may be answered at once: play is not paused, and the table has no rules of its own.
    quick: bool
    dealer: int | None
    turn: int
    direction: int
    # The rulings that settled whose turn it is; none where a position was given or set.
    settled: Rulings

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

    # Masks of seats: whose call stands, who may be caught, who is out of the game,
    # and who of them only until the end of the round.
    called: int
    catchable: int
    out: int
    knocked_out: int
    scores: list[int]

    # By seat: who sits there.
    names: tuple[str, ...]

    # Of this turn: the card drawn, whether the seat had nothing to lay (None: not known), and the faces in its hand
    # that are certainly not the card drawn: they were known before, or served a debt. What is known now does not tell.
    drawn: int
    held: tuple[int, ...]
    drew_by_need: bool | None

    # Of the opening: the card each seat picked (None: not asked), and whether the up-card is the starter card.
    picks: list[int | None]
    is_first_wild: bool

    # Of a Wild Draw Four: who challenged it; and what its seat drew since the touch (how many cards, which of them were
    # seen), with the faces known at the touch. Of Shuffle Hands: by seat, the cards still to be dealt.
    challenger: int
    since_touch: tuple[int, tuple[int, ...], tuple[int, ...]] | None
    to_deal: list[int]

    # Of the table's own rules (`own_rules`): how many cards the stack makes draw, and the first of its cards; the last
    # card that was laid; and the report with which the seat on turn began its turn.
    stack: int
    stacked: str
    laid: Laid | None
    begun: tuple[Observation, int] | None

    # Of a card that makes turn up cards until a color comes: how many were turned up. Where a turn has a greatest
    # number of draws (`draw.most`): how many cards were drawn in it.
    turned_up: int

    # Of the house rules: text by number; the seat that may make one now, with the card it laid; the number whose rule
    # runs, and by seat the report that it acted.
    house_rules: dict[int, str]
    rule_card: tuple[int, int] | None
    running: int
    acted: list[Acted | None]

    # Of the end of a round: who went out, whether a last draw card was served, and whether points were counted.
    went_out: int
    last_served: bool
    scored: bool

    # Of the UNO windows (`uno`): by seat the report of its touch; whether a window is open or a catch may be taken
    # back; the last catch, with the penalties by seat; the last closing, with the seats (a mask) that could be caught
    # until then, and how it came; the last late call; the last early press.
    touched: list[Observation | None]
    watch: bool
    catch: tuple[Uno, Mapping[int, int]] | None
    closed: tuple[Observation, int, str] | None
    saved: Uno | None
    early: Uno | None
    penalty_drawn: bool

    # The seats that play, and what follows from what they do.
    transitions: TransitionTable

    def __init__(self, constants: GameConstants) -> None:
        self.constants, self.cards = constants, constants.cards
        self.dealer = constants.dealer
        self.names = constants.names
        self.scores = [0] * constants.accounts
        self.out = self.knocked_out = 0
        self.pause(False)
        self.clear()

    def clear(self) -> None:
        """All cards go back into the deck; scores, dealer and seats that are out of the game stay."""
        constants, n = self.constants, self.constants.seats
        self.out &= ~self.knocked_out
        self.knocked_out = 0
        self.phase = PICK if self.dealer is None else DEAL
        self.turn, self.settled = UNKNOWN, ()
        self.direction = constants.first_direction
        self.up = self.up_before = self.cards.no_up_card
        self.hands = [0] * n
        self.known = [()] * n
        self.unseen = list(constants.deck)
        self.draw_pile = constants.deck_size
        self.owed = [0] * n
        self.owing = 0
        self.called = self.catchable = 0
        self.drawn = UNKNOWN
        self.drew_by_need = None
        self.held = ()
        self.picks = [UNKNOWN] * n
        self.is_first_wild = False
        self.challenger = self.went_out = UNKNOWN
        self.since_touch = None
        self.to_deal = [0] * n
        self.stack, self.stacked = 0, ""
        self.laid = self.begun = None
        self.turned_up = 0
        self.house_rules = {}
        self.rule_card = None
        self.running = UNKNOWN
        self.acted = [None] * n
        self.last_served = self.scored = False
        self.touched = [None] * n
        self.watch = False
        self.catch = self.closed = self.saved = self.early = None
        self.penalty_drawn = False
        self.transitions = constants.transitions(self.out)

    @property
    def discard_pile(self) -> int:
        """The number of cards on the discard pile: all cards that are in no hand and not in the draw pile, so that no
        card is ever lost."""
        return self.constants.deck_size - self.draw_pile - sum(self.hands)

    @property
    def next_seat(self) -> int:
        """The seat after the one on turn."""
        return self.transitions.after[self.direction][self.turn]

    @property
    def accused(self) -> int:
        """The seat that laid the draw card which waits for an answer."""
        return self.transitions.after[1 - self.direction][self.turn] if self.phase == STACK else self.turn

    @property
    def speaker(self) -> int:
        """The seat that a ruling names where the report named none: that on turn, else the dealer."""
        return self.turn if self.turn != UNKNOWN else self.dealer or 0

    def pause(self, paused: bool) -> None:
        """Interrupt play, or let it go on."""
        self.paused = paused
        self.quick = not paused and self.constants.own is None

    def enter(self, transition: Transition) -> None:
        """Go where the transition leads."""
        self.phase = transition.phase
        self.turn = transition.turn
        self.direction = transition.direction
        self.settled = transition.rulings
        if n := transition.n:
            self.owed[transition.debtor] += n
            self.owing += n

    def owe(self, seat: int, n: int) -> None:
        """The seat is to draw ``n`` cards more (fewer, where ``n`` is negative)."""
        self.owed[seat] += n
        self.owing += n

    def place_known(self, kinds: tuple[int, ...]) -> None:
        """These cards were not seen before and are now (`UNKNOWN` among them stay unseen)."""
        for kind in kinds:
            if kind != UNKNOWN:
                self.unseen[PLAIN[kind]] -= 1

    def forget_hands(self) -> None:
        """Nobody knows any longer which faces are in which hand."""
        for known in self.known:
            for kind in known:
                self.unseen[PLAIN[kind]] += 1
        self.known = [()] * self.constants.seats

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
_PLAIN = tuple(item.name for item in fields(Table) if item.name not in (*_LISTS, "constants", "cards"))
_plain, _lists = attrgetter(*_PLAIN), attrgetter(*_LISTS)


_kind_of = dict(KIND_SEEN).__getitem__


def kinds_of(cards: tuple[str, ...]) -> tuple[int, ...]:
    """The kinds of those cards that could be read."""
    kinds = tuple(map(_kind_of, cards))
    return kinds if UNKNOWN not in kinds else tuple([kind for kind in kinds if kind != UNKNOWN])


def known_as(known: Sequence[int], kind: int) -> int:
    """As which of the known cards a hand holds a card of this kind; `UNKNOWN`: as none of them.

    The icon on a number is easily overlooked, so ``red-5`` is also that ``red-5*`` of which nothing else is known.
    """
    if kind in known:
        return kind
    return next((like for like in known if PLAIN[like] == PLAIN[kind]), UNKNOWN)


def too_often(table: Table, plain: int) -> Ruling:
    """One card more of this kind would be in play than the deck holds."""
    return Mismatch(UNWRITTEN, "card", table.constants.deck[plain], table.constants.deck[plain] + 1)


def see(table: Table, kinds: tuple[int, ...]) -> Ruling | None:
    """These cards were not seen before and are now; or the mismatch, where the deck does not hold so many."""
    unseen, plain_of, too_many = table.unseen, PLAIN, UNKNOWN
    for kind in kinds:
        plain = plain_of[kind]
        left = unseen[plain] = unseen[plain] - 1
        if left < 0:
            too_many = plain
    if too_many == UNKNOWN:
        return None
    for kind in kinds:
        unseen[PLAIN[kind]] += 1
    return too_often(table, too_many)


def take(table: Table, seat: int, n: int, cards: tuple[str, ...]) -> Ruling | None:
    """The seat takes ``n`` cards from the draw pile, ``cards`` of them seen; or the mismatch, and nothing changed."""
    if n > table.draw_pile:
        return Mismatch(UNWRITTEN, "pile", table.draw_pile, n)
    if cards:
        kinds = kinds_of(cards)
        if mismatch := see(table, kinds):
            return mismatch
        table.known[seat] += kinds
    table.draw_pile -= n
    table.hands[seat] += n
    # A call lapses when the hand grows; and where no window closes, nobody is caught with a hand that grew.
    if table.called:
        table.called &= ~(1 << seat)
    if table.catchable and not table.constants.closes_at_all:
        table.catchable &= ~(1 << seat)
    return None


def run_out(table: Table) -> list[Ruling]:
    """Handle an empty draw pile: make a new pile, or waive the cards that cannot be drawn."""
    if table.draw_pile:
        return []
    if table.discard_pile > 1:
        return [Recycle(table.constants.rules.basis("pile.exhausted", "recycle"))]
    basis = table.constants.rules.basis("pile.exhausted", "short")
    rulings: list[Ruling] = [Short(basis, seat, owed) for seat, owed in enumerate(table.owed) if owed]
    for seat in range(table.constants.seats):
        table.owe(seat, -table.owed[seat])
    return rulings


def penalize(table: Table, basis: Basis, seat: int, n: int, why: str) -> Rulings:
    """Make the seat owe ``n`` cards for the reason ``why``. If there are no cards, the debt is waived."""
    table.owe(seat, n)
    return (Draw(basis, seat, n, why), *(run_out(table) if is_dry(table) else ()))


def refuse(table: Table, seat: int, why: str, basis: Basis = UNWRITTEN, card: str | None = None) -> Rulings:
    """Not allowed; nothing changed. Cites what took the turn away, or says what the table waits for."""
    if why == "not-your-turn":
        return (rulings.Illegal(_taken_away(table, seat), seat, why, card),)
    if why != "wrong-phase":
        return (rulings.Illegal(basis, seat, why, card),)
    waits = "paused" if table.paused else PHASES[table.phase]
    on = table.turn if table.phase in HAS_TURN else None
    return (rulings.Illegal(basis, seat, why, card, waits, on, table.stack if waits == PHASES[STACK] else None),)


def _taken_away(table: Table, seat: int) -> Basis:
    """What made the seat miss its turn, or else what gave it to the seat on turn."""
    missed = (one for one in table.settled if isinstance(one, rulings.Skip) and one.seat == seat)
    asked = rulings.Turn | rulings.MayStack | rulings.ChooseColor
    given = (one for one in table.settled if isinstance(one, asked) and one.seat == table.turn)
    if (found := next(chain(missed, given), None)) is not None:
        return table.constants.rules.led_by(found.basis)
    rule = ("dealer.pick", "all") if table.phase == PICK else ("start.direction", "turn")
    return table.constants.rules.led_by(table.constants.rules.basis(*rule))


def is_dry(table: Table) -> bool:
    """True if no card can be drawn, nor any be made to draw."""
    return not table.draw_pile and table.discard_pile <= 1


def recycled(table: Table, obs: Recycled) -> Rulings:
    """The discard pile, less its top card, became the draw pile: its faces are unseen again."""
    if table.discard_pile > 1:
        table.draw_pile += table.discard_pile - 1
        table.unseen = list(table.constants.deck)
        table.place_known((table.up.kind,))
        for known in table.known:
            table.place_known(known)
    return ()
