"""The context of all routes: games, accounts, the live table, who asks, and how pages are answered."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path as FilePath
from time import monotonic
from types import MappingProxyType
from typing import Annotated, Final, Literal, TypeVar
from urllib.parse import urlsplit

from fastapi import Depends, HTTPException, Path, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.requests import ClientDisconnect

from croupier.alarms import problem_text
from croupier.errors import BadJournal, BadLog, CroupierError
from croupier.game_views.luck import Lucks
from croupier.game_views.statistics import LeftOut
from croupier.game_views.story import Story
from croupier.game_views.turns import timeline
from croupier.http_server import network_of
from croupier.i18n import _, language
from croupier.table_api.live_table import LiveTable, LiveTableState
from croupier.web.accounts import SESSION_S, SPECTATOR, Accounts, Person
from croupier.web.addresses import NetworkAddress
from croupier.web.clips import clips_of
from croupier.web.event_stream import EventStream
from croupier.web.game_repository import GameRepository
from croupier.web.limits import BoundedExecutor, LoginThrottle
from croupier.web.overlay import Timeline
from croupier.web.pages import Kind, Pages, Perspective
from croupier.web.picture_reader import PictureReader
from croupier.web.saved_clips import SavedClips
from croupier.web.score_sheets import ScoreSheets
from croupier.web.seating import Seating, Seats
from croupier_rules.referee import Header, parse_header

SESSION_COOKIE: Final = "croupier"
_YEAR_S: Final = 365 * 86400
_MAX_NUMBER: Final = 1 << 30
"""Greater numbers of games and lines cannot be looked up in the journal."""

_ARCHIVE_CALLS: Final = (16, 4)
_LOGIN_CALLS: Final = (4, 2)
_PICTURE_CALLS: Final = (6, 3)
_CLIP_CALLS: Final = (6, 2)
"""Limits of pending calls: in all, and for one client. A code takes 20 MB and a tenth of a second."""

GameNumber = Annotated[int, Path(ge=1, lt=_MAX_NUMBER, description="The number of the game in the journal.")]
Place = Annotated[int | None, Query(ge=0, lt=_MAX_NUMBER, description="Number of observations; default: all.")]
LineNumber = Annotated[int, Path(ge=1, lt=_MAX_NUMBER, description="The place of an observation in the log.")]
SeatNumber = Annotated[int, Path(ge=0, lt=10)]

T = TypeVar("T")


async def session_person(request: Request) -> Person:
    """The person who sends the request. Not in a thread, as FastAPI runs plain functions."""
    accounts: Accounts = request.app.state.accounts
    return accounts.person(request.cookies.get(SESSION_COOKIE))


async def client_network(request: Request) -> str:
    """The network from which the request comes, as of `network_of`."""
    return network_of(request.client.host) if request.client else ""


async def session_token(request: Request) -> str | None:
    """The token that the browser has."""
    return request.cookies.get(SESSION_COOKIE)


Who = Annotated[Person, Depends(session_person)]
Token = Annotated[str | None, Depends(session_token)]
Client = Annotated[str, Depends(client_network)]


def wants_page(request: Request) -> bool:
    """Whether a browser asks that has no scripts of ours: it needs a page as the answer to a form."""
    return "hx-request" not in request.headers and "text/html" in request.headers.get("accept", "")


def set_session(answer: Response, token: str) -> Response:
    """Give the browser the token of a session."""
    answer.set_cookie(SESSION_COOKIE, token, httponly=True, samesite="strict", max_age=SESSION_S)
    return answer


def local_path(referer: str) -> str:
    """The path of the page that the request comes from; "/" if the address is invalid."""
    try:
        address = urlsplit(referer)
    except ValueError:
        return "/"
    path = "/" + address.path.lstrip("/\\")
    return f"{path}?{address.query}" if address.query else path


def back(request: Request, choices: Mapping[str, str] = MappingProxyType({})) -> RedirectResponse:
    """Back to the page that the request comes from; the browser keeps ``choices`` by the names of their cookies."""
    answer = RedirectResponse(local_path(request.headers.get("referer", "")), 303)
    for cookie, value in choices.items():
        answer.set_cookie(cookie, value, httponly=True, samesite="strict", max_age=_YEAR_S)
    return answer


async def read_body(request: Request, most: int) -> bytes:
    """The body of a request, or the answer 400, or 413 beyond ``most`` bytes."""
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > most:
                raise HTTPException(413, _("That is too much."))
    except ClientDisconnect as err:
        raise HTTPException(400) from err
    return bytes(body)


def require(person: Person, role: str) -> Person:
    """The person, if allowed; otherwise the answer 403."""
    if not person.may(role):
        raise HTTPException(403, _("You are not allowed to see that. Log in with your code first."))
    return person


class Context:
    """The site of a journal. ``live_table``: the table that is played at now, if any; ``address``: how other machines
    reach the site; ``clock``: monotonic seconds; ``has_setup``: the table is set up on this site; ``sheets``: by
    default those beside the journal, which nobody may change; ``left_out``: of the statistics, by default those of the
    file beside the journal.

    Raises:
        BadJournal: there is no journal.
    """

    def __init__(
        self,
        journal: FilePath,
        accounts: Accounts,
        live_table: LiveTable | None = None,
        address: NetworkAddress | None = None,
        clock: Callable[[], float] = monotonic,
        *,
        has_setup: bool = False,
        sheets: ScoreSheets | None = None,
        left_out: LeftOut | None = None,
    ) -> None:
        self.sheets = sheets or ScoreSheets(journal.parent, PictureReader())
        self.accounts, self.live_table, self.clock = accounts, live_table, clock
        self._address = address
        self.saved_clips = SavedClips()
        self.pages = Pages(live_table, address, has_setup=has_setup, saved_clips=self.saved_clips)
        self.left_out = left_out or LeftOut(journal)
        self.seating, self.throttle = Seating(accounts), LoginThrottle()
        is_awaited = live_table is not None
        self._games, self._archive = (GameRepository(journal, is_awaited=is_awaited) for _ in range(2))
        """The games for the event loop, which reads the live game alone, and for the thread of the archive."""
        self._timeline = Timeline()
        self.stream = EventStream(self._games, self._render_live)
        self.seating.on_change = self.stream.ring
        self._archive_thread = BoundedExecutor("archive", *_ARCHIVE_CALLS)
        self.login_thread = BoundedExecutor("login", *_LOGIN_CALLS)
        self.sheet_thread = BoundedExecutor("sheets", *_ARCHIVE_CALLS)
        self.picture_thread = BoundedExecutor("pictures", *_PICTURE_CALLS)
        self.lucks = Lucks()
        self.clip_thread = BoundedExecutor("clips", *_CLIP_CALLS)
        self.appeal_thread = BoundedExecutor("appeals", *_CLIP_CALLS)

    @property
    def live_game(self) -> int | None:
        """The game that is played now. Without a live table the newest, which another process may write."""
        return self._games.last if self.live_table is None else self.live_table.state.game

    def live_story(self) -> Story:
        """The story of the live game, or the answer 404, 409 or 410."""
        game = self.live_game
        if game is None:
            raise HTTPException(409, _("Nobody is playing at this table now."))
        return find_story(self._games, game)

    async def with_story(self, game: int, client: str, use: Callable[[Story], T]) -> T:
        """``use`` with the story of a game, or the answer 404, 410 or 503: at once for the live game, in the thread of
        the archive for any other."""
        if game == self.live_game:
            return use(self.live_story())
        return await self._archive_thread.run(client, lambda: use(find_story(self._archive, game)))

    async def with_archive(self, client: str, use: Callable[[GameRepository], T]) -> T:
        """``use`` with all games in the thread of the archive, for what takes long; or the answer 503."""
        return await self._archive_thread.run(client, lambda: use(self._archive))

    async def require_journal(self) -> None:
        """The answer 503 while the table waits for its journal; browsers ask again."""
        if self.live_table is not None and not (state := self.live_table.state).game:
            why = " ".join(problem_text(*alarm) for alarm in state.alarms)
            raise HTTPException(503, why or _("Nobody is playing at this table now."), {"refresh": "2"})

    def require_live(self, game: int | None = None) -> tuple[LiveTable, LiveTableState]:
        """The live table and its state, if this game (by default any) is played there; otherwise the answer 409."""
        if self.live_table is None or game not in (None, (state := self.live_table.state).game):
            raise HTTPException(409, _("Nobody is playing at this table now."))
        return self.live_table, state

    def seat_names(self) -> tuple[str, ...]:
        """The names of the seats at the live table; empty without one."""
        return () if self.live_table is None else self.live_story().header.seats

    def seats(self, story: Story) -> Seats | None:
        """The seats of the live table, at which ``story`` is played, and who sits there; None without one."""
        return None if self.live_table is None else self.seating.seats(len(story.header.seats))

    def next_header(self) -> Header:
        """The header of the next game as far as it is settled, with the present names."""
        now, state = self.live_story().header, None if self.live_table is None else self.live_table.state
        if state is None or state.settings is None or not state.settings.next_header:
            return now
        return replace(parse_header(state.settings.next_header), seats=now.seats)

    def next_names(self) -> tuple[str, ...]:
        """The names of the seats in the next game: those that players typed, else as now."""
        typed = self.accounts.players
        return tuple(typed.get(seat) or name for seat, name in enumerate(self.seat_names()))

    def free_seats(self) -> list[int]:
        """The seats at which nobody sits in the next game, as far as is known."""
        players = self.accounts.players
        return [seat for seat in self.live_story().free_seats if seat not in players]

    def own_page(self, person: Person) -> str:
        """The address of the page that a person needs most: of the own seat, else of the live table."""
        game = "" if self.live_table is None else f"/{self.live_table.state.game}"
        return f"/games{game}{f'/seats/{person.seat}' if game and person.seat is not None else ''}"

    def require_attempt(self, client: str) -> None:
        """The answer 429 where too many wrong codes came from this network, or from all."""
        self.throttle.require_attempt(client, self.clock())

    def html(self, name: str, person: Person, status: int = 200, **variables: object) -> HTMLResponse:
        """The page ``name``."""
        live = self.live_table.state.game if self.live_table is not None else None
        return HTMLResponse(self.pages.render(name, person=person, live=live, **variables), status)

    def site(self, request: Request) -> str:
        """The address of the site for others: that of the request, unless it works on this machine alone."""
        is_own = request.base_url.hostname in ("localhost", "127.0.0.1", "::1")
        return self._address.url if is_own and self._address is not None else str(request.base_url)

    async def replay_html(
        self, request: Request, page: Literal["replay", "embed"], game: int, n: int, person: Person, client: str
    ) -> HTMLResponse:
        """A page to go through a game, after ``n`` observations. It has no secret, so it may be compressed."""
        site = self.site(request) if page == "replay" else ""

        def render(story: Story) -> HTMLResponse:
            moment = story.at(n)
            text = story.describe(moment)
            part = self.pages.render_part(replay_of(game), story, moment.n)
            moments = timeline(story) | {"clips": [*clips_of(story, game)] if game == self.live_game else []}
            answer = self.html(
                page, person, game=game, part=part, n=moment.n, last=len(story), story=story, site=site,
                moments=moments, told=" ".join((text.seen, *(ruling.text for ruling in text.rulings))),
            )  # fmt: skip
            answer.headers["vary"] = "accept-encoding"
            if "gzip" in request.headers.get("accept-encoding", ""):
                answer.body = gzip.compress(answer.body)
                answer.headers.update({"content-encoding": "gzip", "content-length": str(len(answer.body))})
            return answer

        return await self.with_story(game, client, render)

    async def game_html(
        self, kind: Kind, game: int, n: int | None, person: Person, client: str, seat: int | None = None
    ) -> HTMLResponse:
        """A page of a game after ``n`` observations; ``None``: now."""
        is_live = game == self.live_game

        def render(story: Story) -> HTMLResponse:
            if seat is not None:
                require_seat(seat, story)
            seats = self.seats(story) if is_live else None
            place = None if n is None or (n >= len(story) and is_live) else min(n, len(story))
            part = self.pages.render_part(Perspective(kind, game, person, seat, language()), story, place, seats)
            return self.html(
                kind, person, game=game, part=part, n=place, last=len(story), seat=seat, story=story, is_live=is_live
            )  # fmt: skip

        return await self.with_story(game, client, render)

    def overlay_part(self, perspective: Perspective) -> str:
        """What an overlay shows now; empty before there is something to show."""
        with suppress(CroupierError):
            return self._render_overlay(perspective)[1]
        return ""

    def _render_overlay(self, perspective: Perspective) -> tuple[int, str]:
        now = self.clock()
        if live := self.live_game:
            self._timeline.note(live, self._games.story(live), now)
        if (place := self._timeline.place(now - perspective.delay_s)) is None:
            return 0, ""
        game, n = place
        return n, self.pages.render_part(replace(perspective, game=game, delay_s=0), self._games.story(game), n)

    def _render_live(self, perspective: Perspective) -> tuple[int, str] | None:
        if perspective.kind == "overlay":
            return self._render_overlay(perspective)
        if perspective.game != self.live_game:
            return None
        story = self._games.story(perspective.game)
        return len(story), self.pages.render_part(perspective, story, None, self.seats(story))


def require_seat(seat: int, story: Story) -> None:
    """The answer 404, unless the game has this seat (from 0, as in the log and in addresses)."""
    if seat >= len(story.header.seats):
        raise HTTPException(404, _("There is no seat {seat}.", seat=seat))


def replay_of(game: int) -> Perspective:
    """Who goes through a game sees what everybody may see."""
    return Perspective("replay", game, SPECTATOR, language=language())


def find_story(games: GameRepository, game: int) -> Story:
    """The story of a game, or the answer 404 or 410."""
    try:
        return games.story(game)
    except BadJournal as err:
        raise HTTPException(404, _("There is no game {game}.", game=game)) from err
    except BadLog as err:
        raise HTTPException(410, _("This game cannot be shown: {why}.", why=err)) from err
