"""Public verification: the logs in a file or at a hub, heads that somebody has kept, and receipts.

A file is that of a table or of the director, the database of a hub, or the log of one game, as
`croupier journal export` writes it.
"""

from __future__ import annotations

import sqlite3
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pydantic import BaseModel, ValidationError

from croupier.errors import marked, one_line
from croupier.i18n import _, localize
from croupier.journal.archive import chained
from croupier.journal.receipt import code_of, read_code
from croupier_hub.checkpoints import Checkpoint, Growth
from croupier_hub.client import DirectorsLog, HubClient
from croupier_hub.cosigning import CHANGED, CUT, goes_on
from croupier_hub.errors import BadCheckpoint, BadHub, HubRefuses
from croupier_hub.merkle import is_included
from croupier_hub.results import FORKED, LOST, STATES
from croupier_hub.signed_log import CHAIN, HEADER, NOTHING, OF_NO_GAME, Head, Sent, name_of
from croupier_hub.standings import Chain, Key, LineNumber, Result, TableLine, directed
from croupier_hub.table_log import contents
from croupier_rules.errors import json_object

_MISSING: Final = marked("the line is missing")
_CHANGED_LINE: Final = marked("the line was changed after it was written")
_UNSIGNED: Final = marked("the signature is not that of the lines so far")
_OTHER_GAME: Final = marked("the result is not that of the game before it")
_NO_LOG: Final = marked("{file}: not the log of a table, a hub or a game, or damaged: {why}")
_SQLITE: Final = b"SQLite format 3\0"
_PART: Final = marked("{key}: lines {first} to {n}, unchanged; those before are only at the hub")
_OUTBOX: Final = "SELECT n, text, hash, NULL, NULL FROM line ORDER BY n"
_HUB: Final = "SELECT n, text, hash, root, signature FROM line WHERE season = ? AND log = ? ORDER BY n"
_LOGS: Final = (
    "SELECT log.season, log.id, lower(hex(name)), lines, fork FROM log JOIN season ON season.id = log.season "
    "ORDER BY key, name"
)
_OLD_LOGS: Final = "SELECT season, name, name, lines, fork FROM log ORDER BY season, name"
"""Season and log as they stand in the rows of lines; the log's key; its lines, and its first one of a fork. An older
hub has keys there."""


@dataclass
class Report:
    """Results of a verification: each goes to ``good`` or ``bad`` in one line, as soon as it is known."""

    good: Callable[[str], None]
    bad: Callable[[str], None]


@dataclass
class _Known:
    """A log without damage: its heads at the sizes that somebody asks for, and its results by receipt."""

    head: Head
    roots: dict[int, bytes]
    receipts: dict[str, tuple[int, Result]]


def heads_in(file: Path) -> list[Checkpoint]:
    """The heads of logs in a file: a note, or what a table has kept of others.

    Raises:
        BadCheckpoint: there is no such file, or one of the heads is none, or not as it was signed.
    """
    try:
        content = file.read_bytes()
        if content.startswith(_SQLITE):
            with closing(_opened(file)) as connection:
                notes = [note for (note,) in connection.execute("SELECT note FROM kept ORDER BY log")]
        else:
            notes = [content.decode()]
        return [Checkpoint.parse(note).check() for note in notes]
    except OSError as err:
        raise BadCheckpoint(f"{file}: {err.strerror}") from err
    except (sqlite3.Error, UnicodeDecodeError, BadCheckpoint) as err:
        why = localize(err)[0] if isinstance(err, BadCheckpoint) else str(err)
        raise BadCheckpoint(f"{file}: {why}") from err


def verify_file(file: Path, receipts: Sequence[str], kept: Sequence[Checkpoint], report: Report) -> None:
    """Check the logs in a file, and receipts and kept heads by them.

    Raises:
        BadHub: it cannot be read, or is no such file.
    """
    known = dict[str, _Known]()
    sizes = {(one.log, one.size) for one in kept}
    try:
        with file.open("rb") as opened:
            is_database = opened.read(len(_SQLITE)) == _SQLITE
        if not is_database:
            _verify_game(file, receipts, report)
            return
        with closing(_opened(file)) as connection:
            for name, begin, lines, rows in _logs(connection, file):
                at = {size for log, size in sizes if log == name}
                if (found := _verify_log(name, begin, lines, rows, at, report)) is not None:
                    known[name] = found
            if _has(connection, "branch"):
                for name, n in sorted((row[2], row[4]) for row in _hub_logs(connection) if row[4] is not None):
                    report.bad(_(FORKED, key=name, n=n))
    except OSError as err:
        raise BadHub(f"{file}: {err.strerror}") from err
    except sqlite3.Error as err:
        raise BadHub(_NO_LOG, file=file, why=err) from err
    for one in kept:
        if (whole := known.get(one.log)) is not None and whole.head.lines < one.size:
            report.bad(_(CUT, key=one.log, n=one.size, now=whole.head.lines, address=file))
        elif whole is None or one.size not in whole.roots:
            report.bad(_("{key}: there is no whole log of this key here", key=one.log))
        elif whole.roots[one.size] != one.root:
            report.bad(_(CHANGED, key=one.log, n=one.size, address=file))
        else:
            _tell_head(one, report)
    for text in receipts:
        code = read_code(text) or ""
        told = [(name, *log.receipts[code]) for name, log in known.items() if code in log.receipts]
        for name, n, result in told:
            _tell_result(code, name, n, result, report)
        if not told:
            _tell_unknown(text, report)


