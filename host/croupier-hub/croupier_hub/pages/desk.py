"""Pages of the director and the helpers: the desk, calls from the tables, players and their badges.

Who somebody is stands in a ticket (`croupier_hub.tickets`), which any hub of the tournament can read. What is done here
is written into the director's log like that of the commands, at the one hub that has the director's file.
"""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Annotated, Any, Final, Literal, Protocol
from urllib.parse import quote

from fastapi import APIRouter, Depends, HTTPException, Request, Response, UploadFile
from fastapi import Form as Uploaded
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import ConfigDict, Field

from croupier.clocks import ClockJumps
from croupier.errors import one_line
from croupier.i18n import _, marked
from croupier.web.addresses import NetworkAddress
from croupier.web.forms import Form, Number, Posted
from croupier.web.http import back, only, provided
from croupier.web.once import PRESS
from croupier_extras.spreadsheets import read_sheet
from croupier_hub.director import (
    Make,
    answer,
    attend,
    end,
    invite_helper,
    open_outbox,
    penalize,
    report_jump,
    revoke,
    time_round,
    write_to,
)
from croupier_hub.outbox import Outbox
from croupier_hub.pages.badges import badges_pdf, reachable
from croupier_hub.pages.render import Renderer
from croupier_hub.pages.tournament import Watch
from croupier_hub.plan_files import listed_names
from croupier_hub.standings import HelperRole, Key, LineNumber, Name, Role, State
from croupier_hub.store import LogStore
from croupier_hub.tickets import HELPER_S, NOBODY, Ticket, read_ticket, signed_ticket

router: Final = APIRouter()
"""Routes for tickets, the desk, calls and players."""

TICKET_COOKIE: Final = "ticket"

_HOME: Final = {marked("director"): "/desk", "admin": "/people", "referee": "/calls"}
"""The page that a person needs most, by role."""


class _EndForm(Form):
    round: Number
    anyway: Literal["yes"] | None = None


class _TimerForm(Form):
    round: Number
    minutes: Annotated[Number, Field(le=10_000)]


class _PenaltyForm(Form):
    player: str
    round: Number
    points: Annotated[Number, Field(le=1_000_000)]
    why: Annotated[str, Field(max_length=200)] = ""


class _InviteForm(Form):
    role: HelperRole


class _RevokeForm(Form):
    """Of a player: the badge."""

    role: Role = "player"
    name: Name


class _CallForm(Form):
    log: Key
    line: LineNumber
    do: Literal["come", "settle"]


class _PeopleForm(Form):
    """``names``: one a line, who are in ``state``; or one player who is to be ``expected``, ``here``, ``withdrawn``."""

    names: str = ""
    state: State = "expected"
    expected: str = ""
    here: str = ""
    withdrawn: str = ""


class _ListForm(Form):
    """A table of players as a file, else as text."""

    model_config = ConfigDict(arbitrary_types_allowed=True)
    file: UploadFile | None = None
    names: str = ""
    state: State = "expected"


class Presence(Protocol):
    """Presence of the tables, as a broker reports it."""

    @property
    def is_known(self) -> bool:
        """True if the broker answers."""

    def is_on(self, table: int) -> bool | None:
        """True if a table is on and has a network; None while nobody knows."""


class Desk:
    """Reads tickets, and writes for the director if ``file`` is the director's."""

    def __init__(self, store: LogStore, watch: Watch, file: FilePath | None, presence: Presence | None = None) -> None:
        self.watch, self.presence = watch, presence
        self._store, self._file = store, file
        self._jumps = ClockJumps(watch.clock, watch.elapsed)

    @property
    def can_write(self) -> bool:
        """True if this hub has the director's file."""
        return self._file is not None

    def ticket(self, request: Request) -> Ticket:
        """The ticket of the request, which may be revoked: for a page without anything that others may not see."""
        return read_ticket(request.cookies.get(TICKET_COOKIE, ""), self._store.director, self.watch.clock())

    def valid(self, text: str) -> Ticket:
        """The ticket in a text; `NOBODY` if it is not good here and now."""
        who = signed_ticket(text, self._store.director)
        if who == NOBODY:
            return NOBODY
        self._report_jump()
        is_revoked = self.watch.now().directed.is_revoked(who.role, who.name, who.until)
        return NOBODY if is_revoked or self.left_s(who) <= 0 else who

    def left_s(self, who: Ticket) -> int:
        """Time for which a ticket is good (s), whatever the clock did since it was made."""
        return round(self.watch.now().directed.expires(who.until, who.lifetime_s) - self.watch.clock())

    def _report_jump(self) -> None:
        """Write a jump of this machine's clock into the director's log."""
        jump_s, now = self._jumps.jump_s(), self.watch.clock()
        if jump_s and self.can_write:
            self.write(lambda known: report_jump(known, round(now - jump_s), round(now)))

    def write(self, make: Make, press: str = "") -> None:
        """Write durably into the director's log, once for each ``press`` of a form; or the answer 409 at a hub that
        cannot.

        Raises:
            BadPlan: as ``make``.
            BadOutbox, HubRefuses: the file cannot be used.
        """
        with self.outbox() as outbox:
            write_to(self._store, outbox, make, press)
        self.watch.forget()

    def outbox(self) -> Outbox:
        """The director's file, to be closed; or the answer 409 at a hub that does not have it."""
        if self._file is None:
            raise HTTPException(409, _("This hub does not have the director’s file: it can only show."))
        return open_outbox(self._file)


