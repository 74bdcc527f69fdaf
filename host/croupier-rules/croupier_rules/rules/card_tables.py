"""Tables of one deck by card kind: effect, number, color, points, and which card may be laid on which.

All documents agree on matching (``match.basic``, ``match.action_on``): the same color, the same number or symbol, or
any wild; an action card on its color or its like. The active color belongs to the table, not to the card: after a wild
it is the color that was named.

What a card does is said by the file of its deck: ``hearts-8`` names a suit in one game and skips in another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from croupier_rules.cards import FACES, FILES, PLAIN, colors_of, described, is_wild, points_of, side_counts, symbol_of
from croupier_rules.errors import BadRuleSet

NOTHING, SKIP, REVERSE, DRAW2, WILD, WILD_DRAW4, SHUFFLE_HANDS, AS_WRITTEN = range(8)

_NAMED: Final = {
    "skip": SKIP, "reverse": REVERSE, "draw2": DRAW2, "wild": WILD, "wild-draw4": WILD_DRAW4,
    "wild-shuffle": SHUFFLE_HANDS, "wild-blank": AS_WRITTEN, "wild-house": WILD,
}  # fmt: skip
"""By symbol: the effects that the rules of the printed sheets are about."""

_SKIPS_ALL: Final = "all"
_CHOICE: Final = "choice"


@dataclass(frozen=True, slots=True)
class Effect:
    """Effect of a card in its deck file (docs/decks.md): ``symbol`` is that of the card, ``wild`` whether its player
    names the color; ``skips``: how many seats miss their turn, ``skips_all``: all others. The next seat ``draw``s so
    many cards, or turns up cards until one of the color that it names comes (``until_color``); the seat that laid the
    card lays the rest of its color (``discards``), or chooses another, with which it swaps hands (``swaps``) or which
    draws in place of the next (``targets``)."""

    symbol: str
    wild: bool = False
    draw: int = 0
    reverse: bool = False
    skips: int = 0
    skips_all: bool = False
    until_color: bool = False
    discards: bool = False
    swaps: bool = False
    targets: bool = False


_KEYS: Final = frozenset(
    {"wild", "draw", "reverse", "skip", "until", "discard", "shuffle", "written", "swap", "target"}
)


def effect_of(symbol: str, said: Mapping[str, Any], *, colors: bool = True) -> Effect:
    """The effect of a card as its deck file says it. ``colors``: the deck has some, so that wilds name one.

    Raises:
        BadRuleSet: there is no such effect.
    """
    if unknown := said.keys() - _KEYS:
        raise BadRuleSet(f"deck file: {symbol}: effect {min(unknown)}: expected {', '.join(sorted(_KEYS))}")
    skip = said.get("skip", 0)
    return Effect(
        symbol,
        said.get("wild", is_wild(symbol) and colors),
        draw=said.get("draw", 0),
        reverse=said.get("reverse", False),
        skips=0 if skip == _SKIPS_ALL else skip,
        skips_all=skip == _SKIPS_ALL,
        until_color=said.get("until") == "color",
        discards=said.get("discard") == "color",
        swaps=said.get("swap") == _CHOICE,
        targets=said.get("target") == _CHOICE,
    )


NO_NUMBER: Final = -1

MAY_RULE: Final = bytes(face.endswith("*") or face == "wild-house" for face in FACES)
"""By kind: whether who lays it may make, or change, a house rule."""


@dataclass(frozen=True, slots=True, eq=False)
class UpCard:
    """The card on top of the discard pile, the color to match, and the kinds that may be laid on it.

    ``kind`` (-1: not known), ``plain`` and ``effect`` are those of the card. ``playable[kind]``: whether a card of that
    kind may be laid; never for a card that could not be read (kind -1). Where no color is known yet, anything may be.
    ``laid[kind]``: the up-card that it becomes, ``None`` where it may not be laid or could not be read (kind -1).
    """

    kind: int
    plain: int
    effect: int
    color: int
    playable: tuple[bool, ...]
    laid: Sequence[UpCard | None]


ANY: Final = (True,) * len(FACES) + (False,)
"""Anything may be laid; but the last place is for a card that could not be read (kind -1), of which nobody knows."""


class CardTables:
    """What is known of the cards of one deck, by kind where nothing else is said.

    In a deck without colors no card is a wild: each goes on any other, and nobody names a color.

    ``colors``: the names of its colors, whose places are the numbers of the colors; ``no_color`` is that of a wild, and
    of the table before a color is set. ``sides``: the number of cards of each kind, for each side of the cards.
    ``kinds``: those of its cards, also with the Add-a-Rule icon.

    ``effects``: by number, what a card with this effect does. After `AS_WRITTEN` come those that only the deck file
    knows, one for each symbol: the rule ``card.own`` has their sentences. ``held``: those that its cards have.
    ``draws``: by effect, how many cards it makes the next seat draw (not one that is chosen); ``why``: by effect, the
    reason for these cards, as the table log writes it. ``start_rule``: by effect, the rule for a card that is turned up
    first.

    ``swaps``, ``targets``, ``discards``: whether any of its cards does so.

    ``is_action``: a colored card with an effect; ``is_special``: that or a wild. ``printed_color_of``: the color that
    is printed on it; ``color_of``: the same, but for wilds `no_color`.
    ``symbol_of``: the number of its symbol, the same for all wilds. ``up_cards``: by kind and active color. ``laid``:
    the up-card as it was laid; a wild has no color until one is named.
    """

    def __init__(self, deck: str) -> None:
        said = described(FILES[deck])
        counts = side_counts(FILES[deck])
        symbols = list(dict.fromkeys(symbol_of(face) for side in counts for face in side))
        self.deck = deck
        self.colors = colors_of(FILES[deck])
        named = _NAMED if self.colors else {}
        own = [symbol for symbol in symbols if symbol not in named and said.get(symbol, {}).get("effect")]
        self.no_color = no_color = len(self.colors)
        self.sides = tuple(tuple(side.get(face, 0) for face in FACES) for side in counts)
        self.kinds = tuple(kind for kind, plain in enumerate(PLAIN) if any(side[plain] for side in self.sides))
        self.effects = (
            Effect(""),
            *(effect_of(symbol, said.get(symbol, {}).get("effect", {})) for symbol in list(_NAMED)[:AS_WRITTEN]),
            *(effect_of(symbol, said[symbol]["effect"], colors=bool(self.colors)) for symbol in own),
        )
        by_symbol = named | {symbol: AS_WRITTEN + 1 + place for place, symbol in enumerate(own)}
        symbol_by_kind = tuple(map(symbol_of, FACES))
        self.effect_of = tuple(by_symbol.get(symbol, NOTHING) for symbol in symbol_by_kind)
        self.held = frozenset(self.effect_of[kind] for kind in self.kinds)
        self.draws = {
            number: effect.draw
            for number, effect in enumerate(self.effects)
            if effect.draw and not effect.targets and number in self.held
        }
        held = [self.effects[number] for number in self.held]
        self.swaps, self.targets, self.discards = (
            any(getattr(does, name) for does in held) for name in ("swaps", "targets", "discards")
        )
        self.why = {number: self.effects[number].symbol for number in self.draws}
        self.start_rule = _START_RULE | dict.fromkeys(range(AS_WRITTEN + 1, len(self.effects)), "start.own")
        self.is_wild = tuple(
            self.effects[effect].wild if effect else is_wild(face) and bool(self.colors)
            for face, effect in zip(FACES, self.effect_of, strict=True)
        )
        self.number_of = tuple(int(symbol) if symbol.isdigit() else NO_NUMBER for symbol in symbol_by_kind)
        self.is_action = tuple(
            not wild and (effect != NOTHING or not (symbol.isdigit() or symbol in symbols))
            for wild, effect, symbol in zip(self.is_wild, self.effect_of, symbol_by_kind, strict=True)
        )
        self.is_special = tuple(map(max, self.is_action, self.is_wild))
        places = {color: place for place, color in enumerate(self.colors)}
        self.printed_color_of = tuple(places.get(face.partition("-")[0], no_color) for face in FACES)
        self.color_of = tuple(
            no_color if wild else color for wild, color in zip(self.is_wild, self.printed_color_of, strict=True)
        )
        colored = [symbol for symbol in symbols if not is_wild(symbol)]
        numbers = {symbol: place for place, symbol in enumerate(colored)}
        self.symbol_of = tuple(
            len(colored) if wild else numbers.get(symbol, len(colored) + 1)
            for wild, symbol in zip(self.is_wild, symbol_by_kind, strict=True)
        )
        # A card of another deck counts nothing here.
        self.points_of = tuple(points_of(symbol, said) or 0 for symbol in symbol_by_kind)
        self._make_up_cards()

    def _make_up_cards(self) -> None:
        """Up-cards lead to up-cards: what may be laid is filled in when there are any."""
        colors, kinds = range(self.no_color + 1), range(len(FACES))
        playable = {
            (symbol, color): self._playable(symbol, color) for symbol in set(self.symbol_of) for color in colors
        }
        laid: Mapping[tuple[bool, ...], list[UpCard | None]] = {ANY: []} | {fits: [] for fits in playable.values()}

        def up_card(kind: int, color: int) -> UpCard:
            fits = playable[self.symbol_of[kind], color]
            return UpCard(kind, PLAIN[kind], self.effect_of[kind], color, fits, laid[fits])

        self.no_up_card = UpCard(-1, -1, NOTHING, self.no_color, ANY, laid[ANY])
        self.up_cards = tuple(tuple(up_card(kind, color) for color in colors) for kind in kinds)
        self.laid = tuple(self.up_cards[kind][self.color_of[kind]] for kind in kinds)
        for fits, ups in laid.items():
            ups += [*(up if may else None for up, may in zip(self.laid, fits, strict=False)), None]

    def _playable(self, symbol: int, color: int) -> tuple[bool, ...]:
        if color == self.no_color:
            return ANY
        like = zip(self.is_wild, self.color_of, self.symbol_of, strict=True)
        return (*(wild or own == color or its == symbol for wild, own, its in like), False)

    def with_color(self, up: UpCard, color: int) -> UpCard:
        """The same up-card, with this color to match; where the card is not known, any card may be laid on it."""
        return self.up_cards[up.kind][color] if up.kind >= 0 else replace(up, color=color)

    def points(self, *hands: Iterable[int]) -> int:
        """The points of a card or of many: the sum over the cards (kinds) of these hands."""
        return sum([self.points_of[kind] for hand in hands for kind in hand])


_START_RULE: Final = {
    SKIP: "start.skip",
    REVERSE: "start.reverse",
    DRAW2: "start.draw2",
    WILD: "start.wild.who_names_color",
    SHUFFLE_HANDS: "start.wild.who_names_color",
    AS_WRITTEN: "start.wild.who_names_color",
    WILD_DRAW4: "start.wd4",
}
"""By effect: the rule for a card that is turned up first."""


@cache
def card_tables(deck: str) -> CardTables:
    """The tables of a deck of `croupier_rules.cards.DECKS`."""
    return CardTables(deck)
