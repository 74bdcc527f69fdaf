"""Report files: text for people, JSON, and each table as CSV, in one folder."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any


class Report:
    """The report of one model."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._lines: list[str] = []
        self._parts: dict[str, Any] = {}

    def title(self, words: str) -> None:
        self._print(f"\n{words}")

    def table(self, name: str, rows: Sequence[dict[str, Any]]) -> None:
        """Add a table: as text, and as a CSV file."""
        self._parts[name] = list(rows)
        if not rows:
            return self._print(f"{name}: nothing")
        widths = {k: max(len(k), *(len(_shown(row[k])) for row in rows)) for k in rows[0]}
        self._print("  ".join(k.ljust(w) for k, w in widths.items()).rstrip())
        for row in rows:
            self._print("  ".join(_shown(row[k]).ljust(w) for k, w in widths.items()).rstrip())
        with (self._folder / f"{name}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        return None

    def figures(self, name: str, figures: Any) -> None:
        """Add figures in one line."""
        self._parts[name] = figures
        self._print(f"{name}: {_shown(figures)}")

    def picture(self, name: str) -> Path:
        """Return the path of a picture of the report."""
        return self._folder / name

    def close(self) -> None:
        """Write text and JSON."""
        (self._folder / "report.txt").write_text("\n".join(self._lines) + "\n", encoding="utf-8")
        (self._folder / "report.json").write_text(json.dumps(self._parts, indent=1) + "\n", encoding="utf-8")
        print(f"\nwritten to {self._folder}")

    def _print(self, line: str) -> None:
        self._lines.append(line)
        print(line, flush=True)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
