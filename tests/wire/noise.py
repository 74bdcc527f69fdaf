"""A line that damages what it carries: bits flip, bytes are lost, doubled, swapped, moved and made up."""

from __future__ import annotations

import random

KINDS = ("flip", "change", "lose", "double", "swap", "move", "cut")


def corrupt(data: bytes, rng: random.Random, n: int) -> bytes:
    """``data`` with ``n`` of its bytes damaged, in all the ways that there are."""
    out = bytearray(data)
    for _ in range(n):
        at = rng.randrange(len(out) - 1)
        match rng.choice(KINDS):
            case "flip":
                out[at] ^= 1 << rng.randrange(8)
            case "change":
                out[at] = rng.randrange(256)
            case "lose":
                del out[at]
            case "double":
                out.insert(at, out[at])
            case "swap":
                out[at], out[at + 1] = out[at + 1], out[at]
            case "move":
                out.insert(rng.randrange(max(0, at - 40), at + 1), out.pop(at))
            case "cut":
                out.insert(at, 10)
    return bytes(out)
