"""Group commit: all that waits while another transaction is committed shares the next one.

A commit waits for the disk, and a statement for the database, once for all of a group. Each writer is answered after
the commit.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final

from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError

from croupier_hub.messages import Answer
from croupier_hub.signed_log import Sent

FEW: Final = 100
"""Lines of a short piece. It goes before longer ones, which are what has waited for long: what is new need not wait
for them."""

_MOST: Final = 1000
_MOST_LINES: Final = 2000
"""Short pieces of one transaction, and lines of longer ones: the first of them waits for the last."""


class GroupCommit:
    """Calls ``write`` with a connection in a transaction and all that waits, in a thread of its own."""

    def __init__(self, engine: Engine, write: Callable[[Any, Sequence[Sent]], list[Answer]]) -> None:
        self._engine, self._write = engine, write
        self._short = deque[tuple[Sent, Future[Answer]]]()
        self._long = deque[tuple[Sent, Future[Answer]]]()
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="commits")

    def submit(self, sent: Sent) -> Future[Answer]:
        """The answer to ``sent``, as soon as that is committed."""
        answer = Future[Answer]()
        (self._short if len(sent.lines) <= FEW else self._long).append((sent, answer))
        self._writer.submit(self._commit_waiting)
        return answer

    def close(self) -> None:
        """End, when all that waits is committed."""
        self._writer.shutdown()

    def _commit_waiting(self) -> None:
        waiting = [self._short.popleft() for _ in range(min(len(self._short), _MOST))]
        lines = 0
        while self._long and lines < _MOST_LINES:
            lines += len(self._long[0][0].lines)
            waiting.append(self._long.popleft())
        # A client that no longer waits for the answer sends again: from here on nobody can withdraw.
        if group := [one for one in waiting if one[1].set_running_or_notify_cancel()]:
            self._commit(group)

    def _commit(self, group: Sequence[tuple[Sent, Future[Answer]]]) -> None:
        try:
            with self._engine.begin() as connection:
                answers = self._write(connection, [sent for sent, _ in group])
                answered = list(zip((waiting for _, waiting in group), answers, strict=True))
        except OperationalError as err:  # the database is away, or its disk is full: the same for each of them
            for _, answer in group:
                answer.set_exception(err)
        except Exception as err:
            if len(group) == 1:
                group[0][1].set_exception(err)
            else:  # one that fails does not fail the others
                for one in group:
                    self._commit([one])
        else:
            for answer, found in answered:
                answer.set_result(found)
