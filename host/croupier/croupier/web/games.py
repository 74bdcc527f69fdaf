"""The games of a site: the live one at its table, all others in the archive; and the answers where there is none."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeVar

from fastapi import HTTPException

from croupier.alarms import problem_texts
from croupier.errors import BadJournal, BadLog, CannotCorrect
from croupier.game_views.story import Story
from croupier.i18n import _
from croupier.names import seat_names
from croupier.table_api.live_table import LiveTable, LiveTableState
from croupier.web.accounts import Person
from croupier.web.game_repository import GameRepository
from croupier.web.limits import BoundedExecutor
from croupier_rules.referee import Header, parse_header
from croupier_rules.referee.corrections import ChangePlayers

_ARCHIVE_CALLS: Final = (16, 4)
"""Limits of pending calls: in all, and for one client."""

T = TypeVar("T")


class Games:
    """The games of a journal. ``live_table``: the table that is played at now, if any; ``beside``: as of
    `GameRepository`.

    Raises:
        BadJournal: there is no journal.
    """

    def __init__(self, journal: Path, live_table: LiveTable | None = None, beside: Path | None = None) -> None:
        self.live_table = live_table
        is_awaited = live_table is not None
        self.repository, self._archive = (
            GameRepository(journal, beside=beside, is_awaited=is_awaited) for _ in range(2)
        )
        """The games for the event loop, which reads the live game alone, and for the thread of the archive."""
        self._archive_thread = BoundedExecutor("archive", *_ARCHIVE_CALLS)

    @property
    def state(self) -> LiveTableState | None:
        """The state of the live table."""
        return None if self.live_table is None else self.live_table.state

    @property
    def live_game(self) -> int | None:
        """The game that is played now. Without a live table the newest, which another process may write."""
        return self.repository.last if self.live_table is None else self.live_table.state.game

    def live_story(self) -> Story:
        """The story of the live game, or the answer 404, 409 or 410."""
        game = self.live_game
        if game is None:
            raise _nobody_plays()
        return find_story(self.repository, game)

    async def with_story(self, game: int, client: str, use: Callable[[Story], T]) -> T:
        """``use`` with the story of a game, or the answer 404, 410 or 503: at once for the live game, in the thread of
        the archive for any other."""
        if game == self.live_game:
            return use(self.live_story())
        return await self._archive_thread.run(client, lambda: use(find_story(self._archive, game)))

    async def with_archive(self, client: str, use: Callable[[GameRepository], T]) -> T:
        """``use`` with all games in the thread of the archive, for what takes long; or the answer 503."""
        return await self._archive_thread.run(client, lambda: use(self._archive))

    def require_journal(self) -> None:
        """The answer 503 while the table waits for its journal; browsers ask again."""
        if (state := self.state) is not None and not state.game:
            why = " ".join(problem_texts(state.alarms, state.seen))
            raise HTTPException(503, why or _("Nobody is playing at this table now."), {"refresh": "2"})

    def require_live(self, game: int | None = None) -> tuple[LiveTable, LiveTableState]:
        """The live table and its state, if this game (by default any) is played there; otherwise the answer 409."""
        if self.live_table is None or game not in (None, (state := self.live_table.state).game):
            raise _nobody_plays()
        return self.live_table, state

    def seat_names(self) -> tuple[str, ...]:
        """The names of the seats at the live table; empty without one."""
        return () if self.live_table is None else self.live_story().header.seats

    def lacks_names(self) -> bool:
        """True before the first card at a table whose seats have no names."""
        if (state := self.state) is None or not state.may_start_game:
            return False
        return (names := self.seat_names()) == seat_names(len(names))

    def may_see_pile(self, person: Person) -> bool:
        """True if a person may see what the live table's camera sees; it may be a private hand."""
        return self.live_table is not None and (person.may("referee") or not self.live_story().has_private_hand)

    def next_header(self) -> Header:
        """The header of the next game as far as it is settled, with the present names."""
        now, state = self.live_story().header, self.state
        if state is None or state.settings is None or not state.settings.next_header:
            return now
        return replace(parse_header(state.settings.next_header), seats=now.seats)

    def own_page(self, person: Person) -> str:
        """The address of the page that a person needs most: of the own seat, else of the live table."""
        game = "" if self.live_table is None else f"/{self.live_table.state.game}"
        if game and person.role == "screen":
            return f"/games{game}/board"
        return f"/games{game}{f'/seats/{person.seat}' if game and person.seat is not None else ''}"

    def sit_down(self, seat: int, name: str) -> None:
        """A person who sits down where a player has left the game plays from now on (*I play again* remains for later);
        elsewhere the seat goes by the typed name."""
        table, story = self.require_live()[0], self.live_story()
        wanted = [ChangePlayers("join", seat, name=name)]
        if story.header.seats[seat] != name:
            wanted.append(ChangePlayers("rename", seat, name=name))
        for command in wanted:
            with suppress(BadLog, CannotCorrect):
                story.preview(command)
                table.submit(command)
                break


def _nobody_plays() -> HTTPException:
    return HTTPException(409, _("Nobody is playing at this table now."))


def require_seat(seat: int, story: Story) -> None:
    """The answer 404, unless the game has this seat (from 0, as in the log and in addresses)."""
    if seat >= len(story.header.seats):
        raise HTTPException(404, _("There is no seat {seat}.", seat=seat + 1))


def find_story(games: GameRepository, game: int) -> Story:
    """The story of a game, or the answer 404 or 410."""
    try:
        return games.story(game)
    except BadJournal as err:
        raise HTTPException(404, _("There is no game {game}.", game=game)) from err
    except BadLog as err:
        raise HTTPException(410, _("This game cannot be shown: {why}.", why=err)) from err
