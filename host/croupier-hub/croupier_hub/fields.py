"""Finite fields, for designs that come from algebra."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache


def prime_powers(n: int) -> list[int]:
    """Return the powers of different primes whose product is ``n``, the prime factorization."""
    found = []
    for prime in range(2, n + 1):
        power = 1
        while n % prime == 0:
            n, power = n // prime, power * prime
        if power > 1:
            found.append(power)
    return found


class Field:
    """The field of ``order`` elements, a prime power. Elements are numbers from 0: polynomials over the prime field,
    their coefficients written as digits. ``powers``: those of a primitive element, from 1."""

    def __init__(self, order: int) -> None:
        self.order = order
        self._prime = next(d for d in range(2, order + 1) if order % d == 0)
        self._digits = [1]
        while self._digits[-1] * self._prime < order:
            self._digits.append(self._digits[-1] * self._prime)
        self.powers = next(powers for tail in range(1, order) if len(powers := self._powers(tail)) == order - 1)
        self._logs = {power: i for i, power in enumerate(self.powers)}

    def add(self, a: int, b: int, times: int = 1) -> int:
        """Return a + times·b for a whole number ``times``."""
        return sum((a // d + times * (b // d)) % self._prime * d for d in self._digits)

    def multiply(self, a: int, b: int) -> int:
        """Return a·b."""
        return self.powers[(self._logs[a] + self._logs[b]) % (self.order - 1)] if a and b else 0

    def log(self, a: int) -> int:
        """Return the exponent of the primitive element that gives ``a``."""
        return self._logs[a]

    def _powers(self, tail: int) -> list[int]:
        """The powers of x until they repeat, where x**degree is ``tail``."""
        powers, top = [1], self._digits[-1]
        while len(powers) < self.order:
            high, low = divmod(powers[-1], top)
            power = self.add(low * self._prime, tail, high)
            if power <= 1:
                break
            powers.append(power)
        return powers


field = cache(Field)
"""The field of an order; each is made once."""


class Ring:
    """The product of the fields whose orders multiply to ``order``. Elements are numbers from 0, 0 among them."""

    def __init__(self, order: int) -> None:
        self.order = order
        self._fields = [field(power) for power in prime_powers(order)]

    @property
    def least(self) -> int:
        """The order of the smallest field: so many elements have differences that can all be divided by."""
        return min((one.order for one in self._fields), default=1)

    def add(self, a: int, b: int) -> int:
        """Return a + b."""
        return self._join(one.add(x, y) for one, x, y in zip(self._fields, self._split(a), self._split(b), strict=True))

    def times(self, a: int, number: int) -> int:
        """Return a times the element that is ``number`` in each field."""
        return self._join(one.multiply(x, number) for one, x in zip(self._fields, self._split(a), strict=True))

    def quarter_turns(self) -> list[tuple[int, int, int, int]] | None:
        """Return all elements but 0 as orbits x, ix, -x, -ix of a root i of -1; None if a field has no such root."""
        if any(one.order % 4 != 1 for one in self._fields):
            return None
        roots = [one.powers[(one.order - 1) // 4] for one in self._fields]
        found = list[tuple[int, int, int, int]]()
        seen = set[int]()
        for x in range(1, self.order):
            if x not in seen:
                orbit = [x]
                while len(orbit) < 4:
                    parts = zip(self._fields, self._split(orbit[-1]), roots, strict=True)
                    orbit.append(self._join(one.multiply(part, root) for one, part, root in parts))
                seen.update(orbit)
                found.append((orbit[0], orbit[1], orbit[2], orbit[3]))
        return found

    def _split(self, a: int) -> list[int]:
        parts = []
        for one in self._fields:
            a, part = divmod(a, one.order)
            parts.append(part)
        return parts

    def _join(self, parts: Iterable[int]) -> int:
        whole, weight = 0, 1
        for one, part in zip(self._fields, parts, strict=True):
            whole, weight = whole + part * weight, weight * one.order
        return whole
