"""`croupier doctor --bundle`: the files that a remote helper needs, without names, secrets and hidden cards.

Each field that goes in is listed here; nothing is copied whole and then cleaned. Texts come from this program only, and
names from the table's file and journal are removed from them.
"""

from __future__ import annotations

import getpass
import json
import platform
import re
import socket
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from importlib.metadata import distributions
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from croupier.config.file import file_text
from croupier.config.model import option_at
from croupier.doctor.check import CheckContext
from croupier.doctor.finding import Finding
from croupier.errors import CannotWrite, CroupierError
from croupier.i18n import _
from croupier.journal import Archive
from croupier.log_replay import without_faces
from croupier.output_files import check_new, write_new
from croupier_extras.pi_health import SUPPLY
from croupier_rules.errors import json_object
from croupier_rules.referee import parse_header, parse_observation
from croupier_rules.referee.observations import to_json

OPEN_OPTIONS: Final = frozenset({
    "table.language", "game.scoring", "game.deal", "camera.size", "shoe.kind", "buttons.kind", "ring.kind",
    "gpio.factory", "panel.seat_keys.key",
})  # fmt: skip
"""Options whose texts may be passed on, beside those with `Option.choices`: they are one of a few words. Numbers and
booleans always may."""

OPEN_SECTIONS: Final = frozenset({"rules"})

OPEN_FIELDS: Final = frozenset({
    "obs", "t", "u", "seat", "n", "card", "cards", "color", "number", "undo", "device", "kind",
})  # fmt: skip
"""Fields of a log line that may be passed on: no texts of people, nothing that a person set by hand."""

MOST_LINES: Final = 2_000
LEFT_OUT: Final = "…"

_WORD: Final = re.compile(r"[a-z0-9*?_-]{1,32}")
_ADDRESS: Final = re.compile(
    r"\b(?!127\.|0\.0\.0\.0)\d{1,3}(?:\.\d{1,3}){3}\b|\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b", re.I
)
_VERSION: Final = re.compile(r"\d+\.\d+(\.\w+)*")
_QUOTED: Final = re.compile(r"\"([^\"\n]{2,})\"|'([^'\n]{2,})'")

README: Final = """\
What is in this file, for whoever reads the report, and for you before you send it:

findings.json   what croupier doctor found: ids, sentences, figures
table.json      the options of croupier.toml; every text that is not one of a few known words is left out
machine.txt     the system, its memory and disk, the serial ports (makers, no serial numbers)
packages.txt    the installed Python packages and their versions
game.jsonl      the newest game of the journal: seats by number, no faces of cards dealt or drawn, no texts of people

Left out on purpose: names of players and of the table, hands, passwords, tokens, secrets, addresses, names of networks
and of this computer, pictures. Look through it before you send it; all files are plain text.
"""


def check_place(path: Path) -> None:
    """Raise `CannotWrite` if the bundle cannot be a new file at ``path``."""
    if path.suffix != ".zip":
        raise CannotWrite(f"--bundle {path}: " + _("expected a name that ends in {kinds}", kinds=".zip"))
    check_new(path, "--bundle")
    if not path.absolute().parent.is_dir():
        raise CannotWrite(f"--bundle {path}: " + _("there is no folder {folder}; create it first", folder=path.parent))


def write(path: Path, findings: Sequence[Finding], table: CheckContext) -> str:
    """Write the bundle. Return one line about its content. Raises `CannotWrite`."""
    scrub = _scrubber(table)
    pieces = {
        "README.txt": README,
        "findings.json": json.dumps([_scrubbed(one.to_json(), scrub) for one in findings], indent=1),
        "table.json": json.dumps(_open_options(table), indent=1),
        "machine.txt": scrub("\n".join(_machine(table))),
        "packages.txt": "\n".join(sorted(f"{one.name}=={one.version}" for one in distributions())),
        "game.jsonl": "\n".join(_game(table)),
    }
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, text in pieces.items():
            bundle.writestr(name, text)
    write_new(path, packed.getvalue(), "--bundle")
    return f"{', '.join(pieces)}. No names, hands, secrets or addresses; README.txt says what is in it."


def _open_options(table: CheckContext) -> dict[str, Any]:
    """Return the options of the file; of an invalid file only the number of its mistakes."""
    if table.fault is not None:
        return {"wrong": True, "mistakes": len(table.fault.args)}
    return {
        name: value if name in OPEN_SECTIONS else _open_values(name, value)
        for name, value in table.config.model_dump(mode="json").items()
    }


