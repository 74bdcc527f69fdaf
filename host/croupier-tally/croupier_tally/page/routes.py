"""Routes for scoring by hand: score sheets of evenings without a referee."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path as FilePath
from typing import Annotated, Any, Final, TypeVar

from fastapi import APIRouter, Depends, HTTPException, Path, Response
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse

from croupier import plugins
from croupier.errors import BadLog, BadRuleSet, BadScore, CannotWrite
from croupier.game_views.agreements import SCORING
from croupier.game_views.story import Story
from croupier.game_views.view import symbols
from croupier.i18n import _, localize, ngettext
from croupier.table_api.live_table import CameraRequest
from croupier.web.accounts import Person
from croupier.web.dependencies import Client, GamesDep, RendererDep, Who, not_allowed, thread
from croupier.web.forms import Form, Number, OneOf, OpenForm, Posted, SeatNumber, Text, possible
from croupier.web.games import Games
from croupier.web.http import provided
from croupier.web.limits import BoundedExecutor
from croupier.web.pages import PagePlugin
from croupier.web.picture_reader import MOST_CARDS
from croupier.web.routes.documents import FileName, document_of, require_known
from croupier.web.routes.hand_pictures import PictureThread
from croupier.web.routes.new_game import Amount
from croupier_rules.cards import DECKS, KIND
from croupier_rules.rules import load, names
from croupier_rules.rules.card_tables import card_tables
from croupier_rules.rules.ruleset import presets
from croupier_tally.page.sheet_view import sheet_view
from croupier_tally.page.sheets import PLUGIN, ScoreSheets, keep
from croupier_tally.score_sheet import ScoreSheet, new_sheet
from croupier_tally.sheet_files import MEANWHILE, day_in

_MOST_SEATS: Final = 10
_SHEET: Final = "g7942-en"
_LISTED: Final = 30

SheetName = Annotated[str, Path(max_length=40, description="The name of a score sheet.")]
T = TypeVar("T")


class NewSheetForm(OpenForm):
    """A new score sheet. Extra fields: ``name-…``, the players in their order."""

    ruleset: Annotated[str, OneOf(names())] = _SHEET
    house: Annotated[str, OneOf(tuple(presets()))] | None = None
    partners: Annotated[str, OneOf(("no", "yes"))] = "no"
    scoring: Annotated[str, OneOf(tuple(SCORING))] = "winner"
    target: Amount | None = None
    limit: Amount | None = None

    def sheet(self) -> ScoreSheet:
        """The sheet without a round. Raises BadLog where the rules forbid it."""
        extra = self.extra()
        players = [name for i in range(_MOST_SEATS) if (name := extra.get(f"name-{i}", ""))]
        ruleset = load("+".join(filter(None, (self.ruleset, self.house)))).name
        return new_sheet(
            players, ruleset, target=self.target, lowest=self.scoring == "lowest", limit=self.limit,
            partners=self.partners == "yes",
        )  # fmt: skip


class _SheetForm(Form):
    """``version``: that of the sheet when the form was shown."""

    version: Text


class _SeatForm(_SheetForm):
    seat: SeatNumber


class _TargetForm(_SheetForm):
    target: Amount


class _HandForm(OpenForm):
    """``round``: that of the hand, from 1; one that was counted is mended, if ``version`` is as of `_SheetForm`.
    ``out``: who went out; None: as it stands. Extra fields: ``card-…``."""

    round: Number
    seat: SeatNumber
    version: Text | None = None
    out: SeatNumber | None = None


router = APIRouter()
SheetsDep = Annotated[ScoreSheets, provided(ScoreSheets)]


async def _writer(person: Who) -> Person:
    """The person who sends the request and may change the sheets; otherwise the answer 403."""
    if not person.may("player"):
        raise not_allowed()
    return person


Writer = Annotated[Person, Depends(_writer)]


class _Work:
    """Work with the sheets for a client, in a thread of its own."""

    def __init__(
        self, client: Client, sheets: SheetsDep, executor: Annotated[BoundedExecutor, thread("sheets", 16, 4)]
    ) -> None:
        self._client, self._sheets, self._executor = client, sheets, executor

    async def run(self, use: Callable[[ScoreSheets], T]) -> T:
        """``use`` with the sheets, or the answer 404, 409 or 507."""
        try:
            return await self._executor.run(self._client, lambda: use(self._sheets))
        except BadScore as err:
            raise HTTPException(409, str(err)) from err
        except BadLog as err:
            raise HTTPException(404, localize(err)[0]) from err
        except CannotWrite as err:
            raise HTTPException(507, localize(err)[0]) from err

    async def change(self, name: str, do: Callable[[ScoreSheet], ScoreSheet]) -> Response:
        """Change a sheet, and show it."""
        await self.run(lambda sheets: sheets.change(name, do))
        return RedirectResponse(f"/score/{name}", 303)


Work = Annotated[_Work, Depends(_Work)]


@router.get("/score", response_class=HTMLResponse)
async def overview(person: Who, work: Work, games: GamesDep, render: RendererDep) -> Response:
    """Score a hand; the score sheets; a new one."""
    listed = await work.run(lambda sheets: [(name, _players(sheets.load, name)) for name in sheets.names()[:_LISTED]])
    return render.html(
        f"{PLUGIN}/score", person, sheets=listed, may_change=person.may("player"),
        **_choice(new_sheet(("A", "B"), _SHEET).story), deck=None,
        rulesets=[(name, load(name).title) for name in names()], presets=presets(), scoring=SCORING,
        seats=range(_MOST_SEATS), players=_seat_names(games), usual=_SHEET, has_camera=_has_camera(games),
    )  # fmt: skip


@router.post("/score")
async def begin(_person: Writer, work: Work, form: Posted[NewSheetForm]) -> Response:
    """Begin a score sheet."""
    with possible():
        try:
            sheet = form.sheet()
        except BadRuleSet as err:
            raise BadLog(err.template, **err.words) from err
    return RedirectResponse(f"/score/{await work.run(lambda sheets: sheets.begin(sheet))}", 303)


@router.get("/score/camera.jpg")
async def camera(person: Writer, games: GamesDep, picture_thread: PictureThread) -> Response:
    """The picture of the table's camera; 204 without one, or while it shows a private hand."""
    headers = {"cache-control": "no-store"}
    table = games.live_table
    if table is None or not games.may_see_pile(person):
        return Response(status_code=204, headers=headers)
    jpeg = await picture_thread.run("camera", lambda: table.ask(CameraRequest(plain=True)))
    return Response(jpeg, 204 if jpeg is None else 200, headers, "image/jpeg")