def verify_hub(client: HubClient, receipts: Sequence[str], kept: Sequence[Checkpoint], report: Report) -> None:
    """Check the logs of a hub as far as everybody may see them, and receipts and kept heads by them.

    Raises:
        HubUnavailable: as `HubClient`.
        HubRefuses: the director's log is not as it was signed.
    """
    log = DirectorsLog()
    log.update(client)
    report.good(_("{key}: {n} lines, unchanged", key=log.director, n=len(log.lines)))
    keys = {key for of_table in directed(log.lines).keys.values() for key in of_table.values()}
    for key in sorted(keys):
        if (text := client.growth(key, 0)) is not None:
            _check_head(text, None, client.url, report)
    for key, n in client.forks().items():
        report.bad(_(FORKED, key=key, n=n))
    for one in kept:
        if (text := client.growth(one.log, one.size)) is None:
            report.bad(_(CUT, key=one.log, n=one.size, now=0, address=client.url))
        else:
            _check_head(text, one, client.url, report)
    for text in receipts:
        if (code := read_code(text)) is None or (data := client.receipt(code)) is None:
            _tell_unknown(text, report)
        else:
            _check_receipt(code, data, keys, client, report)


class _Answer(BaseModel):
    """Return the answer of `GET /receipts/CODE.json`."""

    state: str
    log: Key
    line: LineNumber
    text: str
    before: str
    proof: list[str]
    checkpoint: str
    now: Result | None


def _check_receipt(code: str, data: bytes, keys: set[str], client: HubClient, report: Report) -> None:
    try:
        answer = _Answer.model_validate_json(data)
        result = TableLine.model_validate_json(answer.text).result
        checkpoint = Checkpoint.parse(answer.checkpoint)
        leaf = chained(bytes.fromhex(answer.before), answer.text)
        proof = [b64decode(one, validate=True) for one in answer.proof]
        is_proved = is_included(answer.line, leaf, checkpoint.size, checkpoint.root, proof)
    except (ValidationError, ValueError) as err:  # also BadCheckpoint
        raise client.no_hub() from err
    if result.receipt != code or answer.log != checkpoint.log or not (is_proved and checkpoint.is_signed):
        report.bad(_("receipt {code}: the hub shows another result than the table has signed", code=code))
    elif answer.log not in keys:
        report.bad(_("receipt {code}: the director has not enrolled the key {key}", code=code, key=answer.log))
    else:
        _tell_result(code, answer.log, answer.line, result, report, answer.state, answer.now)


def _check_head(text: str, known: Checkpoint | None, address: str, report: Report) -> None:
    try:
        _tell_head(goes_on(known, Growth.parse(text), address), report)
    except (BadCheckpoint, HubRefuses) as err:
        report.bad(localize(err)[0])


def _tell_head(head: Checkpoint, report: Report) -> None:
    text = _("{key}: {n} lines, unchanged", key=head.log, n=head.size)
    if cosigners := head.cosigners:
        text += "; " + _("seen by {witnesses}", witnesses=", ".join(cosigners))
    report.good(text)


def _tell_result(
    code: str, log: str, n: int, result: Result, report: Report, state: str = "", now: Result | None = None
) -> None:
    told = report.good if state in ("", "counts") else report.bad
    text = _("receipt {code}: round {round}, table {table}: {points}; line {n} of {key}", code=code, n=n, key=log,
             round=result.round, table=result.table, points=_points(result))  # fmt: skip
    if state:
        text += "; " + (_(STATES[state]) if state in STATES else one_line(state))
    if state == "corrected" and now is not None:
        text += f": {_points(now)}"
    told(text)


def _tell_unknown(text: str, report: Report) -> None:
    if read_code(text) is None:
        text = one_line(text)
        report.bad(_("{receipt}: not a receipt: expected 12 letters and digits, such as 7KQ2-M4XD-9TRA", receipt=text))
    else:
        report.bad(_("receipt {code}: nothing here has it", code=read_code(text)))


