"""Proofs of a Merkle tree: right ones are taken, all others refused."""

from __future__ import annotations

from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from croupier_hub.merkle import EMPTY, consistency, grown, inclusion, is_consistent, is_included, root_of

LEAVES = [sha256(bytes([n])).digest() for n in range(60)]


def by_the_words_of_rfc_6962(leaves: list[bytes]) -> bytes:
    """Section 2.1."""
    if len(leaves) < 2:
        return sha256(b"\0" + leaves[0]).digest() if leaves else sha256().digest()
    k = next(1 << n for n in range(9) if 1 << n < len(leaves) <= 2 << n)
    return sha256(b"\1" + by_the_words_of_rfc_6962(leaves[:k]) + by_the_words_of_rfc_6962(leaves[k:])).digest()


def root(size: int) -> bytes:
    return root_of(grown(0, (), LEAVES[:size]))


def test_the_root_is_that_of_rfc_6962_however_the_leaves_came() -> None:
    for size in range(len(LEAVES)):
        half = size // 3
        assert root_of(grown(half, grown(0, (), LEAVES[:half]), LEAVES[half:size])) == root(size)
        assert root(size) == by_the_words_of_rfc_6962(LEAVES[:size])
    assert root(0) == EMPTY


@given(st.integers(1, 59), st.data())
def test_a_proof_shows_one_thing_only(size: int, data: st.DataObject) -> None:
    old, n = data.draw(st.integers(0, size)), data.draw(st.integers(0, size - 1))
    proof, path, other = consistency(LEAVES[:size], old), inclusion(LEAVES[:size], n), LEAVES[59]
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
