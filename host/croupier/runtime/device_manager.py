"""Everything that hangs on a table, put together by its configuration. Any part may be missing, or come later."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from croupier.alarms import AlarmRegistry
from croupier.config import Config
from croupier.config.model import layout, uses_pi_pins, uses_pico
from croupier.devices.gpio.panel import Asked
from croupier.devices.manual_dealer import ManualDealer
from croupier.devices.pico import OVERFLOW, Pico
from croupier.devices.protocols import DeviceEvent, EventSource, JobLog, Machine, NullRing, Page, Ring, Shoe
from croupier.devices.supervisor import Bell
from croupier.events import CommandGiven, Press, ShoeReport
from croupier.runtime.command_queue import Spoken
from croupier.runtime.factories import Makers, Now
from croupier.runtime.planner import Plan, seat_by_seat
from croupier.runtime.table import Devices, TableRun

GRACE_S: Final = 1.0
"""A Pico that is silent for so short a time is not missed: a cable that was touched, a reset."""
START_S: Final = 3.0
"""It is given so long to answer when the program starts."""


class Kit:
    """The parts of a table, and all their events as one `EventSource`. ``page``: where people are asked; ``heard``:
    told of each press.

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
        job_log: JobLog,
    ) -> None:
        self._now, self._alarms, self._heard, self._makers = now, alarms, heard, makers
        self._began = now()
        self._is_needed: dict[str, bool] = {}
        self._lost: dict[str, float] = {}
        self._machines: dict[str, Machine] = {}
        self.run: TableRun | None = None
        """What is played now."""
        self.zones = makers.zones(config)
        self.reader = makers.reader(config)
        self.camera = makers.camera(config, now, bell, self.zones)
        self.asked = asked = Asked(page)
        if uses_pico(config):
            line = makers.link(config.pico.port, now, bell.ring)
            self._add("pico", config, Pico(line, layout(config), job_log, has_buttons=config.buttons.kind == "pico"))
        if uses_pi_pins(config):
            self._add("pi", config, makers.pi(config, now, asked.seat, bell.ring, job_log))
        self.spoken = Spoken(now, bell.ring)
        self._sources: list[EventSource] = [*self._machines.values(), self.spoken]
        self.has_shoe = config.shoe.kind != "none"
        self.shoe = self._shoe(config)
        self.plan: Plan = layout(config).plan if config.shoe.kind == "pico" else seat_by_seat
        """In which order the shoe deals: only the Pico's has a turntable."""
        self._ring: Ring = NullRing()
        if config.ring.kind != "none":
            self._ring = self._machines[config.ring.kind].ring or self._ring
        self.devices = Devices(self.camera, self.shoe, self._ring, self, asked)

    def _shoe(self, config: Config) -> Shoe:
        if self.has_shoe:
            shoe = self._machines[config.shoe.kind].shoe
            assert shoe is not None
            return shoe
        dealer = ManualDealer(self.asked, self._now, sees_pile=self.zones is not None, needs_cards=self._needs_cards)
        self._sources.insert(0, dealer)
        return dealer

    def _add(self, name: str, config: Config, machine: Machine) -> None:
        self._machines[name] = machine
        self._is_needed[name] = name in (config.shoe.kind, config.buttons.kind)

    def start(self) -> None:
        """Open everything; what cannot be opened now is tried again."""
        self.camera.start()
        for machine in self._machines.values():
            machine.start()

    def close(self) -> None:
        """Motors and lights off, everything given back."""
        for machine in self._machines.values():
            machine.close()
        self.camera.close()

    def watch(self) -> dict[str, str]:
        """What fair play needs and does not work now: device and kind. What works or not is told as a trouble."""
        gone: dict[str, str] = {}
        now = self._now()
        for name, machine in self._machines.items():
            alarm = machine.alarm()
            if alarm is None:
                self._lost.pop(name, None)
                self._alarms.set(name, "")
                continue
            kind, detail = alarm
            since = self._lost.setdefault(name, now)
            if kind == OVERFLOW or (now - since >= GRACE_S and now - self._began >= START_S):
                self._alarms.set(name, kind, detail)
                if self._is_needed[name]:
                    gone[name] = kind
        fault = self._ring.fault
        self._alarms.set("ring", "gone" if fault else "", fault)
        stuck = ", ".join(key for machine in self._machines.values() for key in machine.stuck)
        self._alarms.set("buttons", "stuck" if stuck else "", stuck)
        return gone

    def watermark(self) -> float:
        """As `EventSource.watermark`."""
        return min(source.watermark() for source in self._sources)

    def poll(self) -> list[DeviceEvent]:
        """As `EventSource.poll`; the shoe handles each press and command first."""
        events = [event for source in self._sources for event in source.poll()]
        for event in events:
            if not isinstance(event, ShoeReport):
                self._press(event)
        return events

    def _press(self, press: Press | CommandGiven) -> None:
        """Go also means the machine: what it fed too much is back, its trouble is cleared, its motor may run; and the
        camera: one that was moved stays where it is."""
        if isinstance(press, Press) and press.key == "go":
            if self.run is not None:
                self.run.pile.stays()
            for machine in self._machines.values():
                machine.acknowledge()
        self.shoe.handle(press)
        self._heard(press)

    def _needs_cards(self) -> bool:
        return self.run is not None and self.run.position.draw_pile == 0
