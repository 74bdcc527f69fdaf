"""The people who play: each is one person over games, score sheets and tables, by whatever names.

Their file lies beside the journal, and is the owner's. A name comes into it when somebody has played under it; the
owner gives a person another name or a sign, says that two names are one person's, and forgets a person. Logs and score
sheets stay as they were signed: names are looked up when figures are made. Of who was forgotten only keyed hashes are
kept, so that the name does not come again from the old games.
"""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from itertools import count
from pathlib import Path
from typing import Any, Final

from croupier.errors import BadLog, BadName, CannotWrite
from croupier.files import put, unwritten
from croupier.game_views.signs import Mark, is_mark, marks_of
from croupier.i18n import _
from croupier.names import MOST_CHARACTERS, name_key, player_name, seat_names
from croupier_rules.referee.header import MOST_SEATS

_log: Final = logging.getLogger(__name__)

FORM: Final = 2
"""The form of the file that this program writes; form 1 did not name it. All forms up to this one are read."""

MOST_PEOPLE: Final = 1000
_MOST_NAMES: Final = 20
"""Names of one person."""
_MOST_BYTES: Final = 1 << 20
_UNNAMED: Final = seat_names(MOST_SEATS)


class NewerForm(ValueError):
    """A file was written by a newer version of the program."""


@dataclass(frozen=True, slots=True)
class PlayerRecord:
    """A person. ``id``: given once, in the order in which people came; ``also``: other names of the same person;
    ``mark``: the color and the shape that were chosen for the sign; None: they are found by themselves."""

    id: int
    name: str
    also: tuple[str, ...] = ()
    mark: Mark | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """All names, the one that is shown first."""
        return self.name, *self.also