def _open_values(path: str, value: Any) -> Any:
    match value:
        case dict():
            return {key: _open_values(f"{path}.{key}", inner) for key, inner in value.items()}
        case list():
            return [_open_values(path, inner) for inner in value]
        case str() if value and path not in OPEN_OPTIONS and not _is_choice(path, value):
            return LEFT_OUT
        case _:
            return value


def _is_choice(path: str, value: str) -> bool:
    option = option_at(tuple(path.split(".")))
    return option is not None and value in option.choices


def _machine(table: CheckContext) -> Iterator[str]:
    yield f"{platform.system()} {platform.release()} {platform.machine()}, Python {platform.python_version()}"
    for name in ("etc/os-release", "proc/device-tree/model", SUPPLY):
        with suppress(OSError):
            yield f"{name}: {(table.root / name).read_text(errors='replace').strip(chr(0)).strip()}"
    with suppress(OSError):
        yield from (table.root / "proc/meminfo").read_text().splitlines()[:3]
    with suppress(ModuleNotFoundError):
        from serial.tools import list_ports

        for port in list_ports.comports():
            if port.vid is not None:
                yield f"serial port {port.device}: {port.vid:04x}:{port.pid:04x} {port.manufacturer} {port.product}"


def _game(table: CheckContext) -> Iterator[str]:
    """Yield the lines of the newest game, without texts of people and hidden faces."""
    try:
        with Archive(table.config.journal.file) as archive:
            last = archive.last()
            lines = [] if last is None else archive.whole_lines(last)[0]
        if lines:
            yield from _open_lines(lines)
    except CroupierError:
        return  # a damaged journal is a finding


def _open_lines(lines: list[str]) -> Iterator[str]:
    header = parse_header(lines[0])
    open_header = {
        "log": "croupier/1",
        "ruleset": header.ruleset.name,
        "seats": [f"Seat {seat}" for seat in range(len(header.seats))],
        "dealer": header.dealer,
    }
    yield json.dumps(open_header)
    for line in lines[1:][-MOST_LINES:]:
        fields = to_json(without_faces(parse_observation(line, len(header.seats))))
        yield json.dumps({key: value for key, value in fields.items() if key in OPEN_FIELDS and _is_open(value)})


def _is_open(value: Any) -> bool:
    """True for numbers and words of the log, not for free text."""
    match value:
        case list() | tuple():
            return all(map(_is_open, value))
        case str():
            return _WORD.fullmatch(value) is not None
        case _:
            return isinstance(value, int | float | None)


def _scrubber(table: CheckContext) -> Callable[[str], str]:
    """Return a function that removes names of the file, the journal and this machine from a text."""
    names = {*_texts_of_file(table), *_players(table), socket.gethostname(), str(Path.home()), str(Path.cwd())}
    with suppress(KeyError, OSError):
        names.add(getpass.getuser())
    known = {"croupier", "root", "localhost", "127.0.0.1", "0.0.0.0", "auto", "pico", "pi", "none", "/"}
    found = sorted((re.escape(name) for name in names - known if len(name) > 1), key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(found)})(?!\w)") if found else None

    def scrub(text: str) -> str:
        text = pattern.sub(LEFT_OUT, text) if pattern else text
        return text if _VERSION.fullmatch(text) else _ADDRESS.sub(LEFT_OUT, text)

    return scrub


def _scrubbed(value: Any, scrub: Callable[[str], str]) -> Any:
    match value:
        case dict():
            return {key: inner if key in ("id", "state") else _scrubbed(inner, scrub) for key, inner in value.items()}
        case list() | tuple():
            return [_scrubbed(inner, scrub) for inner in value]
        case str():
            return scrub(value)
        case _:
            return value


def _texts_of_file(table: CheckContext) -> Iterable[str]:
    """Return all quoted texts of the file, valid or not."""
    try:
        text = file_text(table.file)
    except CroupierError:
        return ()
    return {one or other for one, other in _QUOTED.findall(text)}


def _players(table: CheckContext) -> Iterable[str]:
    names: set[str] = set()
    with suppress(CroupierError), Archive(table.config.journal.file) as archive:
        for game in archive.began():
            with suppress(CroupierError, ValueError, LookupError, TypeError):  # a damaged game hides no other
                names.update(map(str, json_object(archive.lines(game)[0])["seats"]))
    return names
