"""Verdicts: the rulings on one observation and what they changed in the position, as fields of a line of the table log.

The table judges an observation once and writes its verdict into the line of the observation. `VerdictReader` reads a
verdict back, so that nobody referees the game again. A verdict is never changed: a correction is a line of its own, and
what it repeats is judged again on lines of their own.

``rulings``: as `Ruling.to_json` writes them, each with the ``part`` of its rule where that is not the whole.
``changed``: the fields of the position that are not as after the line before. `HIDDEN_FIELDS` are never among them:
faces of hidden hands are no part of a verdict. A field that a position has only at times is ``null`` where it has
ended.
``to_show``: the seats whose hands must be shown before the points are counted, where there are some.

    line = {**to_json(observation), **verdict_to_json(rulings, before, after, to_show)}
    verdict = VerdictReader(header).read(line, before)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields
from functools import partial
from typing import Any, Final, NamedTuple, cast

from croupier_rules.errors import BadLog
from croupier_rules.referee import checks, rulings
from croupier_rules.referee.fields import PositionFields, RulingFields, VerdictFields
from croupier_rules.referee.header import Header
from croupier_rules.referee.position import HIDDEN_FIELDS, OPTIONAL_FIELDS
from croupier_rules.referee.rulings import Ruling, Rulings
from croupier_rules.referee.transitions import DIRECTIONS, PHASES
from croupier_rules.rules.ruleset import WHOLE, RuleSet

RULINGS: Final = "rulings"
CHANGED: Final = "changed"
TO_SHOW: Final = "to_show"
VERDICT: Final = (RULINGS, CHANGED, TO_SHOW)
"""The names of the fields of a line."""

_CACHED: Final = 10_000
"""Different rulings of one game that are kept: far more than a long game has."""

_RULINGS: Final[Mapping[str, type[Ruling]]] = {
    cls.name: cls
    for cls in vars(rulings).values()
    if isinstance(cls, type) and issubclass(cls, Ruling) and cls != Ruling
}


class Verdict(NamedTuple):
    """The ``rulings`` on an observation, the ``position`` after it, and the seats whose hands are ``to_show``."""

    rulings: Rulings
    position: PositionFields
    to_show: tuple[int, ...] = ()


def verdict_to_json(
    ruled: Rulings, before: PositionFields, after: PositionFields, to_show: Sequence[int] = ()
) -> VerdictFields:
    """The fields that a verdict adds to its line; ``before``, ``after``: the positions around the observation."""
    changed = {
        name: value for name, value in after.items() if name not in HIDDEN_FIELDS and before.get(name, _ABSENT) != value
    }
    may_end = [name for name in OPTIONAL_FIELDS if name not in HIDDEN_FIELDS]
    ended = {name: None for name in may_end if name in before and name not in after}
    line: VerdictFields = {"rulings": [_to_json(ruling) for ruling in ruled], "changed": changed | ended}
    if to_show:
        line["to_show"] = list(to_show)
    return line


_ABSENT: Final = object()


def _to_json(ruling: Ruling) -> RulingFields:
    line = ruling.to_json()
    if ruling.basis.part != WHOLE:
        line["part"] = ruling.basis.part
    return line


class VerdictReader:
    """Reads the verdicts of a game's lines."""

    def __init__(self, header: Header) -> None:
        seats = len(header.seats)
        self._rules, self._seats = header.ruleset, seats
        self._changes = _position_checks(seats, len(header.teams) or seats)
        self._known: dict[str, Rulings] = {}

    def read(self, line: Mapping[str, Any], before: PositionFields) -> Verdict | None:
        """The verdict of a line, its position without ``known``; None where the line has none.

        Raises:
            BadLog: a field of the verdict says what cannot be.
        """
        written = line.get(RULINGS)
        if written is None:
            return None
        # Most lines of a game have rulings that an earlier one had: each is made once.
        ruled = self._known.get(key := repr(written))
        if ruled is None:
            ruled = tuple(_ruling(one, self._rules, self._seats) for one in checks.array(written, RULINGS))
            if len(self._known) < _CACHED:
                self._known[key] = ruled
        changed = checks.mapping(line.get(CHANGED, {}), CHANGED)
        to_show: tuple[int, ...] = ()
        if TO_SHOW in line:
            to_show = tuple(checks.seat(one, TO_SHOW, self._seats) for one in checks.array(line[TO_SHOW], TO_SHOW))
        if not changed and before.keys().isdisjoint(HIDDEN_FIELDS):
            return Verdict(ruled, before, to_show)
        # What is hidden is that of an earlier moment, where one was judged.
        after: dict[str, Any] = {name: value for name, value in before.items() if name not in HIDDEN_FIELDS}
        for name, value in changed.items():
            if value is None and name in OPTIONAL_FIELDS:
                after.pop(name, None)
            elif name in self._changes:
                self._changes[name](value, f"{CHANGED}: {name}")
                after[name] = value
            else:
                raise BadLog(f"{CHANGED}: unknown field {checks.shorten(name)}")
        return Verdict(ruled, cast("PositionFields", after), to_show)


