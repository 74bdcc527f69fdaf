"""What all tests share."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# How long one example takes says more about the machine than about the code. CI tries the same examples each time;
# at home every run looks at new ones.
settings.register_profile("croupier", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("croupier")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run what is quick first, so that a plain fault shows in seconds."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is not None)
