"""Boxes for faces, and the key of a round.

A box is ChaCha20-Poly1305 (RFC 8439) over the faces, filled up so that its length tells only how many cards there are.
Game and line are authenticated with it, so that a box opens in its own place only. The key is random, in a file of its
own that only the table's user can read.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from croupier.errors import BadJournal, marked
from croupier.files import put, unwritten
from croupier.optional_dependencies import PICO, requires_extra

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

Passages = tuple[tuple[str, ...], ...]
"""By card that passed the exit: its face, or two faces where two cards passed as one."""

KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12
_CARD_BYTES: Final = 48  # a passage of the two longest faces as JSON


def key_file(journal: Path) -> Path:
    """The path of the key of the round that is played."""
    return Path(f"{journal}-key")


def current_key(journal: Path) -> bytes | None:
    """The key of the round that is played; None if no card has been sealed in it."""
    try:
        key = key_file(journal).read_bytes()
    except OSError:
        return None
    return key if len(key) == KEY_BYTES else None


def key_of_round(journal: Path) -> bytes:
    """As `current_key`, but makes a missing key. Raises CannotWrite."""
    key = current_key(journal)
    if key is None:
        key = os.urandom(KEY_BYTES)
        put(key_file(journal), key, 0o600)
    return key


def end_key(journal: Path) -> None:
    """Let the next round have another key. Raises CannotWrite."""
    try:
        key_file(journal).unlink(missing_ok=True)
    except OSError as err:
        raise unwritten(key_file(journal), err) from err


def seal(key: bytes, game: int, line: int, passages: Passages) -> bytes:
    """Close these passages into the box of a line."""
    cards = sum(map(len, passages))
    text = json.dumps(passages).encode().ljust(2 + _CARD_BYTES * cards)
    nonce = os.urandom(_NONCE_BYTES)
    return nonce + cipher(key).encrypt(nonce, text, _place(game, line))


def opened(key: bytes, game: int, line: int, box: bytes) -> Passages:
    """Open a box. Raises BadJournal if it was changed or moved, or the key is another."""
    from cryptography.exceptions import InvalidTag

    try:
        text = cipher(key).decrypt(box[:_NONCE_BYTES], box[_NONCE_BYTES:], _place(game, line))
    except InvalidTag as err:
        wrong = marked("game {game}, line {line}: the sealed cards were changed after they were written")
        raise BadJournal(wrong, game=game, line=line) from err
    return tuple(tuple(one) for one in json.loads(text))


def cipher(key: bytes) -> ChaCha20Poly1305:
    """The cipher of a key. Raises PortNotFound, with advice, if its library is not installed."""
    with requires_extra(PICO):
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    return ChaCha20Poly1305(key)


def _place(game: int, line: int) -> bytes:
    return f"croupier sealed {game} {line}".encode()
