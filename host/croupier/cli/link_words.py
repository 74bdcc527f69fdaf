"""The messages as people write and read them: ``deal 41 3 7`` in, ``card job 41 index 1 …`` out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from difflib import get_close_matches
from typing import Any, Final, get_args

from croupier.errors import BadCommand
from croupier.link.commands import Command
from croupier.link.conversation import Greeted, Mismatch, Silent
from croupier.link.reports import Report
from tablewire.messages import HEARD_BY_PICO, read_field

COMMANDS: Final[dict[str, Any]] = {one.message: one for one in get_args(Command)}


def command(line: str) -> Command:
    """The command that stands in a line.

    Raises BadCommand, which says what was expected.
    """
    name, *words = line.split()
    if name not in COMMANDS:
        near = get_close_matches(name, COMMANDS, n=1)
        meant = f"did you mean {near[0]}?" if near else f"expected one of {', '.join(COMMANDS)}"
        raise BadCommand(f"{name}: no such command: {meant} (help tells more)")
    wanted = HEARD_BY_PICO[name].fields
    if len(words) != len(wanted):
        raise BadCommand(f"{name}: {len(words)} values: expected {usage(name)}")
    values = {}
    for field, word in zip(wanted, words, strict=True):
        values[field.name] = read_field(field, word)
        if values[field.name] is None:
            raise BadCommand(f"{name}: {field.name}: {word}: expected {allowed(field)}: {field.meaning}")
    made: Command = COMMANDS[name](**values)
    return made


def usage(name: str) -> str:
    """How a command is written: ``deal JOB SEAT N``."""
    return " ".join([name, *(field.name.upper() for field in HEARD_BY_PICO[name].fields)])


def allowed(field: Any) -> str:
    """What a field may be."""
    if field.kind == "choice":
        return " or ".join(field.allowed)
    low, high = field.allowed
    return f"{low} to {high}{f' {field.unit}' if field.unit else ''}"


def manual(name: str = "") -> Iterator[str]:
    """What can be said; with a name, everything about that command."""
    if name:
        message = HEARD_BY_PICO[command_name(name)]
        yield f"{usage(name)}: {message.meaning}"
        for field in message.fields:
            yield f"  {field.name.upper()}: {field.meaning}; {allowed(field)}"
        return
    width = max(map(len, map(usage, COMMANDS)))
    for one in COMMANDS:
        yield f"  {usage(one):{width}}  {HEARD_BY_PICO[one].meaning}"
    yield f"  {'help COMMAND':{width}}  What its values are."
    yield f"  {'status':{width}}  How the line is."
    yield f"  {'quit':{width}}  Or Ctrl-D: the outputs go safe half a second later."


def command_name(name: str) -> str:
    """``name``, where it is a command's. Raises BadCommand."""
    if name not in COMMANDS:
        raise BadCommand(f"{name}: no such command: expected one of {', '.join(COMMANDS)}")
    return name


def told(event: Report | Greeted | Silent | Mismatch) -> dict[str, Any]:
    """An event as an object for machines: its name, the table's time and uncertainty, its fields."""
    if isinstance(event, Mismatch):
        return {"report": "mismatch", "t": event.t, "error": str(event.error)}
    name = getattr(event, "message", type(event).__name__.lower())
    values = {one.name: getattr(event, one.name) for one in fields(event)}
    return {"report": name} | {key: round(one, 6) if isinstance(one, float) else one for key, one in values.items()}


def said(event: Report | Greeted | Silent | Mismatch) -> str:
    """An event for people: ``  26.203518 s ±0.3 ms  press mask 5``."""
    match event:
        case Greeted():
            how = "a new session" if event.is_new else "the session goes on"
            since = f", started anew ({event.cause})" if event.is_reset else ""
            return f"{event.t:12.6f} s           {event.board} ({event.world}): {how}{since}"
        case Silent():
            return f"{event.t:12.6f} s           silence: the Pico is not heard any more; its outputs go safe"
        case Mismatch():
            return str(event.error)
    values = told(event)
    name, t, u = values.pop("report"), values.pop("t"), values.pop("u")
    return f"{t:12.6f} s ±{u * 1000:5.2f} ms  {' '.join([name, *(f'{key} {one}' for key, one in values.items())])}"
