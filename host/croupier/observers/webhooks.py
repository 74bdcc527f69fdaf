"""Webhooks: each ruling is posted to every address that asks for it, in order, until it has arrived.

Each address has a thread and a queue of its own, so a slow or missing receiver delays neither the table nor the others.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import ssl
from collections import deque
from collections.abc import Callable, Sequence
from importlib.metadata import version
from threading import Condition, Event
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from croupier.config.sections import Webhook
from croupier.events import SequencedEvent
from croupier.i18n import _
from croupier.referee.position import Position
from croupier.referee.rulings import Ruling
from croupier.supervisor import Supervisor

SIGNATURE: Final = "X-Croupier-Signature"
"""The header with ``sha256=`` and the HMAC-SHA256 of the body under the secret, in hexadecimal digits."""

MOST_WAITING: Final = 1000
"""Rulings that wait for an address: those of an evening. Beyond it the oldest are dropped, and the next one counts
them."""

_TIMEOUT_S: Final = 10.0
_TEMPORARY: Final = frozenset({408, 425, 429})
"""Client errors after which the same request is worth another attempt."""


class Webhooks:
    """An observer that posts rulings to all addresses, game after game.

    ``table``: its name. ``report``: takes one line when an address fails and when it recovers, from another thread.
    """

    def __init__(self, addresses: Sequence[Webhook], table: str, report: Callable[[str], None]) -> None:
        self._table, self._game, self._ruled = table, 0, 0
        self._senders = [(frozenset(one.rulings), WebhookSender(one.url, one.secret, report)) for one in addresses]

    def begin(self, game: int, ruled: int) -> None:
        """Start or resume the game of this number. ``ruled``: how many rulings it had until now."""
        self._game, self._ruled = game, ruled

    def __call__(self, event: SequencedEvent, rulings: Sequence[Ruling], position: Position) -> None:
        """Put the rulings into the queues."""
        for ruling in rulings:
            self._ruled += 1
            body = {
                "table": self._table,
                "game": self._game,
                "seq": self._ruled,
                "t": event.t,
                "ruling": ruling.to_json(),
            }
            for wanted, sender in self._senders:
                if not wanted or ruling.name in wanted:
                    sender.put(body)

    def close(self, finish_s: float = 2.0) -> None:
        """End. Rulings that wait may be sent for ``finish_s`` seconds in all."""
        for _wanted, sender in self._senders:
            sender.end()
        for _wanted, sender in self._senders:
            sender.join(finish_s / len(self._senders))


class WebhookSender:
    """One address and the rulings that wait for it. Requests are signed with ``secret``, unless it is ""."""

    def __init__(self, url: str, secret: str, report: Callable[[str], None]) -> None:
        parts = urlsplit(url)
        self._url, self._secret, self._report = url, secret, report
        self._shown = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"  # a path may hold a password
        self._waiting: deque[dict[str, Any]] = deque()
        self._current: dict[str, Any] | None = None
        self._missed = 0
        self._changed = Condition()
        self._is_ending = self._has_failed = False
        self._supervisor = Supervisor(f"webhook {self._shown}", self._open, self._set_failure, stay=self._deliver_all)
        self._supervisor.start()

    def put(self, body: dict[str, Any]) -> None:
        """Send a ruling after those that wait."""
        with self._changed:
            if len(self._waiting) == MOST_WAITING:
                self._waiting.popleft()
                self._missed += 1
            self._waiting.append(body)
            self._changed.notify()

    def end(self) -> None:
        """Make one attempt to send the rulings that wait, then end. Does not wait."""
        with self._changed:
            self._is_ending = True
            self._changed.notify()
            if self._has_failed:
                self._supervisor.stop()

    def join(self, timeout_s: float) -> None:
        """Wait for the end."""
        self._supervisor.join(timeout_s)

    def _open(self) -> httpx.Client:
        """A client that has delivered one ruling, so that the pauses grow until an address works."""
        client = httpx.Client(
            headers={"Content-Type": "application/json", "User-Agent": f"croupier/{version('croupier')}"},
            timeout=_TIMEOUT_S,
            verify=ssl.create_default_context(),  # the certificates of this machine, which may know one of the house
            trust_env=False,
            limits=httpx.Limits(max_keepalive_connections=0),  # minutes may pass between two rulings
        )
        try:
            self._deliver_next(client)
        except BaseException:
            client.close()
            raise
        return client

    def _deliver_all(self, client: httpx.Client, _is_closing: Event) -> str:
        while self._deliver_next(client):
            pass
        return ""

    def _deliver_next(self, client: httpx.Client) -> bool:
        """Deliver the oldest ruling as soon as there is one; False at the end.

        Raises:
            ConnectionError: another attempt is needed.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._current or self._waiting or self._is_ending)
            if self._current is None:
                if not self._waiting:
                    self._supervisor.stop()
                    return False
                self._current = self._waiting.popleft() | ({"missed": self._missed} if self._missed else {})
                self._missed = 0
        failure, is_final = self._post(client, self._current)
        if failure and not is_final:
            with self._changed:
                if self._is_ending:
                    self._supervisor.stop()
            raise ConnectionError(failure)
        self._current = None
        self._set_failure(failure)
        return True

    def _post(self, client: httpx.Client, body: dict[str, Any]) -> tuple[str, bool]:
        """Post once: the reason of a failure ("" for none), and whether another attempt is useless."""
        data = json.dumps(body, ensure_ascii=False).encode()
        signature = hmac.new(self._secret.encode(), data, hashlib.sha256).hexdigest()
        try:
            response = client.post(
                self._url, content=data, headers={SIGNATURE: f"sha256={signature}"} if self._secret else None
            )
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as err:
            return _reason(err), False
        if response.is_success:
            return "", True
        return f"HTTP {response.status_code}", response.is_client_error and response.status_code not in _TEMPORARY

    def _set_failure(self, reason: str) -> None:
        """Report the first failure, and the recovery ("")."""
        with self._changed:
            had_failed, self._has_failed = self._has_failed, bool(reason)
            if self._has_failed and self._is_ending:
                self._supervisor.stop()
        if reason and not had_failed:
            self._report(
                _(
                    "Webhook: {address} does not take rulings ({why}); the table goes on.",
                    address=self._shown,
                    why=reason,
                )
            )
        elif had_failed and not reason:
            self._report(_("Webhook: {address} takes rulings again.", address=self._shown))


def _reason(err: BaseException) -> str:
    """The operating system's words for an error of httpx, or its own."""
    cause: BaseException | None = err
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror
        cause = cause.__cause__ or cause.__context__
    return str(err) or type(err).__name__
