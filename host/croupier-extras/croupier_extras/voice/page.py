"""The part of a table's page that belongs to the voice: its volume, beside the table and on the page Settings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Request, Response
from pydantic import Field

from croupier.commands import PluginOrder
from croupier.web.dependencies import GamesDep, Who, not_allowed
from croupier.web.forms import Form, Number, Posted
from croupier.web.http import back, wants_page
from croupier.web.pages import PagePlugin
from croupier_extras.voice.cues import PLUGIN, Loudness


class _VoiceForm(Form):
    volume: Annotated[Number, Field(le=100)]
    muted: Literal["yes", "no"]


router = APIRouter()


@router.post("/actions/voice", status_code=204)
async def set_loudness(request: Request, person: Who, form: Posted[_VoiceForm], games: GamesDep) -> Response:
    """Set the volume of the voice, or mute it."""
    table, state = games.require_live()
    if state.plugin(PLUGIN) is None or not person.may("player"):
        raise not_allowed()
    table.submit(PluginOrder(PLUGIN, Loudness(form.volume, form.muted == "yes").to_order()))
    return back(request) if wants_page(request) else Response(status_code=204)


PLUGIN_PAGE: Final = PagePlugin(
    router, Path(__file__).parent, regions=("loudness.html",), settings=("settings.html",), state=Loudness
)