def _points(result: Result) -> str:
    pairs = zip(result.seats, result.points, strict=False)
    return ", ".join(f"{one_line(name)} {points}" for name, points in pairs)


def _verify_log(
    name: str, head: Head, lines: int | None, rows: Iterable[Any], sizes: set[int], report: Report
) -> _Known | None:  # fmt: skip
    """Check one log from ``head`` on; ``lines``: how many it should have, if that is known. None if it is damaged,
    which is reported."""
    first, game, receipts = head.lines, NOTHING, dict[str, tuple[int, Result]]()
    roots, signed = {first: head.root}, 0
    games, is_whole = set[bytes](), not first
    """The hashes of lines of games, and whether they are all here."""
    for n, text, hash_, root, signature in rows:
        if n != head.lines:
            report.bad(f"{name}, {head.lines}: {_(_MISSING)}")
            return None
        (leaf,), _roots, head = head.extend([text])
        if leaf != hash_:
            report.bad(f"{name}, {n}: {_(_CHANGED_LINE)}")
            return None
        if root not in (None, head.root) or (signature and not Sent(name, n + 1, (), root, signature).is_signed):
            report.bad(f"{name}, {n}: {_(_UNSIGNED)}")
            return None
        if signature is not None:
            signed = head.lines
        if head.lines in sizes:
            roots[head.lines] = head.root
        if (result := _result(text)) is not None:
            if is_whole and result.game is not None and bytes.fromhex(result.game) not in games:
                report.bad(f"{name}, {n}: {_(_OTHER_GAME)}")
                return None
            if (code := result.receipt) is not None:
                receipts[code] = n, result
        elif text.startswith(CHAIN):
            if is_whole and game != head.hash != NOTHING:
                report.bad(f"{name}, {n}: {_(_OTHER_GAME)}")
                return None
            if lost := _lost(text):
                report.bad(_(LOST, key=name, n=lost))
                is_whole = False
        elif not text.startswith(OF_NO_GAME):
            game = chained(NOTHING if text.startswith(HEADER) else game, text)
            games.add(game)
    if lines is not None and (head.lines < lines or signed < lines):
        report.bad(f"{name}, {min(head.lines, signed)}: {_(_MISSING)}")
        return None
    whole = marked("{key}: {n} lines, unchanged")
    report.good(_(_PART if first else whole, key=name, first=first, n=head.lines))
    return _Known(head, roots, receipts)


def _result(text: str) -> Result | None:
    try:
        return TableLine.model_validate_json(text).result if '"result"' in text else None
    except ValidationError:
        return None


def _lost(text: str) -> int:
    try:
        return Chain.model_validate_json(text).lost
    except ValidationError:
        return 0


def _verify_game(file: Path, receipts: Sequence[str], report: Report) -> None:
    """Check receipts by the log of one game."""
    codes, hash_ = dict[str, int](), NOTHING
    try:
        for n, raw in enumerate(file.read_bytes().splitlines(), start=1):
            json_object(text := raw.decode())
            hash_ = chained(hash_, text)
            codes[code_of(hash_)] = n
    except ValueError as err:
        raise BadHub(_NO_LOG, file=file, why=one_line(str(err))) from err
    for text in receipts:
        if (code := read_code(text)) in codes:
            report.good(_("receipt {code}: the game up to line {n}", code=code, n=codes[code or ""]))
        else:
            _tell_unknown(text, report)


def _logs(connection: sqlite3.Connection, file: Path) -> Iterator[tuple[str, Head, int | None, Iterable[Any]]]:
    """The logs in the ``file`` of a writer or of a hub: name, the head where it begins here, number of lines if that
    stands there, rows."""
    if _has(connection, "span"):
        with contents(connection, file.parent) as (base, rows):
            yield _writer(connection), base, None, rows
    elif _has(connection, "writer"):
        yield _writer(connection), Head(), None, connection.execute(_OUTBOX)
    else:
        for season, log, name, lines, _fork in _hub_logs(connection):
            yield name, Head(), lines, connection.execute(_HUB, (season, log))


def _hub_logs(connection: sqlite3.Connection) -> list[Any]:
    return connection.execute(_LOGS if _has(connection, "season") else _OLD_LOGS).fetchall()


def _writer(connection: sqlite3.Connection) -> str:
    ((key,),) = connection.execute("SELECT key FROM writer")
    return name_of(Ed25519PrivateKey.from_private_bytes(key))


def _has(connection: sqlite3.Connection, table: str) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone() is not None


def _opened(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)
