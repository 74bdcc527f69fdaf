"""Pages of the documentation that end with generated tables."""

from __future__ import annotations

from typing import Final

BEGIN: Final = "<!-- from here on written by `make docs` -->\n"


def renewed(text: str, tables: str) -> str:
    """Return the page ``text`` with ``tables`` after its `BEGIN`."""
    written, begin, _ = text.partition(BEGIN)
    assert begin, f"expected a line {BEGIN.strip()}"
    return f"{written}{begin}{tables}"
