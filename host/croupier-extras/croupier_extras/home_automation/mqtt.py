"""Home automation: publishes the table at an MQTT broker. The table never waits for the broker."""

from __future__ import annotations

import json
import logging
import ssl
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event
from typing import Any, Final

from paho.mqtt.client import Client, ConnectFlags, DisconnectFlags, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from croupier.errors import BadConfig
from croupier.events import SequencedEvent
from croupier.i18n import _
from croupier.supervisor import Supervisor
from croupier_extras.errors import BrokerUnavailable
from croupier_extras.home_automation import Mqtt
from croupier_extras.home_automation.home_assistant import (
    OFFLINE,
    ONLINE,
    PAUSE,
    TableState,
    Topics,
    discovery,
    ruling_event,
)
from croupier_rules.referee import Explainer, Header
from croupier_rules.referee.position import Position
from croupier_rules.referee.rulings import Ruling

_log: Final = logging.getLogger(__name__)

_KEEP_ALIVE_S: Final = 30
"""The broker declares the table offline after one and a half times as long without a word from it."""

_CONNECT_S: Final = 5.0
_FAREWELL_S: Final = 1.0


class Publisher:
    """An observer that publishes, game after game. No call waits for the broker: paho's thread talks to it, and the
    supervisor's connects.

    ``name``: of the table; ``url``: of its page. ``report``: takes one line when the broker fails and when it recovers,
    from other threads.

    Raises:
        BadConfig: the certificate cannot be used.
    """

    def __init__(self, config: Mqtt, name: str, report: Callable[[str], None], url: str = "") -> None:
        self._config, self._name, self._url, self._report = config, name, url, report
        self._topics = Topics(config.id)
        self._state: TableState | None = None
        self._header: Header | None = None
        self._explainer: Explainer | None = None
        self._pause: Callable[[], object] = lambda: None
        self._entities: dict[str, dict[str, Any] | None] = {}
        self._last = ""
        self._has_failed = False
        self._changes = SimpleQueue[str]()
        """Changes of the connection: "" when the broker accepts it, else the reason of its end."""
        self._client = client = Client(
            CallbackAPIVersion.VERSION2, _client_id(config), protocol=MQTTProtocolVersion.MQTTv311,
            reconnect_on_failure=False,
        )  # fmt: skip
        use_account(client, config)
        self._broker = f"{config.host}:{config.broker_port}"
        client.will_set(self._topics.availability, OFFLINE, qos=1, retain=True)
        # A message that waits for an acknowledgment could be overtaken by a later one that needs none.
        client.max_inflight_messages_set(0)
        client.connect_timeout = _CONNECT_S
        client.suppress_exceptions = True  # an error in a callback is logged and does not end paho's thread
        client.on_connect = self._on_connect
        client.on_disconnect = self._on_disconnect
        client.on_message = self._on_message
        self._supervisor = Supervisor("mqtt", self._connect, self._report_failure, stay=self._stay)
        self._supervisor.start()

    def begin(
        self, header: Header, state: TableState, explainer: Explainer, pause: Callable[[], object] = lambda: None
    ) -> None:
        """Publish this game from now on. ``pause``: called, from another thread, when somebody presses pause in the
        house, if that is allowed."""
        self._header, self._entities = header, self._discovery(header)
        self._explainer, self._state, self._last, self._pause = explainer, state, _text(state.now), pause
        if self._client.is_connected():
            self._introduce()

    def __call__(self, event: SequencedEvent, rulings: Sequence[Ruling], position: Position) -> None:
        """Publish the state, if it has changed, and the rulings."""
        assert self._state is not None
        assert self._explainer is not None
        self._state(event, rulings, position)
        self._explainer = self._explainer.naming(position.names)
        new = _text(self._state.now)
        is_new, self._last = new != self._last, new
        renamed = self._renamed(position.names)
        if not self._client.is_connected():
            return
        self._announce(renamed)
        if is_new:
            self._client.publish(self._topics.state, new, retain=True)
        for ruling in rulings:
            self._client.publish(self._topics.ruling, _text(ruling_event(ruling, self._explainer)))

    def _discovery(self, header: Header) -> dict[str, dict[str, Any] | None]:
        config = self._config
        return discovery(
            self._topics, header, self._name, prefix=config.discovery, control=config.control, url=self._url
        )

    def _renamed(self, names: tuple[str, ...]) -> dict[str, dict[str, Any] | None]:
        """The entities that have another name, since somebody else sits at a seat."""
        assert self._header is not None
        if not names or names == self._header.seats:
            return {}
        before, self._header = self._entities, replace(self._header, seats=names)
        self._entities = self._discovery(self._header)
        return {topic: message for topic, message in self._entities.items() if message != before.get(topic)}

    def close(self) -> None:
        """Go offline. The last state stays at the broker."""
        if self._client.is_connected():
            with suppress(RuntimeError, ValueError):  # the connection ended just now
                farewell = self._client.publish(self._topics.availability, OFFLINE, qos=1, retain=True)
                farewell.wait_for_publish(_FAREWELL_S)
        self._supervisor.stop()
        self._changes.put("")
        self._supervisor.join(_FAREWELL_S)

    def _connect(self) -> ExitStack:
        """Connect; returns what disconnects, when the broker accepts the connection.

        Raises:
            BrokerUnavailable: it cannot be reached, or refuses.
        """
        self._changes = changes = SimpleQueue[str]()
        self._client.enable_logger(_log)
        with ExitStack() as disconnect:
            disconnect.callback(self._client.loop_stop)
            disconnect.callback(self._client.disconnect)
            disconnect.callback(self._client.disable_logger)  # its thread wonders at a connection that we have ended
            try:
                self._client.connect(self._config.host or "", self._config.broker_port, keepalive=_KEEP_ALIVE_S)
                self._client.loop_start()
                refusal = changes.get(timeout=_CONNECT_S)
            except (OSError, ValueError, Empty) as err:
                raise BrokerUnavailable(self._unreachable()) from err
            if refusal:
                raise BrokerUnavailable(refusal)
            return disconnect.pop_all()

    def _stay(self, _connection: ExitStack, is_closing: Event) -> str:
        return "" if is_closing.is_set() else self._changes.get()

    def _on_connect(
        self, client: Client, _user: Any, _flags: ConnectFlags, reason: ReasonCode, _more: Properties | None
    ) -> None:
        if reason.is_failure:
            self._changes.put(_(
                "Home automation: the broker {broker} refuses the table ({why}): check user and password "
                    "in [mqtt].",
                broker=self._broker, why=reason,
            ))  # fmt: skip
            return
        if self._last:
            self._introduce()
        client.publish(self._topics.availability, ONLINE, qos=1, retain=True)
        if self._config.control:
            client.subscribe(self._topics.command, qos=1)
        self._changes.put("")
        if self._has_failed:
            self._has_failed = False
            self._report(_("Home automation: the broker {broker} is back.", broker=self._broker))

    def _introduce(self) -> None:
        """Publish the retained messages."""
        self._announce(self._entities)
        self._client.publish(self._topics.state, self._last, qos=1, retain=True)

    def _announce(self, entities: Mapping[str, dict[str, Any] | None]) -> None:
        for topic, message in entities.items():
            self._client.publish(topic, "" if message is None else _text(message), qos=1, retain=True)

    def _on_disconnect(
        self, _client: Client, _user: Any, _flags: DisconnectFlags, reason: ReasonCode, _more: Properties | None
    ) -> None:
        if reason.is_failure:
            self._changes.put(self._unreachable())

    def _unreachable(self) -> str:
        return _("Home automation: the broker {broker} cannot be reached; the table goes on.", broker=self._broker)

    def _report_failure(self, reason: str) -> None:
        """Report the first failure since the broker worked."""
        if not self._has_failed:
            self._report(reason)
        self._has_failed = True

    def _on_message(self, _client: Client, _user: Any, message: MQTTMessage) -> None:
        # A retained message is an old one.
        if message.payload == PAUSE.encode() and not message.retain:
            self._pause()


def use_account(client: Client, config: Mqtt) -> None:
    """Give a client its account and its encryption.

    Raises:
        BadConfig: the certificate cannot be used.
    """
    if config.user is not None:
        client.username_pw_set(config.user, config.password)
    if config.tls:
        client.tls_set_context(_trusting(config.ca))


def _client_id(config: Mqtt) -> str:
    """The same each time, so that the table takes over from itself after a crash. Nobody without its password can send
    it: a client that connects with the id of another ends the other's connection (MQTT 3.1.1, 3.1.4-2). 23 characters,
    which every broker takes."""
    secret = "\0".join((config.id, config.user or "", config.password or ""))
    return f"croupier-{sha256(secret.encode()).hexdigest()[:14]}"


def _trusting(ca: Path | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca)
    except OSError as err:
        why = err.strerror or _("no certificate in PEM form")
        raise BadConfig(
            f"[mqtt] ca: {ca}: "
            + _("{why}: expected the certificate of the authority that signed the broker's", why=why)
        ) from err


def _text(message: dict[str, Any]) -> str:
    return json.dumps(message, ensure_ascii=False)
