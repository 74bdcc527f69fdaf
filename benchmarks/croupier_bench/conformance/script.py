"""What a case asks of an engine that only plays: cards laid out, moves, and what must be so after each.

A conformance case is a table log: what was seen, and what the referee must say. An engine of a game has other moves. It
draws what a card makes somebody draw at once, takes the color with the wild card, and knows all cards. So several
observations become one move, cards that a case leaves open are chosen such that they fit nowhere, and counts of hands
are compared with what is still owed added to them. What an engine has no words for cannot be asked: `CannotAsk`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from croupier_bench.conformance.cases import Case, log_lines
from croupier_rules import Referee, parse_header, parse_observation
from croupier_rules.cards import DECKS, color_of, symbol_of

SHEET: Final = "g7942-en"
"""The sheet that engines are asked about."""


class CannotAsk(Exception):
    """The engine has no word for something in the case; the text says for what."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How the cards lie at the beginning.

    ``hands``: by seat. ``pile``: the draw pile, the next card first. ``discard``: the discard pile, its top card last.
    ``color``: to match. ``turn``: the seat on turn; before the starter card is turned over there is none, nor a color.
    """

    hands: tuple[tuple[str, ...], ...]
    pile: tuple[str, ...]
    discard: tuple[str, ...]
    color: str | None
    turn: int | None
    dealer: int
    direction: str


@dataclass(frozen=True, slots=True)
class Move:
    """What a seat does. ``kind``: ``starter``, ``play``, ``draw``, ``pass``, ``uno`` (a press: call or catch).

    ``card``: to play; with ``draw`` the drawn card, where it is laid at once. ``color``: named with a wild card.
    ``challenges``: the next seat doubts this Wild Draw Four.
    """

    kind: str
    seat: int
    card: str | None = None
    color: str | None = None
    challenges: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """One move, and what must be so after it: by field what is to be read from the engine. ``is_refused``: the engine
    must not take the move."""

    move: Move
    is_refused: bool
    want: dict[str, Any]


class Engine(Protocol):
    """A game to be asked. ``knows``: which moves it has, of those of `Move`, ``challenge``, and ``decides`` where a
    drawn card can be laid or kept only at once with the draw. ``tells``: the fields of `look`."""

    name: str
    knows: frozenset[str]
    tells: frozenset[str]

    def lay_out(self, layout: Layout) -> None:
        """Begin anew with these cards."""

    def do(self, move: Move) -> bool:
        """Do it; False if the engine refuses it."""

    def look(self) -> dict[str, Any]:
        """``turn``, ``direction``, ``color``, ``top``, ``hands`` (counts), ``draw_pile``, ``discard_pile``, ``winner``,
        ``points`` (of the winner): as far as the engine tells them."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One step of a case as our referee took it: positions before and after it, and its rulings."""

    step: dict[str, Any]
    see: dict[str, Any]
    rulings: list[dict[str, Any]]
    before: dict[str, Any]
    after: dict[str, Any]

    @property
    def kind(self) -> str:
        """The kind of the observation."""
        return str(self.see["obs"])

    @property
    def seat(self) -> int:
        """The seat that did it."""
        seat = self.see.get("seat", self.before["turn"])
        if seat is None:
            raise CannotAsk("what nobody does")
        return int(seat)

    @property
    def is_refused(self) -> bool:
        """True if the case has the referee refuse it."""
        return any(one["ruling"] == "illegal" for one in self.step.get("expect", ()))

    def says(self, ruling: str) -> bool:
        """True if the referee said so."""
        return any(one["ruling"] == ruling for one in self.rulings)


Group = tuple[Move, tuple[Seen, ...]]
"""A move, and the steps of the case that it is."""


