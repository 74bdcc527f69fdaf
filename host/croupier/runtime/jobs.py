"""The shoe's jobs, on the disk before they are told: who is killed while cards are fed must not feed them again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from croupier.errors import CannotWrite
from croupier.files import write_whole
from croupier.i18n import _
from croupier.referee.observations import Dealt, Drew, Observation, Redealt
from croupier.runtime.session import Past

MOST: Final = 8
"""So many jobs the Pico remembers, too; of those before, the log has long said what came of them."""


@dataclass(frozen=True, slots=True)
class Job:
    """``number``: on the wire. ``lines``: so many observations did the log of ``game`` have when it was told."""

    game: int
    lines: int
    number: int
    seat: int
    n: int


class Jobs:
    """Those of which the log does not yet say what came, kept in the file ``path``."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._open: list[Job] = _read(path)

    def told(self, job: Job) -> None:
        """It is about to be told.

        Raises:
            CannotWrite: it cannot be remembered, so it must not be told.
        """
        others = [one for one in self._open if one.game == job.game and one.number != job.number]
        told = [*others[1 - MOST :], job]
        try:
            write_whole(self._path, json.dumps([asdict(one) for one in told]).encode())
        except OSError as err:
            raise CannotWrite(f"{self._path}: {err.strerror}: " + _("the shoe waits; make room")) from err
        self._open = told

    def logged(self, observation: Observation) -> None:
        """This stands in the log now."""
        match observation:
            case Dealt() | Drew() | Redealt():
                done = next((job for job in self._open if job.seat == observation.seat), None)
                self._open = [job for job in self._open if job is not done]
            case _:
                pass

    def open_in(self, game: int, past: Sequence[Past]) -> Iterator[Job]:
        """The jobs of which the log of ``game``, up to now, does not say what came."""
        used: set[int] = set()
        for job in self._open:
            for line, (observation, *_rest) in enumerate(past[job.lines :], job.lines):
                if (
                    line not in used
                    and isinstance(observation, Dealt | Drew | Redealt)
                    and observation.seat == job.seat
                ):
                    used.add(line)
                    break
            else:
                if job.game == game:
                    yield job


def _read(path: Path) -> list[Job]:
    with suppress(OSError, ValueError, TypeError):
        return [Job(**job) for job in json.loads(path.read_text(encoding="utf-8"))]
    return []
