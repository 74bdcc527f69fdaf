"""Whatever its description allows to be asked, a running table's page answers, and never with a fault of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any
from unittest.mock import patch

import cv2
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.core.result import Ok

from croupier.game_views.story import Story
from croupier.journal import Archive, Journal
from croupier.runtime.page import WaitingTable
from croupier.runtime.session import begin
from croupier.runtime.table import Hooks, Table
from croupier.web.accounts import Accounts, Person
from croupier.web.worker_process import WorkerProcess
from croupier_sim.demo.game import Demo, DemoOptions
from croupier_sim.demo.presentation import DemoPage
from tests.journal.games import game_lines
from tests.longer import many
from tests.sim.standin import TruthReader
from tests.web.tables import QUICK

pytestmark = pytest.mark.long

PATIENCE_S = 300.0
"""What is asked here is whether there is an answer, not how soon: the machine may be busy with other tests."""

SPEED = 4.0
GREATEST = {"game": 4, "seat": 4, "n": 60}
"""Numbers in addresses: little more than there is, so that most requests are about something."""


class LivePage:
    """A simulated table that plays in a thread, an old game, and the page in its process."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._is_open, self._opened = Event(), list[tuple[Table, WorkerProcess]]()
        self.accounts = Accounts(hasher=QUICK)
        self.admin = self.accounts.new_code(Person("admin"))
        self.errors: list[BaseException] = []
        self._thread = Thread(target=self._run)

    def open(self) -> WorkerProcess:
        self._thread.start()
        while not self._is_open.wait(0.1):
            assert self._thread.is_alive(), self.errors
        self.table, up = self._opened[0]
        return up

    def close(self) -> None:
        self.table.end()
        self._thread.join()

    def _run(self) -> None:
        try:
            self._play()
        except BaseException as err:
            self.errors.append(err)

    def _play(self) -> None:
        cv2.setNumThreads(1)
        with (
            # Requests pause the game or win it: either would end the demo, and with it the page.
            patch.object(Demo, "_end", lambda demo: setattr(demo, "_is_counted", True)),
            Journal(self._folder / "croupier.journal") as journal,
            closing(Demo(DemoOptions(seed=5, seats=3, rounds=None), TruthReader)) as demo,
        ):
            journal.add(game_lines(3, rounds=2), began=0.0)
            demo.clock.speed = lambda: SPEED
            up = WorkerProcess(journal.path, lambda: self.accounts, WaitingTable(demo.alarms), port=0)
            table = demo.begin(begin(journal, demo.header, now=0.0), [up.publish], Hooks(on_news=up.ring))
            up.show(DemoPage(demo, table))
            with up:  # the page knows of the game from its start
                self._opened.append((table, up))
                self._is_open.set()
                table.play()


@contextmanager
def live_page(folder: Path) -> Iterator[tuple[LivePage, WorkerProcess]]:
    live = LivePage(folder)
    up = live.open()
    try:
        yield live, up
    finally:
        live.close()
        if live.errors:
            raise AssertionError("the table has ended, and its page with it") from live.errors[0]


def within(schema: dict[str, Any]) -> dict[str, Any]:
    """The description with the numbers of `GREATEST`."""
    for operations in schema["paths"].values():
        for operation in operations.values():
            for parameter in operation.get("parameters", ()):
                if parameter["name"] in GREATEST:
                    parameter["schema"]["maximum"] = GREATEST[parameter["name"]]
                    parameter["schema"].pop("exclusiveMaximum", None)
    return schema


def ask(folder: Path, examples: int) -> int:
    """Ask everything, so often, as somebody who may do all; how many answers there were."""
    answers = 0
    with live_page(folder) as (live, up), requests.Session() as session:
        assert session.post(f"{up.url}login", data={"code": live.admin}, timeout=PATIENCE_S).status_code == 200
        pid = up.pid  # an answer shows that the process runs
        schema = within(session.get(f"{up.url}openapi.json", timeout=PATIENCE_S).json())
        description = schemathesis.openapi.from_dict(schema)
        description.config.update(base_url=up.url)
        for found in description.exclude(path_regex="/(events|logout|login|people)$").get_all_operations():
            assert isinstance(found, Ok), found
            operation = found.ok()

            @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), database=None)
            @given(case=operation.as_strategy())
            def answered(case: Any) -> None:
                nonlocal answers
                answer = case.call(session=session, allow_redirects=False, timeout=PATIENCE_S)
                assert answer.status_code < 500, (case.method, case.path, case.body)
                answers += 1

            answered()
        assert session.get(f"{up.url}games/2", timeout=PATIENCE_S).status_code == 200
        assert up.pid == pid, "the page's process is still the first"
    with Archive(folder / "croupier.journal") as archive:
        assert list(archive.damages()) == []
        for game in archive.began():
            Story(*archive.lines(game))
    return answers


def test_nothing_that_may_be_asked_is_answered_with_a_fault(tmp_path: Path) -> None:
    assert ask(tmp_path, many(120)) > many(2000)
