"""Checkpoints of logs as anybody may keep them, and as witnesses sign them with their own keys.

A checkpoint is a signed note (c2sp.org/signed-note) with the origin ``croupier/KEY``, the number of lines and the root
(c2sp.org/tlog-checkpoint). A witness adds a cosignature (c2sp.org/tlog-cosignature, Ed25519): of all that it has seen
of this log, this is the longest, and all of it fits.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from binascii import Error
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from croupier.errors import marked
from croupier_hub.errors import BadCheckpoint
from croupier_hub.signed_log import ED25519, ORIGIN, key_id, name_of, signature_line

WITNESS: Final = "croupier-witness/"
"""Before the public key of a witness in its name."""

MOST_BYTES: Final = 10_000

_COSIGNED: Final = b"\x04"
_BODY: Final = re.compile(rf"{ORIGIN}([0-9a-f]{{64}})\n(0|[1-9][0-9]{{0,9}})\n([A-Za-z0-9+/]{{43}}=)\n")
_NO_CHECKPOINT: Final = marked("not a checkpoint: expected what GET /checkpoints/KEY of a hub answers")
_SIGNATURE: Final = re.compile(r"— (\S+) ([A-Za-z0-9+/=]+)")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The first ``size`` lines of ``log`` have this ``root``. ``body``: what is signed; ``signatures``: names, and key
    id with signature."""

    log: str
    size: int
    root: bytes
    body: str
    signatures: tuple[tuple[str, bytes], ...]

    @classmethod
    def parse(cls, text: str) -> Checkpoint:
        """The checkpoint of this note.

        Raises:
            BadCheckpoint: it is not a checkpoint, or of a log that is not Croupier's.
        """
        body, blank, rest = text.partition("\n\n")
        found = _BODY.fullmatch(body + "\n")
        lines = [_SIGNATURE.fullmatch(line) for line in rest.splitlines()]
        if found is None or not blank or not lines or None in lines:
            raise BadCheckpoint(_NO_CHECKPOINT)
        log, size, root = found.groups()
        try:
            signatures = tuple((one[1], b64decode(one[2], validate=True)) for one in lines if one is not None)
        except Error as err:
            raise BadCheckpoint(_NO_CHECKPOINT) from err
        return cls(log, int(size), b64decode(root), body + "\n", signatures)

    @property
    def is_signed(self) -> bool:
        """True if the log's writer signed it."""
        return any(self._signed(f"{ORIGIN}{self.log}", ED25519, self.log))

    def check(self) -> Checkpoint:
        """This checkpoint. Raises `BadCheckpoint` if the log's writer did not sign it so."""
        if not self.is_signed:
            raise BadCheckpoint(marked("the checkpoint was changed: it is not as {key} signed it"), key=self.log)
        return self

    @property
    def cosigners(self) -> list[str]:
        """The public keys of the witnesses whose cosignatures are right."""
        names = dict.fromkeys(name for name, _ in self.signatures if re.fullmatch(rf"{WITNESS}[0-9a-f]{{64}}", name))
        keys = [name.removeprefix(WITNESS) for name in names]
        return [key for key in keys if any(self._signed(f"{WITNESS}{key}", _COSIGNED, key))]

    def cosigned(self, key: Ed25519PrivateKey, now: int) -> str:
        """The line by which the witness with this key cosigns; ``now``: in seconds since 1970."""
        name = name_of(key)
        signature = now.to_bytes(8, "big") + key.sign(self._message(now))
        return signature_line(f"{WITNESS}{name}", _COSIGNED, bytes.fromhex(name), signature)

    def _message(self, now: int) -> bytes:
        return f"cosignature/v1\ntime {now}\n{self.body}".encode()

    def _signed(self, name: str, kind: bytes, key: str) -> Iterator[bool]:
        """For each signature by this name and key, whether it is right."""
        public = bytes.fromhex(key)
        for signer, data in self.signatures:
            if signer != name or data[:4] != key_id(name, kind, public):
                continue
            signature, message = data[4:], self.body.encode()
            if kind == _COSIGNED:
                signature, message = data[12:], self._message(int.from_bytes(data[4:12], "big"))
            try:
                Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
            except (InvalidSignature, ValueError):
                yield False
            else:
                yield True


@dataclass(frozen=True, slots=True)
class Growth:
    """A ``checkpoint``, and the ``proof`` that its log goes on after the first ``old`` lines: what a witness is asked
    to cosign (c2sp.org/tlog-witness)."""

    old: int
    proof: tuple[bytes, ...]
    checkpoint: Checkpoint

    @classmethod
    def parse(cls, text: str) -> Growth:
        """The request with this text. Raises `BadCheckpoint`."""
        head, blank, note = text.partition("\n\n")
        first, *lines = head.split("\n")
        known = re.fullmatch(r"old (0|[1-9][0-9]{0,9})", first)
        try:
            proof = tuple(b64decode(line, validate=True) for line in lines)
        except Error:
            known = None
        if known is None or not blank or len(lines) > 63:
            raise BadCheckpoint(_NO_CHECKPOINT)
        return cls(int(known[1]), proof, Checkpoint.parse(note))

    @staticmethod
    def text(old: int, proof: Sequence[bytes], note: str) -> str:
        """The request for this note."""
        lines = "".join(f"{b64encode(one).decode()}\n" for one in proof)
        return f"old {old}\n{lines}\n{note}"
