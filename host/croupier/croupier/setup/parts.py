"""The parts that are at this machine: cameras, a Pico, pins, a voice."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import Final, Literal

from cardsight.sources.found import FoundCamera, find_cameras
from croupier.link.link import PortFinder
from croupier.observers.voice.synthesis import ESPEAK

_MODEL: Final = Path("/proc/device-tree/model")

Device = Literal["pico", "pi"]


@dataclass(frozen=True, slots=True)
class Parts:
    """What is there. ``devices``: what buttons, shoe and ring can be connected to; ``has_voice``: the table can
    speak."""

    cameras: tuple[FoundCamera, ...] = ()
    devices: tuple[Device, ...] = ()
    has_voice: bool = False


def find_parts() -> Parts:
    """Find the parts. Each camera is opened for a moment."""
    devices: list[Device] = ["pico"] if PortFinder().find() is not None else []
    if _MODEL.exists() and "Raspberry Pi" in _MODEL.read_text(encoding="utf-8", errors="replace"):
        devices.append("pi")
    return Parts(find_cameras(), tuple(devices), which(ESPEAK) is not None)
