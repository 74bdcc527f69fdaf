"""Logs of a tournament: lines chained by hashes, of which each writer signs the newest.

A table is its Ed25519 key, and so is the director; the name of a log is the public key of its writer in hex. The chain
is that of the journal (`croupier.journal.archive`). A signature is over the number of lines and the hash of the last,
and so over all lines before it: a checkpoint as a signed note (c2sp.org/tlog-checkpoint, c2sp.org/signed-note), with
the hash of the last line in place of a tree's. Whoever keeps it can show later that the log was changed or cut.
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

NOTHING: Final = b""
"""The hash before the first line."""

_ORIGIN: Final = "croupier/"
"""Before the name of a log in its checkpoints."""

_ED25519: Final = b"\x01"


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
                self.signature, _checkpoint(self.log, self.end, self.head).encode()
            )
        except (InvalidSignature, ValueError):
            return False
        return True

    @property
    def note(self) -> str:
        """The checkpoint at the last of these lines, signed by the writer."""
        name = _ORIGIN + self.log
        key_id = sha256(f"{name}\n".encode() + _ED25519 + bytes.fromhex(self.log)).digest()[:4]
        signature = b64encode(key_id + self.signature).decode()
        return f"{_checkpoint(self.log, self.end, self.head)}\n— {name} {signature}\n"


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
    name = name_of(key)
    return Sent(name, start, tuple(lines), head, key.sign(_checkpoint(name, start + len(lines), head).encode()))


def _checkpoint(log: str, lines: int, head: bytes) -> str:
    root = b64encode(head or sha256().digest()).decode()  # nothing has the root of an empty tree
    return f"{_ORIGIN}{log}\n{lines}\n{root}\n"
