"""How many random examples a long test takes."""

from __future__ import annotations

import os
import subprocess
from functools import cache

from hypothesis import settings


def many(n: int) -> int:
    """``n`` examples, as many as fit into the hour of CI; with CROUPIER_LONG=10 ten times as many."""
    return round(n * float(os.environ.get("CROUPIER_LONG", "1")))


@cache
def run_number() -> int:
    """The number of commits, or CROUPIER_RUN: by it a long test tries other seeds each time; runs share the work."""
    count = ["git", "rev-list", "--count", "HEAD"]
    number = os.environ.get("CROUPIER_RUN") or subprocess.run(count, capture_output=True, check=False).stdout
    return int(number or 0)


def examples(n: int) -> int:
    """``n`` examples of hypothesis in `make test-long`, and a quarter of them in `make test`."""
    return max(1, n * settings().max_examples // 100)
