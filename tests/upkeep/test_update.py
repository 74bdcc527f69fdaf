"""Updates that go back: whenever one is killed, the power fails, or its package is broken, a whole version starts."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest

from croupier_extras.errors import BadUpdate
from croupier_extras.upkeep import versions as versions_module
from croupier_extras.upkeep.minisign import PublicKey, check
from croupier_extras.upkeep.package import Package
from croupier_extras.upkeep.update import Update, newest, take
from croupier_extras.upkeep.versions import BEFORE, CURRENT, GOOD, Versions
from tests.longer import many
from tests.processes import forks_of
from tests.upkeep.packages import Signer, content, package
from tools.lock import ROOT

HERE = ("amd64", "bookworm")
OLD, NEW = "0.2.0", "0.2.1"


def put(folder: Path, version: str) -> None:
    for name, data in content(version).items():
        (folder / version / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / version / name).write_bytes(data)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A machine with one version."""
    folder = tmp_path / "opt"
    put(folder, OLD)
    for link in (CURRENT, GOOD):
        (folder / link).symlink_to(OLD)
    return folder


@dataclass
class FakeTable:
    """A table that works with every version, but for what a test says. ``log``: what was done to it."""

    home: Path
    runs: bool = True
    wrong: Mapping[str, str] = field(default_factory=dict)
    broken: str = ""
    firmware: str = OLD
    log: list[str] = field(default_factory=list)

    def is_running(self) -> bool:
        return self.runs

    def stop(self) -> None:
        self.runs = False
        self.log.append("stop")

    def start(self) -> bool:
        version = os.readlink(self.home / CURRENT)
        self.log.append(f"start {version}")
        self.runs = not (version == NEW and self.broken == "start")
        return self.runs

    def starts(self, version: Path) -> bool:
        return not (version.name == NEW and self.broken == "program")

    def devices(self, version: Path) -> Mapping[str, str]:
        good = {"camera.opens": "ok", "pico.firmware": "ok" if self.firmware == version.name else "wrong"}
        return good | (dict(self.wrong) if version.name == NEW else {})

    def put_firmware(self, version: Path) -> None:
        self.firmware = version.name

    def fault(self) -> str:
        return "the page does not answer" if self.broken == "page" and os.readlink(self.home / CURRENT) == NEW else ""


def guard(home: Path) -> str:
    """What starts, after what runs before the table starts."""
    command = ["/bin/sh", str(ROOT / "deploy/croupier-start")]
    done = subprocess.run(
        command, env={**os.environ, "CROUPIER_HOME": str(home)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return os.readlink(home / CURRENT)


def after_failure(home: Path, tmp_path: Path) -> subprocess.Popen[bytes]:
    """What runs after the unit has failed for good; `asked` tells what it asked systemd."""
    tools = tmp_path / "tools"
    tools.mkdir(exist_ok=True)
    (tools / "systemctl").write_text(f'#!/bin/sh\necho "$@" >>{tmp_path}/asked\n')
    (tools / "systemctl").chmod(0o755)
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "CROUPIER_HOME": str(home),
                   "CROUPIER_START": str(ROOT / "deploy/croupier-start")}  # fmt: skip
    return subprocess.Popen(["/bin/sh", str(ROOT / "deploy/croupier-failed")], env=environment)


def asked(tmp_path: Path) -> str:
    file = tmp_path / "asked"
    return file.read_text() if file.exists() else ""


def is_whole(home: Path, version: str) -> bool:
    found = {
        str(file.relative_to(home / version)): file.read_bytes()
        for file in (home / version).rglob("*")
        if file.is_file()
    }
    return found == content(version)


# -- an update -----------------------------------------------------------------------------------------------------


def test_a_new_version_is_kept_with_the_one_before_and_a_third_drops_the_first(home: Path, tmp_path: Path) -> None:
    signer, table, versions = Signer(), FakeTable(home), Versions(home)
    key = PublicKey.read(signer.public(tmp_path / "key.pub"))
    for number, was in ((NEW, OLD), ("0.3.0", NEW)):
        with versions.locked():
            assert take(signer.sign(package(tmp_path, number)), key, versions, *HERE) == number
            Update(versions, table, lambda line: None).to(number)
        assert [versions.linked(link) for link in (CURRENT, GOOD, BEFORE)] == [number, number, was]
        assert is_whole(home, number)
        assert table.firmware == number
        assert table.runs
    assert not (home / OLD).exists()
    Update(versions, table, lambda line: None).to(NEW)
    assert guard(home) == NEW
    assert table.firmware == NEW


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ({"broken": "program"}, "does not start here"),
        ({"broken": "start"}, "croupier.service"),
        ({"broken": "page"}, "the page does not answer"),
        ({"wrong": {"camera.opens": "wrong"}}, "camera.opens"),
        ({"wrong": {"pico.firmware": "absent"}}, "pico.firmware"),
    ],
)
def test_a_version_with_which_the_table_does_not_work_goes_back_with_the_firmware(
    table: Any, why: str, home: Path
) -> None:
    fake = FakeTable(home, **table)
    put(home, NEW)
    with pytest.raises(BadUpdate, match=why):
        Update(Versions(home), fake, lambda line: None).to(NEW)
    assert [os.readlink(home / link) for link in (CURRENT, GOOD)] == [OLD, OLD]
    assert (fake.runs, fake.firmware) == (True, OLD)
    assert guard(home) == OLD


