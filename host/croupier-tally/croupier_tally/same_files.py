"""Files of the same content, such as a picture that is named twice."""

from __future__ import annotations

import filecmp
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path


def same_files(files: Sequence[str]) -> tuple[str, str] | None:
    """Return the first two files with the same content; ``None`` if all differ. Only regular files are compared."""
    regular = [file for file in files if Path(file).is_file()]
    return next((pair for pair in combinations(regular, 2) if filecmp.cmp(*pair, shallow=False)), None)
