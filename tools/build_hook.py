"""Compiles the catalogs for the wheel; hatchling calls it, with Babel in the environment of the build."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "host"))


class CustomBuildHook(BuildHookInterface[Any]):
    """One ``catalog.mo`` for each language, also for an editable install."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile all catalogs before the files are collected."""
        from croupier.i18n import HERE, LANGUAGES, compiled

        for code in LANGUAGES:
            if code != "en":
                compiled(HERE / code)
