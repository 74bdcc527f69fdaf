"""Receipts: short codes on score sheets, which stand for the lines of a game up to the last change of its points.

Points that people set right during a round get theirs when the round is over: a reader of all other lines could find
out by trial which faces in a hand make a code.

A code is the begin of the hash of the last of these lines (`croupier.journal.archive`): 60 bits in the digits of
Crockford's base 32, which have no letters that look alike.
"""

from __future__ import annotations

from typing import Final

_DIGITS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_ALIKE: Final = str.maketrans("OIL", "011", "- ")
_LENGTH: Final = 12


def code_of(hash_: bytes) -> str:
    """The code of the line with this hash, such as ``7KQ2-M4XD-9TRA``."""
    number = int.from_bytes(hash_[:8], "big") >> 4
    digits = "".join(_DIGITS[number >> 5 * place & 31] for place in reversed(range(_LENGTH)))
    return "-".join(digits[at : at + 4] for at in range(0, _LENGTH, 4))


def read_code(text: str) -> str | None:
    """The code that somebody has typed or scanned, as `code_of` writes it; None if it is not a code."""
    digits = text.upper().translate(_ALIKE)
    if len(digits) != _LENGTH or not set(digits) <= set(_DIGITS):
        return None
    return "-".join(digits[at : at + 4] for at in range(0, _LENGTH, 4))
