"""Routes to go through a game: what changes from one place to another, a picture of a place, a page for other pages."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Response

from croupier.errors import CannotWrite
from croupier.game_views.story import Story
from croupier.web.dependencies import Client, GameNumber, GamesDep, Place, RendererDep
from croupier.web.game_repository import GameRepository
from croupier.web.games import find_story
from croupier.web.moment_picture import moment_picture
from croupier.web.pages import REGION
from croupier.web.renderer import replay_of

router = APIRouter()


@router.get("/games/{game}/changes")
async def changes(
    game: GameNumber, client: Client, games: GamesDep, render: RendererDep, at: Place = None, since: Place = None
) -> dict[str, str]:
    """The regions of the page at one place of the game that differ from another, by id; by default all."""

    def compared(story: Story) -> dict[str, str]:
        before, after = (
            dict(REGION.findall(render.pages.render_part(replay_of(game), story, story.at(n).n))) for n in (since, at)
        )
        return {name: html for name, html in after.items() if since is None or before[name] != html}

    return await games.with_story(game, client, compared)


@router.get("/games/{game}/moment.png")
async def picture(game: GameNumber, client: Client, games: GamesDep, at: Place = None) -> Response:
    """A picture of the table at a place of the game, to be sent on."""

    def draw(archive: GameRepository) -> bytes:
        story = find_story(archive, game)
        return moment_picture(story, story.at(at))

    try:
        png = await games.with_archive(client, draw)
    except CannotWrite as err:
        raise HTTPException(501, str(err)) from err
    return Response(png, media_type="image/png")
