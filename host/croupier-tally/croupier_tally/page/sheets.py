"""The score sheets of a site: the files that end in ``.score`` in one folder.

The process of the page writes nothing: it sends sheets to the table, which keeps them (`keep`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Final

from croupier.errors import BadLog, BadMessage, BadScore, CannotWrite
from croupier.i18n import _
from croupier.web.pages import SitePart
from croupier_tally.score_sheet import SUFFIX, ScoreSheet
from croupier_tally.sheet_files import MEANWHILE, load_sheet, put_newest, sheet_files, version_of

PLUGIN: Final = "score"
"""The name of the plug-in of the page."""

MOST_SHEETS: Final = 200
"""In a folder; the page makes no more."""

_TRIES: Final = 20
"""Times that a change is made anew because somebody else was faster: more than phones at a table."""

_NAME: Final = re.compile(r"\w[\w-]{0,39}", re.ASCII)


class ScoreSheets(SitePart):
    """The score sheets in the folder of the ``journal``. ``send``: to `keep`, which raises CannotWrite."""

    def __init__(self, journal: Path, send: Callable[[str], None]) -> None:
        self._folder, self._send = journal.parent, send

    def names(self) -> list[str]:
        """The sheets, the one that was changed last first; their names are ASCII."""
        return [file.stem for file in _files(self._folder)]

    def load(self, name: str) -> ScoreSheet:
        """The sheet of this name.

        Raises:
            BadLog: there is none, or it is damaged.
        """
        if not _NAME.fullmatch(name):
            raise BadLog(_("There is no score sheet {name}.", name=name))
        return load_sheet(self._folder / f"{name}{SUFFIX}")

    def begin(self, sheet: ScoreSheet) -> str:
        """Keep a new sheet; returns its name: the date, and a number if there are several.

        Raises:
            CannotWrite: it cannot be written. BadScore: there are too many.
        """
        today = date.today().isoformat()
        for name in (today, *(f"{today}-{n}" for n in range(2, MOST_SHEETS + 2))):
            taken = self.names()
            if len(taken) >= MOST_SHEETS:
                break
            if name not in taken and self._save(name, sheet, ""):
                return name
        raise BadScore(_("There are too many score sheets. Remove old ones first."))

    def change(self, name: str, do: Callable[[ScoreSheet], ScoreSheet]) -> None:
        """Change a sheet. Where somebody else changes it in the same moment, ``do`` is asked again with what is there
        then: two hands of a round are both kept, and what fits no more is refused.

        Raises:
            BadLog: there is no such sheet. BadScore: it is impossible. CannotWrite: it cannot be written.
        """
        for _try in range(_TRIES):
            before = self.load(name)
            if self._save(name, do(before), before.version):
                return
        raise BadScore(_(MEANWHILE))

    def _save(self, name: str, sheet: ScoreSheet, after: str) -> bool:
        """Keep what the sheet of the version ``after`` has become; False if another one is there by now. Raises
        CannotWrite."""
        try:
            self._send(json.dumps([name, sheet.text, after]))
        except CannotWrite:
            if version_of(self._folder / f"{name}{SUFFIX}") == after:
                raise
            return False
        return True


def _files(folder: Path) -> list[Path]:
    return [file for file in sheet_files(folder) if _NAME.fullmatch(file.stem)]


def keep(journal: Path, text: str) -> None:
    """Write what is a score sheet, and nothing else, into the folder of the ``journal``.

    Raises:
        BadMessage: it is not a sheet, or there are too many. CannotWrite: as `put_newest`.
    """
    try:
        name, content, after = json.loads(text)
        if not _NAME.fullmatch(name) or not isinstance(after, str):
            raise BadMessage
        raw = content.encode()
        ScoreSheet.parse(raw, name)
    except (AttributeError, BadLog, RecursionError, TypeError, ValueError) as err:
        raise BadMessage from err
    if not (file := journal.parent / f"{name}{SUFFIX}").exists() and len(_files(journal.parent)) >= MOST_SHEETS:
        raise BadMessage
    put_newest(file, raw, after=after, mode=0o644)
