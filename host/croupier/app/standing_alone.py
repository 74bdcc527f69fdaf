"""A game written as a page that stands alone."""

from __future__ import annotations

from pathlib import Path

from croupier.app.extras import no_page
from croupier.app.stories import Played
from croupier.app.writing import write_new


def write_page(played: Played, file: Path) -> None:
    """The page of a game into the new file ``file``.

    Raises:
        CannotWrite: it is there already, or cannot be made.
        CannotServe: what draws pages is not installed.
    """
    try:
        from croupier.web.alone import page_alone
    except ModuleNotFoundError as missing:
        raise no_page(missing) from missing
    write_new(file, page_alone(played.story, played.began).encode())
