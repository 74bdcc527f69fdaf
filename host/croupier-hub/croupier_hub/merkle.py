"""The Merkle tree of RFC 6962 over hashes, and its proofs (sections 2.1.1 and 2.1.2).

Whoever has the root of the first lines of a log, and the root of more of them, is shown by a short proof that the log
has only grown; or that a line is in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Final

EMPTY: Final = sha256().digest()
"""The root without leaves."""

_LEAF, _NODE = b"\x00", b"\x01"


def grown(size: int, peaks: Sequence[bytes], leaves: Iterable[bytes]) -> tuple[bytes, ...]:
    """The roots of the largest full trees, from the left, after ``leaves`` were added to ``size`` of them."""
    found = list(peaks)
    for n, leaf in enumerate(leaves, start=size):
        found.append(sha256(_LEAF + leaf).digest())
        while n & 1:
            right = found.pop()
            found[-1] = sha256(_NODE + found[-1] + right).digest()
            n >>= 1
    return tuple(found)


def root_of(peaks: Sequence[bytes]) -> bytes:
    """The root over full trees, from the left."""
    if not peaks:
        return EMPTY
    *others, root = peaks
    for left in reversed(others):
        root = sha256(_NODE + left + root).digest()
    return root


def consistency(leaves: Sequence[bytes], old: int) -> list[bytes]:
    """The proof that the tree of ``leaves`` goes on after its first ``old`` leaves."""
    return list(_subproof(leaves, old, is_whole=True)) if 0 < old < len(leaves) else []


def inclusion(leaves: Sequence[bytes], n: int) -> list[bytes]:
    """The proof that leaf ``n`` of the tree of ``leaves`` is there."""
    if len(leaves) == 1:
        return []
    split = _split(len(leaves))
    if n < split:
        return [*inclusion(leaves[:split], n), _root(leaves[split:])]
    return [*inclusion(leaves[split:], n - split), _root(leaves[:split])]


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


def _root(leaves: Sequence[bytes]) -> bytes:
    return root_of(grown(0, (), leaves))


def _subproof(leaves: Sequence[bytes], old: int, *, is_whole: bool) -> Iterator[bytes]:
    if old == len(leaves):
        if not is_whole:
            yield _root(leaves)
        return
    split = _split(len(leaves))
    if old <= split:
        yield from _subproof(leaves[:split], old, is_whole=is_whole)
        yield _root(leaves[split:])
    else:
        yield from _subproof(leaves[split:], old - split, is_whole=False)
        yield _root(leaves[:split])
