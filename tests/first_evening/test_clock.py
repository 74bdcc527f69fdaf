"""The wrong clock of the rig: the wall clock moves, and no other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

from tests.first_evening.clock import WallClock

PROGRAM = """
import json, sqlite3, sys, time
from datetime import UTC, datetime
for _ in sys.stdin:
    told = sqlite3.connect(":memory:").execute("SELECT unixepoch()").fetchone()[0]
    time.sleep(.001)
    print(json.dumps([time.time(), datetime.now(UTC).timestamp(), told, time.monotonic()]), flush=True)
"""
MONTHS = timedelta(days=90)


def test_the_wall_clock_of_a_running_program_jumps_and_its_other_clocks_do_not(tmp_path: Path) -> None:
    clock = WallClock(tmp_path, -MONTHS)
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], env=os.environ | clock.environment, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True,
    ) as program:  # fmt: skip
        assert program.stdin is not None
        assert program.stdout is not None
        for offset in (-MONTHS, timedelta(0), MONTHS):
            clock.set(offset)
            before = time.time(), time.monotonic()
            program.stdin.write("\n")
            program.stdin.flush()
            *walls, monotonic = json.loads(program.stdout.readline())
            after = time.time(), time.monotonic()
            for wall in walls:
                assert int(before[0]) <= wall - offset.total_seconds() <= after[0]
            assert before[1] <= monotonic <= after[1]
        program.stdin.close()
