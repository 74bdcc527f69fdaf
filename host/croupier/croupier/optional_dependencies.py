"""Parts of the program that may not be installed: how plugins are found, and the errors that say what to install."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Literal

from croupier.errors import (
    BadHub,
    CannotServe,
    CannotSimulate,
    CannotWrite,
    CroupierError,
    MqttUnavailable,
    PortNotFound,
    WebhooksUnavailable,
)
from croupier.i18n import _, marked

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

Extra = Literal["hub", "mqtt", "paper", "phone", "pico", "web", "webhooks"]

_MISSING: Final[dict[Extra, tuple[type[CroupierError], str]]] = {
    "hub": (BadHub, marked("a tournament needs {module}: install croupier with its extra hub")),
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


DISTRIBUTIONS: Final = {
    "bench": "croupier-bench",
    "board": "croupier-sim",
    "demo": "croupier-sim",
    "tables": "croupier-sim",
}
"""The plugins of this repository by name, and the distribution that each comes with."""


def plugins(group: str) -> EntryPoints:
    """The entry points of a group that the installed distributions offer."""
    from importlib.metadata import entry_points  # loads the library for e-mail

    return entry_points(group=group)


def load_plugin(group: str, name: str) -> Any:
    """Load the object of a plugin: an entry point of that name.

    Raises:
        CannotSimulate: its distribution, or a package that it needs, is not installed.
    """
    missing = DISTRIBUTIONS.get(name, name)
    for entry in plugins(group):
        if entry.name == name:
            try:
                return entry.load()
            except ModuleNotFoundError as err:
                missing = err.name or missing
    raise CannotSimulate(
        marked("{module} is not installed: it is part of a checkout of Croupier; run make setup there"), module=missing
    )
