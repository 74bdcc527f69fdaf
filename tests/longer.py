"""How many random examples a long test takes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from functools import cache
from typing import Any

import pytest
from _pytest.mark import ParameterSet
from hypothesis import settings


def many(n: int) -> int:
    """``n`` examples, as many as fit into the hour of CI; with CROUPIER_LONG=10 ten times as many."""
    return round(n * float(os.environ.get("CROUPIER_LONG", "1")))


def some(values: Iterable[Any], every: int) -> list[ParameterSet]:
    """The parameters of a test, of which `make test` takes one in ``every``, and `make test-long` the others."""
    return [_marked(value, [pytest.mark.long] if n % every else []) for n, value in enumerate(values)]


def _marked(value: Any, marks: list[pytest.MarkDecorator]) -> ParameterSet:
    if isinstance(value, ParameterSet):
        return value._replace(marks=[*value.marks, *marks])
    return pytest.param(*value, marks=marks) if isinstance(value, tuple) else pytest.param(value, marks=marks)


@cache
def run_number() -> int:
    """The number of commits, or CROUPIER_RUN: by it a long test tries other seeds each time; runs share the work."""
    count = ["git", "rev-list", "--count", "HEAD"]
    number = os.environ.get("CROUPIER_RUN") or subprocess.run(count, capture_output=True, check=False).stdout
    return int(number or 0)


def examples(n: int) -> int:
    """``n`` examples of hypothesis in `make test-long`, and a quarter of them in `make test`."""
    return max(1, n * settings().max_examples // 100)
