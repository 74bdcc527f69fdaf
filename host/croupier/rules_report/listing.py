"""The rulesets there are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from croupier.config import CONFIG
from croupier.config import load as load_config
from croupier.console import Teller
from croupier.i18n import ngettext
from croupier.rules import load, names
from croupier.rules.ruleset import HOUSE
from croupier.rules_report.sheet import head


def listing() -> Iterator[dict[str, Any]]:
    """The printed rulesets, then the table's own where it is described, for JSON.

    Raises:
        BadConfig: after the printed ones, if the description of the table is wrong.
    """
    for name in names():
        yield {"name": name, **head(load(name))}
    config = load_config() if CONFIG.exists() else None
    if config is not None and config.rules is not None:
        yield {"name": HOUSE, **head(config.ruleset())}


def say_listed(line: dict[str, Any], teller: Teller) -> None:
    """A line of the `listing` for people."""
    width = max(map(len, names()))
    cards = ngettext("{n} card", "{n} cards", line["cards"])
    teller.say(f"{line['name']:<{width}}  {cards}  {line['title']}")
    if line["name"] != line["ruleset"]:
        teller.say(line["ruleset"], width + 2, "cyan")
