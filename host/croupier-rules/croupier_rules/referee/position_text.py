"""A position as one line of text, there and back (docs/notation.md).

    turn 0 left red-7 7/3:red-9+blue-2/7/7 82+1 3 0/0/0/0 owed=1:2

Eight fields in a fixed order: phase, seat on turn, direction, up-card, hands, draw and discard pile, dealer, scores;
``-`` is nobody or none, ``.`` (and what is missing at the end) not said. What a position has only at times follows by
name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple, cast
from urllib.parse import quote, unquote

from croupier_rules.cards import is_wild
from croupier_rules.errors import BadLog, decoded
from croupier_rules.referee.checks import shorten
from croupier_rules.referee.fields import PositionFields

_NONE: Final = "-"
_UNSAID: Final = "."
_WHOLE: Final = re.compile(r"-?[0-9]{1,9}")
_FIRST: Final = ("phase", "turn", "direction", "up-card", "hands", "piles", "dealer", "scores")


def position_to_text(position: PositionFields) -> str:
    """The position as one line. `position_from_text` reads it; a position that the referee wrote comes back equal."""
    said: Mapping[str, Any] = position
    first = [
        _phase(said),
        _or_none(said, "turn"),
        said.get("direction", _UNSAID),
        _up_card(said),
        _hands(said),
        _piles(said),
        _or_none(said, "dealer"),
        _joined(said["scores"], "/") if "scores" in said else _UNSAID,
    ]
    more = [f"{name}={code.write(said[name])}" for name, code in _CODES.items() if said.get(name) not in (None, [], {})]
    if "hands" not in said and said.get("known"):
        more.append(f"known={_OBJECT.write(said['known'])}")
    for name, value in said.get("remembered", {}).items():
        more.append(f"{name}={_REMEMBERED.get(name, _OBJECT).write(value)}")
    while not more and len(first) > 1 and first[-1] == _UNSAID:
        first.pop()
    return " ".join([*first, *more])


def position_from_text(text: str) -> PositionFields:
    """The position that a line of text describes; whether it is possible, the referee says who is given it.

    Raises:
        BadLog: it is no such line; with what was expected.
    """
    words = text.split()
    named = next((place for place, word in enumerate(words) if "=" in word), len(words))
    if not words or named > len(_FIRST):
        raise BadLog(f"position {shorten(text)}: expected {', '.join(_FIRST)}, such as: turn 0 left red-7 7/7/7/7 79+1")
    position: dict[str, Any] = {}
    for name, word in zip(_FIRST, words[:named], strict=False):
        if word != _UNSAID:
            _READS[name](position, word)
    for name in ("called", "catchable", "out"):
        position[name] = []
    position |= {"owed": {}, "house_rules": {}}
    remembered: dict[str, Any] = {}
    for word in words[named:]:
        name, equals, value = word.partition("=")
        if not equals:
            raise BadLog(f"position: {shorten(word)}: expected a name and a value, such as owed=1:2")
        if name == "known":
            position[name] = _OBJECT.read(value, name)
        elif name in _CODES:
            position[name] = _CODES[name].read(value, name)
        else:
            remembered[name] = _REMEMBERED.get(name, _OBJECT).read(value, name)
    if remembered:
        position["remembered"] = remembered
    return cast("PositionFields", position)


class _Code(NamedTuple):
    """How a value is written and read; the second argument of ``read`` names it in an error."""

    write: Callable[[Any], str]
    read: Callable[[str, str], Any]


def compact_json(value: object) -> str:
    """JSON without a space in it."""
    return json_line(value, (",", ":")).replace(" ", "\\u0020")


def json_line(value: object, separators: tuple[str, str] | None = None) -> str:
    """JSON on one line, whatever reads lines."""
    text = json.dumps(value, ensure_ascii=False, separators=separators)
    return text if text.isprintable() else json.dumps(value, separators=separators)


def _from_json(text: str, what: str) -> Any:
    try:
        return decoded(text, '{"n":2}')
    except BadLog as err:
        raise BadLog(f"position: {what}={shorten(text)}: {err}") from err


def _whole(text: str, what: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise BadLog(f"position: {what} {shorten(text)}: expected a whole number")
    return int(text)


def _flag(text: str, what: str) -> bool:
    if text not in ("yes", "no"):
        raise BadLog(f"position: {what} {shorten(text)}: expected yes or no")
    return text == "yes"


def _joined(values: Iterable[object], by: str = "+") -> str:
    return by.join(_NONE if value is None else str(value) for value in values)


def _list(text: str, read: Callable[[str, str], Any], what: str, by: str = "+") -> list[Any]:
    return [None if part == _NONE else read(part, what) for part in text.split(by)] if text else []


def _word(text: str, what: str) -> str:
    return unquote(text)


def _map_of(write: Callable[[Any], str], read: Callable[[str, str], Any]) -> _Code:
    """A mapping whose keys are numbers or faces."""

    def read_all(text: str, what: str) -> dict[str, Any]:
        found = {}
        for part in text.split("+"):
            key, colon, value = part.partition(":")
            if not colon:
                raise BadLog(f"position: {what} {shorten(part)}: expected a key and a value, such as 1:2")
            found[key] = read(value, what)
        return found

    return _Code(lambda values: "+".join(f"{key}:{write(value)}" for key, value in values.items()), read_all)


def _printed_color(face: str | None) -> str | None:
    """The color that a card brings, as far as its name says it."""
    color, hyphen, _ = (face or "").partition("-")
    return color if hyphen and face is not None and not is_wild(face) else None


def _up_card(said: Mapping[str, Any]) -> str:
    top = said.get("top")
    word = _UNSAID if "top" not in said else _NONE if top is None else quote(top, safe="*")
    if "color" not in said or said["color"] == _printed_color(top):
        return word
    return f"{word}/{said['color'] or _NONE}"


def _read_up_card(position: dict[str, Any], word: str) -> None:
    top, slash, color = word.partition("/")
    face = None if top in (_NONE, _UNSAID) else unquote(top)
    if top != _UNSAID:
        position["top"] = face
    position["color"] = _printed_color(face) if not slash else None if color == _NONE else color


def _read_under(text: str, what: str) -> dict[str, Any]:
    under: dict[str, Any] = {}
    _read_up_card(under, text)
    return under


def _write_cited(cited: Mapping[str, Any]) -> str:
    rule = _NONE if cited["rule"] is None else quote(cited["rule"], safe=".")
    return rule if "part" not in cited else f"{rule}~{quote(cited['part'], safe='.')}"


def _read_cited(text: str, what: str) -> dict[str, Any]:
    rule, tilde, part = text.partition("~")
    cited: dict[str, Any] = {"rule": None if rule == _NONE else unquote(rule)}
    return cited | ({"part": unquote(part)} if tilde else {})


_NUMBER: Final = _Code(str, _whole)
_TRUTH: Final = _Code(lambda value: "yes" if value else "no", _flag)
_NAME: Final = _Code(lambda value: quote(value, safe="*?"), _word)
_SEATS: Final = _Code(_joined, lambda text, what: _list(text, _whole, what))
_FACES: Final = _Code(_joined, lambda text, what: _list(text, _word, what))
_NUMBERS: Final = _map_of(str, _whole)
_CITED: Final = _map_of(_write_cited, _read_cited)
_OBJECT: Final = _Code(compact_json, _from_json)
"""Anything else."""

_CODES: Final[Mapping[str, _Code]] = {
    "owed": _NUMBERS,
    "called": _SEATS,
    "catchable": _SEATS,
    "house_rules": _map_of(lambda text: quote(text, safe=""), _word),
    "out": _SEATS,
    "stack": _NUMBER,
    "knocked_out": _SEATS,
}
_REMEMBERED: Final[Mapping[str, _Code]] = {
    "turn_by": _CITED,
    "skipped_by": _CITED,
    "under": _Code(_up_card, _read_under),
    **dict.fromkeys(("last_turn", "turned_up", "challenger", "running", "went_out"), _NUMBER),
    **dict.fromkeys(("drawn", "stacked"), _NAME),
    **dict.fromkeys(("held", "picks"), _FACES),
    **dict.fromkeys(("drew_by_need", "is_first_wild", "last_served", "scored", "penalty_drawn", "watch"), _TRUTH),
    "to_deal": _SEATS,
    "seen": _NUMBERS,
}


def _phase(said: Mapping[str, Any]) -> str:
    phase: str = said.get("phase", _UNSAID)
    return f"{phase}:{said['resumes']}" if "resumes" in said else phase


def _read_phase(position: dict[str, Any], word: str) -> None:
    position["phase"], colon, resumes = word.partition(":")
    if colon:
        position["resumes"] = resumes


def _or_none(said: Mapping[str, Any], name: str) -> str:
    return _UNSAID if name not in said else _NONE if said[name] is None else str(said[name])


def _seat_reader(name: str) -> Callable[[dict[str, Any], str], None]:
    def read(position: dict[str, Any], word: str) -> None:
        position[name] = None if word == _NONE else _whole(word, name)

    return read


def _hands(said: Mapping[str, Any]) -> str:
    if "hands" not in said:
        return _UNSAID
    known: Mapping[str, list[str]] = said.get("known", {})
    hands = []
    for seat, n in enumerate(said["hands"]):
        faces = known.get(str(seat))
        hands.append(f"{n}:{_joined(faces)}" if faces else str(n))
    return "/".join(hands)


def _read_hands(position: dict[str, Any], word: str) -> None:
    hands, known = [], {}
    for seat, hand in enumerate(word.split("/")):
        n, colon, faces = hand.partition(":")
        hands.append(_whole(n, "hands"))
        if colon:
            known[str(seat)] = _list(faces, _word, "hands")
    position |= {"hands": hands, "known": known}


def _piles(said: Mapping[str, Any]) -> str:
    piles = [str(said.get(name, _UNSAID)) for name in ("draw_pile", "discard_pile")]
    return _UNSAID if piles == [_UNSAID, _UNSAID] else "+".join(piles)


def _read_piles(position: dict[str, Any], word: str) -> None:
    draw, plus, discard = word.partition("+")
    if not plus:
        raise BadLog(f"position: piles {shorten(word)}: expected cards of both piles, such as 79+1")
    for name, n in (("draw_pile", draw), ("discard_pile", discard)):
        if n != _UNSAID:
            position[name] = _whole(n, name)


def _read_scores(position: dict[str, Any], word: str) -> None:
    position["scores"] = _list(word, _whole, "scores", by="/")


def _read_direction(position: dict[str, Any], word: str) -> None:
    position["direction"] = word


_READS: Final[Mapping[str, Callable[[dict[str, Any], str], None]]] = {
    "phase": _read_phase,
    "turn": _seat_reader("turn"),
    "direction": _read_direction,
    "up-card": _read_up_card,
    "hands": _read_hands,
    "piles": _read_piles,
    "dealer": _seat_reader("dealer"),
    "scores": _read_scores,
}
