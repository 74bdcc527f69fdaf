"""Everything that hangs on a table, put together by its configuration. Any part may be missing, or come later."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, Any, Final

from croupier.alarms import AlarmRegistry
from croupier.commands import CountFedCards
from croupier.config import Config
from croupier.config.model import hangs_on_pi, hangs_on_pico, layout
from croupier.devices.gpio.panel import Asked, GpioPanel
from croupier.devices.manual_dealer import ByHand
from croupier.devices.pico import LateLine, Pico, PicoShoe
from croupier.devices.protocols import Light, Page, Panel, Ring, Shoe
from croupier.devices.supervisor import Bell
from croupier.events import CommandGiven, Press
from croupier.runtime.command_queue import Spoken
from croupier.runtime.factories import Makers, Now
from croupier.runtime.planner import Plan, seat_by_seat
from croupier.runtime.table import Devices, TableRun
from croupier.supervisor import until_closed

if TYPE_CHECKING:
    from croupier.devices.gpio import GpioPins

GRACE_S: Final = 1.0
"""A Pico that is silent for so short a time is not missed: a cable that was touched, a reset."""
START_S: Final = 3.0
"""It is given so long to answer when the program starts."""


CHECK_S: Final = 1.0
"""How often the Pi's pins are asked whether they still work."""


def _until_trouble(pins: GpioPins, is_closing: Event) -> str:
    """Stay with the pins until something has failed there."""
    while not (pins.trouble or is_closing.wait(CHECK_S)):
        pass
    return pins.trouble


class NoRing:
    """A `Ring` where there is none."""

    def show(self, light: Light) -> None:
        """Nobody sees it."""


class Panels:
    """All keys of the table as one `Panel`. ``heard`` is told of each press before it goes on; ``late``: the panel on
    the Pi's pins, while these are open."""

    def __init__(self, always: tuple[Panel, ...], heard: Callable[[Press | CommandGiven], None]) -> None:
        self._always, self._heard = always, heard
        self.late: GpioPanel | None = None

    def presses(self) -> tuple[Press | CommandGiven, ...]:
        """What has been pressed since the last call."""
        late = self.late
        panels = self._always if late is None else (*self._always, late)
        pressed = tuple(press for panel in panels for press in panel.presses())
        for press in pressed:
            self._heard(press)
        return pressed


