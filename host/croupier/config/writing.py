"""Changes `croupier.toml`: comments stay, and the file is never half written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import ParseError
from tomlkit.items import AbstractTable

from croupier.config.model import Config
from croupier.config.reading import file_text, read
from croupier.files import put


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
