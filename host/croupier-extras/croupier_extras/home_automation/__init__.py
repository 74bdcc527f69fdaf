"""Home automation: the table as a device of Home Assistant, at an MQTT broker.

This module has the section, the check of the doctor and the observer, and imports no library of MQTT.
"""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import AfterValidator

from croupier.config.options import File, Section, option
from croupier.doctor.check import Check, CheckContext
from croupier.doctor.finding import Finding, absent, ok, warning
from croupier.i18n import chosen, marked
from croupier.observers import ObservedGame, ObservedTable, TableObserver
from croupier.optional_dependencies import requires_extra
from croupier_extras.errors import MQTT
from croupier_extras.home_automation.home_assistant import RoundCounter, TableState
from croupier_extras.network import host_name
from croupier_rules.referee import Explainer, Header

if TYPE_CHECKING:
    from collections.abc import Sequence

    from croupier.events import SequencedEvent
    from croupier_extras.home_automation.mqtt import Publisher
    from croupier_rules.referee.position import Position
    from croupier_rules.referee.rulings import Ruling

MQTT_PORT: Final = 1883
MQTT_TLS_PORT: Final = 8883


class Mqtt(Section):
    """Home automation: reports to an MQTT broker, so that Home Assistant shows the table as a device."""

    host: Annotated[str, AfterValidator(host_name)] | None = option(
        None, "The broker. Default: no MQTT.", expected=marked("a name or an address"),
        example="homeassistant.local", min_length=1,
    )  # fmt: skip
    port: int | None = option(None, "Port. Default: 1883, or 8883 with tls.", example=1883, ge=1, le=65535)
    user: str | None = option(None, "User name.", example="croupier")
    password: str | None = option(
        None, "Password; chmod 600 croupier.toml keeps it private.", example="secret", is_secret=True
    )
    tls: bool = option(False, "Encrypt the connection.")
    ca: File | None = option(
        None,
        "The broker's certificate authority, if unknown here.",
        expected=marked("a file in PEM form"),
        example="ca.pem",
    )
    id: str = option(
        "table", "Unique id by which Home Assistant knows this table; do not change it.",
        expected=marked("letters, digits, - and _"), pattern=r"^[A-Za-z0-9_-]{1,60}$",
    )  # fmt: skip
    discovery: str = option(
        "homeassistant", "Topic where Home Assistant looks for devices.",
        expected=marked("a topic without #, + and spaces"), pattern=r"^[^#+\s]+$",
    )  # fmt: skip
    control: bool = option(False, "Allow pausing over MQTT. Play resumes only at the table or on its page.")

    @property
    def broker_port(self) -> int:
        """The port of the broker; by default the usual one."""
        return self.port or (MQTT_TLS_PORT if self.tls else MQTT_PORT)

    def lacks(self) -> tuple[str, ...]:
        """A password needs a user: MQTT sends none without a name."""
        return ("user",) if self.password is not None and self.user is None else ()


class HomeAutomation(TableObserver):
    """The observer of a table: its publisher, game after game."""

    def __init__(self, publisher: Publisher) -> None:
        self._publisher = publisher
        self._table: TableState | None = None
        self._game: ObservedGame | None = None

    def begin(self, game: ObservedGame) -> None:
        """Publish this game from now on."""
        self._game, self._table = game, TableState(game.header, game.position, RoundCounter(game.past))
        self.speak(game.header)

    def speak(self, header: Header) -> None:
        """Report to the home in the table's language of now what happens in the game."""
        if self._table is not None and self._game is not None:
            self._publisher.begin(header, self._table, Explainer(header, chosen()), self._game.pause)

    def __call__(self, event: SequencedEvent, rulings: Sequence[Ruling], position: Position) -> None:
        """Publish the state, if it has changed, and the rulings."""
        self._publisher(event, rulings, position)

    def close(self, finish_s: float = 0.0) -> None:
        """Go offline."""
        self._publisher.close()


def open_observer(section: Mqtt, table: ObservedTable) -> HomeAutomation | None:
    """Return the observer that the section asks for; None without a broker.

    Raises:
        MqttUnavailable: paho-mqtt is not installed. BadConfig: the certificate cannot be used.
    """
    if section.host is None:
        return None
    with requires_extra(MQTT):
        from croupier_extras.home_automation.mqtt import Publisher
    return HomeAutomation(Publisher(section, table.name, table.report, table.page))


BROKER_S: Final = 3.0


def _broker(table: CheckContext) -> Finding:
    """Check that the MQTT broker answers."""
    mqtt = table.config.plugin_sections.get("mqtt")
    if not isinstance(mqtt, Mqtt) or mqtt.host is None:
        return absent(marked("This table uses no broker."))
    port = mqtt.broker_port
    try:
        with socket.create_connection((mqtt.host, port), timeout=BROKER_S):
            return ok(marked("The broker answers on port {port}."), port=port)
    except OSError as err:
        return warning(
            marked("The broker {host} does not answer on port {port}: {why}."),
            marked("Check host and port in [mqtt], and whether the broker is running; the table works without it."),
            host=mqtt.host, port=port, why=str(err.strerror or err),
        )  # fmt: skip


CHECKS: Final = (Check("mqtt.broker", _broker),)
