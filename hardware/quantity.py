"""A number with a unit and a source."""

from __future__ import annotations


class Quantity(float):
    """A float with a ``unit`` and a ``source``: a note, a data sheet, or the figures it was computed from."""

    unit: str
    source: str

    def __new__(cls, value: float, unit: str, source: str) -> Quantity:
        """Return the number. Arithmetic on it gives plain floats."""
        new = super().__new__(cls, value)
        new.unit, new.source = unit, source
        return new


def mm(value: float, source: str) -> Quantity:
    """Return a length."""
    return Quantity(value, "mm", source)
