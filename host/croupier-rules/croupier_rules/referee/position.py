"""The position: the state of the table, typed (`Position`) and as the JSON object of the table log, there and back.

In ``given`` and in an overrule every field may be left out. A position that is read must be possible: its cards make
the deck, its faces are in the deck, its seats exist.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from croupier_rules.cards import FACES, KIND, NUMBERS, PLAIN, UNKNOWN
from croupier_rules.errors import BadLog
from croupier_rules.referee import checks
from croupier_rules.referee.fields import PositionFields
from croupier_rules.referee.remembered import read_remembered, remembered_to_json
from croupier_rules.referee.table import GameConstants, Table
from croupier_rules.referee.transitions import (
    CHALLENGE,
    COLOR,
    DEAL,
    DIRECTIONS,
    DISCARD,
    GAME_OVER,
    HAS_TURN,
    PHASES,
    PICK,
    REDEAL,
    ROULETTE,
    ROUND_OVER,
    STACK,
    SWAP,
    TARGET,
)
from croupier_rules.rules.card_tables import DRAW2

OVER_PHASES: Final = (PHASES[ROUND_OVER], PHASES[GAME_OVER])
"""The phases of a `Position` in which no cards are played: the round is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """The fields of the table log's position, by the same names; ``owed`` by seat, ``house_rules`` by number.

    ``stack``: how many cards the draw cards laid on each other make draw; nobody owes them yet. ``turned_up``: how many
    cards the seat on turn turned up, or drew where a turn has a greatest number of draws. ``names``: who sits at each
    seat, where that is known.
    """

    phase: str
    dealer: int | None = None
    turn: int | None = None
    direction: str = "left"
    top: str | None = None
    color: str | None = None
    hands: tuple[int, ...] = ()
    draw_pile: int = 0
    discard_pile: int = 0
    owed: Mapping[int, int]
    scores: tuple[int, ...] = ()
    out: tuple[int, ...] = ()
    stack: int = 0
    turned_up: int = 0
    house_rules: Mapping[int, str] = field(default_factory=dict)
    catchable: tuple[int, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def step(self) -> int:
        """From a seat to the next in the direction of play: 1 or -1."""
        return 1 if self.direction == "left" else -1

    @property
    def next_seat(self) -> int | None:
        """The seat after the one on turn; ``None`` where it is nobody's turn."""
        if self.turn is None:
            return None
        ring = [(self.turn + self.step * i) % len(self.hands) for i in range(1, len(self.hands) + 1)]
        return next(seat for seat in ring if seat not in self.out)

    @classmethod
    def from_json(cls, fields: PositionFields, names: tuple[str, ...] = ()) -> Position:
        """Read a position that the referee wrote (`Referee.position`); of a referee itself ask `Referee.state`."""
        return cls(
            phase=fields["phase"],
            dealer=fields["dealer"],
            turn=fields["turn"],
            direction=fields["direction"],
            top=fields["top"],
            color=fields["color"],
            hands=tuple(fields["hands"]),
            draw_pile=fields["draw_pile"],
            discard_pile=fields["discard_pile"],
            owed={int(seat): n for seat, n in fields["owed"].items()},
            scores=tuple(fields["scores"]),
            out=tuple(fields["out"]),
            stack=fields.get("stack", 0),
            turned_up=fields.get("remembered", {}).get("turned_up", 0),
            house_rules={int(number): text for number, text in fields["house_rules"].items()},
            catchable=tuple(fields["catchable"]),
            names=names,
        )


FIELDS: Final = tuple(PositionFields.__annotations__)
"""The fields of a position in the table log."""

OPTIONAL_FIELDS: Final = ("resumes", "stack", "knocked_out", "remembered")
"""Those that a position has only while play is paused, draw cards are stacked, somebody is out for the round, or there
is something that no other field says."""

HIDDEN_FIELDS: Final = ("known", "remembered")
"""Those that may name faces of hidden hands."""


def table_to_json(table: Table) -> PositionFields:
    """The position as the table log writes it."""
    # Each line of a log that is judged makes one: what is mostly empty costs nothing then.
    phase, owed, known, rules = PHASES[table.phase], table.owed, table.known, table.house_rules
    position: PositionFields = {
        "phase": phase,
        "dealer": table.dealer,
        "turn": table.turn if table.phase in HAS_TURN else None,
        "direction": DIRECTIONS[table.direction],
        "top": None if table.up.kind == UNKNOWN else FACES[table.up.kind],
        "color": None if table.up.color == table.cards.no_color else table.cards.colors[table.up.color],
        "hands": table.hands.copy(),
        "known": {str(i): [FACES[kind] for kind in known[i]] for i in range(len(known)) if known[i]}
        if any(known)
        else {},
        "draw_pile": table.draw_pile,
        "discard_pile": table.discard_pile,
        "owed": {str(seat): n for seat, n in enumerate(owed) if n} if any(owed) else {},
        "called": _seats(table.called) if table.called else [],
        "catchable": _seats(table.catchable) if table.catchable else [],
        "house_rules": {str(number): text for number, text in sorted(rules.items())} if rules else {},
        "scores": table.scores.copy(),
        "out": _seats(table.out) if table.out else [],
    }
    if table.stack:
        position["stack"] = table.stack
    if table.knocked_out:
        position["knocked_out"] = _seats(table.knocked_out)
    if remembered := remembered_to_json(table):
        position["remembered"] = remembered
    if table.paused:
        position["phase"] = "paused"
        return {"phase": "paused", "resumes": phase, **position}
    return position


def _seats(mask: int) -> list[int]:
    return [seat for seat in range(mask.bit_length()) if mask >> seat & 1]


def table_from_json(constants: GameConstants, fields: Mapping[str, Any], what: str) -> Table:
    """The table that ``fields`` describe; ``what`` names them in an error.

    Raises:
        BadLog: a field is wrong, or the cards do not make the deck.
    """
    checks.known_fields(fields, FIELDS, what)
    given = {name: value for name, value in fields.items() if value is not None}
    if given.get("phase") == "paused":
        given.setdefault("resumes", _before_pause(fields))
    table = Table(constants)
    _read_seats(table, given, what)
    _read_turn(table, given, what)
    _read_cards(table, given, what)
    _read_uno(table, given, what)
    _read_house_rules(table, given, what)
    if "remembered" in given:
        read_remembered(table, given["remembered"], f"{what}: remembered")
    return table


def _read_seats(table: Table, given: Mapping[str, Any], what: str) -> None:
    """Dealer, eliminated seats, and the scores."""
    n = table.constants.seats
    if "dealer" in given:
        table.dealer = checks.seat(given["dealer"], f"{what}: dealer", n)
    table.out = _mask(given.get("out", []), f"{what}: out", n)
    table.knocked_out = _mask(given.get("knocked_out", []), f"{what}: knocked_out", n) & table.out
    table.transitions = table.constants.transitions(table.out)
    if len(table.transitions.players) < 2 and given.get("resumes", given.get("phase")) not in OVER_PHASES:
        raise BadLog(f"{what}: out {given['out']}: expected two seats or more that play")
    if "scores" in given:
        scores = checks.array(given["scores"], f"{what}: scores", len(table.scores))
        table.scores = [checks.whole(score, f"{what}: scores: total") for score in scores]


def _read_turn(table: Table, given: Mapping[str, Any], what: str) -> None:
    """Phase, direction, and the seat on turn."""
    constants = table.constants
    phase = checks.one_of(given.get("phase", "turn"), (*PHASES, "paused"), f"{what}: phase")
    table.pause(phase == "paused")
    if table.paused:
        phase = checks.one_of(given["resumes"], PHASES, f"{what}: resumes")
    table.phase = PHASES.index(phase)
    if table.phase == PICK:
        table.dealer = None
    if "direction" in given:
        table.direction = DIRECTIONS.index(checks.one_of(given["direction"], DIRECTIONS, f"{what}: direction"))
    if "turn" in given:
        table.turn = checks.seat(given["turn"], f"{what}: turn", constants.seats)
        if table.out >> table.turn & 1:
            raise BadLog(f"{what}: turn {table.turn}: expected a seat that is not out")
    elif table.phase in HAS_TURN:
        table.turn = table.transitions.first_player(constants.seats - 1 if table.dealer is None else table.dealer)


def _before_pause(fields: Mapping[str, Any]) -> str:
    """The phase before a pause as far as the other fields show it, where ``resumes`` is not given."""
    top = fields.get("top")
    if fields.get("turn", "") is None:  # written by the referee: it is nobody's turn
        return "deal" if top is None else "round_over"
    return "color" if str(top).startswith("wild") and fields.get("color") is None else "turn"


def _read_cards(table: Table, given: Mapping[str, Any], what: str) -> None:
    """Read the places of the cards. Cards that the position does not mention belong to the rest of the deck."""
    constants = table.constants
    if "hands" in given:
        hands = checks.array(given["hands"], f"{what}: hands", constants.seats)
        table.hands = [checks.whole(n, f"{what}: hands: number of cards") for n in hands]
    elif table.phase not in (PICK, DEAL):
        table.hands = [0 if table.out >> seat & 1 else constants.hand_size for seat in range(constants.seats)]
    for seat in range(constants.seats):
        if table.out >> seat & 1 and table.hands[seat] and table.phase not in (ROUND_OVER, GAME_OVER):
            raise BadLog(f"{what}: hands: seat {seat} is out: expected 0 cards")
    if "top" in given:
        table.up = table.cards.laid[KIND[checks.face(given["top"], f"{what}: top")]]
    if "color" in given:
        color = checks.one_of(given["color"], table.cards.colors, f"{what}: color")
        table.up = table.cards.with_color(table.up, table.cards.colors.index(color))
    for seat, cards in _by_seat(given.get("known", {}), f"{what}: known", constants.seats):
        faces = [checks.face(card, f"{what}: known") for card in checks.array(cards, f"{what}: known")]
        table.known[seat] = tuple(KIND[face] for face in faces)
        if len(faces) > table.hands[seat]:
            raise BadLog(f"{what}: known: seat {seat}: {len(faces)} cards, but the hand has {table.hands[seat]}")
    table.to_deal = table.hands.copy() if table.phase == REDEAL else table.to_deal
    _read_stack(table, given, what)
    _read_piles(table, given, what)
    _look_at_faces(table, what)
    for seat, n in _by_seat(given.get("owed", {}), f"{what}: owed", constants.seats):
        table.owe(seat, checks.whole(n, f"{what}: owed"))


def _read_stack(table: Table, given: Mapping[str, Any], what: str) -> None:
    """The stack of draw cards that waits for an answer, and whether the table plays what its phase says."""
    own, effect = table.constants.own, table.up.effect
    is_stacked = own is not None and any(own.answers.values())
    does = table.cards.effects[effect]
    if table.phase == SWAP and not (own is not None and (own.hands_move[7] or does.swaps)):
        raise BadLog(f"{what}: phase 'swap': expected a table that plays seven=swap, or a card as top that swaps hands")
    effects = {DISCARD: does.discards, ROULETTE: does.until_color, TARGET: does.targets}
    if not effects.get(table.phase, True):
        raise BadLog(f"{what}: phase {PHASES[table.phase]!r}: expected a card as top that leads to it")
    if table.phase == STACK and not (own is not None and own.answers.get(effect)):
        raise BadLog(f"{what}: phase 'stack': expected a table that stacks, and a draw card as top")
    if "stack" not in given and table.phase != STACK:
        return
    is_judged = "challenger" in given.get("remembered", {})  # the card on top is taken, the rest of the stack waits
    least = 1 if is_judged else table.cards.draws.get(effect, 1)
    table.stack = checks.whole(given.get("stack", least), f"{what}: stack", least)
    is_draw_card = effect in table.cards.draws or (own is not None and effect in own.bounces)
    if not is_stacked or table.phase not in (STACK, COLOR, CHALLENGE) or not is_draw_card:
        raise BadLog(f"{what}: stack {table.stack}: expected a draw card as top, which waits for an answer")
    table.stacked = table.cards.why.get(effect, table.cards.why.get(DRAW2, ""))


def _read_piles(table: Table, given: Mapping[str, Any], what: str) -> None:
    size, held = table.constants.deck_size, sum(table.hands)
    piles = {
        name: checks.whole(given[name], f"{what}: {name}") for name in ("draw_pile", "discard_pile") if name in given
    }
    up = int(table.up.kind != UNKNOWN)
    draw_pile = piles.get("draw_pile", size - held - piles.get("discard_pile", up))
    discard_pile = piles.get("discard_pile", size - held - draw_pile)
    if held + draw_pile + discard_pile != size or draw_pile < 0 or discard_pile < up:
        raise BadLog(
            f"{what}: {held} cards in hand, {draw_pile} in the draw pile and {discard_pile} in the discard "
            f"pile: expected {size} together, and the up-card among the discarded"
        )
    table.draw_pile = draw_pile


def _look_at_faces(table: Table, what: str) -> None:
    """Note which faces lie open, and that the deck holds them."""
    kinds = [kind for known in table.known for kind in known]
    if table.up.kind != UNKNOWN:
        kinds.append(table.up.kind)
    for plain, n in Counter(PLAIN[kind] for kind in kinds).items():
        if n > table.constants.deck[plain]:
            raise BadLog(
                f"{what}: {n} times {FACES[plain]}: expected {table.constants.deck[plain]} at most, as in the deck"
            )
    table.place_known(tuple(kinds))


def _read_uno(table: Table, given: Mapping[str, Any], what: str) -> None:
    table.called = _mask(given.get("called", []), f"{what}: called", table.constants.seats)
    table.catchable = _mask(given.get("catchable", []), f"{what}: catchable", table.constants.seats)
    table.watch = table.catchable != 0


def _read_house_rules(table: Table, given: Mapping[str, Any], what: str) -> None:
    what, rules = f"{what}: house_rules", table.constants.rules
    written = checks.mapping(given.get("house_rules", {}), what)
    if len(written) > (most := table.constants.most_house_rules):
        raise BadLog(f"{what}: {len(written)} rules: {rules.name} has {most or 'none'}")
    for number, text in written.items():
        if number not in NUMBERS:
            raise BadLog(f"{what}: number {number!r}: expected the number of a card, 0 to 9")
        table.house_rules[int(number)] = checks.text(text, f"{what}: text")


def _mask(value: object, what: str, seats: int) -> int:
    mask = 0
    for seat in checks.array(value, what):
        mask |= 1 << checks.seat(seat, what, seats)
    return mask


def _by_seat(value: object, what: str, seats: int) -> list[tuple[int, Any]]:
    """The items of a mapping by seat (its keys are texts, as JSON wants)."""
    items = []
    for seat, item in checks.mapping(value, what).items():
        if not seat.isdecimal() or len(seat) > 2 or int(seat) >= seats:
            raise BadLog(f"{what} of seat {seat!r}: expected a seat, 0 to {seats - 1}")
        items.append((int(seat), item))
    return items
