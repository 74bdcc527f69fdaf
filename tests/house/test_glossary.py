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
INSTEAD = {
    "told, tell, telling": "emit, report, decide, format, localize",
    "meaning": "interpreter",
    "saying, spoken": "command, text",
    "wish": "command, request",
    "troubles": "alarms",
    "keeper, keeping, kept": "supervisor, session",
    "kit, makers": "device manager, factories",
    "unnoticed, standstill": "grace period, interlocks",
    "beside, astray": "stray card",
    "by hand": "manual",
    "listeners, audience, announcer": "observers, notifier",
    "inviting": "join info",
    "examined": "check context",
    "rulebook, setting up": "rules report, setup",
    "trying": "test",
    "door": "authentication",
    "ground": "context",
    "guard": "middleware",
    "shelf": "repository",
    "looking, wishing, recording, beginning": "routes: view, actions, corrections, new game",
    "apart, alone": "worker process, standalone",
    "following": "event stream",
    "network name": "mDNS",
    "patience": "throttle",
    "paper": "score PDF",
    "foreseen": "preview",
    "sorry": "error",
    "distinct": "non-maximum suppression",
    "likeness": "IoU, similarity",
    "witness, belief": "evidence, calibration",
    "finder, locate": "detector, detect",
    "cut, cutout": "crop",
    "covered, squeezed": "occluded",
    "settled": "background model, at rest",
    "book": "game constants",
    "circle, sequel": "transition table, transition",
    "opening, ending, overruling": "start of round, end of round, override",
}
"""Words that names of modules, public classes and functions do not have, and those that they have instead."""

MEANT = (
    "CannotTell",
    "spoken",
    "turn_by_hand",
    "ground",
    "draw_ground",
    "PortFinder",
    "UsbFinder",
    "CutOff",
    "is_settled",
    "settled_cards",
    "settled_until",
)
"""Names that mean the word itself."""


def parts_of(name: str) -> tuple[str, ...]:
    """The words of a name, in lower case: of `SimPico`, `sim_pico` and `SIM_PICO` they are the same."""
    found = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)
    return tuple(word.lower() for word in found)


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


@pytest.mark.parametrize("words", INSTEAD)
def test_no_name_has_a_word_for_which_the_glossary_has_another(words: str) -> None:
    refused, meant = [parts_of(word) for word in words.split(", ")], {parts_of(name) for name in MEANT}
    offenders = []
    for name, file in sorted(names()):
        parts = parts_of(name)
        has_it = any(parts[at : at + len(word)] == word for word in refused for at in range(len(parts)))
        if has_it and parts not in meant:
            offenders.append(f"{file}: {name}: expected {INSTEAD[words]}")
    assert offenders == []
