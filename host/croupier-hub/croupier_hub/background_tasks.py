"""Repeated tasks of a hub at another hub, in a thread of its own, as soon as the other can be reached."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from threading import Event
from typing import Final, Self

from croupier.i18n import _
from croupier.supervisor import Supervisor
from croupier_hub.client import HubClient

AGAIN_S: Final = 300.0
"""The other hub is asked so often for all that it has, as by tables: its backup may have been restored while nobody
went there."""


class Errand(ABC):
    """Goes to another hub with what is new."""

    @abstractmethod
    def run(self) -> None:
        """Go once. Raises `HubUnavailable`: what the other hub does not have is for the next time."""

    @abstractmethod
    def forget(self) -> None:
        """Forget what the other hub has: it may be another one now."""

    def begin(self) -> Self:
        """Go for the first time since the other hub could not be reached."""
        self.forget()
        self.run()
        return self

    def close(self) -> None:  # noqa: B027  # a part of `Supervisor` is closed; nothing is open here
        """End for now."""


@contextmanager
def running(
    make: Callable[[HubClient], Errand],
    url: str,
    every_s: float,
    report: Callable[[str], None],
    failed: str,
    back: str = "",
) -> Iterator[None]:
    """Context in which the errand that ``make`` returns is run at the hub ``url``, with a pause of ``every_s`` between.

    ``report``: takes ``failed`` with the reason ``why`` when that fails, and ``back`` when it works again, in the
    present language, from other threads.
    """
    failure = ""

    def tell(reason: str) -> None:
        nonlocal failure
        before, failure = failure, reason
        if reason and reason != before:
            report(_(failed, why=reason))
        elif before and not reason and back:
            report(_(back))

    def follow(errand: Errand, is_closing: Event) -> str:
        tell("")
        runs = 0
        while not is_closing.wait(every_s):
            runs += 1
            if runs * every_s >= AGAIN_S:
                errand.forget()
                runs = 0
            errand.run()
        errand.run()
        return ""

    with closing(HubClient(url)) as client:
        supervisor = Supervisor(url, make(client).begin, tell, stay=follow)
        supervisor.start()
        try:
            yield
        finally:
            supervisor.close()