DeskDep = Annotated[Desk, provided(Desk)]
RendererDep = Annotated[Renderer, provided(Renderer)]


async def ticket_of(request: Request, desk: DeskDep) -> Ticket:
    """The ticket of the sender of the request."""
    text = request.cookies.get(TICKET_COOKIE, "")
    return await run_in_threadpool(desk.valid, text) if text else NOBODY


def press_of(request: Request) -> str:
    """The press of a form, which each process of a hub has written once: they share the director's file alone."""
    return str(request.scope.get(PRESS, ""))


_who: Final = Depends(ticket_of)
_REFUSAL: Final = marked("You are not allowed to see that. Open the link that the director gave you.")
Who = Annotated[Ticket, _who]
Player = Annotated[Ticket, only(_who, "player", _REFUSAL)]
Referee = Annotated[Ticket, only(_who, "referee", _REFUSAL)]
Admin = Annotated[Ticket, only(_who, "admin", _REFUSAL)]
Director = Annotated[Ticket, only(_who, "director", _REFUSAL)]


async def _ordered(request: Request, desk: Desk, make: Make) -> Response:
    """Write what ``make`` makes of the director's log, and go back."""
    await run_in_threadpool(desk.write, make, press_of(request))
    return back(request)


@router.get("/enter/{ticket}", response_class=HTMLResponse)
def enter(ticket: str, desk: DeskDep) -> Response:
    """Log in as the holder of a ticket."""
    who = desk.valid(ticket)
    if who == NOBODY:
        raise HTTPException(403, _("This link is not valid, or no longer. Ask the director for another one."))
    answer = RedirectResponse(_HOME.get(who.role) or f"/players?name={quote(who.name)}", 303)
    # Not strict: the link may stand in a message that another site shows.
    answer.set_cookie(TICKET_COOKIE, ticket, httponly=True, samesite="lax", max_age=desk.left_s(who))
    return answer


@router.post("/out")
def leave() -> Response:
    """Become a spectator again."""
    answer = RedirectResponse("/", 303)
    answer.delete_cookie(TICKET_COOKIE)
    return answer


@router.post("/check-in")
def check_in(request: Request, who: Player, desk: DeskDep) -> Response:
    """A player with a badge is here."""
    if who.role == "player":
        desk.write(lambda known: attend(known, [who.name], "here"), press_of(request))
    return back(request)


@router.get("/calls", response_class=HTMLResponse)
def calls(who: Referee, desk: DeskDep, render: RendererDep) -> Response:
    """The tables that call for somebody."""
    return render.html("calls", who, calls=[*desk.watch.now().open_calls()], can_write=desk.can_write)


@router.post("/calls")
async def answer_call(request: Request, who: Referee, form: Posted[_CallForm], desk: DeskDep) -> Response:
    """Tell a table that somebody comes, or that its call is settled."""
    return await _ordered(request, desk, lambda known: answer(
        known, form.log, form.line, settled=form.do == "settle"))  # fmt: skip


@router.get("/people", response_class=HTMLResponse)
def people(who: Admin, desk: DeskDep, render: RendererDep) -> Response:
    """The players: who is expected, here, or gone."""
    return render.html("people", who, tournament=desk.watch.now(), can_write=desk.can_write)


@router.post("/people")
async def attendance(request: Request, who: Admin, form: Posted[_PeopleForm], desk: DeskDep) -> Response:
    """Register players, check them in, or out."""

    def make(known: Any) -> Any:
        named = {state: [name] for state in ("expected", "here", "withdrawn") if (name := getattr(form, state))}
        lines = (name.strip() for name in form.names.splitlines())
        for state, names in (named or {form.state: [name for name in lines if name]}).items():
            yield from attend(known, names, state)  # type: ignore[arg-type]

    await run_in_threadpool(desk.write, make, press_of(request))
    return RedirectResponse("/people", 303)  # also from the page of a list, which nobody can go back to


