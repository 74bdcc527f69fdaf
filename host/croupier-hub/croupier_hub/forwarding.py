"""A club's hub that sends all it has to the hub of a federation, by the same call as its tables do.

The director's log goes both ways, so that a club knows the plan while the federation is away. What the federation has
is asked of it and kept nowhere: after a restart of either nothing is lost, and nothing counts twice.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Final

from croupier.i18n import _, marked
from croupier_hub.background_tasks import Errand, running
from croupier_hub.client import HubClient, unknown
from croupier_hub.messages import Verdict
from croupier_hub.results import FORKED
from croupier_hub.store import LogStore

_LOOK_S: Final = 1.0
"""Time between two looks for new lines."""

_AT_ONCE: Final = 8
"""Logs that are sent at the same time."""


_MOST_AGAIN: Final = 5
"""Times that the other hub wants to have lines from further back, while one log is sent."""


class Forwarder(Errand):
    """Sends the logs of ``store`` to the hub of ``client``, on request.

    ``report``: takes one line for each log of which that hub has other lines, from any thread.
    """

    def __init__(self, store: LogStore, client: HubClient, report: Callable[[str], None]) -> None:
        self._store, self._client, self._report = store, client, report
        self._done: dict[str, tuple[int, int | None]] = {}
        """Of each log, the lines and the fork that the other hub has."""
        self._told = set[str]()
        """Logs whose fork was reported."""

    def run(self) -> None:
        """Get what is new in the director's log; send all that is new, that log first.

        Raises:
            HubUnavailable: the other hub is away; what it does not have is sent next time.
            HubRefuses: it has the tournament of another director, or does not know a table.
            BadHub: the database here cannot be used.
        """
        with self._store.errors():
            director = self._store.director
            start = self._store.heads()[director][0]
            while (sent := self._client.director(start, director)).lines:
                if self._store.put(sent).verdict is not Verdict.ACCEPTED:
                    break  # other lines than here, which is told below, or none of this director's
                start = sent.end
            heads = self._store.heads()
            self._send(director, heads.pop(director))
            with ThreadPoolExecutor(_AT_ONCE) as pool:
                for done in [pool.submit(self._send, name, head) for name, head in heads.items()]:
                    done.result()

    def _send(self, log: str, head: tuple[int, int | None]) -> None:
        if not head[0] or self._done.get(log) == head:
            return
        at, lines = self._done.get(log, head)[0], head[0]
        again = 0
        while True:
            if again > _MOST_AGAIN:
                raise self._client.no_hub()
            sent = self._store.sent(log, at)
            answer = self._client.put(sent)
            if answer.verdict is Verdict.ACCEPTED and sent.end < lines:
                at = sent.end
            elif answer.verdict is Verdict.GAP and answer.accepted_to < at:
                at, again = answer.accepted_to, again + 1
            elif answer.verdict is Verdict.CHAIN and at:
                at, again = 0, again + 1  # it has other lines, and sees from the first one on where
            elif answer.verdict is Verdict.FORK:
                if head[1] is None and log not in self._told:
                    self._told.add(log)
                    self._report(_(FORKED, key=log, n=self._client.forks().get(log, 0)))
                break
            elif answer.verdict is Verdict.ACCEPTED:
                break
            else:
                raise unknown(log)
        for piece in self._store.branches(log) if head[1] is not None else ():
            self._client.put(piece)
        self._done[log] = head

    def forget(self) -> None:
        """Ask the other hub again for what it has."""
        self._done.clear()


def forwarding(store: LogStore, url: str, report: Callable[[str], None]) -> AbstractContextManager[None]:
    """Context in which the logs of a store are forwarded to the hub ``url``.

    ``report``: takes one line when that fails, when it works again, and for each fork, from other threads.
    """
    failed, back = (
        marked("Federation: {why}; the results wait here."),
        marked("Federation: the hub has what has waited."),
    )
    return running(lambda client: Forwarder(store, client, report), url, _LOOK_S, report, failed, back)
