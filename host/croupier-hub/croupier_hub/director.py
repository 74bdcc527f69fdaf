"""Lines of the director: keys of tables, plans and ends of rounds, players, penalties, answers to calls. The same
again changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from croupier.clocks import CLOCK_JUMP_S
from croupier.errors import marked, one_line
from croupier.names import TakenNames, find_name, name_key
from croupier_hub.client import DirectorsLog, HubClient, Taker, deliver
from croupier_hub.errors import BadOutbox, BadPlan
from croupier_hub.outbox import Outbox
from croupier_hub.plan import Plan
from croupier_hub.standings import (
    Answer,
    Attendance,
    ClockJump,
    Directed,
    DirectorLine,
    End,
    Enroll,
    Invite,
    Penalty,
    Revoke,
    Role,
    RoundPlan,
    State,
    Timer,
    directed,
)
from croupier_hub.tickets import BADGE_S, HELPER_S, Ticket

Make = Callable[[Directed], Iterable[DirectorLine]]
"""Makes new lines of what the director wrote before."""


def write(client: HubClient, file: Path, make: Make) -> int:
    """Write durably what ``make`` makes of what the director wrote before, and send it. Returns the number of new
    lines.

    Raises:
        BadOutbox: there is no such file.
        HubUnavailable, HubRefuses: nothing was written, or it is sent with what is written next.
    """
    with open_outbox(file) as outbox:
        client.sign_in(outbox)
        DirectorsLog(outbox.log).update(client)
        return write_to(client, outbox, make)


def open_outbox(file: Path) -> Outbox:
    """The director's file. Raises BadOutbox if there is none."""
    if not file.exists():
        text = marked("{file}: no such file: expected the director’s, as croupier tournament hub makes it")
        raise BadOutbox(text, file=file)
    return Outbox(file)


def write_to(hub: Taker, outbox: Outbox, make: Make, press: str = "") -> int:
    """Write durably, as `write`, to a hub that has this director's tournament; once for each ``press`` of a form."""
    added = outbox.append(lambda lines: [line.model_dump_json() for line in make(directed(lines))], press)
    deliver(hub, outbox)
    return added


def enroll(known: Directed, key: str, table: int, from_round: int) -> Iterator[Enroll]:
    """Let ``key`` speak for a table from a round on."""
    if known.key(table, from_round) != key:
        yield Enroll(enroll=key, table=table, from_round=from_round)


def publish(known: Directed, plan: Plan, first: int = 1) -> Iterator[RoundPlan]:
    """Publish the rounds of a plan that are new or have other seats than before; its first one as round ``first``.

    Raises:
        BadPlan: a round that ended has other seats.
    """
    for number, one in enumerate(plan.rounds, start=first):
        tables = {str(at): [plan.name(player) for player in seats] for at, seats in enumerate(one.tables, start=1)}
        before = known.plans.get(number)
        if before is None or before.tables != tables:
            if number in known.ends:
                raise BadPlan(marked("round {n} has ended with other seats: its plan stays as it is"), n=number)
            yield RoundPlan(plan=before.plan + 1 if before is not None else 1, round=number, tables=tables)


def time_round(known: Directed, number: int, ends: int) -> Iterator[Timer]:
    """Say when the time of a round is up: ``ends``, in seconds since 1970.

    Raises:
        BadPlan: there is no such round, or it has ended.
    """
    if number not in known.plans or number in known.ends:
        raise BadPlan(marked("there is no round {n} that is still played"), n=number)
    if known.timers.get(number) != (timer := Timer(timer=number, ends=ends)):
        yield timer


