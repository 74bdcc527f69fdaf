"""The user's own deck, as `croupier enroll` learned it: where its file is, and the card reader that knows it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from croupier.app.config import CONFIG, load
from croupier.app.reading.pictures import Read, card_reader
from croupier.errors import BadProfile

if TYPE_CHECKING:
    from cardsight.enroll import DeckProfile, DeckReader
    from cardsight.reader import Reader


def profile_path(option: str | None) -> Path | None:
    """The deck profile that is meant: that of the option, else ``profile`` in ``[deck]`` of `CONFIG`, else none.

    Raises `BadConfig` where `CONFIG` is there and something in it is wrong.
    """
    if option is not None:
        return Path(option)
    return load().deck.profile if CONFIG.exists() else None


def load_profile(path: Path, *, renew: bool = False) -> DeckProfile:
    """What was learned of a deck. Raises `BadProfile`."""
    from cardsight import model
    from cardsight.enroll import profile
    from cardsight.errors import NotAProfile

    try:
        return profile.load(path, model.load(), model.fingerprint(), renew=renew)
    except NotAProfile as fault:
        raise BadProfile(f"{path}: {fault}") from fault


def deck_reader(option: str | None) -> Read:
    """The card reader, with the deck profile that is meant (`profile_path`), if any.

    Raises `NoModel`, `BadProfile` or `BadConfig`.
    """
    return reader_of(profile_path(option)).read


def reader_of(profile: Path | None) -> DeckReader | Reader:
    """The card reader, with what was learned of a deck, if anything was.

    Raises `NoModel` or `BadProfile`.
    """
    from cardsight.enroll import DeckReader
    from cardsight.reader import Reader

    card_reader()  # tells where a part of the model is missing
    return Reader() if profile is None else DeckReader(Reader(), load_profile(profile))
