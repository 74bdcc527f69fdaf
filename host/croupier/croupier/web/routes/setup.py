"""Setup of a table on the page: the protocol of what can set it up, and its routes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, Protocol

from fastapi import APIRouter, Depends, HTTPException, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import ConfigDict
from starlette.concurrency import run_in_threadpool

from croupier.i18n import _
from croupier.table_api.live_table import CameraOrder, CameraView
from croupier.web.dependencies import AsAdmin, RendererDep, Who
from croupier.web.forms import Form, OpenForm, Posted
from croupier.web.http import provided
from croupier.web.routes.camera import CameraForm, as_json, order_of

State = Literal["wrong", "warning", "ok", "absent"]

Action = Literal["answer", "try", "keep", "drop"]
"""``try``: run the checks; ``keep``: write the file; ``drop``: discard unsaved answers."""


@dataclass(frozen=True, slots=True)
class Field:
    """A question: ``id`` in the form, its ``text``, what is ``expected``, the ``value``, and what is ``wrong`` with it.

    ``choices``: all values, if there are few; "" stands for the default. ``words``: by value, what it means; without
    ``choices`` other values are possible, too.
    """

    id: str
    text: str
    expected: str
    value: str
    wrong: str = ""
    choices: tuple[str, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of a check, localized; ``word``: the name of the state."""

    id: str
    state: State
    word: str
    text: str
    remedy: str


@dataclass(frozen=True, slots=True)
class StepView:
    """A step with its present answers. ``mistakes``: contradictory answers; ``results``: of the last try-out;
    ``has_picture``: the camera's picture is shown; ``has_places``: pile and seats can be dragged on it."""

    name: str
    title: str
    about: str
    fields: tuple[Field, ...]
    mistakes: tuple[str, ...]
    results: tuple[CheckResult, ...]
    has_picture: bool
    has_places: bool
    is_changed: bool


@dataclass(frozen=True, slots=True)
class FileView:
    """The configuration file as text, with its mistakes; each with its line, if known."""

    name: str
    text: str
    mistakes: tuple[tuple[int | None, str], ...]


class Setup(Protocol):
    """A table that is set up. Methods raise nothing; what they return shows what went wrong."""

    @property
    def steps(self) -> Sequence[tuple[str, str]]:
        """Name and title of each step, in order."""

    def file(self) -> FileView:
        """The file as it is."""

    def act(self, name: str, do: Action, typed: Mapping[str, str]) -> StepView:
        """Take in answers for a step, by the ids of the fields; unless one is wrong, do something with the step.

        A camera, a motor and a large file take their time, so call it outside the event loop.
        """

    def look(self, order: CameraOrder) -> CameraView | None:
        """Look through the camera of the present answers; what an order changes is written when the step is kept.

        None without a camera, and while answers contradict each other.
        """

    def check(self, text: str) -> FileView:
        """The mistakes of a text as the file."""

    def save(self, text: str) -> FileView:
        """Write a text as the file, unless it has mistakes."""


class _StepForm(OpenForm):
    """Answers by the ids of the fields, and what to ``do`` with them. A blank answer stands for the default."""

    IGNORES_BLANKS: ClassVar = False
    do: Action = "answer"


class _FileForm(Form):
    model_config = ConfigDict(str_strip_whitespace=False)
    text: str = ""
    do: str = ""


router = APIRouter()
SetupDep = Annotated[Setup, provided(Setup)]


class _SetupPage:
    """The pages of the setup, for an admin."""

    def __init__(self, person: AsAdmin, render: RendererDep, setup: SetupDep) -> None:
        self._person, self._render, self._setup = person, render, setup

    def file(self, file: FileView, notice: str = "") -> HTMLResponse:
        """The file as text."""
        return self._render.html("setup-file", self._person, steps=self._setup.steps, file=file, notice=notice)

    async def step(self, name: str, form: _StepForm | None) -> Response:
        """Return the step that follows a form, after carrying out the form."""
        setup, titles = self._setup, dict(self._setup.steps)
        if name not in titles:
            raise HTTPException(404, _("There is no such step."))
        do: Action = form.do if form is not None else "answer"
        typed = form.model_extra or {} if form is not None else {}
        if (await run_in_threadpool(setup.file)).mistakes:
            return RedirectResponse("/setup/file", 303)
        shown = await run_in_threadpool(setup.act, name, do, typed)
        is_kept = do == "keep" and not (any(one.wrong for one in shown.fields) or shown.mistakes or shown.is_changed)
        names = [*titles, ""]
        after = names[names.index(name) + 1]
        return self._render.html(
            "setup-step", self._person, steps=setup.steps, step=shown, is_kept=is_kept, after=after
        )


SetupPage = Annotated[_SetupPage, Depends(_SetupPage)]


@router.get("/")
@router.get("/setup")
async def first(person: Who, setup: SetupDep) -> Response:
    """The first step; the file if it has mistakes; the login for anybody but an admin."""
    if not person.may("admin"):
        return RedirectResponse("/login", 303)
    return RedirectResponse(
        "/setup/file" if (await run_in_threadpool(setup.file)).mistakes else f"/setup/{setup.steps[0][0]}", 303
    )


@router.post("/camera")
async def look(_person: AsAdmin, form: Posted[CameraForm], setup: SetupDep) -> dict[str, Any]:
    """The camera's picture now, for the script of the page Camera."""
    view = await run_in_threadpool(setup.look, order_of(form))
    if view is None:
        raise HTTPException(409, _("This table has no camera."))
    return as_json(view)


@router.get("/setup/file", response_class=HTMLResponse)
async def file(_person: AsAdmin, page: SetupPage, setup: SetupDep) -> Response:
    """The file as text, with its mistakes."""
    return page.file(await run_in_threadpool(setup.file))


@router.post("/setup/file", response_class=HTMLResponse)
async def change_file(_person: AsAdmin, page: SetupPage, form: Posted[_FileForm], setup: SetupDep) -> Response:
    """Check the text, or write it to the file."""
    text = form.text.replace("\r\n", "\n")
    shown = await run_in_threadpool(setup.save if form.do == "save" else setup.check, text)
    notice = _("Saved.") if form.do == "save" else _("Everything is in order.")
    return page.file(shown, "" if shown.mistakes else notice)


@router.get("/setup/{name}", response_class=HTMLResponse)
async def step(name: str, _person: AsAdmin, page: SetupPage) -> Response:
    """A step with its present answers."""
    return await page.step(name, None)


@router.post("/setup/{name}", response_class=HTMLResponse)
async def answer(name: str, _person: AsAdmin, page: SetupPage, form: Posted[_StepForm]) -> Response:
    """Take in the answers; then try them, write the file, or drop the changes."""
    return await page.step(name, form)
