"""Which long tests a change can break: those that depend on a changed file, directly or through others.

    python -m tools.affected [BASE]     print the changed files since BASE, and what they select

The base is, in this order: the argument, the variable CROUPIER_BASE, the commit at which all that CI runs last passed
(docs/test-times.md). ``none`` means: no base, everything is selected; so does a base that is not an ancestor of HEAD.

A module depends on what it imports (grimp reads the import graph), on the packages around it, and on modules that it
names as text: the function of a child process, ``"-m", "croupier"``, the target of a mock. A test also depends on the
``conftest.py`` files above it, and on the plug-ins whose entry points it or a helper names, if that reaches what finds
plug-ins. A file that is no Python stands for all modules of the package in which it lies; `RULES` says what a file
outside of packages stands for. In addition each changed file stands for the modules that name it as text, and for the
tests that name a folder above it. A file without a rule selects everything.
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

SHARED: Final = ("croupier", "croupier_rules", "cardsight", "tests")
"""Packages whose data, where it lies in the package itself, may be read by everything: catalogs, networks."""

JUDGES: Final = (
    "Makefile",
    ".ci/*",
    "tools/affected.py",
    "tools/ci.py",
    "tools/lock.py",
    "tools/test_times.py",
    "tools/apt-for-tests",
)
"""Files that decide what runs, or how: after a change of them everything runs."""

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
"""Modules for which a file outside of all packages stands: the first pattern that fits. A file that no long test
covers stands for nothing: `make test` runs whole. A file without a pattern (pyproject.toml, requirements/) selects
everything."""

WHEREVER: Final = ("tests/cli", "tests/docs", "tests/house", "tests/languages")
"""Tests of the whole program: they run after a change of any module."""

IS_LONG: Final = re.compile(r"mark\.long|from tests\.longer import|hypothesis")
"""Pattern in the source of a test file of which `make test-long` runs a part."""

PLUGINS: Final = ("croupier.plugins", "croupier.i18n")
"""They name the groups of entry points, and depend on no plug-in: the table runs with and without those that are
installed, as `make test` shows (tests/test_plugins.py)."""

PICTURES: Final = re.compile(r"^\s*(?:import|from) (?:cv2|numpy)\b", re.MULTILINE)
"""Pattern in the source of a module that an older OpenCV or NumPy can break."""


@dataclass(frozen=True)
class Suite:
    """A target of make beside `make test` and `make test-long`, and what it is ``about``. It runs if a change can break
    one of its ``tests`` (the beginnings of their names), or lies in one of the ``paths``. ``only``: what the source of
    a changed module contains if it can break the suite and not the same tests in `make test`."""

    target: str
    about: str
    tests: tuple[str, ...]
    paths: tuple[str, ...] = ()
    only: re.Pattern[str] | None = None


SUITES: Final = (
    Suite(
        "test-pi",
        "card reader and cameras with older OpenCV and NumPy",
        ("tests.vision.", "tests.pictures."),
        only=PICTURES,
    ),
    Suite("test-gpio", "pins of a real kernel", ("tests.gpio.",), paths=("tools/gpio-sim", "tests/gpio/")),
    Suite("test-hardware", "parts that can be printed and fit", ("hardware.tests.",), paths=("hardware/",)),
)


@dataclass(frozen=True)
class Selection:
    """Tests and suites that a change selects. ``tests``: test files with long tests, ``None`` for all of them.
    ``suites``: targets of make. ``why``: why everything is selected, else the empty text. ``left_out``: long test
    files not selected."""

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
    """Return the commit to compare with, and the empty text; without a base, the empty text and the reason."""
    chosen = named or os.environ.get("CROUPIER_BASE", "")
    if chosen == "none":
        return "", "the base is none"
    if not chosen:
        found = re.search(r"passed at `([0-9a-f]{40})`", TIMES.read_text(encoding="utf-8") if TIMES.exists() else "")
        if found is None:
            return "", f"{TIMES.relative_to(ROOT)} names no commit at which all has passed"
        chosen = found[1]
    command = ("git", "merge-base", "--is-ancestor", chosen, "HEAD")
    if subprocess.run(command, cwd=ROOT, check=False, capture_output=True).returncode:
        return "", f"{chosen[:12]} is not an ancestor of HEAD"
    return chosen, ""


def changed_since(base: str) -> tuple[str, ...]:
    """Return the files that differ from ``base``, including new, deleted and uncommitted ones."""
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
    whole = grimp.build_graph(*folders(), cache_dir=None)
    modules = frozenset(whole.modules)
    for module in modules:
        for other in _hidden(module, modules):
            if other != module:
                whole.add_import(importer=module, imported=other)
    asking = whole.find_downstream_modules(PLUGINS[0])
    for module in modules:
        for other in _plugins_of(module, modules, may_ask=module in asking):
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
    is_test = parts[0] == "tests"
    for n in range(1, len(parts)):
        if not is_test and (package := ".".join(parts[:n])) in modules:
            yield package
        if parts[-1].startswith("test_") and (conftest := ".".join([*parts[:n], "conftest"])) in modules:
            yield conftest
    text = source_of(module)
    if re.search(r'"-m", "croupier"|with_name\("croupier"\)', text):
        yield "croupier.__main__"
    for named in set(re.findall(r'"([a-z_]+(?:\.\w+)+)', text)):
        words = named.split(".")
        yield from (name for n in range(2, len(words) + 1) if (name := ".".join(words[:n])) in modules)
    if is_test and '"bench"' in text:  # `croupier bench NAME` loads the module of this name
        yield from (name for word in re.findall(r'"(\w+)"', text) if (name := f"croupier_bench.{word}") in modules)


def _plugins_of(module: str, modules: frozenset[str], *, may_ask: bool) -> Iterator[str]:
    """Yield the plug-ins that ``module`` loads: those of a group that it names, and for a test those that it asks the
    program for by name. ``may_ask``: the module reaches `croupier.plugins`; in a helper that does not, the name of a
    plug-in is any other word."""
    text, is_test = source_of(module), module.startswith("tests.")
    for entry in entry_points():
        if module in PLUGINS or entry.module not in modules:
            continue
        if f'"{entry.group}"' not in "".join(map(source_of, PLUGINS)):
            is_loaded = f'"{entry.group}"' in text
        else:
            is_named = re.search(rf'"{entry.name}[" ]|\[{entry.name}[].]', text) is not None
            is_loaded = is_test and may_ask and is_named
        if is_loaded:
            yield entry.module


@cache
def source_of(module: str) -> str:
    """Return the source of a module, or the empty text."""
    file = file_of(module)
    return file.read_text(encoding="utf-8") if file.exists() else ""


@dataclass(frozen=True)
class EntryPoint:
    """An entry point of one of our distributions: its group, its name, and the module of its object."""

    group: str
    name: str
    module: str


@cache
def entry_points() -> tuple[EntryPoint, ...]:
    """Return the entry points of our distributions."""
    found = []
    for path in _git("ls-files", "*pyproject.toml").splitlines():
        project = tomllib.loads((ROOT / path).read_text(encoding="utf-8")).get("project", {})
        for group, entries in project.get("entry-points", {}).items():
            found += [EntryPoint(group, name, target.partition(":")[0]) for name, target in entries.items()]
    return tuple(found)


def stands_for(path: str) -> tuple[str, ...] | None:
    """Return the modules and packages that a changed file stands for; ``None``: everything."""
    if any(fnmatch(path, pattern) for pattern in JUDGES):
        return None
    if module := module_of(path):
        while module and not any(one == module or one.startswith(f"{module}.") for one in graph().modules):
            module = module.rpartition(".")[0]  # a module that was deleted: the package that it was in
        return None if module in SHARED and not path.endswith(".py") else (module,)
    return next((modules for pattern, modules in RULES if fnmatch(path, pattern)), None)


def naming(path: str) -> Iterator[str]:
    """Yield the modules that name a file as text, and the tests that name a folder above it."""
    *folders_above, file = path.split("/")
    above = ["/".join(folders_above[: n + 1]) for n in range(module_of(path) is not None, len(folders_above))]
    in_tests = re.compile(rf'["/](?:{"|".join(re.escape(name) for name in (file, *above))})["/]')
    anywhere = re.compile(rf'["/]{re.escape(file)}"')
    for module in graph().modules:
        if (in_tests if module.startswith("tests.") else anywhere).search(source_of(module)):
            yield module


def affected(changed: Iterable[str]) -> tuple[frozenset[str], str]:
    """Return the modules that depend on changed files, themselves included, and why it may be everything."""
    found: set[str] = set()
    for path in changed:
        standing = stands_for(path)
        if standing is None:
            return frozenset(graph().modules), f"{path} may change everything"
        for module in modules_in(path, standing):
            found |= {module} | graph().find_downstream_modules(module)
    return frozenset(found), ""


def modules_in(path: str, standing: Iterable[str]) -> frozenset[str]:
    """Return the modules that a changed file itself changes."""
    modules = graph().modules
    inside = set[str]()
    for name in standing:
        is_whole = not path.endswith(".py") or name != module_of(path)  # data, or what was deleted
        inside |= {one for one in modules if one == name or (is_whole and one.startswith(f"{name}."))}
    is_python_of_ours = path.endswith(".py") and module_of(path) is not None
    return frozenset(inside if is_python_of_ours else inside | {*naming(path)})


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
    suites = tuple(suite.target for suite in SUITES if _is_affected(suite, changed))
    return Selection(tuple(tests), suites, "", changed, tuple(left_out))


def _is_affected(suite: Suite, changed: Iterable[str]) -> bool:
    """True if these changed files, all of which stand for something, can break the suite."""
    for path in changed:
        if suite.paths and path.startswith(suite.paths):
            return True
        for module in modules_in(path, stands_for(path) or ()):
            if suite.only is not None and not suite.only.search(source_of(module)) and path.endswith(".py"):
                continue
            if any(one.startswith(suite.tests) for one in {module} | graph().find_downstream_modules(module)):
                return True
    return False


def selection(named: str = "") -> Selection:
    """Return the tests and suites to run now, compared with the base (see `base_of`)."""
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
