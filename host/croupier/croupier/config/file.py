"""Read and change `croupier.toml`. A change keeps the comments; the file is replaced atomically."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from threading import Lock
from typing import Any, Final

import tomlkit
from pydantic import ValidationError
from tomlkit.exceptions import ParseError
from tomlkit.items import AbstractTable

from croupier.config.model import Config, config_class
from croupier.config.options import FOLDER
from croupier.config.validation import (
    MOST_MISTAKES,
    BadConfigFile,
    Mistake,
    Where,
    format_path,
    inconsistencies,
    translate_error,
)
from croupier.errors import BadConfig, BadToml, one_line
from croupier.files import CONFIG, parse_toml, put, read_toml, toml_statements
from croupier.i18n import _, from_others, localize, marked
from croupier_rules.rules import RuleSet
from croupier_rules.rules import load as load_ruleset
from croupier_rules.rules.ruleset import HOUSE
from croupier_rules.rules.ruleset import preset as load_preset

_EXPECTED: Final = marked("expected the file that describes the table: croupier setup makes it")
_NO_TOML: Final = marked(
    'not TOML: {why}: expected lines such as language = "en", each under its [section], with rule ids in quotes'
)
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_changing: Final = Lock()
_RULES: Final = '[rules] base = "g7942-en", "draw.voluntary" = "warn"'


def ruleset_by_name(name: str, preset: str | None = None) -> RuleSet:
    """Return a printed ruleset, one with choices, or ``house``, which `CONFIG` describes; with a ``preset`` on top.

    Raises:
        BadRuleSet: there is no such ruleset or preset.
        BadConfig: there is no house ruleset here.
    """
    rules = house() if name == HOUSE else load_ruleset(name)
    if preset is None:
        return rules
    load_preset(preset)
    return load_ruleset(f"{rules.name}+{preset}")


def house(path: Path = CONFIG) -> RuleSet:
    """Return the ruleset of the table: a printed one with the choices of the table.

    Raises:
        BadConfig: the file cannot be read, is invalid, or has no section [rules].
    """
    config = load(path)
    if config.rules is None:
        wanted = _("the section [rules] is missing: expected one with base and the table's choices, such "
                       "as {example}",
                   example=_RULES)  # fmt: skip
        raise BadConfig(f"{path}: {wanted}")
    return config.ruleset()


def load(path: Path = CONFIG) -> Config:
    """Read the file ``path``.

    Raises:
        BadConfig: it cannot be read.
        BadConfigFile: it is invalid.
    """
    return read(file_text(path), path)


def file_text(path: Path, expected: str = _EXPECTED) -> str:
    """Return the text of the file ``path``. Raises `BadConfig` if it cannot be read: ``expected`` says what belongs
    there."""
    try:
        return read_toml(path)
    except OSError as err:
        raise BadConfig(f"{path}: {from_others(str(err.strerror))}: {_(expected)}") from err
    except BadToml as err:
        raise BadConfig(": ".join((str(path), *localize(err), _(expected)))) from err


def read(text: str, path: Path = CONFIG, *, is_complete: bool = True) -> Config:
    """Parse and validate ``text``, the content of the file ``path``.

    ``is_complete``: also check that the sections fit together, such as that a shoe on the Pi has its pins.

    Raises:
        BadConfigFile: the text is invalid. The error lists its mistakes, at most `MOST_MISTAKES`.
    """
    try:
        data = parse_toml(text)
    except BadToml as err:
        raise BadConfigFile(path, [Mistake(err.line, "", _(_NO_TOML, why=" ".join(localize(err))))]) from err
    config, wrong = _parse_sections(data, path)
    if is_complete:
        wrong += inconsistencies(config, {str(at[0]) for at, _text in wrong})
    if wrong:
        places = lines(text)
        raise BadConfigFile(
            path, [Mistake(line_of(at, places), one_line(format_path(at)), one_line(text)) for at, text in wrong]
        )
    return config


def _parse_sections(data: dict[str, Any], path: Path) -> tuple[Config, list[tuple[Where, str]]]:
    """Return the valid sections, and the first mistakes in the others."""
    data = {"journal": {}, "camera": {}, **data}  # the folder applies to their default names, too
    wrong: list[tuple[Where, str]] = []
    while True:
        try:
            # Strict JSON validation takes a list for a tuple, but no text for a number.
            as_json = json.dumps(data, default=str)
            config = config_class(tuple(data)).model_validate_json(as_json, strict=True, context={FOLDER: path.parent})
        except ValidationError as err:
            errors = err.errors(include_url=False)
            wrong += map(translate_error, errors[: MOST_MISTAKES + 1])
            broken = {error["loc"][0] for error in errors}
        else:
            if not (places := [at for at, value in _walk(data) if isinstance(value, str) and _CONTROL.search(value)]):
                return config, wrong
            wrong += [(at, _("contains a control character: expected printable text")) for at in places]
            broken = {at[0] for at in places}
        data = {name: section for name, section in data.items() if name not in broken}


def change(path: Path, options: Mapping[tuple[str, ...], Any]) -> Config:
    """Set options in the file ``path``, which is created if it does not exist. Thread-safe.

    ``options``: such as ``{("camera", "source"): "usb:1"}``; None removes an option. A list of sections, such as
    ``{("webhooks",): [{"url": …}]}``, is replaced as a whole.

    Raises:
        BadConfigFile: the changed file would be invalid; it was not written.
        BadConfig: the file cannot be read.
        CannotWrite: the file was not written.
    """
    with _changing:
        return save(path, changed(file_text(path) if path.exists() else "", options, path))


def changed(text: str, options: Mapping[tuple[str, ...], Any], path: Path) -> str:
    """Return ``text``, the content of the file ``path``, with these options set."""
    try:
        document = tomlkit.parse(text)
    except ParseError:
        read(text, path)  # its error names the line
        raise
    for (*above, name), value in options.items():
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
    """Validate ``text`` and write it atomically to the file ``path``; a new one is for its owner alone, since it may
    have passwords.

    Raises:
        BadConfigFile: the text is invalid; nothing was written.
        CannotWrite: nothing was written.
    """
    config = read(text, path)
    put(path, text.encode(), None if path.exists() else 0o600)
    return config


def lines(text: str) -> dict[Where, int]:
    """Return the line, from 1, of each section and option of a valid TOML text.

    Values inside a list or an inline table have the line on which that begins.
    """
    found: dict[Where, int] = {}
    tables: Counter[str] = Counter()
    section: Where = ()
    for number, statement in toml_statements(text):
        parsed = tomllib.loads(statement)
        if statement.lstrip().startswith("["):
            section = _header(parsed, tables)
            found.setdefault(section, number)
        else:
            for path, _value in _walk(parsed):
                found.setdefault(section + path, number)
    return found


def line_of(path: Where, found: dict[Where, int]) -> int | None:
    """Return the line of ``path``, or of the innermost option or section around it; ``None`` if the file has no such
    line."""
    while path and path not in found:
        path = path[:-1]
    return found.get(path)


def _header(parsed: Any, tables: Counter[str]) -> Where:
    path: list[str | int] = []
    while parsed:
        if isinstance(parsed, list):
            path.append(tables[repr(path)])
            tables[repr(path[:-1])] += 1
            parsed = parsed[0]
        else:
            ((name, parsed),) = parsed.items()
            path.append(name)
    return tuple(path)


def _walk(value: Any, at: Where = ()) -> Iterator[tuple[Where, Any]]:
    """Yield the path and the value of each item in tables and lists, the outer one first."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inside:
        yield (*at, key), item
        yield from _walk(item, (*at, key))
