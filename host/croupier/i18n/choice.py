"""Which language somebody reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from croupier.i18n import known

_VARIABLES: Final = ("LC_ALL", "LC_MESSAGES", "LANG")
_MOST: Final = 30


def of_terminal(environment: Mapping[str, str]) -> str:
    """The language of a terminal for which nobody chose one: what the environment says, else English."""
    said = next((environment[name] for name in _VARIABLES if environment.get(name)), "")
    return known(said) or "en"


def of_browser(chosen: str | None, accepted: str, table: str) -> str:
    """The language of a page: what the person chose, else the first that the browser accepts, else the ``table``'s.

    ``accepted``: the header Accept-Language, such as ``de-AT,de;q=0.8,en;q=0.5``.
    """
    if chosen and (code := known(chosen)):
        return code
    wishes = [wish for wish in map(_wish, accepted.split(",")[:_MOST]) if wish[0] > 0]
    for _, name in sorted(wishes, key=lambda wish: -wish[0]):
        if code := known(name):
            return code
    return table


def _wish(said: str) -> tuple[float, str]:
    """How much it is wished (0…1), and what; a weight that is none is taken for none at all."""
    name, _, weight = said.partition(";")
    try:
        return float(weight.partition("=")[2]) if weight else 1.0, name.strip()
    except ValueError:
        return 0.0, name
