"""Routes of pictures of hands, which phones take: read in a process of their own, and not kept."""

from __future__ import annotations

from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse

from croupier.errors import BadScore
from croupier.i18n import language
from croupier.web.dependencies import Client, Who, not_allowed, thread
from croupier.web.forms import OneOf
from croupier.web.http import provided, read_body
from croupier.web.limits import BoundedExecutor
from croupier.web.picture_reader import MOST_BYTES, MOST_CARDS, PictureReader
from croupier_rules.cards import DECKS, UNREAD
from croupier_rules.referee.explain import card_name

_PICTURE: Final[dict[str, Any]] = {
    "requestBody": {"content": {"image/jpeg": {"schema": {"type": "string", "format": "binary"}}}, "required": True}
}

router = APIRouter()
PictureThread = Annotated[BoundedExecutor, thread("pictures", 6, 3)]


@router.post("/score/read", openapi_extra=_PICTURE)
async def read(
    request: Request,
    person: Who,
    client: Client,
    reader: Annotated[PictureReader, provided(PictureReader)],
    picture_thread: PictureThread,
    deck: Annotated[str, OneOf(tuple(DECKS))] | None = None,
    number: Annotated[int, Query(ge=1, le=MOST_CARDS)] | None = None,
) -> Response:
    """The cards in a picture of a hand; ``deck``: the name of the deck, ``number``: that of the cards, if they are
    known."""
    if not person.may("player"):
        raise not_allowed()
    picture = await read_body(request, MOST_BYTES)
    try:
        hand = await picture_thread.run(client, lambda: reader.read(picture, deck, number))
    except BadScore as err:
        return PlainTextResponse(str(err), 422)
    cards = [
        {
            "face": card.face, "corners": card.corners, "candidates": card.candidates,
            "name": None if card.face == UNREAD else card_name(card.face, language()),
            "options": [card_name(face, language()) for face in card.candidates],
            "too_many": card.is_one_too_many,
        }
        for card in hand.cards
    ]  # fmt: skip
    return JSONResponse({
        "size": hand.size, "cards": cards, "face_down": hand.face_down, "may_hide": hand.may_hide,
        "camera": hand.camera,
    })  # fmt: skip
