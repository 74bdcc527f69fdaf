"""The rule points and the values a ruleset may give them: the vocabulary that all printed documents share.

They stand in ``catalogue.toml``. A ruleset file gives each rule id one of its values; the referee asks for it by name.
A value that no document has cannot be written down by mistake, and a rule that a document is silent about is left out
or given ``none``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from importlib import resources
from types import MappingProxyType
from typing import Any, Final

from croupier_rules.cards import FILES
from croupier_rules.errors import marked

Value = str | int

_RULES: Final[Mapping[str, Mapping[str, Any]]] = tomllib.loads(
    (resources.files(__package__) / "catalogue.toml").read_text(encoding="utf-8")
)


def _values(row: Mapping[str, Any]) -> Sequence[Value]:
    values = row.get("values", ())
    if "numbers" not in row:
        return tuple(values)
    first, last = row["numbers"]
    return (*values, *range(first, last + 1)) if values else range(first, last + 1)


VALUES: Final[Mapping[str, Sequence[Value]]] = MappingProxyType({rule: _values(row) for rule, row in _RULES.items()})
"""Every rule id, with the values it may have."""

USUAL: Final[Mapping[str, Value]] = MappingProxyType(
    {rule: row["usual"] for rule, row in _RULES.items() if "usual" in row}
)
"""By rule of the table: what is played where nobody chose it."""

OF_THE_TABLE: Final = tuple(USUAL)
"""Rules that no sheet has: they are played where the table chose them."""

OF_THE_CARDS: Final = frozenset(rule for rule, row in _RULES.items() if row.get("with_cards", False))
"""Rules that come with the cards."""

FOR_PEOPLE: Final = frozenset(rule for rule, row in _RULES.items() if row.get("for_people", False))
"""Rules that the referee never asks for."""

OWN_CARDS: Final = "card.own"
"""Effects of cards that only a deck file knows: a part for each symbol."""

PARTS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {rule: row["parts"] for rule, row in _RULES.items() if "parts" in row}
    | {OWN_CARDS: {symbol: "" for file in FILES.values() for symbol in file.get("card", {})}}  # named in the deck file
)
"""By rule id: the parts of it that a ruling may rest on, in words."""

Choice = tuple[str, tuple[Value, ...]]
"""A rule with the values that are meant; without values: any."""

NO_SUCH_QUESTION: Final = marked("{first} and {second} cannot be combined: nobody challenges a Wild Draw Four")
MUST_BE_PLAYED: Final = marked("{first} and {second} cannot be combined: a card drawn that fits must be played")
MAY_NOT_DRAW: Final = marked("{first} and {second} cannot be combined: who can play may not draw")
COUNTED: Final = marked("{first} and {second} cannot be combined: rounds are counted, or points")
EXCLUDES: Final[tuple[tuple[Choice, Choice, str], ...]] = (
    *(
        (("wd4.challenge.who", ("nobody",)), (rule, ()), NO_SUCH_QUESTION)
        for rule in ("wd4.other_cards_held", "wd4.wild_counts_as_match", "wd4.challenge.defined",
                     "wd4.challenge.shown_to")
    ),
    *(
        (("turn.force_play", ("drawn", "always")), (rule, ("may", "none")), MUST_BE_PLAYED)
        for rule in ("draw.forced.then_play", "draw.voluntary.then_play")
    ),
    (("turn.force_play", ("always",)), ("draw.voluntary", ()), MAY_NOT_DRAW),
    (("score.values", ("one-a-round",)), ("score.alt_lowest", ("played",)), COUNTED),
)  # fmt: skip
"""Choices that cannot be combined, and why."""
