"""On which line of a TOML file something stands."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator
from typing import Any

Path = tuple[str | int, ...]


def lines(text: str) -> dict[Path, int]:
    """The line, from 1, of each section and option of ``text``, which is right TOML; of what is inside a list or an
    inline table, the line on which that begins."""
    found: dict[Path, int] = {}
    tables: Counter[str] = Counter()
    section: Path = ()
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


def line_of(path: Path, found: dict[Path, int]) -> int | None:
    """The line of ``path``, or of the nearest that holds it; None where there is none."""
    while path and path not in found:
        path = path[:-1]
    return found.get(path)


def _header(said: Any, tables: Counter[str]) -> Path:
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


def _paths(said: Any) -> Iterator[Path]:
    inside = said.items() if isinstance(said, dict) else enumerate(said) if isinstance(said, list) else ()
    for key, value in inside:
        yield (key,)
        yield from ((key, *path) for path in _paths(value))
