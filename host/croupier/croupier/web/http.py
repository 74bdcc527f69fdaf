"""Shared code of the routes of every site: bodies that end, forms that lead back, cookies, and what a site provides."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import Future
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import urlsplit

from fastapi import Depends, HTTPException, Request, Response
from fastapi.responses import RedirectResponse
from starlette.requests import ClientDisconnect

from croupier.i18n import _

WRITTEN_S: Final = 2.0
"""The longest wait for a command to be written: a card that is being laid may hold it back for longer."""

_YEAR_S: Final = 365 * 86400


def provided(kind: type) -> Any:
    """The object of a class of which the site has one."""

    async def provide(request: Request) -> object:  # not in a thread, as FastAPI runs plain functions
        return request.app.state.provided[kind]

    return Depends(provide)


def wants_page(request: Request) -> bool:
    """True if a browser asks that has no scripts of ours: it needs a page as the answer to a form."""
    return "hx-request" not in request.headers and "text/html" in request.headers.get("accept", "")


def local_path(referer: str) -> str:
    """The path of the page that the request comes from; "/" if the address is invalid."""
    try:
        address = urlsplit(referer)
    except ValueError:
        return "/"
    path = "/" + address.path.lstrip("/\\")
    return f"{path}?{address.query}" if address.query else path


def back(request: Request, choices: Mapping[str, str] = MappingProxyType({})) -> RedirectResponse:
    """Back to the page that the request comes from; the browser keeps ``choices`` by the names of their cookies."""
    answer = RedirectResponse(local_path(request.headers.get("referer", "")), 303)
    for cookie, value in choices.items():
        answer.set_cookie(cookie, value, httponly=True, samesite="strict", max_age=_YEAR_S)
    return answer


async def ordered(request: Request, written: Future[None], back_to: str = "") -> Response:
    """The answer to a command: 204 when what follows from it is on the disk, which outlasts a power cut; 202 with a
    text where that takes longer. A browser without scripts goes to ``back_to``, by default where it came from."""
    done, _waiting = await asyncio.wait([asyncio.wrap_future(written)], timeout=WRITTEN_S)
    if wants_page(request) or back_to:
        return RedirectResponse(back_to, 303) if back_to else back(request)
    if done:
        return Response(status_code=204)
    return Response(_("The table has received this, but has not saved it yet."), 202, media_type="text/plain")


ORDERED: Final[dict[int | str, dict[str, Any]]] = {202: {"description": "The table has heard it."}}
"""For the description of the routes that answer so beside 204."""


def attached(content: str | bytes, media_type: str, name: str) -> Response:
    """An answer that browsers save as a file of this name."""
    headers = {"content-disposition": f"attachment; filename={name}", "cache-control": "no-store"}
    return Response(content, media_type=media_type, headers=headers)


async def read_body(request: Request, most: int) -> bytes:
    """The body of a request, or the answer 400, or 413 beyond ``most`` bytes."""
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > most:
                raise HTTPException(413, _("That is too much."))
    except ClientDisconnect as err:
        raise HTTPException(400) from err
    return bytes(body)


def only(who: Any, role: str, refusal: str) -> Any:
    """What ``who`` provides, a person or a ticket, if it has the permissions of ``role``; else the answer 403.
    ``refusal``: its text, marked."""

    async def allowed(one: Any = who) -> Any:
        if not one.may(role):
            raise HTTPException(403, _(refusal))
        return one

    return Depends(allowed)
