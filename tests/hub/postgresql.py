"""A real PostgreSQL of the tests, in a folder of its own, at a loopback address of its own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from itertools import count
from pathlib import Path
from tempfile import mkdtemp
from time import monotonic
from typing import Any, Final

import psycopg

from croupier_hub.store import migrate_database
from tests.patience import PATIENCE_S

USER: Final = "hub"
"""The role of hubs, which may read and write rows."""
OWNER: Final = "owner"


def programs() -> Path | None:
    """The folder with the programs of the newest PostgreSQL, which Debian keeps out of PATH."""
    folders = [one.parent for one in Path("/usr/lib/postgresql").glob("*/bin/postgres")]
    in_path = shutil.which("postgres")
    newest = max(folders, default=None, key=lambda folder: int(folder.parent.name))
    return newest or (Path(in_path).resolve().parent if in_path else None)


def as_owner(database: str) -> str:
    """The URL by which its owner reaches a database of a hub."""
    return database.replace(f"//{USER}@", f"//{OWNER}@")


class Cluster:
    """A cluster that is made, and runs. ``fsync``: on, if a commit is to wait for the disk; ``place``: each of this
    process has another; ``of``: that whose standby it is."""

    def __init__(self, programs: Path, *, fsync: str = "off", place: int = 0, of: Cluster | None = None) -> None:
        self.programs, self._fsync = programs, fsync
        self._folder = Path(mkdtemp(prefix="croupier-postgresql-"))
        # PostgreSQL does not run as root; whoever it runs as must reach its folder.
        self._as: dict[str, Any] = {}
        if os.geteuid() == 0:
            self._as = {"user": "nobody", "group": "nogroup", "extra_groups": []}
            shutil.chown(self._folder, "nobody", "nogroup")
        # An address that no other process takes, so that the usual port is free, and stays the same after a restart.
        pid = os.getpid()
        self.address = f"127.{64 * (1 + place) + (pid >> 16)}.{pid >> 8 & 255}.{pid & 255}"
        self._numbers = count(1)
        if of is None:
            make = [str(programs / "initdb"), "--no-sync", "-A", "trust", "-U", OWNER, "--locale=C", "-E", "UTF8"]
        else:
            make = [str(programs / "pg_basebackup"), "--write-recovery-conf", "--checkpoint=fast", "-U", OWNER]
            make += ["-h", of.address]
        make += ["-D", str(self._folder / "data")]
        subprocess.run(make, **self._as, cwd="/", check=True, stdout=subprocess.DEVNULL)
        self.start()
        if of is None:
            self._ask(f"CREATE ROLE {USER} LOGIN")

    def start(self) -> None:
        """It answers when this returns."""
        settings = {
            "listen_addresses": self.address, "unix_socket_directories": "", "fsync": self._fsync,
            "shared_buffers": "16MB", "logging_collector": "off", "autovacuum": "off", "max_connections": "200",
        }  # fmt: skip
        arguments = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self.programs / "postgres", "-D", self._folder / "data", *arguments], **self._as, cwd="/", stderr=log
            )
        last = monotonic() + PATIENCE_S
        while True:
            try:
                self._ask("SELECT 1")
                return
            except psycopg.OperationalError:
                assert self._process.poll() is None, (self._folder / "log").read_text()
                assert monotonic() < last, "PostgreSQL does not answer"

    def kill(self) -> None:
        """It ends at once, as after a crash: without a word to those connected, and with work for its next start."""
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait(PATIENCE_S)

    def new_database(self, standby: Cluster | None = None, *, is_migrated: bool = True) -> str:
        """The URL of a new database with its tables, wherever it may be written to."""
        name = f"hub{next(self._numbers)}"
        self._ask(f"CREATE DATABASE {name} TEMPLATE template0")
        here = f"postgresql+psycopg://{USER}@{self.address}/{name}"
        if is_migrated:
            migrate_database(as_owner(here), role=USER)
        if standby is None:
            return here
        hosts = f"host={self.address}&host={standby.address}&target_session_attrs=read-write"
        return f"postgresql+psycopg://{USER}@/{name}?{hosts}"

    def wait_for_standby(self) -> None:
        """From now on a commit is at the standby, too, before anybody is answered."""
        self._ask("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self._ask("SELECT pg_reload_conf()")

    def promote(self) -> None:
        """The standby takes over."""
        self._ask("SELECT pg_promote()")

    def close(self) -> None:
        """End it, and remove all that it had."""
        self.kill()
        shutil.rmtree(self._folder)

    def _ask(self, statement: str) -> None:
        with psycopg.connect(host=self.address, user=OWNER, dbname="postgres", autocommit=True) as connection:
            connection.execute(statement.encode())
