"""Files: reading TOML in bounded time, and atomic replacement by temporary file, fsync and rename."""

from __future__ import annotations

import fcntl
import os
import re
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EDQUOT, ENOSPC
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final

from croupier.errors import BadToml, CannotWrite, DiskFull, marked

CONFIG: Final = Path("croupier.toml")
"""The file that describes the table, in the folder where the program is started."""

JOURNAL: Final = Path("croupier.journal")
"""The journal of a table whose file names none, in the same folder."""


def user_folder() -> Path:
    """Return the folder of this user for what Croupier keeps: of Windows, of macOS, or of the XDG specification."""
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home()) / "Croupier"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "Croupier"
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "croupier"


MOST_BYTES: Final = 131_072
MOST_LEVELS: Final = 16
MOST_LETTERS: Final = 256
"""Limits of a TOML file: size, levels of tables and lists in each other, length of a number or a name. They bound the
time and the stack that a hostile text takes: tomllib recurses, and its time grows with the square of a dotted key."""

_TOKEN: Final = re.compile(
    r"""  "{3} (?: \\.?+ | [^\\] )*? (?: "{3,5} | \Z ) | '{3} .*? (?: '{3,5} | \Z )
        | " (?: \\. | [^"\\\n] )*+ "? | ' [^'\n]*+ '? | \# [^\n]*+
        | (?P<open> [\[{] ) | (?P<close> [\]}] ) | (?P<dot> \. ) | (?P<end> [=,\n] ) | (?P<word> [\w+-]++ )""",
    re.VERBOSE | re.DOTALL,
)
"""Strings and comments, and then what makes a value deep or long. An unfinished string ends with its line."""

_LARGE: Final = marked("larger than {most} KB")
_DEEP: Final = marked("more than {most} levels of tables and lists in each other")
_LONG: Final = marked("a number or a name of more than {most} characters")


def read_toml(path: Path) -> str:
    """Return the text of a TOML file. Raises `OSError`, and `BadToml` if it is too large or not in UTF-8."""
    with path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise BadToml(_LARGE, most=MOST_BYTES // 1024)
    try:
        return content.decode()
    except UnicodeDecodeError as err:
        raise BadToml(marked("not UTF-8 text")) from err


def parse_toml(text: str) -> dict[str, Any]:
    """Parse a text in bounded time. Raises `BadToml`."""
    if len(text) > MOST_BYTES:
        raise BadToml(_LARGE, most=MOST_BYTES // 1024)
    depth = dots = 0
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        depth += (kind == "open") - (kind == "close")
        dots = 0 if kind in ("open", "close", "end") else dots + (kind == "dot")
        is_long = kind == "word" and len(token[0]) > MOST_LETTERS
        if is_long or max(depth, dots) > MOST_LEVELS:
            line = text.count("\n", 0, token.start()) + 1
            raise BadToml(_LONG if is_long else _DEEP, line, most=MOST_LETTERS if is_long else MOST_LEVELS)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as err:
        why, _at, place = str(err).partition(" (at ")
        found = re.match(r"line (\d+), ", place)
        raise BadToml("{why}", int(found[1]) if found else None, why=why) from err


def toml_statements(text: str) -> Iterator[tuple[int, str]]:
    """Yield each statement of a valid TOML text, blank lines and comments too, with the line where it begins."""
    depth, begin, line = 0, 0, 1
    for token in _TOKEN.finditer(text + "\n"):
        depth += (token.lastgroup == "open") - (token.lastgroup == "close")
        if token[0] == "\n" and depth == 0:
            yield line, text[begin : token.end()]
            line += text.count("\n", begin, token.end())
            begin = token.end()


def write_whole(path: Path, content: bytes, mode: int | None = None) -> None:
    """Replace the content of the file ``path`` atomically and durably. A link stays a link.

    ``mode``: permissions; None: as before, 0644 for a new file. Raises `OSError`; the file is then unchanged.
    """
    target = path.resolve()
    if mode is None:
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o644
    with NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as new:
        try:
            new.write(content)
            new.flush()
            os.chmod(new.name, mode)
            os.fsync(new.fileno())
            os.replace(new.name, target)
        except BaseException:
            os.unlink(new.name)
            raise
    keep_name(target.parent)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Context that one thread of one process has at a time for a folder: who reads a file there, and writes it again,
    loses no change of another one. Raises `CannotWrite`: there is no such folder."""
    try:
        lock = os.open(folder, os.O_RDONLY)
    except OSError as err:
        raise unwritten(folder, err) from err
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def put(path: Path, content: bytes, mode: int | None = None) -> None:
    """As `write_whole`, but raises `CannotWrite` with advice; the file is then unchanged."""
    try:
        write_whole(path, content, mode)
    except OSError as err:
        raise unwritten(path, err) from err


def unwritten(path: Path, err: OSError) -> CannotWrite:
    """Make the error of a file that could not be written."""
    text = marked("{file}: {why}: nothing was changed; free some disk space, or make the file writable")
    kind = DiskFull if err.errno in (ENOSPC, EDQUOT) else CannotWrite
    return kind(text, file=path, why=err.strerror)


def keep_name(folder: Path) -> None:
    """Sync ``folder``, which has the names of its files. Raises `OSError`."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
