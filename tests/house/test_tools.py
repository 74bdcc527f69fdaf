"""The shell scripts that `make` starts with, on machines made up for them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.longer import some
from tools.lock import ROOT


def program(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def run_tool(tool: str, *arguments: str, path: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = ["/bin/sh", str(ROOT / "tools" / tool), *arguments]
    return subprocess.run(command, env={"PATH": path, **environment}, capture_output=True, text=True, check=False)


OLD = "exit 1"
NEW = "exit 0"
WITHOUT_VENV = 'case "$2" in *ensurepip*) exit 1;; esac'


@pytest.mark.parametrize(
    ("pythons", "chosen"),
    [
        pytest.param({"python3": NEW, "python3.12": NEW}, "python3", id="the-usual-one"),
        pytest.param({"python3": OLD, "python3.12": NEW}, "python3.12", id="the-usual-one-is-old"),
        pytest.param({"python3": WITHOUT_VENV, "python3.13": NEW}, "python3.13", id="the-usual-one-has-no-venv"),
        pytest.param({"mine": NEW, "python3": NEW}, "mine", id="the-one-named"),
    ],
)
def test_the_first_python_that_fits_is_taken(tmp_path: Path, pythons: dict[str, str], chosen: str) -> None:
    for name, script in pythons.items():
        program(tmp_path, name, script)
    named = {"PYTHON": "mine"} if "mine" in pythons else {}
    assert run_tool("find-python", path=str(tmp_path), **named).stdout == f"{tmp_path / chosen}\n"


@pytest.mark.parametrize(
    ("pythons", "told"),
    [
        pytest.param({}, "no Python 3.11 to 3.14 found", id="none"),
        pytest.param({"python3": OLD}, "no Python 3.11 to 3.14 found", id="too-old"),
        pytest.param({"python3": WITHOUT_VENV}, "apt install python3-venv", id="no-venv"),
    ],
)
def test_where_none_fits_one_line_says_what_to_do(tmp_path: Path, pythons: dict[str, str], told: str) -> None:
    for name, script in pythons.items():
        program(tmp_path, name, script)
    answer = run_tool("find-python", path=str(tmp_path))
    assert answer.returncode == 1
    assert told in answer.stderr
    assert len(answer.stderr.splitlines()) == 1


@pytest.fixture
def debian(tmp_path: Path) -> Path:
    """A machine with only ``there`` installed, whose apt-get writes down what it is asked."""
    program(tmp_path, "dpkg-query", 'case "$4" in there) echo installed;; *) exit 1;; esac')
    program(tmp_path, "apt-get", f'echo "$@" >> {tmp_path}/asked')
    program(tmp_path, "sudo", "exit 1")
    (tmp_path / "apt.txt").write_text("# package, use\nthere  what is there\nchromium  the page\n")
    return tmp_path


@pytest.mark.parametrize("root", [True, False], ids=["root", "nobody"])
def test_debian_packages_are_installed_where_that_is_allowed_and_named_where_not(debian: Path, root: bool) -> None:
    program(debian, "id", f"echo {0 if root else 1000}")
    answer = run_tool("apt-for-tests", str(debian / "apt.txt"), path=f"{debian}{os.pathsep}/usr/bin{os.pathsep}/bin")
    assert answer.returncode == 0
    if root:
        assert "install --no-install-recommends chromium\n" in (debian / "asked").read_text()
        assert answer.stdout == ""
    else:
        assert not (debian / "asked").exists()
        assert answer.stdout == "make test: left out, because chromium cannot be installed here: the page\n"


def test_a_package_that_ci_cannot_install_is_an_error(debian: Path) -> None:
    program(debian, "id", "echo 1000")
    path = f"{debian}{os.pathsep}/usr/bin{os.pathsep}/bin"
    answer = run_tool("apt-for-tests", str(debian / "apt.txt"), path=path, CI="1")
    assert answer.returncode == 1
    assert answer.stdout == "error: make test: left out, because chromium cannot be installed here: the page\n"


def test_where_everything_is_installed_nothing_happens(debian: Path) -> None:
    (debian / "apt.txt").write_text("there  what is there\n")
    answer = run_tool("apt-for-tests", str(debian / "apt.txt"), path=f"{debian}{os.pathsep}/usr/bin{os.pathsep}/bin")
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, "", "")


SKIPS = """
import pytest

def test_a_tool_is_missing() -> None:
    pytest.skip("no such tool")

def test_as_somebody_else() -> None:
    pytest.skip("only root may mount a small disk")

@pytest.mark.xfail
def test_a_known_limit() -> None:
    raise AssertionError
"""


@pytest.mark.parametrize(("is_ci", "failed"), some([(True, 1), (False, 0)], 2))
def test_a_skipped_test_is_an_error_in_ci(tmp_path: Path, is_ci: bool, failed: int) -> None:
    (tmp_path / "test_skips.py").write_text(SKIPS)
    environment = {name: value for name, value in os.environ.items() if name != "CI"} | ({"CI": "1"} if is_ci else {})
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == failed
    assert ("CI skips no test; Skipped: no such tool" in done.stdout) == is_ci
    assert f"{2 - failed} skipped, 1 xfailed" in done.stdout


def test_without_an_environment_the_simulated_kernel_says_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    tool = shutil.copy(ROOT / "tools/gpio-sim", tmp_path / "tools")
    done = subprocess.run(["sh", tool], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"gpio-sim: no environment in {tmp_path}: run make setup there\n"
