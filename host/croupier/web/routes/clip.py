"""The page that shows a moment on the discard pile again."""

from __future__ import annotations

from base64 import b64encode

from fastapi import APIRouter, Response
from fastapi.responses import HTMLResponse

from croupier.web.clips import clips_of, marks, touch_of
from croupier.web.context import Client, Context, GameNumber, Place, Who


def clip_routes(context: Context) -> APIRouter:
    """Routes that are open to everybody: a clip shows nothing that did not lie on the pile for all to see."""
    app = APIRouter()

    @app.get("/games/{game}/clip", response_class=HTMLResponse)
    async def clip(game: GameNumber, person: Who, client: Client, at: Place = None) -> Response:
        """The pile around the touch of a card, slowly, by default of the last; with a note where the clip is gone."""
        story = await context.with_story(game, client, lambda story: story)
        moment = story.at(max(clips_of(story, game), default=None) if at is None else at)
        touch, table = touch_of(story, moment), context.live_table
        found = None
        if touch is not None and table is not None and game == context.live_game:
            t, pile_clip = touch.t, table.pile_clip
            found = await context.clip_thread.run(client, lambda: pile_clip(t, moment.t + 0.5))
        data = found and {
            "touch": found.t, "frames": [(t, b64encode(jpeg).decode()) for t, jpeg in found.frames],
        }  # fmt: skip
        page = context.html(
            "clip", person, game=game, story=story, said=story.describe(moment), clip=found, data=data,
            marks=marks(story, found) if found else (),
        )  # fmt: skip
        page.headers["cache-control"] = "no-store"
        return page

    return app
