"""One file with all that people made at a table: games, people, decks, calibration, settings, codes.

It is a ZIP file with `MANIFEST`, which has the form of the backup, the version of Croupier, and size and digest of each
file. The journal in it is a copy that SQLite made while the table may have run, with what lies beside it. A backup is
read again before it counts as written, and checked whole before anything of it is taken back.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from hashlib import file_digest, sha256
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import croupier
from croupier.errors import CroupierError
from croupier.files import keep_name
from croupier.i18n import marked
from croupier.journal import Archive
from croupier.output_files import check_new
from croupier_extras.errors import BadBackup
from croupier_rules.errors import json_object

FORM: Final = 1
"""The form of the backups that this program writes. It reads all forms up to this one."""

MANIFEST: Final = "croupier-backup.json"
_CHUNK: Final = 1 << 20
_PASSING: Final = ("-wal", "-shm", "-sessions", "-lock", "-upkeep")
"""Ends of files beside a journal that are of no use elsewhere: SQLite's own, who is logged in, how far a backup
is."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What a backup holds: the names of its ``files`` and the number of its ``games``. ``beside``: the folder with the
    files that were there before it was taken back; None if there were none."""

    files: tuple[str, ...]
    games: int
    beside: Path | None = None


def back_up(config_file: Path, target: Path, on_write: Callable[[int], None]) -> Contents:
    """Write the table that ``config_file`` describes into the new file ``target``.

    Raises:
        CroupierError: the table has no valid file, a game in the journal is damaged, or ``target`` exists already.
    """
    from croupier.config import load

    check_new(target)
    config = load(config_file)
    home = config_file.absolute().parent
    draft = target.with_name(f".{target.name}.draft")
    try:
        with TemporaryDirectory(prefix="croupier-") as folder:
            files = dict(_files(home, config_file.absolute(), config))
            journal = home / config.journal.file
            head = journal.with_name(f"{journal.name}-head")
            if head.is_file():  # first: it says how far the journal was written, at least
                files[_name(home, head)] = Path(shutil.copy2(head, folder))
            if journal.exists():
                files[_name(home, journal)] = _copy(journal, Path(folder) / journal.name)
            told = {
                name: {"size": file.stat().st_size, "sha256": _digest(file)} for name, file in sorted(files.items())
            }
            manifest = {"form": FORM, "croupier": croupier.__version__, "journal": _name(home, journal), "files": told}
            with zipfile.ZipFile(draft, "x", zipfile.ZIP_DEFLATED) as out:
                out.writestr(MANIFEST, json.dumps(manifest, indent=1, ensure_ascii=False))
                for name, file in sorted(files.items()):
                    _into(out, name, file, on_write)
        os.chmod(draft, 0o600)  # the settings may hold secrets
        held = _read(draft, lambda n: None, None)
        with draft.open("rb") as opened:
            os.fsync(opened.fileno())
        os.link(draft, target)
        keep_name(target.absolute().parent)
        return held
    except OSError as err:
        raise _unwritten(target, err) from err
    finally:
        draft.unlink(missing_ok=True)


def restore(file: Path, folder: Path, on_read: Callable[[int], None]) -> Contents:
    """Check the backup ``file``, and put its files into ``folder``. What is replaced goes into a folder beside it.

    Raises:
        BadBackup: it is no backup, is damaged, is of a newer form, or a table runs in the folder. Nothing was changed.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        folder = folder.resolve()
        with TemporaryDirectory(prefix=".restore-", dir=folder) as made:
            new = Path(made)
            held = _read(file, on_read, new)
            _check_idle(folder, held)
            beside = _set_aside(folder, held.files)
            for name in held.files:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                os.replace(new / name, folder / name)
            keep_name(folder)
    except OSError as err:
        raise _unwritten(folder, err) from err
    return Contents(held.files, held.games, beside)


def _unwritten(file: Path, err: OSError) -> BadBackup:
    return BadBackup(marked("{file}: {why}; nothing was written"), file=file, why=err.strerror or str(err))


def _files(home: Path, config_file: Path, config: Any) -> Iterator[tuple[str, Path]]:
    """The files of a table but its journal, by their names in a backup."""
    yield config_file.name, config_file
    journal = home / config.journal.file
    for file in sorted(journal.parent.glob(f"{journal.name}-*")):
        if file.is_file() and not file.name.endswith(_PASSING) and file.name != f"{journal.name}-head":
            yield _name(home, file), file
    named = {home / path for path in _paths(config.model_dump())}
    sheets = {file for pattern in ("*.score", "*.deck") for file in home.glob(pattern)}
    for file in sorted(named | sheets):
        if file.is_file() and file not in (config_file, journal):
            yield _name(home, file), file


