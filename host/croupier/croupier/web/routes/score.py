"""Routes for scoring by hand: pictures of hands read, and score sheets of evenings without a referee."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Any, Final, TypeVar

from fastapi import APIRouter, HTTPException, Path, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse

from croupier.errors import BadLog, BadRuleSet, BadScore, CannotWrite
from croupier.game_views.agreements import SCORING
from croupier.game_views.score_sheet import ScoreSheet, new_sheet
from croupier.game_views.story import Story
from croupier.game_views.view import symbols
from croupier.i18n import _, localize, marked
from croupier.web.accounts import Person
from croupier.web.context import Client, Context, Who, read_body
from croupier.web.forms import Form, Number, OneOf, OpenForm, Posted, SeatNumber, possible
from croupier.web.picture_reader import MOST_BYTES
from croupier.web.routes.new_game import Amount
from croupier.web.score_pdf import score_sheet, winner_text
from croupier_rules.cards import DECKS, KIND, UNREAD
from croupier_rules.rules import load, names
from croupier_rules.rules.card_tables import POINTS_OF, points
from croupier_rules.rules.ruleset import presets

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
    """``line``: the number of lines of the sheet when the form was shown."""

    line: Number


class _WinnerForm(_SheetForm):
    seat: SeatNumber


class _HandForm(OpenForm):
    """``round``: the round of the hand when the form was shown. Extra fields: ``card-…``."""

    round: Number
    seat: SeatNumber


def score_routes(router: APIRouter, context: Context) -> None:
    """Routes for scoring by hand. Everybody may look; players change the sheets, where the site has any."""
    sheets = context.sheets

    def require_change(person: Person) -> None:
        if not sheets.may_change(person):
            raise HTTPException(403, _("You are not allowed to do that. Log in with your code first."))

    async def run(client: str, use: Callable[[], T]) -> T:
        """``use`` in the thread of the sheets, or the answer 404, 409 or 507."""
        try:
            return await context.sheet_thread.run(client, use)
        except BadScore as err:
            raise HTTPException(409, str(err)) from err
        except BadLog as err:
            raise HTTPException(404, localize(err)[0]) from err
        except CannotWrite as err:
            raise HTTPException(507, localize(err)[0]) from err

    async def change(name: str, client: str, do: Callable[[ScoreSheet], ScoreSheet]) -> Response:
        def use() -> None:
            sheets.save(name, do(sheets.load(name)))

        await run(client, use)
        return RedirectResponse(f"/score/{name}", 303)

    @router.get("/score", response_class=HTMLResponse)
    async def overview(person: Who, client: Client) -> Response:
        """Score a hand; the score sheets; a new one."""
        listed = await run(client, lambda: [(name, _players(sheets.load, name)) for name in sheets.names()[:_LISTED]])
        return context.html(
            "score", person, sheets=listed, may_change=sheets.may_change(person),
            **_choice(new_sheet(("A", "B"), _SHEET).story),
            rulesets=[(name, load(name).title) for name in names()], presets=presets(), scoring=SCORING,
            seats=range(_MOST_SEATS), players=_seat_names(), usual=_SHEET, has_camera=_has_camera(),
        )  # fmt: skip

    @router.post("/score")
    async def begin(request: Request, person: Who, client: Client, form: Posted[NewSheetForm]) -> Response:
        """Begin a score sheet."""
        require_change(person)
        with possible():
            try:
                sheet = form.sheet()
            except BadRuleSet as err:
                raise BadLog(err.template, **err.words) from err
        return RedirectResponse(f"/score/{await run(client, lambda: sheets.begin(sheet))}", 303)

    @router.post("/score/read", openapi_extra=_PICTURE)
    async def read(request: Request, person: Who, client: Client) -> Response:
        """The cards in a picture of a hand."""
        require_change(person)
        picture = await read_body(request, MOST_BYTES)
        try:
            hand = await context.picture_thread.run(client, lambda: sheets.reader.read(picture))
        except BadScore as err:
            return PlainTextResponse(str(err), 422)
        words = new_sheet(("A", "B"), _SHEET).story.explainer
        cards = [
            {
                "face": card.face, "corners": card.corners, "candidates": card.candidates,
                "name": None if card.face == UNREAD else words.card(card.face),
                "options": [words.card(face) for face in card.candidates],
            }
            for card in hand.cards
        ]  # fmt: skip
        return JSONResponse({"size": hand.size, "cards": cards, "face_down": hand.face_down})

    @router.get("/score/camera.jpg")
    async def camera(person: Who) -> Response:
        """The picture of the table's camera; 204 without one, or while it shows a private hand."""
        require_change(person)
        headers = {"cache-control": "no-store"}
        table = context.live_table
        if table is None or (context.live_story().has_private_hand and not person.may("referee")):
            return Response(status_code=204, headers=headers)
        jpeg = await context.picture_thread.run("camera", lambda: table.camera_jpeg(plain=True))
        return Response(jpeg, 204 if jpeg is None else 200, headers, "image/jpeg")

    @router.get("/score/{sheet}", response_class=HTMLResponse)
    async def show(sheet: SheetName, person: Who, client: Client) -> Response:
        """A score sheet, and what is missing in its last round."""
        found = await run(client, lambda: sheets.load(sheet))
        now, seats = found.story.at(None), range(len(found.names))
        counted = found.rounds[-1] if found.to_show else None
        hands = {} if counted is None else counted.hands
        return context.html(
            "score-sheet", person, file=sheet, sheet=found, accounts=found.story.accounts,
            rounds=found.story.scores_at(now), totals=now.position["scores"], winner=winner_text(found.story),
            line=len(found.lines), may_change=sheets.may_change(person), current=counted,
            playing=[seat for seat in seats if seat not in now.position["out"]],
            points={seat: points(map(KIND.__getitem__, cards)) for seat, cards in hands.items()},
            **_choice(found.story), has_camera=_has_camera(),
        )  # fmt: skip

    @router.get("/score/{sheet}/line")
    async def line(sheet: SheetName, client: Client) -> Response:
        """The number of lines of a sheet: pages look here whether it has changed."""
        return PlainTextResponse(str(await run(client, lambda: len(sheets.load(sheet).lines))))

    @router.get("/score/{sheet}/score.pdf")
    async def pdf(sheet: SheetName, client: Client) -> Response:
        """The score sheet for printing."""
        try:
            content = await run(client, lambda: score_sheet(sheets.load(sheet).story))
        except HTTPException as err:
            raise HTTPException(501 if err.status_code == 507 else err.status_code, err.detail) from err
        headers = {"content-disposition": f"inline; filename={sheet}.pdf"}
        return Response(content, media_type="application/pdf", headers=headers)

    @router.post("/score/{sheet}/winner")
    async def winner(
        request: Request, sheet: SheetName, person: Who, client: Client, form: Posted[_WinnerForm]
    ) -> Response:
        """Begin a round, or say who went out in the one whose hands are missing."""
        require_change(person)
        return await change(sheet, client, lambda now: _unchanged(now, form.line).with_winner(_seat(now, form.seat)))

    @router.post("/score/{sheet}/hand")
    async def hand(
        request: Request, sheet: SheetName, person: Who, client: Client, form: Posted[_HandForm]
    ) -> Response:
        """Add a hand to the round that is open."""
        require_change(person)

        def add(now: ScoreSheet) -> ScoreSheet:
            if form.round != len(now.rounds):
                raise BadScore(_(_MEANWHILE))
            return now.with_hand(_seat(now, form.seat), form.cards())

        return await change(sheet, client, add)

    @router.post("/score/{sheet}/undo")
    async def undo(
        request: Request, sheet: SheetName, person: Who, client: Client, form: Posted[_SheetForm]
    ) -> Response:
        """Take back the last round."""
        require_change(person)
        return await change(sheet, client, lambda now: _unchanged(now, form.line).without_last_round())

    def _seat_names() -> tuple[str, ...]:
        """Who sits at the table, if a game is played there: mostly the players of a new sheet, too."""
        with suppress(HTTPException):  # no game yet
            return context.seat_names()
        return ()

    def _has_camera() -> bool:
        return context.live_table is not None and context.live_table.state.has_camera


_MEANWHILE: Final = marked("Somebody else changed this score sheet meanwhile. Check what is there now.")
_PICTURE: Final[dict[str, Any]] = {
    "requestBody": {"content": {"image/jpeg": {"schema": {"type": "string", "format": "binary"}}}, "required": True}
}


def _unchanged(sheet: ScoreSheet, line: int) -> ScoreSheet:
    if len(sheet.lines) != line:
        raise BadScore(_(_MEANWHILE))
    return sheet


def _seat(sheet: ScoreSheet, seat: int) -> int:
    if seat >= len(sheet.names):
        raise BadScore(_("There is no seat {seat}.", seat=seat))
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
    """What the choice of a card needs of a game: its ``story``, the ``symbols``, and by face the name and the points
    (``facts``)."""
    faces = dict.fromkeys(face.removesuffix("*") for face in DECKS[story.header.ruleset.deck])
    facts = {face: (story.explainer.card(face), POINTS_OF[KIND[face]]) for face in faces}
    return {"story": story, "symbols": symbols(story), "facts": facts}
