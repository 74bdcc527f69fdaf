"""Limits that keep the page for everybody: long work, and login attempts. Those of connections are the server's."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from threading import Lock
from time import monotonic
from typing import Final, TypeVar

from fastapi import HTTPException

from croupier.http_server import busy
from croupier.i18n import _

_FREE_ATTEMPTS: Final = 5
_FIRST_WAIT_S: Final = 30.0
_MAX_DOUBLINGS: Final = 6
_FORGET_S: Final = 3600.0
"""Time after the last wait of an address from which its wrong codes are forgotten."""

_MAX_ATTEMPTS: Final = 30
_ATTEMPT_S: Final = 2.0
"""All addresses together may send thirty wrong codes at once, and then one every two seconds."""

T = TypeVar("T")


class BoundedExecutor:
    """One thread with a short queue, for work during which the other readers must not wait.

    ``most``: calls that run or wait; ``most_per_network``: of these, calls for one network.
    """

    def __init__(self, name: str, most: int, most_per_network: int) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._most, self._most_per_network = most, most_per_network
        self._pending = Counter[str]()
        self._lock = Lock()

    async def run(self, network: str, call: Callable[[], T]) -> T:
        """The result of ``call`` in the thread, for a client in ``network``, in the language of the caller.

        Raises:
            HTTPException: 503, because too many calls run or wait already.
        """
        with self._lock:
            if self._pending.total() >= self._most or self._pending[network] >= self._most_per_network:
                raise busy()
            self._pending[network] += 1
        future = self._executor.submit(copy_context().run, call)
        future.add_done_callback(lambda _future: self._end(network))
        return await asyncio.wrap_future(future)

    def _end(self, network: str) -> None:
        with self._lock:
            self._pending -= Counter({network: 1})  # drops the networks without calls


class LoginThrottle:
    """Delays login attempts: after `_FREE_ATTEMPTS` wrong codes from one network for `_FIRST_WAIT_S`, doubled with each
    further one; and those from everywhere, if there are too many.

    A right code takes back its own attempt and nothing else, so that nobody tries codes between logins with an own one.
    ``clock``: monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._wrong: dict[str, tuple[int, float]] = {}
        """By network: the number of wrong codes, and the end of the wait (s)."""
        self._all_until = 0.0
        """When the attempts of all networks would be worked off, at one in `_ATTEMPT_S` (s)."""

    def wait_s(self, network: str) -> float:
        """Seconds until somebody in ``network`` may try; 0: now."""
        now = self._clock()
        all_s = self._all_until - now - (_MAX_ATTEMPTS - 1) * _ATTEMPT_S
        return max(0.0, self._wrong.get(network, (0, 0.0))[1] - now, all_s)

    def require_attempt(self, network: str) -> None:
        """Raise the answer 429 where too many wrong codes came from ``network``, or from all."""
        if (wait_s := self.wait_s(network)) > 0:
            n = round(wait_s) + 1
            text = _("Too many wrong codes. Try again in {n} seconds.", n=n)
            raise HTTPException(429, text, {"retry-after": str(n)})

    def begin_attempt(self, network: str) -> None:
        """Count an attempt as wrong, before the code is checked: attempts at the same time do not get past."""
        now = self._clock()
        self._all_until = max(self._all_until, now) + _ATTEMPT_S
        # No more than the attempts of an hour are kept, which the limit for all networks bounds.
        self._wrong = {one: wrong for one, wrong in self._wrong.items() if wrong[1] + _FORGET_S > now}
        number = self._wrong.get(network, (0, 0.0))[0] + 1
        doublings = min(number - _FREE_ATTEMPTS, _MAX_DOUBLINGS)
        self._wrong[network] = (number, now + (_FIRST_WAIT_S * 2**doublings if doublings >= 0 else 0.0))

    def take_back(self, network: str) -> None:
        """Do not count an attempt of ``network`` that was not wrong."""
        self._all_until -= _ATTEMPT_S
        number = self._wrong.get(network, (0, 0.0))[0] - 1
        self._wrong[network] = (max(0, number), self._clock())
