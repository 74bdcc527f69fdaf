"""The Merkle tree of RFC 6962 over hashes, and its proofs (sections 2.1.1 and 2.1.2).

A reader who has the root of the first lines of a log, and the root of more of them, is shown by a short proof that the
log has only grown; or that a line is in it.

A proof consists of the roots over some ranges of leaves. Each of these is made of the roots of full trees, which have a
power of two leaves and never change: such a root is computed once, when its last leaf comes (`extended`), and stored
with that leaf. The number of roots in a proof grows with the logarithm of the leaves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Final

EMPTY: Final = sha256().digest()
"""The root without leaves."""

_LEAF, _NODE = b"\x00", b"\x01"


def extended(size: int, peaks: Sequence[bytes], leaves: Iterable[bytes]) -> tuple[list[bytes], tuple[bytes, ...]]:
    """The tree after ``leaves`` were added to ``size`` others. Returns for each of them the roots of the full trees of
    two leaves or more that end with it, the smallest first, joined; and the roots of the largest full trees, from the
    left, which were ``peaks`` before."""
    found, completed = list(peaks), list[bytes]()
    for n, leaf in enumerate(leaves, start=size):
        found.append(node_of(leaf))
        roots = b""
        while n & 1:
            right = found.pop()
            found[-1] = sha256(_NODE + found[-1] + right).digest()
            roots += found[-1]
            n >>= 1
        completed.append(roots)
    return completed, tuple(found)


def node_of(leaf: bytes) -> bytes:
    """The root of the tree with this leaf alone."""
    return sha256(_LEAF + leaf).digest()


def full_trees(start: int, end: int) -> list[tuple[int, int]]:
    """The full trees, from the left, that make up the tree over the leaves ``start`` to ``end``, without it, where a
    proof has that range: the number of the last leaf of each, and the logarithm of its size."""
    found = []
    while start < end:
        level = (end - start).bit_length() - 1
        start += 1 << level
        found.append((start - 1, level))
    return found


def root_of(peaks: Sequence[bytes]) -> bytes:
    """The root over full trees, from the left."""
    if not peaks:
        return EMPTY
    *others, root = peaks
    for left in reversed(others):
        root = sha256(_NODE + left + root).digest()
    return root


def consistency(old: int, size: int) -> list[tuple[int, int]]:
    """The ranges of leaves whose roots prove that a tree of ``size`` leaves goes on after its first ``old`` ones."""
    return list(_subproof(0, size, old, is_whole=True)) if 0 < old < size else []


def inclusion(n: int, size: int) -> list[tuple[int, int]]:
    """The ranges of leaves whose roots prove that leaf ``n`` is in a tree of ``size`` leaves."""
    found, start, end = list[tuple[int, int]](), 0, size
    while end - start > 1:
        split = start + _split(end - start)
        found.append((split, end) if n < split else (start, split))
        start, end = (start, split) if n < split else (split, end)
    return found[::-1]


def is_consistent(old: int, old_root: bytes, size: int, root: bytes, proof: Sequence[bytes]) -> bool:
    """True if ``proof`` shows that the tree with ``root`` goes on after the one with ``old_root``."""
    if old in (0, size):
        return not proof and (old_root == root if old else old_root == EMPTY)
    if not 0 < old < size:
        return False
    rest = list(proof) if old & (old - 1) else [old_root, *proof]
    if not rest:
        return False
    at, last = old - 1, size - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    before = after = rest[0]
    for one in rest[1:]:
        if not last:
            return False
        if at & 1 or at == last:
            before, after = sha256(_NODE + one + before).digest(), sha256(_NODE + one + after).digest()
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            after = sha256(_NODE + after + one).digest()
        at, last = at >> 1, last >> 1
    return not last and (before, after) == (old_root, root)


def is_included(n: int, leaf: bytes, size: int, root: bytes, proof: Sequence[bytes]) -> bool:
    """True if ``proof`` shows that ``leaf`` is number ``n`` in the tree of ``size`` leaves."""
    if not 0 <= n < size:
        return False
    at, last, found = n, size - 1, sha256(_LEAF + leaf).digest()
    for one in proof:
        if not last:
            return False
        if at & 1 or at == last:
            found = sha256(_NODE + one + found).digest()
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            found = sha256(_NODE + found + one).digest()
        at, last = at >> 1, last >> 1
    return not last and found == root


def _split(size: int) -> int:
    """The largest power of two below ``size``."""
    return 1 << ((size - 1).bit_length() - 1)


def _subproof(start: int, end: int, old: int, *, is_whole: bool) -> Iterator[tuple[int, int]]:
    if old == end:
        if not is_whole:
            yield start, end
        return
    split = start + _split(end - start)
    if old <= split:
        yield from _subproof(start, split, old, is_whole=is_whole)
        yield split, end
    else:
        yield from _subproof(split, end, old, is_whole=False)
        yield start, split
