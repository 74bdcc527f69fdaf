"""How many random examples a long test takes."""

from __future__ import annotations

import os


def many(n: int) -> int:
    """``n`` examples, as many as fit into the hour of CI; with CROUPIER_LONG=10 ten times as many."""
    return round(n * float(os.environ.get("CROUPIER_LONG", "1")))
