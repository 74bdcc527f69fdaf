"""The page Camera: an admin chooses the camera, and shows it the scale, the pile and the seats."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import asdict, replace
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import APIRouter, Depends, HTTPException, Response
from fastapi.responses import HTMLResponse
from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError
from starlette.concurrency import run_in_threadpool

from croupier.i18n import _, language
from croupier.table_api.live_table import CameraInvitation, CameraOrder, CameraRequest, CameraView, LiveTable
from croupier.web.addresses import asked_host
from croupier.web.dependencies import AsAdmin, GamesDep, RendererDep, Who
from croupier.web.forms import Form, OneOf, Posted, Text


def _points(text: object) -> object:
    if not isinstance(text, str):
        return text
    try:
        pairs = [point.split(",") for point in text.split()]
        return tuple((float(x), float(y)) for x, y in pairs)
    except ValueError as err:
        raise PydanticCustomError("not_points", "expected points") from err


Points = Annotated[tuple[tuple[float, float], ...], BeforeValidator(_points)]
"""Points of the picture as text: ``640,360 20,300.5``."""


class CameraForm(Form):
    """Form of the script of the page Camera."""

    do: Annotated[str, OneOf(("look", "measure", "save"))] = "look"
    source: Text | None = None
    pile: Points = ()
    seats: Points = ()


router = APIRouter()


async def _table_with_camera(_person: AsAdmin, games: GamesDep) -> LiveTable:
    """The live table, for an admin; or the answer 403, or 404 where its camera cannot be set up."""
    if games.live_table is None or not games.live_table.state.can_set_up_camera:
        raise HTTPException(404, _("There is no page at this address."))
    return games.live_table


TableWithCamera = Annotated[LiveTable, Depends(_table_with_camera)]


@router.get("/camera", response_class=HTMLResponse)
async def camera_page(person: AsAdmin, _table: TableWithCamera, render: RendererDep) -> Response:
    """The page, which looks at the table by itself."""
    return render.html("camera", person)


@router.post("/camera")
async def carry_out(table: TableWithCamera, form: Posted[CameraForm]) -> dict[str, Any]:
    """Carry out what the admin did, and look at the table: the picture (base64) and what is drawn into it."""
    view = await run_in_threadpool(table.ask, order_of(form))
    if view is None:
        raise HTTPException(503, _("The table does not answer: try again."))
    return as_json(view)


@router.get("/pile.jpg")
async def pile_picture(person: Who, games: GamesDep) -> Response:
    """The discard pile as the camera sees it; 204 if it does not see it, or while it may show a private hand."""
    table = games.live_table
    is_shown = table is not None and games.may_see_pile(person)
    jpeg = await run_in_threadpool(table.ask, CameraRequest(is_pile=True)) if table is not None and is_shown else None
    headers = {"cache-control": "no-store"}
    if jpeg is None:
        return Response(status_code=204, headers=headers)
    return Response(jpeg, media_type="image/jpeg", headers=headers)


def order_of(form: CameraForm) -> CameraOrder:
    """The order that a form describes."""
    return CameraOrder(
        source=form.source, pile=form.pile[0] if form.pile else None, seats=form.seats or None,
        measures=form.do == "measure", saves=form.do == "save", language=language(),
    )  # fmt: skip


def as_json(view: CameraView) -> dict[str, Any]:
    """The answer to the script: the picture (base64) and what is drawn into it."""
    return {
        "picture": b64encode(view.jpeg).decode(),
        "size": view.size,
        "cards": [{"name": name, "outline": outline} for name, outline in view.cards],
        "pile": view.pile,
        "seats": [{"name": name, "at": at} for name, at in view.seats],
        "cameras": view.cameras,
        "source": view.source,
        "notes": view.notes,
        "is_saved": view.is_saved,
        "invitation": view.invitation and asdict(_beside(view.invitation)),
    }


def _beside(invitation: CameraInvitation) -> CameraInvitation:
    """The invitation with that network first in which the page was opened."""
    ways = [(invitation.network, invitation.url, invitation.code), *invitation.others]
    ways.sort(key=lambda way: urlsplit(way[1]).hostname != asked_host())
    (network, url, code), *others = ways
    return replace(invitation, network=network, url=url, code=code, others=tuple(others))
