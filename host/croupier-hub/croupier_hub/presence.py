"""Which tables of a club are on, as its broker knows by their last will."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from paho.mqtt.client import Client, ConnectFlags, DisconnectFlags, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from croupier.config.file import file_text, read
from croupier.errors import BadConfig
from croupier.i18n import _, marked
from croupier_extras.home_automation import Mqtt
from croupier_extras.home_automation.home_assistant import ONLINE, Topics
from croupier_extras.home_automation.mqtt import use_account
from croupier_hub.mosquitto import account_of

_ANY: Final = Topics("+").availability
_TABLE: Final = re.compile(Topics(account_of(r"([1-9][0-9]{0,6})")).availability)
_LONGEST_PAUSE_S: Final = 10
_EXPECTED: Final = marked("expected house.toml, as croupier tournament broker writes it")


def mqtt_account(file: Path) -> Mqtt:
    """Read the account of the house, or of a table, from the file that `write_broker` has written.

    Raises:
        BadConfig: it cannot be read, or is another file.
    """
    config = read(file_text(file, _EXPECTED), file, is_complete=False).plugin_sections.get("mqtt")
    if not isinstance(config, Mqtt) or config.host is None:
        raise BadConfig(f"{file}: {_(_EXPECTED)}")
    return config


class Presence:
    """The tables at the broker, each by its number. No call waits for the broker: paho's thread talks to it, and
    connects again. ``config``: as `write_broker` writes it for the house. Thread-safe.

    Raises:
        BadConfig: the certificate cannot be used.
    """

    def __init__(self, config: Mqtt) -> None:
        self._is_on: dict[int, bool] | None = None
        self._client = client = Client(CallbackAPIVersion.VERSION2)  # any number of hubs may look
        use_account(client, config)
        client.reconnect_delay_set(1, _LONGEST_PAUSE_S)
        client.suppress_exceptions = True
        client.on_connect = self._on_connect
        client.on_disconnect = self._on_disconnect
        client.on_message = self._on_message
        client.connect_async(config.host or "", config.broker_port)
        client.loop_start()

    @property
    def is_known(self) -> bool:
        """True if the broker answers."""
        return self._is_on is not None

    def is_on(self, table: int) -> bool | None:
        """True if a table is on and has a network; None while nobody knows."""
        return (self._is_on or {}).get(table)

    def close(self) -> None:
        """Look no more."""
        self._client.disconnect()
        self._client.loop_stop()

    def _on_connect(
        self, client: Client, _user: Any, _flags: ConnectFlags, reason: ReasonCode, _more: Properties | None
    ) -> None:
        if not reason.is_failure:
            self._is_on = {}
            client.subscribe(_ANY, qos=1)

    def _on_disconnect(
        self, _client: Client, _user: Any, _flags: DisconnectFlags, _reason: ReasonCode, _more: Properties | None
    ) -> None:
        self._is_on = None

    def _on_message(self, _client: Client, _user: Any, message: MQTTMessage) -> None:
        known = self._is_on
        if known is not None and (found := _TABLE.fullmatch(message.topic)):
            known[int(found[1])] = message.payload == ONLINE.encode()
