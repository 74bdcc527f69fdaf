"""Read and change `croupier.toml`. A change keeps the comments; the file is replaced atomically."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import tomlkit
from pydantic import ValidationError
from tomlkit.exceptions import ParseError
from tomlkit.items import AbstractTable

from croupier.config.model import Config
from croupier.config.options import FOLDER
from croupier.config.validation import BadConfigFile, Mistake, Where, misfits, shown, told
from croupier.errors import BadConfig
from croupier.files import CONFIG, put
from croupier.i18n import _, marked
from croupier.rules import RuleSet
from croupier.rules import load as printed_or_chosen
from croupier.rules.ruleset import HOUSE

_EXPECTED: Final = marked("expected the file that describes the table: croupier setup makes it")
_RULES: Final = '[rules] base = "g7942-en", "draw.voluntary" = "warn"'


def ruleset_called(name: str) -> RuleSet:
    """The ruleset that people call ``name``: a printed one, one with choices, or ``house``, which `CONFIG` describes.

    Raises:
        BadRuleSet: there is no such ruleset.
        BadConfig: there is no house ruleset here.
    """
    return house() if name == HOUSE else printed_or_chosen(name)


def house(path: Path = CONFIG) -> RuleSet:
    """The ruleset of the table: the printed one that the file ``path`` names, with the table's own choices.

    Raises:
        BadConfig: the file cannot be read, something in it is wrong, or it says nothing of rules.
    """
    config = load(path)
    if config.rules is None:
        wanted = _("there is no section [rules]: expected one with base and the table's choices, such as {example}",
                   example=_RULES)  # fmt: skip
        raise BadConfig(f"{path}: {wanted}")
    return config.ruleset()


def load(path: Path = CONFIG) -> Config:
    """What the file ``path`` says.

    Raises:
        BadConfig: it cannot be read.
        BadConfigFile: something in it is wrong.
    """
    return read(file_text(path), path)


def file_text(path: Path) -> str:
    """The text of the file ``path``.

    Raises:
        BadConfig: it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8")
    except OSError as err:
        raise BadConfig(f"{path}: {err.strerror}: {_(_EXPECTED)}") from err
    except ValueError as err:
        raise BadConfig(": ".join((str(path), _("no text in UTF-8"), _(_EXPECTED)))) from err


def read(text: str, path: Path = CONFIG, *, is_done: bool = True) -> Config:
    """What ``text`` says, as it would stand in the file ``path``. Where it ``is_done``, all of it must go together: a
    shoe at the Pi has its pins.

    Raises:
        BadConfigFile: something in it is wrong.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as err:
        raise BadConfigFile(path, [_no_toml(str(err))]) from err
    places = lines(text)
    config, wrong = _understood(data, path)
    if is_done:
        wrong += misfits(config, {str(at[0]) for at, _said in wrong})
    if wrong:
        raise BadConfigFile(path, [Mistake(line_of(at, places), shown(at), said) for at, said in wrong])
    return config


def _understood(data: dict[str, Any], path: Path) -> tuple[Config, list[tuple[Where, str]]]:
    """The sections that are right, and what is wrong in the others."""
    wrong: list[tuple[Where, str]] = []
    data = {"journal": {}, **data}  # its default is a file, too, and lies in the folder
    while True:
        try:
            # As JSON, since that way a list may be taken for a tuple, and still no text for a number.
            said = json.dumps(data, default=str)
            return Config.model_validate_json(said, strict=True, context={FOLDER: path.parent}), wrong
        except ValidationError as err:
            wrong += [told(one) for one in err.errors()]
            data = {name: section for name, section in data.items() if name not in {at[0] for at, _said in wrong}}


def _no_toml(said: str) -> Mistake:
    at = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", said)
    what = said[: at.start()] if at else said
    line = int(at[1]) if at and at[1] else None
    return Mistake(
        line,
        "",
        _(
            'no TOML: {why}: expected lines such as language = "en", each under its [section], rule ids in quotes',
            why=what,
        ),
    )


def change(path: Path, said: Mapping[tuple[str, ...], Any]) -> Config:
    """Let the options ``said``, as ``{("camera", "source"): "usb:1"}``, stand in the file ``path``; None takes an
    option out. A list of sections, as ``{("webhooks",): [{"url": …}]}``, is replaced as a whole. Where there is no
    file, one is made.

    Raises:
        BadConfigFile: the file would not be right; it is as it was.
        BadConfig: it cannot be read.
        CannotWrite: nothing was written.
    """
    return save(path, changed(file_text(path) if path.exists() else "", said, path))


def changed(text: str, said: Mapping[tuple[str, ...], Any], path: Path) -> str:
    """``text``, the file ``path``, with the options ``said``."""
    try:
        document = tomlkit.parse(text)
    except ParseError:
        read(text, path)  # tells where
        raise
    for (*above, name), value in said.items():
        inside: Any = document
        for section in above:
            if section not in inside:
                if value is None:
                    break
                inside[section] = tomlkit.table()
            inside = inside[section]
        else:
            _put(inside, name, value)
    return tomlkit.dumps(document)


def _put(inside: AbstractTable, name: str, value: Any) -> None:
    if value is None:
        inside.pop(name, None)
    elif isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        tables = tomlkit.aot()
        for one in value:
            tables.append(tomlkit.item(one))
        inside[name] = tables
    else:
        inside[name] = value


def save(path: Path, text: str) -> Config:
    """Let the file ``path`` be ``text``, whole or not at all.

    Raises:
        BadConfigFile: it would not be right; the file is as it was.
        CannotWrite: it could not be written; the file is as it was.
    """
    config = read(text, path)
    put(path, text.encode())
    return config


def lines(text: str) -> dict[Where, int]:
    """The line, from 1, of each section and option of ``text``, which is right TOML; of what is inside a list or an
    inline table, the line on which that begins."""
    found: dict[Where, int] = {}
    tables: Counter[str] = Counter()
    section: Where = ()
    statement, begins = "", 1
    for number, line in enumerate(text.splitlines(), 1):
        statement += line + "\n"
        try:
            said = tomllib.loads(statement)
        except tomllib.TOMLDecodeError:
            continue  # it goes on on the next line
        if statement.lstrip().startswith("["):
            section = _header(said, tables)
            found.setdefault(section, begins)
        else:
            for path in _paths(said):
                found.setdefault(section + path, begins)
        statement, begins = "", number + 1
    return found


def line_of(path: Where, found: dict[Where, int]) -> int | None:
    """The line of ``path``, or of the nearest that holds it; None where there is none."""
    while path and path not in found:
        path = path[:-1]
    return found.get(path)


def _header(said: Any, tables: Counter[str]) -> Where:
    path: list[str | int] = []
    while said:
        if isinstance(said, list):
            path.append(tables[repr(path)])
            tables[repr(path[:-1])] += 1
            said = said[0]
        else:
            ((name, said),) = said.items()
            path.append(name)
    return tuple(path)


def _paths(said: Any) -> Iterator[Where]:
    inside = said.items() if isinstance(said, dict) else enumerate(said) if isinstance(said, list) else ()
    for key, value in inside:
        yield (key,)
        yield from ((key, *path) for path in _paths(value))
