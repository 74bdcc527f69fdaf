"""What the referee remembers beside what the other fields of a position say: the field ``remembered``.

Why the turn is whose it is, the card that was drawn and the hand before it, the card under a wild, which reports a
later one may be tied with, the faces under the up-card, and so on. With it, a position given back leads to the same
table. A position that a person writes may leave it out, or have any part of it. It may name faces of hidden hands, so
that no page shows it.

`remembered_to_json` leaves out what can decide nothing any more, such as a card drawn in an earlier turn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, cast

from croupier_rules.cards import FACES, KIND, PLAIN, UNKNOWN, UNREAD
from croupier_rules.errors import BadLog
from croupier_rules.referee import checks
from croupier_rules.referee.fields import CitedFields, RememberedFields
from croupier_rules.referee.observations import Acted, Observation, Play, Uno, parse_observation, to_json
from croupier_rules.referee.rulings import ChooseColor, MayStack, Ruling, Skip, Turn
from croupier_rules.referee.table import Laid, Table
from croupier_rules.referee.transitions import (
    CHALLENGE,
    COLOR,
    DIRECTIONS,
    DRAWN,
    HAS_TURN,
    PICK,
    REDEAL,
    ROULETTE,
    STACK,
)
from croupier_rules.rules import Basis
from croupier_rules.rules.card_tables import DRAW2, CardTables, UpCard
from croupier_rules.rules.ruleset import WHOLE

_OF_A_WILD: Final = (COLOR, CHALLENGE, STACK)
_CLOSINGS: Final = ("lift", "draw", "play")
_TURN_GOES_ON: Final = {"rule": "start.direction", "part": "turn"}
"""What gives the turn to the next seat, where nothing else is said."""


def remembered_to_json(table: Table) -> RememberedFields:
    """What of the table no other field of its position says; empty if there is nothing."""
    said: dict[str, Any] = {}
    if table.phase in HAS_TURN:
        if table.settled:
            _write_turn(table, said)
    elif table.turn != UNKNOWN:
        said["last_turn"] = table.turn
    if table.up_before is not table.cards.no_up_card and (table.phase in _OF_A_WILD or _may_lay_out_of_turn(table)):
        said["under"] = _up_card(table.cards, table.up_before)
    if table.phase in (DRAWN, ROULETTE):
        _write_drawn(table, said)
    elif table.phase == PICK:
        if set(table.picks) != {UNKNOWN}:
            said["picks"] = [UNREAD if kind == UNKNOWN else None if kind is None else FACES[kind]
                             for kind in table.picks]  # fmt: skip
    elif table.phase == REDEAL and table.to_deal != table.hands:
        said["to_deal"] = table.to_deal.copy()
    elif table.phase in _OF_A_WILD:
        _write_wild(table, said)
    if _may_lay_out_of_turn(table):
        _write_own_rules(table, said)
    if table.constants.most_house_rules:
        _write_house_rules(table, said)
    if table.went_out != UNKNOWN:
        said["went_out"] = table.went_out
    said |= {name: True for name in ("last_served", "scored", "penalty_drawn") if getattr(table, name)}
    _write_windows(table, said)
    if table.unseen != table.constants.deck_list and (seen := _seen(table)):
        said["seen"] = seen
    return cast("RememberedFields", said)


def _may_lay_out_of_turn(table: Table) -> bool:
    own = table.constants.own
    return own is not None and (own.jump_in or own.double)


def _write_turn(table: Table, said: dict[str, Any]) -> None:
    missed = {str(one.seat): _cited(one.basis) for one in reversed(table.settled) if isinstance(one, Skip)}
    asked = Turn | MayStack | ChooseColor
    given = {str(one.seat): _cited(one.basis) for one in reversed(table.settled) if isinstance(one, asked)}
    if given := {seat: cited for seat, cited in given.items() if cited != _TURN_GOES_ON}:
        said["turn_by"] = given
    if missed:
        said["skipped_by"] = missed


def _write_drawn(table: Table, said: dict[str, Any]) -> None:
    if table.drawn != UNKNOWN:
        said["drawn"] = FACES[table.drawn]
    own = table.constants.own
    if table.turned_up and (table.phase == ROULETTE or (own is not None and own.most_drawn is not None)):
        said["turned_up"] = table.turned_up
    if table.phase == ROULETTE:
        return
    if table.held:
        said["held"] = [FACES[kind] for kind in table.held]
    if table.drew_by_need is not None:
        said["drew_by_need"] = table.drew_by_need


def _write_wild(table: Table, said: dict[str, Any]) -> None:
    if table.is_first_wild:
        said["is_first_wild"] = True
    if table.challenger != UNKNOWN:
        said["challenger"] = table.challenger
    if table.since_touch is not None:
        n, seen, known = table.since_touch
        said["since_touch"] = {
            "n": n,
            "cards": [FACES[kind] for kind in seen],
            "known": [FACES[kind] for kind in known],
        }
    if table.stacked != _stacked(table):
        said["stacked"] = table.stacked


def _stacked(table: Table) -> str:
    """The reason for the cards of a stack, where nothing else is said."""
    why = table.cards.why
    return why.get(table.up.effect, why.get(DRAW2, "")) if table.stack else ""


def _write_own_rules(table: Table, said: dict[str, Any]) -> None:
    if table.laid is not None:
        report, seat, on_turn, rule = table.laid
        said["laid"] = {"report": to_json(report), "seat": seat, "on_turn": on_turn, **({"rule": rule} if rule else {})}
    if table.begun is not None:
        said["begun"] = {"report": to_json(table.begun[0]), "seat": table.begun[1]}


def _write_house_rules(table: Table, said: dict[str, Any]) -> None:
    if table.rule_card is not None:
        said["rule_card"] = {"seat": table.rule_card[0], "card": FACES[table.rule_card[1]]}
    if table.running != UNKNOWN:
        said["running"] = table.running
    if acted := [to_json(one) for one in table.acted if one is not None]:
        said["acted"] = acted


def _write_windows(table: Table, said: dict[str, Any]) -> None:
    touched = {str(seat): to_json(report) for seat, report in enumerate(table.touched)
               if report is not None and table.catchable >> seat & 1}  # fmt: skip
    if touched:
        said["touched"] = touched
    if table.catch is not None:
        said["catch"] = {
            "report": to_json(table.catch[0]), "caught": {str(seat): n for seat, n in table.catch[1].items()}
        }  # fmt: skip
    if table.closed is not None:
        report, mask, how = table.closed
        seats = [seat for seat in range(table.constants.seats) if mask >> seat & 1]
        said["closed"] = {"report": to_json(report), "seats": seats, "how": how}
    if table.saved is not None:
        said["saved"] = to_json(table.saved)
    if table.early is not None:
        said["early"] = to_json(table.early)
    if table.watch != (table.catchable != 0):
        said["watch"] = table.watch


def _seen(table: Table) -> dict[str, int]:
    """How many cards of each face were seen, and lie neither in a known hand nor on top of the pile."""
    pairs = zip(table.constants.deck, table.unseen, strict=True)
    seen = {kind: n - left for kind, (n, left) in enumerate(pairs) if n != left}
    for known in table.known:
        for kind in known:
            seen[PLAIN[kind]] -= 1
    if table.up.kind != UNKNOWN:
        seen[table.up.plain] -= 1
    return {FACES[kind]: n for kind, n in seen.items() if n}


def _cited(basis: Basis) -> CitedFields:
    return {"rule": basis.rule} if basis.part == WHOLE else {"rule": basis.rule, "part": basis.part}


def _up_card(cards: CardTables, up: UpCard) -> dict[str, str | None]:
    color = None if up.color == cards.no_color else cards.colors[up.color]
    return {"top": None if up.kind == UNKNOWN else FACES[up.kind], "color": color}


def read_remembered(table: Table, value: object, what: str) -> None:
    """Set what the field ``remembered`` says in a table whose other fields were read; ``what`` names it in an error.

    Raises:
        BadLog: a part of it is wrong.
    """
    said = checks.mapping(value, what)
    checks.known_fields(said, (*_TURN_PARTS, *_PARTS), what)
    _read_turn(table, said, what)
    for name, part in said.items():
        if name in _PARTS:
            _PARTS[name](table, part, f"{what}: {name}")


def _read_turn(table: Table, said: Mapping[str, Any], what: str) -> None:
    rulings: list[Ruling] = []
    for name in _TURN_PARTS:
        for seat, cited in _by_seat(table, said.get(name, {}), f"{what}: {name}"):
            basis = _basis(table, cited, f"{what}: {name}")
            rulings.append(
                Skip(basis, seat) if name == "skipped_by" else Turn(basis, seat, DIRECTIONS[table.direction])
            )
    table.settled = tuple(rulings)


def _basis(table: Table, value: object, what: str) -> Basis:
    cited, rules = checks.mapping(value, what), table.constants.rules
    checks.known_fields(cited, ("rule", "part"), what)
    rule, part = cited.get("rule"), checks.text(cited.get("part", WHOLE), f"{what}: part")
    try:
        return rules.cited(None if rule is None else checks.text(rule, f"{what}: rule"), part)
    except (KeyError, TypeError) as err:
        raise BadLog(f"{what}: rule {checks.shorten(rule)}: expected a rule of {rules.name}") from err


def _by_seat(table: Table, value: object, what: str) -> Iterable[tuple[int, Any]]:
    for seat, one in checks.mapping(value, what).items():
        if not seat.isdecimal() or len(seat) > 2:
            raise BadLog(f"{what} of seat {checks.shorten(seat)}: expected a number")
        yield checks.seat(int(seat), what, table.constants.seats), one


def _seat(table: Table, value: object, what: str) -> int:
    return checks.seat(value, what, table.constants.seats)


def _kinds(value: object, what: str) -> tuple[int, ...]:
    return tuple(KIND[checks.face(card, what)] for card in checks.array(value, what))


def _report(table: Table, value: object, what: str, kind: type[Observation] = Observation) -> Any:
    """An observation that was reported; of the ``kind`` that is asked for."""
    try:
        report = parse_observation(checks.mapping(value, what), table.constants.seats)
    except BadLog as err:
        raise BadLog(f"{what}: {err}") from err
    if not isinstance(report, kind):
        raise BadLog(f"{what}: obs {report.name!r}: expected {kind.name!r}")
    return report


def _fields(value: object, names: tuple[str, ...], what: str, *, optional: tuple[str, ...] = ()) -> list[Any]:
    """The values of an object with these fields; ``None`` for an ``optional`` one that is missing."""
    data = checks.mapping(value, what)
    checks.known_fields(data, (*names, *optional), what)
    if missing := [name for name in names if name not in data]:
        raise BadLog(f"{what}: {missing[0]} is missing: expected {', '.join(names)}")
    return [data.get(name) for name in (*names, *optional)]


def _read_under(table: Table, value: object, what: str) -> None:
    top, color = _fields(value, ("top", "color"), what)
    cards = table.cards
    up = cards.no_up_card if top is None else cards.laid[KIND[checks.face(top, f"{what}: top")]]
    if color is not None:
        up = cards.with_color(up, cards.colors.index(checks.one_of(color, cards.colors, f"{what}: color")))
    table.up_before = up


def _read_picks(table: Table, value: object, what: str) -> None:
    cards = checks.array(value, what, table.constants.seats)
    table.picks = [
        None if card is None else UNKNOWN if card == UNREAD else KIND[checks.face(card, what)] for card in cards
    ]


def _read_to_deal(table: Table, value: object, what: str) -> None:
    counts = [checks.whole(n, what) for n in checks.array(value, what, table.constants.seats)]
    if any(n > held for n, held in zip(counts, table.hands, strict=True)):
        raise BadLog(f"{what} {counts}: expected no more than the hands, {table.hands}")
    table.to_deal = counts


def _read_since_touch(table: Table, value: object, what: str) -> None:
    n, cards, known = _fields(value, ("n", "cards", "known"), what)
    kinds = _kinds(cards, f"{what}: cards")
    table.since_touch = checks.whole(n, f"{what}: n", len(kinds)), kinds, _kinds(known, f"{what}: known")


def _read_stacked(table: Table, value: object, what: str) -> None:
    table.stacked = checks.one_of(value, ("", *table.cards.why.values()), what)


def _read_laid(table: Table, value: object, what: str) -> None:
    report, seat, on_turn, rule = _fields(value, ("report", "seat", "on_turn"), what, optional=("rule",))
    rule = "" if rule is None else checks.one_of(rule, ("jump_in", "play.double"), f"{what}: rule")
    play = _report(table, report, f"{what}: report", Play)
    table.laid = Laid(play, _seat(table, seat, f"{what}: seat"), _seat(table, on_turn, f"{what}: on_turn"), rule)


def _read_begun(table: Table, value: object, what: str) -> None:
    report, seat = _fields(value, ("report", "seat"), what)
    table.begun = _report(table, report, f"{what}: report"), _seat(table, seat, f"{what}: seat")


def _read_rule_card(table: Table, value: object, what: str) -> None:
    seat, card = _fields(value, ("seat", "card"), what)
    table.rule_card = _seat(table, seat, f"{what}: seat"), KIND[checks.face(card, f"{what}: card")]


def _read_running(table: Table, value: object, what: str) -> None:
    table.running = checks.card_number(value, what)
    if table.running not in table.house_rules:
        raise BadLog(f"{what} {table.running}: expected a number that has a rule in house_rules")


def _read_acted(table: Table, value: object, what: str) -> None:
    for one in checks.array(value, what):
        report = _report(table, one, what, Acted)
        table.acted[report.seat] = report


def _read_touched(table: Table, value: object, what: str) -> None:
    for seat, report in _by_seat(table, value, what):
        table.touched[seat] = _report(table, report, what)


def _read_catch(table: Table, value: object, what: str) -> None:
    report, caught = _fields(value, ("report", "caught"), what)
    by_seat = {seat: checks.whole(n, f"{what}: caught") for seat, n in _by_seat(table, caught, f"{what}: caught")}
    table.catch = _report(table, report, f"{what}: report", Uno), by_seat


def _read_closed(table: Table, value: object, what: str) -> None:
    report, seats, how = _fields(value, ("report", "seats", "how"), what)
    mask = sum({1 << _seat(table, seat, f"{what}: seats") for seat in checks.array(seats, f"{what}: seats")})
    table.closed = _report(table, report, f"{what}: report"), mask, checks.one_of(how, _CLOSINGS, f"{what}: how")


def _read_seen(table: Table, value: object, what: str) -> None:
    seen = Counter[int]()
    for face, n in checks.mapping(value, what).items():
        seen[PLAIN[KIND[checks.face(face, what)]]] += checks.whole(n, what)
    under = table.discard_pile - (table.up.kind != UNKNOWN)
    if seen.total() > under:
        raise BadLog(f"{what}: {seen.total()} cards: expected at most {under}, as lie under the up-card")
    for plain, n in seen.items():
        if n > table.unseen[plain]:
            raise BadLog(f"{what}: {n} times {FACES[plain]}: expected {table.unseen[plain]} at most")
        table.unseen[plain] -= n


def _setting(name: str, check: Callable[[Table, object, str], Any]) -> Callable[[Table, object, str], None]:
    """Set a field of the table that says no more than its value."""

    def read(table: Table, value: object, what: str) -> None:
        setattr(table, name, check(table, value, what))

    return read


def _flag(table: Table, value: object, what: str) -> bool:
    return checks.truth(value, what)


_TURN_PARTS: Final = ("turn_by", "skipped_by")
"""Read together, by `_read_turn`."""

_PARTS: Final[Mapping[str, Callable[[Table, Any, str], None]]] = {
    "last_turn": _setting("turn", _seat),
    "under": _read_under,
    "drawn": _setting("drawn", lambda table, value, what: KIND[checks.face(value, what)]),
    "held": _setting("held", lambda table, value, what: _kinds(value, what)),
    "drew_by_need": _setting("drew_by_need", _flag),
    "turned_up": _setting("turned_up", lambda table, value, what: checks.whole(value, what)),
    "picks": _read_picks,
    "is_first_wild": _setting("is_first_wild", _flag),
    "challenger": _setting("challenger", _seat),
    "since_touch": _read_since_touch,
    "to_deal": _read_to_deal,
    "stacked": _read_stacked,
    "laid": _read_laid,
    "begun": _read_begun,
    "rule_card": _read_rule_card,
    "running": _read_running,
    "acted": _read_acted,
    "went_out": _setting("went_out", _seat),
    "last_served": _setting("last_served", _flag),
    "scored": _setting("scored", _flag),
    "touched": _read_touched,
    "catch": _read_catch,
    "closed": _read_closed,
    "saved": _setting("saved", lambda table, value, what: _report(table, value, what, Uno)),
    "early": _setting("early", lambda table, value, what: _report(table, value, what, Uno)),
    "penalty_drawn": _setting("penalty_drawn", _flag),
    "watch": _setting("watch", _flag),
    "seen": _read_seen,
}
"""By each other part: what reads it."""
