"""What is said where a part of the program is not installed."""

from __future__ import annotations

from croupier.errors import CannotServe, MqttUnavailable, PortNotFound
from croupier.i18n import _


def no_page(missing: ModuleNotFoundError) -> CannotServe:
    """There can be no page here."""
    return CannotServe(_("the page needs {module}: install croupier with its extra web", module=missing.name))


def no_pico(missing: ModuleNotFoundError) -> PortNotFound:
    """There can be no line to the Pico here."""
    return PortNotFound(_("the Pico needs {module}: install croupier with its extra pico", module=missing.name))


def no_mqtt(missing: ModuleNotFoundError) -> MqttUnavailable:
    """There can be no home automation here."""
    return MqttUnavailable(_("[mqtt] needs {module}: install croupier with its extra mqtt", module=missing.name))
