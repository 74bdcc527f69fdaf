"""Small immutable values: what observations and rulings are made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(cls: type[_T]) -> type[_T]:
    """A dataclass that the type checker keeps immutable.

    A dataclass that is frozen when it runs takes three times as long to make, and a table makes a hundred values in
    a round; so mypy guards it instead (``docs/decisions.md``).
    """
    return dataclass(slots=True, unsafe_hash=True)(cls)
