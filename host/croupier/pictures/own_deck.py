"""The user's own deck, as `croupier enroll` learned it: where its file is, and the card reader that knows it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from croupier.config import CONFIG, load
from croupier.errors import BadProfile
from croupier.pictures.pictures import Read, shipped_model

if TYPE_CHECKING:
    from cardsight.enroll import DeckProfile, DeckReader
    from cardsight.model import Model
    from cardsight.reader import Reader


def profile_path(option: str | None, config: Path = CONFIG) -> Path | None:
    """The deck profile that is meant: that of the option, else ``profile`` in ``[deck]`` of ``config``, else none.

    Raises `BadConfig` where something in that file is wrong, or where it is not there and is not `CONFIG`, which need
    not be.
    """
    if option is not None:
        return Path(option)
    return load(config).deck.profile if config.exists() or config != CONFIG else None


def load_profile(path: Path, model: Model, *, renew: bool = False) -> DeckProfile:
    """What was learned of a deck. Raises `BadProfile`."""
    from cardsight.enroll import profile
    from cardsight.errors import NotAProfile
    from cardsight.model import fingerprint

    try:
        return profile.load(path, model, fingerprint(), renew=renew)
    except NotAProfile as fault:
        raise BadProfile(f"{path}: {fault}") from fault


def deck_reader(option: str | None, config: Path = CONFIG) -> Read:
    """The card reader, with the deck profile that is meant (`profile_path`), if any.

    Raises `ModelNotFound`, `BadProfile` or `BadConfig`.
    """
    return reader_of(profile_path(option, config)).read


def reader_of(profile: Path | None) -> DeckReader | Reader:
    """The card reader, with what was learned of a deck, if anything was.

    Raises `ModelNotFound` or `BadProfile`.
    """
    return reader_and_profile(profile)[0]


def reader_and_profile(path: Path | None) -> tuple[DeckReader | Reader, DeckProfile | None]:
    """As `reader_of`, and what was learned. Both use one model: it is large."""
    from cardsight.enroll import DeckReader
    from cardsight.reader import Reader

    model = shipped_model()
    reader = Reader(model)
    if path is None:
        return reader, None
    profile = load_profile(path, model)
    return DeckReader(reader, profile), profile
