"""What a game costs the card or disk that the journal is on."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from croupier.journal.database import open_to_read
from croupier.journal.journal import Journal


def bytes_written(lines: Iterable[str]) -> int:
    """How many bytes are written to the disk in all while a game of these ``lines`` is played, one at a time.

    Plays it into a journal of its own: what went into the write-ahead log, and from there into the file.
    """
    first, *more = lines
    with TemporaryDirectory(prefix="croupier-") as folder:
        path = Path(folder) / "journal"
        with Journal(path) as journal:
            game = journal.add([first], began=0.0)
            with closing(open_to_read(path)) as reader:
                # While somebody reads, the write-ahead log is never begun anew: its size is all that went into it.
                reader.execute("BEGIN")
                reader.execute("SELECT * FROM game").fetchone()
                for line in more:
                    journal.append(game, json.loads(line))
                logged = Path(f"{path}-wal").stat().st_size
        return logged + path.stat().st_size
