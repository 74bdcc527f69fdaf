"""What the tests of the page share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Playwright

from tests.web import chromium


@pytest.fixture(scope="session")
def chromium_of_session(playwright: Playwright) -> Iterator[Browser]:
    with chromium.started(playwright) as browser:
        yield browser


@pytest.fixture(scope="module")
def browser(chromium_of_session: Browser) -> Iterator[Browser]:
    """A browser without pages: those that a module has left open go with it."""
    yield chromium_of_session
    for context in chromium_of_session.contexts:
        context.close()
