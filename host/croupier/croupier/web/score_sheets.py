"""The score sheets of a site: the files that end in ``.score`` in one folder, and who keeps them."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Final

from croupier.errors import BadLog, BadScore
from croupier.files import put
from croupier.game_views.score_sheet import SUFFIX, ScoreSheet, read_sheet
from croupier.i18n import _
from croupier.web.accounts import Person
from croupier.web.picture_reader import PictureReader

MOST_SHEETS: Final = 200
"""In a folder; the page makes no more."""

_NAME: Final = re.compile(r"\w[\w-]{0,39}", re.ASCII)
_CACHED: Final = 32
"""Sheets that need not be refereed again while their files stay the same."""

Store = Callable[[str, str], None]
"""Keeps the content of the sheet of this name. Raises CannotWrite."""


class ScoreSheets:
    """The score sheets in ``folder``, and the reader of pictures for them.

    ``store``: keeps a sheet; None: nobody may change one here. ``is_open``: everybody may, not only players.
    """

    def __init__(
        self, folder: Path, reader: PictureReader, store: Store | None = None, *, is_open: bool = False
    ) -> None:
        self.reader, self.is_open = reader, is_open
        self._folder, self._store = folder, store

    def may_change(self, person: Person) -> bool:
        """True if ``person`` may write on the sheets, and have pictures read."""
        return self._store is not None and (self.is_open or person.may("player"))

    def names(self) -> list[str]:
        """The sheets, the one that was changed last first; their names are ASCII."""
        try:
            return [file.stem for file in sorted(_files(self._folder), key=lambda file: -file.stat().st_mtime)]
        except OSError:
            return []

    def load(self, name: str) -> ScoreSheet:
        """The sheet of this name.

        Raises:
            BadLog: there is none, or it is damaged.
        """
        if not _NAME.fullmatch(name):
            raise BadLog(_("There is no score sheet {name}.", name=name))
        file = self._folder / f"{name}{SUFFIX}"
        try:
            stamp = file.stat()
        except OSError:
            return read_sheet(file)
        return _loaded(file, stamp.st_ino, stamp.st_mtime_ns, stamp.st_size)

    def begin(self, sheet: ScoreSheet) -> str:
        """Keep a new sheet; returns its name: the date, and a number if there are several.

        Raises:
            CannotWrite: it cannot be written. BadScore: there are too many.
        """
        taken, today = set(self.names()), date.today().isoformat()
        if len(taken) >= MOST_SHEETS:
            raise BadScore(_("There are too many score sheets. Remove old ones first."))
        name = next(one for one in (today, *(f"{today}-{n}" for n in range(2, MOST_SHEETS + 2))) if one not in taken)
        self.save(name, sheet)
        return name

    def save(self, name: str, sheet: ScoreSheet) -> None:
        """Keep a sheet. Raises CannotWrite."""
        assert self._store is not None
        self._store(name, sheet.text)


@lru_cache(_CACHED)
def _loaded(file: Path, *_stamp: int) -> ScoreSheet:
    return read_sheet(file)


def _files(folder: Path) -> list[Path]:
    return [file for file in folder.glob(f"*{SUFFIX}") if _NAME.fullmatch(file.stem)]


def store_in(folder: Path) -> Store:
    """A `Store` that writes into ``folder`` what is a score sheet, and nothing else.

    It also raises BadLog if the file is not a score sheet.
    """

    def store(name: str, text: str) -> None:
        if not _NAME.fullmatch(name):
            raise BadLog(name)
        ScoreSheet.parse(text.encode(), name)
        if not (file := folder / f"{name}{SUFFIX}").exists() and len(_files(folder)) >= MOST_SHEETS:
            raise BadLog(name)
        put(file, text.encode(), 0o644)

    return store
