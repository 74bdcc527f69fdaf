"""Which long tests a change can break: those that import a changed module, directly or through others.

    python -m tools.affected [BASE]     print the changed files since BASE, and what they select

The base is, in this order: the argument, the variable CROUPIER_BASE, the commit at which `make nightly` last passed
(docs/test-times.md). ``none`` means: no base, everything is selected; so does a base that is not an ancestor of HEAD.

A test depends on what it imports (grimp reads the import graph), on the packages around those modules, on the
``conftest.py`` files above it, and on modules that it names as text: ``"-m", "croupier"``, the target of a mock, an
entry point. A file that is no Python stands for all modules of the package in which it lies; `RULES` says what a file
outside of packages stands for. A file without a rule selects everything.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Final

import grimp

from tools.lock import ROOT

TIMES: Final = ROOT / "docs/test-times.md"
OURS: Final = ("tests", "tools", "training", "hardware")
"""Import roots that are in no distribution."""

EVERYTHING: Final = "everything"

RULES: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("firmware/lib/tablewire/*", ("tablewire", "croupier_sim.board")),
    ("firmware/*", ("croupier_sim.board", "croupier.devices.pico", "tests.firmware", "tests.simulation")),
    ("hardware/*", ("hardware", "tests.hardware")),
    ("training/*", ("training",)),
    ("deploy/*", ("tests.house",)),
    ("examples/*", ()),
    ("docs/*", ()),
    (".github/*", ()),
    ("tools/*", ("tools",)),
    ("*.md", ()),
    ("*LICENSE", ()),
    (".git*", ()),
    ("mkdocs.yml", ()),
)
"""What a file outside of all packages stands for: the first pattern that fits. A file that no long test covers stands
for nothing: `make test` runs whole. A file without a pattern (pyproject.toml, Makefile, .ci/) selects everything."""

WHEREVER: Final = ("tests/cli", "tests/docs", "tests/house", "tests/languages")
"""Tests of the whole program: they run after a change of any module."""

IS_LONG: Final = re.compile(r"mark\.long|\bsome\(|hypothesis")
"""What the source of a test file contains if `make test-long` runs a part of it."""


@dataclass(frozen=True)
class Suite:
    """A target of make beside `make test` and `make test-long`, and what it tests: it runs if a file changes that lies
    in one of these modules, or whose path begins so."""

    target: str
    modules: tuple[str, ...]
    paths: tuple[str, ...] = ()


SUITES: Final = (
    Suite("test-pi", ("cardsight", "croupier.pictures", "tests.vision", "tests.pictures")),
    Suite("test-gpio", ("croupier.devices", "croupier.doctor", "tests.gpio"), ("tools/gpio-sim",)),
    Suite("test-hardware", ("hardware", "tablewire"), ("hardware/",)),
)


@dataclass(frozen=True)
class Selection:
    """What a change selects. ``tests``: test files with long tests, ``None`` for all of them. ``suites``: targets of
    make. ``why``: why everything is selected, else the empty text. ``left_out``: long test files not selected."""

    tests: tuple[str, ...] | None
    suites: tuple[str, ...]
    why: str = ""
    changed: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def suites_left_out(self) -> tuple[str, ...]:
        """The targets of make that are not selected."""
        return tuple(suite.target for suite in SUITES if suite.target not in self.suites)


def _git(*arguments: str) -> str:
    return subprocess.run(("git", *arguments), cwd=ROOT, check=True, capture_output=True, text=True).stdout


def base_of(named: str = "") -> tuple[str, str]:
    """Return the commit to compare with; where there is none, the empty text and the reason."""
    chosen = named or os.environ.get("CROUPIER_BASE", "")
    if chosen == "none":
        return "", "the base is none"
    if not chosen:
        found = re.search(r"passed at `([0-9a-f]{40})`", TIMES.read_text(encoding="utf-8") if TIMES.exists() else "")
        if found is None:
            return "", f"{TIMES.relative_to(ROOT)} names no commit at which make nightly has passed"
        chosen = found[1]
    command = ("git", "merge-base", "--is-ancestor", chosen, "HEAD")
    if subprocess.run(command, cwd=ROOT, check=False, capture_output=True).returncode:
        return "", f"{chosen[:12]} is not an ancestor of HEAD"
    return chosen, ""


def changed_since(base: str) -> tuple[str, ...]:
    """Return the files that differ from ``base``, new and deleted ones too, also what is not committed."""
    differing = _git("diff", "--name-only", "--no-renames", base).splitlines()
    new = _git("ls-files", "--others", "--exclude-standard").splitlines()
    return tuple(sorted({*differing, *new}))


@cache
def folders() -> dict[str, Path]:
    """Return the folder of each import root, such as ``croupier``."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    packages = {Path(line).parent for line in _git("ls-files", "--cached", "--others", "*/__init__.py").splitlines()}
    ours = {root: ROOT / root for root in OURS}
    for root in settings["tool"]["importlinter"]["root_packages"]:
        ours[root] = min((ROOT / path for path in packages if path.name == root), key=lambda path: len(path.parts))
    return ours


