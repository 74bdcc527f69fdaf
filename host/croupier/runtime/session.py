"""The game at a table, kept in the journal: begun, or gone on with where a power cut or a kill left it.

The position after a restart is that of the replayed log, nothing else. Whether cards moved meanwhile nobody knows, so
play is paused by a fault of the table, and the motor feeds nothing until somebody says go.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from croupier.i18n import _, ngettext
from croupier.journal import Journal
from croupier.log_replay import Step, replay_lines
from croupier.referee import Header, Observation, Referee, Rulings
from croupier.referee.observations import Fault, to_json
from croupier.referee.position import Position

RESTARTED: Final = ("table", "restarted")
"""Device and kind of the fault that pauses a game that is gone on with."""

CLOCK_BACK_S: Final = 60.0
"""A clock that stands by more than this before the newest game was set back, or never set."""


Past = tuple[Observation, Rulings, Position]


@dataclass(frozen=True, slots=True)
class Kept:
    """A game of a journal as it stands: its ``referee``, and ``t``, from where on the table's clock goes. ``past``:
    what was observed and ruled until now, with the position after it."""

    journal: Journal
    game: int
    header: Header
    referee: Referee
    t: float
    past: tuple[Past, ...] = ()

    @property
    def first_job(self) -> int:
        """A number that no job of the shoe had yet: there are never a thousand jobs in a second."""
        return round(self.t * 1000) + 1

    def record(self, observations: Sequence[Observation]) -> None:
        """Write them, all or none; they are on the disk when this returns.

        Raises:
            CannotWrite: nothing was written; the same may be asked again when the trouble is out of the way.
        """
        self.journal.append(self.game, *map(to_json, observations))


def begin(journal: Journal, header: Header, *, now: float) -> Kept:
    """A new game; ``now``: seconds since 1970."""
    game = journal.begin(header.to_json(), began=now)
    return Kept(journal, game, header, Referee(header), 0.0)


def resume(journal: Journal) -> Kept | None:
    """Go on with the newest game, paused; ``None`` where there is none or it is over.

    Raises:
        BadJournal: it is damaged. BadLog: it is none that can be played on.
        CannotWrite: the pause could not be written.
    """
    game = journal.last()
    if game is None:
        return None
    kept = _replayed(journal, game)
    phase = kept.referee.position()["phase"]
    if phase == "game_over":
        return None
    if phase == "paused":
        return kept
    pause = Fault(kept.t, device=RESTARTED[0], kind=RESTARTED[1])
    kept.record([pause])
    rulings = kept.referee.observe(pause)
    return replace(kept, past=(*kept.past, (pause, rulings, kept.referee.state())))


def clock_doubt(journal: Journal, now: float) -> str | None:
    """One line where this machine's clock cannot be right; games are numbered, so nothing rests on it."""
    newest = max(journal.began().values(), default=now)
    if now >= newest - CLOCK_BACK_S:
        return None
    return _(
        "the clock of this machine stands {time} before the newest game of the journal: set it; nothing is lost, only "
        "the dates of games are wrong",
        time=_long(newest - now),
    )


def _replayed(journal: Journal, game: int) -> Kept:
    header, referee, t = None, None, 0.0
    past: list[Past] = []
    for said in replay_lines(_raw(journal.resumed(game)), f"{journal.path}, game {game}"):
        match said:
            case Header():
                header, referee = said, Referee(said)
            case Step():
                referee, t = said.referee, said.observation.t
                past.append((said.observation, said.rulings, referee.state()))
    assert header is not None
    assert referee is not None
    return Kept(journal, game, header, referee, t, tuple(past))


def _raw(lines: Iterable[str]) -> Iterable[bytes]:
    return (line.encode("utf-8") for line in lines)


def _long(seconds: float) -> str:
    if seconds > 2 * 86400:
        return ngettext("{n} day", "{n} days", round(seconds / 86400))
    return _("{n} hours", n=f"{seconds / 3600:.1f}")
