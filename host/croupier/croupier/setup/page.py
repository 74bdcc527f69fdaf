"""`croupier setup` on a page: `Draft`, checks and camera behind the routes of `croupier.web`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from shutil import copy2
from tempfile import TemporaryDirectory
from threading import Event, RLock
from time import monotonic
from typing import TYPE_CHECKING, Final

from croupier.config.file import file_text, load, read, save
from croupier.config.sections import Page
from croupier.config.validation import BadConfigFile
from croupier.doctor.finding import word_for
from croupier.errors import BadCalibration, BadConfig, BadProfile, CroupierError
from croupier.files import parse_toml, read_toml, unwritten
from croupier.i18n import _, localize
from croupier.journal import Journal
from croupier.names import numbered_names
from croupier.optional_dependencies import WEB, requires_extra
from croupier.pictures.table_reader import reader_of
from croupier.runtime.devices import zones_of
from croupier.runtime.systemd import Systemd
from croupier.setup.draft import Draft
from croupier.setup.live_camera import SetupCamera
from croupier.setup.parts import Parts, find_parts
from croupier.setup.steps import STEPS, Question, Step
from croupier.table_api.live_table import CameraOrder, CameraView
from croupier.web.routes.setup import Action, CheckResult, Field, FileView, StepView

if TYPE_CHECKING:
    from croupier.web.serving import WebServer

ALIVE_S: Final = 5.0

BACKUP: Final = ".before"
"""Suffix of the backup of the file from before the page changed it."""


class TableSetup:
    """A `croupier.web.routes.setup.Setup` of the table that ``file`` describes. May be called from any thread.

    ``find``: finds the parts that are there, once.
    """

    def __init__(self, file: Path, find: Callable[[], Parts] = find_parts) -> None:
        self._file, self._lock, self._find = file, RLock(), find
        self._parts: Parts | None = None
        self._draft: Draft | None = None
        self._findings: dict[str, tuple[CheckResult, ...]] = {}
        self._camera = SetupCamera()
        self.is_valid = Event()
        """Set whenever a valid file was written."""

    @property
    def steps(self) -> Sequence[tuple[str, str]]:
        """As in `croupier.web.routes.setup.Setup`."""
        return [(step.name, step.title) for step in STEPS.values()]

    def file(self) -> FileView:
        """As in `croupier.web.routes.setup.Setup`."""
        try:
            return self.check(file_text(self._file) if self._file.exists() else "")
        except BadConfig as err:
            return FileView(self._file.name, "", tuple((None, line) for line in err.lines))

    def check(self, text: str) -> FileView:
        """As in `croupier.web.routes.setup.Setup`."""
        try:
            read(text, self._file)
        except BadConfigFile as err:
            return FileView(self._file.name, text, tuple((one.line, str(one)) for one in err.mistakes))
        return FileView(self._file.name, text, ())

    def save(self, text: str) -> FileView:
        """As in `croupier.web.routes.setup.Setup`."""
        with self._lock:
            view = self.check(text)
            if view.mistakes:
                return view
            try:
                self._back_up()
                save(self._file, text)
            except CroupierError as err:
                return replace(view, mistakes=tuple((None, line) for line in localize(err)))
            self._draft = None
            self.is_valid.set()
            return view

    def act(self, name: str, do: Action, typed: Mapping[str, str]) -> StepView:
        """As in `croupier.web.routes.setup.Setup`."""
        with self._lock:
            if self._parts is None:
                self._parts = self._find()
            self._draft = draft = self._draft or Draft(self._file, self._parts)
            step = STEPS[name]
            wrong = {} if do == "drop" else self._answer(step, draft, typed)
            if do == "try" or not step.has_picture:
                self._camera.close()  # the checks open it themselves
            if not wrong:
                match do:
                    case "try":
                        self._take_places(step, draft)
                        self._try(step, draft)
                    case "keep" if not draft.mistakes:
                        self._take_places(step, draft)
                        try:
                            self._back_up()
                            draft.save()
                        except CroupierError as err:
                            return replace(self._view(step, draft), mistakes=localize(err))
                        if step.action == "calibrate":
                            self._camera.note_saved()
                        self.is_valid.set()
                    case "drop":
                        draft.discard()
                        self._camera.forget()
            return self._view(step, draft, wrong)

    def _answer(self, step: Step, draft: Draft, typed: Mapping[str, str]) -> dict[str, tuple[str, str]]:
        """Take in answers. Return what is wrong with them, and what was typed, by the ids of the fields."""
        wrong: dict[str, tuple[str, str]] = {}
        if typed:
            self._findings.pop(step.name, None)
        for question in step.questions:
            line = typed.get(_id(question))
            # A question that applies only because of an answer above it was not on the form.
            if line is not None and (mistake := draft.answer(question.path, line)):
                wrong[_id(question)] = (mistake, line)
        return wrong

    def _try(self, step: Step, draft: Draft) -> None:
        self._findings[step.name] = tuple(
            CheckResult(one.id, one.state, word_for(one.state), *one.in_words()) for one in draft.run_checks(step)
        )

    def _take_places(self, step: Step, draft: Draft) -> None:
        """Take what people see on the picture of the camera into the draft."""
        if step.action == "calibrate" and not draft.mistakes:
            found = self._camera.unsaved(draft.config())
            if found is not None:
                draft.set_calibration(found)

    def look(self, order: CameraOrder) -> CameraView | None:
        """As in `croupier.web.routes.setup.Setup`."""
        with self._lock:
            draft = self._draft
            if draft is None or draft.mistakes or not draft.has_camera:
                return None
            return self._camera.look(order, draft.config())

    def close(self) -> None:
        """Release the camera."""
        with self._lock:
            self._camera.close()

    def _view(self, step: Step, draft: Draft, wrong: Mapping[str, tuple[str, str]] | None = None) -> StepView:
        fields = []
        for question in draft.questions(step):
            option = question.option
            mistake, line = (wrong or {}).get(_id(question), ("", draft.value_text(question.path)))
            offers = draft.offers(question)
            choices = option.choices
            if offers and not question.is_open:
                choices = ("", *offers) if "" in choices else tuple(offers)
            said = "" if choices else draft.expected(question)
            if known := draft.known_names(question):
                said = _("Who has played before, each also by number: {names}", names=numbered_names(known))
            fields.append(Field(_id(question), question.text, said, line, mistake, choices, offers))
        return StepView(
            step.name, step.title, step.about, tuple(fields), draft.mistakes, self._findings.get(step.name, ()),
            step.has_picture and draft.has_camera and not draft.mistakes, step.action == "calibrate", draft.is_changed,
        )  # fmt: skip

    def _back_up(self) -> None:
        backup = self._file.with_name(self._file.name + BACKUP)
        try:
            if self._file.exists():
                copy2(self._file, backup)
        except OSError as err:
            raise unwritten(backup, err) from err


def serve(file: Path, host: str, port: int | None) -> int:
    """Serve the setup page until Ctrl-C. Return the exit status.

    Raises:
        CannotServe: the page's libraries are missing, or the port is taken.
    """
    with _served(TableSetup(file), host, port) as up:
        up.run_until_interrupted()
    return 0


def wait_until_valid(file: Path, systemd: Systemd) -> None:
    """Return as soon as the table can be played at: at once, or after somebody corrected the file on a page.

    The page listens where the section [page] says, else on this machine only. ``systemd`` stays informed.

    Raises:
        CannotServe: as `serve`. ModelNotFound: the card reader has no model.
    """
    setup = TableSetup(file)
    if not (fault := find_fault(file)):
        return
    print(fault, file=sys.stderr)
    with _served(setup, *_place(file)) as up:
        report = up.report()
        systemd.ready()
        systemd.status(_("Waiting for {path} to be corrected.", path=file))
        while fault:
            report.print_new()
            if not setup.is_valid.wait(ALIVE_S):
                systemd.alive(monotonic())
                continue
            setup.is_valid.clear()
            if fault := find_fault(file):
                print(fault, file=sys.stderr)


def find_fault(file: Path) -> str:
    """Return why nobody can play at the table that ``file`` describes; "" if nothing prevents it.

    Camera and devices may be connected later; only their descriptions are checked.
    """
    try:
        config = load(file)
        zones_of(config)
        if config.deck.profile is not None:
            reader_of(config.deck.profile)
    except (BadConfig, BadCalibration, BadProfile) as err:
        return str(err)
    return ""


@contextmanager
def _served(setup: TableSetup, host: str, port: int | None) -> Iterator[WebServer]:
    with requires_extra(WEB):
        from croupier.web.accounts import Accounts, Person
        from croupier.web.serving import serve_in_thread

    accounts = Accounts()
    code = accounts.new_code(Person("admin"))
    with TemporaryDirectory(prefix="croupier-") as folder:
        journal = Path(folder) / "croupier.journal"
        Journal(journal).close()  # a site has a journal; this one is empty
        with serve_in_thread(journal, accounts, setup=setup, host=host, port=port) as up:
            print(_("The page is at {address}", address=up.url))
            print(_("The admin code for the page, shown only this once: {code}", code=code), flush=True)
            try:
                yield up
            finally:
                setup.close()


def _place(file: Path) -> tuple[str, int | None]:
    """Return address and port of the page from a file that is invalid somewhere."""
    try:
        page = Page.model_validate(parse_toml(read_toml(file)).get("page", {}))
    except (OSError, ValueError):
        page = Page()
    return page.address, page.port


def _id(question: Question) -> str:
    return ".".join(question.path)
