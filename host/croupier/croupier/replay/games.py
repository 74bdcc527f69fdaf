"""Games of a journal or of table logs: listed, exported, imported, opened, served as pages."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from time import time
from typing import TYPE_CHECKING, Any

from croupier.errors import BadJournal, BadLog, CroupierError, one_line
from croupier.game_views.story import Story
from croupier.i18n import _, marked, ngettext
from croupier.journal import Archive, Damage, Journal
from croupier.journal.log_file import opened, texts_of
from croupier.log_replay import place, redacted_lines, replay_lines
from croupier.optional_dependencies import WEB, requires_extra
from croupier.output_files import write_new
from croupier.progress import progress
from croupier_rules.errors import json_object

if TYPE_CHECKING:
    from croupier.web.serving import WebServer


@dataclass(frozen=True, slots=True)
class GameSummary:
    """A game in a list. ``began``: in ISO 8601; ``head``: hash of the last line, hexadecimal."""

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


def list_games(archive: Archive) -> Iterator[GameSummary | Damage]:
    """Yield all games, oldest first; a damage stands behind its game, or instead of it if it cannot be read."""
    damages = list(archive.damages())
    for number in archive.began():
        with suppress(CroupierError, ArithmeticError, LookupError, OSError, TypeError, ValueError):
            yield _summary(archive, number)
        yield from (damage for damage in damages if damage.game == number)
    yield from (damage for damage in damages if damage.game not in archive.began())


def _summary(archive: Archive, number: int) -> GameSummary:
    game, header = archive.game(number), json_object(archive.lines(number)[0])
    began = datetime.fromtimestamp(game.began, UTC).astimezone().isoformat(" ", "minutes")
    return GameSummary(number, began, header["ruleset"], [*map(str, header["seats"])], game.lines, game.head.hex())


def export(archive: Archive, game: int | None, to: Path | None) -> None:
    """Write the lines of ``game`` (default: the newest) to the new file ``to`` (default: standard output).

    Raises:
        BadJournal: there is no such game, or it is damaged; the lines before the damage have been written.
        CannotWrite: the file exists already, or cannot be written.
    """
    number = archive.last() if game is None else game
    if number is None:
        none = marked("{file}: no games yet: start one with croupier run, or import one with croupier journal import")
        raise BadJournal(none, file=archive.path)
    lines, damage = archive.whole_lines(number)
    if not lines and damage is not None:
        archive.lines(number)  # raises if there is no such game
        raise BadJournal(f"{archive.path}: {format_damage(damage)}")
    with progress() as shown:
        text = "".join(line + "\n" for line in shown.each(redacted_lines(lines), str(archive.path), len(lines)))
    if to:
        write_new(to, text.encode(), "--to")
    else:
        sys.stdout.write(text)
    if damage is not None:
        raise BadJournal(f"{archive.path}: {format_damage(damage)}; " + _("what stands before it was written"))


def format_damage(damage: Damage) -> str:
    """Format the place and the kind of a damage."""
    return _("game {game}, line {line}: {what}", game=damage.game, line=damage.line, what=_(damage.what))


def import_log(journal: Journal, log: str, *, now: float) -> int:
    """Add the table log ``log`` (``-``: standard input) to the journal as a game that began ``now``; return its number.

    Raises:
        BadLog: it is not a table log; nothing was written.
    """
    return journal.add(_read(log), began=now)


def _read(log: str) -> list[str]:
    with opened(log) as file:
        return _checked(file.readlines(), place(log))


def _checked(lines: Sequence[bytes], where: str) -> list[str]:
    """Return the lines of a log as text. Raises `BadLog`, with the place, if the log is invalid."""
    with progress() as shown:
        for _step in shown.each(replay_lines(lines, where), where, len(lines)):
            pass
    return texts_of(lines)


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game and its beginning, if that is known."""

    story: Story
    began: datetime | None


def load_game(log: str | None, journal: Path, game: int | None) -> PlayedGame:
    """Load the table log ``log`` (``-``: standard input), or else ``game`` of ``journal`` (default: the newest).

    Raises:
        BadLog: the input is not a table log, or ``game`` was given as well.
        BadJournal: there is no journal, or no such game in it.
    """
    if log is None:
        return _load_from_journal(journal, game)
    if game is not None:
        raise BadLog(_("{file}: a table log is one game: leave out --game, or the log", file=place(log)))
    return PlayedGame(_story(_read(log), place(log)), None)


def _load_from_journal(journal: Path, game: int | None) -> PlayedGame:
    with Archive(journal) as archive:
        number = archive.last() if game is None else game
        if number is None:
            raise BadJournal(_("{file}: no games yet: give a table log, or another journal", file=journal))
        lines = [line.encode() for line in archive.lines(number)]
        began = datetime.fromtimestamp(archive.game(number).began, UTC).astimezone()
    return PlayedGame(_story(_checked(lines, where := f"{journal}, game {number}"), where), began)


def _story(lines: Sequence[str], where: str) -> Story:
    story = Story(lines[0])
    with progress() as shown:
        story.extend(shown.each(lines[1:], where, len(lines)))
    return story


@contextmanager
def serve_games(logs: Sequence[str], journal: Path, host: str, port: int | None) -> Iterator[WebServer]:
    """Context in which a page shows ``logs`` (``-``: standard input), or else the games of ``journal``.

    Raises:
        BadLog: an input is not a table log. BadJournal: there is no journal.
        CannotServe: the page is not installed, the address does not exist, or the port is taken.
    """
    with requires_extra(WEB):
        from croupier.web.accounts import Accounts
        from croupier.web.serving import serve_in_thread
    with ExitStack() as stack:
        if logs:
            journal = Path(stack.enter_context(TemporaryDirectory(prefix="croupier-"))) / "croupier.journal"
            with Journal(journal) as writer:
                for log in logs:
                    import_log(writer, log, now=time())
        yield stack.enter_context(serve_in_thread(journal, Accounts(), host=host, port=port))


def write_page(game: PlayedGame, file: Path) -> None:
    """Write a game as a standalone page to the new file ``file``.

    Raises:
        CannotWrite: the file exists already, or cannot be written. CannotServe: the page is not installed.
    """
    with requires_extra(WEB):
        from croupier.web.pages import standalone_page
    write_new(file, standalone_page(game.story, game.began).encode())
