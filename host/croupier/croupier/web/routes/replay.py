"""Routes to go through a game: what changes from one place to another, a picture of a place, a page for other pages."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import HTMLResponse

from croupier.errors import CannotWrite
from croupier.game_views.story import Story
from croupier.web.accounts import SPECTATOR
from croupier.web.context import Client, Context, GameNumber, Place, find_story, replay_of
from croupier.web.game_repository import GameRepository
from croupier.web.middleware import EMBEDDED_HEADERS
from croupier.web.moment_picture import moment_picture
from croupier.web.pages import REGION


def replay_routes(router: APIRouter, context: Context) -> None:
    """Routes that are open to everybody."""

    @router.get("/games/{game}/changes")
    async def changes(game: GameNumber, client: Client, at: Place = None, since: Place = None) -> dict[str, str]:
        """The regions of the page at one place of the game that differ from another, by id; by default all."""

        def compared(story: Story) -> dict[str, str]:
            before, after = (
                dict(REGION.findall(context.pages.render_part(replay_of(game), story, story.at(n).n)))
                for n in (since, at)
            )
            return {name: html for name, html in after.items() if since is None or before[name] != html}

        return await context.with_story(game, client, compared)

    @router.get("/games/{game}/embed", response_class=HTMLResponse)
    async def embed(request: Request, game: GameNumber, client: Client, at: Place = 0) -> Response:
        """The replay for a frame of another page."""
        answer = await context.replay_html(request, "embed", game, at or 0, SPECTATOR, client)
        answer.headers.update(EMBEDDED_HEADERS)
        return answer

    @router.get("/games/{game}/moment.png")
    async def picture(game: GameNumber, client: Client, at: Place = None) -> Response:
        """A picture of the table at a place of the game, to be sent on."""

        def draw(games: GameRepository) -> bytes:
            story = find_story(games, game)
            return moment_picture(story, story.at(at))

        try:
            png = await context.with_archive(client, draw)
        except CannotWrite as err:
            raise HTTPException(501, str(err)) from err
        return Response(png, media_type="image/png")
