"""Accounts: roles, login codes that grant them, and sessions.

There are no passwords. The first start creates the admin's code and shows it once, on the console; the admin creates
the other codes. Only the argon2 hash of a code is stored.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from croupier.errors import BadConfig
from croupier.files import put
from croupier.i18n import _, marked

ROLES: Final = (marked("spectator"), marked("player"), marked("referee"), marked("admin"))
"""In ascending order: each role includes the permissions of the roles before it."""

_ALPHABET: Final = "23456789abcdefghjkmnpqrstuvwxyz"
"""Without letters and digits that look alike."""

_CODE_LENGTH: Final = 10
"""50 bits, which suffices while `limits.LoginThrottle` allows only a few attempts a minute."""

_MAX_INPUT_LENGTH: Final = 64
_MAX_SESSIONS: Final = 16
"""Open sessions of one person; the oldest is closed."""


@dataclass(frozen=True, slots=True)
class Person:
    """A user of the page; a player has a ``seat``."""

    role: str = "spectator"
    seat: int | None = None

    def may(self, role: str) -> bool:
        """Whether the person has all permissions of ``role``."""
        return ROLES.index(self.role) >= ROLES.index(role)


SPECTATOR: Final = Person()


class Accounts:
    """The login codes, in ``file`` (JSON, mode 0600) or only in memory, and the open sessions.

    Raises:
        BadConfig: the file is not a list of codes.
    """

    def __init__(self, file: Path | None = None, hasher: PasswordHasher | None = None) -> None:
        self._file = file
        # OWASP's minimum (19 MiB, two passes, one lane): what a Raspberry Pi computes while somebody waits.
        self._hasher = hasher or PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
        self._codes: dict[str, Person] = _read(file) if file is not None and file.exists() else {}
        self._sessions: dict[str, Person] = {}
        self.on_change: Callable[[], None] = _ignore
        """Called after each change of codes or sessions."""

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the callback, for another process."""
        return {**self.__dict__, "_sessions": dict(self._sessions), "on_change": _ignore}

    @property
    def has_admin(self) -> bool:
        """Whether an admin's code exists."""
        return any(person.role == "admin" for person in self._codes.values())

    def new_code(self, person: Person) -> str:
        """Create a login code for ``person`` and revoke the person's previous code and sessions.

        Raises:
            CannotWrite: the file cannot be written; the previous code stays valid.
        """
        code = "".join(secrets.choice(_ALPHABET) for _ in range(_CODE_LENGTH))
        codes = {hashed: other for hashed, other in self._codes.items() if other != person}
        codes[self._hasher.hash(code)] = person
        if self._file is not None:
            stored = {hashed: {"role": one.role, "seat": one.seat} for hashed, one in codes.items()}
            put(self._file, json.dumps(stored).encode(), 0o600)
        self._codes = codes
        for token in [token for token, other in list(self._sessions.items()) if other == person]:
            self._sessions.pop(token, None)
        self.on_change()
        return code

    def log_in(self, code: str) -> str | None:
        """Open a session with a login code; returns the session's token, ``None`` for an unknown code."""
        code = code.strip().lower().replace("-", "").replace(" ", "")[:_MAX_INPUT_LENGTH]
        for hashed, person in self._codes.items():
            try:
                self._hasher.verify(hashed, code)
            except (Argon2Error, InvalidHashError):
                continue
            token = secrets.token_urlsafe(32)
            of_person = [other for other, whose in list(self._sessions.items()) if whose == person]
            for oldest in of_person[: 1 - _MAX_SESSIONS]:
                self._sessions.pop(oldest, None)
            self._sessions[token] = person
            self.on_change()
            return token
        return None

    def person(self, token: str | None) -> Person:
        """The person of a session; a spectator for an unknown token."""
        return self._sessions.get(token or "", SPECTATOR)

    def log_out(self, token: str | None) -> None:
        """Close a session."""
        if self._sessions.pop(token or "", None) is not None:
            self.on_change()


def _ignore() -> None:
    pass


def _read(file: Path) -> dict[str, Person]:
    try:
        stored: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return {hashed: _parse_person(fields) for hashed, fields in stored.items()}
    except (OSError, ValueError, TypeError, AttributeError, KeyError) as err:
        wrong = _("{file}: not a list of codes: remove it, and the next start makes a new admin code", file=file)
        raise BadConfig(wrong) from err


def _parse_person(fields: Mapping[str, Any]) -> Person:
    if fields["role"] not in ROLES:
        raise ValueError(fields["role"])
    return Person(fields["role"], None if fields.get("seat") is None else int(fields["seat"]))
