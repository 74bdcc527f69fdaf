"""The databases of hubs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hub.postgresql import Cluster, programs


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """PostgreSQL, for all tests of this process."""
    if (folder := programs()) is None:
        pytest.skip("there is no PostgreSQL here; tests/apt.txt installs it where it may")
    made = Cluster(folder)
    yield made
    made.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a new database, in each of the two."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'hub.db'}"
    made: Cluster = request.getfixturevalue("cluster")
    return made.new_database()