def script(case: Case, engine: Engine) -> tuple[Layout, tuple[Asked, ...]]:
    """What to lay out, and what to ask in turn.

    Raises:
        CannotAsk: the case is about something that the engine has not.
    """
    seen = _replayed(case)
    groups = tuple(_groups(seen, engine))
    layout = _laid_out(seen, groups)
    asked = tuple(Asked(move, steps[0].is_refused, _wanted(steps, engine)) for move, steps in groups)
    if not any(one.want or one.is_refused for one in asked):
        raise CannotAsk("what it does not tell")
    return layout, asked


def _replayed(case: Case) -> tuple[Seen, ...]:
    """The steps of a case with the positions between them."""
    if case.get("refused") or any("raw" in step for step in case["steps"]):
        raise CannotAsk("a faulty log")
    lines = [json.loads(line) for line in log_lines(case, SHEET)]
    if lines[0].get("options") or lines[0].get("teams"):
        raise CannotAsk("options of a game")
    if any(one.keys() & {"u", "uc", "clock"} for one in lines):
        raise CannotAsk("a clock")
    header = parse_header(lines[0])
    referee = Referee(header)
    found = []
    for step, see in zip(case["steps"], lines[1:], strict=True):
        before = dict(referee.position())
        rulings = [dict(one.to_json()) for one in referee.observe(parse_observation(see, len(header.seats)))]
        found.append(Seen(step, see, rulings, before, dict(referee.position())))
    first = found[0].before
    if first["phase"] not in ("turn", "upcard") or first["owed"] or first["out"] or first["dealer"] is None:
        raise CannotAsk("a table that is laid out in the middle of a turn")
    return tuple(found)


def _groups(seen: Sequence[Seen], engine: Engine) -> Iterator[Group]:
    """The moves, each with the steps that it is."""
    rest = list(seen)
    while rest:
        first = rest.pop(0)
        steps = [first]
        match first.kind:
            case "play":
                move = _play(first, steps, rest, engine)
            case "drew" if not first.before["owed"] and first.see["n"] == 1 and first.before["phase"] == "turn":
                move = _draw(first, steps, rest, engine)
            case "pass":
                move = Move("pass", first.seat)
            case "uno":
                move = Move("uno", first.seat)
            case "upcard":
                color = None
                if rest and rest[0].kind == "color" and first.after["phase"] == "color":
                    steps.append(rest.pop(0))
                    color = steps[-1].see["color"]
                elif first.after["phase"] == "color":
                    raise CannotAsk("a wild card without its color")
                move = Move("starter", 0, first.see["card"], color)
            case kind:
                raise CannotAsk(f"the report {kind}")
        if move.kind not in engine.knows:
            raise CannotAsk(f"the move {move.kind}")
        if move.kind in ("play", "draw", "pass") and first.seat != first.before["turn"]:
            raise CannotAsk("a seat that is not on turn")
        while rest and _follows_at_once(rest[0]):
            steps.append(rest.pop(0))
        yield move, tuple(steps)


def _follows_at_once(step: Seen) -> bool:
    """Cards that are owed and drawn, a pile that is shuffled, hands that are shown: what an engine does or knows by
    itself."""
    if step.kind == "drew":
        return bool(step.before["owed"].get(str(step.seat)) == step.see["n"])
    return step.kind in ("shown", "recycled") and not step.is_refused


def _play(first: Seen, steps: list[Seen], rest: list[Seen], engine: Engine) -> Move:
    card = first.see["card"]
    if color_of(card) is not None or first.is_refused:
        return Move("play", first.seat, card, None if color_of(card) else "red")
    color, challenges = "red", False
    if first.after["phase"] == "color":
        if not rest:  # the case is about the card alone
            return Move("play", first.seat, card, color)
        if rest[0].kind != "color" or rest[0].is_refused or rest[0].seat != first.seat:
            raise CannotAsk("a wild card without its color")
        steps.append(rest.pop(0))
        color = steps[-1].see["color"]
    if steps[-1].after["phase"] == "challenge":
        if not rest or rest[0].kind not in ("accept", "challenge"):
            raise CannotAsk("the time between a Wild Draw Four and its answer")
        steps.append(rest.pop(0))
        challenges = steps[-1].kind == "challenge"
        if challenges and "challenge" not in engine.knows:
            raise CannotAsk("a challenge")
    return Move("play", first.seat, card, color, challenges)