@router.get("/score/{sheet}", response_class=HTMLResponse)
async def show(sheet: SheetName, person: Who, work: Work, games: GamesDep, render: RendererDep) -> Response:
    """A score sheet, and what is missing in its last round."""
    found = await work.run(lambda sheets: sheets.load(sheet))
    return render.html(
        f"{PLUGIN}/sheet", person, file=sheet, **sheet_view(found), may_change=person.may("player"),
        **_choice(found.story), deck=found.header.ruleset.deck, has_camera=_has_camera(games),
    )  # fmt: skip


@router.get("/score/{sheet}/version")
async def version(sheet: SheetName, work: Work) -> Response:
    """The version of a sheet: pages look here whether it has changed."""
    return PlainTextResponse(await work.run(lambda sheets: sheets.load(sheet).version))


@router.get("/score/{sheet}/{file}")
async def document(sheet: SheetName, file: FileName, work: Work, render: RendererDep) -> Response:
    """A file that shows the score sheet, such as one for printing."""
    require_known(file)

    def draw(sheets: ScoreSheets) -> Response:
        story = sheets.load(sheet).story
        kind = file.rpartition(".")[2]
        name = f"{sheet}.{kind}" if file == plugins.SCORE_SHEET else f"{sheet}-{file}"
        drawn = plugins.DrawnGame(story, story.at(None), day_in(sheet), marks=render.pages.marks())
        return document_of(file, drawn, name)

    return await work.run(draw)


