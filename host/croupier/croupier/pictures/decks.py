"""The deck that commands are told with ``--deck``: one that ships, or that of a deck file."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from croupier.errors import BadDeck, BadToml, one_line
from croupier.files import parse_toml, read_toml
from croupier.i18n import _, localize
from croupier_rules.cards import DECKS
from croupier_rules.deck_list import DeckList
from croupier_rules.errors import nearest_names

_FILE: Final = ".toml"


def check_name(name: str) -> str:
    """Return ``name``. Raises `BadDeck` if it is neither that of a deck nor that of a file."""
    if name in DECKS or Path(name).suffix == _FILE or Path(name).is_file():
        return name
    known = nearest_names(name, DECKS) or [*DECKS, "my-deck.toml"]
    raise BadDeck(_("there is no {name}; expected one of {names}", name=one_line(name), names=", ".join(known)))


def deck_list(name: str) -> DeckList:
    """Return the deck of this name, or that of a deck file.

    Raises `BadDeck`, which names the file and the key.
    """
    if name in DECKS:
        return DeckList.shipped(name)
    path, where = Path(check_name(name)), one_line(name)
    try:
        return DeckList.parse(parse_toml(read_toml(path)), where)
    except OSError as err:
        why = _("{why}; expected a deck file (docs/decks.md)", why=err.strerror or err)
        raise BadDeck(f"{where}: {why}") from err
    except BadToml as err:
        why = " ".join(localize(err))
        why = why if err.line is None else _("line {n}: {why}", n=err.line, why=why)
        raise BadDeck(f"{where}: {why}") from err
    except BadDeck as err:
        raise BadDeck(f"{where}: {' '.join(localize(err))}") from err
