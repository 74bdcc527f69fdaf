"""The site: which address shows what, and who may do what there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic
from typing import Annotated, Any, Final, get_args
from urllib.parse import parse_qsl, urlsplit

from fastapi import Depends, FastAPI, HTTPException, Path, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse, StreamingResponse
from fastapi.staticfiles import StaticFiles
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException as AnyHTTPException

from croupier.cards import FACES
from croupier.errors import BadJournal, BadLog, CannotWrite
from croupier.languages import _, known, language
from croupier.web.desk import Dealer, Desk, Key, Named, Pressed, Provoked, Ruled, Wish
from croupier.web.following import Following
from croupier.web.pages import STATIC, Kind, Look, Pages
from croupier.web.paper import score_sheet
from croupier.web.people import ROLES, Patience, People, Person
from croupier.web.reading import LANGUAGE_COOKIE, InTheirLanguage
from croupier.web.shelf import Shelf
from croupier.web.story import Story

_COOKIE: Final = "croupier"
_MOST: Final = 4096  # bytes of a form
_NUMBER: Final = 1 << 31

GameNumber = Annotated[int, Path(ge=1, lt=_NUMBER, description="The number of the game in the journal.")]
Place = Annotated[int | None, Query(ge=0, lt=_NUMBER, description="After so many observations; without: as it is now.")]
SeatNumber = Annotated[int, Path(ge=0, lt=10)]


def who(request: Request) -> Person:
    """Who asks."""
    people: People = request.app.state.people
    return people.who(request.cookies.get(_COOKIE))


async def fields_of(request: Request) -> Mapping[str, str]:
    """The fields of a form."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MOST:
            raise HTTPException(413, _("That is too much."))
    try:
        return dict(parse_qsl(body.decode("utf-8"), errors="strict", max_num_fields=16))
    except ValueError as err:
        raise HTTPException(422, _("Expected the fields of a form.")) from err


Who = Annotated[Person, Depends(who)]
Form = Annotated[Mapping[str, str], Depends(fields_of)]


@dataclass(frozen=True, slots=True)
class Site:
    """The site, and who follows a game on it."""

    app: FastAPI
    following: Following


