"""Logs of a tournament: lines whose order is held by a Merkle tree, of which each writer signs the newest root.

A table is its Ed25519 key, and so is the director; the name of a log is the public key of its writer in hex. A
signature is over the number of lines and the root of the tree: a checkpoint as a signed note (c2sp.org/tlog-checkpoint,
c2sp.org/signed-note). A reader who keeps it is shown later, without a line, that the log has only grown; or that it was
changed or cut.

The leaf of a line of a game is its hash in the journal (`croupier.journal.archive`), so the signed root covers the head
of the journal; the leaf of any other line is the SHA-256 of its text. A `Chain` line (`croupier_hub.standings`) begins
this form, and names the last hash of a game that goes on. Logs without one have the form of before: each leaf is
chained to the leaf of the line before it.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from croupier.journal.archive import chained
from croupier_hub.merkle import extended, root_of
from croupier_rules.errors import json_object

NOTHING: Final = b""
"""The hash before the first line."""

CHAIN: Final = '{"chain"'
HEADER: Final = '{"log"'
OF_NO_GAME: Final = (CHAIN, '{"result"', '{"call"', '{"page"')
"""Begins of lines."""

ORIGIN: Final = "croupier/"
"""Before the name of a log in its checkpoints."""

ED25519: Final = b"\x01"
_HASH: Final = 32
_OF_JOURNAL: Final = b"\x01"
"""The first byte of the data of a head after a `CHAIN` line."""


@dataclass(frozen=True, slots=True)
class Head:
    """End of a log: the number of its ``lines``; the ``peaks`` of `merkle.extended`; ``hash``: the hash to which the
    next line of the game is chained; ``is_of_journal``: True after a `CHAIN` line."""

    lines: int = 0
    hash: bytes = NOTHING
    peaks: tuple[bytes, ...] = ()
    is_of_journal: bool = False

    @property
    def root(self) -> bytes:
        """The root of the tree, which is signed."""
        return root_of(self.peaks)

    @property
    def data(self) -> bytes:
        """All but the number, to be kept."""
        return (_OF_JOURNAL if self.is_of_journal else b"") + self.hash + b"".join(self.peaks)

    @classmethod
    def of(cls, lines: int, data: bytes) -> Head:
        """The head with this ``data``."""
        at = len(data) - _HASH * lines.bit_count()
        peaks = tuple(data[start : start + _HASH] for start in range(at, len(data), _HASH))
        return cls(lines, data[at % _HASH : at], peaks, is_of_journal=bool(at % _HASH))

    def extend(self, lines: Iterable[str]) -> tuple[list[bytes], list[bytes], Head]:
        """The leaves of these lines, the roots that each completes (`merkle.extended`), and the head after them."""
        leaves, hash_, is_of_journal = list[bytes](), self.hash, self.is_of_journal
        for text in lines:
            if text.startswith(CHAIN):
                leaves.append(chained(NOTHING if is_of_journal else hash_, text))
                is_of_journal, hash_ = True, _hash_of_game(text)
            elif is_of_journal and (text.startswith(OF_NO_GAME) or not (hash_ or text.startswith(HEADER))):
                leaves.append(chained(NOTHING, text))
            else:
                is_first = is_of_journal and text.startswith(HEADER)
                leaves.append(hash_ := chained(NOTHING if is_first else hash_, text))
        if not leaves:
            return leaves, leaves, self
        roots, peaks = extended(self.lines, self.peaks, leaves)
        return leaves, roots, Head(self.lines + len(leaves), hash_, peaks, is_of_journal)

    def after(self, lines: Iterable[str]) -> Head:
        """The head after these lines."""
        return self.extend(lines)[2]


@dataclass(frozen=True, slots=True)
class Sent:
    """Lines ``start``… of a log, as its writer sends them, without line ends; ``head``: the root of the log up to
    the last one; ``signature``: by the writer."""

    log: str
    start: int
    lines: tuple[str, ...]
    head: bytes
    signature: bytes

    @property
    def end(self) -> int:
        """The number of lines of the log up to the last of these."""
        return self.start + len(self.lines)

    @property
    def is_signed(self) -> bool:
        """True if the writer of the log signed this head."""
        try:
            Ed25519PublicKey.from_public_bytes(bytes.fromhex(self.log)).verify(
                self.signature, _checkpoint(self.log, self.end, self.head).encode()
            )
        except (InvalidSignature, ValueError):
            return False
        return True

    @property
    def note(self) -> str:
        """The checkpoint at the last of these lines, signed by the writer."""
        name = ORIGIN + self.log
        line = signature_line(name, ED25519, bytes.fromhex(self.log), self.signature)
        return f"{_checkpoint(self.log, self.end, self.head)}\n{line}"


def name_of(key: Ed25519PrivateKey) -> str:
    """The name of the log that ``key`` signs."""
    return key.public_key().public_bytes_raw().hex()


def sign(key: Ed25519PrivateKey, lines: Sequence[str], start: int = 0) -> Sent:
    """Sign the log ``lines``, to send them from ``start`` on."""
    return sign_head(key, Head().after(lines), lines[start:])


def sign_head(key: Ed25519PrivateKey, head: Head, lines: Sequence[str]) -> Sent:
    """Sign ``head``, that of the log after these ``lines``, to send them."""
    name = name_of(key)
    signature = key.sign(_checkpoint(name, head.lines, head.root).encode())
    return Sent(name, head.lines - len(lines), tuple(lines), head.root, signature)


def signature_line(name: str, kind: bytes, key: bytes, signature: bytes) -> str:
    """A signature of a note by the ``key`` (public) of ``name``; ``kind``: the number of its form."""
    return f"— {name} {b64encode(key_id(name, kind, key) + signature).decode()}\n"


def key_id(name: str, kind: bytes, key: bytes) -> bytes:
    """Four bytes by which a note names the signer."""
    return sha256(f"{name}\n".encode() + kind + key).digest()[:4]


def chain_line(game: bytes = NOTHING, lost: int = 0) -> str:
    """The line from which on the leaves of games are their hashes in the journal. ``game``: the hash of the last line
    of the game that goes on; ``lost``: lines of games before it that are lost with the journal that had them."""
    return json.dumps({"chain": "journal", "game": game.hex(), "lost": lost}, separators=(",", ":"))


def _hash_of_game(text: str) -> bytes:
    try:
        found = bytes.fromhex(json_object(text)["game"])
    except (ValueError, LookupError, TypeError):  # also BadLog
        return NOTHING
    return found if len(found) == _HASH else NOTHING


def _checkpoint(log: str, lines: int, root: bytes) -> str:
    return f"{ORIGIN}{log}\n{lines}\n{b64encode(root).decode()}\n"
