"""Reads the constants of files that only run in MicroPython."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def constants(path: str) -> dict[str, float]:
    """Every ``NAME = number`` at the top of the file, also within ``const(…)``, from `tablewire`, and the
    values computed from those."""
    found: dict[str, Any] = {}
    for line in ast.parse((ROOT / path).read_text(encoding="utf-8")).body:
        if isinstance(line, ast.ImportFrom) and (line.module or "").startswith("tablewire"):
            found.update(vars(import_module(str(line.module))))
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
