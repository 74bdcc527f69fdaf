"""Tells other programs of rulings: each is posted to every address that wants it, in order, until it has arrived.

Each address has a thread and a queue of its own, so one that is slow or gone holds up neither the table nor the others.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import string
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from importlib.metadata import version
from threading import Condition, Thread
from typing import Any, Final
from urllib.parse import quote, urlsplit

from croupier.config.sections import Webhook
from croupier.events import SequencedEvent
from croupier.i18n import _
from croupier.referee.position import Position
from croupier.referee.rulings import Ruling

SIGNATURE: Final = "X-Croupier-Signature"
"""The header with ``sha256=`` and the HMAC-SHA256 of the body under the secret, in hexadecimal digits."""

MOST_WAITING: Final = 1000
"""Rulings that wait for an address, an evening's worth; the oldest are dropped for more, and the next one says so."""

_ANSWERS_S: Final = 10.0
_TRY_AGAIN: Final = frozenset({408, 425, 429})
"""Refusals that are meant for now, not for ever."""


def _pauses_s() -> Iterator[float]:
    """Between two tries: growing, up to a minute."""
    pause = 1.0
    while True:
        yield pause
        pause = min(2 * pause, 60.0)


class Webhooks:
    """A listener that tells every address of the rulings that it wants, game after game.

    ``table``: its name. ``tell``: given one line when an address is lost and when it is back, from another thread.
    """

    def __init__(
        self,
        addresses: Sequence[Webhook],
        table: str,
        tell: Callable[[str], None],
        pauses_s: Callable[[], Iterator[float]] = _pauses_s,
    ) -> None:
        self._table, self._game, self._ruled = table, 0, 0
        self._posts = [(frozenset(one.rulings), Post(one.url, one.secret, tell, pauses_s)) for one in addresses]

    def begin(self, game: int, ruled: int) -> None:
        """From now on the game of this number is told, which had so many rulings before."""
        self._game, self._ruled = game, ruled

    def __call__(self, event: SequencedEvent, rulings: Sequence[Ruling], position: Position) -> None:
        """Put into the queues what was ruled."""
        for ruling in rulings:
            self._ruled += 1
            body = {
                "table": self._table,
                "game": self._game,
                "seq": self._ruled,
                "t": event.t,
                "ruling": ruling.to_json(),
            }
            for wanted, post in self._posts:
                if not wanted or ruling.name in wanted:
                    post.put(body)

    def close(self, finish_s: float = 2.0) -> None:
        """End; what still waits may be sent for ``finish_s`` seconds in all."""
        for _wanted, post in self._posts:
            post.end()
        for _wanted, post in self._posts:
            post.join(finish_s / len(self._posts))


_AS_WRITTEN: Final = string.punctuation
"""Of an address; other characters go through the line by their numbers (RFC 3987, 3.1)."""


class Post:
    """One address, with what waits for it. Signed with ``secret``, unless that is ""."""

    def __init__(
        self, url: str, secret: str, tell: Callable[[str], None], pauses_s: Callable[[], Iterator[float]] = _pauses_s
    ) -> None:
        self._url, self._secret, self._tell, self._pauses_s = urlsplit(url), secret, tell, pauses_s
        self._shown = f"{self._url.scheme}://{self._url.netloc.rpartition('@')[2]}"  # a path may hold a password
        self._waiting: deque[dict[str, Any]] = deque()
        self._missed = 0
        self._changed = Condition()
        self._is_ending = False
        self._trouble = ""
        self._thread = Thread(target=self._run, name=f"webhook {self._shown}", daemon=True)
        self._thread.start()

    def put(self, body: dict[str, Any]) -> None:
        """Send it when its turn comes."""
        with self._changed:
            if len(self._waiting) == MOST_WAITING:
                self._waiting.popleft()
                self._missed += 1
            self._waiting.append(body)
            self._changed.notify()

    def end(self) -> None:
        """Send what waits, once, and end."""
        with self._changed:
            self._is_ending = True
            self._changed.notify()

    def join(self, timeout_s: float) -> None:
        """Wait until it has ended, but no longer than so."""
        self._thread.join(timeout_s)

    def _run(self) -> None:
        while (body := self._next()) is not None:
            pauses = self._pauses_s()
            while not self._is_done_with(body):
                with self._changed:
                    if self._changed.wait_for(lambda: self._is_ending, next(pauses)):
                        return

    def _next(self) -> dict[str, Any] | None:
        """What is to be sent next, as soon as there is something; ``None`` at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_ending)
            if not self._waiting:
                return None
            missed, self._missed = self._missed, 0
            return self._waiting.popleft() | ({"missed": missed} if missed else {})

    def _is_done_with(self, body: dict[str, Any]) -> bool:
        """Send it; false where that has to be done again."""
        wrong, is_final = self._sent(body)
        self._told(wrong)
        return not wrong or is_final

    def _sent(self, body: dict[str, Any]) -> tuple[str, bool]:
        """What was wrong, "" where it has arrived; and whether another try would be of no use."""
        data = json.dumps(body, ensure_ascii=False).encode()
        headers = {"Content-Type": "application/json", "User-Agent": f"croupier/{version('croupier')}"}
        if self._secret:
            headers[SIGNATURE] = f"sha256={hmac.new(self._secret.encode(), data, hashlib.sha256).hexdigest()}"
        kind = HTTPSConnection if self._url.scheme == "https" else HTTPConnection
        path = quote((self._url.path or "/") + (f"?{self._url.query}" if self._url.query else ""), _AS_WRITTEN)
        try:
            connection = kind(self._url.hostname or "", self._url.port, timeout=_ANSWERS_S)
            try:
                connection.request("POST", path, data, headers)
                status = connection.getresponse().status
            finally:
                connection.close()
        except (OSError, HTTPException, ValueError) as err:
            return str(getattr(err, "strerror", None) or err or type(err).__name__), False
        if 200 <= status < 300:
            return "", True
        return f"HTTP {status}", 400 <= status < 500 and status not in _TRY_AGAIN

    def _told(self, wrong: str) -> None:
        """Once, until it is well again."""
        if wrong and not self._trouble:
            self._tell(
                _(
                    "Webhook: {address} does not take rulings ({why}); the table goes on.",
                    address=self._shown,
                    why=wrong,
                )
            )
        elif self._trouble and not wrong:
            self._tell(_("Webhook: {address} takes rulings again.", address=self._shown))
        self._trouble = wrong
