"""Routes for commands to the live table: keys, cards, voice, faults, and corrections of the record.

A correction is previewed first: the person sees what it would change before it is submitted.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final, Literal

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import Field, create_model

from croupier.cards import COLORS, FACES
from croupier.commands import (
    PAGE_KEYS,
    ChooseDealer,
    Command,
    CountFedCards,
    Key,
    LayCard,
    Loudness,
    MakeHouseRule,
    NameCard,
    PressKey,
    ProvokeFault,
    ShowCards,
    StartGame,
)
from croupier.errors import BadForm, BadLog, CannotCorrect
from croupier.i18n import _
from croupier.referee.corrections import Correction, Report, SetTo, TopIs, Undo, Was
from croupier.web.accounts import Person
from croupier.web.context import Context, GameNumber, LineNumber, Who, read_form, require
from croupier.web.forms import Face, Form, Number, OneOf, OpenForm, SeatNumber, Text
from croupier.web.live_table import LiveTableState
from croupier.web.record import (
    REPORTS,
    CorrectionForm,
    Kind,
    differences,
    may_correct,
    record_lines,
    to_correction,
    undoable_line,
)
from croupier.web.story import Preview, Story
from croupier.web.view import face_names

_SHOWN_LINES: Final = 12
"""Of the newest lines of the record; older ones are folded away."""


class _CommandForm(Form):
    """The fields of the command ``COMMAND``."""

    COMMAND: ClassVar[type[Command]]

    def command(self) -> Command:
        """The command that the form describes. Raises `BadForm` if a field does not make sense."""
        return self.COMMAND(**dict(self))


class _VoiceForm(_CommandForm):
    volume: Annotated[Number, Field(le=100)]
    muted: Literal["yes", "no"]

    def command(self) -> Loudness:
        return Loudness(self.volume, self.muted == "yes")


class _ShowForm(OpenForm, _CommandForm):
    """Extra fields: ``card-…``, the cards of the hand."""

    seat: SeatNumber

    def command(self) -> ShowCards:
        if not all(card in FACES for card in self.cards()):
            raise BadForm(_("That cannot be done here."))
        return ShowCards(self.seat, tuple(self.cards()))


class _CountForm(_CommandForm):
    count: Annotated[Number, Field(le=999)]

    def command(self) -> CountFedCards:
        return CountFedCards(self.count)


def _form(command: type[Command], **types: Any) -> type[_CommandForm]:
    """The form of a command with fields of these types; one that may be None may be absent."""
    fields: dict[str, Any] = {name: (kind, None if kind == SeatNumber | None else ...) for name, kind in types.items()}
    form = create_model(f"_{command.__name__}Form", __base__=_CommandForm, **fields)
    form.COMMAND = command
    return form


_FORMS: Final[dict[str, type[_CommandForm]]] = {
    "press": _form(PressKey, seat=SeatNumber, key=Annotated[Key, OneOf(PAGE_KEYS)]),
    "card": _form(NameCard, card=Face),
    "dealer": _form(ChooseDealer, seat=SeatNumber),
    "rule": _form(MakeHouseRule, seat=SeatNumber, number=Annotated[Number, Field(le=9)], text=Text),
    "voice": _VoiceForm,
    "lay": _form(LayCard, card=Face, seat=SeatNumber | None),
    "show": _ShowForm,
    "count": _CountForm,
    "fault": _form(ProvokeFault, fault=Text),
}


def action_routes(context: Context) -> APIRouter:
    """Routes for everything that takes one press, one for each of the forms."""
    app = APIRouter()

    async def act(request: Request, person: Who) -> Response:
        """Order something at the table."""
        table, state = context.require_live()
        form = await read_form(request, _FORMS[request.url.path.rpartition("/")[2]])
        story = context.live_story()
        seat, most = getattr(form, "seat", None), len(story.header.seats) - 1
        if seat is not None and seat > most:
            raise HTTPException(422, _("Expected {name}, 0 to {most}.", name="seat", most=most))
        try:
            command = form.command()
        except BadForm as err:
            raise HTTPException(422, str(err)) from err
        if not _may_order(command, person, state, story):
            raise HTTPException(403, _("You are not allowed to do that. Log in with your code first."))
        table.submit(command)
        if isinstance(command, Loudness):  # the log does not hold it
            context.stream.ring()
        return Response(status_code=204)

    for name, form in _FORMS.items():
        app.add_api_route(
            f"/actions/{name}", act, methods=["POST"], status_code=204, openapi_extra=form.openapi(),
            operation_id=f"act_{name}",
        )  # fmt: skip
    return app


def _may_order(command: Command, person: Person, table: LiveTableState, story: Story) -> bool:
    is_referee = person.may("referee")
    match command:
        case PressKey() | MakeHouseRule():
            return is_referee or (person.role == "player" and person.seat == command.seat)
        case NameCard():
            # Any player may name a card that could not be read; a referee may correct a reading.
            return person.may("player" if table.candidates else "referee")
        case ChooseDealer() | CountFedCards():
            return person.may("player")
        case Loudness():
            return person.may("player") and table.loudness is not None
        case LayCard():
            # A player lays a card for the own seat, or reports the card of the seat on turn.
            own = (None, person.seat, story.moments[-1].position["turn"])
            return not table.has_camera and (is_referee or (person.role == "player" and command.seat in own))
        case ShowCards():
            is_own = person.role == "player" and person.seat == command.seat
            return not table.has_camera and (is_referee or is_own)
        case ProvokeFault():
            return table.is_simulation and is_referee and command.fault in table.faults
        case TopIs() | Was() | Undo() | SetTo() | Report() | StartGame():
            return False  # previewed first: `correction_routes`, `new_game`


def correction_routes(context: Context) -> APIRouter:
    """Routes for corrections of the record of the live game."""
    app = APIRouter()

    def preview_of(kind: Kind, game: int, form: CorrectionForm, person: Person) -> tuple[Correction, Preview]:
        context.require_live(game)
        story = context.live_story()
        try:
            correction = to_correction(kind, form, story)
            if not may_correct(correction, person, story):
                raise HTTPException(403, _("You are not allowed to do that. Log in with your code first."))
            return correction, story.preview(correction)
        except BadForm as err:
            raise HTTPException(422, str(err)) from err
        except CannotCorrect as err:
            raise HTTPException(
                409, _("Only the last report can be undone. A report of a card is corrected instead.")
            ) from err
        except BadLog as err:
            raise HTTPException(422, _("That is not possible: {why}.", why=err)) from err

    @app.get("/games/{game}/record", response_class=HTMLResponse)
    async def record(game: GameNumber, person: Who) -> Response:
        """Everything that a referee can correct."""
        require(person, "referee")
        context.require_live(game)
        story = context.live_story()
        return context.html(
            "record", person, game=game, story=story, lines=record_lines(story), shown_lines=_SHOWN_LINES,
            position=story.moments[-1].position, reports=REPORTS, undo=undoable_line(story), faces=face_names(story),
            colors=COLORS,
        )  # fmt: skip

    @app.get("/games/{game}/record/{n}", response_class=HTMLResponse)
    async def line(game: GameNumber, n: LineNumber, person: Who) -> Response:
        """The form that corrects one line of the record, for a referee."""
        require(person, "referee")
        context.require_live(game)
        story = context.live_story()
        found = next((one for one in record_lines(story) if one.n == n), None)
        if found is None:
            raise HTTPException(404, _("That is no longer in the record. Check what is there now."))
        return context.html("line", person, game=game, story=story, line=found, faces=face_names(story), colors=COLORS)

    @app.post("/games/{game}/preview/{kind}", response_class=HTMLResponse, openapi_extra=CorrectionForm.openapi())
    async def preview(request: Request, kind: Kind, game: GameNumber, person: Who) -> Response:
        """Show what a correction would change."""
        form = await read_form(request, CorrectionForm)
        _correction, effect = preview_of(kind, game, form, person)
        return context.html(
            "preview", person, game=game, kind=kind, form=form.fields(), rulings=effect.rulings,
            differences=list(differences(effect, context.live_story())),
        )  # fmt: skip

    @app.post("/games/{game}/correct/{kind}", openapi_extra=CorrectionForm.openapi())
    async def correct(request: Request, kind: Kind, game: GameNumber, person: Who) -> Response:
        """Make a correction."""
        correction, _effect = preview_of(kind, game, await read_form(request, CorrectionForm), person)
        table, _state = context.require_live(game)
        table.submit(correction)
        if "hx-request" in request.headers:
            return Response(status_code=204)
        return RedirectResponse(f"/games/{game}", 303)

    return app
