"""Addresses for setting up a table, for its admin: the steps, and the file itself where it has to be mended."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, HTTPException, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.concurrency import run_in_threadpool

from croupier.i18n import _
from croupier.web.accounts import Person
from croupier.web.context import Form, Ground, TextForm, Who, needs
from croupier.web.steps import FileShown, Setup

_DOES: Final = ("answer", "try", "look", "keep", "drop")


def setting_up(ground: Ground, setup: Setup) -> APIRouter:
    """Where a table is set up."""
    app = APIRouter()
    titles = dict(setup.steps)

    def whole(person: Person, file: FileShown, told: str = "") -> HTMLResponse:
        return ground.html("setup-file", person, steps=setup.steps, file=file, told=told)

    @app.get("/")
    @app.get("/setup")
    async def first(person: Who) -> Response:
        """The first step, or the file where something is wrong with it; whoever is nobody yet comes in first."""
        if not person.may("admin"):
            return RedirectResponse("/enter", 303)
        return RedirectResponse("/setup/file" if setup.file().mistakes else f"/setup/{setup.steps[0][0]}", 303)

    @app.get("/setup/seen.jpg")
    async def seen(person: Who) -> Response:
        """What the camera saw."""
        needs(person, "admin")
        if (picture := setup.picture()) is None:
            raise HTTPException(404, _("The camera has not looked yet."))
        return Response(picture, media_type="image/jpeg", headers={"cache-control": "no-store"})

    @app.get("/setup/file", response_class=HTMLResponse)
    async def file(person: Who) -> Response:
        """The file as text, with what is wrong in it."""
        needs(person, "admin")
        return whole(person, setup.file())

    @app.post("/setup/file", response_class=HTMLResponse)
    async def change_file(form: TextForm, person: Who) -> Response:
        """Check it as it was typed, or write it."""
        needs(person, "admin")
        text = form.get("text", "").replace("\r\n", "\n")
        if form.get("do") != "save":
            return whole(person, shown := setup.check(text), "" if shown.mistakes else _("Nothing is wrong with it."))
        return whole(person, shown := setup.save(text), "" if shown.mistakes else _("Written."))

    @app.get("/setup/{name}", response_class=HTMLResponse)
    async def step(name: str, person: Who) -> Response:
        """A step as it stands."""
        return await show(name, needs(person, "admin"), "")

    @app.post("/setup/{name}", response_class=HTMLResponse)
    async def go_on(name: str, form: Form, person: Who) -> Response:
        """Take in the answers; then try them, let the camera look, write them, or forget them."""
        return await show(name, needs(person, "admin"), form.get("do", "answer"), form)

    async def show(name: str, person: Person, do: str, form: Form | None = None) -> Response:
        if name not in titles:
            raise HTTPException(404, _("There is no such step."))
        if setup.file().mistakes:
            return RedirectResponse("/setup/file", 303)
        if do and do not in _DOES:
            raise HTTPException(422, _("There is no such step."))
        shown = setup.step(name)
        if form is not None and do != "drop":
            shown = setup.answer(name, form)
        has_wrong = any(one.wrong for one in shown.fields)
        if do in ("try", "look", "keep", "drop") and not (has_wrong and do != "drop"):
            # Whoever tries waits for a camera or a motor; others must not.
            does = {"try": setup.tried, "look": setup.look, "keep": setup.keep, "drop": setup.drop}[do]
            shown = await run_in_threadpool(does, name)
        is_kept = do == "keep" and not (has_wrong or shown.mistakes or shown.is_changed)
        names = list(titles)
        after = names[names.index(name) + 1 :][:1]
        return ground.html(
            "setup-step", person, steps=setup.steps, step=shown, is_kept=is_kept, after=after[0] if after else ""
        )

    return app