def _ruling(written: object, rules: RuleSet, seats: int) -> Ruling:
    data = checks.mapping(written, "ruling")
    name = checks.one_of(data.get("ruling"), _RULINGS, "ruling")
    kind, rule, part = _RULINGS[name], data.get("rule"), checks.text(data.get("part", WHOLE), f"{name}: part")
    try:
        basis = rules.cited(None if rule is None else checks.text(rule, f"{name}: rule"), part)
    except (KeyError, TypeError) as err:
        raise BadLog(f"{name}: rule {checks.shorten(rule)}: expected a rule of {rules.name}") from err
    values: dict[str, Any] = {}
    for item in fields(kind)[1:]:
        field, of = item.name.rstrip("_"), str(item.type)
        value, what = data.get(field), f"{name}: {field}"
        if value is not None:
            value = _VALUES[of.removesuffix(" | None")](value, what)
            if field in _SEATS and of.startswith(("int", "tuple")):
                for one in value if isinstance(value, tuple) else (value,):
                    checks.seat(one, what, seats)
        elif "None" not in of:
            raise BadLog(f"{what} is missing")
        values[item.name] = value
    return kind(basis, **values)


_SEATS: Final = ("seat", "seats", "by", "to", "from", "on", "team")
"""The fields of rulings that number seats, where they are numbers; there are never more teams than seats."""


def _whole(value: object, what: str) -> int:
    """A whole number, which may be negative: points may be taken away."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise BadLog(f"{what} {checks.shorten(value)}: expected a whole number")
    return value


def _wholes(value: object, what: str) -> tuple[int, ...]:
    return tuple(_whole(one, what) for one in checks.array(value, what))


_VALUES: Final[Mapping[str, Callable[[object, str], Any]]] = {
    "int": _whole,
    "str": checks.text,
    "bool": checks.truth,
    "tuple[int, ...]": _wholes,
}
"""By the type of a ruling's field."""


def _position_checks(seats: int, accounts: int) -> Mapping[str, Callable[[Any, str], Any]]:
    """By field of the position: the check of a value, at a table of so many ``seats``, where so many are counted."""
    seat = partial(checks.seat, seats=seats)
    seat_list, counts = partial(_each, seat), partial(_numbers, length=seats)
    return {
        "phase": partial(_word, (*PHASES, "paused")),
        "resumes": partial(_word, PHASES),
        "dealer": partial(_or_none, seat),
        "turn": partial(_or_none, seat),
        "direction": partial(_word, DIRECTIONS),
        "top": partial(_or_none, checks.card),
        "color": partial(_or_none, checks.color),
        "hands": counts,
        "draw_pile": checks.whole,
        "discard_pile": checks.whole,
        "owed": partial(_by_number, checks.whole),
        "called": seat_list,
        "catchable": seat_list,
        "house_rules": partial(_by_number, checks.text),
        "scores": partial(_numbers, length=accounts),
        "out": seat_list,
        "stack": checks.whole,
        "knocked_out": seat_list,
    }


def _word(words: Collection[str], value: object, what: str) -> None:
    checks.one_of(value, words, what)


def _or_none(check: Callable[[Any, str], Any], value: object, what: str) -> None:
    if value is not None:
        check(value, what)


def _each(check: Callable[[Any, str], Any], value: object, what: str) -> None:
    for one in checks.array(value, what):
        check(one, what)


def _numbers(value: object, what: str, length: int) -> None:
    for one in checks.array(value, what, length):
        _whole(one, what)


def _by_number(check: Callable[[Any, str], Any], value: object, what: str) -> None:
    for number, one in checks.mapping(value, what).items():
        if not number.isdecimal():
            raise BadLog(f"{what}: {checks.shorten(number)}: expected a number")
        check(one, what)
