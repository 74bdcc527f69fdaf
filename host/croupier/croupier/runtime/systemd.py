"""Reports the program's state to systemd (sd_notify(3)); without systemd, nothing happens."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from contextlib import suppress


class Systemd:
    """The socket that systemd named in the environment of a unit with ``Type=notify``."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        name = environment.get("NOTIFY_SOCKET", "")
        self._address = f"\0{name[1:]}" if name.startswith("@") else name
        self.watchdog_s = _seconds(environment)
        """systemd ends the program if it has not heard `alive` for this time (s); None: no watchdog."""
        self._status = ""
        self._heard: float | None = None

    def ready(self) -> None:
        """Report that the table runs."""
        self._send("READY=1")

    def stopping(self) -> None:
        """Report that the program is about to end."""
        self._send("STOPPING=1")

    def status(self, line: str) -> None:
        """Report the state in one line, for `systemctl status`."""
        if line != self._status:
            self._status = line
            self._send(f"STATUS={' '.join(line.split())}")

    def alive(self, now: float) -> None:
        """Report that the table's loop runs; ``now``: seconds of a monotonic clock."""
        if self.watchdog_s is not None and (self._heard is None or now - self._heard >= self.watchdog_s / 3):
            self._heard = now
            self._send("WATCHDOG=1")

    def _send(self, message: str) -> None:
        if not self._address:
            return
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
            out.sendto(message.encode(), self._address)


def _seconds(environment: Mapping[str, str]) -> float | None:
    us, pid = environment.get("WATCHDOG_USEC", ""), environment.get("WATCHDOG_PID", str(os.getpid()))
    return int(us) / 1e6 if us.isdigit() and pid == str(os.getpid()) else None
