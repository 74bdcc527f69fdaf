"""The model of `croupier.toml`, and the settings of the devices in the form of their drivers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final, get_args

from pydantic import BaseModel, create_model

from croupier import plugins
from croupier.config import sections
from croupier.config.options import Option, Section, options
from croupier.names import seat_names
from croupier_rules.referee import Header, Options, Written
from croupier_rules.referee.header import checked
from croupier_rules.rules import RuleSet
from croupier_rules.rules.catalogue import OF_THE_CARDS, VALUES
from croupier_rules.rules.ruleset import choose, parts_of, printed

if TYPE_CHECKING:
    from croupier.devices.pico import Layout


class Config(Section):
    """The description of a table. Sections that the file leaves out have their defaults."""

    table: sections.Table = sections.Table()
    rules: sections.Rules | None = None
    seats: sections.Seats = sections.Seats()
    game: sections.Game = sections.Game()
    camera: sections.Camera = sections.Camera()
    deck: sections.Deck = sections.Deck()
    shoe: sections.Shoe = sections.Shoe()
    pico: sections.Pico = sections.Pico()
    buttons: sections.Buttons = sections.Buttons()
    panel: sections.Panel = sections.Panel()
    ring: sections.Ring = sections.Ring()
    gpio: sections.Gpio = sections.Gpio()
    journal: sections.JournalFile = sections.JournalFile()
    page: sections.Page = sections.Page()

    @property
    def plugin_sections(self) -> dict[str, Section | tuple[Section, ...]]:
        """The sections of plug-ins that the file has, by name."""
        return {name: getattr(self, name) for name in type(self).model_fields if name not in Config.model_fields}

    def sections_of_plugins(self) -> Iterator[tuple[tuple[str | int, ...], Section]]:
        """Yield each of them with its path: ``("mqtt",)``, ``("webhooks", 0)``."""
        for name, found in self.plugin_sections.items():
            if isinstance(found, tuple):
                yield from (((name, at), one) for at, one in enumerate(found))
            else:
                yield (name,), found

    @property
    def changeable_sections(self) -> dict[str, Section]:
        """The sections of plug-ins with options that the page changes (`Section.at_once`), by name; their defaults
        where the file does not have them."""
        kinds = plugins.loaded(plugins.SECTIONS)
        return {name: getattr(self, name, None) or kind() for name, kind in kinds.items() if hasattr(kind, "at_once")
                and kind.at_once}  # fmt: skip

    def ruleset(self) -> RuleSet:
        """The sheet with the table's own choices.

        Raises:
            BadRuleSet: there is no such sheet, rule or value, or they cannot be combined. Not raised for a
                configuration that was loaded.
        """
        rules = self.rules or sections.Rules(base=USUAL_SHEET)
        return choose(printed(rules.base), choices(rules), (rules.house,) if rules.house else ())

    def names(self) -> tuple[str, ...]:
        """The names of the seats; seats without names are called by their numbers."""
        return self.seats.names or seat_names(self.seats.number or USUAL_SEATS)

    def header(self) -> Header:
        """The header of a new game's log.

        Raises:
            BadLog: the sheet does not allow these options. Not raised for a configuration that was loaded.
        """
        game, blank = self.game, self.game.blank
        options = Options(
            target=game.target,
            scoring=game.scoring,
            limit=game.limit,
            deal=game.deal,
            own_penalties=game.own_penalties or False,
            custom=None if blank is None else Written(**blank.model_dump()),
        )
        seats, rules = self.seats, self.ruleset()
        return checked(
            Header(ruleset=rules, seats=self.names(), dealer=seats.dealer, teams=seats.teams, options=options)
        )


def later_options(header: Header) -> Mapping[str, Any]:
    """Return the options with which `Config.header` has the rules, partners and agreements of ``header``, by name:
    ``rules.base``, ``rules.stack.draw2``, ``game.blank.text``; None: the default."""
    return _later_options(header.ruleset.name, header.teams, header.options)


@lru_cache(maxsize=8)
def _later_options(ruleset: str, teams: tuple[tuple[int, ...], ...], agreed: Options) -> Mapping[str, Any]:
    base, house, rules = parts_of(ruleset)
    blank = agreed.custom
    return {
        "rules.base": base,
        "rules.house": house,
        **{f"rules.{rule}": rules.get(rule) for rule in VALUES if rule not in OF_THE_CARDS},
        "seats.teams": teams,
        "game.target": agreed.target,
        "game.scoring": agreed.scoring,
        "game.limit": agreed.limit,
        "game.deal": agreed.deal,
        "game.own_penalties": agreed.own_penalties,
        **{f"game.blank.{name}": blank and (getattr(blank, name) or None) for name in sections.Blank.model_fields},
    }


USUAL_SHEET: Final = "g7942-en"
USUAL_SEATS: Final = 4
"""Defaults of a file without sheet and seats."""


def choices(rules: sections.Rules) -> dict[str, Any]:
    """Return the table's own choices by rule id. Without quotes, TOML parses ``draw.voluntary`` as nested tables."""
    return dict(_flattened(rules.model_extra or {}))