@router.post("/people/list", response_class=HTMLResponse)
async def preview(
    who: Admin, form: Annotated[_ListForm, Uploaded(media_type="multipart/form-data")], render: RendererDep
) -> Response:
    """Show how a list of players is understood; nothing is written."""
    if form.file is not None and form.file.filename:
        data, name = await form.file.read(), one_line(form.file.filename)
    else:
        data, name = form.names.encode(), _("The list")
    sheet = await run_in_threadpool(read_sheet, data, name, "player")
    return render.html("people_list", who, sheet=sheet, names=listed_names(sheet), state=form.state)


@router.get("/people/badges.pdf", response_class=Response)
def badges(request: Request, who: Admin, desk: DeskDep) -> Response:
    """A badge for each player, with a QR code to sit down."""
    with desk.outbox() as outbox:
        pdf = badges_pdf(desk.watch.now().directed, outbox.sign, str(request.base_url), desk.watch.clock())
    return Response(pdf, media_type="application/pdf")


def _desk_variables(desk: Desk) -> dict[str, Any]:
    now = desk.watch.now()
    tables = [] if now.round is None else now.round["tables"]
    presence = desk.presence
    rows = [
        (table, desk.watch.game(now, table["table"]), None if presence is None else presence.is_on(table["table"]))
        for table in tables
    ]
    # First those that stand still, then those that play, then those that are done.
    rows.sort(key=lambda row: (row[1] is None or not row[1].is_stopped, row[0]["points"] is not None))
    return {
        "tournament": now, "rows": rows, "calls": [*now.open_calls()], "left_s": now.left_s(desk.watch.clock()),
        "can_write": desk.can_write, "is_deaf": presence is not None and not presence.is_known, "helpers": [
            at for at, until in now.directed.invited.items()
            if now.directed.expires(until, HELPER_S) > desk.watch.clock() and not now.directed.is_revoked(*at, until)
        ],
    }  # fmt: skip


@router.get("/desk", response_class=HTMLResponse)
def director_page(who: Director, desk: DeskDep, render: RendererDep) -> Response:
    """Every table of the round, calls, and what does not count."""
    return render.html("desk", who, invited=None, **_desk_variables(desk))


@router.get("/desk/now", response_class=HTMLResponse)
def director_tables(who: Director, desk: DeskDep, render: RendererDep) -> Response:
    """The part of that page which changes by itself."""
    return render.html("parts/desk", who, **_desk_variables(desk))


@router.post("/desk/end")
async def end_round(request: Request, who: Director, form: Posted[_EndForm], desk: DeskDep) -> Response:
    """End a round."""
    with desk.watch.newest() as fold:
        results = fold.results()
    return await _ordered(request, desk, lambda known: end(
        known, form.round, results, anyway=form.anyway is not None))  # fmt: skip


@router.post("/desk/timer")
async def start_timer(request: Request, who: Director, form: Posted[_TimerForm], desk: DeskDep) -> Response:
    """Start the clock of a round."""
    now = desk.watch.clock()
    return await _ordered(request, desk, lambda known: time_round(
        known, form.round, round(now + 60 * form.minutes)))  # fmt: skip


@router.post("/desk/penalty")
async def penalty(request: Request, who: Director, form: Posted[_PenaltyForm], desk: DeskDep) -> Response:
    """Take points from a player, or give them back."""
    return await _ordered(request, desk, lambda known: penalize(
        known, form.player, form.round, form.points, form.why))  # fmt: skip


@router.post("/desk/invite", response_class=HTMLResponse)
async def invite(
    request: Request, who: Director, form: Posted[_InviteForm], desk: DeskDep, render: RendererDep
) -> Response:
    """Make a link for a helper, and show it once."""
    with desk.outbox() as outbox:
        who_helps, ticket = invite_helper(outbox, form.role, desk.watch.clock(), press_of(request))
    await run_in_threadpool(lambda: desk.write(lambda _known: ()))  # it is sent
    link = NetworkAddress(f"{reachable(str(request.base_url))}/enter/{ticket}")
    return render.html("desk", who, invited=(who_helps, link), **_desk_variables(desk))


@router.post("/desk/revoke")
async def take_back(request: Request, who: Director, form: Posted[_RevokeForm], desk: DeskDep) -> Response:
    """Make the tickets of somebody invalid."""
    return await _ordered(request, desk, lambda known: revoke(
        known, form.role, form.name, desk.watch.clock()))  # fmt: skip
