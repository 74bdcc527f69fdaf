"""The processes of a bench do not outlive it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.patience import PATIENCE_S

BENCH = """
import os, time
from croupier_bench.workers import workers

if __name__ == "__main__":
    with workers() as pool:
        print(pool.submit(os.getpid).result(), flush=True)
        pool.submit(time.sleep, 3600).result()
"""


def test_workers_end_with_a_bench_that_is_killed(tmp_path: Path) -> None:
    (tmp_path / "bench.py").write_text(BENCH)
    with subprocess.Popen([sys.executable, tmp_path / "bench.py"], stdout=subprocess.PIPE) as bench:
        assert bench.stdout is not None
        bench.stdout.readline()
        bench.kill()
        bench.communicate(timeout=PATIENCE_S)  # returns when none of the processes can write any more