def test_a_table_that_did_not_run_is_not_started(home: Path) -> None:
    fake = FakeTable(home, runs=False)
    put(home, NEW)
    Update(Versions(home), fake, lambda line: None).to(NEW)
    assert not [line for line in fake.log if line.startswith("start")]


def test_a_version_on_trial_starts_only_while_its_update_lives(home: Path) -> None:
    put(home, NEW)
    versions = Versions(home)
    with versions.locked():
        versions.point(CURRENT, NEW)
        assert guard(home) == NEW
        with pytest.raises(BadUpdate, match="another update"), versions.locked():
            pass
    assert guard(home) == OLD


# -- broken packages -----------------------------------------------------------------------------------------------


STARTED = "reset-failed croupier.service\n--no-block start croupier.service\n"


def test_a_table_that_failed_after_its_update_was_killed_starts_with_the_good_version(
    home: Path, tmp_path: Path
) -> None:
    put(home, NEW)
    versions = Versions(home)
    with versions.locked():
        versions.point(CURRENT, NEW)
        waits = after_failure(home, tmp_path)
        with pytest.raises(subprocess.TimeoutExpired):
            waits.wait(0.3)  # the update lives
        assert asked(tmp_path) == ""
    assert waits.wait(30) == 0
    assert (os.readlink(home / CURRENT), asked(tmp_path)) == (OLD, STARTED)


def test_a_good_version_that_failed_stays_down(home: Path, tmp_path: Path) -> None:
    assert after_failure(home, tmp_path).wait(30) == 0
    assert (os.readlink(home / CURRENT), asked(tmp_path)) == (OLD, "")


def cut(part: float) -> Callable[[Path], None]:
    def damage(file: Path) -> None:
        file.write_bytes(file.read_bytes()[: round(file.stat().st_size * part)])

    return damage


