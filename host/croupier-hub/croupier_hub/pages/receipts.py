"""The page of a receipt: what the score sheet stands for, and whether it counts."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import HTMLResponse

from croupier.i18n import _
from croupier.web.addresses import receipt_address
from croupier_hub.pages.badges import reachable
from croupier_hub.pages.desk import DeskDep, RendererDep, Who
from croupier_hub.results import STATES
from croupier_hub.service import find_receipt

router: Final = APIRouter()
"""The routes of receipts, for everybody."""


@router.get("/receipts/{code}", response_class=HTMLResponse)
def receipt(request: Request, who: Who, code: str, desk: DeskDep, render: RendererDep) -> Response:
    """The result with this receipt, and a QR code with which somebody else opens this page."""
    if (found := find_receipt(desk.watch.newest, code)) is None:
        raise HTTPException(404, _("No result has this receipt. Compare it with the score sheet."))
    here = receipt_address(reachable(str(request.base_url)), found["receipt"])
    return render.html("receipt", who, found=found, state=STATES[found["state"]], here=here)
