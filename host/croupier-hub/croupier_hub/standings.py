"""Lines of the director and the tables from which standings come (`croupier_hub.fold`), without a clock.

The director writes::

    {"enroll": KEY, "table": 1, "from_round": 1}
    {"plan": 1, "round": 1, "tables": {"1": ["Ann", "Ben"]}}
    {"timer": 1, "ends": 1790000000}
    {"end": 1, "lines": {KEY: 12}}
    {"player": "Ann", "state": "here", "round": 0}
    {"penalty": 20, "player": "Ann", "round": 1, "why": "late"}
    {"answer": KEY, "line": 7, "settled": false}
    {"invite": "referee", "name": "1", "until": 1790000000}
    {"revoke": "referee", "name": "1", "until": 1790000000}
    {"clock": 1790000000, "to": 1798000000}

The first makes KEY the table from that round on; a table that is replaced gets another key. A plan with a higher
number replaces the one of its round. The last timer of a round says when its time is up, for people alone; nothing
counts by it. The end of a round says how many lines of each table's log belong to it. Of a player's states, and of a
player's penalties for a round, the last counts; a penalty of 0 is none. A ticket (`croupier_hub.tickets`) that expires
no later than ``until`` of its role and name is revoked. The last line says that the director's clock jumped, so that
what was said before lasts as long as it was meant to. A table
writes its results, corrections that name a line of its own log, calls for the director, which are answered by their
line, and the address of its page; all else in it is the game's::

    {"result": {"round": 1, "table": 1, "plan": 1, "seats": ["Ann", "Ben"], "points": [30, 0], "game": HASH}}
    {"result": {…}, "corrects": 7}
    {"call": "director", "player": "Ben"}
    {"page": "http://table-1.local:8000"}
    {"chain": "journal", "game": HASH, "lost": 0}

The last of them begins the present form of the log (`croupier_hub.signed_log`), or tells that lines of games are lost.
``game`` is the hash of the game's line that last changed the points, of which the receipt is the begin.

What does not count is quarantined with the reason. The same lines give the same bytes on every hub.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from croupier.errors import one_line
from croupier.journal.receipt import code_of
from croupier.names import MOST_CHARACTERS

Number = Annotated[int, Field(ge=0, le=1_000_000)]
Key = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Points = Annotated[int, Field(ge=-1_000_000, le=1_000_000)]
Seats = Annotated[list[str], Field(min_length=2, max_length=10)]
LineNumber = Annotated[int, Field(ge=0, le=1 << 30)]
Why = Annotated[str, StringConstraints(max_length=200)]
State = Literal["expected", "here", "withdrawn"]
"""Of a player: registered, checked in, gone for good."""


@dataclass(frozen=True, slots=True)
class Log:
    """The accepted lines of a log; ``fork``: the first of which there is another one, from which on none counts."""

    lines: tuple[str, ...] = ()
    fork: int | None = None


class _Line(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)


class Enroll(_Line):
    """``enroll`` is the key of ``table`` from a round on."""

    enroll: Key
    table: Number
    from_round: Number


class RoundPlan(_Line):
    """Seating of a round; ``plan``: its version."""

    plan: Number
    round: Number
    tables: dict[Annotated[str, StringConstraints(pattern=r"^(0|[1-9][0-9]{0,6})$")], Seats]


class Timer(_Line):
    """When the time of a round is up: ``ends``, in seconds since 1970."""

    timer: Number
    ends: Annotated[int, Field(ge=0, le=1 << 40)]


class End(_Line):
    """The end of a round; ``lines``: of each table's log that belong to it."""

    end: Number
    lines: dict[Key, Number]


class Attendance(_Line):
    """A player has another state. ``round``: the one that was played then, 0 before the first."""

    player: Annotated[str, StringConstraints(min_length=1, max_length=MOST_CHARACTERS)]
    state: State
    round: Number


class Penalty(_Line):
    """Points that a player loses for a round."""

    penalty: Number
    player: str
    round: Number
    why: Why


class Answer(_Line):
    """The director comes to the table that called in ``line`` of the log ``answer``, or has ``settled`` it."""

    answer: Key
    line: LineNumber
    settled: bool


HelperRole = Literal["referee", "admin", "director"]
Role = Literal["player", "referee", "admin", "director"]
Name = Annotated[str, StringConstraints(max_length=MOST_CHARACTERS)]
Until = Annotated[int, Field(ge=0, le=1 << 40)]


