"""A game that was played, out of a table log or a journal, as a `Story`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from croupier.errors import BadJournal, BadLog
from croupier.i18n import _
from croupier.journal import Archive
from croupier.journal.log_file import opened, texts_of
from croupier.log_replay import place, replay_lines
from croupier.web.story import Story


@dataclass(frozen=True, slots=True)
class Played:
    """A game, and when it was begun, where that is known."""

    story: Story
    began: datetime | None


def played(log: str | None, journal: Path, game: int | None) -> Played:
    """The game of the table log ``log`` (``-``: standard input); without one, ``game`` of ``journal`` (the newest).

    Raises:
        BadLog: the input is no table log; the text names the file, the line and what was expected. Or it is one, and
            ``game`` was named all the same.
        BadJournal: there is no journal, or no such game in it.
    """
    if log is None:
        return _kept(journal, game)
    if game is not None:
        raise BadLog(_("{file}: a table log is one game: leave out --game, or the log", file=place(log)))
    with opened(log) as file:
        raw = file.readlines()
    for _step in replay_lines(raw, place(log)):
        pass
    return Played(_told(texts_of(raw)), None)


def _kept(journal: Path, game: int | None) -> Played:
    with Archive(journal) as archive:
        number = archive.last() if game is None else game
        if number is None:
            raise BadJournal(_("{file}: no games yet: name a table log, or another journal", file=journal))
        lines = archive.lines(number)
        began = archive.game(number).began
    for _step in replay_lines((line.encode() for line in lines), f"{journal}, game {number}"):
        pass
    return Played(_told(lines), datetime.fromtimestamp(began, UTC).astimezone())


def _told(lines: list[str]) -> Story:
    story = Story(lines[0])
    story.extend(lines[1:])
    return story
