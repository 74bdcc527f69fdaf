"""The sign of a player: a color, a shape and a letter, the same on every page, at every table, in every game.

The shape and the letter tell players apart where colors do not: for the color-blind, and in print. No shape is the mark
of a card's color, and no color is near one. A sign is drawn with its rim and its letter in the same ink, so that it
stands out on a light page, on a dark one, on felt and over any picture.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final, NamedTuple

from croupier.i18n import marked
from croupier.names import letters, name_key

_WHITE, _BLACK = "#ffffff", "#1d1b1a"

COLORS: Final[Mapping[str, tuple[str, str]]] = {
    "plum": ("#6d2a86", _WHITE),
    "peach": ("#ffb48a", _BLACK),
    "teal": ("#0c5f66", _WHITE),
    "pink": ("#fbb0d0", _BLACK),
    "brown": ("#63401f", _WHITE),
    "aqua": ("#a5e3e6", _BLACK),
    "magenta": ("#a8126f", _WHITE),
    "sand": ("#e2d3b4", _BLACK),
    "gray": ("#5f5a55", _WHITE),
    "lilac": ("#cdb4f6", _BLACK),
    "black": ("#221f1c", _WHITE),
    "silver": ("#cdd3d8", _BLACK),
}
"""By name: the fill of the sign, and the ink of its rim and letter."""

SHAPES: Final[Mapping[str, tuple[str, float]]] = {
    "hexagon": ("M16 1.5L29 8.8V23.2L16 30.5L3 23.2V8.8Z", 16),
    "heart": (
        "M16 30C8 23.5 1.5 18 1.5 10.5A7.8 7.8 0 0 1 16 6.8A7.8 7.8 0 0 1 30.5 10.5C30.5 18 24 23.5 16 30Z",
        14.5,
    ),
    "house": ("M16 1.5L30.5 14H27V30H5V14H1.5Z", 18.5),
    "flower": (
        (
            "M11 4.5A5.3 5.3 0 0 1 21 4.5 5.3 5.3 0 0 1 27.5 11 5.3 5.3 0 0 1 27.5 21 5.3 5.3 0 0 1 21 27.5"
            " 5.3 5.3 0 0 1 11 27.5 5.3 5.3 0 0 1 4.5 21 5.3 5.3 0 0 1 4.5 11 5.3 5.3 0 0 1 11 4.5Z"
        ),
        16,
    ),
    "diamond": ("M16 .8L31.2 16L16 31.2L.8 16Z", 16),
    "drop": ("M16 1C21 7 27.5 13 27.5 19.5A11.5 11.5 0 0 1 4.5 19.5C4.5 13 11 7 16 1Z", 18.5),
    "cross": ("M10 1.5H22V10H30.5V22H22V30.5H10V22H1.5V10H10Z", 16),
    "shield": ("M16 1.5L29 5.5V15C29 23 23.5 28 16 30.8C8.5 28 3 23 3 15V5.5Z", 15),
    "crown": ("M3 28.5L1.5 7.5L9.5 13.5L16 3L22.5 13.5L30.5 7.5L29 28.5Z", 20),
    "leaf": ("M2.5 2.5H18A11.5 11.5 0 0 1 29.5 14V29.5H14A11.5 11.5 0 0 1 2.5 18Z", 16),
    "clover": (
        "M16 4.5A8.2 8.2 0 0 1 27.5 16A8.2 8.2 0 0 1 16 27.5A8.2 8.2 0 0 1 4.5 16A8.2 8.2 0 0 1 16 4.5Z",
        16,
    ),
    "arch": ("M4 30.5V14A12 12 0 0 1 28 14V30.5Z", 17),
}
"""By name: the outline in a square of 32, as an SVG path, and the middle of the letter from above."""

COLOR_NAMES: Final[Mapping[str, str]] = {
    "plum": marked("plum"),
    "peach": marked("peach"),
    "teal": marked("petrol"),
    "pink": marked("pink"),
    "brown": marked("brown"),
    "aqua": marked("turquoise"),
    "magenta": marked("magenta"),
    "sand": marked("sand"),
    "gray": marked("gray"),
    "lilac": marked("lilac"),
    "black": marked("black"),
    "silver": marked("silver"),
}
SHAPE_NAMES: Final[Mapping[str, str]] = {
    "hexagon": marked("hexagon"),
    "heart": marked("heart"),
    "house": marked("house"),
    "flower": marked("flower"),
    "diamond": marked("diamond"),
    "drop": marked("drop"),
    "cross": marked("cross"),
    "shield": marked("shield"),
    "crown": marked("crown"),
    "leaf": marked("leaf"),
    "clover": marked("clover"),
    "arch": marked("arch"),
}


class Mark(NamedTuple):
    """A color and a shape of signs, by their names."""

    color: str
    shape: str


NOBODY: Final[Mapping[str, Mark]] = {}
"""The marks where no people are known."""


@dataclass(frozen=True, slots=True)
class Sign:
    """The sign of a player."""

    mark: Mark
    letter: str

    @property
    def fill(self) -> str:
        """The color, as ``#rrggbb``."""
        return COLORS[self.mark.color][0]

    @property
    def ink(self) -> str:
        """The color of rim and letter."""
        return COLORS[self.mark.color][1]

    @property
    def path(self) -> str:
        """The outline."""
        return SHAPES[self.mark.shape][0]

    @property
    def middle(self) -> float:
        """The middle of the letter, from above."""
        return SHAPES[self.mark.shape][1]


