"""What the routes of a table's page take as arguments: who asks, and the objects that the site is made of.

`serving.create_app` is given one object of each class. A route asks for one by its class: ``games: GamesDep``.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Any, Final

from fastapi import Depends, HTTPException, Path, Query, Request, Response

from croupier.http_server import network_of
from croupier.i18n import _, marked
from croupier.web.accounts import SESSION_S, Accounts, Person
from croupier.web.event_stream import EventStream
from croupier.web.games import Games
from croupier.web.http import only, provided
from croupier.web.limits import BoundedExecutor, LoginThrottle
from croupier.web.renderer import Renderer
from croupier.web.seating import Seating

SESSION_COOKIE: Final = "croupier"
_TEST_COOKIE: Final = "kept"
"""Set with a form that opens a session, and named in the address to which the form is sent: a browser that refuses
cookies sends the one without the other."""
_MAX_NUMBER: Final = 1 << 30
"""Greater numbers of games and lines cannot be looked up in the journal."""

GameNumber = Annotated[int, Path(ge=1, lt=_MAX_NUMBER, description="The number of the game in the journal.")]
Place = Annotated[int | None, Query(ge=0, lt=_MAX_NUMBER, description="Number of observations; default: all.")]
LineNumber = Annotated[int, Path(ge=1, lt=_MAX_NUMBER, description="The place of an observation in the log.")]
SeatNumber = Annotated[int, Path(ge=0, lt=10)]


@dataclass(frozen=True, slots=True)
class StartPage:
    """The ``address`` of the page on which a site starts; "": that of the game or of the games."""

    address: str = ""


def thread(name: str, most: int, most_per_network: int) -> Any:
    """A thread of the site for work that takes long; the limits are those of `BoundedExecutor`."""

    async def provide(request: Request) -> BoundedExecutor:
        threads: dict[str, BoundedExecutor] = request.app.state.threads
        if name not in threads:
            threads[name] = BoundedExecutor(name, most, most_per_network)
        return threads[name]

    return Depends(provide)


AccountsDep = Annotated[Accounts, provided(Accounts)]
GamesDep = Annotated[Games, provided(Games)]
RendererDep = Annotated[Renderer, provided(Renderer)]
SeatingDep = Annotated[Seating, provided(Seating)]
StreamDep = Annotated[EventStream, provided(EventStream)]
ThrottleDep = Annotated[LoginThrottle, provided(LoginThrottle)]


async def session_token(request: Request) -> str | None:
    """The token that the browser has."""
    return request.cookies.get(SESSION_COOKIE)


async def client_network(request: Request) -> str:
    """The network from which the request comes, as of `network_of`."""
    return network_of(request.client.host) if request.client else ""


Token = Annotated[str | None, Depends(session_token)]
Client = Annotated[str, Depends(client_network)]


async def session_person(token: Token, accounts: AccountsDep) -> Person:
    """The person who sends the request."""
    return accounts.person(token)


_who: Final = Depends(session_person)
_REFUSAL: Final = marked("You are not allowed to see that. Log in with your code first.")
Who = Annotated[Person, _who]
AsPlayer = Annotated[Person, only(_who, "player", _REFUSAL)]
AsReferee = Annotated[Person, only(_who, "referee", _REFUSAL)]
AsAdmin = Annotated[Person, only(_who, "admin", _REFUSAL)]


async def _ring_afterwards(stream: StreamDep) -> AsyncIterator[None]:
    yield
    stream.ring()


rings: Final = Depends(_ring_afterwards)
"""Of a route that changes what all pages show, beside the log: they are drawn again."""


async def require_journal(games: GamesDep) -> None:
    """The answer 503 while the table waits for its journal; browsers ask again."""
    games.require_journal()


def not_allowed() -> HTTPException:
    """The answer to what somebody may not do."""
    return HTTPException(403, _("You are not allowed to do that. Log in with your code first."))


def try_cookies(answer: Response) -> Response:
    """Give the browser a cookie that `keeps_cookies` expects; for the page with the form."""
    answer.set_cookie(_TEST_COOKIE, "1", httponly=True, samesite="strict")
    return answer


async def _require_cookies(request: Request) -> None:
    if _TEST_COOKIE in request.query_params and not request.cookies:
        refused = _("Your browser refuses cookies. Allow them for this page, then open the page once more.")
        raise HTTPException(422, refused)


keeps_cookies: Final = Depends(_require_cookies)
"""Of a route that opens a session: the answer 422, before anything is done, to a browser that would not keep it."""


def set_session(answer: Response, token: str) -> Response:
    """Give the browser the token of a session."""
    answer.set_cookie(SESSION_COOKIE, token, httponly=True, samesite="strict", max_age=SESSION_S)
    return answer
