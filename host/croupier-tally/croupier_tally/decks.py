"""The deck that commands get with ``--deck``: one that ships, or that of a deck file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from croupier.errors import BadDeck, BadProfile, BadToml, one_line
from croupier.files import CONFIG, parse_toml, read_toml
from croupier.i18n import _, localize
from croupier_rules.cards import DECKS
from croupier_rules.deck_list import DeckList
from croupier_rules.errors import nearest_names

if TYPE_CHECKING:
    from cardsight.enroll import DeckProfile

USUAL_DECK: Final = "g7942"
"""The deck that commands compare cards with, if nobody names another."""

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


def deck_in_play(deck: str | None, config: Path = CONFIG) -> DeckList | None:
    """Return the deck in play: that of this name or deck file, else the one that ``[deck]`` of ``config`` names, else
    the one that its rule sheet is played with; None if none is given. Raises as `profile_path` and `deck_list`."""
    if deck is not None:
        return deck_list(deck)
    if config == CONFIG and not config.exists():
        return None
    from croupier.config import load

    table = load(config)
    if table.deck.file is not None:
        return deck_list(str(table.deck.file))
    if table.rules is None:
        return None
    rules = table.ruleset()
    return DeckList.shipped(rules.deck, icons=rules.most_house_rules > 0)


def check_points(profile: DeckProfile | None, path: Path | None, deck: DeckList | None) -> None:
    """Raise `BadProfile` if nobody says what some cards of a profile count."""
    from croupier.pictures.table_reader import own_faces  # loads OpenCV

    points = {} if deck is None else deck.points
    if profile is not None and (unknown := [face for face in own_faces(profile) if face not in points]):
        why = _(
            "nothing says what {card} counts; name the deck file that lists it, as in --deck my-deck.toml",
            card=unknown[0],
        )
        raise BadProfile(f"{path}: {why}")
