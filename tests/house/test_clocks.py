"""How long something lasts is measured by a clock that nobody sets. The time of day, which jumps by months on a
machine without a clock of its own, is read only where this table gives the reason."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

PEOPLE = "a date that people read"
WALL = frozenset({
    "time.time", "time.time_ns", "time.localtime", "time.gmtime", "time.ctime", "time.strftime",
    "datetime.now", "datetime.utcnow", "datetime.today", "date.today", "st_mtime", "st_mtime_ns", "CLOCK_REALTIME",
})  # fmt: skip
USES: dict[str, dict[str, str]] = {
    "croupier/cli/games.py": {"time.time": PEOPLE + ": when a log was imported"},
    "croupier/clocks.py": {"time.time": "to notice that it jumps"},
    "croupier/doctor/check.py": {"time.time": "the doctor checks it"},
    "croupier/doctor/checks/machine.py": {"st_mtime": "the doctor checks the clock against the installation"},
    "croupier/i18n/__init__.py": {"st_mtime_ns": "two files, compared with each other"},
    "croupier/replay/games.py": {"time.time": PEOPLE + ": when a log was imported"},
    "croupier/runtime/run.py": {"time.time": "tells that it is behind the newest game"},
    "croupier/runtime/table.py": {"time.time": PEOPLE + ": the begin of a game; and to tell that it jumps"},
    "croupier/web/accounts.py": {"time.time": "how long the machine was off; at most a day counts"},
    "croupier_extras/certificate.py": {
        "datetime.now": "phones compare a certificate with it; it holds for a year before and after",
        "st_mtime": "a clock that is behind the installation is wrong",
    },
    "croupier_extras/statistics/people.py": {"st_mtime_ns": "compared for equality: has a file changed"},
    "croupier_extras/statistics/routes.py": {"st_mtime_ns": "compared for equality: have files changed"},
    "croupier_extras/voice/player.py": {"datetime.now": "the hours in which people sleep"},
    "croupier_extras/voice/synthesis.py": {"st_mtime": "which sound was used last; any order does"},
    "croupier_extras/webhooks/sending.py": {"time.time": "receivers compare a delivery with their own"},
    "croupier_hub/cli/hub.py": {"time.time": "tickets and the end of a round; other machines read them"},
    "croupier_hub/pages/at_table/__init__.py": {"time.time": "a badge, which is good for a year"},
    "croupier_hub/pages/site.py": {"time.time": "tickets and the end of a round, which move when it jumps"},
    "croupier_hub/store.py": {"time.time": "when lines arrive, for people; nothing counts by it"},
    "croupier_hub/service.py": {"time.time": "a witness’s signature has it; hubs of one database compare nonces"},
    "croupier_tally/page/sheets.py": {"date.today": PEOPLE + ": the name of a score sheet"},
    "croupier_tally/sheet_files.py": {
        "st_mtime_ns": "the order of sheets for people, which a jump does not change; compared for equality: has a "
        "file changed",
    },
}


def wall_uses(source: str) -> set[str]:
    """The uses of the time of day in a module."""
    tree, found = ast.parse(source), set[str]()
    plain = {
        one.asname or one.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "time"
        for one in node.names
        if f"time.{one.name}" in WALL
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            owner = node.value
            dotted = f"{owner.id if isinstance(owner, ast.Name) else ast.unparse(owner).rpartition('.')[2]}.{node.attr}"
            found |= {dotted, node.attr} & WALL
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in plain:
            found.add(f"time.{node.id}")
    return found


def test_the_time_of_day_is_read_only_where_there_is_a_reason() -> None:
    found = {}
    for folder in sorted((ROOT / "host").glob("*/*/")):
        for file in sorted(folder.rglob("*.py")):
            if uses := wall_uses(file.read_text(encoding="utf-8")):
                found[str(file.relative_to(folder.parent))] = uses
    assert found == {file: set(uses) for file, uses in USES.items()}, "measure elapsed time, or give the reason above"


@pytest.mark.parametrize(
    ("source", "uses"),
    [
        ("import time\nx = time.time()", {"time.time"}),
        ("import time\ndef f(clock=time.time): ...", {"time.time"}),
        ("from time import monotonic, time\nx = time()", {"time.time"}),
        ("from datetime import time\nx: time", set()),
        ("import datetime\nx = datetime.datetime.now()", {"datetime.now"}),
        ("from datetime import datetime\nx = datetime.now", {"datetime.now"}),
        ("x = file.stat().st_mtime", {"st_mtime"}),
        ("from time import monotonic\nx = monotonic()", set()),
        ("x = self.clock.now()", set()),
    ],
)
def test_each_way_to_read_it_is_found(source: str, uses: set[str]) -> None:
    assert wall_uses(source) == uses