class Invite(_Line):
    """A helper has a ticket: its role, its ``name`` (a number), when it expires in seconds since 1970."""

    invite: HelperRole
    name: Name
    until: Until


class Revoke(_Line):
    """The tickets of this role and name that expire at ``until`` or before are not good any more."""

    revoke: Role
    name: Name
    until: Until


class ClockJump(_Line):
    """The director's clock showed ``clock`` and then, at the same moment, ``to``; in seconds since 1970."""

    clock: Until
    to: Until


class Result(_Line):
    """The points of a table in a round, by seat."""

    round: Number
    table: Number
    plan: Number
    seats: Seats
    points: list[Points]
    game: Key | None = None

    @property
    def receipt(self) -> str | None:
        """The code on the score sheet of the game."""
        return receipt_code(self.game)


class TableLine(_Line):
    """A result of a table; ``corrects``: the line in whose place it stands."""

    result: Result
    corrects: Number | None = None


class Call(_Line):
    """A table calls for the director; ``player``: who called, "" for a referee."""

    call: Literal["director"]
    player: Annotated[str, StringConstraints(max_length=MOST_CHARACTERS), AfterValidator(one_line)] = ""


class PageAddress(_Line):
    """Address of the table's page."""

    page: Annotated[str, StringConstraints(pattern=r"^https?://[^\s\"<>]{1,200}$")]


class Chain(_Line):
    """From here on, the leaves of a game's lines are their hashes in the journal. ``game``: the hash of the last line
    of the game that goes on, "" if there is none; ``lost``: lines of games that the log lacks here."""

    chain: Literal["journal"]
    game: Key | Literal[""] = ""
    lost: Number = 0


@dataclass(slots=True)
class Directed:
    """Lines of the director so far."""

    keys: dict[int, dict[int, str]] = field(default_factory=dict)
    """By table, by first round."""
    plans: dict[int, RoundPlan] = field(default_factory=dict)
    ends: dict[int, End] = field(default_factory=dict)
    timers: dict[int, Timer] = field(default_factory=dict)
    players: dict[str, list[Attendance]] = field(default_factory=dict)
    """By name, in the order of registration: all states that the player had."""
    penalties: dict[tuple[int, str], Penalty] = field(default_factory=dict)
    """By round and player."""
    answers: dict[tuple[str, int], Answer] = field(default_factory=dict)
    """By log and line of the call."""
    invited: dict[tuple[str, str], int] = field(default_factory=dict)
    revoked: dict[tuple[str, str], int] = field(default_factory=dict)
    """By role and name, until when tickets were made, and up to which they are revoked."""
    jumps: list[ClockJump] = field(default_factory=list)

    def expires(self, until: int, lifetime_s: int) -> int:
        """When something expires that was made to be good for ``lifetime_s`` until ``until``, by the clock as it was
        then, which has gone forward since: in seconds since 1970 by the clock of now."""
        for jump in self.jumps:
            if until <= jump.clock + lifetime_s:  # it was made before
                until += max(0, jump.to - jump.clock)
        return until

    def is_revoked(self, role: str, name: str, until: int) -> bool:
        """True if the ticket of this role and name that expires then is not good any more."""
        return until <= self.revoked.get((role, name), -1)

    @property
    def round(self) -> int:
        """The round that is played: the first that has not ended, else the last; 0 before any is published."""
        return min(self.plans.keys() - self.ends.keys(), default=max(self.plans, default=0))

    @property
    def names(self) -> list[str]:
        """All players, registered or seated, by alphabet."""
        seated = {name for plan in self.plans.values() for seats in plan.tables.values() for name in seats}
        return sorted(seated | self.players.keys(), key=str.casefold)

    def state(self, player: str) -> State | None:
        """True if a player is here; None for one who was never registered."""
        return self.players[player][-1].state if player in self.players else None

    def count(self, state: State) -> int:
        """The number of players in this state."""
        return sum(states[-1].state == state for states in self.players.values())

    def since(self, player: str) -> int:
        """The round in which a player came late or left; 0 for one who came before the second and is there."""
        states = self.players.get(player, [])
        if states and states[-1].state == "withdrawn":
            return states[-1].round
        came = next((one.round for one in states if one.state == "here"), 0)
        return came if came > 1 else 0

    def key(self, table: int, round_: int) -> str | None:
        """The key that speaks for a table in a round."""
        first = max((one for one in self.keys.get(table, ()) if one <= round_), default=None)
        return None if first is None else self.keys[table][first]

    def tables(self, key: str, round_: int) -> list[int]:
        """The tables for which ``key`` speaks in a round."""
        return [table for table in self.keys if self.key(table, round_) == key]


