"""Compiles the catalogs of a distribution; hatchling calls it. Each distribution with texts has the same file.

What compiles them is in ``host/croupier`` of the repository, or beside this file in a source package.
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HERE = Path(__file__).resolve().parent
PLACES = (HERE, *(folder / "host/croupier/croupier/i18n" for folder in HERE.parents))
COMPILER = next(folder / "catalogs.py" for folder in PLACES if (folder / "catalogs.py").is_file())


class CustomBuildHook(BuildHookInterface[Any]):
    """Adds the compiler to the source package, and the compiled catalogs to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the files to add, before files are collected."""
        if self.target_name == "sdist":
            build_data["force_include"][str(COMPILER)] = COMPILER.name
            return
        compile_catalog = runpy.run_path(str(COMPILER))["compile_catalog"]
        for source in HERE.glob("*/i18n/*.po"):
            source.with_suffix(".mo").write_bytes(compile_catalog(source))
