"""`croupier demo`: the whole table in simulation."""

from typing import Final

LABEL: Final = "SIMULATION"
"""At the beginning of all that a demo prints."""

NAMES: Final = ("Ann", "Ben", "Cat", "Dan", "Eve", "Fay", "Gus", "Hal", "Ida", "Jan")
