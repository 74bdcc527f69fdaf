"""Routes for commands to the live table: keys, cards, faults, and corrections of the record.

A correction is previewed first: the person sees what it would change before it is submitted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Final, Literal

import fastapi
from fastapi import APIRouter, Depends, HTTPException, Request, Response
from fastapi.responses import HTMLResponse
from pydantic import Field, create_model

from croupier.commands import (
    PAGE_KEYS,
    ChooseDealer,
    Command,
    CountFedCards,
    DiscardCards,
    Key,
    LayCard,
    MakeHouseRule,
    NameCard,
    PluginOrder,
    PressKey,
    ProvokeFault,
    ShowCards,
    StartGame,
    SwapHands,
    seen_line,
)
from croupier.errors import BadForm, CannotCorrect
from croupier.game_views.record import differences, likely_faces, record_lines, top_line, undoable_line
from croupier.game_views.story import Story
from croupier.game_views.view import card_view, deck_colors, symbols
from croupier.i18n import _, localize
from croupier.names import TakenNames, player_name
from croupier.table_api.live_table import LiveTableState
from croupier.web.accounts import Person
from croupier.web.corrections import CorrectionForm, Kind, may_correct, possible_reports, to_correction
from croupier.web.dependencies import (
    AsReferee,
    GameNumber,
    GamesDep,
    LineNumber,
    RendererDep,
    SeatingDep,
    Who,
    not_allowed,
)
from croupier.web.forms import Face, Form, Number, OneOf, OpenForm, Posted, SeatNumber, Text, TypedName, possible
from croupier.web.games import Games
from croupier.web.http import ORDERED, ordered
from croupier.web.renderer import Renderer
from croupier.web.seating import AGREE_S
from croupier_rules.cards import FACES
from croupier_rules.referee.corrections import ChangePlayers, OfMoment, Report, SetTo, TopIs, Undo, Was

_SHOWN_LINES: Final = 12
"""Of the newest lines of the record; older ones are folded away."""
_SHOWN_MEANWHILE: Final = 3
"""Of what happened while a form was open."""


class _CommandForm(Form):
    """The fields of the command ``COMMAND``."""

    COMMAND: ClassVar[type[Command]]

    def command(self) -> Command:
        """The command that the form describes. Raises `BadForm` if a field does not make sense."""
        return self.COMMAND(**dict(self))


class _MomentForm(_CommandForm):
    """``line``: the newest line of the log when the form was shown."""

    line: Number | None = None


class _ShowForm(OpenForm, _MomentForm):
    """Extra fields: ``card-…``, the cards of the hand."""

    seat: SeatNumber

    def command(self) -> ShowCards:
        if not all(card in FACES for card in self.cards()):
            raise BadForm(_("That cannot be done here."))
        return ShowCards(self.seat, tuple(self.cards()), line=self.line)


class _PlayerForm(_MomentForm):
    COMMAND = ChangePlayers
    does: Literal["leave", "join", "swap"]
    seat: SeatNumber
    other: SeatNumber | None = None
    name: TypedName | None = None

    def command(self) -> Command:
        if (self.other is None) == (self.does == "swap"):
            raise BadForm(_("That cannot be done here."))
        with possible():
            return ChangePlayers(self.does, self.seat, self.other, self.name and player_name(self.name), line=self.line)


class _LayForm(_MomentForm):
    COMMAND = LayCard
    card: Face
    seat: SeatNumber | None = None


class _CountForm(_MomentForm):
    count: Annotated[Number, Field(le=999)]

    def command(self) -> CountFedCards:
        return CountFedCards(self.count, line=self.line)


def _form(command: type[Command], **types: Any) -> type[_CommandForm]:
    """The form of a command with fields of these types."""
    fields: dict[str, Any] = {name: (kind, ...) for name, kind in types.items()}
    base = _MomentForm if issubclass(command, OfMoment) else _CommandForm
    form = create_model(f"_{command.__name__}Form", __base__=base, **fields)
    form.COMMAND = command
    return form


_FORMS: Final[dict[str, type[_CommandForm]]] = {
    "press": _form(PressKey, seat=SeatNumber, key=Annotated[Key, OneOf(PAGE_KEYS)]),
    "card": _form(NameCard, card=Face),
    "dealer": _form(ChooseDealer, seat=SeatNumber),
    "rule": _form(MakeHouseRule, seat=SeatNumber, number=Annotated[Number, Field(le=9)], text=Text),
    "swap": _form(SwapHands, other=SeatNumber, seat=SeatNumber),
    "player": _PlayerForm,
    "under": _form(DiscardCards, n=Annotated[Number, Field(le=99)], seat=SeatNumber),
    "lay": _LayForm,
    "show": _ShowForm,
    "count": _CountForm,
    "fault": _form(ProvokeFault, fault=Text),
}


router = APIRouter()


class _Desk:
    """Takes in what a person orders at the live table."""

    def __init__(self, request: Request, person: Who, games: GamesDep, seating: SeatingDep) -> None:
        self._request, self._person, self._games, self._seating = request, person, games, seating

    async def order(self, form: _CommandForm) -> Response:
        """Carry out the command of a form, or answer 403, 409 or 422."""
        table, state = self._games.require_live()
        story = self._games.live_story()
        most = len(story.header.seats) - 1
        for name in ("seat", "other"):
            if (getattr(form, name, None) or 0) > most:
                raise HTTPException(422, _("Expected {name}, 0 to {most}.", name=name, most=most))
        command = form.command()
        if not _may_order(command, self._person, state, story):
            raise not_allowed()
        if later := _meanwhile(story, seen_line(command)):
            raise _stale(later)
        if isinstance(command, ChangePlayers):
            try:
                with possible():
                    _require_own_name(command, story.moments[-1].names)
                    story.preview(command)
            except CannotCorrect as err:
                raise HTTPException(409, localize(err)[0]) from err
            self._require_agreement(command, story)
        return await ordered(self._request, table.submit(command))

    def _require_agreement(self, command: ChangePlayers, story: Story) -> None:
        """The answer 409 to a player who asks first for a swap of seats; the player there has to ask for it too."""
        own, other = self._person.seat, command.seat if command.seat != self._person.seat else command.other
        if command.does != "swap" or self._person.may("referee") or own is None or other is None:
            return
        if not self._seating.is_swap_agreed(own, other):
            names = story.moments[-1].names
            text = _("{name} has to agree: choose “Swap seats with {own}” there within {n} seconds.",
                     name=names[other], own=names[own], n=AGREE_S)  # fmt: skip
            raise HTTPException(409, text)


Desk = Annotated[_Desk, Depends(_Desk)]


def _add(name: str, form: type[_CommandForm]) -> None:
    async def act(desk: Desk, form: Any) -> Response:
        """Order something at the table."""
        return await desk.order(form)

    act.__annotations__["form"] = Annotated[form, fastapi.Form()]
    router.add_api_route(
        f"/actions/{name}", act, methods=["POST"], status_code=204, responses=ORDERED, operation_id=f"act_{name}"
    )


for _name, _command_form in _FORMS.items():
    _add(_name, _command_form)


def _require_own_name(command: ChangePlayers, names: Sequence[str]) -> None:
    """Raise BadName if somebody joins under the name of another seat."""
    if command.name is not None:
        TakenNames(name for seat, name in enumerate(names) if seat != command.seat).add(command.name)


def _may_order(command: Command, person: Person, table: LiveTableState, story: Story) -> bool:
    is_referee = person.may("referee")
    match command:
        case PressKey() | MakeHouseRule() | SwapHands() | DiscardCards():
            return is_referee or (person.role == "player" and person.seat == command.seat)
        case ChangePlayers(name=name):
            is_own = person.seat is not None and person.seat in (command.seat, command.other)
            return is_referee or (person.role == "player" and is_own and name is None)
        case NameCard():
            # Any player may name a card that could not be read; a referee may correct a reading.
            return person.may("player" if table.candidates else "referee")
        case ChooseDealer() | CountFedCards():
            return person.may("player")
        case LayCard():
            # A player lays a card for the own seat, or reports the card of the seat on turn.
            own = (None, person.seat, story.moments[-1].position["turn"])
            return not table.has_camera and (is_referee or (person.role == "player" and command.seat in own))
        case ShowCards():
            is_own = person.role == "player" and person.seat == command.seat
            return not table.has_camera and (is_referee or is_own)
        case ProvokeFault():
            return table.is_simulation and is_referee and command.fault in table.faults
        case PluginOrder() | TopIs() | Was() | Undo() | SetTo() | Report() | StartGame():
            return False  # of plug-ins; previewed first: `correction_routes`, `new_game`


def _meanwhile(story: Story, line: int | None) -> list[str]:
    """Return the last event since a line of the log on which people decide."""
    return [story.describe(one).seen for one in story.since(line)[-_SHOWN_MEANWHILE:]]


def _stale(later: Sequence[str]) -> HTTPException:
    return HTTPException(
        409, _("Meanwhile: {what} Nothing was changed. Check what is there now.", what=" ".join(later))
    )


class _Asked:
    """A correction that a person asks for: what it would change, and what happened ``later`` than the form was shown;
    or the answer 403, 409 or 422."""

    def __init__(self, kind: Kind, game: int, form: CorrectionForm, person: Person, games: Games) -> None:
        self.table, _state = games.require_live(game)
        self.kind, self.game, self.form = kind, game, form
        self.story = games.live_story()
        try:
            self.correction = to_correction(kind, form, self.story)
            if not may_correct(self.correction, person, self.story):
                raise not_allowed()
            with possible():
                self.effect = self.story.preview(self.correction)
        except CannotCorrect as err:
            raise HTTPException(
                409, _("Only the last report can be undone. A report of a card is corrected instead.")
            ) from err
        self.later = _meanwhile(self.story, form.line)

    def html(self, person: Person, render: Renderer) -> Response:
        """The page that shows it, and asks."""
        return render.html(
            "preview", person, 409 if self.later else 200, game=self.game, kind=self.kind, later=self.later,
            form={**self.form.fields(), "line": len(self.story)}, effect=self.effect,
            differences=list(differences(self.effect, self.story)),
        )  # fmt: skip


async def _asked(kind: Kind, game: GameNumber, form: Posted[CorrectionForm], person: Who, games: GamesDep) -> _Asked:
    return _Asked(kind, game, form, person, games)


Asked = Annotated[_Asked, Depends(_asked)]


@router.get("/games/{game}/record", response_class=HTMLResponse)
async def record(game: GameNumber, person: AsReferee, games: GamesDep, render: RendererDep) -> Response:
    """Everything that a referee can correct."""
    _table, state = games.require_live(game)
    story = games.live_story()
    return render.html(
        "record", person, game=game, story=story, lines=record_lines(story), shown_lines=_SHOWN_LINES,
        position=story.moments[-1].position, report_groups=possible_reports(story.header.ruleset),
        undo=undoable_line(story), symbols=symbols(story), colors=deck_colors(story),
        is_uncounted=("shoe", "jobs-unreadable") in state.alarms,
    )  # fmt: skip


@router.get("/games/{game}/record/{n}", response_class=HTMLResponse)
async def line(game: GameNumber, n: LineNumber, person: AsReferee, games: GamesDep, render: RendererDep) -> Response:
    """The form that corrects one line of the record, for a referee."""
    _table, state = games.require_live(game)
    story = games.live_story()
    found = next((one for one in record_lines(story) if one.n == n), None)
    if found is None:
        raise HTTPException(404, _("That is no longer in the record. Check what is there now."))
    candidates = (found.n == top_line(story) and state.candidates) or likely_faces(story, n, state)
    return render.html(
        "line", person, game=game, story=story, line=found, symbols=symbols(story), colors=deck_colors(story),
        candidates=[card_view(face, story) for face in candidates],
    )  # fmt: skip


@router.post("/games/{game}/preview/{kind}", response_class=HTMLResponse)
async def preview(asked: Asked, person: Who, render: RendererDep) -> Response:
    """Show what a correction would change."""
    return asked.html(person, render)


@router.post("/games/{game}/correct/{kind}")
async def correct(request: Request, asked: Asked, person: Who, render: RendererDep) -> Response:
    """Make a correction; where something else happened meanwhile, show it and ask again."""
    is_page_itself = "hx-request" in request.headers
    if asked.later and is_page_itself:
        raise _stale(asked.later)
    if asked.later:
        return asked.html(person, render)
    written = asked.table.submit(asked.correction)
    return await ordered(request, written, "" if is_page_itself else f"/games/{asked.game}")