@dataclass(frozen=True)
class People:
    """The people of a table. Each change makes new ones. ``next_id``: of the next person; ``forgotten``: hashes of
    the names of those who were forgotten, keyed by the ``salt``."""

    known: tuple[PlayerRecord, ...] = ()
    next_id: int = 1
    forgotten: frozenset[str] = frozenset()
    salt: str = ""

    @classmethod
    def parse(cls, content: bytes) -> People:
        """The people of a file. Raises ValueError: it is damaged; `NewerForm`."""
        if len(content) > _MOST_BYTES:
            raise ValueError("too large")
        try:
            fields = json.loads(content)
            if isinstance(form := fields.get("form", 1), int) and form > FORM:
                raise NewerForm(f"form {form}: expected up to {FORM}; use the version of croupier that wrote it")
            known = tuple(PlayerRecord(int(one["id"]), *_names(one["names"]), _mark(one)) for one in fields["people"])
            forgotten = frozenset(map(str, fields["forgotten"]))
            found = cls(known, int(fields["next"]), forgotten, str(fields["salt"]))
        except (AttributeError, KeyError, RecursionError, TypeError) as err:
            raise ValueError("not a list of people") from err
        ids = {one.id for one in known}
        if len(ids) < len(known) or len(found._by_key) < sum(len(one.names) for one in known):
            raise ValueError("somebody stands twice")
        if len(known) > MOST_PEOPLE or max(ids, default=0) >= found.next_id:
            raise ValueError("too many, or a number that was not given yet")
        return found

    @property
    def content(self) -> bytes:
        """The file."""
        people = [
            {"id": one.id, "names": one.names} | ({} if one.mark is None else {"sign": list(one.mark)})
            for one in self.known
        ]
        fields = {
            "form": FORM,
            "people": people,
            "next": self.next_id,
            "forgotten": sorted(self.forgotten),
            "salt": self.salt,
        }
        return json.dumps(fields, ensure_ascii=False, indent=1).encode() + b"\n"

    @cached_property
    def _by_key(self) -> Mapping[str, PlayerRecord]:
        return {name_key(name): one for one in self.known for name in one.names}

    @cached_property
    def marks(self) -> Mapping[str, Mark]:
        """The marks of all people by the `name_key` of each name."""
        return marks_of((one.names, one.mark) for one in self.known)

    def find(self, name: str) -> PlayerRecord | None:
        """The person of a name."""
        return self._by_key.get(name_key(name))

    def spelled(self, name: str) -> str | None:
        """The name under which the person of a name is shown; None for a stranger."""
        one = self.find(name)
        return None if one is None else one.name

    @property
    def offered(self) -> list[str]:
        """The names that are offered where names are typed, who came last first. A seat without a name is nobody."""
        return [one.name for one in reversed(self.known) if one.name not in _UNNAMED]

    def is_forgotten(self, name: str) -> bool:
        """True for a name of somebody who was forgotten."""
        return bool(self.forgotten) and self._hash(name) in self.forgotten

    def _hash(self, name: str) -> str:
        return blake2b(name_key(name).encode(), key=self.salt.encode(), digest_size=16).hexdigest()

    def strangers(self, names: Iterable[str]) -> list[str]:
        """Those names that are nobody's yet, each once, as `player_name` has them; without what is no name any more,
        and without whom the table has forgotten."""
        found: dict[str, str] = {}
        for name in names:
            try:
                found.setdefault(name_key(name), player_name(name))
            except BadName:
                continue
        return [name for key, name in found.items() if key not in self._by_key and not self.is_forgotten(name)]

    def with_names(self, names: Iterable[str]) -> People:
        """Take in who is not known yet, as long as there is room."""
        new = self.strangers(names)[: MOST_PEOPLE - len(self.known)]
        added = (PlayerRecord(id_, name) for id_, name in enumerate(new, self.next_id))
        return replace(self, known=(*self.known, *added), next_id=self.next_id + len(new))

    def renamed(self, old: str, new: str) -> People:
        """Give the person ``old`` the name ``new``. Where it is somebody's already, the two are one person: the one who
        came first.

        Raises:
            BadName: ``new`` is no name, or there is nobody of the name ``old``.
        """
        shown, one = player_name(new), self._require(old)
        other = self.find(shown) or one
        first = min(one, other, key=lambda person: person.id)
        names = dict.fromkeys((shown, *other.names, *one.names))
        also = [name for name in names if name_key(name) != name_key(shown)]
        if len(also) >= _MOST_NAMES:
            raise BadName(_("{name}: too many names of one person", name=shown))
        merged = replace(first, name=shown, also=tuple(also), mark=first.mark or other.mark or one.mark)
        rest = [merged if person is first else person for person in self.known]
        return replace(self, known=tuple(person for person in rest if person not in (one, other)))

    def marked(self, name: str, mark: Mark | None) -> People:
        """Give a person a color and a shape; None: one that is found by itself. Raises BadName: there is nobody of this
        name."""
        one = self._require(name)
        known = tuple(replace(one, mark=mark) if person is one else person for person in self.known)
        return replace(self, known=known)

    def without(self, name: str) -> People:
        """Forget a person, with all names, also one who is not known. Raises BadName: it is no name."""
        gone = self.find(name) or PlayerRecord(0, player_name(name))
        salted = replace(self, salt=self.salt or secrets.token_hex(16))
        forgotten = self.forgotten | {salted._hash(one) for one in gone.names}
        return replace(salted, known=tuple(one for one in self.known if one is not gone), forgotten=forgotten)

    def restored(self, name: str) -> People:
        """Remember a name again."""
        return replace(self, forgotten=self.forgotten - {self._hash(name)}) if self.forgotten else self

    def _require(self, name: str) -> PlayerRecord:
        if (one := self.find(name)) is None:
            raise BadName(_("{name} is not known here.", name=name))
        return one


def _mark(fields: Any) -> Mark | None:
    match fields.get("sign"):
        case None:
            return None
        case [str(color), str(shape)] if is_mark(color, shape):
            return Mark(color, shape)
        case _:
            raise ValueError("not a sign")


def known_names(journal: Path) -> list[str]:
    """The people who have played, who came last first; nobody where their file is damaged."""
    try:
        return PeopleFile(journal).people().offered
    except BadLog:
        return []


