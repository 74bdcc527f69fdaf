"""A Pi without keyboard: what cloud-init is told at the first start."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from croupier.setup import page
from tests.house.test_tools import program
from tools.lock import ROOT

FILE = ROOT / "deploy/cloud-init/user-data"
TEXT = FILE.read_text(encoding="utf-8")
SAID: dict[str, Any] = yaml.safe_load(TEXT)
FILES = {one["path"]: one["content"] for one in SAID["write_files"]}
STATE = "var/lib/croupier"


class Card:
    """A Pi that starts for the first time. ``asked``: what the system was asked; without internet if ``offline``."""

    def __init__(self, folder: Path, *, offline: bool = False) -> None:
        self.root, self.stubs, self._log = folder / "root", folder / "stubs", folder / "asked"
        self.stubs.mkdir()
        log = f'echo "${{0##*/}} $*" >>{self._log}\n'
        fails = 'case "$*" in *update*) exit 100;; esac\n' if offline else ""
        for name in ("apt-get", "systemctl"):
            program(self.stubs, name, log + fails)
        # The package makes the folder of the table.
        program(self.stubs, "install", 'while [ "$1" != "${1#-}" ]; do shift 2; done; cp "$@"\n')
        (self.root / STATE).mkdir(parents=True)

    def start(self) -> None:
        """Do as cloud-init: write the files, then run one script of all lines, which no failure ends."""
        script = "\n".join(SAID["runcmd"])
        for path, content in FILES.items():
            file = self.root / path.lstrip("/")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
        for path in (f"/{STATE}", "/run/croupier.toml"):
            script = script.replace(path, f"{self.root}{path}")
        settings = {"PATH": f"{self.stubs}{os.pathsep}/usr/bin{os.pathsep}/bin"}
        subprocess.run(["/bin/sh", "-c", script], env=settings, check=True)

    @property
    def asked(self) -> list[str]:
        return self._log.read_text().splitlines()

    @property
    def table(self) -> Path:
        return self.root / STATE / "croupier.toml"


def test_it_is_what_cloud_init_reads() -> None:
    assert TEXT.startswith("#cloud-config\n")
    assert set(SAID) == {"hostname", "write_files", "runcmd"}
    assert all(isinstance(line, str) for line in SAID["runcmd"]), "a line that is no text is no line of the shell"


@pytest.mark.parametrize("offline", [False, True])
def test_the_package_comes_from_the_card_and_then_the_table_starts(tmp_path: Path, offline: bool) -> None:
    card = Card(tmp_path, offline=offline)
    card.start()
    assert card.asked[0] == "apt-get -y --no-install-recommends install /boot/firmware/croupier_*_arm64.deb"
    assert card.asked[-1] == "systemctl start croupier"
    assert any("python3-picamera2" in line for line in card.asked) is not offline


def test_the_page_is_open_to_phones_and_waits_for_somebody_who_sets_up(tmp_path: Path) -> None:
    card = Card(tmp_path)
    card.start()
    assert page._place(card.table) == ("0.0.0.0", None)
    assert "the place of the discard pile" in page.find_fault(card.table), "nobody has said where the camera is"


def test_a_table_that_is_there_is_left_as_it_is(tmp_path: Path) -> None:
    card = Card(tmp_path)
    card.table.write_text("[table]\n")
    card.start()
    assert card.table.read_text() == "[table]\n"


def test_a_screen_shows_the_code_instead_of_a_login() -> None:
    (unit,) = [text for path, text in FILES.items() if path.endswith(".conf")]
    assert {"Conflicts=getty@tty1.service", "StandardOutput=tty", "TTYPath=/dev/tty1"} <= set(unit.splitlines())
