"""What no single option can tell: whether the sections of a `croupier.toml` fit each other, the sheet and the pins."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Final

from croupier.config.mistakes import Where, missing
from croupier.config.model import Config, choices
from croupier.config.options import one_of
from croupier.config.wired import hangs_on_pi, wiring
from croupier.errors import BadConfig, BadLog, BadRuleSet
from croupier.i18n import _, ngettext
from croupier.referee.header import seats_of
from croupier.rules.ruleset import choose, names, printed

_IN_HEADER: Final[dict[str, Where]] = {"teams": ("seats", "teams"), "options": ("game",)}
"""Where the header of a log speaks of what stands elsewhere in the file."""


def misfits(config: Config, broken: Set[str] = frozenset()) -> Iterator[tuple[Where, str]]:
    """Where it does not fit, and why. ``broken``: sections that are left out, as something in them is wrong; what
    depends on them is not asked."""
    wrong = [*_rules(config), *([] if "seats" in broken else _seats(config))]
    if not wrong and broken.isdisjoint(("rules", "seats")):
        wrong += _count(config)
    yield from wrong
    if not wrong and broken.isdisjoint(("rules", "seats", "game")):
        try:
            config.header()
        except BadLog as err:
            said = str(err).removeprefix("header: ")
            at = next((at for begins, at in _IN_HEADER.items() if said.startswith(begins)), ("seats",))
            yield at, said.removeprefix("options: ")
    yield from _camera(config)
    yield from _shoe(config)
    if config.mqtt.password is not None and config.mqtt.user is None:
        yield ("mqtt", "user"), missing(("mqtt", "user"))  # MQTT sends no password without a name
    if hangs_on_pi(config):
        try:
            wiring(config)
        except BadConfig as err:
            first = next(name for name in ("panel", "buttons", "shoe", "ring") if name in config.model_fields_set)
            yield (first,), str(err).removeprefix("gpio: ")


def _rules(config: Config) -> Iterator[tuple[Where, str]]:
    if config.rules is None:
        return
    name = config.rules.base
    if name not in names():
        expected = one_of(name, names())
        yield ("rules", "base"), _("{name}: there is no such sheet: {expected}", name=name, expected=expected)
        return
    base = printed(name)
    for rule, value in choices(config.rules).items():
        try:
            choose(base, {rule: value})
        except BadRuleSet as err:
            quoted = rule in (config.rules.model_extra or {})
            yield ("rules", *([rule] if quoted else rule.split("."))), str(err).removeprefix(f"{rule}: ")


def _seats(config: Config) -> Iterator[tuple[Where, str]]:
    seats = config.seats
    n = len(config.names())
    if seats.names and seats.number not in (None, len(seats.names)):
        yield (
            ("seats", "number"),
            _("{number}, but there are {n} names: leave one of the two out", number=seats.number, n=len(seats.names)),
        )
    if seats.dealer is not None and seats.dealer >= n:
        yield ("seats", "dealer"), _no_seat(seats.dealer, n)
    if config.shoe.angles and len(config.shoe.angles) != n:
        yield (
            ("shoe", "angles"),
            _("{angles} angles, {n} seats: expected one angle for each seat", angles=len(config.shoe.angles), n=n),
        )
    if len(config.buttons.pins) > n:
        yield (
            ("buttons", "pins"),
            _("{pins} buttons, {n} seats: expected one for each seat at most", pins=len(config.buttons.pins), n=n),
        )
    for at, key in enumerate(config.panel.seat_keys):
        if key.seat >= n:
            yield ("panel", "seat_keys", at), _no_seat(key.seat, n)


def _count(config: Config) -> Iterator[tuple[Where, str]]:
    """Whether the sheet is for so many."""
    n, (least, most) = len(config.names()), seats_of(config.ruleset())
    if not least <= n <= most:
        yield (
            ("seats",),
            ngettext(
                "{n} seat: expected {least} to {most}",
                "{n} seats: expected {least} to {most}",
                n,
                least=least,
                most=most,
            ),
        )


def _no_seat(seat: int, n: int) -> str:
    return _("there is no seat {seat}: expected 0 to {last}", seat=seat, last=n - 1)


def _camera(config: Config) -> Iterator[tuple[Where, str]]:
    camera = config.camera
    placed = {"pile": camera.pile, "show": camera.show, "card_px": camera.card_px}
    missing = [name for name, said in placed.items() if said is None]
    if camera.calibration is None and 0 < len(missing) < len(placed):
        there = next(name for name in placed if name not in missing)
        yield (
            ("camera", there),
            _("missing: {names}; expected pile, show and card_px, or a calibration", names=", ".join(missing)),
        )


def _shoe(config: Config) -> Iterator[tuple[Where, str]]:
    shoe = config.shoe
    missing = [name for name in ("forward", "back", "exit") if getattr(shoe, name) is None]
    if shoe.kind == "pi" and missing:
        yield (
            ("shoe", "kind"),
            _("a shoe at the Pi's pins; missing: {names}; expected the pin of each", names=", ".join(missing)),
        )
    if config.buttons.kind == "pi" and not config.buttons.pins:
        yield ("buttons", "kind"), _("buttons at the Pi's pins: pins is missing: expected one for each seat")
