"""What the tests of the page share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.web import chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The browser of a module: not of the session, since its loop would be in the way of other tests."""
    with chromium.started() as browser:
        yield browser
