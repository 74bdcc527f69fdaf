"""Cards by their names: what a deck holds, what fits on what, what a card counts."""

from __future__ import annotations

COLORS = ("red", "yellow", "green", "blue")


def deck(kind: str) -> list[str]:
    """The cards in the box: ``108``, ``112-el`` with Shuffle Hands and blanks, ``112-pl`` with four house wilds, and
    ``168``, the box of No Mercy."""
    if kind == "168":
        return no_mercy()
    cards = ["wild"] * 4 + ["wild-draw4"] * 4
    for color in COLORS:
        cards += [f"{color}-{number}" for number in "0112233445566778899"]
        cards += [f"{color}-{action}" for action in ("draw2", "reverse", "skip")] * 2
    more = {"108": [], "112-el": ["wild-shuffle"] + ["wild-blank"] * 3, "112-pl": ["wild-house"] * 4}
    return cards + more[kind]


def no_mercy() -> list[str]:
    """Each number twice, Draw Four and Skip Everyone twice, other actions three times a color; no plain wild."""
    cards = ["wild-reverse-draw4", "wild-roulette"] * 8 + ["wild-draw6", "wild-draw10"] * 4
    for color in COLORS:
        cards += [f"{color}-{number}" for number in "0123456789"] * 2
        cards += [f"{color}-{action}" for action in ("draw4", "skip-all")] * 2
        cards += [f"{color}-{action}" for action in ("draw2", "reverse", "skip", "discard-all")] * 3
    return cards


def is_wild(card: str) -> bool:
    return card.startswith("wild")


def color_of(card: str) -> str | None:
    return None if is_wild(card) else card.split("-")[0]


def symbol_of(card: str) -> str:
    """The number or action of a colored card (the Add-a-Rule star is no symbol); a wild's own name."""
    return card if is_wild(card) else card.split("-", 1)[1].rstrip("*")


def is_action(card: str) -> bool:
    return symbol_of(card) in ("draw2", "reverse", "skip", "draw4", "skip-all", "discard-all")


def number_of(card: str) -> int | None:
    symbol = symbol_of(card)
    return int(symbol) if symbol.isdecimal() else None


def fits(card: str, top: str, color: str) -> bool:
    """Either by color, number or symbol; and a wild fits at any time."""
    if is_wild(card) or color_of(card) == color:
        return True
    return not is_wild(top) and symbol_of(card) == symbol_of(top)


def held_as(hand: list[str], card: str) -> str | None:
    """Which card of a hand this one is: itself, else its like, since the Add-a-Rule star is easily overlooked."""
    if card in hand:
        return card
    return next((like for like in hand if like.rstrip("*") == card.rstrip("*")), None)


def makes_draw(card: str) -> int:
    """How many cards it makes the next player draw."""
    named = {"draw2": 2, "draw4": 4, "wild-draw4": 4, "wild-reverse-draw4": 4, "wild-draw6": 6, "wild-draw10": 10}
    return named.get(symbol_of(card), 0)


def points(card: str) -> int:
    """Number cards count what they show, action cards 20, all wilds 50."""
    number = number_of(card)
    if number is not None:
        return number
    return 20 if is_action(card) else 50
