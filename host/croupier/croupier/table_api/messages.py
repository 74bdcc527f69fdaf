"""Messages between the table and the process of its page: JSON, every field of which is checked.

On the line a message is the name of its class, a space, and its fields. Observations and headers have the form of the
table log. Strangers reach the page: an attacker who takes it over can give the commands that the page can give,
and run nothing at the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Generic, Self, TypeVar, get_args

from pydantic import ConfigDict, PlainSerializer, PlainValidator, TypeAdapter

from croupier.commands import Command, StartGame
from croupier.errors import BadMessage, CannotWrite
from croupier.networks import Network
from croupier.table_api.live_table import (
    LONG_S,
    AppealRequest,
    CameraOrder,
    CameraRequest,
    ChangeSettings,
    ClipRequest,
    LiveLine,
    LiveTableState,
    Request,
)
from croupier_rules.referee import Observation, checks, parse_header, parse_observation
from croupier_rules.referee.corrections import Report, SetTo, Undo, Was
from croupier_rules.referee.fields import ObservationFields
from croupier_rules.referee.observations import to_json

MOST_BYTES: Final = 1 << 20
"""The longest message of a page; the codes and sessions of a full table are a tenth of it."""

_MOST_SEATS: Final = 10
_BY_SEAT: Final = ("hands", "scores")

M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class Startup:
    """The table's first message. ``name``: the host name in the network; ``port``: of the page; ``networks``: those
    from which other machines can connect to it; ``certificate``: the file of the one for HTTPS, if there is one."""

    journal: Path
    codes: str
    sessions: str
    state: LiveTableState
    name: str
    port: int
    networks: tuple[Network, ...]
    deck_profile: Path | None
    certificate: Path | None


@dataclass(frozen=True, slots=True)
class News:
    """The ``lines`` of the live game since the last news, and the ``state`` of the table after them."""

    lines: tuple[LiveLine, ...]
    state: LiveTableState


@dataclass(frozen=True, slots=True)
class Reachable:
    """Other machines can connect to the page from these ``networks`` now; the certificate may be another one."""

    networks: tuple[Network, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to the `Request` of this ``number``. ``content``: as `encode_content` makes it; empty if the table
    could not carry it out."""

    number: int
    content: bytes


@dataclass(frozen=True, slots=True)
class Followers:
    """``n`` open pages follow the live game. The first one says that the page is up."""

    n: int


@dataclass(frozen=True, slots=True)
class Sessions:
    """These ``sessions`` are open now, as `Accounts.sessions` has them."""

    sessions: str


@dataclass(frozen=True, slots=True)
class WriteFailed:
    """The table could not write a file: the text of a `CannotWrite`, and its words."""

    text: str
    words: Mapping[str, str]

    @classmethod
    def of(cls, err: CannotWrite) -> Self:
        """The error as an answer."""
        return cls(err.template, {name: str(word) for name, word in err.words.items()})


@dataclass(frozen=True, slots=True)
class NewCodes(Request[WriteFailed]):
    """Keep these ``codes``, as `Accounts.store` has them."""

    codes: str


@dataclass(frozen=True, slots=True)
class KeepForPlugin(Request[WriteFailed]):
    """Have the plug-in ``name`` keep this ``text`` (`croupier.web.pages.PagePlugin.keep`). The plug-in may have to be
    loaded first."""

    name: str
    text: str
    within_s: ClassVar[float] = LONG_S


@dataclass(frozen=True, slots=True)
class Order:
    """A command, whose `Answer` has the same ``number`` and no content; it comes when what follows is on the disk."""

    number: int
    command: Command


PageMessage = (
    Command | Order | Followers | Sessions | CameraRequest | ClipRequest | AppealRequest | CameraOrder | ChangeSettings
    | NewCodes | KeepForPlugin
)  # fmt: skip
TableMessage = Startup | News | Reachable | Answer


class _Codec(Generic[M]):
    """Messages of some classes as bytes."""

    def __init__(self, *classes: type) -> None:
        self._adapters = {cls.__name__: TypeAdapter(_FORMS.get(cls, cls)) for cls in classes}

    def encode(self, message: M) -> bytes:
        """The message as bytes."""
        if isinstance(message, Answer):  # a clip has some megabytes
            return b"Answer %d %b" % (message.number, message.content)
        if isinstance(message, Order):
            return b"Order %d %b" % (message.number, self._encode(message.command))
        return self._encode(message)

    def _encode(self, message: object) -> bytes:
        name = type(message).__name__
        return b"%b %b" % (name.encode(), self._adapters[name].dump_json(message, exclude_defaults=True))

    def decode(self, raw: bytes) -> M:
        """The message of these bytes. Raises BadMessage if they are not a message."""
        try:
            return self._decode(raw)
        except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as err:
            raise BadMessage from err

    def _decode(self, raw: bytes) -> M:
        name, _, body = raw.partition(b" ")
        if name in (b"Answer", b"Order") and name.decode() in self._adapters:
            number, _, content = body.partition(b" ")
            if name == b"Answer":
                return Answer(int(number), content)  # type: ignore[return-value]
            return Order(int(number), self._decode(content))  # type: ignore[return-value,arg-type]
        message: M = self._adapters[name.decode()].validate_json(body, strict=True)
        return message


def encode_content(request: Request[Any], content: object) -> bytes:
    """Answer of a table to a request, as JSON."""
    return _CONTENTS[type(request)].dump_json(content)


def decode_content(request: Request[M], content: bytes) -> M | None:
    """The answer of a table. Raises BadMessage."""
    try:
        found: M | None = _CONTENTS[type(request)].validate_json(content, strict=True)
    except ValueError as err:
        raise BadMessage from err
    return found


def _line(observation: Observation | None) -> ObservationFields | None:
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


_FORMS: Final[Mapping[type, Any]] = {
    Order: Any,  # its command has the form of a message
    StartGame: Annotated[
        Any, PlainValidator(lambda fields: StartGame(parse_header(fields))),
        PlainSerializer(lambda message: message.header.to_json()),
    ],
    Was: Annotated[
        Was, PlainValidator(_was), PlainSerializer(lambda one: [_line(one.old), _line(one.new), one.is_read])
    ],
    Undo: Annotated[
        Undo, PlainValidator(lambda line: Undo(_observation_or_none(line))), PlainSerializer(lambda one: _line(one.old))
    ],
    Report: Annotated[
        Report, PlainValidator(_report), PlainSerializer(lambda one: [one.line, _line(one.observation)])
    ],
    SetTo: Annotated[SetTo, PlainValidator(_set_to), PlainSerializer(lambda one: [one.line, dict(one.fields)])],
}  # fmt: skip
"""The messages that have observations, headers or fields of the position."""

FROM_PAGE: Final[_Codec[PageMessage]] = _Codec(*get_args(PageMessage))
FROM_TABLE: Final[_Codec[TableMessage]] = _Codec(*get_args(TableMessage))

_BYTES: Final = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")
_CONTENTS: Final[Mapping[type, TypeAdapter[Any]]] = {
    cls: TypeAdapter(get_args(cls.__orig_bases__[0])[0] | None, config=_BYTES)
    for cls in get_args(PageMessage)
    if issubclass(cls, Request)
}