BROKEN: dict[str, tuple[dict[str, Any], Callable[[Path], None] | None, str]] = {
    **{
        f"signed and {part} of it": ({}, cut(part), "not the file that was signed")
        for part in (0, 0.1, 0.5, 0.9, 0.999)
    },
    "other machine": ({"machine": "arm64"}, None, "made for bookworm arm64, and this is bookworm amd64"),
    "other Debian": ({"system": "trixie"}, None, "made for trixie amd64"),
    "other package": ({"name": "chess"}, None, "not a package of Croupier"),
    "other version inside": ({"inside": "9.9"}, None, "holds no version 0.2.1"),
    "a climbing path": ({"inside": "../../etc"}, None, "holds no version 0.2.1"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_package_changes_nothing(name: str, home: Path, tmp_path: Path) -> None:
    made, damage, why = BROKEN[name]
    signer, versions = Signer(), Versions(home)
    file = signer.sign(package(tmp_path, NEW, **made))
    if damage is not None:
        damage(file)
    with pytest.raises(BadUpdate, match=why):
        take(file, PublicKey.read(signer.public(tmp_path / "key.pub")), versions, *HERE)
    assert sorted(path.name for path in home.iterdir()) == [OLD, CURRENT, GOOD]
    assert guard(home) == OLD


@pytest.mark.parametrize("part", [0.05, 0.3, 0.6, 0.95])
def test_half_a_package_that_was_signed_so_is_refused_too(part: float, home: Path, tmp_path: Path) -> None:
    signer, file = Signer(), package(tmp_path, NEW)
    cut(part)(file)
    with pytest.raises(BadUpdate, match="not a whole Debian package"):
        take(signer.sign(file), PublicKey.read(signer.public(tmp_path / "key.pub")), Versions(home), *HERE)
    assert sorted(path.name for path in home.iterdir()) == [OLD, CURRENT, GOOD]


def test_signatures_of_others_missing_ones_and_texts_are_refused(home: Path, tmp_path: Path) -> None:
    mine, other = Signer(), Signer()
    key = PublicKey.read(mine.public(tmp_path / "key.pub"))
    file = package(tmp_path, NEW)
    beside = file.with_name(f"{file.name}.minisig")
    with pytest.raises(BadUpdate, match="a signature is needed"):
        take(file, key, Versions(home), *HERE)
    other.sign(file)
    with pytest.raises(BadUpdate, match="not the file that was signed"):
        take(file, key, Versions(home), *HERE)
    Signer(number=b"87654321").sign(file)
    with pytest.raises(BadUpdate, match="another key"):
        take(file, key, Versions(home), *HERE)
    mine.sign(file)
    beside.write_text(beside.read_text().replace("of a test", "of another"))
    with pytest.raises(BadUpdate, match="not the file that was signed"):
        take(file, key, Versions(home), *HERE)
    beside.write_text("hello")
    with pytest.raises(BadUpdate, match="not a signature of minisign"):
        take(file, key, Versions(home), *HERE)


def test_an_older_version_is_taken_only_if_that_is_wanted(home: Path, tmp_path: Path) -> None:
    signer = Signer()
    key, file = PublicKey.read(signer.public(tmp_path / "key.pub")), signer.sign(package(tmp_path, "0.1.9"))
    with pytest.raises(BadUpdate, match="with --older"):
        take(file, key, Versions(home), *HERE)
    assert take(file, key, Versions(home), *HERE, older=True) == "0.1.9"


def test_of_a_usb_stick_the_newest_version_for_this_machine_is_taken(tmp_path: Path) -> None:
    for version in ("0.2.9", "0.2.10", "0.2.2"):
        package(tmp_path, version)
    package(tmp_path, "0.4.0", machine="arm64")
    (tmp_path / "croupier_9.0_amd64.deb").write_bytes(b"!<arch>\nhalf")
    assert newest(tmp_path, *HERE).name == "croupier_0.2.10+deb12_amd64.deb"
    with pytest.raises(BadUpdate, match="no package for this machine"):
        newest(tmp_path, "amd64", "trixie")


def test_what_minisign_signs_is_accepted(tmp_path: Path) -> None:
    minisign = shutil.which("minisign")
    assert minisign is not None, "tests/apt.txt names it"
    file, public = package(tmp_path, NEW), tmp_path / "key.pub"
    subprocess.run([minisign, "-GW", "-p", str(public), "-s", str(tmp_path / "key")], check=True, capture_output=True)
    sign = [minisign, "-SH", "-s", str(tmp_path / "key"), "-m", str(file), "-t", "Croupier 0.2.1"]
    subprocess.run(sign, check=True, capture_output=True)
    assert check(file, PublicKey.read(public)) == "Croupier 0.2.1"
    assert Package.read(file).version == NEW


# -- kills ---------------------------------------------------------------------------------------------------------


def update_until(home: Path, file: Path, key: Path, moment: int) -> None:
    """Update, and be killed at the ``moment``-th thing that Python asks the system for."""
    left = moment

    def count(event: str, arguments: Any) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    versions = Versions(home, sync=lambda: None)
    with versions.locked():
        version = take(file, PublicKey.read(key), versions, *HERE)
        Update(versions, FakeTable(home), lambda line: None).to(version)
    (home.parent / "moments").write_text(str(moment - left), encoding="utf-8")


def killed(home: Path, file: Path, key: Path, moment: int) -> int | None:
    process = forks_of("tests.upkeep.test_update").Process(target=update_until, args=(home, file, key, moment))
    process.start()
    process.join()
    return process.exitcode


@pytest.mark.long
def test_an_update_that_is_killed_at_any_moment_leaves_the_old_version_or_the_new_one(tmp_path: Path) -> None:
    signer, random, outcomes = Signer(), Random(50), set()
    file, key = signer.sign(package(tmp_path, NEW)), signer.public(tmp_path / "key.pub")
    moments = 0
    for n in range(many(200)):
        home = tmp_path / f"opt-{n}"
        put(home, OLD)
        for link in (CURRENT, GOOD):
            (home / link).symlink_to(OLD)
        # The first is not killed and counts the moments, the second is killed in the last.
        code = killed(home, file, key, (10**9, moments)[n] if n < 2 else random.randrange(1, moments))
        moments = moments or int((tmp_path / "moments").read_text(encoding="utf-8"))
        assert code in (0, -signal.SIGKILL)
        version = guard(home)
        assert is_whole(home, version), n
        outcomes.add((code, version))
        assert killed(home, file, key, 10**9) == 0
        assert guard(home) == NEW
        assert sorted(path.name for path in home.iterdir() if path.is_dir() and not path.is_symlink()) == [OLD, NEW]
        shutil.rmtree(home)
    assert {(-signal.SIGKILL, OLD), (-signal.SIGKILL, NEW)} <= outcomes


# -- power cuts ----------------------------------------------------------------------------------------------------

Op = tuple[str, ...]


class Recorder:
    """What is done to the names in a folder, in order: ``write``, ``rename``, ``symlink``, ``unlink``, ``rmtree``; and
    what brings it to the disk: ``sync`` everything, ``keep`` the names."""

    def __init__(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ops: list[Op] = []
        self._home = home
        for module, name in ((os, "rename"), (os, "replace"), (os, "symlink"), (os, "unlink"), (shutil, "rmtree")):
            monkeypatch.setattr(module, name, self._recorded(name, getattr(module, name)))
        monkeypatch.setattr(versions_module, "keep_name", lambda folder: self.ops.append(("keep",)))

    def fill(self, folder: Path) -> None:
        folder.mkdir()
        for name, data in content(NEW).items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(data)
            self.ops.append(("write", f"{folder.name}/{name}"))

    def _recorded(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def do(*paths: Any, **options: Any) -> Any:
            told = tuple(str(one).removeprefix(f"{self._home}/") for one in paths[:2])
            if "dir_fd" not in options:
                self.ops.append(("rename" if name == "replace" else name, *told))
            return real(*paths, **options)

        return do


def after_cut(ops: list[Op], n: int, random: Random) -> dict[str, bytes | str]:
    """The names in the folder after a power cut before the ``n``-th operation, with their content or what they link
    to: any of what was not yet brought to the disk is missing."""
    tree: dict[str, bytes | str] = {f"{OLD}/{name}": data for name, data in content(OLD).items()}
    tree |= {CURRENT: OLD, GOOD: OLD}
    for i, op in enumerate(ops[:n]):
        later = {one[0] for one in ops[i + 1 : n]}
        is_kept = "sync" in later or ("keep" in later and op[0] != "write")
        if not is_kept and random.random() < 0.5:
            continue
        match op:
            case ("write", path):
                tree[path] = content(NEW)[path.partition("/")[2]]
            case ("symlink", target, path):
                tree[path] = target
            case ("unlink", path):
                tree.pop(path, None)
            case ("rmtree", path):
                tree = {name: data for name, data in tree.items() if not name.startswith(f"{path}/")}
            case ("rename", old, new):
                moved = {name: data for name, data in tree.items() if name == old or name.startswith(f"{old}/")}
                if moved:
                    tree = {name: data for name, data in tree.items() if name not in moved and name != new}
                    tree |= {new + name.removeprefix(old): data for name, data in moved.items()}
    return tree


@pytest.fixture
def ops(home: Path, monkeypatch: pytest.MonkeyPatch) -> list[Op]:
    """All that an update does to the folder."""
    with monkeypatch.context() as patched:
        recorder = Recorder(home, patched)
        versions = Versions(home, sync=lambda: recorder.ops.append(("sync",)))
        with versions.locked():
            versions.add(NEW, recorder.fill)
            Update(versions, FakeTable(home), lambda line: None).to(NEW)
    return recorder.ops


def laid(folder: Path, tree: dict[str, bytes | str]) -> Path:
    for name, what in tree.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if isinstance(what, str):
            (folder / name).symlink_to(what)
        else:
            (folder / name).write_bytes(what)
    return folder


def versions_after_cuts(ops: list[Op], tmp_path: Path, n: int, seed: int) -> set[str]:
    random, found = Random(seed), set()
    for i in range(n):
        at = random.randrange(len(ops) + 1)
        folder = laid(tmp_path / f"cut-{i}", after_cut(ops, at, random))
        version = guard(folder)
        assert is_whole(folder, version), (i, at, ops[:at])
        found.add(version)
        shutil.rmtree(folder)
    return found


def test_a_power_cut_at_any_moment_leaves_the_old_version_or_the_new_one(ops: list[Op], tmp_path: Path) -> None:
    assert versions_after_cuts(ops, tmp_path, 60, seed=1) == {OLD, NEW}


@pytest.mark.long
def test_hundreds_of_power_cuts_leave_the_old_version_or_the_new_one(ops: list[Op], tmp_path: Path) -> None:
    assert versions_after_cuts(ops, tmp_path, many(800), seed=2) == {OLD, NEW}


def test_the_power_cuts_find_an_update_that_does_not_wait_for_its_files(ops: list[Op], tmp_path: Path) -> None:
    careless = [op for op in ops if op[0] != "sync"]
    with pytest.raises(AssertionError):
        versions_after_cuts(careless, tmp_path, 200, seed=3)
