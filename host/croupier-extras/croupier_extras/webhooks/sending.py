"""Webhooks: each ruling is posted to every address that asks for it, in order, until it has arrived.

Each address has a thread and a queue of its own, so a slow or missing receiver delays neither the table nor the others.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import ssl
import time
from collections import deque
from collections.abc import Callable, Sequence
from importlib.metadata import version
from threading import Condition, Event
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from croupier.events import SequencedEvent
from croupier.i18n import _
from croupier.supervisor import Supervisor
from croupier_extras.network import reason
from croupier_extras.webhooks import Webhook
from croupier_rules.referee.position import Position
from croupier_rules.referee.rulings import Ruling

TIMESTAMP: Final = "X-Croupier-Timestamp"
"""The header with the time of the delivery in whole seconds of Unix time."""

SIGNATURE: Final = "X-Croupier-Signature"
"""The header with ``sha256=`` and the HMAC-SHA256 of timestamp, ``.`` and body under the secret, in hexadecimal."""

MOST_WAITING: Final = 1000
"""Rulings that wait for an address: those of an evening. Beyond it the oldest are dropped, and the next one counts
them."""

DELIVERY_S: Final = 10.0
"""The time for a delivery as a whole, up to the status of the answer; its body is not read."""

_TEMPORARY: Final = frozenset({408, 425, 429})
"""Client errors after which the same request is worth another attempt."""


class Webhooks:
    """An observer that posts rulings to all addresses, game after game.

    ``table``: its name. ``report``: takes one line when an address fails and when it recovers, from another thread,
    and one about each address whose signed rulings cross the network unencrypted.
    """

    def __init__(self, addresses: Sequence[Webhook], table: str, report: Callable[[str], None]) -> None:
        self._table, self._game, self._ruled = table, 0, 0
        self._senders = [(frozenset(one.rulings), WebhookSender(one.url, one.secret, report)) for one in addresses]
        for one, (_rulings, sender) in zip(addresses, self._senders, strict=True):
            if one.is_unencrypted:
                report(_("Webhook: {address} is not encrypted: others can read its rulings.", address=sender.shown))

    def begin(self, game: int, ruled: int) -> None:
        """Start or resume the game of this number. ``ruled``: how many rulings it had until now."""
        self._game, self._ruled = game, ruled

    def __call__(self, event: SequencedEvent, rulings: Sequence[Ruling], position: Position) -> None:
        """Put the rulings into the queues."""
        for ruling in rulings:
            self._ruled += 1
            where = {"table": self._table, "game": self._game, "seq": self._ruled}
            body = where | {"t": event.t, "ruling": ruling.to_json()}
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
    """One address and the rulings that wait for it.

    ``secret``: signs the deliveries, unless it is "". ``now``: Unix time (s). ``shown``: the address in messages.
    """

    def __init__(
        self, url: str, secret: str, report: Callable[[str], None], now: Callable[[], float] = time.time
    ) -> None:
        parts = urlsplit(url)
        self._url, self._secret, self._report, self._now = url, secret, report, now
        self.shown = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"  # a path may hold a password
        self._trusted = ssl.create_default_context()  # the certificates of this machine, perhaps one of the house
        self._waiting: deque[dict[str, Any]] = deque()
        self._current: dict[str, Any] | None = None
        self._missed = 0
        self._changed = Condition()
        self._is_ending = self._has_failed = False
        self._supervisor = Supervisor(f"webhook {self.shown}", self._open, self._set_failure, stay=self._deliver_all)
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

    def close(self) -> None:
        """Between two deliveries nothing is open: minutes may pass."""

    def _open(self) -> WebhookSender:
        """Deliver one ruling, so that the pauses grow until the address works."""
        self._deliver_next()
        return self

    def _deliver_all(self, _sender: WebhookSender, _is_closing: Event) -> str:
        while self._deliver_next():
            pass
        return ""

    def _deliver_next(self) -> bool:
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
        failure, is_final = self._deliver(json.dumps(self._current, ensure_ascii=False).encode())
        if failure and not is_final:
            with self._changed:
                if self._is_ending:
                    self._supervisor.stop()
            raise ConnectionError(failure)
        self._current = None
        self._set_failure(failure)
        return True

    def _deliver(self, body: bytes) -> tuple[str, bool]:
        """Post once: the reason of a failure ("" for none), and whether another attempt is useless."""
        sent = str(int(self._now()))
        headers = {
            "Content-Type": "application/json",
            "User-Agent": f"croupier/{version('croupier-core')}",
            TIMESTAMP: sent,
        }
        if self._secret:
            signature = hmac.new(self._secret.encode(), f"{sent}.".encode() + body, hashlib.sha256).hexdigest()
            headers[SIGNATURE] = f"sha256={signature}"
        try:
            status = asyncio.run(self._post(body, headers))
        except TimeoutError:
            return _("no answer within {seconds} s", seconds=round(DELIVERY_S)), False
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as err:
            return reason(err), False
        is_final = httpx.codes.is_client_error(status) and status not in _TEMPORARY
        return ("", True) if httpx.codes.is_success(status) else (f"HTTP {status}", is_final)

    async def _post(self, body: bytes, headers: dict[str, str]) -> int:
        """The status of the answer. Only asyncio can limit the whole time: httpx limits each read on its own."""
        async with (
            asyncio.timeout(DELIVERY_S),
            httpx.AsyncClient(timeout=None, verify=self._trusted, trust_env=False) as client,
            client.stream("POST", self._url, content=body, headers=headers) as answer,
        ):
            return answer.status_code

    def _set_failure(self, reason: str) -> None:
        """Report the first failure, and the recovery ("")."""
        with self._changed:
            had_failed, self._has_failed = self._has_failed, bool(reason)
            if self._has_failed and self._is_ending:
                self._supervisor.stop()
        if reason and not had_failed:
            text = _("Webhook: {address} does not accept rulings ({why}); the table goes on.",
                     address=self.shown, why=reason)  # fmt: skip
            self._report(text)
        elif had_failed and not reason:
            self._report(_("Webhook: {address} accepts rulings again.", address=self.shown))
