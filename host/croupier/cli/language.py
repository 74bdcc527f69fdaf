"""The language of the terminal: `--language`, else the table's own in `croupier.toml`, else the system's."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

from croupier.errors import BadConfig
from croupier.files import CONFIG
from croupier.i18n import LANGUAGES, _, known, use
from croupier.i18n.choice import of_terminal

OPTION: Final = "--language"


def speak(arguments: Sequence[str]) -> list[str]:
    """Speak what the command line asks for; returns it without that option, which may stand anywhere in it.

    Raises:
        BadConfig: there is no such language.
    """
    wish, rest = _taken(arguments)
    choice = known(wish or "") or known(_of_table(_config(rest)))
    use(choice or of_terminal(os.environ), is_choice=choice is not None)
    if wish is not None and known(wish) is None:
        raise BadConfig(
            _(
                "--language {code}: there is no such language: expected one of {all}",
                code=wish,
                all=", ".join(LANGUAGES),
            )
        )
    return rest


def _taken(arguments: Sequence[str]) -> tuple[str | None, list[str]]:
    wish: str | None = None
    rest: list[str] = []
    left = iter(arguments)
    for argument in left:
        if argument == "--":
            return wish, [*rest, argument, *left]
        if argument == OPTION:
            wish = next(left, "")
        elif argument.startswith(f"{OPTION}="):
            wish = argument.partition("=")[2]
        else:
            rest.append(argument)
    return wish, rest


def _config(arguments: Sequence[str]) -> Path:
    """The file that describes the table: the one that is named, else the one where the program is started."""
    for argument, after in zip_longest(arguments, arguments[1:], fillvalue=""):
        if argument == "--config" and after:
            return Path(after)
        if argument.startswith("--config="):
            return Path(argument.partition("=")[2])
    return CONFIG


def _of_table(file: Path) -> str:
    """What the file says, looked at for the language alone, since to read all of it takes longer than most commands do;
    where it is wrong, whoever needs the rest of it tells so."""
    try:
        said: Any = tomllib.loads(file.read_text(encoding="utf-8"))["table"]["language"]
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    return str(said)
