"""Games that were played, as pages: any of a journal or of table logs in a browser, one that stands alone in a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import time
from typing import TYPE_CHECKING

from croupier.journal import Journal
from croupier.optional_dependencies import no_page
from croupier.output_files import write_new
from croupier.replay.archive import take_in
from croupier.replay.stories import Played

if TYPE_CHECKING:
    from croupier.web.serving import Served


@contextmanager
def shown(logs: Sequence[str], journal: Path, host: str, port: int | None) -> Iterator[Served]:
    """Serve ``logs`` (``-``: standard input), or where there are none ``journal``, until the end of the block.

    Raises:
        BadLog: one is no table log. BadJournal: there is no journal.
        CannotServe: the page is not installed, or there is no such address, or its port is taken.
    """
    try:
        from croupier.web.accounts import People
        from croupier.web.serving import served
    except ModuleNotFoundError as missing:
        raise no_page(missing) from missing
    with ExitStack() as stack:
        if logs:
            journal = Path(stack.enter_context(TemporaryDirectory(prefix="croupier-"))) / "croupier.journal"
            with Journal(journal) as writer:
                for log in logs:
                    take_in(writer, log, now=time())
        yield stack.enter_context(served(journal, People(), host=host, port=port))


def write_page(played: Played, file: Path) -> None:
    """The page of a game into the new file ``file``.

    Raises:
        CannotWrite: it is there already, or cannot be made.
        CannotServe: what draws pages is not installed.
    """
    try:
        from croupier.web.standalone_export import page_alone
    except ModuleNotFoundError as missing:
        raise no_page(missing) from missing
    write_new(file, page_alone(played.story, played.began).encode())
