"""The page of `croupier score page`: score sheets without a table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from croupier.journal import Journal
from croupier.optional_dependencies import WEB, requires_extra

if TYPE_CHECKING:
    from croupier.web.serving import WebServer


@contextmanager
def serve_scores(folder: Path, host: str, port: int | None, deck_profile: Path | None) -> Iterator[WebServer]:
    """Context in which a page keeps the score sheets in ``folder``; everybody who reaches it may write on them. Games
    of a table that stand in this folder are shown, too.

    Raises:
        CannotServe: the page is not installed, the address does not exist, or the port is taken.
    """
    with requires_extra(WEB):
        from croupier.web.accounts import Accounts, Person
        from croupier.web.dependencies import StartPage
        from croupier.web.picture_reader import PictureReader
        from croupier.web.serving import serve_in_thread
    reader, place = PictureReader(deck_profile), folder / "croupier.journal"
    own = {PictureReader: reader, StartPage: StartPage("/score")}
    accounts = Accounts(everybody=Person("player"))
    with TemporaryDirectory(prefix="croupier-") as empty:
        journal = place
        if not place.exists():
            journal = Path(empty) / place.name
            Journal(journal).close()  # a site has a journal
        with serve_in_thread(journal, accounts, host=host, port=port, own=own, beside=place) as up:
            yield up
    reader.close()
