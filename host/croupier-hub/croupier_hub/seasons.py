"""A season in one file, for an archive, a backup, or another database: all logs as their writers signed them.

A gzip file of JSON, a piece a line: ``{"log", "start", "lines", "head", "signature"}`` as in `PUT /logs/{log}/{start}`,
and when it ``arrived``; the director's first, after a line that names the season, and before one with the number of
pieces. A reader checks every signature, as of lines that tables send; so the file need not be trusted, and may be read
in again. What witnesses have signed is not in it: they sign again.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import Annotated, Any, Final

from pydantic import Field, ValidationError
from sqlalchemy import Engine, delete, inspect, select

from croupier.errors import BadLog, CannotWrite, marked
from croupier.output_files import check_new
from croupier_hub.errors import BadHub
from croupier_hub.messages import Body, Verdict
from croupier_hub.outbox import Outbox
from croupier_hub.schema import partition_of
from croupier_hub.signed_log import Sent
from croupier_hub.standings import Key
from croupier_hub.store import LogStore
from croupier_hub.tables import BRANCHES, COSIGNATURES, LINES, LOGS, SEASONS
from croupier_rules.errors import json_object

_FORM: Final = "croupier-season-1"
_LONGEST: Final = 8_000_000
"""Of a line, in bytes: a piece is what one request has taken."""

_DAMAGED: Final = marked("{file}, line {n}: expected a season as croupier hub archive writes it; take another copy")
_NOT_ALL: Final = marked("{file}: the database has more than that now; stop the hubs, and write another archive")
_REFUSED: Final = marked("{file}, line {n}: not what the table or the director has signed; take another copy")


def archive(store: LogStore, file: Path) -> int:
    """Write the season of a store into a new file, which only its owner may read; returns the number of lines of logs.

    Raises:
        CannotWrite: the file exists, or cannot be written.
    """
    check_new(file)
    lines = pieces = 0
    made: Path | None = None
    try:
        with NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}.", delete=False) as whole:
            made = Path(whole.name)
            with gzip.GzipFile("", "wb", 6, whole, mtime=0) as packed:
                packed.write(_row({"form": _FORM, "director": store.director}))
                for sent, arrived in _pieces(store):
                    row = {"log": sent.log, "start": sent.start, "arrived": arrived}
                    packed.write(_row(row | Body.of(sent).model_dump()))
                    lines, pieces = lines + len(sent.lines), pieces + 1
                packed.write(_row({"pieces": pieces}))
            whole.flush()
            os.fsync(whole.fileno())
        os.link(made, file)  # never over another one
    except OSError as err:
        raise CannotWrite(f"{file}: {err.strerror}") from err
    finally:
        if made is not None:
            made.unlink(missing_ok=True)
    return lines


def restore(url: str, file: Path) -> tuple[str, int]:
    """Take the season of a file into the database ``url``; what is there already counts once. Returns the director's
    key and the number of lines of logs.

    Raises:
        BadHub: the file is damaged or not what was signed, or the database cannot be used.
    """
    rows = _rows(file)
    first = next(rows, {})
    director = first.get("director")
    if first.get("form") != _FORM or not isinstance(director, str) or not re.fullmatch("[0-9a-f]{64}", director):
        raise BadHub(_DAMAGED, file=file, n=1)
    lines, n, arrived = 0, 1, list[int | None]([None])
    with closing(LogStore(url, director, lambda: arrived[0])) as store, store.errors():
        for n, row in enumerate(rows, start=2):
            if row.get("pieces") == n - 2:
                return director, lines
            sent, arrived[0] = _sent(row, file, n)
            verdict = store.put(sent).verdict
            if verdict in (Verdict.SIGNATURE, Verdict.CHAIN):
                raise BadHub(_REFUSED, file=file, n=n)
            if verdict not in (Verdict.ACCEPTED, Verdict.FORK):
                break
            lines += len(sent.lines)
        else:
            n += 1
    raise BadHub(_DAMAGED, file=file, n=n)


def complete(outbox: Outbox, url: str) -> int:
    """Give a copy of the director's file the lines that it lacks of the season in the database ``url``; returns how
    many. The director would otherwise write others in their place.

    Raises:
        BadOutbox: it has other lines in their place.
    """
    texts = list[str]()
    with closing(LogStore(url, outbox.log)) as store, store.errors():
        while (sent := store.sent(outbox.log, len(texts))).lines:
            texts += sent.lines
    return outbox.take_back(texts)


def check(store: LogStore, file: Path) -> dict[str, tuple[int, int | None]]:
    """Take the season of a file into a database of its own, and see that it is all that the store has: its heads.

    Raises:
        BadHub: it is not, as while a hub goes on.
    """
    with TemporaryDirectory(prefix="croupier-season-") as folder:
        url = f"sqlite:///{Path(folder) / 'hub.db'}"
        director, _lines = restore(url, file)
        with closing(LogStore(url, director)) as again:
            if director != store.director or (heads := again.heads()) != store.heads():
                raise BadHub(_NOT_ALL, file=file)
            return heads


def remove(engine: Engine, director: str, heads: Mapping[str, tuple[int, int | None]], file: Path) -> None:
    """Take a season with these heads, which are in the ``file``, out of a database, as its owner: a partition of its
    own goes as a whole.

    Raises:
        BadHub: there is more by now.
    """
    own, key = partition_of(director), bytes.fromhex(director)
    with engine.begin() as connection:
        number = connection.execute(select(SEASONS.c.id).where(SEASONS.c.key == key)).scalar()
        logs = connection.execute(select(LOGS).where(LOGS.c.season == number).with_for_update()).all()
        if {row.name.hex(): (row.lines, row.fork) for row in logs} != heads:
            raise BadHub(_NOT_ALL, file=file)
        if engine.dialect.name == "postgresql" and inspect(connection).has_table(own):
            connection.exec_driver_sql(f"ALTER TABLE line DETACH PARTITION {own}")
            connection.exec_driver_sql(f"DROP TABLE {own}")
        for table in (LINES, BRANCHES, COSIGNATURES, LOGS):
            connection.execute(delete(table).where(table.c.season == number))
        connection.execute(delete(SEASONS).where(SEASONS.c.id == number))


def _pieces(store: LogStore) -> Iterator[tuple[Sent, int | None]]:
    for log in sorted(store.heads(), key=lambda name: (name != store.director, name)):
        yield from store.pieces(log)
        for branch in store.branches(log):
            yield branch, None


def _row(data: dict[str, Any]) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    n = 1
    try:
        with gzip.open(file) as packed:
            while line := packed.readline(_LONGEST):
                yield json_object(line.decode())
                n += 1
    except (EOFError, gzip.BadGzipFile, zlib.error, UnicodeDecodeError, BadLog) as err:
        raise BadHub(_DAMAGED, file=file, n=n) from err
    except OSError as err:
        raise BadHub(f"{file}: {err.strerror}") from err


class _Piece(Body):
    log: Key
    start: Annotated[int, Field(ge=0, le=1 << 30)]
    arrived: Annotated[int, Field(ge=0, le=1 << 40)] | None = None


def _sent(row: dict[str, Any], file: Path, n: int) -> tuple[Sent, int | None]:
    try:
        piece = _Piece.model_validate(row)
    except ValidationError as err:
        raise BadHub(_DAMAGED, file=file, n=n) from err
    head, signature = bytes.fromhex(piece.head), bytes.fromhex(piece.signature)
    return Sent(piece.log, piece.start, tuple(piece.lines), head, signature), piece.arrived
