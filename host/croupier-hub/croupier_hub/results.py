"""The form in which results leave a hub, for other programs: its JSON Schema, and the check of a file."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from rich.cells import cell_len, set_cell_size

from croupier.console import Printer
from croupier.errors import marked, one_line
from croupier.i18n import _
from croupier_extras.spreadsheets import to_csv
from croupier_hub.errors import BadResults
from croupier_hub.standings import Key, Number, Points, Seats


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class TableResult(_Part):
    """A table in a round; without points while its result is awaited."""

    table: Number
    seats: Seats
    points: Annotated[list[Points] | None, Field(description="By seat; null while the result is awaited.")]
    log: Annotated[Key | None, Field(description="The Ed25519 public key of the table that says so, in hex.")]
    line: Annotated[int | None, Field(ge=0, description="The line of its log, from 0.")]
    receipt: Annotated[str | None, Field(description="The code on the score sheet: GET /receipts/CODE.")] = None


class RoundResult(_Part):
    """A round of the tournament."""

    round: Number
    plan: Annotated[Number, Field(description="The version of the plan.")]
    ended: Annotated[bool, Field(description="The director has ended the round: nothing of it changes any more.")]
    tables: list[TableResult]


class Place(_Part):
    """A player in the standings."""

    place: Annotated[int, Field(ge=1, description="Players with the same points share the place.")]
    player: str
    points: int


class Penalty(_Part):
    """Points that a player has lost for a round."""

    round: Number
    player: str
    points: Annotated[int, Field(ge=1)]
    why: str


class Quarantined(_Part):
    """A result that does not count."""

    log: Key
    line: Annotated[int, Field(ge=0)]
    reason: Literal["key", "plan", "seats", "late", "second", "corrects"]


class Results(_Part):
    """The results of a tournament by Croupier, version 1."""

    results: Annotated[Literal["croupier-results/1"], Field(description="The form of this file.")]
    director: Key
    rounds: list[RoundResult]
    standings: Annotated[list[Place], Field(description="The best first.")]
    penalties: list[Penalty] = []
    ended: Annotated[list[Number], Field(description="The rounds that ended.")]
    missing: Annotated[dict[Key, Number], Field(description="Lines of a log that an ended round has, and the hub not.")]
    forks: Annotated[dict[Key, Number], Field(description="The first line of a log of which there is another one.")]
    lost: Annotated[dict[Key, Number], Field(description="Lines of games that a log lacks, lost with a journal.")] = {}
    quarantined: list[Quarantined]


FORKED: Final = marked("ALARM: {key} has written two different lines {n}; from there on nothing counts")

LOST: Final = marked(
    "{key}: {n} lines of its games are lost: the journal was replaced before the hub had them; its results count"
)

REASONS: Final = {
    "key": marked("does not count: the key is not that of this table"),
    "plan": marked("does not count: another version of the plan"),
    "seats": marked("does not count: other seats than in the plan"),
    "late": marked("does not count: the round had ended"),
    "second": marked("does not count: a second result"),
    "corrects": marked("does not count: it corrects a result that does not stand"),
}

STATES: Final = {
    **REASONS, "counts": marked("counts"), "corrected": marked("was corrected later"),
    "fork": marked("does not count: the log has two different lines there"),
}  # fmt: skip
"""Outcome of the result on a receipt."""

EXAMPLE: Final = {
    "results": "croupier-results/1", "director": "1f" * 32,
    "rounds": [{"round": 1, "plan": 1, "ended": False, "tables": [
        {"table": 1, "seats": ["Ann", "Ben"], "points": [30, 0], "log": "2e" * 32, "line": 211,
         "receipt": "7KQ2-M4XD-9TRA"},
        {"table": 2, "seats": ["Cat", "Dan"], "points": None, "log": None, "line": None,
         "receipt": None},
    ]}],
    "standings": [{"place": 1, "player": "Ann", "points": 30}, {"place": 2, "player": "Ben", "points": 0}],
    "penalties": [], "ended": [], "missing": {}, "forks": {}, "lost": {}, "quarantined": [],
}  # fmt: skip


def schema() -> dict[str, Any]:
    """The JSON Schema of `Results`, with an example."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return head | Results.model_json_schema() | {"examples": [EXAMPLE]}


def check(file: Path) -> Results:
    """Read a file of results.

    Raises:
        BadResults: the file cannot be read, has another form, or its standings are not the sum of its results.
    """
    try:
        results = Results.model_validate_json(file.read_bytes())
    except OSError as err:
        raise BadResults(f"{file}: {err.strerror}") from err
    except ValidationError as err:
        first = err.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "1"
        text = marked("{file}: not the results of a tournament: {where}: {why}; croupier tournament export --schema")
        raise BadResults(text, file=file, where=where, why=first["msg"]) from err
    totals: Counter[str] = Counter()
    for table in (table for one in results.rounds for table in one.tables if table.points is not None):
        for player, points in zip(table.seats, table.points or (), strict=False):
            totals[player] += points
    for penalty in results.penalties:
        totals[penalty.player] -= penalty.points
    for one in results.standings:
        if totals.pop(one.player, None) != one.points:
            raise BadResults(marked("{file}: the points of {player} are not the sum of the results"), file=file,
                             player=one.player)  # fmt: skip
    if totals:
        raise BadResults(marked("{file}: {player} is missing in the standings"), file=file, player=min(totals))
    return results


def points_text(points: int) -> str:
    """Points as people read them: with a minus that is as wide as a figure. Files for programs keep the hyphen."""
    return str(points).replace("-", "−")


def place_rows(results: dict[str, Any]) -> list[list[str]]:
    """The standings as place, player and points, below their titles; a place that several share is marked as such."""
    held = Counter(one["place"] for one in results["standings"])
    ties = {place: f"={place}" for place, n in held.items() if n > 1}
    places = (
        [ties.get(one["place"], str(one["place"])), one_line(one["player"]), points_text(one["points"])]
        for one in results["standings"]
    )
    return [[_("Place"), _("Player"), _("Points")], *places]


def standings_csv(results: dict[str, Any]) -> str:
    """The standings for a spreadsheet, which `croupier tournament plan --scores` reads."""
    rows = ((one["place"], one["player"], one["points"]) for one in results["standings"])
    return to_csv([_("Place"), _("Name"), _("Points")], rows)


def print_standings(results: dict[str, Any]) -> None:
    """Print the standings, and what the director should look after."""
    printer, rows = Printer(), place_rows(results)
    widths = [max(cell_len(row[column]) for row in rows) for column in range(3)]
    for n, (place, player, points) in enumerate(rows):
        text = f"{set_cell_size(place, widths[0])}  {set_cell_size(player, widths[1])}  {points:>{widths[2]}}"
        printer.print(text, style="" if n else "bold")
    for one in results["rounds"]:
        awaited = [str(table["table"]) for table in one["tables"] if table["points"] is None]
        if awaited and len(awaited) < len(one["tables"]) and not one["ended"]:
            printer.print(_("Round {n}: awaited from tables {tables}", n=one["round"], tables=", ".join(awaited)))
    for name, line in results["forks"].items():
        printer.print(_(FORKED, key=name, n=line), style="red")
    for name, lines in results["lost"].items():
        printer.print(_(LOST, key=name, n=lines), style="red")
    for one in results["quarantined"]:
        printer.print(f"{one['log']}, {one['line']}: {_(REASONS[one['reason']])}")