def signs_of(names: Sequence[str], known: Mapping[str, Mark]) -> tuple[Sign, ...]:
    """The signs of people who play together, in their order. No two have the same shape, and none the same color but
    where people have chosen so.

    ``known``: the marks of people by `name_key` (`marks_of`), who came first before the others; a stranger gets a color
    and a shape that are nobody's there, as long as some are left.
    """
    keys = [name_key(name) for name in names]
    found: dict[int, Mark] = {}
    came = {key: number for number, key in enumerate(known)}
    for place in sorted(range(len(names)), key=lambda place: came.get(keys[place], len(came))):
        taken = list(found.values())
        mark = known.get(keys[place])
        if mark is None:
            found[place] = _free_mark(keys[place], taken, known.values())
        else:
            shape = _first_free(tuple(SHAPES), mark.shape, {one.shape for one in taken})
            found[place] = Mark(mark.color, shape)
    return tuple(Sign(found[place], initial(name)) for place, name in enumerate(names))


def account_signs(
    names: Sequence[str], teams: Sequence[Sequence[int]], known: Mapping[str, Mark]
) -> tuple[tuple[Sign, ...], ...]:
    """The signs by account: of the players of each team, or of each player where no teams play."""
    signs = signs_of(names, known)
    return tuple(tuple(signs[seat] for seat in team) for team in teams) or tuple((one,) for one in signs)


def marks_of(people: Iterable[tuple[Sequence[str], Mark | None]]) -> dict[str, Mark]:
    """The marks of people by the `name_key` of all their names. ``people``: in the order in which they came, each with
    the names and the chosen mark; None: the first that is nobody's yet."""
    listed = list(people)
    given = [mark for _names, mark in listed if mark is not None]
    marks: dict[str, Mark] = {}
    for names, chosen in listed:
        mark = chosen or _free_mark(name_key(names[0]), given, ())
        if chosen is None:
            given.append(mark)
        marks.update((name_key(name), mark) for name in names)
    return marks


def is_mark(color: object, shape: object) -> bool:
    """True for the names of a color and of a shape."""
    return color in COLORS and shape in SHAPES


def _free_mark(key: str, taken: Sequence[Mark], others: Iterable[Mark]) -> Mark:
    """The mark of somebody who has chosen none: by the name, unless its color or its shape is ``taken`` or, as long as
    there are more, belongs to ``others``."""
    number = int.from_bytes(blake2b(key.encode(), digest_size=8).digest(), "big")
    color, shape = tuple(COLORS)[number % len(COLORS)], tuple(SHAPES)[number // len(COLORS) % len(SHAPES)]
    rest = list(others)
    return Mark(
        _first_free(tuple(COLORS), color, {one.color for one in taken}, {one.color for one in rest}),
        _first_free(tuple(SHAPES), shape, {one.shape for one in taken}, {one.shape for one in rest}),
    )


def _first_free(every: Sequence[str], wanted: str, taken: Set[str], avoided: Set[str] = frozenset()) -> str:
    """``wanted``, or the next that is neither taken nor avoided; else one that is not taken; else ``wanted``."""
    begin = every.index(wanted)
    turned = (*every[begin:], *every[:begin])
    for bad in (taken | avoided, taken):
        if (free := next((one for one in turned if one not in bad), None)) is not None:
            return free
    return wanted


def initial(name: str) -> str:
    """The first letter of a name, large."""
    first = next(letters(name.strip()), "?")
    large = first.upper()
    return large if len(large) == len(first) else first
