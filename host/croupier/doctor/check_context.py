"""The table that is examined: what its file says, and what one check found that another goes on with."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from croupier.config import CONFIG, Config, load
from croupier.doctor.finding import Finding
from croupier.errors import BadConfig, PortNotFound

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
    from croupier.link.link import Link
    from croupier.link.ports import PortFinder

    finder = PortFinder(config.pico.port)
    if finder.find() is None:
        raise PortNotFound(finder.missing())
    return Link(finder)


@dataclass(frozen=True, slots=True)
class Pictures:
    """What the camera gave while it was watched: ``times`` of the frames (s), ``size`` (width, height, px), the mean
    ``gray`` of the last (0 to 255), and the ``trouble`` that was seen."""

    times: tuple[float, ...]
    size: tuple[int, int]
    gray: float
    trouble: Trouble | None


@dataclass
class Examined:
    """Use it as a context manager: what was opened is closed at the end.

    ``file`` describes the table. ``moves``: whether motors may move and lights may shine. ``root``: where the system's
    own files are. ``open_camera`` and ``open_link`` are for tests.
    """

    file: Path = CONFIG
    moves: bool = False
    root: Path = Path("/")
    clock: Callable[[], float] = time.time
    open_camera: Callable[[Config], Source | None] = _camera
    open_link: Callable[[Config], Link] = pico_link
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
