"""A wall clock that is wrong, and is put right while the program runs: of one program and its children alone, since
Linux gives no namespace a CLOCK_REALTIME of its own (time_namespaces(7)).

libfaketime of Debian 12 cannot do it: with it `time.sleep` of Python 3.11 fails where the monotonic clock stays as it
is (https://github.com/wolfcw/libfaketime/issues/426).
"""

from __future__ import annotations

import struct
import subprocess
from datetime import timedelta
from pathlib import Path
from typing import Final

_SOURCE: Final = Path(__file__).with_name("wall_clock.c")


class WallClock:
    """The wall clock of programs that run in its `environment`: the machine's, and ``offset``."""

    def __init__(self, folder: Path, offset: timedelta) -> None:
        library, self._file = folder / "wall_clock.so", folder / "wall-clock"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, _SOURCE], check=True)
        self.environment = {"LD_PRELOAD": str(library), "WALL_CLOCK": str(self._file)}
        self.set(offset)

    def set(self, offset: timedelta) -> None:
        """Put the clock forward or back, for programs that run already, too."""
        self._file.touch()
        with self._file.open("r+b") as file:  # the same file, which they have mapped
            file.write(struct.pack("d", offset.total_seconds()))
