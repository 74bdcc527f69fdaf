"""A whole game as a text that a person can read and write, there and back (docs/notation.md).

    [Ruleset g7942-en]
    [A Ann]
    [B Ben]
    [Dealer B]

    1. upcard red-5 @3
    2. A: red-7; uno
    3. B: drew 1; pass

First tags: the header. Then one line for each turn of a seat, with what was reported in the words of the table log; a
card alone was played. ``@`` is the time (s) where it is not one second after the report before, ``~`` its uncertainty,
``^`` the clock that stamped it with that clock's own. Numbers of lines, empty lines and what follows ``#`` say nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final
from urllib.parse import quote, unquote

from croupier_rules.cards import KIND_SEEN
from croupier_rules.errors import BadLog, decoded
from croupier_rules.referee.checks import shorten
from croupier_rules.referee.header import FORMAT, Header, parse_header
from croupier_rules.referee.observations import OBSERVATIONS, Observation, parse_observation, to_json
from croupier_rules.referee.position_text import json_line, position_from_text, position_to_text

_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_TAG: Final = re.compile(r"\[(\w+) (.*)\]")
_NUMBER: Final = re.compile(r"[0-9]+\.\s*")
_SEAT: Final = re.compile(r"([A-Z]):(?:\s+|$)")
_TIME: Final = re.compile(r"@(?P<t>[-+.0-9e]+)?(?:~(?P<u>[-+.0-9e]+))?(?:\^(?P<clock>[^:]*):(?P<uc>[-+.0-9e]+))?")
_STEP_S: Final = 1
"""From a report to the next (s), where no time is said."""
_WITHOUT: Final = ("obs", "t", "u", "clock", "uc", "seat")


def game_to_text(header: Header, observations: Iterable[Observation]) -> str:
    """The game as text, which `game_from_text` reads back: the same header and the same observations."""
    lines = [*_tags(header), ""]
    seat, items, number, t = None, list[str](), 0, None

    def end_line() -> None:
        nonlocal number
        if items:
            number += 1
            who = "" if seat is None else f"{_LETTERS[seat]}: "
            lines.append(f"{number}. {who}{'; '.join(items)}")
            items.clear()

    for observation in observations:
        data: Mapping[str, Any] = to_json(observation)
        if data.get("seat") != seat:
            end_line()
            seat = data.get("seat")
        items.append(_item(data) + _stamp(data, t))
        t = data["t"]
    end_line()
    return "\n".join(lines) + "\n"


def game_from_text(text: str) -> tuple[Header, list[Observation]]:
    """The header and the observations of a game.

    Raises:
        BadLog: the text is no game; with the line, and what was expected.
    """
    tags: dict[str, str] = {}
    observations: list[Observation] = []
    header: Header | None = None
    t: float | None = None
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        try:
            if line.startswith("["):
                if header is not None:
                    raise BadLog(f"{shorten(line)}: expected the tags before the first report")
                name, value = _read_tag(line)
                tags[name] = value
                continue
            header = header or _header(tags)
            for data in _read_line(line, t):
                observation = parse_observation(data, len(header.seats))
                observations.append(observation)
                t = observation.t
        except BadLog as err:
            raise BadLog(f"line {number}: {err}") from err
    return header or _header(tags), observations


# The header.


def _tags(header: Header) -> Iterator[str]:
    yield f"[Ruleset {header.ruleset.name}]"
    for letter, name in zip(_LETTERS, header.seats, strict=False):
        plain = name == name.strip() and name.isprintable() and not name.startswith('"')
        yield f"[{letter} {name if plain and name else json.dumps(name)}]"
    yield f"[Dealer {'-' if header.dealer is None else _LETTERS[header.dealer]}]"
    if header.teams:
        yield f"[Teams {' '.join(''.join(_LETTERS[seat] for seat in team) for team in header.teams)}]"
    if options := header.options.to_json():
        yield f"[Options {json_line(options)}]"
    if header.given is not None:
        yield f"[Position {position_to_text(header.given)}]"


def _read_tag(line: str) -> tuple[str, str]:
    if (found := _TAG.fullmatch(line)) is None:
        raise BadLog(f"{shorten(line)}: expected a tag such as [Ruleset g7942-en]")
    return found[1], found[2]


def _header(tags: Mapping[str, str]) -> Header:
    known = ("Ruleset", "Dealer", "Teams", "Options", "Position", *_LETTERS)
    if unknown := [name for name in tags if name not in known]:
        raise BadLog(f"tag {shorten(unknown[0])}: expected Ruleset, A, B, …, Dealer, Teams, Options or Position")
    seats = [_name(tags[letter]) for letter in _LETTERS if letter in tags]
    if any(letter not in tags for letter in _LETTERS[: len(seats)]):
        raise BadLog("tags: expected the seats in order, from [A …] on")
    data: dict[str, Any] = {"log": FORMAT, "seats": seats}
    if "Ruleset" in tags:
        data["ruleset"] = tags["Ruleset"]
    if "Dealer" in tags:
        data["dealer"] = None if tags["Dealer"] == "-" else _seat(tags["Dealer"])
    if "Teams" in tags:
        data["teams"] = [[_seat(letter) for letter in team] for team in tags["Teams"].split()]
    if "Options" in tags:
        data["options"] = _json(tags["Options"])
    if "Position" in tags:
        data["given"] = position_from_text(tags["Position"])
    return parse_header(data)


def _name(text: str) -> Any:
    return _json(text) if text.startswith('"') else text


def _seat(letter: str) -> int:
    if len(letter) != 1 or letter not in _LETTERS:
        raise BadLog(f"seat {shorten(letter)}: expected a letter, A for the first seat")
    return _LETTERS.index(letter)


def _json(text: str) -> Any:
    try:
        return decoded(text, '{"undo": 1}')
    except BadLog as err:
        raise BadLog(f"{shorten(text)}: {err}") from err


# What was reported.


def _item(data: Mapping[str, Any]) -> str:
    """An observation in words, without seat and time."""
    name, rest = data["obs"], {key: value for key, value in data.items() if key not in _WITHOUT}
    write = _WRITES.get(name)
    if write is None or rest.keys() - _SAYS[name]:
        return name if not rest else f"{name} {_text_of(rest)}"
    return write(rest)


def _text_of(value: object) -> str:
    """JSON in which no ``;`` ends an item."""
    return json_line(value).replace(";", "\\u003b")


def _stamp(data: Mapping[str, Any], before: float | None) -> str:
    t, usual = data["t"], 0 if before is None else before + _STEP_S
    stamp = "" if t == usual else _number(t)
    if data.get("u"):
        stamp += f"~{_number(data['u'])}"
    if "clock" in data:
        stamp += f"^{quote(data['clock'], safe='')}:{_number(data['uc'])}"
    return f" @{stamp}" if stamp else ""


def _number(value: float) -> str:
    return repr(value).removesuffix(".0")


def _counted(name: str) -> Callable[[Mapping[str, Any]], str]:
    def write(rest: Mapping[str, Any]) -> str:
        cards = rest.get("cards")
        return f"{name} {rest['n']}" + (f" {' '.join(cards)}" if cards else "")

    return write


_SAYS: Final[Mapping[str, frozenset[str]]] = {
    "play": frozenset({"card"}),
    **dict.fromkeys(("pick", "upcard"), frozenset({"card"})),
    **dict.fromkeys(("dealt", "drew", "discarded"), frozenset({"n", "cards"})),
    "redealt": frozenset({"n"}),
    "color": frozenset({"color"}),
    "shown": frozenset({"cards"}),
    **dict.fromkeys(("swap", "target"), frozenset({"with"})),
    "house_rule": frozenset({"number", "text"}),
}
"""By observation that has words of its own: the fields that they say."""

_WRITES: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    "play": lambda rest: rest["card"],
    "pick": lambda rest: f"pick {rest['card']}",
    "upcard": lambda rest: f"upcard {rest['card']}",
    **{name: _counted(name) for name in ("dealt", "drew", "discarded", "redealt")},
    "color": lambda rest: f"color {rest['color']}",
    "shown": lambda rest: f"shown {' '.join(rest.get('cards', ()))}".strip(),
    "swap": lambda rest: f"swap {_LETTERS[rest['with']]}",
    "target": lambda rest: f"target {_LETTERS[rest['with']]}",
    "house_rule": lambda rest: f"house_rule {rest['number']} {_text_of(rest['text'])}",
}


def _read_line(line: str, before: float | None) -> Iterator[dict[str, Any]]:
    """The observations on a line as JSON objects; ``before``: the time of the last one."""
    if found := _NUMBER.match(line):
        line = line[found.end() :]
    seat = None
    if found := _SEAT.match(line):
        seat, line = _seat(found[1]), line[found.end() :]
    for part in line.split(";"):
        item, stamp = _split_stamp(part.strip())
        if not item:
            raise BadLog(f"{shorten(line)}: expected what was reported, such as red-7 or drew 1, divided by ;")
        data = _read_item(item)
        before = 0 if before is None else before + _STEP_S
        data["t"] = before
        data |= stamp
        before = data["t"]
        yield data if seat is None else {**data, "seat": seat}


def _split_stamp(item: str) -> tuple[str, dict[str, Any]]:
    words, _, last = item.rpartition(" ")
    if not last.startswith("@") or (found := _TIME.fullmatch(last)) is None:
        return item, {}
    stamp = {name: _seconds(found[name]) for name in ("t", "u", "uc") if found[name] is not None}
    if found["clock"] is not None:
        stamp["clock"] = unquote(found["clock"])
    return words.strip(), stamp


def _seconds(text: str) -> Any:
    try:
        return int(text) if text.lstrip("-").isdecimal() else float(text)
    except ValueError as err:
        raise BadLog(f"time {shorten(text)}: expected seconds, such as @12.5") from err


def _read_item(item: str) -> dict[str, Any]:
    name, _, rest = item.partition(" ")
    rest = rest.strip()
    if name not in OBSERVATIONS:
        if item not in KIND_SEEN:
            raise BadLog(f"{shorten(item)}: expected a card such as red-7, or one of {', '.join(OBSERVATIONS)}")
        return {"obs": "play", "card": item}
    data: dict[str, Any] = {"obs": name}
    if not rest:
        return data | ({"cards": []} if name == "shown" else {})
    if rest.startswith("{"):
        said = _json(rest)
        return data | {key: value for key, value in said.items() if key not in _WITHOUT}
    words = rest.split()
    match name:
        case "play" | "pick" | "upcard":
            return data | {"card": rest}
        case "dealt" | "drew" | "discarded" | "redealt":
            return data | {"n": _whole(words[0])} | ({"cards": words[1:]} if words[1:] else {})
        case "color":
            return data | {"color": rest}
        case "shown":
            return data | {"cards": words}
        case "swap" | "target":
            return data | {"with": _seat(rest)}
        case "house_rule":
            return data | {"number": _whole(words[0]), "text": _json(rest[len(words[0]) :].strip() or '""')}
        case _:
            raise BadLog(f"{shorten(item)}: expected nothing after {name}")


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise BadLog(f"{shorten(text)}: expected a whole number")
    return int(text)