def _draw(first: Seen, steps: list[Seen], rest: list[Seen], engine: Engine) -> Move:
    if "decides" not in engine.knows or first.after["phase"] != "drawn":
        return Move("draw", first.seat)
    if not rest or rest[0].is_refused or rest[0].kind not in ("play", "pass"):
        raise CannotAsk("the time between drawing a card and laying it")
    steps.append(rest.pop(0))
    if steps[-1].kind == "pass":
        return Move("draw", first.seat)
    laid = _play(steps[-1], steps, rest, engine)
    return Move("draw", first.seat, laid.card, laid.color, laid.challenges)


def _laid_out(seen: Sequence[Seen], groups: Sequence[Group]) -> Layout:
    """The cards: what a case leaves open is what it needs, and else fits nowhere."""
    first = seen[0].before
    deck = Counter(DECKS["g7942"])
    top = first["top"]
    deck -= Counter([top] if top else [])
    hands = [Counter(first["known"].get(str(seat), [])) for seat in range(len(first["hands"]))]
    drawn: list[str | None] = []
    for move, steps in groups:
        held = hands[move.seat]
        in_hand = [move.card] if move.kind == "play" and steps[0].before["phase"] == "turn" and move.card else []
        if steps[0].is_refused and any(one.get("why") == "not-in-hand" for one in steps[0].rulings):
            in_hand = []
        later = Counter(card for card in drawn if card)
        for card in in_hand:
            if not later[card] and not held[card]:
                held[card] += 1
        for step in steps:
            if step.kind == "shown":
                hands[step.seat] |= Counter(step.see["cards"])
            if step.kind == "drew":
                cards = step.see.get("cards") or [None] * step.see["n"]
                drawn += [move.card if move.kind == "draw" and step is steps[0] and move.card else cards[0], *cards[1:]]
        if move.kind == "starter":
            drawn.insert(0, move.card)
        if move.kind == "play" and steps[0].before["phase"] == "drawn" and drawn and not steps[0].is_refused:
            drawn[-1] = move.card
    for held in (*hands, Counter(card for card in drawn if card)):
        deck.subtract(held)
    if min(deck.values()) < 0 or any(held.total() > n for held, n in zip(hands, first["hands"], strict=True)):
        raise CannotAsk("cards that cannot lie so")
    lying = sum(first["hands"]) + first["draw_pile"] + first["discard_pile"]
    placed = sum(hand.total() for hand in hands) + sum(card is not None for card in drawn) + (top is not None)
    if deck.total() != lying - placed:
        raise CannotAsk("cards that cannot lie so")
    fillers = _unfit(deck, seen)
    acting = {move.seat for move, _ in groups}
    for seat in sorted(range(len(hands)), key=lambda seat: seat not in acting):
        hands[seat] += Counter(fillers.pop(0) for _ in range(first["hands"][seat] - hands[seat].total()))
    pile = [card or fillers.pop(0) for card in drawn[: first["draw_pile"]]]
    pile += [fillers.pop() for _ in range(first["draw_pile"] - len(pile))]
    under = [fillers.pop() for _ in range(first["discard_pile"] - (top is not None))]
    return Layout(
        tuple(tuple(hand.elements()) for hand in hands),
        tuple(pile),
        (*under, top) if top else (),
        first["color"],
        first["turn"],
        first["dealer"],
        first["direction"],
    )


