"""The rulesets there are."""

from __future__ import annotations

from typing import Any

from croupier.app.config import CONFIG, house, table
from croupier.app.rulebook.sheet import head
from croupier.app.telling import Teller
from croupier.rules import load, names
from croupier.rules.house import HOUSE


def listing() -> list[dict[str, Any]]:
    """The printed rulesets, and the table's own where it is described, for JSON."""
    rulesets = {name: load(name) for name in names()}
    if CONFIG.exists() and "rules" in table():
        rulesets[HOUSE] = house()
    return [{"name": name, **head(rules)} for name, rules in rulesets.items()]


def say_listing(said: list[dict[str, Any]], teller: Teller) -> None:
    """The `listing` for people."""
    width = max(len(line["name"]) for line in said)
    for line in said:
        teller.say(f"{line['name']:<{width}}  {line['cards']} cards  {line['title']}")
        if line["name"] != line["ruleset"]:
            teller.say(line["ruleset"], width + 13, "cyan")
