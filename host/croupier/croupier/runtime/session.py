"""A game in the journal: begun, or resumed after a power cut or a kill.

The position after a restart is the position of the replayed log. Cards may have moved meanwhile, so a resumed game is
paused by a fault of the table, and the shoe feeds nothing until somebody presses go.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Final

from croupier.alarms import AlarmRegistry
from croupier.devices.protocols import Feed
from croupier.errors import BadJournal, BadLog, CannotWrite
from croupier.i18n import _, localize, ngettext
from croupier.journal import FeedJob, Journal
from croupier.log_replay import LogReader, Record, read_along
from croupier.runtime.interlocks import uncleared_fault
from croupier.table_api.live_table import TableOffers
from croupier_rules.referee import Header, Observation, Referee
from croupier_rules.referee.fields import PositionFields
from croupier_rules.referee.moves import moves_of
from croupier_rules.referee.observations import Dealt, Drew, Fault, Overrule, Redealt, to_json
from croupier_rules.referee.players import with_free_seats
from croupier_rules.referee.position import Position
from croupier_rules.referee.verdict import verdict_to_json

RESTARTED: Final = ("table", "restarted")
"""Device and kind of the fault that pauses a resumed game."""

LINES_LOST: Final = ("journal", "lines-lost")
"""The fault in place of `RESTARTED` if a damaged journal has lost its newest lines."""

CARDS_UNCOUNTED: Final = ("shoe", "jobs-unreadable")
"""The fault of a game whose record of feed jobs is damaged, until people have counted every hand."""

CLOCK_BACK_S: Final = 60.0
"""A clock that is behind the newest game by more than this (s) was set back, or never set."""


class GameSession:
    """One game of a journal and its referee. ``t``: time (s) of the last observation. ``past``: steps before the
    program's start. ``written``: the position after the last line as the journal has it, where another program may have
    judged it otherwise than ``referee``. ``is_uncounted``: True while hands may hold more cards than the log says,
    since the record of the feed jobs is damaged."""

    def __init__(
        self,
        journal: Journal,
        game: int,
        referee: Referee,
        past: Sequence[Record] = (),
        *,
        written: PositionFields | None = None,
        is_uncounted: bool = False,
    ) -> None:
        self.journal, self.game, self.referee = journal, game, referee
        self.past = tuple(past)
        self.is_uncounted = is_uncounted
        self.t = past[-1].observation.t if past else 0.0
        self._n = len(past)
        self._written = self._n, referee
        """The number of lines in the journal, and the referee after them, which judges nothing more."""
        self._offers: TableOffers | None = None
        self._fields = referee.position() if written is None else written

    @property
    def header(self) -> Header:
        """The header of the game, with the names of those who sit there now."""
        return self.referee.header

    @property
    def position(self) -> Position:
        """The position after the last observation."""
        return self.referee.state()

    def open_jobs(self) -> list[Feed]:
        """Return the feed jobs without an outcome in the journal, in order.

        Raises:
            BadJournal: a job was changed after it was written.
        """
        jobs = self.journal.feed_jobs(self.game)
        return [Feed(job.job, job.seat, job.n, number=job.number) for job in jobs if job.fed is None]

    @property
    def offers(self) -> TableOffers:
        """Offers of the table after the last line that is in the journal. Thread-safe."""
        n, referee = self._written
        if self._offers is None or self._offers.n != n:
            seats, known = range(len(referee.header.seats)), referee.position()["known"]
            moves, hands = (moves_of(referee, seat) for seat in seats), (known.get(str(seat), ()) for seat in seats)
            self._offers = TableOffers(n, tuple(moves), tuple(map(tuple, hands)))
        return self._offers

    def judge(self, observations: Sequence[Observation]) -> tuple[Record, ...]:
        """Let the referee judge observations that belong together, all or none, each once.

        Raises:
            BadLog: the referee rejects one of them; nothing has changed.
        """
        referee = self.referee.fork()  # of several, one may be accepted before another is rejected
        steps: list[Record] = []
        fields = self._fields
        for n, observation in enumerate(observations, self._n + 1):
            (rulings,) = referee.observe_all((observation,))
            on_turn, before, fields, to_show = fields.get("turn"), fields, referee.position(), referee.hands_to_show
            data = {**to_json(observation), **verdict_to_json(rulings, before, fields, to_show)}
            steps.append(
                Record(n, observation, rulings, fields, on_turn, to_show=to_show, data=data, names=referee.names)
            )
        self.referee, self._n, self._fields = referee, self._n + len(steps), fields
        return tuple(steps)

    def write(self, steps: Sequence[Record], *, fed: Mapping[int, int] = MappingProxyType({})) -> None:
        """Write judged steps and the outcomes of feed jobs (cards by job) durably into the journal, all or nothing.

        With the numbers of cards in all hands, jobs whose outcome is unknown are over: they feed nothing more.

        Raises:
            CannotWrite: nothing was written; the call may be repeated.
        """
        is_uncounted = self.is_uncounted and not counts_hands(step.observation for step in steps)
        if self.is_uncounted and not is_uncounted:
            with suppress(BadJournal):  # what cannot be read at all is asked for again after a restart
                fed = dict.fromkeys(self.journal.unsettled_jobs(self.game), 0) | dict(fed)
        self.journal.append(self.game, *(step.data for step in steps), fed=fed)
        if self.is_uncounted and not is_uncounted:
            with suppress(OSError):
                _old_jobs(self.journal).unlink(missing_ok=True)
        self.is_uncounted = is_uncounted
        self._written = self._n, self.referee
        if steps and self.referee.is_round_over:
            self.journal.checkpoint()


def counts_hands(observations: Iterable[Observation]) -> bool:
    """True if people said how many cards the hands have."""
    return any(isinstance(one, Overrule) and one.player is None and "hands" in (one.set or {}) for one in observations)


def begin(journal: Journal, header: Header, *, now: float) -> GameSession:
    """Begin a game; ``now``: seconds since 1970.

    Raises:
        CannotWrite: no game was begun.
    """
    return GameSession(journal, journal.begin(header.to_json(), began=now), Referee(header))


def resume(journal: Journal) -> GameSession | None:
    """Resume the newest game, paused; None if there is no game or the newest is over.

    Raises:
        BadJournal: the journal is damaged. BadLog: the game cannot be continued.
        CannotWrite: the pause could not be written.
    """
    game = journal.last()
    if game is None:
        return None
    session = _replayed(journal, game)
    phase = session.position.phase
    if phase == "game_over":
        return None
    is_incomplete = journal.recovery is not None and journal.recovery.is_incomplete
    faults = [LINES_LOST] if is_incomplete else [RESTARTED] if phase != "paused" else []
    if session.is_uncounted and uncleared_fault(step.observation for step in session.past) != CARDS_UNCOUNTED[1]:
        faults.append(CARDS_UNCOUNTED)
    if not faults:
        return session
    steps = session.judge([Fault(session.t, device=device, kind=kind) for device, kind in faults])
    session.write(steps)
    past = (*session.past, *steps)
    return GameSession(journal, game, session.referee, past, is_uncounted=session.is_uncounted)


def with_last_players(header: Header, journal: Journal) -> Header:
    """``header`` with the names and free seats at the end of the newest game: a table whose file names nobody asks only
    once. As it is if there is no such game of as many seats, or too few people sat there."""
    if (game := journal.last()) is None:
        return header
    with suppress(BadJournal, BadLog):
        last = _replayed(journal, game).referee
        if len(last.header.seats) == len(header.seats):
            header_of_people = with_free_seats(header, last.header.seats, last.free_seats)
            Referee(header_of_people)
            return header_of_people
    return header


class FeedLog:
    """Writes each job of the shoe into the journal before the shoe gets it: a `JobLog`."""

    def __init__(self, journal: Journal, alarms: AlarmRegistry) -> None:
        self._journal, self._alarms = journal, alarms

    def record(self, number: int, feed: Feed) -> bool:
        """Write that ``feed`` has this ``number`` on the line. Returns False while that is impossible."""
        game = self._journal.last()
        assert game is not None
        try:
            self._journal.record_job(game, FeedJob(feed.job, number, feed.seat, feed.n))
        except CannotWrite as err:
            self._alarms.set("journal", "not-written", localize(err)[0])
            return False
        return True


def clock_doubt(journal: Journal, now: float) -> str | None:
    """Return in one line why this machine's clock must be wrong, if it is; only the dates of games suffer."""
    newest = max(journal.began().values(), default=now)
    if now >= newest - CLOCK_BACK_S:
        return None
    return _(
        "the clock of this machine is {time} behind the newest game in the journal: set it; nothing is "
        "lost, only the dates of games are wrong",
        time=_format_duration(newest - now),
    )


