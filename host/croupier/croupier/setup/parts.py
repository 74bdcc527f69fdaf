"""The parts that are at this machine: cameras, a Pico, pins, and what plug-ins need."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from cardsight.sources.found import FoundCamera, find_cameras
from croupier import plugins
from croupier.config.options import Switch
from croupier.link.link import PortFinder
from croupier.link.seen import Board

_MODEL: Final = Path("/proc/device-tree/model")

Device = Literal["pico", "pi"]


@dataclass(frozen=True, slots=True)
class Parts:
    """What is there. ``devices``: what buttons, shoe and ring can be connected to; ``switches``: paths of the options
    of plug-ins that can be on (`croupier.config.options.Switch`); ``boards``: the Picos on USB."""

    cameras: tuple[FoundCamera, ...] = ()
    devices: tuple[Device, ...] = ()
    switches: frozenset[tuple[str, ...]] = frozenset()
    boards: tuple[Board, ...] = ()


def find_parts() -> Parts:
    """Find the parts. Each camera is opened for a moment."""
    boards = tuple(PortFinder().boards())
    devices: list[Device] = ["pico"] if boards else []
    if _MODEL.exists() and "Raspberry Pi" in _MODEL.read_text(encoding="utf-8", errors="replace"):
        devices.append("pi")
    possible = frozenset((section, one.option) for section, one in switches() if one.is_possible())
    return Parts(find_cameras(), tuple(devices), possible, boards)


def switches() -> Iterator[tuple[str, Switch]]:
    """Yield the options of plug-ins that are asked for, each with the name of its section."""
    for name, kind in plugins.loaded(plugins.SECTIONS).items():
        yield from ((name, one) for one in getattr(kind, "switches", ()))
