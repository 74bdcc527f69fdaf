"""Completes the packages of `croupier`; hatchling calls it.

The Pico's program is in ``firmware/`` of the repository, or beside this file in a source package. The part of it that
the host imports, tablewire, goes with it: both ends of the link are of one version. So does the commit that it was
built from, as ``commit.txt``, where git knows it or a source package tells it.
"""

from __future__ import annotations

import runpy
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HERE = Path(__file__).resolve().parent
FIRMWARE = next(folder for folder in (HERE / "firmware", HERE.parent.parent / "firmware") if folder.is_dir())
PARTS = ("main.py", "pico", "lib")


class CustomBuildHook(BuildHookInterface[Any]):
    """Adds the firmware to both kinds of package, and one compiled catalog for each language to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Say which files to add, before they are collected."""
        if version != "editable":
            self._name_commit(build_data["force_include"])
        if self.target_name == "sdist":
            build_data["force_include"] |= {str(FIRMWARE / part): f"firmware/{part}" for part in PARTS}
            return
        self._compile_catalogs()
        if version != "editable":  # which finds both in the checkout
            build_data["force_include"] |= {str(FIRMWARE / part): f"croupier/firmware/{part}" for part in PARTS}
            build_data["force_include"][str(FIRMWARE / "lib/tablewire")] = "tablewire"

    def _name_commit(self, added: dict[str, str]) -> None:
        told = HERE / "commit.txt"
        if not told.is_file():
            command = ["git", "describe", "--always", "--dirty", "--exclude", "*"]
            try:
                done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=True)
            except (OSError, subprocess.CalledProcessError):  # no git, or no checkout
                return
            told = Path(tempfile.mkdtemp()) / "commit.txt"
            told.write_text(done.stdout, encoding="utf-8")
        added[str(told)] = "commit.txt" if self.target_name == "sdist" else "croupier/commit.txt"

    def _compile_catalogs(self) -> None:
        i18n = HERE / "croupier/i18n"
        compile_catalog = runpy.run_path(str(i18n / "catalogs.py"))["compile_catalog"]
        for source in i18n.glob("*.po"):
            source.with_suffix(".mo").write_bytes(compile_catalog(source))
