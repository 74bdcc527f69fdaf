"""What every address of the site stands on: the games, the table, who asks, and how pages are answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Annotated, Any, Final
from urllib.parse import parse_qsl

from fastapi import Depends, HTTPException, Path, Query, Request
from fastapi.responses import HTMLResponse

from croupier.errors import BadJournal, BadLog
from croupier.i18n import _, language
from croupier.web.accounts import People, Person
from croupier.web.desk import Desk
from croupier.web.event_stream import Following
from croupier.web.game_repository import Shelf
from croupier.web.pages import Kind, Look, Pages
from croupier.web.story import Story

COOKIE: Final = "croupier"
_MOST: Final = 8192  # bytes of a form
_MOST_TEXT: Final = 131_072  # … that holds a whole file
_MOST_FIELDS: Final = 128
_NUMBER: Final = 1 << 30  # games and places that the journal can look up

GameNumber = Annotated[int, Path(ge=1, lt=_NUMBER, description="The number of the game in the journal.")]
Place = Annotated[int | None, Query(ge=0, lt=_NUMBER, description="After so many observations; without: as it is now.")]
LineNumber = Annotated[int, Path(ge=1, lt=_NUMBER, description="The place of an observation in the log.")]
SeatNumber = Annotated[int, Path(ge=0, lt=10)]


def who(request: Request) -> Person:
    """Who asks."""
    people: People = request.app.state.people
    return people.who(request.cookies.get(COOKIE))


async def fields_of(request: Request) -> Mapping[str, str]:
    """The fields of a form."""
    return await _fields(request, _MOST)


async def text_of(request: Request) -> Mapping[str, str]:
    """The fields of a form that holds a whole file."""
    return await _fields(request, _MOST_TEXT)


async def _fields(request: Request, most: int) -> Mapping[str, str]:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            raise HTTPException(413, _("That is too much."))
    try:
        said = parse_qsl(body.decode("utf-8"), keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS)
    except ValueError as err:
        raise HTTPException(422, _("Expected the fields of a form.")) from err
    return dict(said)


Who = Annotated[Person, Depends(who)]
Form = Annotated[Mapping[str, str], Depends(fields_of)]
TextForm = Annotated[Mapping[str, str], Depends(text_of)]


def says(**fields: type[int] | type[str] | tuple[str, ...]) -> dict[str, Any]:
    """What a form may say, for the description of the site: numbers, texts, one of some words."""
    kinds = {int: {"type": "integer", "minimum": 0}, str: {"type": "string"}}
    properties = {
        name: {"type": "string", "enum": list(kind)} if isinstance(kind, tuple) else kinds[kind]
        for name, kind in fields.items()
    }
    schema = {"type": "object", "properties": properties}
    return {"requestBody": {"content": {"application/x-www-form-urlencoded": {"schema": schema}}}}


@dataclass(frozen=True, slots=True)
class Ground:
    """``desk``: the table that is played at now, where there is one; ``clock``: seconds that do not go back."""

    shelf: Shelf
    people: People
    desk: Desk | None
    pages: Pages
    following: Following
    clock: Callable[[], float] = monotonic

    def told(self, game: int) -> Story:
        """The story of a game, or the answer that there is none."""
        try:
            return self.shelf.story(game)
        except BadJournal as err:
            raise HTTPException(404, _("There is no game {game}.", game=game)) from err
        except BadLog as err:
            raise HTTPException(410, _("This game cannot be told: {why}.", why=err)) from err

    def played(self, game: int | None = None) -> Desk:
        """The table at which this game (any) is played now, or the answer that it is not."""
        if self.desk is None or game not in (None, self.desk.game):
            raise HTTPException(409, _("Nobody plays at this table now."))
        return self.desk

    def html(self, name: str, person: Person, status: int = 200, **said: Any) -> HTMLResponse:
        """The page ``name``."""
        live = self.desk.game if self.desk is not None else None
        return HTMLResponse(self.pages.page(name, person=person, live=live, **said), status)

    def moment(self, kind: Kind, game: int, n: int | None, person: Person, seat: int | None = None) -> HTMLResponse:
        """A whole page of a game as it stood after ``n`` observations, or as it is now."""
        story = self.told(game)
        if seat is not None and seat >= len(story.header.seats):
            raise HTTPException(404, _("There is no seat {seat}.", seat=seat))
        is_live = self.desk is not None and self.desk.game == game
        place = None if n is None or (n >= len(story) and is_live) else min(n, len(story))
        part = self.pages.moment(Look(kind, game, person, seat, language()), story, place)
        return self.html(kind, person, game=game, part=part, n=place, last=len(story), seat=seat, story=story)


def needs(person: Person, role: str) -> Person:
    """The person, or the answer that this is for others."""
    if not person.may(role):
        raise HTTPException(403, _("That is for others to see. Come in with your code first."))
    return person