def _names(names: Any) -> tuple[str, tuple[str, ...]]:
    if not isinstance(names, list) or not names or len(names) > _MOST_NAMES:
        raise ValueError("not a list of names")
    if not all(isinstance(one, str) and 0 < len(one) <= MOST_CHARACTERS for one in names):
        raise ValueError("not a list of names")
    return names[0], tuple(names[1:])


class PeopleFile:
    """The file of the people beside the ``journal``. ``store``: keeps a change of it, by default in the file."""

    def __init__(self, journal: Path, store: Callable[[str], None] | None = None) -> None:
        self._file, self._store = journal.with_name(f"{journal.name}-people"), store or self.apply
        self._read: tuple[tuple[int, ...], People] | None = None

    def people(self) -> People:
        """The people.

        Raises:
            BadLog: the file cannot be read, or is damaged.
        """
        try:
            stat = self._file.stat()
            stamp = (stat.st_ino, stat.st_mtime_ns, stat.st_size)
            if self._read is None or self._read[0] != stamp:
                self._read = stamp, People.parse(self._file.read_bytes())
        except FileNotFoundError:
            return People()
        except (OSError, ValueError) as err:
            why = err.strerror if isinstance(err, OSError) else str(err)
            raise BadLog(_("{file}: cannot be read: {why}", file=self._file, why=why)) from err
        return self._read[1]

    def add(self, names: Iterable[str]) -> None:
        """Take in who has played. Raises CannotWrite, BadLog."""
        if new := self.people().strangers(names):
            self._store(json.dumps(["add", *new]))

    def rename(self, old: str, new: str) -> None:
        """As `People.renamed`. Raises BadName, CannotWrite, BadLog."""
        self.people().with_names([old]).renamed(old, new)
        self._store(json.dumps(["rename", old, new]))

    def mark(self, name: str, mark: Mark | None) -> None:
        """As `People.marked`, also of people who have played. Raises BadName, CannotWrite, BadLog."""
        self.people().with_names([name]).marked(name, mark)
        self._store(json.dumps(["mark", name, *(mark or ())]))

    def forget(self, name: str) -> None:
        """As `People.without`. Raises BadName, CannotWrite, BadLog."""
        self.people().without(name)
        self._store(json.dumps(["forget", name]))

    def restore(self, name: str) -> None:
        """As `People.restored`. Raises CannotWrite, BadLog."""
        if self.people().is_forgotten(name):
            self._store(json.dumps(["restore", name]))

    def apply(self, change: str) -> None:
        """Make a change in the file; a damaged one is kept aside first, and said in the log. One of a newer program
        stays as it is.

        Raises:
            BadName: it is not possible. CannotWrite: it cannot be kept. ValueError: it is no change.
        """
        try:
            now = self.people()
        except BadLog as err:
            if isinstance(err.__cause__, NewerForm):
                raise CannotWrite(str(err)) from err
            _log.warning("%s %s", err, _("It is kept as {file}.", file=self._set_aside()))
            now = People()
        match json.loads(change):
            case ["add", *names] if all(isinstance(name, str) for name in names):
                new = now.with_names(map(str, names))
            case ["rename", str(old), str(name)]:
                new = now.with_names([old]).renamed(old, name)
            case ["mark", str(name)]:
                new = now.with_names([name]).marked(name, None)
            case ["mark", str(name), str(color), str(shape)] if is_mark(color, shape):
                new = now.with_names([name]).marked(name, Mark(color, shape))
            case ["forget", str(name)]:
                new = now.without(name)
            case ["restore", str(name)]:
                new = now.restored(name)
            case _:
                raise ValueError(change)
        put(self._file, new.content, 0o640)  # the page is in the group

    def _set_aside(self) -> Path:
        """Keep the damaged file under another name. Raises CannotWrite."""
        names = (self._file.with_name(f"{self._file.name}-damaged-{n}") for n in count(1))
        aside = next(name for name in names if not name.exists())
        try:
            return self._file.rename(aside)
        except OSError as err:
            raise unwritten(aside, err) from err
