"""The journal, written: each line is on the disk before anything acts on it.

with Journal(Path("croupier.journal")) as journal:
    game = journal.begin(header.to_json(), began=time())
    journal.append(game, to_json(observation))
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from croupier.errors import BadJournal, CannotWrite, marked
from croupier.journal.archive import Archive
from croupier.journal.chain import NOTHING, chained
from croupier.journal.database import GAME, open_to_write, told, transaction
from croupier.journal.lines import text_of


class Journal(Archive):
    """The journal ``path``, open for writing by this process and no other. It is made where it is not there.

    Whatever fails, a line is written whole or not at all, and what was written before stays: after an error the same
    call may simply be made again.

    Raises:
        CannotWrite: the place cannot be written, or another process writes there.
        BadJournal: there is a file that is no journal, or a damaged one.
    """

    def __init__(self, path: Path) -> None:
        # Ended with the process that holds it, however that ends.
        self._lock = _locked(Path(f"{path}-writer"))
        try:
            super().__init__(path, open_to_write)
        except BaseException:
            self._lock.close()
            raise

    def begin(self, header: Mapping[str, Any], *, began: float) -> int:
        """Begin a game; ``began``: now, in seconds since 1970. Returns its number.

        Raises:
            CannotWrite: nothing was written.
        """
        return self.add([text_of(header)], began=began)

    def add(self, lines: Iterable[str], *, began: float) -> int:
        """Take in a whole game, line by line as it stands in a table log, all at once. Returns its number.

        Raises:
            CannotWrite: nothing was written.
        """
        with told(self.path), transaction(self._connection):
            game = (self.last() or 0) + 1
            self._connection.execute("INSERT INTO game (id, began) VALUES (?, ?)", (game, began))
            self._write(game, 0, NOTHING, lines)
        return game

    def append(self, game: int, *lines: Mapping[str, Any]) -> int:
        """Write what was observed; when this returns, it is on the disk, all of it or (after an error) nothing.

        What belongs together, such as a correction with what it tells anew, goes into one call.
        Returns how many lines the game has now.

        Raises:
            CannotWrite: nothing was written.
        """
        texts = [text_of(line) for line in lines]
        with told(self.path), transaction(self._connection):
            # Read anew each time: after an error it is the disk that knows how far it came.
            last = self._connection.execute(
                f"SELECT id % {GAME}, hash FROM line WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT 1",
                (game * GAME, (game + 1) * GAME),
            ).fetchone()
            if last is None:
                raise BadJournal(f"{self.path}: no game {game}: begin it first")
            n, hash_ = last
            self._write(game, n + 1, hash_, texts)
        return int(n) + 1 + len(texts)

    def resumed(self, game: int) -> list[str]:
        """The lines of ``game``, to go on from: as `lines`, but looked at.

        Raises:
            BadJournal: there is no such game; or a line is not as it was written, and going on would hide that.
        """
        self.lines(game)
        lines, damage = self.whole_lines(game)
        if damage is not None:
            changed = marked(
                "{file}: game {game} is not as it was written from line {line} on; croupier journal export saves what "
                "stands before it: move the file away, and a new one is begun"
            )
            raise BadJournal(changed, file=self.path, game=game, line=damage.line)
        return lines

    def close(self) -> None:
        """Close the file; everything is on the disk already."""
        # What cannot be tidied up now, the next opening does.
        with suppress(CannotWrite), told(self.path):
            super().close()
        self._lock.close()

    def _write(self, game: int, n: int, hash_: bytes, texts: Iterable[str]) -> None:
        for place, text in enumerate(texts, start=n):
            hash_ = chained(hash_, text)
            row = (game * GAME + place, text, hash_)
            self._connection.execute("INSERT INTO line (id, text, hash) VALUES (?, ?, ?)", row)


def _locked(path: Path) -> IO[bytes]:
    try:
        file = path.open("ab")
    except OSError as err:
        no_folder = marked("{file}: {why}: expected a folder that is there and may be written")
        raise CannotWrite(no_folder, file=path, why=err.strerror) from err
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as err:
        file.close()
        taken = marked("{file}: another croupier writes this journal: expected one writer; end the other")
        raise CannotWrite(taken, file=path) from err
    return file
