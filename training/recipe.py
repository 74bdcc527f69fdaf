"""The recipe of the networks: a hash of the code that makes them, and one of the photographs that they learn from.

Comments, docstrings, annotations and formatting do not count, nor functions that run a network: they make nothing that
one learns from.
"""

from __future__ import annotations

import ast
import hashlib
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from croupier_rules.cards import CARD_MM, COLORED, COLORS, LEARNED, SHAPES, STARRED, SYMBOLS, WILDS
from training.photos import ROOT, Photo

MADE_BY = "training.course"
"""The module that makes the networks. The recipe is this module and all that it imports from `FOLDERS` and `READER`."""
FOLDERS = {"training": ROOT / "training", "croupier_sim": ROOT / "sim" / "croupier_sim"}
READER = {
    f"cardsight.{name}": ROOT / "vision" / "cardsight" / f"{name}.py"
    for name in ("classify", "corners", "evidence", "geometry")
}
"""The modules of the card reader that make what a network is shown."""
FACTS = (CARD_MM, COLORED, COLORS, LEARNED, SHAPES, STARRED, SYMBOLS, WILDS)
"""Names of the cards, the part of the recipe that comes from the host."""
_APART = ("training.photos", "training.recipe")
"""Modules that make nothing: the photographs have a hash of their own."""
_NOT_COMPUTED = {"annotation", "returns", "type_comment", "type_ignores", "type_params", "kind", "ctx"}


def of_code(module: str = MADE_BY) -> str:
    """Return the hash of the code of a module and of all that it imports of the recipe."""
    found = hashlib.sha256(repr(FACTS).encode())
    for path in files(module):
        found.update(_code(path.read_text(encoding="utf-8")))
    return found.hexdigest()[:16]


def files(module: str = MADE_BY) -> list[Path]:
    """Return the files of a module and of all that it imports of the recipe."""
    known, left = set[Path](), [path for path in [_file(module)] if path]
    while left:
        if (path := left.pop()) not in known:
            known.add(path)
            left += _imported(path.read_text(encoding="utf-8"))
    return sorted(known)


def of_photographs(photos: Sequence[Photo]) -> str:
    """Return the hash of photographs, their faces and outlines."""
    found = hashlib.sha256()
    for photo in sorted(photos, key=lambda photo: photo.name):
        outlines = [(face, quad.round(2).tolist()) for face, quad in photo.outlines]
        found.update(repr((photo.name, photo.source, photo.faces, outlines)).encode() + photo.path.read_bytes())
    return found.hexdigest()[:16]


def commit(module: str = MADE_BY) -> str:
    """Return the commit of the recipe's files, with a ``+`` if they differ from it; empty outside of a repository."""

    def git(*words: str) -> str:
        ended = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
        return ended.stdout.strip()

    return git("rev-parse", "--short=12", "HEAD") + (
        "+" if git("status", "--porcelain", "--", *map(str, files(module))) else ""
    )


@cache
def _code(source: str) -> bytes:
    return repr(_computed(ast.parse(source))).encode()


@cache
def _imported(source: str) -> tuple[Path, ...]:
    names = list[str]()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
    return tuple(found for name in names if (found := _file(name)))


def _file(module: str) -> Path | None:
    if module in READER or module in _APART:
        return READER.get(module)
    package, _, rest = module.partition(".")
    path = FOLDERS[package].joinpath(*rest.split(".")).with_suffix(".py") if rest and package in FOLDERS else None
    return path if path and path.exists() else None


def _computed(node: object) -> object:
    """Return what a part of a syntax tree computes, as nested lists; the same in all versions of Python."""
    if isinstance(node, list):
        return [_computed(one) for one in node if not (_is_docstring(one) or _makes_nothing(one))]
    if not isinstance(node, ast.AST):
        return node
    fields = [(name, value) for name, value in ast.iter_fields(node) if name not in _NOT_COMPUTED]
    return [type(node).__name__, *((name, _computed(value)) for name, value in fields if value not in (None, []))]


def _is_docstring(node: object) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _makes_nothing(node: object) -> bool:
    if isinstance(node, ast.FunctionDef):
        return any(isinstance(one.annotation, ast.Name) and one.annotation.id == "Network" for one in node.args.args)
    return isinstance(node, ast.Import | ast.ImportFrom)  # what is imported is in a file of its own