DirectorLine = Enroll | RoundPlan | Timer | End | Attendance | Penalty | Answer | Invite | Revoke | ClockJump
TableMessage = TableLine | Call | PageAddress | Chain
"""What a table writes beside the lines of its games."""
_DIRECTOR: Final[tuple[type[_Line], ...]] = get_args(DirectorLine)
_TABLE: Final[tuple[type[_Line], ...]] = get_args(TableMessage)
_WORDS: Final = ('"result"', '"call"', '"page"', '"chain"')
"""Of which each line of a table has one that is no line of the game."""

_GAME: Final = re.compile('"game": ?"([0-9a-f]{15})[0-9a-f]{49}"')
"""A receipt, the first 60 bits of the hash."""
_DIGITS: Final = str.maketrans("ABCDEFGHJKMNPQRSTVWXYZ", "abcdefghijklmnopqrstuv")
"""From the digits of Crockford's base 32 to those of Python's."""


def directed_by(lines: Iterable[DirectorLine]) -> Directed:
    """Valid content of the director's log: the first end of a round, and the highest plan before it."""
    directed = Directed()
    for line in lines:
        match line:
            case Enroll(enroll=key, table=table, from_round=first):
                directed.keys.setdefault(table, {})[first] = key
            case RoundPlan(plan=version, round=number) as plan if number not in directed.ends:
                known = directed.plans.get(number)
                if known is None or known.plan < version:
                    directed.plans[number] = plan
            case Timer(timer=number) as timer:
                directed.timers[number] = timer
            case End(end=number) as end:
                directed.ends.setdefault(number, end)
            case Attendance(player=player) as attendance:
                directed.players.setdefault(player, []).append(attendance)
            case Penalty(player=player, round=number) as penalty:
                directed.penalties[number, player] = penalty
            case Answer(answer=key, line=n) as answer:
                directed.answers[key, n] = answer
            case Invite(invite=role, name=name, until=until):
                directed.invited[role, name] = until
            case Revoke(revoke=role, name=name, until=until):
                directed.revoked[role, name] = until
            case ClockJump(clock=before, to=after) as jump:
                directed.jumps.append(jump)
                directed.timers = {
                    number: timer.model_copy(update={"ends": max(0, timer.ends + after - before)})
                    for number, timer in directed.timers.items()
                }
            case _:
                pass
    return directed


def directed(lines: Iterable[str]) -> Directed:
    """Return the content of these lines of the director."""
    return directed_by(line for text in lines if (line := director_line(text)) is not None)


def director_line(text: str) -> DirectorLine | None:
    """The line of a director; None if it is none."""
    line: DirectorLine | None = _read(text, _DIRECTOR)
    return line


def table_line(text: str) -> TableMessage | None:
    """The line of a table; None for any other one, as those of games, which most are."""
    line: TableMessage | None = _read(text, _TABLE) if any(word in text for word in _WORDS) else None
    return line


def enrolled(lines: Iterable[str]) -> list[str]:
    """The keys that lines of the director enroll."""
    return [line.enroll for text in lines if isinstance(line := director_line(text), Enroll)]


def receipt_code(game: str | None) -> str | None:
    """The code on the score sheet of a game that has this hash; None for no game."""
    return None if game is None else code_of(bytes.fromhex(game))


def receipt_number(code: str) -> int:
    """The number of a receipt, by which it is looked up: its 60 bits."""
    return int(code.replace("-", "").translate(_DIGITS), 32)


def receipt_in(text: str) -> int | None:
    """The number of the receipt in a line that may be a result; None if there is none."""
    found = _GAME.search(text) if '"result"' in text else None
    return None if found is None else int(found[1], 16)


def _read(text: str, forms: Iterable[type[_Line]]) -> Any:
    """The line in the first form that fits; None if none does."""
    for form in forms:
        try:
            return form.model_validate_json(text)
        except ValidationError:
            continue
    return None
