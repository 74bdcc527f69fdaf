"""Tickets of a tournament: signed statements of its director about their holders.

A ticket in the address of a QR code is what a login code is at a table. Every hub and every table of the tournament can
tell by the director's public key alone that it is right, and none has to keep it.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from pydantic import TypeAdapter

ROLES: Final = ("spectator", "player", "referee", "admin", "director")
"""In ascending order: those of a table's page, and the director."""

_DAY_S: Final = 86400
HELPER_S: Final = 7 * _DAY_S
BADGE_S: Final = 365 * _DAY_S
"""Lifetime of a helper's ticket and of a player's badge (s)."""

_PURPOSE: Final = b"croupier/ticket\n"
"""Before what is signed: no signature of a log's head is one of a ticket."""
_SIGNATURE_BYTES: Final = 64
_CONTENT: Final = TypeAdapter(tuple[str, str, int])


@dataclass(frozen=True, slots=True)
class Ticket:
    """``name``: of a player. ``until``: when it expires, in seconds since 1970."""

    role: str
    name: str = ""
    until: int = 0

    def may(self, role: str) -> bool:
        """True if the holder of the ticket has all permissions of ``role``."""
        return ROLES.index(self.role) >= ROLES.index(role)

    @property
    def lifetime_s(self) -> int:
        """Time for which the ticket was made."""
        return BADGE_S if self.role == "player" else HELPER_S

    def signed(self, sign: Callable[[bytes], bytes]) -> str:
        """The ticket as text for an address; ``sign``: signs with the director's key."""
        content = json.dumps([self.role, self.name, self.until], ensure_ascii=False).encode()
        return urlsafe_b64encode(sign(_PURPOSE + content) + content).rstrip(b"=").decode()


NOBODY: Final = Ticket("spectator")


def read_ticket(text: str, director: str, now: float) -> Ticket:
    """The ticket in a text; `NOBODY` if the director with this key (hex) did not sign it, or it has expired."""
    ticket = signed_ticket(text, director)
    return ticket if ticket.until > now else NOBODY


def signed_ticket(text: str, director: str) -> Ticket:
    """The ticket in a text, even if it has expired; `NOBODY` if the director with this key (hex) did not sign it."""
    try:
        raw = urlsafe_b64decode(text + "=" * (-len(text) % 4))
        signature, content = raw[:_SIGNATURE_BYTES], raw[_SIGNATURE_BYTES:]
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(director)).verify(signature, _PURPOSE + content)
        ticket = Ticket(*_CONTENT.validate_json(content, strict=True))
    except (InvalidSignature, ValueError):  # also ValidationError
        return NOBODY
    return ticket if ticket.role in ROLES else NOBODY
