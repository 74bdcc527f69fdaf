"""Addresses for correcting the record. Whatever is corrected is shown first with what would come of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from croupier.cards import COLORS, FACES
from croupier.errors import BadForm, BadLog, CannotCorrect
from croupier.i18n import _
from croupier.referee.corrections import Correction
from croupier.web.accounts import Person
from croupier.web.context import Form, GameNumber, Ground, LineNumber, Who, needs, says
from croupier.web.record import REPORTED, differences, last_to_undo, lines, may, meant
from croupier.web.story import Foreseen
from croupier.web.view import faces_of

What = Literal["was", "never", "undo", "set", "report"]

_FORM: Final = says(
    n=int, obs=tuple(REPORTED), seat=int, card=FACES, count=int, color=COLORS, number=int, text=str, turn=int,
    dealer=int, top=FACES, direction=("left", "right"), draw_pile=int,
)  # fmt: skip

_NEWEST: Final = 12
"""So many lines of the record are shown at once; those before them are folded away."""


def recording(ground: Ground) -> APIRouter:
    """How the record is set right."""
    app = APIRouter()

    def foreseen(what: str, game: int, form: Mapping[str, str], person: Person) -> tuple[Correction, Foreseen]:
        ground.played(game)
        story = ground.told(game)
        try:
            correction = meant(what, form, story)
            if not may(correction, person, story):
                raise HTTPException(403, _("That is for others to do. Come in with your code first."))
            return correction, story.foreseen(correction)
        except BadForm as err:
            raise HTTPException(422, str(err)) from err
        except CannotCorrect as err:
            raise HTTPException(
                409, _("Only what was said last can be undone. What showed a card is corrected instead.")
            ) from err
        except BadLog as err:
            raise HTTPException(422, _("That cannot be: {why}.", why=err)) from err

    @app.get("/games/{game}/record", response_class=HTMLResponse)
    async def record(game: GameNumber, person: Who) -> Response:
        """All that can be corrected, for a referee."""
        needs(person, "referee")
        ground.played(game)
        story = ground.told(game)
        position = story.moments[-1].position
        return ground.html(
            "record", person, game=game, story=story, lines=lines(story), newest=_NEWEST, position=position,
            reports=REPORTED, undo=last_to_undo(story), faces=faces_of(story), colors=COLORS,
        )  # fmt: skip

    @app.get("/games/{game}/record/{n}", response_class=HTMLResponse)
    async def one_line(game: GameNumber, n: LineNumber, person: Who) -> Response:
        """What a line of the record really was, for a referee."""
        needs(person, "referee")
        ground.played(game)
        story = ground.told(game)
        found = next((one for one in lines(story) if one.n == n), None)
        if found is None:
            raise HTTPException(404, _("That is no longer in the record. Look again at what is there now."))
        return ground.html("line", person, game=game, story=story, line=found, faces=faces_of(story), colors=COLORS)

    @app.post("/games/{game}/foresee/{what}", response_class=HTMLResponse, openapi_extra=_FORM)
    async def foresee(what: What, game: GameNumber, form: Form, person: Who) -> Response:
        """What a correction would change; nothing is done yet."""
        _correction, change = foreseen(what, game, form, person)
        story = ground.told(game)
        return ground.html(
            "foreseen", person, game=game, what=what, form=form, said=change.said,
            differences=list(differences(change, story)),
        )  # fmt: skip

    @app.post("/games/{game}/correct/{what}", openapi_extra=_FORM)
    async def correct(request: Request, what: What, game: GameNumber, form: Form, person: Who) -> Response:
        """Make a correction."""
        correction, _change = foreseen(what, game, form, person)
        ground.played(game).wish(correction)
        if "hx-request" in request.headers:
            return Response(status_code=204)
        return RedirectResponse(f"/games/{game}", 303)

    return app
