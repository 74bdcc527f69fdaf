"""Passes: it separates writers whose keys a hub knows from strangers who share their address.

A table behind the router of a hall has the address of everybody there. While a hub is too busy for that address
(`croupier_hub.budget`), its 503 has a nonce, as RFC 9110, 11.6.1 allows; a writer signs it, sends the same request with
its pass, and keeps the pass for those that follow, until the hub gives another nonce::

    WWW-Authenticate: Croupier nonce="32 digits 0-9 a-f"
    Authorization: Croupier key="64 digits", nonce="32 digits", signature="128 digits"

The signature (Ed25519) is over ``croupier/pass``, a line feed and the nonce, so no other signature of a writer is one,
and it is good for nothing else. A nonce is good at the network that got it, for 5 to 10 minutes, at every hub with the
same database; no hub has to keep it.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable
from typing import Final, Protocol

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

NONCE_S: Final = 300.0
"""A hub gives the same nonce to a network for so long, and takes it for as long again."""

_PURPOSE: Final = b"croupier/pass\n"
_CHALLENGE: Final = re.compile(r'Croupier nonce="([0-9a-f]{32})"')
_PASS: Final = re.compile(r'Croupier key="([0-9a-f]{64})", nonce="([0-9a-f]{32})", signature="([0-9a-f]{128})"')
_NONCE_DIGITS: Final = 32
_MOST_CHECKED: Final = 10_000


class Writer(Protocol):
    """Who has the key of a log; as `croupier_hub.outbox.Outbox`."""

    log: str

    def sign(self, content: bytes, /) -> bytes:
        """The writer's signature."""


def sign_pass(challenge: str, writer: Writer) -> str:
    """The pass of a writer for a hub that sent this ``challenge``; "" if it is none."""
    if (found := _CHALLENGE.fullmatch(challenge)) is None:
        return ""
    nonce = found[1]
    signature = writer.sign(_PURPOSE + nonce.encode())
    return f'Croupier key="{writer.log}", nonce="{nonce}", signature="{signature.hex()}"'


class Passes:
    """Gives nonces and checks passes. ``secret``: of all hubs with this database; ``clock``: seconds since 1970, since
    several machines may have it; ``is_writer``: true of a key whose log the hub takes."""

    def __init__(self, secret: bytes, clock: Callable[[], float], is_writer: Callable[[str], bool]) -> None:
        self._secret, self._clock, self._is_writer = secret, clock, is_writer
        self._checked: dict[str, str] = {}
        """Right passes, with their keys."""

    def challenge(self, network: str) -> str:
        """What a client in ``network`` may sign."""
        return f'Croupier nonce="{self._nonce(network, self._period)}"'

    def key(self, network: str, text: str) -> str | None:
        """The key of the writer whose pass this is; None if a client in ``network`` has no right pass."""
        found = _PASS.fullmatch(text)
        if found is None or found[2] not in (self._nonce(network, self._period - back) for back in (0, 1)):
            return None
        key, nonce, signature = found.groups()
        if text not in self._checked:
            try:
                public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
                public.verify(bytes.fromhex(signature), _PURPOSE + nonce.encode())
            except (InvalidSignature, ValueError):
                return None
            if not self._is_writer(key):
                return None
            if len(self._checked) >= _MOST_CHECKED:
                self._checked.clear()
            self._checked[text] = key
        return key

    @property
    def _period(self) -> int:
        return int(self._clock() // NONCE_S)

    def _nonce(self, network: str, period: int) -> str:
        return hmac.digest(self._secret, f"{period} {network}".encode(), "sha256").hex()[:_NONCE_DIGITS]
