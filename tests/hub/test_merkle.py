"""Proofs of a Merkle tree: right ones are taken, all others refused."""

from __future__ import annotations

from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from croupier_hub.merkle import (
    EMPTY,
    consistency,
    extended,
    full_trees,
    inclusion,
    is_consistent,
    is_included,
    node_of,
    root_of,
)

LEAVES = [sha256(bytes([n])).digest() for n in range(60)]


def by_the_words_of_rfc_6962(leaves: list[bytes]) -> bytes:
    """Section 2.1."""
    if len(leaves) < 2:
        return sha256(b"\0" + leaves[0]).digest() if leaves else sha256().digest()
    k = next(1 << n for n in range(9) if 1 << n < len(leaves) <= 2 << n)
    return sha256(b"\1" + by_the_words_of_rfc_6962(leaves[:k]) + by_the_words_of_rfc_6962(leaves[k:])).digest()


def root(size: int) -> bytes:
    return root_of(extended(0, (), LEAVES[:size])[1])


def roots(ranges: list[tuple[int, int]]) -> list[bytes]:
    """The roots over ranges of `LEAVES`, of what is stored with each."""
    stored = [node_of(leaf) + more for leaf, more in zip(LEAVES, extended(0, (), LEAVES)[0], strict=True)]
    return [
        root_of([stored[end][level * 32 : (level + 1) * 32] for end, level in full_trees(start, end)])
        for start, end in ranges
    ]


def test_the_root_is_that_of_rfc_6962_however_the_leaves_came() -> None:
    for size in range(len(LEAVES)):
        half = size // 3
        completed, peaks = extended(0, (), LEAVES[:half])
        more, peaks = extended(half, peaks, LEAVES[half:size])
        assert root_of(peaks) == root(size)
        assert [*completed, *more] == extended(0, (), LEAVES[:size])[0]
        assert root(size) == by_the_words_of_rfc_6962(LEAVES[:size])
    assert root(0) == EMPTY


@given(st.integers(1, 59), st.data())
def test_a_proof_shows_one_thing_only(size: int, data: st.DataObject) -> None:
    old, n = data.draw(st.integers(0, size)), data.draw(st.integers(0, size - 1))
    proof, path, other = roots(consistency(old, size)), roots(inclusion(n, size)), LEAVES[59]
    assert is_consistent(old, root(old), size, root(size), proof)
    assert is_included(n, LEAVES[n], size, root(size), path)
    assert not is_consistent(old, other, size, root(size), proof)
    assert not is_consistent(old, root(old), size, root(size), [*proof, other])
    assert not is_included(n, other, size, root(size), path)
    assert not is_included(n, LEAVES[n], size, other, path)
    assert not is_included(n, LEAVES[n], size, root(size), [*path, other])
    assert not is_included(size, LEAVES[n], size, root(size), path)
    if old:
        assert not is_consistent(old, root(old), size, other, proof)
        assert not is_consistent(size + 1, root(size + 1), size, root(size), proof)
    if proof:
        at = data.draw(st.integers(0, len(proof) - 1))
        assert not is_consistent(old, root(old), size, root(size), [*proof[:at], other, *proof[at + 1 :]])
        assert not is_consistent(old, root(old), size, root(size), proof[:-1])
    if path:
        at = data.draw(st.integers(0, len(path) - 1))
        assert not is_included(n, LEAVES[n], size, root(size), [*path[:at], other, *path[at + 1 :]])
        assert not is_included(n, LEAVES[n], size, root(size), path[:-1])
