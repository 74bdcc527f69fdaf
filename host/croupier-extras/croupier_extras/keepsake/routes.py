"""The buttons that send the evening, on each page that shows the end of a game, and the clip of its kept moments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

from fastapi import APIRouter, HTTPException, Response

from croupier.errors import CannotWrite
from croupier.i18n import _, localize
from croupier.web.dependencies import AsPlayer, Client, GameNumber, GamesDep, thread
from croupier.web.http import attached
from croupier.web.limits import BoundedExecutor
from croupier.web.pages import PagePlugin
from croupier_extras.clips.routes import Clips, SavedClipsDep
from croupier_extras.keepsake.clip import evening_clip, scenes

router = APIRouter()
ClipThread = Annotated[BoundedExecutor, thread("evening-clips", 2, 1)]


@router.get("/games/{game}/evening.mp4")
async def clip(
    game: GameNumber, _person: AsPlayer, client: Client, games: GamesDep, clips: Clips, saved_clips: SavedClipsDep,
    executor: ClipThread,
) -> Response:  # fmt: skip
    """The best moments of the game that were kept, as a film; for those who were seated, as the kept clips are."""
    kept = {
        one.n: one.clip for one in saved_clips.all() if one.game == game and one.has_consent and clips.concerns(one)
    }

    if not kept:
        how = _("No moment of this game was kept: a film is made of the clips that all have agreed to keep.")
        raise HTTPException(409, how)
    story = await games.with_story(game, client, lambda story: story)
    try:
        film = await executor.run(client, lambda: evening_clip(scenes(story, kept)))
    except CannotWrite as err:
        raise HTTPException(501, " ".join(localize(err))) from err
    return attached(film, "video/mp4", f"evening-{game}.mp4")


PLUGIN_PAGE: Final = PagePlugin(
    router, Path(__file__).parent, keepsakes=("send.html",), scripts=("send.js",), needs_journal=False
)
