"""Reads `croupier.toml`: all of it is right, or everything that is wrong is told."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from croupier.config.checks import misfits
from croupier.config.mistakes import BadConfigFile, Mistake, Where, shown, told
from croupier.config.model import Config
from croupier.config.options import FOLDER
from croupier.config.places import line_of, lines
from croupier.errors import BadConfig
from croupier.files import CONFIG
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
