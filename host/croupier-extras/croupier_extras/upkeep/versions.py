"""The versions of the program beside each other, and which one starts.

In the folder, `/opt/croupier`, each version has a folder of its own. ``current`` is a link to the one that starts,
``good`` to the last one that passed its check. Only a rename moves a link, so that each is the old one or the new one
whenever the power fails; what a link will name is on the disk before. A version on trial is current and not good: it
starts while the update that tries it lives, which holds a lock. Whoever starts the program otherwise goes back to the
good one first (deploy/croupier-start), so that it does not matter where an update was cut off.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from croupier.files import keep_name
from croupier.i18n import marked
from croupier_extras.errors import BadUpdate

HOME: Final = Path("/opt/croupier")
MARK: Final = "croupier-version"
"""File in the folder of a version with its number: the last one in the package."""

CURRENT, GOOD, BEFORE, LOCK = "current", "good", "before", "lock"
_NEW: Final = ".new-"


class Versions:
    """The versions in ``folder``. ``sync``: brings all that was written to the disk."""

    def __init__(self, folder: Path = HOME, sync: Callable[[], None] = os.sync) -> None:
        self.folder, self._sync = folder, sync

    def linked(self, link: str) -> str:
        """The version that a link names; "" if it names none that is there."""
        try:
            name = os.readlink(self.folder / link)
        except OSError:
            return ""
        return name if self.is_whole(name) else ""

    def is_whole(self, version: str) -> bool:
        """True if a version is there."""
        return (self.folder / version / MARK).is_file()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Context that one process has at a time, and no process that was killed. Raises `BadUpdate`."""
        try:
            lock = os.open(self.folder / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as err:
            text = marked("{file}: {why}: this is for the administrator: sudo croupier …")
            raise BadUpdate(text, file=self.folder, why=err.strerror) from err
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as err:
                raise BadUpdate(marked("another update is at work; wait until it has ended")) from err
            yield
        finally:
            os.close(lock)

    def add(self, version: str, fill: Callable[[Path], None]) -> None:
        """Put a version beside the others: ``fill`` writes it into a new folder. One that is there stays.

        Raises:
            BadUpdate: the version that was written has another number, or none.
        """
        self._drop(lambda name: name.startswith(_NEW))
        if self.is_whole(version):
            return
        new = self.folder / f"{_NEW}{version}"
        try:
            fill(new)
            told = (new / MARK).read_text(encoding="utf-8").strip() if (new / MARK).is_file() else ""
            if told != version:
                raise BadUpdate(marked("the package holds no version {version}; nothing was changed"), version=version)
            self._sync()
            os.rename(new, self.folder / version)
        except BaseException:
            shutil.rmtree(new, ignore_errors=True)
            raise
        keep_name(self.folder)

    def point(self, link: str, version: str) -> None:
        """Let a link name another version, in one step, durably."""
        new = self.folder / f".{link}.new"
        with suppress(FileNotFoundError):
            new.unlink()
        new.symlink_to(version)
        os.replace(new, self.folder / link)
        keep_name(self.folder)

    def accept(self) -> None:
        """The current version passed its check: it is the good one, and the one before stays beside it."""
        current, good = self.linked(CURRENT), self.linked(GOOD)
        if good and good != current:
            self.point(BEFORE, good)
        self.point(GOOD, current)
        kept = {current, self.linked(BEFORE)}
        self._drop(lambda name: name not in kept and self.is_whole(name))

    def go_back(self) -> str:
        """Let the good version start again; return it."""
        good = self.linked(GOOD)
        if good and self.linked(CURRENT) != good:
            self.point(CURRENT, good)
        return good

    def _drop(self, is_old: Callable[[str], bool]) -> None:
        for path in list(self.folder.iterdir()):
            if path.is_dir() and not path.is_symlink() and is_old(path.name):
                # Without its mark it is no version any more, however much of it a cut leaves.
                (path / MARK).unlink(missing_ok=True)
                shutil.rmtree(path, ignore_errors=True)


def is_package() -> bool:
    """True if this program is one of the versions of the Debian package."""
    return (Path(sys.prefix) / MARK).is_file()
