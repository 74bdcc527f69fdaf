"""Who may do what on the page: roles, the codes that give them, and who has come in.

There is no password to begin with. The first start makes an admin's code and shows it once, on the console; the admin
makes the other codes. What is kept of a code is its argon2 hash.
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
"""Each may do what those before it may."""

_LETTERS: Final = "23456789abcdefghjkmnpqrstuvwxyz"
"""None that looks like another."""

_LENGTH: Final = 10
"""Letters of a code: fifty bits, while nobody may try more than a few a minute."""

_LONGEST: Final = 64
_PATIENCE: Final = 5
_REST_S: Final = 30.0
_MOST_PLACES: Final = 10_000


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who looks at the page; a player has a ``seat``."""

    role: str = "spectator"
    seat: int | None = None

    def may(self, role: str) -> bool:
        """Whether he may do what ``role`` may."""
        return ROLES.index(self.role) >= ROLES.index(role)


SPECTATOR: Final = Person()


class People:
    """The codes, in ``file`` (JSON, for this user alone) or only in memory, and who came in with them.

    Raises:
        BadConfig: the file is no list of codes.
    """

    def __init__(self, file: Path | None = None, hasher: PasswordHasher | None = None) -> None:
        self._file = file
        # What a Raspberry Pi can do while somebody waits (OWASP: 19 MiB, two passes, one lane).
        self._hasher = hasher or PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
        self._codes: dict[str, Person] = _read(file) if file is not None and file.exists() else {}
        self._in: dict[str, Person] = {}
        self.on_change: Callable[[], None] = _nobody
        """Called when there is another code, or somebody came in or left."""

    def __getstate__(self) -> dict[str, Any]:
        """What another process is to know; who listens here stays here."""
        return {**self.__dict__, "on_change": _nobody}

    @property
    def has_admin(self) -> bool:
        """Whether there is an admin's code."""
        return any(person.role == "admin" for person in self._codes.values())

    def new_code(self, person: Person) -> str:
        """A code that makes whoever has it this person; shown once, then nobody can tell it. One that the same
        person had is void. Raises `CannotWrite`; then that one still holds."""
        code = "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))
        codes = {hashed: other for hashed, other in self._codes.items() if other != person}
        codes[self._hasher.hash(code)] = person
        if self._file is not None:
            _write(self._file, codes)
        self._codes = codes
        self._in = {token: other for token, other in self._in.items() if other != person}
        self.on_change()
        return code

    def enter(self, code: str) -> str | None:
        """The token of whoever comes in with this code; ``None`` where it is none."""
        code = code.strip().lower().replace("-", "").replace(" ", "")[:_LONGEST]
        for hashed, person in self._codes.items():
            try:
                self._hasher.verify(hashed, code)
            except (Argon2Error, InvalidHashError):
                continue
            token = secrets.token_urlsafe(32)
            self._in[token] = person
            self.on_change()
            return token
        return None

    def who(self, token: str | None) -> Person:
        """Who this is; a spectator where nobody knows."""
        return self._in.get(token or "", SPECTATOR)

    def leave(self, token: str | None) -> None:
        """The token is worth nothing from now on."""
        if self._in.pop(token or "", None) is not None:
            self.on_change()


def _nobody() -> None:
    """Nobody listens."""


class Patience:
    """How often somebody may try a code: after `_PATIENCE` wrong ones from one place it rests, each time longer."""

    def __init__(self) -> None:
        self._wrong: dict[str, tuple[int, float]] = {}

    def rest_s(self, place: str, now: float) -> float:
        """How many seconds are left before ``place`` may try again; 0: it may now."""
        return max(0.0, self._wrong.get(place, (0, 0.0))[1] - now)

    def wrong(self, place: str, now: float) -> None:
        """A wrong code came from ``place`` at ``now`` (seconds, of a clock that does not go back)."""
        if len(self._wrong) >= _MOST_PLACES:
            self._wrong = {where: said for where, said in self._wrong.items() if said[1] > now}
        times = self._wrong.get(place, (0, 0.0))[0] + 1
        rest = _REST_S * 2 ** min(times - _PATIENCE, 6) if times >= _PATIENCE else 0.0
        self._wrong[place] = (times, now + rest)

    def right(self, place: str) -> None:
        """A right one did."""
        self._wrong.pop(place, None)


def _read(file: Path) -> dict[str, Person]:
    try:
        said: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return {hashed: _person(who) for hashed, who in said.items()}
    except (OSError, ValueError, TypeError, AttributeError, KeyError) as err:
        wrong = _("{file}: no list of codes: remove it, and the next start makes a new admin's code", file=file)
        raise BadConfig(wrong) from err


def _person(said: Mapping[str, Any]) -> Person:
    if said["role"] not in ROLES:
        raise ValueError(said["role"])
    return Person(said["role"], None if said.get("seat") is None else int(said["seat"]))


def _write(file: Path, codes: Mapping[str, Person]) -> None:
    said = {hashed: {"role": person.role, "seat": person.seat} for hashed, person in codes.items()}
    put(file, json.dumps(said).encode(), 0o600)
