"""Cards by their names, as each box has them: what is in it, what fits on what, what a card counts."""

from __future__ import annotations


class Cards:
    """The cards of the sheets: numbers, three actions in four colors, wilds. ``more``: what lies with the 108 cards."""

    colors: tuple[str, ...] = ("red", "yellow", "green", "blue")
    draw_cards: tuple[str, ...] = ("any-draw2", "wild-draw4")
    # The card whose player says that no card of the color was held.
    doubtful: str = "wild-draw4"

    def __init__(self, more: tuple[str, ...] = ()) -> None:
        self.more = more

    def box(self) -> list[str]:
        cards = ["wild"] * 4 + ["wild-draw4"] * 4
        for color in self.colors:
            cards += [f"{color}-{number}" for number in "0112233445566778899"]
            cards += [f"{color}-{action}" for action in ("draw2", "reverse", "skip")] * 2
        return cards + list(self.more)

    def is_wild(self, card: str) -> bool:
        return card.startswith("wild")

    def color_of(self, card: str) -> str | None:
        """The color of a card; a wild has none before one is named."""
        return None if self.is_wild(card) else card.split("-")[0]

    def symbol_of(self, card: str) -> str:
        """The number or action of a colored card (the Add-a-Rule star is no symbol); a wild's own name."""
        return card if self.is_wild(card) else card.split("-", 1)[1].rstrip("*")

    def is_action(self, card: str) -> bool:
        return self.symbol_of(card) in ("draw2", "reverse", "skip", "draw4", "skip-all", "discard-all")

    def number_of(self, card: str) -> int | None:
        symbol = self.symbol_of(card)
        return int(symbol) if symbol.isdecimal() else None

    def fits(self, card: str, top: str, color: str) -> bool:
        """Either by color, number or symbol; and a wild fits at any time."""
        if self.is_wild(card) or self.color_of(card) == color:
            return True
        return not self.is_wild(top) and self.symbol_of(card) == self.symbol_of(top)

    def held_as(self, hand: list[str], card: str) -> str | None:
        """Which card of a hand this one is: itself, else its like, since the Add-a-Rule star is easily overlooked."""
        if card in hand:
            return card
        return next((like for like in hand if like.rstrip("*") == card.rstrip("*")), None)

    def makes_draw(self, card: str) -> int:
        """How many cards it makes the next player draw."""
        named = {"draw2": 2, "draw4": 4, "wild-draw4": 4, "wild-reverse-draw4": 4, "wild-draw6": 6, "wild-draw10": 10}
        return named.get(self.symbol_of(card), 0)

    def points(self, card: str) -> int:
        """Number cards count what they show, action cards 20, all wilds 50."""
        number = self.number_of(card)
        if number is not None:
            return number
        return 20 if self.is_action(card) else 50


class NoMercy(Cards):
    """Each number twice, Draw Four and Skip Everyone twice, other actions three times a color; no plain wild."""

    draw_cards = ("any-draw2", "any-draw4", "wild-reverse-draw4", "wild-draw6", "wild-draw10")

    def box(self) -> list[str]:
        cards = ["wild-reverse-draw4", "wild-roulette"] * 8 + ["wild-draw6", "wild-draw10"] * 4
        for color in self.colors:
            cards += [f"{color}-{number}" for number in "0123456789"] * 2
            cards += [f"{color}-{action}" for action in ("draw4", "skip-all")] * 2
            cards += [f"{color}-{action}" for action in ("draw2", "reverse", "skip", "discard-all")] * 3
        return cards


class CrazyEights(Cards):
    """A deck of four suits. "Whoever plays an eight names the suit." """

    colors = ("clubs", "diamonds", "hearts", "spades")
    ranks: tuple[str, ...] = ("ace", *map(str, range(2, 11)), "jack", "queen", "king")
    wild_rank = "8"

    def box(self) -> list[str]:
        return [f"{suit}-{rank}" for suit in self.colors for rank in self.ranks]

    def is_wild(self, card: str) -> bool:
        return card.endswith(f"-{self.wild_rank}")

    def symbol_of(self, card: str) -> str:
        return card.split("-", 1)[1]

    def is_action(self, card: str) -> bool:
        return False

    def points(self, card: str) -> int:
        """ "an eight 50, a court card 10, an ace 1, every other its number" """
        named = {"8": 50, "ace": 1, "jack": 10, "queen": 10, "king": 10}
        rank = self.symbol_of(card)
        return named[rank] if rank in named else int(rank)

    def makes_draw(self, card: str) -> int:
        return 0


class MauMau(CrazyEights):
    """ "from seven to ace": 7 makes draw, 8 skips, a jack is wild."""

    draw_cards = ("any-7",)
    ranks = ("7", "8", "9", "10", "jack", "queen", "king", "ace")
    wild_rank = "jack"

    def is_action(self, card: str) -> bool:
        return self.symbol_of(card) in ("7", "8")

    def makes_draw(self, card: str) -> int:
        return 2 if self.symbol_of(card) == "7" else 0

    def points(self, card: str) -> int:
        """ "a jack 20, an ace 11, a king 4, a queen 3, every other its number" """
        named = {"jack": 20, "ace": 11, "king": 4, "queen": 3}
        rank = self.symbol_of(card)
        return named[rank] if rank in named else int(rank)


class AllWild(Cards):
    """ "every one of them is a wild": no card has a color, and any goes on any other."""

    colors = ()
    draw_cards = ()
    doubtful = ""

    def box(self) -> list[str]:
        held = {"wild": 68, "wild-reverse": 8, "wild-skip": 8, "wild-skip2": 6, "wild-draw2": 8, "wild-draw4": 4}
        held |= {"wild-target-draw2": 4, "wild-forced-swap": 6}
        return [card for card, n in held.items() for _ in range(n)]

    def is_wild(self, card: str) -> bool:
        """No color is named."""
        return False

    def color_of(self, card: str) -> str | None:
        return None

    def symbol_of(self, card: str) -> str:
        return card

    def is_action(self, card: str) -> bool:
        return card != "wild"

    def makes_draw(self, card: str) -> int:
        return {"wild-draw2": 2, "wild-draw4": 4}.get(card, 0)

    def points(self, card: str) -> int:
        """ "20 points for each plain Wild that the others hold, and 50 for every other card" """
        return 20 if card == "wild" else 50


class SwapHands(Cards):
    """The 108 cards, and 40 points for each of the four others."""

    def points(self, card: str) -> int:
        return 40 if card in ("wild-swap", "wild-blank") else super().points(card)


BOXES: dict[str, Cards] = {
    "108": Cards(),
    "112-el": Cards(("wild-shuffle", "wild-blank", "wild-blank", "wild-blank")),
    "112-pl": Cards(("wild-house",) * 4),
    "112-swap": SwapHands(("wild-swap", "wild-blank", "wild-blank", "wild-blank")),
    "all-wild": AllWild(),
    "168": NoMercy(),
    "crazy-eights": CrazyEights(),
    "mau-mau": MauMau(),
}
"""The boxes: of 108 cards; with Shuffle Hands and blanks; with four house wilds; No Mercy; and two without a box."""
