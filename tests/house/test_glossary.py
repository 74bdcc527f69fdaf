"""Names keep to the words of docs/glossary.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tools.lock import ROOT

CODE = ("host", "vision", "firmware/lib", "sim", "benchmarks")
GLOSSARY = (ROOT / "docs/glossary.md").read_text(encoding="utf-8").partition("## Words that names do not use")[2]
ROWS = [
    [cell.strip() for cell in line.strip("| \n").split("|")] for line in re.findall(r"^\|.*\|.*\|$", GLOSSARY, re.M)
]


def parts_of(name: str) -> tuple[str, ...]:
    """The words of a name, in lower case: of `SimPico`, `sim_pico` and `SIM_PICO` they are the same."""
    found = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)
    return tuple(word.lower() for word in found)


REFUSED = {
    tuple(word.split()): {parts_of(name) for name in re.findall(r"`(\w+)`", "".join(row[2:]))}
    for row in ROWS[2:]
    for word in row[0].split(", ")
}
"""The parts of each refused word, with the names that may have it."""


@cache
def names() -> frozenset[tuple[str, str]]:
    """Every name of a module, package, public class, function or method, with its file."""
    files = [file for folder in CODE for file in (ROOT / folder).rglob("*.py")]
    return frozenset((name, str(file.relative_to(ROOT))) for file in files for name in _names_in(file))


def _names_in(file: Path) -> Iterator[str]:
    yield from file.relative_to(ROOT).with_suffix("").parts[1:]
    inside: list[ast.Module | ast.ClassDef] = [ast.parse(file.read_text(encoding="utf-8"))]
    while inside:
        for node in inside.pop().body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                if not node.name.startswith("_"):
                    yield node.name
                if isinstance(node, ast.ClassDef):
                    inside.append(node)


@pytest.mark.parametrize("word", [pytest.param(word, id="-".join(word)) for word in REFUSED])
def test_no_name_has_a_word_that_the_glossary_refuses(word: tuple[str, ...]) -> None:
    offenders = []
    for name, file in sorted(names()):
        parts = parts_of(name)
        has_it = any(parts[at : at + len(word)] == word for at in range(len(parts)))
        if has_it and parts not in REFUSED[word]:
            offenders.append(f"{file}: {name}")
    assert offenders == []
