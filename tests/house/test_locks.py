"""The locks hold what pyproject.toml asks for, for everybody."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, distribution

import pytest
from packaging.requirements import Requirement

from tools.lock import DISTRIBUTIONS, LOCKS, NOT_LOCKED, OWN_VERSIONS, ROOT, WORKSPACE, locks, pins, resolved

WANTED = locks()
NOT_THE_PROGRAM = {*OWN_VERSIONS, "build"}


def test_makefile_and_workspace_install_the_same_distributions_each_after_those_that_it_needs() -> None:
    (installed,) = re.findall(r"^DISTRIBUTIONS := (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert installed.split() == WORKSPACE["tool"]["workspace"]["distributions"]
    known: set[str] = set()
    for name, project in DISTRIBUTIONS.items():
        needed = {Requirement(one).name for one in project.get("dependencies", ())}
        assert needed & set(DISTRIBUTIONS) <= known, name
        known.add(name)


def test_every_lock_is_asked_for_and_there_is_no_other() -> None:
    assert {file.stem for file in LOCKS.glob("*.txt")} == {*WANTED, *NOT_LOCKED}


def test_a_package_has_the_same_version_in_all_locks() -> None:
    versions: dict[str, dict[str, list[str]]] = {}
    for lock in sorted(set(WANTED) - set(OWN_VERSIONS)):
        for pin in pins(lock):
            versions.setdefault(pin.name, {}).setdefault(str(pin.specifier), []).append(lock)
    assert {name: found for name, found in versions.items() if len(found) > 1} == {}


def test_all_distributions_allow_the_same_pythons() -> None:
    assert {project["requires-python"] for project in DISTRIBUTIONS.values()} == {">=3.11,<3.15"}


def test_our_own_distributions_are_in_no_lock() -> None:
    assert not {pin.name for lock in WANTED for pin in pins(lock)} & set(DISTRIBUTIONS)


@pytest.mark.parametrize("lock", WANTED)
def test_every_requirement_is_pinned_to_a_version_it_allows(lock: str) -> None:
    pinned = {(pin.name, next(iter(pin.specifier)).version) for pin in pins(lock)}
    for wanted in map(Requirement, WANTED[lock]):
        name = re.sub(r"[-_.]+", "-", wanted.name).lower()
        if name in NOT_LOCKED:
            continue
        versions = [version for other, version in pinned if other == name]
        assert versions, f"{name} is not in requirements/{lock}.txt: make lock"
        assert all(wanted.specifier.contains(version) for version in versions), f"{wanted}: make lock"


NAMESPACES = {"opentelemetry-api": {"opentelemetry"}}
"""Folders that are no package of their own, since several distributions put packages into them."""


def test_what_is_installed_with_the_program_puts_nothing_but_packages_beside_it() -> None:
    # A folder notes or docs in the environment would be imported as a package by whoever has a file of that name.
    strays = {}
    for name in {pin.name for lock in ("all", "hub") for pin in pins(lock)}:
        try:
            files = distribution(name).files or []
        except PackageNotFoundError:
            continue  # of another system
        folders = {
            file.parts[0] for file in files if len(file.parts) > 1 and file.parts[0] not in ("..", "__pycache__")
        }
        packages = {file.parts[0] for file in files if len(file.parts) == 2 and file.name.startswith("__init__.")}
        own = {folder for folder in folders if folder.endswith((".dist-info", ".libs", "-stubs"))}
        if found := folders - packages - own - NAMESPACES.get(name, set()):
            strays[name] = found
    assert strays == {}


def test_torch_is_pinned_by_hand_to_a_version_that_training_allows() -> None:
    (wanted,) = (r for r in map(Requirement, WANTED["train"]) if r.name == "torch")
    (pinned,) = pins("torch")
    assert wanted.specifier.contains(next(iter(pinned.specifier)).version)


@pytest.mark.parametrize("extra", sorted(set(WANTED) - NOT_THE_PROGRAM - {"hub"}))
def test_extras_repeat_the_pins_of_the_program(extra: str) -> None:
    """A package that the program needs on some systems, such as colorama, may be needed on all here."""
    program, whole = ({(pin.name, str(pin.specifier)) for pin in pins(lock)} for lock in ("run", extra))
    assert program <= whole


def test_a_hub_needs_no_card_reader() -> None:
    card_reader = {"numpy", "opencv-python-headless"}
    assert card_reader <= {Requirement(one).name for one in resolved("croupier")}
    for requirements in (map(Requirement, WANTED["hub"]), pins("hub")):
        assert card_reader & {one.name for one in requirements} == set()


@pytest.mark.parametrize("lock", WANTED)
def test_every_pin_is_exact_and_carries_its_hashes(lock: str) -> None:
    text = (LOCKS / f"{lock}.txt").read_text(encoding="utf-8")
    assert all([s.operator for s in pin.specifier] == ["=="] for pin in pins(lock))
    assert len(re.findall(r"^[a-z0-9].*\\\n    --hash=sha256:[0-9a-f]{64}", text, re.MULTILINE)) == len(pins(lock))


@pytest.mark.parametrize("lock", [*WANTED, "torch"])
def test_no_lock_names_a_registry_or_a_folder(lock: str) -> None:
    text = (LOCKS / f"{lock}.txt").read_text(encoding="utf-8")
    assert not re.search(r"://|--(extra-)?index-url|--find-links|(?m:^[./])", text)
