"""What all tests share."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from croupier import i18n

# How long one example takes says more about the machine than about the code. CI tries the same examples each time;
# at home every run looks at new ones.
settings.register_profile("croupier", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("croupier")


for _variable in ("LC_ALL", "LC_MESSAGES", "LANG", "LANGUAGE"):
    os.environ.pop(_variable, None)  # what the program says is tested in English, wherever the tests run


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    """One test's language is not the next one's."""
    yield
    i18n.use("en")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run what is quick first, so that a plain fault shows in seconds."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is not None)
