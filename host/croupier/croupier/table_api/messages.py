"""What the process of the page says to the table: JSON, every field of which is checked.

The page is what strangers reach, so the table takes no pickled object from it: whoever takes over the page can give the
commands that the page can give, and run nothing at the table. On the line a message is the name of its class, a space,
and its fields.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, get_args

from pydantic import TypeAdapter

from croupier.commands import (
    Command,
    Loudness,
    StartGame,
)
from croupier.errors import BadMessage
from croupier.table_api.live_table import CameraOrder, ChangeSettings
from croupier_rules.referee import Observation, checks, parse_header, parse_observation
from croupier_rules.referee.corrections import Report, SetTo, Undo, Was
from croupier_rules.referee.observations import to_json

MOST_BYTES: Final = 1 << 20
"""The longest message; the codes and sessions of a full table are a tenth of it."""

_MOST_SEATS: Final = 10
_BY_SEAT: Final = ("hands", "scores")


@dataclass(frozen=True, slots=True)
class Followers:
    """``n`` open pages follow the live game. The first one says that the page is up."""

    n: int


@dataclass(frozen=True, slots=True)
class CameraRequest:
    """The page asks for a camera frame; ``plain``: as the camera sees it, without readings drawn in; ``is_pile``: only
    the discard pile."""

    plain: bool = False
    is_pile: bool = False


@dataclass(frozen=True, slots=True)
class ClipRequest:
    """The page asks for the clip of the card that touched at ``t`` (s), at least to ``until``."""

    t: float
    until: float


@dataclass(frozen=True, slots=True)
class AppealRequest:
    """The page asks what the kept pictures show of the card that touched at ``t`` (s)."""

    t: float


@dataclass(frozen=True, slots=True)
class NewCodes:
    """The page asks the table to keep these ``codes``, as `Accounts.store` has them."""

    codes: str


@dataclass(frozen=True, slots=True)
class KeepSheet:
    """The page asks the table to keep the score sheet ``name`` with this ``text``."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class LeaveOut:
    """The page asks the table to make no statistics of the player ``name``, or to make them again."""

    name: str
    is_out: bool


@dataclass(frozen=True, slots=True)
class Sessions:
    """These ``sessions`` are open now, as `Accounts.sessions` has them."""

    sessions: str


Request = (
    CameraRequest | ClipRequest | AppealRequest | CameraOrder | ChangeSettings | NewCodes | KeepSheet | LeaveOut
)  # fmt: skip
"""The messages for whose answer the page waits."""

Message = Command | Followers | Sessions | Request


def encode(message: Message) -> bytes:
    """The message as bytes."""
    return f"{type(message).__name__} {json.dumps(_fields(message))}".encode()


def decode(raw: bytes) -> Message:
    """The message of these bytes. Raises BadMessage if they are not a message."""
    name, _, body = raw.partition(b" ")
    try:
        word = name.decode()
        if word in _PLAIN:
            message: Message = _PLAIN[word].validate_json(body, strict=True)
        else:
            message = _MADE[word](json.loads(body))
        if isinstance(message, Loudness) and not 0 <= message.volume <= 100:
            raise ValueError(message.volume)
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as err:
        raise BadMessage from err
    return message


def _fields(message: Message) -> Any:
    match message:
        case StartGame(header=header):
            return header.to_json()
        case Was(old=old, new=new, is_read=is_read):
            return [_line(old), _line(new), is_read]
        case Undo(old=old):
            return _line(old)
        case Report(observation=observation, line=line):
            return [line, _line(observation)]
        case SetTo(fields=fields, line=line):
            return [line, dict(fields)]
        case _:
            return _PLAIN[type(message).__name__].dump_python(message)


def _line(observation: Observation | None) -> dict[str, Any] | None:
    return None if observation is None else to_json(observation)


def _observation(line: Any) -> Observation:
    return parse_observation(line, _MOST_SEATS)


def _observation_or_none(line: Any) -> Observation | None:
    return None if line is None else _observation(line)


def _was(lines: Any) -> Was:
    old, new, is_read = lines
    if not isinstance(is_read, bool):
        raise TypeError(is_read)
    return Was(_observation(old), _observation_or_none(new), is_read=is_read)


def _report(words: Any) -> Report:
    line, observation = words
    return Report(_observation(observation), line=_line_number(line))


def _set_to(words: Any) -> SetTo:
    """JSON has texts for the seats of ``hands`` and ``scores``."""
    line, fields = words
    made = {str(name): value for name, value in fields.items()}
    for name in _BY_SEAT:
        if isinstance(by_seat := made.get(name), dict):
            if not all(isinstance(n, int) for n in by_seat.values()):
                raise ValueError(f"{name}: expected numbers")
            made[name] = {int(seat): n for seat, n in by_seat.items()}
    return SetTo(made, line=_line_number(line))


def _line_number(line: Any) -> int | None:
    return None if line is None else checks.whole(line, "line")


_MADE: Final[Mapping[str, Callable[[Any], Message]]] = {
    "StartGame": lambda fields: StartGame(parse_header(fields)),
    "Was": _was,
    "Undo": lambda line: Undo(_observation_or_none(line)),
    "Report": _report,
    "SetTo": _set_to,
}
"""The messages that have observations, headers or fields of the position."""

_PLAIN: Final[Mapping[str, TypeAdapter[Any]]] = {
    cls.__name__: TypeAdapter(cls) for cls in get_args(Message) if cls.__name__ not in _MADE
}
