"""Libraries that may not be installed: the errors that say which extra to install."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Literal

from croupier.errors import (
    CannotServe,
    CannotWrite,
    CroupierError,
    MqttUnavailable,
    PortNotFound,
    WebhooksUnavailable,
)
from croupier.i18n import _, marked

Extra = Literal["mqtt", "paper", "phone", "pico", "web", "webhooks"]

_MISSING: Final[dict[Extra, tuple[type[CroupierError], str]]] = {
    "mqtt": (MqttUnavailable, marked("[mqtt] needs {module}: install croupier with its extra mqtt")),
    "paper": (CannotWrite, marked("a PDF needs {module}: install croupier with its extra paper")),
    "phone": (CannotServe, marked("a phone’s camera needs {module}: install croupier with its extra phone")),
    "pico": (PortNotFound, marked("the Pico needs {module}: install croupier with its extra pico")),
    "web": (CannotServe, marked("the page needs {module}: install croupier with its extra web")),
    "webhooks": (WebhooksUnavailable, marked("[[webhooks]] needs {module}: install croupier with its extra webhooks")),
}


@contextmanager
def requires_extra(extra: Extra) -> Iterator[None]:
    """Context in which the libraries of ``extra`` are imported.

    Raises:
        CroupierError: a library is not installed. The class is that of `_MISSING`.
    """
    try:
        yield
    except ModuleNotFoundError as missing:
        error, text = _MISSING[extra]
        raise error(_(text, module=missing.name)) from missing
