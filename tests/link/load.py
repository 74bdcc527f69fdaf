"""A processor that is busy with other things."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager


@contextmanager
def cpu_load() -> Iterator[None]:
    """A process for each processor that only computes."""
    with ExitStack() as stack:
        for _ in range(os.cpu_count() or 1):
            process = stack.enter_context(subprocess.Popen([sys.executable, "-c", "while True: sum(range(1000))"]))
            stack.callback(process.kill)
        yield
