"""A number that knows its unit and where it comes from."""

from __future__ import annotations


class Quantity(float):
    """A float with a ``unit`` and a ``source``: a note, a data sheet, or what it was reckoned from."""

    unit: str
    source: str

    def __new__(cls, value: float, unit: str, source: str) -> Quantity:
        """The number; what is reckoned with it is a plain float again."""
        new = super().__new__(cls, value)
        new.unit, new.source = unit, source
        return new


def mm(value: float, source: str) -> Quantity:
    """A length."""
    return Quantity(value, "mm", source)
