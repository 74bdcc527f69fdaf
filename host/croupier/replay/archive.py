"""Games of a journal for people: listed, written out as table logs, taken in from them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from croupier.errors import BadJournal, CroupierError, one_line
from croupier.i18n import _, marked, ngettext
from croupier.journal import Archive, Journal
from croupier.journal.journal import UNREADABLE, Damage
from croupier.journal.log_file import opened, texts_of
from croupier.log_replay import place, redacted_lines, replay_lines
from croupier.output_files import write_new


@dataclass(frozen=True, slots=True)
class Listed:
    """A game as the list tells it; ``began`` in ISO 8601, ``head`` the hash of the last line, hexadecimal."""

    game: int
    began: str
    ruleset: str
    seats: list[str]
    lines: int
    head: str

    def to_json(self) -> dict[str, Any]:
        """For machines."""
        return asdict(self)

    def __str__(self) -> str:
        names, lines = one_line(", ".join(self.seats)), ngettext("{n} line", "{n} lines", self.lines)
        return f"{self.game:>4}  {self.began}  {self.ruleset}  {names}  {lines}  {self.head[:8]}"


def listed(archive: Archive) -> Iterator[Listed | Damage]:
    """All games, the oldest first; of one that cannot be read, what is wrong with it."""
    for number in archive.began():
        try:
            yield _listed(archive, number)
        except (CroupierError, ValueError, LookupError, TypeError):
            yield archive.whole_lines(number)[1] or Damage(number, 1, UNREADABLE)


def _listed(archive: Archive, number: int) -> Listed:
    game, header = archive.game(number), json.loads(archive.lines(number)[0])
    began = datetime.fromtimestamp(game.began, UTC).astimezone().isoformat(" ", "minutes")
    return Listed(number, began, header["ruleset"], [*map(str, header["seats"])], game.lines, game.head.hex())


def export(archive: Archive, game: int | None, to: Path | None) -> None:
    """Write the lines of ``game`` (the newest) into the new file ``to`` (standard output).

    Raises:
        BadJournal: there is no such game, or it is damaged: then what stands before the damage has been written.
        CannotWrite: the file is there already, or cannot be made.
    """
    number = archive.last() if game is None else game
    if number is None:
        none = marked("{file}: no games yet: croupier run begins one, croupier journal import takes one in")
        raise BadJournal(none, file=archive.path)
    lines, damage = archive.whole_lines(number)
    if not lines and damage is not None:
        archive.lines(number)  # says so where there is none
        raise BadJournal(f"{archive.path}: {said(damage)}")
    text = "".join(line + "\n" for line in redacted_lines(lines))
    if to:
        write_new(to, text.encode(), "--to")
    else:
        sys.stdout.write(text)
    if damage is not None:
        raise BadJournal(f"{archive.path}: {said(damage)}; " + _("what stands before it was written"))


def said(damage: Damage) -> str:
    """What is wrong with a game, and where."""
    return _("game {game}, line {line}: {what}", game=damage.game, line=damage.line, what=_(damage.what))


def take_in(journal: Journal, log: str, *, now: float) -> int:
    """Take the table log ``log`` (``-``: standard input) into the journal as a game that began ``now``; its number.

    Raises:
        BadLog: it is none; nothing was written.
    """
    with opened(log) as file:
        raw = file.readlines()
    for _line in replay_lines(raw, place(log)):
        pass
    return journal.add(texts_of(raw), began=now)
