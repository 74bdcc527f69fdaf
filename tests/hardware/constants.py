"""Reads the constants of files that only run in MicroPython."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]


def constants(path: str) -> dict[str, float]:
    """Every ``NAME = number`` at the top of the file, also within ``const(…)``, and what is reckoned from those."""
    found: dict[str, float] = {}
    for line in ast.parse((ROOT / path).read_text(encoding="utf-8")).body:
        if not isinstance(line, ast.Assign):
            continue
        for target, value in _pairs(line):
            try:
                found[target] = eval(ast.unparse(value), {"const": lambda number: number, "__builtins__": {}}, found)
            except (NameError, TypeError, AttributeError):
                continue
    return {name: value for name, value in found.items() if isinstance(value, (int, float))}


def _pairs(line: ast.Assign) -> list[tuple[str, ast.expr]]:
    (target,) = line.targets
    if isinstance(target, ast.Tuple) and isinstance(line.value, ast.Tuple):
        return [
            (one.id, value)
            for one, value in zip(target.elts, line.value.elts, strict=True)
            if isinstance(one, ast.Name)
        ]
    return [(target.id, line.value)] if isinstance(target, ast.Name) else []