def site(shelf: Shelf, people: People, desk: Desk | None = None, clock: Callable[[], float] = monotonic) -> Site:
    """The site of a journal; with a ``desk`` also of the table that is played at now."""
    app = FastAPI(title="Croupier", docs_url=None, redoc_url=None)
    app.state.people = people
    app.add_middleware(InTheirLanguage)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    pages = Pages(desk)
    following = Following(shelf, lambda look, story: pages.moment(look, story, None))
    patience = Patience()

    def told(game: int) -> Story:
        try:
            return shelf.story(game)
        except BadJournal as err:
            raise HTTPException(404, _("There is no game {game}.", game=game)) from err
        except BadLog as err:
            raise HTTPException(410, _("This game cannot be told: {why}.", why=err)) from err

    def html(name: str, person: Person, status: int = 200, **said: Any) -> HTMLResponse:
        live = desk.game if desk is not None else None
        return HTMLResponse(pages.page(name, person=person, live=live, **said), status)

    def whole(kind: Kind, game: int, n: int | None, person: Person, seat: int | None = None) -> HTMLResponse:
        story = told(game)
        if seat is not None and seat >= len(story.header.seats):
            raise HTTPException(404, _("There is no seat {seat}.", seat=seat + 1))
        place = (
            None if n is None or (n >= len(story) and desk is not None and desk.game == game) else min(n, len(story))
        )
        part = pages.moment(Look(kind, game, person, seat, language()), story, place)
        return html(kind, person, game=game, part=part, n=place, last=len(story), seat=seat, story=story)

    @app.get("/", response_class=HTMLResponse)
    async def start(person: Who) -> Response:
        """The table that is played at; else the games."""
        return RedirectResponse("/games" if desk is None else f"/games/{desk.game}", 303)

    @app.get("/games", response_class=HTMLResponse)
    async def games(person: Who) -> Response:
        """All games of the journal."""
        listed = [(game, told(game.number)) for game in shelf.games()[:100]]
        return html("games", person, games=listed)

    @app.get("/games/{game}", response_class=HTMLResponse)
    async def table(game: GameNumber, person: Who, at: Place = None) -> Response:
        """The table, its rulings and scores."""
        return whole("table", game, at, person)

    @app.get("/games/{game}/board", response_class=HTMLResponse)
    async def board(game: GameNumber, person: Who, at: Place = None) -> Response:
        """The table for a screen across the room."""
        return whole("board", game, at, person)

    @app.get("/games/{game}/seats/{seat}", response_class=HTMLResponse)
    async def one_seat(game: GameNumber, seat: SeatNumber, person: Who, at: Place = None) -> Response:
        """The table for the phone of one seat."""
        return whole("seat", game, at, person, seat)

    @app.get("/games/{game}/score.pdf")
    async def paper(game: GameNumber, person: Who) -> Response:
        """The score sheet for printing."""
        story = told(game)
        began = next(one.began for one in shelf.games() if one.number == game)
        is_simulation = desk is not None and desk.is_simulation
        try:
            made = score_sheet(story, datetime.fromtimestamp(began, UTC).astimezone(), is_simulation=is_simulation)
        except CannotWrite as err:
            raise HTTPException(501, str(err)) from err
        name = f"inline; filename=score-{game}.pdf"
        return Response(made, media_type="application/pdf", headers={"content-disposition": name})

    @app.get("/games/{game}/part", response_class=HTMLResponse)
    async def part(game: GameNumber, person: Who, at: Place = None) -> Response:
        """What changes on the page of the table, at any place of the game."""
        return HTMLResponse(pages.moment(Look("table", game, person, language=language()), told(game), at))

    @app.get("/games/{game}/events")
    async def events(
        game: GameNumber,
        person: Who,
        kind: Kind = "table",
        seat: Annotated[int | None, Query(ge=0, lt=10)] = None,
    ) -> Response:
        """The same as it changes, as server-sent events; their id is the place in the log."""
        if (kind == "seat") != (seat is not None) or (seat or 0) >= len(told(game).header.seats):
            raise HTTPException(404, _("There is no such seat."))
        headers = {"cache-control": "no-store"}
        stream = following.events(Look(kind, game, person, seat, language()))
        return StreamingResponse(stream, media_type="text/event-stream", headers=headers)

    @app.get("/camera.jpg")
    async def camera(person: Who) -> Response:
        """What the camera sees, with what was read drawn in."""
        picture = None
        if desk is not None and (person.may("referee") or _may_be_seen(shelf.story(desk.game))):
            picture = await run_in_threadpool(desk.camera)
        if picture is None:
            raise HTTPException(404, _("There is no picture."))
        return Response(picture, media_type="image/jpeg", headers={"cache-control": "no-store"})

    @app.post("/wishes/{what}")
    async def wish(what: str, form: Form, person: Who) -> Response:
        """Do something at the table: press a key, say which card it is, who deals, what a rule is, provoke a fault."""
        if desk is None:
            raise HTTPException(409, _("Nobody plays at this table now."))
        meant = _meant(what, form, len(told(desk.game).header.seats))
        if not _allowed(meant, person, desk):
            raise HTTPException(403, _("That is for others to do. Come in with your code first."))
        desk.wish(meant)
        return Response(status_code=204)

    @app.get("/enter", response_class=HTMLResponse)
    async def door(person: Who) -> Response:
        """Where one comes in with a code."""
        return html("enter", person, wrong="")

    @app.post("/enter", response_class=HTMLResponse)
    async def enter(request: Request, form: Form, person: Who) -> Response:
        """Come in with a code."""
        place, now = request.client.host if request.client else "", clock()
        if (rest := patience.rest_s(place, now)) > 0:
            wrong = _("Too many wrong codes. Try again in {n} seconds.", n=round(rest) + 1)
            return html("enter", person, 429, wrong=wrong)
        # Counted before it is known, so that many at once are no way round.
        patience.wrong(place, now)
        token = await run_in_threadpool(people.enter, form.get("code", ""))
        if token is None:
            return html("enter", person, 403, wrong=_("This code is not known."))
        patience.right(place)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(_COOKIE, token, httponly=True, samesite="strict", max_age=30 * 86400)
        return answer

    @app.post("/leave")
    async def leave(request: Request) -> Response:
        """Be a spectator again."""
        people.leave(request.cookies.get(_COOKIE))
        answer = RedirectResponse("/", 303)
        answer.delete_cookie(_COOKIE)
        return answer

    @app.post("/language")
    async def choose_language(request: Request, form: Form) -> Response:
        """Read the page in another language, from now on, with this browser."""
        if (code := known(form.get("language", ""))) is None:
            raise HTTPException(422, _("Expected one of the languages below."))
        answer = RedirectResponse(_back(request.headers.get("referer", "")), 303)
        answer.set_cookie(LANGUAGE_COOKIE, code, httponly=True, samesite="strict", max_age=365 * 86400)
        return answer

    @app.get("/people", response_class=HTMLResponse)
    async def codes(person: Who) -> Response:
        """Where an admin makes codes."""
        return html("people", _needs(person, "admin"), code="", whose="", seats=_names(desk, told))

    @app.post("/people", response_class=HTMLResponse)
    async def new_code(form: Form, person: Who) -> Response:
        """Make a code; it is shown once."""
        _needs(person, "admin")
        seats = _names(desk, told)
        role, seat = form.get("role", ""), form.get("seat", "")
        if role not in ROLES[1:] or (role == "player") != (seat in map(str, range(len(seats)))):
            raise HTTPException(422, _("Expected a player with a seat, a referee or an admin."))
        new = Person(role, int(seat) if role == "player" else None)
        code = await run_in_threadpool(people.new_code, new)
        return html("people", person, code=code, whose=role if new.seat is None else seats[new.seat], seats=seats)

    @app.exception_handler(AnyHTTPException)
    async def sorry(request: Request, error: AnyHTTPException) -> Response:
        if request.url.path.startswith(("/wishes", "/camera")):
            return Response(str(error.detail), error.status_code, media_type="text/plain; charset=utf-8")
        return html("sorry", who(request), error.status_code, why=error.detail)

    return Site(app, following)