def _paths(value: Any) -> Iterator[Path]:
    """The files that a description of a table names."""
    match value:
        case Path():
            yield value
        case dict():
            for inner in value.values():
                yield from _paths(inner)
        case list() | tuple():
            for inner in value:
                yield from _paths(inner)


def _name(home: Path, file: Path) -> str:
    """The name of a file in a backup: from the folder of the table, or alone for one that lies elsewhere."""
    return str(file.relative_to(home)) if file.is_relative_to(home) else file.name


def _copy(journal: Path, to: Path) -> Path:
    with closing(sqlite3.connect(f"file:{journal}?mode=ro", uri=True)) as old, closing(sqlite3.connect(to)) as new:
        old.backup(new)
        new.execute("PRAGMA journal_mode = DELETE")
    return to


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return file_digest(opened, "sha256").hexdigest()


def _into(out: zipfile.ZipFile, name: str, file: Path, on_write: Callable[[int], None]) -> None:
    with out.open(name, "w", force_zip64=True) as inside, file.open("rb") as opened:
        while chunk := opened.read(_CHUNK):
            inside.write(chunk)
            on_write(len(chunk))


def _read(file: Path, on_read: Callable[[int], None], into: Path | None) -> Contents:
    """Check a backup, and write its files below ``into``. Raises `BadBackup`."""
    broken = BadBackup(marked("{file}: not a whole backup of Croupier; nothing was changed"), file=file)
    try:
        with zipfile.ZipFile(file) as whole, TemporaryDirectory(prefix="croupier-") as spare:
            manifest = json_object(whole.read(MANIFEST).decode())
            if manifest["form"] > FORM:
                text = marked(
                    "{file}: written by croupier {version}, which is newer than this one; nothing was changed"
                )
                raise BadBackup(text, file=file, version=manifest["croupier"])
            names, root = manifest["files"], into or Path(spare)
            for name, told in names.items():
                path = root / name
                if not path.resolve().is_relative_to(root.resolve()):
                    raise broken
                path.parent.mkdir(parents=True, exist_ok=True)
                digest, size = sha256(), 0
                with whole.open(name) as inside, path.open("xb") as out:
                    os.fchmod(out.fileno(), 0o600)
                    while chunk := inside.read(_CHUNK):
                        digest.update(chunk)
                        size += len(chunk)
                        out.write(chunk)
                        on_read(len(chunk))
                    out.flush()
                    os.fsync(out.fileno())
                if (size, digest.hexdigest()) != (told["size"], told["sha256"]):
                    raise broken
            return Contents(tuple(names), _games(root / manifest["journal"]) if manifest["journal"] in names else 0)
    except BadBackup:
        raise
    except (zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, KeyError, ValueError, TypeError, AttributeError) as err:
        raise broken from err


def _games(journal: Path) -> int:
    """The number of games in a journal, each of which is whole. Raises `CroupierError`."""
    with Archive(journal) as archive:
        numbers = list(archive.began())
        for game in numbers:
            archive.lines(game)
    return len(numbers)


def _check_idle(folder: Path, held: Contents) -> None:
    """Raise `BadBackup` if a table writes a journal that would be replaced."""
    from croupier.journal import Journal

    for name in held.files:
        journal = folder / name
        if name.endswith(".journal") and journal.exists():
            try:
                Journal(journal).close()
            except CroupierError as err:
                raise BadBackup(marked("{file}: {why}; nothing was changed"), file=journal, why=str(err)) from err


def _set_aside(folder: Path, names: tuple[str, ...]) -> Path | None:
    there = [name for name in names if (folder / name).exists()]
    journals = [name for name in names if name.endswith(".journal")]
    there += [one.name for name in journals for one in folder.glob(f"{name}-*") if one.name not in there]
    if not there:
        return None
    beside = next(one for n in count(1) if not (one := folder / f"before-restore-{n}").exists())
    beside.mkdir(mode=0o700)
    for name in there:
        (beside / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(folder / name, beside / name)
    for name in there:
        if name not in names:
            (folder / name).unlink()  # SQLite's log of the journal that goes
    return beside
