"""A release: what it has, how it is checked, and that it is an index of updates."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from croupier_extras.upkeep.minisign import PublicKey, check
from croupier_extras.upkeep.update import fetch
from tests.upkeep.packages import package
from tools import release
from tools.lock import DISTRIBUTIONS, ROOT

LOG = """# Changelog

## Unreleased

- Soon.

## [0.2.1] - 2026-12-01

### Added

- A bell.

## 0.2.0

- The first.
"""


def test_the_changes_of_a_version_are_taken_from_the_changelog() -> None:
    assert release.changes(LOG, "0.2.1") == "### Added\n\n- A bell.\n"
    assert release.changes(LOG, "0.2.0") == "- The first.\n"
    assert release.changes(LOG, "0.2.2.dev3") == "- Soon.\n"


def test_every_file_is_in_the_sums_and_the_folder_is_an_index_of_updates(tmp_path: Path) -> None:
    folder = tmp_path / "release"
    folder.mkdir()
    (folder / "CHANGES.md").write_text("- A bell.\n")
    for system, machine in (("bookworm", "amd64"), ("trixie", "arm64")):
        package(folder, "0.2.1", system=system, machine=machine)
    release.finish(folder, None)
    release.finish(folder, None)  # what is there from before is not summed
    lines = [line.split("  ") for line in (folder / release.SUMS).read_text().splitlines()]
    assert {name: digest for digest, name in lines} == {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in folder.iterdir() if file.name != release.SUMS
    }  # fmt: skip
    assert json.loads((folder / release.INDEX).read_text()) == {
        "bookworm amd64": "croupier_0.2.1+deb12_amd64.deb", "trixie arm64": "croupier_0.2.1+deb12_arm64.deb",
    }  # fmt: skip


@pytest.mark.skipif(shutil.which("minisign") is None, reason="minisign is not installed")
def test_a_table_takes_the_update_that_was_released_and_signed(tmp_path: Path) -> None:
    folder, taken = tmp_path / "release", tmp_path / "taken"
    folder.mkdir()
    taken.mkdir()
    made = package(folder, "0.2.1")
    keys = ["minisign", "-G", "-W", "-p", str(tmp_path / "key.pub"), "-s", str(tmp_path / "key")]
    subprocess.run(keys, check=True, capture_output=True)
    release.finish(folder, tmp_path / "key")
    key = PublicKey.read(tmp_path / "key.pub")
    file = fetch(folder.as_uri(), "amd64", "bookworm", taken, lambda n: None)
    assert file.read_bytes() == made.read_bytes()
    check(file, key)
    check(folder / release.SUMS, key)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tools.release", *arguments]
    return subprocess.run(command, cwd=ROOT, env=os.environ, capture_output=True, text=True, check=False)


def test_without_being_told_to_it_writes_nothing_and_says_what_is_left_to_do(tmp_path: Path) -> None:
    done = run("--into", str(tmp_path / "release"))
    assert done.returncode == 0, done.stderr
    assert "only told, nothing is written" in done.stdout
    assert all(line in done.stdout for line in release.BY_HAND)
    assert list(tmp_path.iterdir()) == []


def test_a_package_for_a_system_that_there_is_not_is_refused(tmp_path: Path) -> None:
    done = run("--do", "--debs", "sid/amd64", "--into", str(tmp_path / "release"))
    assert "sid/amd64: expected some of bookworm/amd64, bookworm/arm64" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_a_release_has_every_distribution_as_wheel_and_source_with_the_bill_of_materials(tmp_path: Path) -> None:
    done = run("--do", "--debs", "none", "--into", str(tmp_path / "release"))
    assert done.returncode == 0, done.stderr
    names = {file.name for file in (tmp_path / "release").iterdir()}
    for name in DISTRIBUTIONS:
        stem = f"{name.replace('-', '_')}-"
        assert sum(one.startswith(stem) and one.endswith((".whl", ".tar.gz")) for one in names) == 2, name
    assert {"CHANGES.md", release.SUMS, release.INDEX} < names
    assert any(one.endswith(".cdx.json") for one in names)
    again = run("--do", "--debs", "none", "--into", str(tmp_path / "release"))
    assert "is there already" in again.stderr