class Kit:
    """The parts of a table. ``page``: where people are asked; ``heard``: told of each press.

    Raises:
        CroupierError: something that the configuration names cannot be used.
    """

    def __init__(
        self,
        config: Config,
        now: Now,
        bell: Bell,
        alarms: AlarmRegistry,
        page: Page,
        heard: Callable[[Press | CommandGiven], None],
        makers: Makers,
    ) -> None:
        self._now, self._alarms, self._heard, self._makers = now, alarms, heard, makers
        self._began = now()
        self._supervisors: list[Any] = []
        self._is_needed: dict[str, bool] = {}
        self._lost: dict[str, float] = {}
        self._picos: dict[str, Pico] = {}
        self._lines: dict[str, Any] = {}
        self.run: TableRun | None = None
        """What is played now."""
        self.zones = makers.zones(config)
        self.reader = makers.reader(config)
        self.camera = makers.camera(config, now, bell, self.zones)
        self.asked = asked = Asked(page)
        keys: list[Panel] = []
        if hangs_on_pico(config):
            self._hang("pico", config, lambda: makers.link(config.pico.port, now, bell.ring))
            if config.buttons.kind == "pico":
                keys.append(self._picos["pico"].buttons)
        if hangs_on_pi(config):
            self._hang("pi", config, lambda: makers.pins(config, now, asked.seat, bell.ring))
        self.shoe: Shoe = (
            self._picos[config.shoe.kind].shoe
            if config.shoe.kind != "none"
            else ByHand(asked, now, sees_pile=self.zones is not None, needs_cards=self._needs_cards)
        )
        self.has_shoe = config.shoe.kind != "none"
        self.plan: Plan = layout(config).plan if config.shoe.kind == "pico" else seat_by_seat
        """In which order the shoe deals: only the Pico's has a turntable."""
        ring: Ring = NoRing() if config.ring.kind == "none" else self._picos[config.ring.kind].ring
        self._panels = Panels(tuple(keys), self._press)
        self.spoken = Spoken(self._panels, now, bell.ring, self._press)
        self.devices = Devices(self.camera, self.shoe, ring, self.spoken, asked, self._told_until)

    def start(self) -> None:
        """Open everything; what cannot be opened now is tried again."""
        self.camera.start()
        for supervisor in self._supervisors:
            supervisor.start()

    def close(self) -> None:
        """Motors and lights off, everything given back."""
        for supervisor in self._supervisors:
            supervisor.close()
        self.camera.close()

    def watch(self) -> dict[str, str]:
        """What fair play needs and does not work now: device and kind. What works or not is told as a trouble."""
        gone: dict[str, str] = {}
        for name, pico in self._picos.items():
            pico.step()
            wrong = self._wrong(name, pico)
            if wrong is None:
                self._lost.pop(name, None)
                self._alarms.set(name, "")
                continue
            now = self._now()
            since = self._lost.setdefault(name, now)
            if now - since >= GRACE_S and now - self._began >= START_S:
                kind, line = wrong
                self._alarms.set(name, kind, line)
                if self._is_needed[name]:
                    gone[name] = kind
        ring = getattr(self._lines.get("pi"), "ring_trouble", "")
        self._alarms.set("ring", "gone" if ring else "", ring)
        stuck = self._stuck()
        self._alarms.set("buttons", "stuck" if stuck else "", stuck)
        return gone

    def _stuck(self) -> str:
        """Which keys hang, in one line."""
        seats = self._picos["pico"].buttons.stuck if "pico" in self._picos else ()
        keys = [f"uno {seat}" for seat in seats]
        if (late := self._panels.late) is not None:
            keys += [one.key if one.seat is None else f"{one.key} {one.seat}" for one in late.stuck()]
        return ", ".join(keys)

    def _hang(self, name: str, config: Config, open_part: Callable[[], Any]) -> None:
        """Something hangs on the Pico, or on the Pi's pins."""
        late = LateLine(self._now)
        self._picos[name] = Pico(late, layout(config))
        self._is_needed[name] = name in (config.shoe.kind, config.buttons.kind)

        def use(part: Any) -> None:
            self._lines[name] = part
            late.use(getattr(part, "line", part))
            if name == "pi":
                self._panels.late = getattr(part, "panel", None)

        # The link finds its port again by itself.
        stay = _until_trouble if name == "pi" else until_closed
        wrong = partial(self._alarms.set, name, "gone")
        self._supervisors.append(self._makers.supervisor(name, open_part, wrong, use=use, stay=stay))

    def _wrong(self, name: str, pico: Pico) -> tuple[str, str] | None:
        """Kind of the trouble and what exactly; None while all is well."""
        if pico.greeted is not None:
            return None
        line = getattr(self._lines.get(name), "trouble", "") or pico.trouble
        return ("other-firmware" if pico.is_mismatched else "gone"), line

    def _press(self, press: Press | CommandGiven) -> None:
        """Go also means the machine: what it fed too much is back, its trouble is cleared, its motor may run; and the
        camera: one that was moved stays where it is."""
        if self.run is not None and isinstance(press, Press) and press.key == "go":
            self.run.pile.stays()
        if isinstance(self.shoe, ByHand):
            self.shoe.pressed(press)
        elif isinstance(self.shoe, PicoShoe):
            match press:
                case Press(key="go"):
                    self.shoe.go()
                case CommandGiven(command=CountFedCards(n=n)):
                    self.shoe.settle(n)
                case _:
                    pass
        self._heard(press)

    def _told_until(self) -> float:
        return min([self.spoken.told_until(), *(pico.told_until() for pico in self._picos.values())])

    def _needs_cards(self) -> bool:
        return self.run is not None and self.run.position.draw_pile == 0
