"""The errors of plug-ins in this package, and the extras that they need."""

from __future__ import annotations

from typing import Final

from croupier.errors import CannotServe, CroupierError
from croupier.i18n import marked
from croupier.optional_dependencies import Extra


class MqttUnavailable(CroupierError, RuntimeError):
    """Home automation is configured, but its packages are not installed."""


class BrokerUnavailable(CroupierError, ConnectionError):
    """The MQTT broker cannot be reached, or refuses the table."""


class WebhooksUnavailable(CroupierError, RuntimeError):
    """Webhooks are configured, but their packages are not installed."""


class BadSpreadsheet(CroupierError, ValueError):
    """A file is no table, or not one that can be understood; the text says the line and what was expected."""


class SpreadsheetsUnavailable(CroupierError, RuntimeError):
    """A table as text was to be read, but the packages for it are not installed."""


class VoiceUnavailable(CroupierError, OSError):
    """Speech cannot be made: espeak-ng is missing, or lacks a voice."""


class SoundUnavailable(CroupierError, OSError):
    """Sound cannot be played: no sound card, or no program that plays."""


class BadUpdate(CroupierError, ValueError):
    """A version cannot be taken, or the table does not work with it; the text says what runs now."""


class BadBackup(CroupierError, ValueError):
    """A backup cannot be written or taken back; nothing was changed."""


MQTT: Final = Extra(
    MqttUnavailable, marked("[mqtt] needs {module}: install croupier with its extra mqtt"), "croupier[mqtt]"
)
PHONE: Final = Extra(
    CannotServe, marked("a phone’s camera needs {module}: install croupier with its extra phone"), "croupier[phone]"
)
SPREADSHEETS: Final = Extra(
    SpreadsheetsUnavailable,
    marked("a table needs {module}: install croupier-extras with its extra spreadsheets"),
    "croupier-extras[spreadsheets]",
)
WEBHOOKS: Final = Extra(
    WebhooksUnavailable,
    marked("[[webhooks]] needs {module}: install croupier with its extra webhooks"),
    "croupier[webhooks]",
)
