"""Whatever its description allows to be asked, the page answers, and never with a fault of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.core.result import Ok

from croupier.web.accounts import Person
from tests.journal.games import game_lines
from tests.web.tables import page

pytestmark = pytest.mark.slow

PATIENCE_S = 300.0
"""What is asked here is whether there is an answer, not how soon: the machine may be busy with other tests."""


def ask(folder: Path, examples: int) -> int:
    """Ask everything, so often, as somebody who may do all; how many answers there were."""
    lines = game_lines(3, rounds=2)
    answers = 0
    with page(folder, lines[:60], lines) as made, requests.Session() as session:
        session.post(f"{made.server.url}login", data={"code": made.accounts.new_code(Person("admin"))})
        description = schemathesis.openapi.from_url(f"{made.server.url}openapi.json")
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
    return answers


def test_nothing_that_may_be_asked_is_answered_with_a_fault(tmp_path: Path) -> None:
    assert ask(tmp_path, 5) > 40


@pytest.mark.long
def test_nothing_that_may_be_asked_is_answered_with_a_fault_however_often(tmp_path: Path) -> None:
    assert ask(tmp_path, 400) > 2000
