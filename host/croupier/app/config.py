"""`croupier.toml`: what a table says about itself.

Here its section ``[rules]``, the table's own choices on top of a printed sheet::

    [rules]
    base = "g7942-en"
    "draw.voluntary" = "warn"
    "uno.catch.closes" = "play"
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from croupier.errors import BadConfig, BadRuleSet
from croupier.rules import RuleSet, load
from croupier.rules.house import HOUSE, choose
from croupier.rules.ruleset import printed

CONFIG: Final = Path("croupier.toml")
"""Where the program is started."""

_EXPECTED: Final = 'expected [rules] with base = "g7942-en" and the table\'s choices, such as "draw.voluntary" = "warn"'


def ruleset_called(name: str) -> RuleSet:
    """The ruleset that people call ``name``: a printed one, one with choices, or ``house``, which `CONFIG` describes.

    Raises:
        BadRuleSet: there is no such ruleset.
        BadConfig: there is no house ruleset here.
    """
    return house() if name == HOUSE else load(name)


def house(config: Path = CONFIG) -> RuleSet:
    """The ruleset of the table: the printed one that ``config`` names, with the table's own choices.

    Raises:
        BadConfig: the file cannot be read, or names no base, a rule that there is not, or a value that it cannot have.
    """
    section = table(config).get("rules")
    if not isinstance(section, dict) or not isinstance(section.get("base"), str):
        raise BadConfig(f"{config}: rules: base is missing: {_EXPECTED}")
    try:
        base = printed(section.pop("base"))
        return choose(base, dict(_flat(section)))
    except BadRuleSet as err:
        raise BadConfig(f"{config}: rules: {err}") from err


def table(config: Path = CONFIG) -> dict[str, Any]:
    """All that ``config`` says, as TOML has it.

    Raises:
        BadConfig: the file cannot be read, or is no TOML.
    """
    try:
        return tomllib.loads(config.read_text(encoding="utf-8"))
    except OSError as err:
        raise BadConfig(f"{config}: {err.strerror}: {_EXPECTED}") from err
    except ValueError as err:
        raise BadConfig(f"{config}: {err}: expected TOML in UTF-8, with rule ids in quotes") from err


def _flat(section: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """The choices by rule id. Without quotes, TOML takes ``draw.voluntary`` for a table in a table."""
    for key, value in section.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value
