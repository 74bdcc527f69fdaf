"""The rules of UNO: cards and decks, the printed rule sheets as data, and a referee. Standard library only.

    from croupier_rules import Header, Referee, observations, ruleset

    referee = Referee(Header(ruleset=ruleset("g7942-en"), seats=("Ann", "Ben"), dealer=0))
    for observation in (observations.Upcard(t=3.0, card="red-5"), observations.Play(t=5.0, card="blue-2")):
        for ruling in referee.observe(observation):
            print(ruling.name, ruling.basis.quote)

What is named here is the public interface (`docs/api.md`); modules below it may change. Each name is loaded on its
first use: `cards` alone loads no rules.
"""

from __future__ import annotations

from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from croupier_rules import cards
    from croupier_rules.errors import BadHeader, BadLog, BadRuleSet, CannotCorrect, CroupierError
    from croupier_rules.referee import (
        Explainer,
        Explanation,
        Header,
        Observation,
        Options,
        Referee,
        Ruling,
        Rulings,
        Written,
        observations,
        parse_header,
        parse_observation,
        replay,
        rulings,
    )
    from croupier_rules.referee.fields import (
        HeaderFields,
        ObservationFields,
        OptionFields,
        PositionFields,
        RulingFields,
    )
    from croupier_rules.referee.game_text import game_from_text, game_to_text
    from croupier_rules.referee.moves import legal
    from croupier_rules.referee.position import Position
    from croupier_rules.referee.position_text import position_from_text, position_to_text
    from croupier_rules.rules import Basis, Rule, RuleSet
    from croupier_rules.rules import load as ruleset
    from croupier_rules.rules import names as rulesets

    __version__: str

_IN: Final = {
    "errors": ("BadHeader", "BadLog", "BadRuleSet", "CannotCorrect", "CroupierError"),
    "referee": (
        *("Explainer", "Explanation", "Header", "Observation", "Options", "Referee", "Ruling", "Rulings", "Written"),
        *("observations", "parse_header", "parse_observation", "replay", "rulings"),
    ),
    "referee.fields": ("HeaderFields", "ObservationFields", "OptionFields", "PositionFields", "RulingFields"),
    "referee.game_text": ("game_from_text", "game_to_text"),
    "referee.moves": ("legal",),
    "referee.position": ("Position",),
    "referee.position_text": ("position_from_text", "position_to_text"),
    "rules": ("Basis", "Rule", "RuleSet"),
}
_PLACES: Final = {
    **{name: f"{module}.{name}" for module, names in _IN.items() for name in names},
    "cards": "cards",
    "ruleset": "rules.load",
    "rulesets": "rules.names",
}
"""By public name: where it is."""

__all__ = [
    "BadHeader",
    "BadLog",
    "BadRuleSet",
    "Basis",
    "CannotCorrect",
    "CroupierError",
    "Explainer",
    "Explanation",
    "Header",
    "HeaderFields",
    "Observation",
    "ObservationFields",
    "OptionFields",
    "Options",
    "Position",
    "PositionFields",
    "Referee",
    "Rule",
    "RuleSet",
    "Ruling",
    "RulingFields",
    "Rulings",
    "Written",
    "__version__",
    "cards",
    "game_from_text",
    "game_to_text",
    "legal",
    "observations",
    "parse_header",
    "parse_observation",
    "position_from_text",
    "position_to_text",
    "replay",
    "ruleset",
    "rulesets",
    "rulings",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version  # loads the library for e-mail

        value: Any = version("croupier-rules")
    elif name in _PLACES:
        value = resolve_name(f"{__name__}.{_PLACES[name]}")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value
