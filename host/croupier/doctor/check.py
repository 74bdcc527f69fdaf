"""Asks the checks, one by one: none can hold up the others, and one that breaks is a finding, too.

table = CheckContext(Path("croupier.toml"))
ask(CHECKS["camera.sharp"], table)         # one, with those that it needs
for finding in examine(table): …           # all
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Final, Self

from croupier.config import CONFIG, Config, load
from croupier.doctor.finding import Finding, absent, plain, wrong
from croupier.errors import BadConfig, CroupierError, PortNotFound, one_line
from croupier.i18n import marked

if TYPE_CHECKING:
    from cardsight.sources import Source
    from cardsight.track.events import Trouble
    from croupier.link.conversation import Greeted
    from croupier.link.link import Link


def _camera(config: Config) -> Source | None:
    from croupier.pictures.table_reader import camera

    return camera(config.camera)


def pico_link(config: Config) -> Link:
    """The line to the Pico of this table, not yet open. Raises PortNotFound where its port is not there."""
    from croupier.link.link import Link, PortFinder

    finder = PortFinder(config.pico.port)
    if finder.find() is None:
        raise PortNotFound(finder.missing())
    return Link(finder)


def _differing_files(port: str) -> list[str]:
    from croupier.devices.pico.installer import differing_files

    return differing_files(port)


@dataclass(frozen=True, slots=True)
class Pictures:
    """What the camera gave while it was watched: ``times`` of the frames (s), ``size`` (width, height, px), the mean
    ``gray`` of the last (0 to 255), and the ``trouble`` that was seen."""

    times: tuple[float, ...]
    size: tuple[int, int]
    gray: float
    trouble: Trouble | None


@dataclass
class CheckContext:
    """Use it as a context manager: what was opened is closed at the end.

    ``file`` describes the table. ``moves``: whether motors may move and lights may shine. ``root``: where the system's
    own files are. ``open_camera``, ``open_link`` and ``differing_files`` are for tests.
    """

    file: Path = CONFIG
    moves: bool = False
    root: Path = Path("/")
    clock: Callable[[], float] = time.time
    open_camera: Callable[[Config], Source | None] = _camera
    open_link: Callable[[Config], Link] = pico_link
    differing_files: Callable[[str], list[str]] = _differing_files
    found: dict[str, Finding] = field(default_factory=dict)
    pictures: Pictures | None = None
    link: Link | None = None
    greeted: Greeted | None = None
    keys_down: tuple[str, ...] = ()
    stack: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stack.close()

    @cached_property
    def fault(self) -> BadConfig | None:
        """What is wrong with the file; None where nothing is, or where there is none."""
        try:
            self._config = load(self.file) if self.file.exists() else Config()
        except BadConfig as err:
            self._config = Config()
            return err
        return None

    @property
    def config(self) -> Config:
        """What the file says; a file that is wrong says nothing."""
        _ = self.fault
        return self._config


SECONDS: Final = 5.0
"""A check that says nothing takes no longer."""

RESTART: Final = marked("Ask once more; if it says nothing then either, restart the machine.")
UNPLUG: Final = marked("Unplug the device and plug it in again; then restart the machine.")
SLOW_DISK: Final = marked(
    "Copy the journal elsewhere and restart the machine; if it is as slow then, replace the card or disk."
)
"""What to do where a check says nothing."""


@dataclass(frozen=True, slots=True)
class Check:
    """``look`` answers. ``needs``: the check that must be well before this one can be asked; ``after``: those whose
    answers it uses, whatever they are. It takes ``seconds`` at most; ``silent``: what to do where it takes longer."""

    id: str
    look: Callable[[CheckContext], Finding]
    needs: str = ""
    after: tuple[str, ...] = ()
    seconds: float = SECONDS
    silent: str = RESTART


def ask(check: Check, table: CheckContext, known: Mapping[str, Check]) -> Finding:
    """The answer of one check. It is asked once for a table; so are those that it needs, which ``known`` finds."""
    if check.id not in table.found:
        for other in check.after:
            ask(known[other], table, known)
        first = ask(known[check.needs], table, known) if check.needs else None
        is_in_vain = first is not None and first.state in ("wrong", "absent")
        answer = unasked(first) if first is not None and is_in_vain else _answer(check, table)
        table.found[check.id] = replace(answer, id=check.id)
    return table.found[check.id]


def examine(table: CheckContext, checks: Iterable[Check], known: Mapping[str, Check]) -> Iterator[Finding]:
    """The answers of ``checks``, each as soon as it is known."""
    for check in checks:
        yield ask(check, table, known)


def unasked(first: Finding) -> Finding:
    """The answer of a check that needs ``first``, which was not well."""
    if first.state == "absent":
        return absent(first.text, **first.measured)
    return absent(marked("Not looked at: {first} comes first."), first=first.id)


def _answer(check: Check, table: CheckContext) -> Finding:
    """In a thread of its own: a driver that hangs is left behind."""
    answers: list[Finding] = []
    thread = Thread(target=lambda: answers.append(_guarded(check, table)), name=check.id, daemon=True)
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
        text = one_line(str(err))
        told, _, remedy = text.partition("; " if "; " in text else ": ")
        return wrong(plain(f"{told}."), plain(f"{remedy[:1].upper()}{remedy[1:]}"))
    except Exception as err:
        return wrong(
            marked("The check itself failed: {error}."),
            marked("This is a mistake in Croupier: send the file that croupier doctor --bundle writes."),
            error=f"{type(err).__name__}: {one_line(str(err))}",
        )