@router.post("/score/{sheet}/dealer")
async def dealer(sheet: SheetName, _person: Writer, work: Work, form: Posted[_SeatForm]) -> Response:
    """Say who deals the next round."""
    return await work.change(sheet, lambda now: _unchanged(now, form.version).with_dealer(_seat(now, form.seat)))


@router.post("/score/{sheet}/winner")
async def winner(sheet: SheetName, _person: Writer, work: Work, form: Posted[_SeatForm]) -> Response:
    """Begin a round, or say who went out in the one whose hands are missing."""
    return await work.change(sheet, lambda now: _unchanged(now, form.version).with_winner(_seat(now, form.seat)))


@router.post("/score/{sheet}/hand")
async def hand(sheet: SheetName, _person: Writer, work: Work, form: Posted[_HandForm]) -> Response:
    """Add a hand to the round that is open, or mend one of a round that was counted."""

    def add(now: ScoreSheet) -> ScoreSheet:
        seat, counted = _seat(now, form.seat), len(now.counted)
        if form.round == counted + 1:
            return now.with_hand(seat, form.cards())
        if not 1 <= form.round <= counted:
            raise BadScore(_(MEANWHILE))
        out = None if form.out is None else _seat(now, form.out)
        return _unchanged(now, form.version).mended(form.round - 1, out, {seat: form.cards()})

    return await work.change(sheet, add)


@router.post("/score/{sheet}/undo")
async def undo(sheet: SheetName, _person: Writer, work: Work, form: Posted[_SheetForm]) -> Response:
    """Take back the last round."""
    return await work.change(sheet, lambda now: _unchanged(now, form.version).without_last_round())


@router.post("/score/{sheet}/target")
async def target(sheet: SheetName, _person: Writer, work: Work, form: Posted[_TargetForm]) -> Response:
    """Play on after the end of the game, up to another number of points."""
    return await work.change(sheet, lambda now: _unchanged(now, form.version).going_on(form.target))


@router.post("/score/{sheet}/rematch")
async def rematch(sheet: SheetName, _person: Writer, work: Work, form: Posted[_SheetForm]) -> Response:
    """Begin a new sheet with the same people and rules."""
    name = await work.run(lambda sheets: sheets.begin(_unchanged(sheets.load(sheet), form.version).rematch()))
    return RedirectResponse(f"/score/{name}", 303)


def _seat_names(games: Games) -> tuple[str, ...]:
    """Return the names at the table during a game: mostly the players of a new sheet, too."""
    with suppress(HTTPException):  # no game yet
        return games.seat_names()
    return ()


def _has_camera(games: Games) -> bool:
    return games.live_table is not None and games.live_table.state.has_camera


def _unchanged(sheet: ScoreSheet, version: str | None) -> ScoreSheet:
    if sheet.version != version:
        raise BadScore(_(MEANWHILE))
    return sheet


def _seat(sheet: ScoreSheet, seat: int) -> int:
    if seat >= len(sheet.names):
        raise BadScore(_("There is no seat {seat}.", seat=seat + 1))
    return seat


def _players(find: Callable[[str], ScoreSheet], name: str) -> str:
    """The players of a sheet and their points, or why it cannot be shown."""
    try:
        story = find(name).story
    except BadLog as err:
        return localize(err)[0]
    scores = story.at(None).position["scores"]
    return ", ".join(f"{player} {points}" for player, points in zip(story.accounts, scores, strict=True))


def _choice(story: Story) -> dict[str, Any]:
    """What the choice of a card needs of a game: the ``symbols``, and by face the name and the points
    (``facts``); and the ``questions`` whether a hand has 1, 2, 3 … cards."""
    faces = dict.fromkeys(face.removesuffix("*") for face in DECKS[story.header.ruleset.deck])
    points_of = card_tables(story.header.ruleset.deck).points_of
    facts = {face: (story.explainer.card(face), points_of[KIND[face]]) for face in faces}
    questions = [ngettext("{n} card?", "{n} cards?", n) for n in range(1, MOST_CARDS + 1)]
    return {"symbols": symbols(story), "facts": facts, "questions": questions}


PLUGIN_PAGE: Final = PagePlugin(
    router, FilePath(__file__).parent, menu=("menu.html",), part=ScoreSheets, keep=keep, needs_journal=False
)