def _unfit(deck: Counter[str], seen: Sequence[Seen]) -> list[str]:
    """The cards of a deck, those first that fit on no card and no color of the case."""
    faces = [step.see.get("card") for step in seen] + [step.before["top"] for step in seen]
    colors = {color_of(face) for face in faces if face} | {step.after["color"] for step in seen}
    symbols = {symbol_of(face) for face in faces if face}

    def fits(face: str) -> tuple[bool, ...]:
        is_number = symbol_of(face).isdigit()
        return color_of(face) is None, color_of(face) in colors, symbol_of(face) in symbols, not is_number

    return sorted(deck.elements(), key=fits)


_NOTHING: Final = ("choose_color", "show_hand", "uno", "may_challenge", "challenge")
"""Rulings that say what an engine has in its moves."""

_HANDS: Final = ("draw", "caught", "void", "warn")
_TURN: Final = ("turn", "skip")
_END: Final = ("round_over", "score", "game_over")
_NEVER_SAID: Final = ("cannot_tell", "mismatch", "short", "recycle", "dealer", "eliminated", "hands_moved")


def _wanted(steps: Sequence[Seen], engine: Engine) -> dict[str, Any]:
    """What must be so after a move: what its steps expect, read from the last of them."""
    last = steps[-1]
    fields: set[str] = set()
    for step in steps:
        for want in step.step.get("expect", ()):
            fields |= _fields(want["ruling"])
            if want["ruling"] == "turn" and "direction" in want:
                fields.add("direction")
        for want in step.step.get("never", ()):
            if want["ruling"] not in _NEVER_SAID and want["ruling"] != "illegal":
                fields |= _fields(want["ruling"]) - {"points"}
        for name, value in step.step.get("position", {}).items():
            if name in ("called", "catchable") and "uno" in engine.knows:
                continue  # a later press tells them
            fields |= _of_position(name, value, is_last=step is last and step.after["phase"] != "color")
    if not last.after["phase"].endswith("_over"):
        fields.discard("points")
    if last.after["phase"] == "color":  # only whether the wild card may be laid
        fields &= {"top", "discard_pile"}
    if missing := sorted(fields - engine.tells):
        raise CannotAsk(f"{missing[0]}, which it does not tell")
    after = last.after
    owed = [after["owed"].get(str(seat), 0) for seat in range(len(after["hands"]))]
    is_over = after["phase"].endswith("_over")
    truth = {
        "turn": None if is_over else after["turn"],
        "direction": after["direction"],
        "color": after["color"],
        "top": after["top"],
        "hands": [n + more for n, more in zip(after["hands"], owed, strict=True)],
        "draw_pile": after["draw_pile"] - sum(owed),
        "discard_pile": after["discard_pile"],
        "winner": after["hands"].index(0) if is_over and 0 in after["hands"] else None,
        "points": next((one["points"] for step in steps for one in step.rulings if one["ruling"] == "score"), None),
    }
    return {name: truth[name] for name in sorted(fields)}


def _fields(ruling: str) -> set[str]:
    """What of a position tells whether a ruling was followed."""
    if ruling in _NOTHING or ruling == "illegal":
        return set()
    if ruling in _HANDS:
        return {"hands"}
    if ruling in _TURN:
        return {"turn"}
    if ruling in _END:
        return {"winner", "points"} if ruling == "score" else {"winner"}
    if ruling == "color":
        return {"color"}
    raise CannotAsk(f"the ruling {ruling}")


def _of_position(name: str, value: Any, *, is_last: bool) -> set[str]:
    """What to read for a field of a position."""
    if name == "phase":
        if value in ("color", "challenge", "drawn") and not is_last:
            return set()
        if value in ("turn", "drawn"):
            return {"turn"}
        if value in ("round_over", "game_over"):
            return {"winner"}
        raise CannotAsk(f"the phase {value}")
    if name == "scores":
        return {"points"}
    if name == "owed":
        return {"hands"}
    if name in ("turn", "direction", "color", "top", "hands", "draw_pile", "discard_pile"):
        return {name}
    raise CannotAsk(f"{name}, which it does not tell")
