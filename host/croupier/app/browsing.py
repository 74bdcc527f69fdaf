"""Games that were played, on a page: those of a journal, or of table logs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import time
from typing import TYPE_CHECKING

from croupier.app.archiving import take_in
from croupier.app.extras import no_page
from croupier.journal import Journal

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
        from croupier.web.people import People
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
