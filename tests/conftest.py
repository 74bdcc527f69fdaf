"""What all tests share."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run what is quick first, so that a plain fault shows in seconds."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is not None)