def end(known: Directed, number: int, results: dict[str, Any], *, anyway: bool) -> Iterator[End]:
    """End a round with the ``results`` that a hub has of it: later ones do not count.

    Raises:
        BadPlan: there is no such round; or tables are awaited, and it is not to end ``anyway``.
    """
    tables = next((one["tables"] for one in results["rounds"] if one["round"] == number), None)
    if tables is None:
        raise BadPlan(marked("there is no round {n}: expected one that was published"), n=number)
    if number in known.ends:
        return
    awaited = [str(one["table"]) for one in tables if one["points"] is None]
    if awaited and not anyway:
        text = marked("round {n}: the results of these tables are awaited: {tables}; --anyway ends it without them")
        raise BadPlan(text, n=number, tables=", ".join(awaited))
    lines: dict[str, int] = {}
    for one in tables:
        if one["points"] is not None:
            lines[one["log"]] = max(lines.get(one["log"], 0), one["line"] + 1)
    yield End(end=number, lines=lines)


def attend(known: Directed, names: Iterable[str], state: State) -> Iterator[Attendance]:
    """Say that players are expected, here, or gone.

    Raises:
        BadName: a new player’s name cannot be taken, or looks like that of another player.
    """
    by_key, taken = {name_key(name): name for name in known.names}, TakenNames(known.names)
    for text in names:
        name = by_key.get(name_key(text)) or taken.add(text)
        before = known.players.get(name)
        if before is None or before[-1].state != state:
            yield Attendance(player=name, state=state, round=known.round)


def penalize(known: Directed, player: str, number: int, points: int, why: str) -> Iterator[Penalty]:
    """Take points from a player for a round, in place of what was taken for it before; 0 gives them back.

    Raises:
        BadPlan: there is no such round, or the player is not of the tournament.
    """
    if number not in known.plans:
        raise BadPlan(marked("there is no round {n}: expected one that was published"), n=number)
    player = _player(known, player)
    penalty = Penalty(penalty=points, player=player, round=number, why=why)
    if known.penalties.get((number, player), penalty.model_copy(update={"penalty": 0})) != penalty:
        yield penalty


def _player(known: Directed, name: str) -> str:
    """The name of a player as it is registered. Raises BadPlan if there is none."""
    names = known.names
    if (place := find_name(name, names)) is None:
        raise BadPlan(marked("{name} is no player of this tournament"), name=one_line(name))
    return names[place]


def answer(known: Directed, log: str, line: int, *, settled: bool) -> Iterator[Answer]:
    """Say that somebody comes to the table that has called in a line of its log, or that it is settled."""
    before = known.answers.get((log, line))
    if before is None or (settled and not before.settled):
        yield Answer(answer=log, line=line, settled=settled)


def report_jump(known: Directed, before: int, after: int) -> Iterator[ClockJump]:
    """Say that the clock of the director's hub jumped; each process of the hub notices it and says it once."""
    by = after - before
    if not any(abs(jump.to - jump.clock - by) < CLOCK_JUMP_S for jump in known.jumps[-1:]):
        yield ClockJump(clock=max(0, before), to=max(0, after))


def invite_helper(outbox: Outbox, role: str, now: float, press: str = "") -> tuple[Ticket, str]:
    """Write durably that somebody is to help, once for each ``press`` of a form; the ticket, with a number for a name,
    and its text."""
    made = list[Ticket]()

    def make(lines: list[str]) -> Iterator[str]:
        ticket = Ticket(role, str(len(directed(lines).invited) + 1), round(now) + HELPER_S)
        made.append(ticket)
        line = {"invite": role, "name": ticket.name, "until": ticket.until}
        yield Invite.model_validate(line).model_dump_json()

    if not outbox.append(make, press) and (line := outbox.line_of(press)) is not None:  # another process has done it
        ((who, until),) = directed(outbox.texts(line, line + 1)).invited.items()
        made.append(Ticket(*who, until))
    return made[0], made[0].signed(outbox.sign)


def revoke(known: Directed, role: Role, name: str, now: float) -> Iterator[Revoke]:
    """Make all tickets of this role and name invalid that were made up to now.

    Raises:
        BadPlan: the player is not of the tournament.
    """
    if role == "player":
        name = _player(known, name)
    if role == "player" or (role, name) in known.invited:
        yield Revoke(revoke=role, name=name, until=round(now) + BADGE_S)
