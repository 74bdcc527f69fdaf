"""Accounts: roles, login codes that grant them, and sessions.

There are no passwords. The first start creates the admin's code and shows it once, on the console; the admin creates
the other codes. Only the argon2 hash of a code is stored, and only the SHA-256 of a session's token, which is random.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Final, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError
from pydantic import AfterValidator, Field, TypeAdapter

from croupier.clocks import elapsed, off_s
from croupier.errors import BadConfig, BadMessage
from croupier.files import put
from croupier.i18n import _, marked
from croupier.names import MOST_LETTERS, shorten

ROLES: Final = (marked("spectator"), marked("screen"), marked("player"), marked("referee"), marked("admin"))
"""In ascending order: each role includes the permissions of the roles before it."""

_ALPHABET: Final = "23456789abcdefghjkmnpqrstuvwxyz"
"""Without letters and digits that look alike."""

_CODE_LENGTH: Final = 10
"""50 bits, which suffices while `limits.LoginThrottle` allows only a few attempts a minute."""

_MAX_INPUT_LENGTH: Final = 64
_MAX_SESSIONS: Final = 16
"""Open sessions of one person; the oldest is closed."""

SESSION_S: Final = 30 * 86400
"""Time after which a session ends, however the time of day is set meanwhile."""

T = TypeVar("T")
_Role = Annotated[str, AfterValidator(lambda role: ROLES[ROLES.index(role)])]
_Name = Annotated[str, AfterValidator(lambda name: shorten(name, MOST_LETTERS))]


@dataclass(frozen=True, slots=True)
class Person:
    """A user of the page; a player has a ``seat``."""

    role: _Role = "spectator"
    seat: int | None = None

    def may(self, role: str) -> bool:
        """True if the person has all permissions of ``role``."""
        return ROLES.index(self.role) >= ROLES.index(role)

    @property
    def sees_codes(self) -> bool:
        """True for the big screen in the room, and for an admin: the codes of seats are for those who are there."""
        return self.role in ("screen", "admin")


SPECTATOR: Final = Person()


@dataclass(frozen=True, slots=True)
class Session:
    """An open session of a ``person``. ``began``: by the clock of the accounts; ``name``: what a player typed who came
    by a QR code; ``has_left``: the player is away, and others may take the seat."""

    person: Person
    began: Annotated[float, Field(exclude=True)] = 0.0
    name: _Name = ""
    has_left: bool = False


@dataclass(frozen=True, slots=True)
class Newcomer:
    """A person who waits for a ``seat``, under the ``number`` by which the admin decides; ``network``: of the phone."""

    number: int
    seat: int
    name: _Name
    network: str


@dataclass(frozen=True, slots=True)
class _Sessions:
    """The file of the sessions, by the keys of their tokens. ``written``: seconds since 1970; ``ages``: how old each
    session was then (s)."""

    confirms: bool
    sessions: dict[str, Session]
    newcomers: dict[str, Newcomer] = field(default_factory=dict)
    written: float = 0.0
    ages: dict[str, float] = field(default_factory=dict)


_CODES: Final = TypeAdapter(dict[str, Person])
_SESSIONS: Final = TypeAdapter(_Sessions)


class Accounts:
    """The login codes, in ``file`` (JSON, mode 0600) or only in memory, and the open sessions and the newcomers, which
    `keep_sessions` writes into the file ``sessions``.

    ``clock``: elapsed seconds; ``wall``: seconds since 1970, which may jump. ``store``: keeps the codes, as `codes` has
    them, instead of ``file``; it may raise `CannotWrite`. ``on_change``: called after each change of the sessions.
    ``everybody``: a person without a code.

    Sessions are open only as long as there are codes: without ``file`` those in the other file are void.

    Raises:
        BadConfig: the file is not a list of codes.
    """

    def __init__(
        self,
        file: Path | None = None,
        hasher: PasswordHasher | None = None,
        *,
        sessions: Path | None = None,
        clock: Callable[[], float] = elapsed,
        wall: Callable[[], float] = time.time,
        store: Callable[[str], None] | None = None,
        on_change: Callable[[], None] = lambda: None,
        everybody: Person = SPECTATOR,
    ) -> None:
        # OWASP's minimum (19 MiB, two passes, one lane): what a Raspberry Pi computes while somebody waits.
        self._hasher = hasher or PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
        self._codes: dict[str, Person] = _read(file) if file is not None and file.exists() else {}
        self._sessions: dict[str, Session] = {}
        self._newcomers: dict[str, Newcomer] = {}
        self._codes_file, self._file, self._store_codes = file, sessions, store
        self._clock, self._wall = clock, wall
        self._on_change, self._everybody = on_change, everybody
        self.confirms = True
        """True if newcomers with a QR code wait until an admin lets them in."""
        if self._codes and sessions is not None:
            with suppress(OSError, ValueError):  # what cannot be read lets nobody in
                self.take_sessions(sessions.read_text(encoding="utf-8"))

    @classmethod
    def of(cls, codes: str, sessions: str, store: Callable[[str], None], on_change: Callable[[str], None]) -> Accounts:
        """The accounts of another process, with its `codes` and `sessions`. ``on_change``: takes the changed sessions.
        Raises BadMessage."""
        accounts = cls(store=store, on_change=lambda: on_change(accounts.sessions))
        accounts._codes = _taken(codes, _CODES)
        accounts.take_sessions(sessions)
        return accounts

    @property
    def codes(self) -> str:
        """The hashed login codes, as JSON."""
        return _to_json(self._codes)

    def _store(self, codes: Mapping[str, Person]) -> None:
        if self._store_codes is not None:
            self._store_codes(_to_json(codes))
        elif self._codes_file is not None:
            put(self._codes_file, _to_json(codes).encode(), 0o600)

    @property
    def has_admin(self) -> bool:
        """True if an admin's code exists."""
        return any(person.role == "admin" for person in self._codes.values())

    def new_code(self, person: Person) -> str:
        """Create a login code for ``person`` and revoke the person's previous code and sessions.

        Raises:
            CannotWrite: the file cannot be written; the previous code stays valid.
        """
        code = "".join(secrets.choice(_ALPHABET) for _ in range(_CODE_LENGTH))
        codes = {hashed: other for hashed, other in self._codes.items() if other != person}
        codes[self._hasher.hash(code)] = person
        self._store(codes)
        self._codes = codes
        self.close(person)
        return code

    def swap_seats(self, seat: int, other: int) -> None:
        """Codes and sessions follow two players who have swapped seats.

        Raises:
            CannotWrite: the codes cannot be kept; until the next start they are as they should be.
        """
        place = {seat: other, other: seat}

        def moved(person: Person) -> Person:
            return person if person.seat is None else replace(person, seat=place.get(person.seat, person.seat))

        sessions = list(self._sessions.items())
        self._sessions = {key: replace(one, person=moved(one.person)) for key, one in sessions}
        self._codes = {hashed: moved(one) for hashed, one in list(self._codes.items())}
        self._on_change()
        self._store(self._codes)

    def rename(self, seat: int, name: str) -> None:
        """The player of a seat goes by another name."""
        sessions = list(self._sessions.items())
        self._sessions = {key: replace(one, name=name) if one.person.seat == seat else one for key, one in sessions}
        self._on_change()

    @property
    def sessions(self) -> str:
        """The open sessions and the newcomers, as JSON."""
        still_open = {key: one for key, one in list(self._sessions.items()) if self._is_open(one)}
        ages = {key: self._clock() - one.began for key, one in still_open.items()}
        kept = _Sessions(self.confirms, still_open, dict(self._newcomers), self._wall(), ages)
        return _SESSIONS.dump_json(kept).decode()

    def take_sessions(self, sessions: str) -> None:
        """Take over sessions and newcomers of another process, which may have ended before this machine was started.
        Raises BadMessage if they are damaged."""
        taken = _taken(sessions, _SESSIONS)
        then = self._clock() - off_s(taken.written, self._wall())
        self.confirms, self._newcomers = taken.confirms, taken.newcomers
        self._sessions = {
            key: replace(one, began=then - max(taken.ages.get(key, 0.0), 0.0)) for key, one in taken.sessions.items()
        }

    def set_confirms(self, confirms: bool) -> None:
        """True if newcomers with a QR code wait until an admin lets them in."""
        self.confirms = confirms
        self._on_change()

    def keep_sessions(self) -> None:
        """Write the open sessions into their file, if there is one. Raises CannotWrite."""
        if self._file is not None:
            put(self._file, self.sessions.encode(), 0o600)

    def take_codes(self, codes: str) -> None:
        """Store the codes of another process, and take them over.

        Raises:
            BadMessage: they are damaged.
            CannotWrite: they cannot be stored; the previous ones stay valid.
        """
        parsed = _taken(codes, _CODES)
        self._store(parsed)
        self._codes = parsed

    def invite(self, person: Person) -> str:
        """Return a code with which `log_in` opens one session of ``person``; all codes and sessions stay valid."""
        token = new_token()
        self.open(token, person)
        return token

    def log_in(self, code: str) -> str | None:
        """Open a session with a login code, or one of `invite`; returns the session's token, ``None`` for an unknown
        code."""
        if (invited := self.session(code.strip())) is not None:
            self.log_out(code.strip())
            token = new_token()
            self.open(token, invited.person, invited.name)
            return token
        code = code.strip().lower().replace("-", "").replace(" ", "")[:_MAX_INPUT_LENGTH]
        for hashed, person in self._codes.items():
            try:
                self._hasher.verify(hashed, code)
            except (Argon2Error, InvalidHashError):
                continue
            token = new_token()
            self.open(token, person)
            return token
        return None

    def open(self, token: str, person: Person, name: str = "") -> None:
        """Open a session with this token, or make it that of another person."""
        self._open(_key(token), person, name)

    def _open(self, key: str, person: Person, name: str) -> None:
        self._sessions.pop(key, None)
        self._newcomers.pop(key, None)
        of_person = [key for key, one in list(self._sessions.items()) if one.person == person]
        for oldest in of_person[: 1 - _MAX_SESSIONS]:
            self._sessions.pop(oldest, None)
        self._sessions[key] = Session(person, self._clock(), name)
        self._on_change()

    def session(self, token: str | None) -> Session | None:
        """The session with this token, if it is open."""
        session = self._sessions.get(_key(token or ""))
        return session if session is not None and self._is_open(session) else None

    def _is_open(self, session: Session) -> bool:
        return self._clock() - session.began < SESSION_S

    def person(self, token: str | None) -> Person:
        """The person of a session; ``everybody`` for an unknown token, and for a player who is away."""
        session = self.session(token)
        return self._everybody if session is None or session.has_left else session.person

    @property
    def players(self) -> dict[int, str]:
        """The seats whose players are there, each with the name that the player typed."""
        there = dict[int, str]()
        for one in list(self._sessions.values()):
            if one.person.seat is not None and not one.has_left and self._is_open(one):
                there[one.person.seat] = one.name or there.get(one.person.seat, "")
        return there

    @property
    def newcomers(self) -> tuple[Newcomer, ...]:
        """Persons who wait until an admin decides, in the order of their coming."""
        return tuple(self._newcomers.values())

    def newcomer(self, token: str | None) -> Newcomer | None:
        """Return the person who waits with this token, if any."""
        return self._newcomers.get(_key(token or ""))

    def wait(self, token: str, newcomer: Newcomer) -> None:
        """Somebody waits with this token; what the same phone asked for before no longer counts."""
        self._newcomers[_key(token)] = newcomer
        self._on_change()

    def decide(self, number: int, *, lets_in: bool) -> Newcomer | None:
        """Let a newcomer sit down, or not. Returns that one; None if nobody waits under this number."""
        for key, one in list(self._newcomers.items()):
            if one.number == number:
                if lets_in:
                    self._open(key, Person("player", one.seat), one.name)
                else:
                    self._newcomers.pop(key)
                    self._on_change()
                return one
        return None

    def set_away(self, token: str | None, *, has_left: bool) -> None:
        """The player of a session leaves the seat, or comes back."""
        if (session := self.session(token)) is not None and session.person.role == "player":
            self._sessions[_key(token or "")] = replace(session, has_left=has_left)
            self._on_change()

    def log_out(self, token: str | None) -> None:
        """Close a session."""
        if self._sessions.pop(_key(token or ""), None) is not None:
            self._on_change()

    def close(self, person: Person) -> None:
        """Close all sessions of a person."""
        for key in [key for key, one in list(self._sessions.items()) if one.person == person]:
            self._sessions.pop(key, None)
        self._on_change()


def new_token() -> str:
    """A random token of a session."""
    return secrets.token_urlsafe(32)


def _key(token: str) -> str:
    """Return the stored form of a token."""
    return sha256(token.encode()).hexdigest()


def _to_json(people: Mapping[str, Person]) -> str:
    return _CODES.dump_json(dict(people)).decode()


def _taken(text: str, kind: TypeAdapter[T]) -> T:
    try:
        return kind.validate_json(text)
    except ValueError as err:
        raise BadMessage from err


def _read(file: Path) -> dict[str, Person]:
    try:
        return _CODES.validate_json(file.read_bytes())
    except (OSError, ValueError) as err:
        wrong = _("{file}: not a list of codes: remove it, and the next start makes a new admin code", file=file)
        raise BadConfig(wrong) from err
