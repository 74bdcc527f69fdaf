"""The locks hold what pyproject.toml asks for, for everybody."""

from __future__ import annotations

import re
import tomllib

import pytest
from packaging.requirements import Requirement

from tools.lock import LOCKS, NOT_LOCKED, ROOT, pins

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
RUN = PROJECT["project"]["dependencies"]
EXTRAS: dict[str, list[str]] = PROJECT["project"]["optional-dependencies"]


def wanted_by(extra: str) -> list[str]:
    """What an extra asks for, with that of the extras it names: ``croupier[web]``."""
    wanted: list[str] = []
    for asked in EXTRAS[extra]:
        inner = Requirement(asked)
        own = inner.name == PROJECT["project"]["name"]
        wanted += [one for other in sorted(inner.extras) for one in wanted_by(other)] if own else [asked]
    return wanted


WANTED: dict[str, list[str]] = {
    "pip": PROJECT["dependency-groups"]["pip"],
    "build": PROJECT["build-system"]["requires"],
    "run": RUN,
    "typings": PROJECT["dependency-groups"]["typings"],
    "picamera2": PROJECT["dependency-groups"]["picamera2"],
    **{extra: RUN + wanted_by(extra) for extra in EXTRAS},
    "pi-bookworm": RUN + wanted_by("all"),
}


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


def test_torch_is_pinned_by_hand_to_a_version_that_training_allows() -> None:
    (wanted,) = (r for r in map(Requirement, WANTED["train"]) if r.name == "torch")
    (pinned,) = pins("torch")
    assert wanted.specifier.contains(next(iter(pinned.specifier)).version)


@pytest.mark.parametrize("extra", EXTRAS)
def test_extras_repeat_the_pins_of_the_program(extra: str) -> None:
    assert set(map(str, pins("run"))) <= set(map(str, pins(extra)))


@pytest.mark.parametrize("lock", WANTED)
def test_every_pin_is_exact_and_carries_its_hashes(lock: str) -> None:
    text = (LOCKS / f"{lock}.txt").read_text(encoding="utf-8")
    assert all([s.operator for s in pin.specifier] == ["=="] for pin in pins(lock))
    assert len(re.findall(r"^[a-z0-9].*\\\n    --hash=sha256:[0-9a-f]{64}", text, re.MULTILINE)) == len(pins(lock))


@pytest.mark.parametrize("lock", [*WANTED, "torch"])
def test_no_lock_names_a_registry_or_a_folder(lock: str) -> None:
    text = (LOCKS / f"{lock}.txt").read_text(encoding="utf-8")
    assert not re.search(r"://|--(extra-)?index-url|--find-links|(?m:^[./])", text)