def _replayed(journal: Journal, game: int) -> GameSession:
    """The session of a game as its log leads to it: the referee of the table is built anew by judging all lines."""
    past: list[Record] = []
    reader: LogReader | None = None
    lines = (line.encode("utf-8") for line in journal.resumed(game))
    for reader in read_along(lines, f"{journal.path}, game {game}", judges=True):
        if (one := reader.last) is not None:
            past.append(one)
    assert reader is not None
    session = GameSession(journal, game, reader.referee, past, written=reader.written)
    try:
        session.open_jobs()
        session.is_uncounted = _lacks_outcome(_old_jobs(journal), game, past)
    except BadJournal:
        session.is_uncounted = True
    return session


def _old_jobs(journal: Journal) -> Path:
    """The file of feed jobs of programs whose journal did not have them."""
    return Path(f"{journal.path}-shoe")


def _lacks_outcome(file: Path, game: int, past: Sequence[Record]) -> bool:
    """True if a feed job of ``game`` in such a file has no outcome in the log, or the file cannot be read."""
    try:
        jobs = [(job["game"], job["lines"], job["seat"]) for job in json.loads(file.read_text(encoding="utf-8"))]
        used = set[int]()
        for of_game, lines, seat in jobs:
            if of_game != game:
                continue
            came = (
                step.n
                for step in past[lines:]
                if isinstance(step.observation, Dealt | Drew | Redealt) and step.observation.seat == seat
            )
            if (line := next((n for n in came if n not in used), None)) is None:
                return True
            used.add(line)
    except FileNotFoundError:
        return False
    except (OSError, ValueError, TypeError, LookupError, RecursionError):
        return True
    return False


def _format_duration(seconds: float) -> str:
    if seconds > 2 * 86400:
        return ngettext("{n} day", "{n} days", round(seconds / 86400))
    return _("{n} hours", n=f"{seconds / 3600:.1f}")