def _flattened(nested: dict[str, Any], above: str = "") -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for key, value in nested.items():
        found += _flattened(value, f"{above}{key}.") if isinstance(value, dict) else [(f"{above}{key}", value)]
    return found


def config_class(names: Iterable[str] = ()) -> type[Config]:
    """Return the class of a configuration with those sections of these ``names`` that belong to plug-ins.

    Raises:
        PluginUnavailable: a plug-in lacks a package.
    """
    others = sorted(name for name in names if name not in Config.model_fields)
    return _config_class(tuple(name for name in others if name in plugins.names(plugins.SECTIONS)))


@cache
def _config_class(names: tuple[str, ...]) -> type[Config]:
    if not names:
        return Config
    sections: dict[str, Any] = {name: plugins.load(plugins.SECTIONS, name) for name in names}
    fields: Any = {name: (section, section()) for name, section in sections.items()}  # an alias of a tuple makes ()
    made: type[Config] = create_model("Config", __base__=Config, **fields)
    return made


def section_names() -> list[str]:
    """Return the names of all sections of the file. The sections of installed plug-ins come last."""
    return [*Config.model_fields, *plugins.names(plugins.SECTIONS)]


def section_class(name: str) -> type[BaseModel] | None:
    """Return the class of a section of the file; None if there is no such section."""
    field = config_class((name,)).model_fields.get(name)
    return None if field is None else model_in(field.annotation)


def model_in(annotation: Any) -> type[BaseModel] | None:
    """Return the section class inside a type such as ``Blank | None`` or ``tuple[Webhook, ...]``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for one in get_args(annotation) if (found := model_in(one)) is not None), None)


def option_at(path: tuple[str | int, ...]) -> Option | None:
    """Return the option at ``path``, such as ``("camera", "size")``; ``None`` if there is no such option."""
    model: type[BaseModel] | None = config_class(tuple(map(str, path[:1])))
    found: Option | None = None
    for part in path:
        if isinstance(part, int) or model is None:
            continue
        found = next((one for one in options(model) if one.name == part), None)
        model = None if found is None else model_in(model.model_fields[part].annotation)
    return found


def uses_pico(config: Config) -> bool:
    """True if shoe, buttons or ring are connected to a Pico."""
    return "pico" in (config.shoe.kind, config.buttons.kind, config.ring.kind)


def uses_pi_pins(config: Config) -> bool:
    """True if any device is connected to the Pi's own pins."""
    return "pi" in (config.shoe.kind, config.buttons.kind, config.ring.kind) or config.panel != type(config.panel)()


def layout(config: Config) -> Layout:
    """Return the layout of the table as the Pico's shoe needs it."""
    from croupier.devices.pico import Layout

    shoe = config.shoe
    return Layout(
        seats=len(config.names()), angles=shoe.angles, lights=config.ring.lights, speed=shoe.speed,
        turn_speed=shoe.turn_speed, turn_acceleration=shoe.turn_acceleration,
    )  # fmt: skip
