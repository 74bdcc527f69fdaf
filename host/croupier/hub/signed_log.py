"""Logs of a tournament: lines chained by hashes, of which each writer signs the newest.

A table is its Ed25519 key, and so is the director; the name of a log is the public key of its writer in hex. The chain
is that of the journal (`croupier.journal.archive`). A signature is over the number of lines and the hash of the last,
and so over all lines before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from croupier.journal.archive import chained

NOTHING: Final = b""
"""The hash before the first line."""

_CONTEXT: Final = b"croupier tournament log 1\n"


@dataclass(frozen=True, slots=True)
class Sent:
    """Lines ``start``… of a log, as its writer sends them, without line ends; ``head``: the hash of the last one;
    ``signature``: by the writer."""

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
                self.signature, _signed(self.end, self.head)
            )
        except (InvalidSignature, ValueError):
            return False
        return True


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
    return sign_head(key, start, lines[start:], hashes(lines)[-1] if lines else NOTHING)


def sign_head(key: Ed25519PrivateKey, start: int, lines: Sequence[str], head: bytes) -> Sent:
    """Sign ``head``, the hash of the last of these ``lines``, to send them; line ``start`` of the log is the first."""
    return Sent(name_of(key), start, tuple(lines), head, key.sign(_signed(start + len(lines), head)))


def _signed(lines: int, head: bytes) -> bytes:
    return _CONTEXT + f"{lines} {head.hex()}".encode()
