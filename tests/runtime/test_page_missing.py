"""A table without the packages of the page: what is told is not a port that another program uses."""

from __future__ import annotations

import sys
from typing import Any, cast

import pytest

from croupier.alarms import Alarm, AlarmRegistry, alarm_text
from croupier.config import read
from croupier.runtime.page import PageServer


def test_a_page_that_is_not_installed_blames_no_port(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("croupier.web.")]:
        monkeypatch.delitem(sys.modules, name)  # what other tests have imported is not imported again
    monkeypatch.setitem(sys.modules, "argon2", None)
    alarms: list[Alarm] = []
    PageServer(read(""), AlarmRegistry(alarms.append), cast(Any, None)).start(cast(Any, None))
    ((told, detail),) = [(alarm_text(alarm), alarm.detail) for alarm in alarms]
    assert "port" not in told
    assert told.startswith("The page is not installed.")
    assert detail.startswith("the page needs argon2")
