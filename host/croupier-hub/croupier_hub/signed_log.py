"""Logs of a tournament: lines chained by hashes, of which each writer signs the newest.

A table is its Ed25519 key, and so is the director; the name of a log is the public key of its writer in hex. The chain
is that of the journal (`croupier.journal.archive`). A signature is over the number of lines and the root of the Merkle
tree of their hashes: a checkpoint as a signed note (c2sp.org/tlog-checkpoint, c2sp.org/signed-note). Whoever keeps it
is shown later, without a line, that the log has only grown; or that it was changed or cut.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from croupier.journal.archive import chained
from croupier_hub.merkle import grown, root_of

NOTHING: Final = b""
"""The hash before the first line."""

ORIGIN: Final = "croupier/"
"""Before the name of a log in its checkpoints."""

ED25519: Final = b"\x01"
_HASH: Final = 32


@dataclass(frozen=True, slots=True)
class Head:
    """Where a log ends: the number of its ``lines``, the hash of the last, and the ``peaks`` of `merkle.grown`."""

    lines: int = 0
    hash: bytes = NOTHING
    peaks: tuple[bytes, ...] = ()

    @property
    def root(self) -> bytes:
        """The root of the tree, which is signed."""
        return root_of(self.peaks)

    @property
    def data(self) -> bytes:
        """All but the number, to be kept."""
        return self.hash + b"".join(self.peaks)

    @classmethod
    def of(cls, lines: int, data: bytes) -> Head:
        """The head with this ``data``."""
        parts = [data[at : at + _HASH] for at in range(0, len(data), _HASH)]
        return cls(lines, parts[0] if parts else NOTHING, tuple(parts[1:]))

    def with_hashes(self, chain: Sequence[bytes]) -> Head:
        """The head after lines with these hashes."""
        if not chain:
            return self
        return Head(self.lines + len(chain), chain[-1], grown(self.lines, self.peaks, chain))

    def after(self, lines: Iterable[str]) -> Head:
        """The head after these lines."""
        return self.with_hashes(hashes(lines, self.hash))


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


def hashes(lines: Iterable[str], before: bytes = NOTHING) -> list[bytes]:
    """The hash of each line, after a line with the hash ``before``."""
    found = []
    for text in lines:
        before = chained(before, text)
        found.append(before)
    return found


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
    """Four bytes by which a note tells whose signature it is."""
    return sha256(f"{name}\n".encode() + kind + key).digest()[:4]


def _checkpoint(log: str, lines: int, root: bytes) -> str:
    return f"{ORIGIN}{log}\n{lines}\n{b64encode(root).decode()}\n"
