"""Routes of a game as a file: its log, and the kinds of files that plug-ins draw (`croupier.plugins.DOCUMENTS`)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Response

from croupier import plugins
from croupier.errors import BadLog, CannotWrite, PluginUnavailable
from croupier.i18n import _, localize
from croupier.log_replay import redacted_lines
from croupier.web.dependencies import Client, GameNumber, GamesDep, Place, RendererDep
from croupier.web.game_repository import GameRepository
from croupier.web.games import find_story
from croupier.web.http import attached
from croupier.web.middleware import FILE_HEADERS

router = APIRouter()
"""It comes after all others, since any name of a file may be asked for."""

FileName = Annotated[str, Path(max_length=40, description="The name of a kind of file, such as score.pdf.")]


@router.get("/games/{game}/log.jsonl")
async def log(game: GameNumber, client: Client, games: GamesDep) -> Response:
    """The table log, without the faces of hidden hands while their round is played."""

    def redact(archive: GameRepository) -> str:
        find_story(archive, game)
        return "".join(f"{line}\n" for line in redacted_lines(archive.lines(game)))

    text = await games.with_archive(client, redact)
    return attached(text.encode("utf-8", "replace"), "application/jsonl", f"game-{game}.jsonl")


@router.get("/games/{game}/{file}")
async def document(
    game: GameNumber, file: FileName, client: Client, games: GamesDep, render: RendererDep, at: Place = None
) -> Response:  # fmt: skip
    """A file that shows the game, such as a score sheet for printing, or a picture of the table at a place of it."""
    require_known(file)
    hub = None if (state := games.state) is None else state.receipts

    def draw(archive: GameRepository) -> Response:
        story = find_story(archive, game)
        began = datetime.fromtimestamp(archive.began(game), UTC).astimezone()
        stem, _dot, kind = file.rpartition(".")
        return document_of(
            file, plugins.DrawnGame(story, story.at(at), began, hub, render.pages.marks()), f"{stem}-{game}.{kind}"
        )

    return await games.with_archive(client, draw)


def require_known(name: str) -> None:
    """The answer 404, unless a kind of documents has this name."""
    if not plugins.is_known(plugins.DOCUMENTS, name):
        raise HTTPException(404, _("There is no page at this address."))


def document_of(name: str, game: plugins.DrawnGame, file: str) -> Response:
    """Return the answer with a document, which browsers save as ``file``; or the answer 501, which names the package
    to install, or 409, where the game has nothing to show yet."""
    try:
        kind: plugins.Document = plugins.load(plugins.DOCUMENTS, name)
        content = kind.draw(game)
    except (CannotWrite, PluginUnavailable) as err:
        raise HTTPException(501, " ".join(localize(err))) from err
    except BadLog as err:
        raise HTTPException(409, localize(err)[0]) from err
    headers = {"content-disposition": f"inline; filename={file}"}
    if kind.media_type.startswith("text/html"):
        headers |= FILE_HEADERS
    return Response(content, media_type=kind.media_type, headers=headers)
