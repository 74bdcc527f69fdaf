"""How many random examples a long test takes, and which of them `make nightly` alone takes.

A test that needs more than 2 s of processor time is marked ``long``: `make test-long` runs it. What shows the same once
more, with other seeds or for longer, is marked ``nightly``: it runs in `make nightly`, and decides about no change.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Final

import pytest
from _pytest.mark import ParameterSet
from hypothesis import settings

SCALE: Final = float(os.environ.get("CROUPIER_LONG", "0.25"))
"""The fraction of the examples of `many` that are tried: all of them (1) in `make nightly`."""


def many(n: int) -> int:
    """``n`` examples in `make nightly`, a quarter in `make test-long`; with CROUPIER_LONG=10 ten times as many."""
    return max(1, round(n * SCALE))


def seeds(first: int, n: int, *, long: int = 1, short: int = 0) -> list[ParameterSet]:
    """``n`` seeds from ``first`` as parameters of a test: ``short`` of them are for `make test`, the next ``long`` for
    `make test-long`, the others for `make nightly`."""
    marks = [*[[]] * short, *[[pytest.mark.long]] * long, *[[pytest.mark.nightly]] * n][:n]
    return [pytest.param(first + at, marks=marked) for at, marked in enumerate(marks)]


def few(values: Iterable[Any], n: int) -> list[ParameterSet]:
    """The parameters of a test, of which `make test-long` takes the first ``n``, and `make nightly` all."""
    return [_marked(value, [pytest.mark.nightly] if at >= n else []) for at, value in enumerate(values)]


def some(values: Iterable[Any], every: int) -> list[ParameterSet]:
    """The parameters of a test, of which `make test` takes one in ``every``, and `make test-long` the others."""
    return [_marked(value, [pytest.mark.long] if n % every else []) for n, value in enumerate(values)]


def _marked(value: Any, marks: list[pytest.MarkDecorator]) -> ParameterSet:
    if isinstance(value, ParameterSet):
        return value._replace(marks=[*value.marks, *marks])
    return pytest.param(*value, marks=marks) if type(value) is tuple else pytest.param(value, marks=marks)


def run_number() -> int:
    """The number of this run, by which a test tries other seeds: 0, or CROUPIER_RUN. `make nightly` counts the commits;
    whatever decides about a change tries the same seeds each time."""
    return int(os.environ.get("CROUPIER_RUN") or 0)


def examples(n: int) -> int:
    """``n`` examples of hypothesis in `make test-long`, and a quarter of them in `make test`."""
    return max(1, n * settings().max_examples // 100)
