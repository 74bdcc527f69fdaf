"""The chain: each line of a game has a hash over its own text and the hash of the line before.

So one hash, the last, stands for the whole game: whoever noted it can tell years later whether any line was changed,
left out, added or moved. It is taken over the text as it stands in an exported file, without line ends::

    hash = b""
    for line in open("game.jsonl", "rb"):
        hash = sha256(hash + line.rstrip(b"\\n")).digest()
"""

from __future__ import annotations

from hashlib import sha256

NOTHING = b""
"""What the first line of a game is chained to."""


def chained(before: bytes, text: str) -> bytes:
    """The hash of a line with this ``text``, after a line with the hash ``before`` (32 bytes, SHA-256)."""
    return sha256(before + text.encode("utf-8")).digest()
