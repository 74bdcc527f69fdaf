"""Runs checks one by one, each with a time limit; a check that fails itself is a finding, too."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Final, Self

from croupier.config import CONFIG, Config, load
from croupier.doctor.finding import Finding, absent, plain, wrong
from croupier.errors import BadConfig, CroupierError, PortNotFound, one_line
from croupier.i18n import from_others, localize, marked, semicolon

if TYPE_CHECKING:
    from cardsight.sources import Picture, Source
    from cardsight.track.events import Trouble
    from croupier.link.conversation import Greeted
    from croupier.link.link import Link
    from croupier.link.seen import Board


def _camera(config: Config) -> Source | None:
    from croupier.pictures.table_reader import camera

    return camera(config.camera)


def pico_link(config: Config) -> Link:
    """Return the link to the table's Pico, not yet open. Raises `PortNotFound` if the port does not exist."""
    from croupier.link.link import Link, PortFinder

    finder = PortFinder(config.pico.port)
    if finder.find() is None:
        raise PortNotFound(finder.missing())
    return Link(finder)


def _boards() -> list[Board]:
    from croupier.link.link import PortFinder

    return PortFinder().boards()


@dataclass(frozen=True, slots=True)
class Pictures:
    """Measurements of the camera: ``times`` of the frames (s), ``size`` (width, height, px), mean ``gray`` of the last
    frame (0 to 255), the ``trouble`` that was detected, and the last ``picture``."""

    times: tuple[float, ...]
    size: tuple[int, int]
    gray: float
    trouble: Trouble | None
    picture: Picture


@dataclass
class CheckContext:
    """The shared context of checks; a context manager that closes what they opened.

    ``file``: description of the table, unless it is ``given``. ``moves``: motors may move, lights may shine, the Pico
    may restart. ``root``: folder of the system's files. ``open_camera``, ``open_link`` and ``find_boards`` are
    replaced in tests.
    """

    file: Path = CONFIG
    given: Config | None = None
    moves: bool = False
    root: Path = Path("/")
    clock: Callable[[], float] = time.time
    open_camera: Callable[[Config], Source | None] = _camera
    open_link: Callable[[Config], Link] = pico_link
    find_boards: Callable[[], list[Board]] = _boards
    found: dict[str, Finding] = field(default_factory=dict)
    pictures: Pictures | None = None
    link: Link | None = None
    greeted: Greeted | None = None
    keys_down: tuple[str, ...] = ()
    shoe_fault: str = ""
    stack: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stack.close()

    @cached_property
    def fault(self) -> BadConfig | None:
        """The error in the file; None if it is valid or does not exist."""
        try:
            self._config = self.given or (load(self.file) if self.file.exists() else Config())
        except BadConfig as err:
            self._config = Config()
            return err
        return None

    @property
    def config(self) -> Config:
        """The configuration; the default one if the file is invalid or does not exist."""
        _ = self.fault
        return self._config


SECONDS: Final = 5.0
"""Usual time limit of a check."""

RESTART: Final = marked("Run this check again; if there is still no answer, restart the machine.")
UNPLUG: Final = marked("Unplug the device and plug it in again; then restart the machine.")
SLOW_DISK: Final = marked(
    "Copy the journal elsewhere and restart the machine; if it is still slow, replace the card or disk."
)
"""Advice for a check that does not answer in time."""


@dataclass(frozen=True, slots=True)
class Check:
    """A check. ``needs``: the check that must be well before this one runs; ``after``: checks that must have run.
    ``seconds``: time limit; ``silent``: advice if it is exceeded."""

    id: str
    look: Callable[[CheckContext], Finding]
    needs: str = ""
    after: tuple[str, ...] = ()
    seconds: float = SECONDS
    silent: str = RESTART


def ask(check: Check, table: CheckContext, known: Mapping[str, Check]) -> Finding:
    """Return the finding of a check, which runs once in a context; so do the checks it needs, found in ``known``."""
    if check.id not in table.found:
        for other in check.after:
            ask(known[other], table, known)
        first = ask(known[check.needs], table, known) if check.needs else None
        answer = unasked(first) if first is not None and first.state in ("wrong", "absent") else _answer(check, table)
        table.found[check.id] = replace(answer, id=check.id)
    return table.found[check.id]


def examine(table: CheckContext, checks: Iterable[Check], known: Mapping[str, Check]) -> Iterator[Finding]:
    """Yield the findings of ``checks``, each as soon as it is known."""
    for check in checks:
        yield ask(check, table, known)


def unasked(first: Finding) -> Finding:
    """Return the finding of a check that did not run, because ``first`` was not well."""
    if first.state == "absent":
        return absent(first.text, **first.measured)
    return absent(marked("Not checked: {first} comes first."), first=first.id)


def _answer(check: Check, table: CheckContext) -> Finding:
    """Run a check in a thread of its own, so that a driver that hangs is left behind."""
    answers: list[Finding] = []
    # A thread of its own would speak the table's language.
    look = partial(copy_context().run, lambda: answers.append(_guarded(check, table)))
    thread = Thread(target=look, name=check.id, daemon=True)
    thread.start()
    thread.join(check.seconds)
    if answers:
        return answers[0]
    return wrong(marked("No answer within {seconds} s."), check.silent, seconds=round(check.seconds))


def _guarded(check: Check, table: CheckContext) -> Finding:
    try:
        return check.look(table)
    except ModuleNotFoundError as err:
        return wrong(marked("{missing} is not installed."), marked("Run the installer again."), missing=err.name)
    except (CroupierError, OSError) as err:
        text = one_line(" ".join(localize(err)) if isinstance(err, CroupierError) else from_others(str(err)))
        found, _, remedy = text.partition(next((mark for mark in (semicolon(), "; ") if mark in text), ": "))
        return wrong(plain(f"{found.rstrip()}."), plain(f"{remedy[:1].upper()}{remedy[1:]}"))
    except Exception as err:
        return wrong(
            marked("The check itself failed: {error}."),
            marked("This is a bug in Croupier: report it with the file that croupier doctor --bundle writes."),
            error=f"{type(err).__name__}: {one_line(str(err))}",
        )
