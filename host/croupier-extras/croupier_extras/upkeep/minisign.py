"""Signatures as minisign makes them: of a file, in a file ``.minisig`` beside it.

A public key and a signature are Base64 of an algorithm (two letters), the number of the key (8 bytes), and the key or
the Ed25519 signature. ``ED`` signs the BLAKE2b-512 digest of the file, ``Ed`` the file itself. A second signature holds
the first one together with the trusted comment (jedisct1.github.io/minisign).
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Final

from croupier.i18n import marked
from croupier_extras.errors import BadUpdate

SUFFIX: Final = ".minisig"
_CHUNK: Final = 1 << 20
_COMMENT: Final = "trusted comment: "


@dataclass(frozen=True, slots=True)
class PublicKey:
    """The key of who builds the packages; ``number`` names it."""

    number: bytes
    key: bytes

    @classmethod
    def read(cls, file: Path) -> PublicKey:
        """Read a file ``.pub`` of minisign. Raises `BadUpdate`."""
        try:
            packed = b64decode(_lines(file)[1], validate=True)
        except (IndexError, ValueError) as err:
            raise _no_key(file) from err
        if len(packed) != 42 or packed[:2] != b"Ed":
            raise _no_key(file)
        return cls(packed[2:10], packed[10:])


def check(file: Path, key: PublicKey, on_read: Callable[[int], None] = lambda n: None) -> str:
    """Check the signature beside ``file``, and return its trusted comment. ``on_read``: called with each number of
    bytes read.

    Raises:
        BadUpdate: there is no signature, another key made it, or the file is not the one that was signed.
    """
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    beside = file.with_name(file.name + SUFFIX)
    lines = _lines(beside)
    try:
        _untrusted, first, comment, second = lines[:4]
        packed, over_all = b64decode(first, validate=True), b64decode(second, validate=True)
    except ValueError as err:
        raise BadUpdate(marked("{file}: not a signature of minisign; copy it again"), file=beside) from err
    if packed[2:10] != key.number:
        raise BadUpdate(marked("{file}: signed with another key than this table knows; nothing was changed"), file=file)
    digest = blake2b()
    with file.open("rb") as opened:
        while chunk := opened.read(_CHUNK):
            digest.update(chunk)
            on_read(len(chunk))
    signed = digest.digest() if packed[:2] == b"ED" else file.read_bytes()
    verifier = Ed25519PublicKey.from_public_bytes(key.key)
    told = comment.removeprefix(_COMMENT)
    try:
        verifier.verify(packed[10:], signed)
        verifier.verify(over_all, packed[10:] + told.encode())
    except InvalidSignature as err:
        text = marked("{file}: not the file that was signed, or only a part of it; copy it again. Nothing was changed")
        raise BadUpdate(text, file=file) from err
    return told


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8").splitlines()
    except OSError as err:
        raise BadUpdate(marked("{file}: {why}: a signature is needed"), file=file, why=err.strerror) from err


def _no_key(file: Path) -> BadUpdate:
    return BadUpdate(marked("{file}: not a public key of minisign"), file=file)
