"""The machine that is tried: the table's own, as `croupier.toml` has it, or a simulated one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from croupier.doctor.check_context import pico_link
from croupier.doctor.shoe.trial import Helper, Line
from croupier.errors import BadConfig
from croupier.i18n import _
from croupier.link.commands import Command
from croupier.link.conversation import Event
from croupier.optional_dependencies import load_plugin, plugins, requires_extra

if TYPE_CHECKING:
    from croupier.config import Config
    from croupier.devices.gpio.line import PiLine
    from croupier.devices.pico import Layout

_LOOK_S: Final = 0.005

SIMULATORS: Final = "croupier.shoe_simulators"
"""Entry point group; its one entry, ``board``, names a `ShoeSimulator`."""


@dataclass(frozen=True, slots=True)
class Machine:
    """``line`` to it, how its ``layout`` is, its ``clock`` (s)."""

    line: Line
    layout: Layout
    clock: Callable[[], float]
    has_turntable: bool = True


class SimulatedShoe(Line, Helper, Protocol):
    """A shoe in simulated time, and the person who clears its faults."""

    @property
    def piles(self) -> Sequence[Sequence[int]]:
        """For each seat the indices (in the deck) of the cards that lie before it, in the order of their arrival."""

    def now(self) -> float:
        """Simulated time (s)."""


ShoeSimulator = Callable[["Layout", int, str], AbstractContextManager[SimulatedShoe]]
"""Builds a shoe with a number of cards and a named fault, which the doctor has to find."""


def shoe_simulator() -> ShoeSimulator:
    """Return the installed simulator of the shoe.

    Raises:
        CannotSimulate: it is not installed.
    """
    simulator: ShoeSimulator = load_plugin(plugins(SIMULATORS)["board"])
    return simulator


@contextmanager
def configured(config: Config) -> Iterator[Machine]:
    """The shoe that the table has.

    Raises:
        BadConfig: it has none. PortNotFound: it is not there. GpioUnavailable: the pins cannot be used.
    """
    from croupier.config.model import layout, wiring

    match config.shoe.kind:
        case "pico":
            with requires_extra("pico"):
                link = pico_link(config)
            with link:
                yield Machine(link, layout(config), time.monotonic)
        case "pi":
            from croupier.devices.gpio.line import PiLine
            from croupier.devices.gpio.pins import Clock, Pins

            wired = wiring(config)
            pins = Pins(wired.factory)
            try:
                line = PiLine(pins, Clock(time.monotonic, time.monotonic, pins.has_stamps), wired.shoe)
                line.start()
                try:
                    yield Machine(_Polled(line), layout(config), time.monotonic, has_turntable=False)
                finally:
                    line.close()
            finally:
                pins.close()
        case "none":
            raise BadConfig(_('croupier.toml: [shoe] kind = "none": there is no shoe to try; expected pico or pi'))


class _Polled:
    """The Pi's own pins as a `Line`: asked often, since nothing rings when something happens there."""

    def __init__(self, line: PiLine) -> None:
        self._line = line
        self.send: Callable[[Command], bool] = line.send

    def wait(self, seconds: float) -> list[Event]:
        """What happened, waiting for it at most so long."""
        until = time.monotonic() + seconds
        while not (events := self._line.events()) and time.monotonic() < until:
            time.sleep(_LOOK_S)
        return events
