"""Texts of foreign devices and servers, fit to be shown."""

from __future__ import annotations

import re
from typing import Final

MOST_QUOTED: Final = 60
"""Letters of a foreign line that are shown."""


def first_line(data: bytes | str, most: int = MOST_QUOTED) -> str:
    """The first line with text of what a foreign device or server sent, fit to be shown: what cannot be printed is
    escaped, and a long line is cut. "" if there is no text."""
    text = data if isinstance(data, str) else data.decode(errors="backslashreplace")
    line = next((line for part in re.split(r"[\r\n]+", text) if (line := part.strip("\0 \t"))), "")
    shown = "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in line[: most + 1])
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"
