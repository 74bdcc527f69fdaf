"""The check of `make wheels` itself, and what it says of this project."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.longer import some
from tools import pi_wheels
from tools.lock import pins
from tools.pi_wheels import NEXT, TARGETS, NoRegistry, Target, missing

BOOKWORM, TRIXIE, UBUNTU = TARGETS


def shelf_of(folder: Path, *names: str) -> list[str]:
    """A shelf of made-up wheels in place of the registry: the options that let pip see nothing else."""
    for name in names:
        package, version = name.split("-")[:2]
        with zipfile.ZipFile(folder / name, "w") as wheel:
            about = f"{package}-{version}.dist-info"
            wheel.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
            wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: false\n")
            wheel.writestr(f"{about}/RECORD", "")
    return ["--isolated", "--no-index", "--find-links", str(folder)]


@pytest.mark.long
@pytest.mark.parametrize(
    ("wheel", "target", "ready"),
    some([
        pytest.param("toy-1.0-py3-none-any.whl", BOOKWORM, True, id="pure"),
        pytest.param("toy-1.0-cp311-cp311-manylinux_2_28_aarch64.whl", BOOKWORM, True, id="this-python"),
        pytest.param("toy-1.0-cp311-cp311-manylinux_2_28_aarch64.whl", TRIXIE, False, id="another-python"),
        pytest.param("toy-1.0-cp37-abi3-manylinux2014_aarch64.whl", TRIXIE, True, id="stable-abi"),
        pytest.param("toy-1.0-cp311-cp311-manylinux_2_28_x86_64.whl", BOOKWORM, False, id="another-processor"),
        pytest.param("toy-1.0-cp311-cp311-musllinux_1_2_aarch64.whl", BOOKWORM, False, id="another-c-library"),
        pytest.param("toy-1.0-cp311-cp311-manylinux_2_39_aarch64.whl", BOOKWORM, False, id="c-library-too-new"),
        pytest.param("toy-1.0-cp313-cp313-manylinux_2_39_aarch64.whl", TRIXIE, True, id="newer-c-library"),
        pytest.param("toy-1.0-cp314-cp314-manylinux_2_5_x86_64.whl", UBUNTU, True, id="another-machine"),
        pytest.param("toy-1.0-cp314-cp314-manylinux_2_17_aarch64.whl", UBUNTU, False, id="not-this-machine"),
        pytest.param("toy-1.1-py3-none-any.whl", BOOKWORM, False, id="another-version"),
    ], 4),
)  # fmt: skip
@pytest.mark.slow
def test_a_wheel_counts_only_if_the_target_takes_it(tmp_path: Path, wheel: str, target: Target, ready: bool) -> None:
    shelf = shelf_of(tmp_path, wheel)
    assert missing(target, [Requirement("toy==1.0")], shelf) == ([] if ready else ["toy==1.0"])


@pytest.mark.long
@pytest.mark.slow
def test_all_that_is_missing_is_named_and_conditions_are_the_targets(tmp_path: Path) -> None:
    shelf = shelf_of(tmp_path, "pure-1.0-py3-none-any.whl")
    wanted = [
        "pure==1.0",
        "gone==2.0",
        "lost==3.0",
        "old==4.0; python_version < '3.12'",
        "pc==5.0; sys_platform == 'win32'",
    ]
    assert missing(TRIXIE, [Requirement(line) for line in wanted], shelf) == ["gone==2.0", "lost==3.0"]


@pytest.mark.long
def test_without_a_registry_nothing_is_claimed() -> None:
    nobody = ["--isolated", "--index-url", "http://127.0.0.1:9/simple", "--retries", "1"]
    with pytest.raises(NoRegistry, match="connection broken"):
        missing(BOOKWORM, [Requirement("toy==1.0")], nobody)


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.python)
def test_a_raspberry_pi_finds_every_dependency_ready(target: Target) -> None:
    try:
        without = missing(target, pins(target.lock))
    except NoRegistry as fault:
        if "CI" in os.environ:
            raise
        pytest.skip(f"no package registry can be asked: {fault}")
    assert without == []


@pytest.mark.parametrize(
    ("lacking", "status"), [(NEXT, 0), (TRIXIE, 1)], ids=["only-the-next-python", "a-supported-python"]
)
def test_a_wheel_that_only_the_next_python_lacks_is_printed_and_is_no_failure(
    lacking: Target, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pi_wheels, "missing", lambda target, _: ["toy==1.0"] if target is lacking else [])
    assert pi_wheels.main() == status
    told = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0].partition(",")[0] for line in told if "no wheel for toy" in line] == [lacking.name]
