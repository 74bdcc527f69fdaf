"""Mistakes in `croupier.toml`: in a single option, and where sections do not fit together."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

from pydantic_core import ErrorDetails

from croupier.config.model import (
    Config,
    choices,
    config_class,
    model_in,
    option_at,
    section_class,
    section_names,
    uses_pi_pins,
)
from croupier.config.options import InvalidValue, Option, expected_one_of, options
from croupier.errors import BadConfig, BadHeader, BadRuleSet, PluginUnavailable
from croupier.i18n import _, localize, ngettext
from croupier.plugins import SECTIONS, is_known, pi_pins, unavailable
from croupier_rules.referee.header import seats_of
from croupier_rules.rules.ruleset import choose, names, presets, printed, value_of

_NESTED: Final = (("panel", "seat_keys"), ("game", "blank"))
"""Options that are sections themselves."""

_HIDDEN: Final = "…"

MOST_MISTAKES: Final = 50
_MOST_LETTERS: Final = 80
"""Limits of what is listed: mistakes in a file, characters of a wrong value."""

Where = tuple[str | int, ...]
"""The path of an option, such as ``("camera", "size")`` or ``("webhooks", 0, "url")``."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake in the file. ``line``: from 1, or None if it has none; ``where``: such as ``[camera] size``."""

    line: int | None
    where: str
    text: str

    def __str__(self) -> str:
        return f"{self.where}: {self.text}" if self.where else self.text


class BadConfigFile(BadConfig):
    """An invalid `croupier.toml`, with all its mistakes."""

    def __init__(self, file: Path, mistakes: Sequence[Mistake]) -> None:
        ordered = sorted(dict.fromkeys(mistakes), key=lambda one: one.line or 0)
        if len(ordered) > MOST_MISTAKES:
            ordered[MOST_MISTAKES:] = [Mistake(None, "", _("there are more mistakes: correct these first"))]
        self.mistakes = tuple(ordered)
        super().__init__(*(f"{file}{'' if one.line is None else f':{one.line}'}: {one}" for one in self.mistakes))


def format_path(where: Where) -> str:
    """Format a path as in the file: ``[camera] size``, ``[[webhooks]] url``."""
    if not where:
        return ""
    section, *inside = where
    is_list = bool(inside) and isinstance(inside[0], int)
    names = [str(part) for part in inside if isinstance(part, str)]
    head = f"[[{section}]]" if is_list else f"[{section}]" if section in section_names() else str(section)
    return " ".join([head, *([".".join(names)] if names else [])])


def translate_error(error: ErrorDetails) -> tuple[Where, str]:
    """Translate a finding of pydantic into the path of the option and one line about the mistake."""
    where: Where = tuple(error["loc"])
    match error["type"]:
        case "extra_forbidden":
            return where, _unknown(where, error["input"])
        case "missing":
            return where, missing(where)
        case "model_type" | "model_attributes_type" if len(where) == 1:
            return where, _("expected a section [{section}] with options in it", section=where[0])
        case "value_error":
            refused = error["ctx"]["error"]
            where, value = _option_path(where), str(refused)
            if isinstance(refused, InvalidValue):
                return where, value
        case _ignored:
            where, value = _option_path(where), as_toml(error["input"])
            value = value if len(value) <= _MOST_LETTERS else f"{value[:_MOST_LETTERS]}{_HIDDEN}"
    value = _HIDDEN if _is_secret(where) else value
    return where, _("{value}: expected {expected}", value=value, expected=_expected(option_at(where)))


def missing(where: Where) -> str:
    """Describe a required option that is missing."""
    return _("is missing: expected {expected}", expected=_expected(option_at(where)))


def _is_secret(where: Where) -> bool:
    """True if the value at this path, or a part of it, must not be shown."""
    if any(isinstance(part, str) for part in where[1:]):
        return (option := option_at(where)) is not None and option.is_secret
    section = section_class(str(where[0])) if where else None
    return section is not None and any(one.is_secret for one in options(section))


def _option_path(where: Where) -> Where:
    """Remove the parts that pydantic adds for the members of a union and of a list."""
    return where if len(where) < 2 or isinstance(where[1], int) or where[:2] in _NESTED else where[:2]


def _unknown(where: Where, value: Any) -> str:
    name = str(where[-1])
    if len(where) == 1:
        if isinstance(value, dict | list) and is_known(SECTIONS, name):
            return localize(unavailable(SECTIONS, name))[0]
        known = section_names()
        what = _("unknown section") if isinstance(value, dict | list) else _("is outside any section")
    else:
        section: Any = config_class((str(where[0]),))
        for part in where[:-1]:
            section = section if isinstance(part, int) else model_in(section.model_fields[part].annotation)
        known = [one.name for one in options(section)]
        what = _("unknown option")
    return f"{what}: {expected_one_of(name, known)}"


def _expected(option: Option | None) -> str:
    if option is None:
        return _("something else")
    if option.example is None:
        return option.in_words
    example = f"{option.name} = {as_toml(option.example)}"
    return _("{expected}, such as {example}", expected=option.in_words, example=example)


