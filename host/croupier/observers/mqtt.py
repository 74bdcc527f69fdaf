"""Home automation: publishes the table at an MQTT broker. The table never waits for the broker."""

from __future__ import annotations

import json
import ssl
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from paho.mqtt.client import (
    Client,
    ConnectFlags,
    DisconnectFlags,
    MQTTMessage,
)
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from croupier.config.sections import Mqtt
from croupier.errors import BadConfig
from croupier.events import SequencedEvent
from croupier.i18n import _
from croupier.observers.home_assistant import OFFLINE, ONLINE, PAUSE, TableState, Topics, discovery, ruling_event
from croupier.referee import Explainer, Header
from croupier.referee.position import Position
from croupier.referee.rulings import Ruling

_ALIVE_S: Final = 30
"""The broker says that the table is gone when it was silent for one and a half times as long."""

_PAUSES_S: Final = (1, 120)
"""The first pause before the broker is tried again, and the longest; each is twice the one before."""

_CONNECTS_S: Final = 5.0
_FAREWELL_S: Final = 1.0


class Publisher:
    """A listener that publishes, game after game. Nothing here waits for the broker: paho's own thread talks to it.

    ``name``: of the table; ``url``: of its page. ``tell``: given one line when the broker is lost and when it is back.
    ``pause``: called when somebody presses pause in the house, where that is allowed; both from another thread.
    """

    def __init__(
        self,
        config: Mqtt,
        name: str,
        tell: Callable[[str], None],
        pause: Callable[[], None],
        url: str = "",
        pauses_s: tuple[float, float] = _PAUSES_S,
    ) -> None:
        self._config, self._name, self._url = config, name, url
        self._tell, self._pause = tell, pause
        self._topics = Topics(config.id)
        self._state: TableState | None = None
        self._explainer: Explainer | None = None
        self._entities: dict[str, dict[str, Any] | None] = {}
        self._last = ""
        self._trouble = ""
        port = config.port or (8883 if config.tls else 1883)
        self._broker = f"{config.host}:{port}"
        self._client = client = Client(
            CallbackAPIVersion.VERSION2, f"croupier-{config.id}", protocol=MQTTProtocolVersion.MQTTv311
        )
        if config.user is not None:
            client.username_pw_set(config.user, config.password)
        if config.tls:
            client.tls_set_context(_trusting(config.ca))
        client.will_set(self._topics.availability, OFFLINE, qos=1, retain=True)
        # What waits for an acknowledgment is overtaken by what needs none: an old state would come after a new one.
        client.max_inflight_messages_set(0)
        client.reconnect_delay_set(*pauses_s)  # type: ignore[arg-type]  # fractions of a second do as well
        client.connect_timeout = _CONNECTS_S
        client.on_connect = self._connected
        client.on_connect_fail = self._not_reached
        client.on_disconnect = self._lost
        client.on_message = self._asked
        client.connect_async(config.host or "", port, keepalive=_ALIVE_S)
        client.loop_start()

    def begin(self, header: Header, state: TableState, explainer: Explainer) -> None:
        """From now on this game is told."""
        config = self._config
        self._entities = discovery(
            self._topics, header, self._name, prefix=config.discovery, control=config.control, url=self._url
        )
        self._explainer, self._state, self._last = explainer, state, _text(state.now)
        if self._client.is_connected():
            self._introduce()

    def __call__(self, event: SequencedEvent, rulings: Sequence[Ruling], position: Position) -> None:
        """Publish how the table stands, if that is new, and what was ruled."""
        assert self._state is not None
        assert self._explainer is not None
        self._state(event, rulings, position)
        new = _text(self._state.now)
        is_new, self._last = new != self._last, new
        if not self._client.is_connected():
            return
        if is_new:
            self._client.publish(self._topics.state, new, retain=True)
        for ruling in rulings:
            self._client.publish(self._topics.ruling, _text(ruling_event(ruling, self._explainer)))

    def close(self) -> None:
        """Say good-bye; the last state stays at the broker, as of a table that is away."""
        client = self._client
        if not client.is_connected():
            client.disconnect()
            return  # its thread may be waiting for a broker that does not answer, and ends with the program
        with suppress(RuntimeError, ValueError):  # it went away just now
            client.publish(self._topics.availability, OFFLINE, qos=1, retain=True).wait_for_publish(_FAREWELL_S)
        client.disconnect()
        client.loop_stop()

    def _connected(
        self, client: Client, _user: Any, _flags: ConnectFlags, reason: ReasonCode, _more: Properties | None
    ) -> None:
        if reason.is_failure:
            text = _(
                "Home automation: the broker {broker} refuses the table ({why}): look at [mqtt] user and password.",
                broker=self._broker,
                why=reason,
            )
            self._told(text)
            return
        if self._last:
            self._introduce()
        client.publish(self._topics.availability, ONLINE, qos=1, retain=True)
        if self._config.control:
            client.subscribe(self._topics.command, qos=1)
        if self._trouble:
            self._trouble = ""
            self._tell(_("Home automation: the broker {broker} is there again.", broker=self._broker))

    def _introduce(self) -> None:
        """All that whoever comes later is to find."""
        for topic, said in self._entities.items():
            self._client.publish(topic, "" if said is None else _text(said), qos=1, retain=True)
        self._client.publish(self._topics.state, self._last, qos=1, retain=True)

    def _not_reached(self, _client: Client, _user: Any) -> None:
        self._told(self._unreachable())

    def _lost(
        self, _client: Client, _user: Any, _flags: DisconnectFlags, reason: ReasonCode, _more: Properties | None
    ) -> None:
        if reason.is_failure:
            self._told(self._unreachable())

    def _unreachable(self) -> str:
        return _("Home automation: the broker {broker} cannot be reached; the table goes on.", broker=self._broker)

    def _told(self, trouble: str) -> None:
        """Once, until it is there again."""
        if not self._trouble:
            self._tell(trouble)
        self._trouble = trouble

    def _asked(self, _client: Client, _user: Any, message: MQTTMessage) -> None:
        # One that was kept is of another day.
        if message.payload == PAUSE.encode() and not message.retain:
            self._pause()


def _trusting(ca: Path | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca)
    except OSError as err:
        why = err.strerror or "no certificate in PEM form"
        raise BadConfig(
            f"[mqtt] ca: {ca}: " + _("{why}: expected the certificate of who signed the broker's", why=why)
        ) from err


def _text(said: dict[str, Any]) -> str:
    return json.dumps(said, ensure_ascii=False)