def _names(desk: Desk | None, told: Callable[[int], Story]) -> tuple[str, ...]:
    return told(desk.game).header.seats if desk is not None else ()


def _back(referer: str) -> str:
    """Where on our page somebody came from."""
    came = urlsplit(referer)
    path = "/" + came.path.lstrip("/\\")
    return f"{path}?{came.query}" if came.query else path


def _needs(person: Person, role: str) -> Person:
    if not person.may(role):
        raise HTTPException(403, _("That is for others to see. Come in with your code first."))
    return person


def _may_be_seen(story: Story) -> bool:
    """Not while a hand lies open for one person alone."""
    return bool(story.at(None).position["phase"] != "challenge")


def _meant(what: str, form: Mapping[str, str], seats: int) -> Wish:
    def number(name: str, end: int) -> int:
        said = form.get(name, "")
        if not (said.isascii() and said.isdigit() and int(said[:4]) < end):
            raise HTTPException(422, _("Expected {name}, 0 to {most}.", name=name, most=end - 1))
        return int(said)

    match what:
        case "press" if (key := form.get("key")) in get_args(Key):
            return Pressed(number("seat", seats), key)  # type: ignore[arg-type]  # it is one of them
        case "card" if (card := form.get("card")) in FACES:
            return Named(card)
        case "dealer":
            return Dealer(number("seat", seats))
        case "rule" if text := form.get("text", "").strip()[:200]:
            return Ruled(number("seat", seats), number("number", 10), text)
        case "fault" if fault := form.get("fault"):
            return Provoked(fault)
    raise HTTPException(422, _("That cannot be done here."))


def _allowed(wish: Wish, person: Person, desk: Desk) -> bool:
    match wish:
        case Pressed() | Ruled():
            return person.may("referee") or (person.role == "player" and person.seat == wish.seat)
        case Named():
            # What nobody could read, any player may settle; what was read, the referee corrects.
            return person.may("player" if desk.candidates else "referee")
        case Dealer():
            return person.may("player")
        case Provoked():
            return desk.is_simulation and person.may("referee") and wish.fault in desk.faults
