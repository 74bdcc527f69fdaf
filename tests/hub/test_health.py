"""Whatever watches over a hub learns whether it is alive and ready, however busy it is."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import httpx
import pytest
from sqlalchemy import create_engine

from croupier_hub import budget, health
from croupier_hub.pages.site import create_site
from croupier_hub.serving import serving
from croupier_hub.store import LogStore, migrate_database
from tests.hub.postgresql import USER, Cluster, as_owner
from tests.hub.test_logs import BOSS
from tests.patience import PATIENCE_S


def status(url: str, path: str) -> int:
    return httpx.get(f"{url}{path}", trust_env=False, timeout=PATIENCE_S).status_code


def test_a_hub_is_ready_while_its_database_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_FRESH_S", 0.0)
    file = tmp_path / "hub.db"
    with closing(LogStore(f"sqlite:///{file}", BOSS)) as store, serving(create_site(store)) as url:
        assert [status(url, path) for path in health.PATHS] == [200, 200]
        store.engine.dispose()
        file.rename(tmp_path / "away.db")
        file.mkdir()
        assert [status(url, path) for path in health.PATHS] == [200, 503]
        file.rmdir()
        (tmp_path / "away.db").rename(file)
        assert [status(url, path) for path in health.PATHS] == [200, 200]


def test_a_hub_is_not_ready_when_the_schema_is_of_another_version(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "_FRESH_S", 0.0)
    url = cluster.new_database()
    with closing(LogStore(url, BOSS)) as store, serving(create_site(store)) as hub:
        assert status(hub, "/readyz") == 200
        owner = create_engine(as_owner(url))
        with owner.begin() as connection:
            connection.exec_driver_sql("UPDATE alembic_version SET version_num = 'trees'")
        assert status(hub, "/readyz") == 503
        with owner.begin() as connection:
            connection.exec_driver_sql("UPDATE alembic_version SET version_num = 'numbers'")
        owner.dispose()
        migrate_database(as_owner(url), role=USER)
        assert status(hub, "/readyz") == 200


def test_a_busy_hub_says_that_it_is_alive_and_asks_its_database_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "_FRESH_S", 1e9)
    monkeypatch.setattr(budget, "MOST", 1e-9)
    looks = list[health.Health]()
    monkeypatch.setattr(health.Health, "_answers", lambda self: not looks.append(self))  # type: ignore[func-returns-value]
    with (
        closing(LogStore(f"sqlite:///{tmp_path / 'hub.db'}", BOSS)) as store,
        serving(create_site(store)) as url,
    ):
        assert [status(url, "/standings") for _ in range(2)] == [200, 503]
        assert {status(url, path) for _ in range(5) for path in health.PATHS} == {200}
    assert len(looks) == 1
