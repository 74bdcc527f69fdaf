"""Files of a tournament: names of the players, their scores, and a plan as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from croupier.errors import BadName, marked, one_line
from croupier.names import TakenNames, find_name, name_key
from croupier_extras.spreadsheets import Sheet
from croupier_hub import FORMATS
from croupier_hub.errors import BadPlan
from croupier_hub.plan import LEAST_SEATS, MOST, MOST_SEATS, PAIRED, USUAL_SEATS, Plan, PlannedRound

_MOST_BYTES: Final = 20_000_000


def listed_names(sheet: Sheet) -> tuple[str, ...]:
    """The names of the players in a table.

    Raises:
        BadPlan: a name stands twice, looks like another, or cannot be one.
    """
    taken = TakenNames()
    names: list[str] = []
    lines: dict[str, int] = {}
    for number, cell in sheet.names():
        if (key := name_key(cell)) in lines:
            text = marked("{file}, line {line}: {name} stands in line {first} already; expected each player once")
            raise BadPlan(text, file=sheet.file, line=number, name=one_line(cell), first=lines[key])
        try:
            names.append(taken.add(cell))
        except BadName as err:
            text = marked("{file}, line {line}: {why}")
            raise BadPlan(text, file=sheet.file, line=number, why=str(err)) from err
        lines[key] = number
    return tuple(names)


def listed_scores(sheet: Sheet, plan: Plan) -> list[float]:
    """The total of each player of a plan in a table with names, or numbers of players, and points.

    Raises:
        BadPlan: a player has no score or two, or is not of the plan.
        BadSpreadsheet: points are no number.
    """
    players = plan.names or tuple(map(str, range(plan.players)))
    totals: dict[int, float] = {}
    for (number, name), points in zip(sheet.names(), sheet.points(), strict=True):
        if (player := find_name(name, players)) is None:
            text = marked("{file}, line {line}: {name} is no player of the plan")
            raise BadPlan(text, file=sheet.file, line=number, name=one_line(name))
        if player in totals:
            text = marked("{file}, line {line}: a second score of {name}; expected one of each player")
            raise BadPlan(text, file=sheet.file, line=number, name=one_line(name))
        totals[player] = points
    if missing := [name for player, name in enumerate(players) if player not in totals]:
        text = marked("{file}: no score of {names}; expected one of each player")
        raise BadPlan(text, file=sheet.file, names=one_line(", ".join(missing[:5])))
    return [totals[player] for player in range(plan.players)]


def read_plan(file: Path) -> Plan:
    """Return a plan that `croupier tournament plan --json` printed.

    Raises:
        BadPlan: the file cannot be read, or holds no such plan.
    """
    try:
        return _plan(json.loads(_text(file)))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as err:
        if isinstance(err, BadPlan):
            raise
        raise _not_a_plan(file) from err


def _not_a_plan(file: Path) -> BadPlan:
    text = marked("{file}: not a plan; expected what croupier tournament plan --json printed")
    return BadPlan(text, file=file)


def _plan(data: Any) -> Plan:
    """The plan of a JSON object. Raises `ValueError`, `TypeError` or `KeyError` if it is not a plan."""
    form, players, names = data["format"], data["players"], tuple(data.get("names", ()))
    rounds = tuple(
        PlannedRound(
            tuple(tuple(table["seats"]) for table in one["tables"]), tuple(one["byes"]), one.get("final", False) is True
        )
        for one in data["rounds"]
    )
    tables, length = data.get("tables"), data.get("length")
    seated = [[player for table in (*one.tables, one.byes) for player in table] for one in rounds]
    sizes = {len(table) for one in rounds for table in one.tables}
    is_right = (
        form in FORMATS
        and _is_number(players, LEAST_SEATS)
        and players <= MOST
        and all(_is_number(player, 0) and player < players for one in seated for player in one)
        and all(len(one) == len(set(one)) for one in seated)
        and sizes <= ({USUAL_SEATS} if form in PAIRED else set(range(LEAST_SEATS, MOST_SEATS + 1)))
        and len(names) in (0, players)
        and len(set(names)) == len(names)
        and all(isinstance(name, str) and name for name in names)
        and all(number is None or _is_number(number, 1) for number in (tables, length))
        and _is_number(data["seed"], 0)
    )
    if not is_right:
        raise ValueError
    return Plan(form, players, rounds, names, tables, data["seed"], length)


def _is_number(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _text(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            content = opened.read(_MOST_BYTES + 1)
    except OSError as err:
        raise BadPlan(marked("{file}: {why}"), file=file, why=err.strerror) from err
    try:
        if len(content) <= _MOST_BYTES:
            return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    text = marked("{file}: not UTF-8 text, or larger than {most} MB")
    raise BadPlan(text, file=file, most=_MOST_BYTES // 1_000_000)
