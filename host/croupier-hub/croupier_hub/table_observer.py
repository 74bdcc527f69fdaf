"""A table of a tournament: its journal's lines and its results, signed, for a hub.

Everything comes from the journal, in a thread of its own: the table never waits, and what is missing after a crash or
an outage is copied later. The points of a game are the result of the first round of the plan that has its seats; a
game that goes on, or is corrected, corrects its result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Final

from croupier.events import SequencedEvent
from croupier.i18n import _, localize
from croupier.journal.archive import Archive
from croupier.observers import ObservedGame, ObservedTable, TableObserver
from croupier.supervisor import Supervisor
from croupier_hub.client import DirectorsLog, HubClient, deliver
from croupier_hub.errors import BadOutbox
from croupier_hub.results import LOST
from croupier_hub.standings import Directed, directed
from croupier_hub.table import CALL, AtTournament, CallState, Tournament
from croupier_hub.table_log import TableLog
from croupier_rules.referee.position import Position
from croupier_rules.referee.rulings import Ruling

_GATHER_S: Final = 0.2
"""Lines of this time go together."""

_ASK_S: Final = 10.0
_ASK_FOR_ANSWER_S: Final = 2.0
"""The director's log is asked for so often, and so often while a call is open."""

_HEADS_S: Final = 300.0
"""The heads of other tables are looked at so often, and the hub is asked what it has of the own log."""


class TournamentTable(TableObserver):
    """An observer that sends the table's log to the hub ``url``, as soon as that can be reached.

    ``report``: takes one line when that fails, and when it works again, from another thread. ``page``: the address of
    the table's page, "" if nobody else can open it. ``on_change``: called, from another thread, when `state` is another
    one.
    """

    def __init__(
        self, url: str, file: Path, journal: Path, report: Callable[[str], None], page: str = "",
        on_change: Callable[[], None] = lambda: None,
    ) -> None:  # fmt: skip
        self._log, self._journal, self._report, self._page = TableLog(file, journal), journal, report, page
        self.hub, self._on_change = url, on_change
        self._call, self._call_state = self._log.last_call()
        self._calling: Thread | None = None
        self._ask_at = 0.0
        self._client = HubClient(url)
        self._client.sign_in(self._log)
        self._directors, self._known = DirectorsLog(self._log.director), Directed()
        self._accepted: int | None = None
        self._looks_at = 0.0
        self._failure = ""
        self._news, self._is_running = Event(), False
        self._supervisor = Supervisor("tournament", self._open, self._set_failure, stay=self._follow)

    @property
    def key(self) -> str:
        """The table's key, as the director enrolls it."""
        return self._log.log

    @property
    def director(self) -> str:
        """The key of the director, in hex; "" before the first answer of a hub."""
        return self._log.director

    @property
    def call_state(self) -> CallState:
        """State of the last call for the director."""
        return self._call_state

    @property
    def revoked_badges(self) -> tuple[tuple[str, int], ...]:
        """Names of players, each with the time (s since 1970): badges that expire up to then are revoked."""
        return tuple((name, until) for (role, name), until in self._known.revoked.items() if role == "player")

    def call(self, player: str) -> None:
        """Call for the director, unless a call is open. Thread-safe. ``player``: who calls, "" for a referee."""
        if not self._call_state:
            self._call_state, self._call = "on its way", None
            self._calling = Thread(target=self._keep_call, args=(player,), name="call")
            self._calling.start()
            self._on_change()

    def _keep_call(self, player: str) -> None:
        """Write a call at once, so that it outlasts a restart while the hub is away; the table waits for no disk."""
        try:
            with TableLog(self._log.file, self._journal) as log:
                self._call = log.call(player)
        except BadOutbox as err:
            self._call_state = ""
            self._report(localize(err)[0])
            self._on_change()
        self._news.set()

    @property
    def state(self) -> AtTournament:
        """State of the tournament for the page."""
        return AtTournament(self.director, self.call_state, self.revoked_badges)

    @property
    def receipts(self) -> str:
        """The hub, where people check receipts."""
        return self.hub

    def order(self, order: str, player: str) -> None:
        """Carry out an order of the page: `CALL`, a call for the director."""
        if order == CALL:
            self.call(player)

    def begin(self, game: ObservedGame | None = None) -> None:
        """Start or resume a game, which is read from the journal."""
        if not self._is_running:
            self._is_running = True
            self._supervisor.start()
        self._news.set()

    def __call__(self, event: SequencedEvent, rulings: Sequence[Ruling], position: Position) -> None:
        """Something happened."""
        self._news.set()

    def close(self, finish_s: float = 0.0) -> None:
        """End. What the hub does not have yet is sent next time."""
        self._supervisor.stop()
        self._news.set()
        self._supervisor.close()
        if self._calling is not None:
            self._calling.join()
        self._client.close()

    def _open(self) -> Archive:
        self._update()
        if self._log.director != self._directors.director:
            self._log.director = self._directors.director
        if self._page:
            self._log.write_page(self._page)
        self._accepted = None
        journal = Archive(self._journal)
        try:
            self._send(journal)
        except BaseException:
            journal.close()
            raise
        return journal

    def _follow(self, journal: Archive, is_closing: Event) -> str:
        self._set_failure("")
        while not is_closing.is_set():
            self._news.wait(_ASK_FOR_ANSWER_S if self._call_state else _ASK_S)
            self._news.clear()
            if monotonic() >= self._ask_at:
                self._update()
            if monotonic() >= self._looks_at:
                self._looks_at = monotonic() + _HEADS_S
                self._log.keep_heads(self._client, self._known, self._report)
                self._accepted = None  # asked again: a hub whose backup was restored lacks what it had
            self._send(journal)
            is_closing.wait(_GATHER_S)
        self._send(journal)  # who ends the program after the last card has told it
        return ""

    def _update(self) -> None:
        if self._directors.update(self._client):
            revoked, self._known = self.revoked_badges, directed(self._directors.lines)
            if self.revoked_badges != revoked:
                self._on_change()
        self._ask_at = monotonic() + (_ASK_FOR_ANSWER_S if self._call_state else _ASK_S)

    def _send(self, journal: Archive) -> None:
        self._log.copy(journal)
        self._log.write_results(self._known)
        if self._accepted != len(self._log):
            lost = self._log.lost
            self._accepted = deliver(self._client, self._log, self._accepted)
            if self._log.lost > lost:
                self._report(_(LOST, key=self.key, n=self._log.lost - lost))
                self._call, self._call_state = self._log.last_call()
                self._news.set()  # results are written again
        self._see_call()

    def _see_call(self) -> None:
        """Say what became of the call, if the hub has it."""
        if self._call is None or self._accepted is None or self._call >= self._accepted:
            return
        answer = self._known.answers.get((self._log.log, self._call))
        state: CallState = "heard" if answer is None else "" if answer.settled else "answered"
        if state != self._call_state:
            self._log.keep_call(self._call, state)
            self._call_state = state
            self._on_change()

    def _set_failure(self, reason: str) -> None:
        before, self._failure = self._failure, reason
        if reason and reason != before:
            self._report(_("Tournament: {why}; the table goes on, and its results wait here.", why=reason))
        elif before and not reason:
            self._report(_("Tournament: the hub has what has waited."))


def open_observer(section: Tournament, table: ObservedTable) -> TournamentTable | None:
    """Return the observer that the section asks for; None without a hub.

    Raises:
        BadHub: the address is outside the own network, and not encrypted.
        BadOutbox: the file cannot be used.
    """
    if section.hub is None:
        return None
    return TournamentTable(section.hub, section.file, table.journal, table.report, table.page, table.on_change)