def as_toml(value: Any) -> str:
    """Format a value as in the file."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {as_toml(one)}' for key, one in value.items())} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(as_toml, value))}]"
    return json.dumps(value, ensure_ascii=False, default=str)


_OF_HEADER: Final[dict[str, Where]] = {
    "teams": ("seats", "teams"),
    "custom": ("game", "blank", "text"),
    "variant": ("game", "limit"),
}
"""Paths of the options behind fields of a log's header, where their names differ."""


def inconsistencies(config: Config, broken: Set[str] = frozenset()) -> Iterator[tuple[Where, str]]:
    """Yield path and description of each point in which sections, sheet and pins do not fit together.

    ``broken``: sections with mistakes of their own; checks that depend on them are skipped.
    """
    wrong = [*islice(_rules(config), MOST_MISTAKES + 1), *([] if "seats" in broken else _seats(config))]
    if not wrong and broken.isdisjoint(("rules", "seats")):
        wrong += _number_of_seats(config)
    yield from wrong
    if not wrong and broken.isdisjoint(("rules", "seats", "game")):
        try:
            config.header()
        except BadHeader as err:
            yield _OF_HEADER.get(err.field, ("game", err.field)), " ".join(localize(err))
    yield from _camera(config)
    yield from _shoe(config)
    for where, section in config.sections_of_plugins():
        yield from (((*where, name), missing((*where, name))) for name in section.lacks())
    if uses_pi_pins(config):
        try:
            pi_pins().check(config)
        except (BadConfig, PluginUnavailable) as err:
            first = next(name for name in ("panel", "buttons", "shoe", "ring") if name in config.model_fields_set)
            yield (first,), localize(err)[0].removeprefix("gpio: ")


def _rules(config: Config) -> Iterator[tuple[Where, str]]:
    if config.rules is None:
        return
    name = config.rules.base
    if name not in names():
        expected = expected_one_of(name, names())
        yield ("rules", "base"), _("{name}: unknown rule sheet: {expected}", name=name, expected=expected)
        return
    if (house := config.rules.house) is not None and house not in presets():
        yield ("rules", "house"), _("{name}: unknown house rules: {expected}",
                                    name=house, expected=expected_one_of(house, tuple(presets())))  # fmt: skip
        return
    is_valid = True
    for rule, value in choices(config.rules).items():
        try:
            value_of(rule, value)
        except BadRuleSet as err:
            is_valid = False
            quoted = rule in (config.rules.model_extra or {})
            yield ("rules", *([rule] if quoted else rule.split("."))), str(err).removeprefix(f"{rule}: ")
    if is_valid:
        try:
            choose(printed(name), choices(config.rules), (house,) if house else ())
        except BadRuleSet as err:
            yield ("rules",), " ".join(localize(err))


def _seats(config: Config) -> Iterator[tuple[Where, str]]:
    seats, n = config.seats, len(config.names())
    if seats.names and seats.number not in (None, n):
        text = _("{number}, but there are {n} names: leave one of the two out", number=seats.number, n=n)
        yield ("seats", "number"), text
    if seats.dealer is not None and seats.dealer >= n:
        yield ("seats", "dealer"), _no_seat(seats.dealer, n)
    if (angles := len(config.shoe.angles)) not in (0, n):
        text = _("{angles} angles for {n} seats: expected one angle for each seat", angles=angles, n=n)
        yield ("shoe", "angles"), text
    if (pins := len(config.buttons.pins)) > n:
        yield ("buttons", "pins"), _("{pins} buttons for {n} seats: expected at most one for each seat", pins=pins, n=n)
    for at, key in enumerate(config.panel.seat_keys):
        if key.seat >= n:
            yield ("panel", "seat_keys", at), _no_seat(key.seat, n)


def _number_of_seats(config: Config) -> Iterator[tuple[Where, str]]:
    """Check the number of seats against the sheet."""
    n, (least, most) = len(config.names()), seats_of(config.ruleset())
    if not least <= n <= most:
        text = ngettext(
            "{n} seat: expected {least} to {most}", "{n} seats: expected {least} to {most}", n, least=least, most=most
        )
        yield ("seats",), text


def _no_seat(seat: int, n: int) -> str:
    return _("there is no seat {seat}: expected 0 to {last}", seat=seat, last=n - 1)


def _camera(config: Config) -> Iterator[tuple[Where, str]]:
    camera = config.camera
    places = {"pile": camera.pile, "show": camera.show, "card_px": camera.card_px}
    missing = [name for name, value in places.items() if value is None]
    if camera.calibration is None and 0 < len(missing) < len(places):
        given = next(name for name in places if name not in missing)
        names = ", ".join(missing)
        yield ("camera", given), _("missing: {names}; expected pile, show and card_px, or a calibration", names=names)


def _shoe(config: Config) -> Iterator[tuple[Where, str]]:
    missing = ", ".join(name for name in ("forward", "back", "exit") if getattr(config.shoe, name) is None)
    if config.shoe.kind == "pi" and missing:
        text = _("a shoe at the Pi's pins; missing: {names}; expected the pin of each", names=missing)
        yield ("shoe", "kind"), text
    if config.buttons.kind == "pi" and not config.buttons.pins:
        yield ("buttons", "kind"), _("buttons at the Pi's pins: pins is missing: expected one for each seat")