def module_of(path: str) -> str | None:
    """Return the module of a file, or the package in which it lies; ``None`` outside of all packages."""
    file = ROOT / path
    for root, folder in folders().items():
        if file.is_relative_to(folder):
            parts = (root, *file.relative_to(folder).with_suffix("").parts)
            if file.suffix == ".py":
                return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            return ".".join(parts[:-1]) if root not in OURS or root == "tests" else None
    return None


@cache
def graph() -> grimp.ImportGraph:
    """Return who imports whom, with the dependencies that no import statement shows."""
    whole = grimp.build_graph(*folders(), cache_dir=str(ROOT / ".cache/grimp"))
    modules = frozenset(whole.modules)
    for module in modules:
        for other in _hidden(module, modules):
            if other != module:
                whole.add_import(importer=module, imported=other)
    return whole


def file_of(module: str) -> Path:
    """Return the source file of a module."""
    root, *rest = module.split(".")
    path = folders()[root].joinpath(*rest)
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _hidden(module: str, modules: frozenset[str]) -> Iterator[str]:
    """Yield the modules that ``module`` depends on without an import statement."""
    parts = module.split(".")
    for n in range(1, len(parts)):
        if parts[0] != "tests" and (package := ".".join(parts[:n])) in modules:
            yield package
        if parts[0] == "tests" and (conftest := ".".join([*parts[:n], "conftest"])) in modules:
            yield conftest
    file = file_of(module)
    if parts[0] != "tests" or not file.exists():
        return
    text = file.read_text(encoding="utf-8")
    if re.search(r'"-m", "croupier"|with_name\("croupier"\)', text):
        yield "croupier.__main__"
    for named in set(re.findall(r'"([a-z_]+(?:\.\w+)+)', text)):
        words = named.split(".")
        yield from (name for n in range(2, len(words) + 1) if (name := ".".join(words[:n])) in modules)
    for name, target in entry_points():
        if f'"{name}"' in text and target in modules:
            yield target


@cache
def entry_points() -> tuple[tuple[str, str], ...]:
    """Return name and module of each entry point of our distributions."""
    found = []
    for path in _git("ls-files", "*pyproject.toml").splitlines():
        project = tomllib.loads((ROOT / path).read_text(encoding="utf-8")).get("project", {})
        for group in project.get("entry-points", {}).values():
            found += [(name, target.partition(":")[0]) for name, target in group.items()]
    return tuple(found)


def stands_for(path: str) -> tuple[str, ...] | None:
    """Return the modules and packages that a changed file stands for; ``None``: everything."""
    if module := module_of(path):
        whole = graph().modules
        while module and module not in whole and not any(one.startswith(f"{module}.") for one in whole):
            module = module.rpartition(".")[0]  # a module that was deleted: the package that it was in
        return (module,) if "." in module or path.endswith(".py") else None
    return next((modules for pattern, modules in RULES if fnmatch(path, pattern)), None)


def affected(changed: Iterable[str]) -> tuple[frozenset[str], str]:
    """Return the modules that depend on changed files, themselves included, and why it may be everything."""
    found: set[str] = set()
    for path in changed:
        standing = stands_for(path)
        if standing is None:
            return frozenset(graph().modules), f"{path} may change everything"
        for name in standing:
            is_data = not path.endswith(".py")
            inside = {one for one in graph().modules if one == name or (is_data and one.startswith(f"{name}."))}
            for module in inside:
                found |= {module} | graph().find_downstream_modules(module)
    return frozenset(found), ""


def long_tests() -> tuple[str, ...]:
    """Return all test files of which `make test-long` runs a part."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    return tuple(str(file.relative_to(ROOT)) for file in files if IS_LONG.search(file.read_text(encoding="utf-8")))


def select(changed: Iterable[str]) -> Selection:
    """Return the long tests and suites that these changed files can break."""
    changed = tuple(changed)
    modules, why = affected(changed)
    if why:
        return Selection(None, tuple(suite.target for suite in SUITES), why, changed)
    is_program = any(module.split(".")[0] not in OURS for module in modules)
    tests, left_out = list[str](), list[str]()
    for test in long_tests():
        is_wanted = module_of(test) in modules or (is_program and test.startswith(WHEREVER))
        (tests if is_wanted else left_out).append(test)
    standing = {name for path in changed for name in stands_for(path) or ()}
    suites = tuple(
        suite.target
        for suite in SUITES
        if any(path.startswith(suite.paths) for path in changed if suite.paths)
        or any(f"{name}.".startswith(f"{part}.") for name in standing for part in suite.modules)
    )
    return Selection(tuple(tests), suites, "", changed, tuple(left_out))


def selection(named: str = "") -> Selection:
    """Return what has to run now, compared with the base (see `base_of`)."""
    base, why = base_of(named)
    if not base:
        return Selection(None, tuple(suite.target for suite in SUITES), why)
    return select(changed_since(base))


def main(named: str = "") -> int:
    """Print the selection."""
    chosen = selection(named)
    print(f"{len(chosen.changed)} changed files", *chosen.changed, sep="\n  ")
    print(f"suites: {' '.join(chosen.suites) or 'none'}")
    if chosen.tests is None:
        print(f"all long tests: {chosen.why}")
        return 0
    print(f"{len(chosen.tests)} files with long tests", *chosen.tests, sep="\n  ")
    print(f"{len(chosen.left_out)} files left out", *chosen.left_out, sep="\n  ")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
