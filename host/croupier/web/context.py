"""The context of all routes: games, accounts, the live table, who asks, and how pages are answered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Annotated, Final, TypeVar

from fastapi import Depends, HTTPException, Path, Query, Request
from fastapi.responses import HTMLResponse

from croupier.errors import BadForm, BadJournal, BadLog
from croupier.i18n import _, language
from croupier.web.accounts import Accounts, Person
from croupier.web.event_stream import EventStream
from croupier.web.forms import Form
from croupier.web.game_repository import GameRepository
from croupier.web.live_table import LiveTable
from croupier.web.pages import Kind, Pages, Perspective
from croupier.web.story import Story

SESSION_COOKIE: Final = "croupier"
_MAX_NUMBER: Final = 1 << 30
"""Greater numbers of games and lines cannot be looked up in the journal."""

GameNumber = Annotated[int, Path(ge=1, lt=_MAX_NUMBER, description="The number of the game in the journal.")]
Place = Annotated[int | None, Query(ge=0, lt=_MAX_NUMBER, description="After so many observations; default: now.")]
LineNumber = Annotated[int, Path(ge=1, lt=_MAX_NUMBER, description="The place of an observation in the log.")]
SeatNumber = Annotated[int, Path(ge=0, lt=10)]

F = TypeVar("F", bound=Form)


def session_person(request: Request) -> Person:
    """The person who sends the request."""
    accounts: Accounts = request.app.state.accounts
    return accounts.person(request.cookies.get(SESSION_COOKIE))


Who = Annotated[Person, Depends(session_person)]


async def read_form(request: Request, form: type[F]) -> F:
    """The form in the body of a request, or the answer 413 or 422."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > form.MAX_BYTES:
            raise HTTPException(413, _("That is too much."))
    try:
        return form.parse(body)
    except BadForm as err:
        raise HTTPException(422, str(err)) from err


def require(person: Person, role: str) -> Person:
    """The person, if allowed; otherwise the answer 403."""
    if not person.may(role):
        raise HTTPException(403, _("You may not see that. Log in with your code first."))
    return person


@dataclass(frozen=True, slots=True)
class Context:
    """``live_table``: the table that is played at now, if any; ``clock``: monotonic seconds."""

    games: GameRepository
    accounts: Accounts
    live_table: LiveTable | None
    pages: Pages
    stream: EventStream
    clock: Callable[[], float] = monotonic

    def story(self, game: int) -> Story:
        """The story of a game, or the answer 404 or 410."""
        try:
            return self.games.story(game)
        except BadJournal as err:
            raise HTTPException(404, _("There is no game {game}.", game=game)) from err
        except BadLog as err:
            raise HTTPException(410, _("This game cannot be shown: {why}.", why=err)) from err

    def require_live(self, game: int | None = None) -> LiveTable:
        """The live table, if this game (by default any) is played there; otherwise the answer 409."""
        if self.live_table is None or game not in (None, self.live_table.game):
            raise HTTPException(409, _("Nobody plays at this table now."))
        return self.live_table

    def seat_names(self) -> tuple[str, ...]:
        """The names of the seats at the live table; empty without one."""
        return () if self.live_table is None else self.story(self.live_table.game).header.seats

    def html(self, name: str, person: Person, status: int = 200, **variables: object) -> HTMLResponse:
        """The page ``name``."""
        live = self.live_table.game if self.live_table is not None else None
        return HTMLResponse(self.pages.render(name, person=person, live=live, **variables), status)

    def game_html(self, kind: Kind, game: int, n: int | None, person: Person, seat: int | None = None) -> HTMLResponse:
        """A page of a game after ``n`` observations; ``None``: now."""
        story = self.story(game)
        if seat is not None:
            self.require_seat(seat, story)
        is_live = self.live_table is not None and self.live_table.game == game
        place = None if n is None or (n >= len(story) and is_live) else min(n, len(story))
        part = self.pages.render_part(Perspective(kind, game, person, seat, language()), story, place)
        return self.html(kind, person, game=game, part=part, n=place, last=len(story), seat=seat, story=story)

    def require_seat(self, seat: int, story: Story) -> None:
        """The answer 404, unless the game has this seat (from 0, as in the log and in addresses)."""
        if seat >= len(story.header.seats):
            raise HTTPException(404, _("There is no seat {seat}.", seat=seat))
