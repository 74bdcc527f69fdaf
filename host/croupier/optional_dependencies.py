"""Parts of the program that may not be installed: how plugins are found, and the errors that say what to install."""

from __future__ import annotations

from importlib.metadata import EntryPoint, EntryPoints, distribution
from typing import Any

from croupier.errors import CannotServe, CannotSimulate, MqttUnavailable, PortNotFound
from croupier.i18n import _, marked


def no_page(missing: ModuleNotFoundError) -> CannotServe:
    """There can be no page here."""
    return CannotServe(_("the page needs {module}: install croupier with its extra web", module=missing.name))


def no_pico(missing: ModuleNotFoundError) -> PortNotFound:
    """There can be no line to the Pico here."""
    return PortNotFound(_("the Pico needs {module}: install croupier with its extra pico", module=missing.name))


def no_mqtt(missing: ModuleNotFoundError) -> MqttUnavailable:
    """There can be no home automation here."""
    return MqttUnavailable(_("[mqtt] needs {module}: install croupier with its extra mqtt", module=missing.name))


def plugins(group: str) -> EntryPoints:
    """Return the entry points of a group that this distribution offers; other distributions are not searched."""
    return distribution("croupier").entry_points.select(group=group)


def load_plugin(entry: EntryPoint) -> Any:
    """Load the object that an entry point names.

    Raises:
        CannotSimulate: its package is not installed; the benchmarks are not in the wheel.
    """
    try:
        return entry.load()
    except ModuleNotFoundError as err:
        raise CannotSimulate(
            marked("{module} is not installed: it is part of a checkout of Croupier; run make setup there"),
            module=err.name,
        ) from err
