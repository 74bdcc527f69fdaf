"""The page that shows a moment on the discard pile again, and appeals against the card that was read there."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import HTMLResponse

from croupier.i18n import _
from croupier.web.accounts import Person
from croupier.web.clips import Decision, clips_of, decide_appeal, marks, may_appeal, touch_of
from croupier.web.context import Client, Context, GameNumber, Place, Who, read_form
from croupier.web.forms import Form, Number
from croupier.web.record import differences
from croupier.web.story import Moment, Story


class _AppealForm(Form):
    """``n``: the line of the log that was shown again."""

    n: Number


def decided(decision: Decision | None, story: Story) -> dict[str, Any]:
    """The variables of ``parts/appeal.html``."""
    effect = decision and decision.effect
    return {"decision": decision, "differences": list(differences(effect, story)) if effect else []}


def clip_routes(app: APIRouter, context: Context) -> None:
    """Routes for clips, which are open to everybody: a clip shows nothing that did not lie on the pile for all to see.
    Whom a card concerns may appeal against its reading."""

    async def clip_html(
        game: int, story: Story, moment: Moment, person: Person, client: str, decision: Decision | None = None
    ) -> Response:
        touch, table = touch_of(story, moment), context.live_table
        found = None
        if touch is not None and table is not None and game == context.live_game:
            t, until, pile_clip = story.first(touch).t, story.first(moment).t + 0.5, table.pile_clip
            found = await context.clip_thread.run(client, lambda: pile_clip(t, until))
        data = found and {
            "touch": found.t, "frames": [(t, b64encode(jpeg).decode()) for t, jpeg in found.frames],
        }  # fmt: skip
        page = context.html(
            "clip", person, game=game, story=story, n=moment.n, said=story.describe(moment), clip=found, data=data,
            marks=marks(story, found) if found else (), **decided(decision, story),
            may_appeal=found and touch is not None and touch in story.standing and may_appeal(person, touch),
        )  # fmt: skip
        page.headers["cache-control"] = "no-store"
        return page

    @app.get("/games/{game}/clip", response_class=HTMLResponse)
    async def clip(game: GameNumber, person: Who, client: Client, at: Place = None) -> Response:
        """The pile around the touch of a card, slowly, by default of the last; with a note where the clip is gone."""
        story = await context.with_story(game, client, lambda story: story)
        moment = story.at(max(clips_of(story, game), default=None) if at is None else at)
        return await clip_html(game, story, moment, person, client)

    @app.post("/games/{game}/appeal", response_class=HTMLResponse, openapi_extra=_AppealForm.openapi())
    async def appeal(request: Request, game: GameNumber, person: Who, client: Client) -> Response:
        """Read the kept pictures of a card again, and correct the record where they are sure."""
        table, _state = context.require_live(game)
        form = await read_form(request, _AppealForm)
        story = context.live_story()
        moment = story.at(form.n)
        touch = touch_of(story, moment)
        if touch is None or touch not in story.standing:
            raise HTTPException(409, _("That is no longer in the record. Check what is there now."))
        if not may_appeal(person, touch):
            raise HTTPException(403, _("You are not allowed to do that. Log in with your code first."))
        t = story.first(touch).t
        verdict = await context.appeal_thread.run(client, lambda: table.appeal(t))
        story = context.live_story()
        decision = decide_appeal(story, touch, verdict)
        if decision.correction is not None:
            table.submit(decision.correction)
        if "hx-request" in request.headers:
            return HTMLResponse(context.pages.render("parts/appeal", game=game, **decided(decision, story)))
        return await clip_html(game, story, moment, person, client, decision)
