"""All checks, by their ids: a cause before what follows from it."""

from __future__ import annotations

from typing import Final

from croupier.doctor.check import SLOW_DISK, UNPLUG, Check
from croupier.doctor.checks import camera, files, house, machine, pico

CHECKS: Final[dict[str, Check]] = {
    check.id: check
    for check in (
        Check("config.valid", files.config_valid),
        Check("config.private", files.config_private, needs="config.valid"),
        Check("versions", machine.versions),
        Check("memory", machine.memory),
        Check("disk.space", machine.disk_space, silent=SLOW_DISK),
        Check("clock.sane", machine.clock_sane),
        Check("power.supply", machine.power_supply),
        Check("machine.heat", machine.heat),
        Check("camera.opens", camera.opens, seconds=15.0, silent=UNPLUG),
        Check("camera.rate", camera.rate, needs="camera.opens", silent=UNPLUG),
        Check("camera.light", camera.light, needs="camera.opens", silent=UNPLUG),
        Check("camera.sharp", camera.sharp, needs="camera.opens", silent=UNPLUG),
        Check("table.calibrated", camera.calibrated, needs="config.valid", after=("camera.opens",)),
        Check("deck.learned", files.deck_learned, needs="config.valid", seconds=20.0),
        Check("pico.found", pico.found, seconds=10.0, silent=UNPLUG),
        Check("pico.firmware", pico.firmware, needs="pico.found", seconds=10.0, silent=UNPLUG),
        Check("pico.clock", pico.clock, needs="pico.firmware", silent=UNPLUG),
        Check("shoe.sensors", pico.shoe_sensors, needs="pico.firmware", silent=UNPLUG),
        Check("shoe.homes", pico.shoe_homes, needs="pico.firmware", seconds=40.0, silent=UNPLUG),
        Check("pins.free", pico.pins_free, needs="config.valid"),
        Check("panel.keys", pico.panel_keys, needs="config.valid", after=("pins.free", "pico.firmware"), silent=UNPLUG),
        Check("ring.lights", pico.ring_lights, needs="config.valid", after=("pico.firmware",), silent=UNPLUG),
        Check("journal.writes", files.journal_writes, silent=SLOW_DISK),
        Check("journal.whole", files.journal_whole, seconds=30.0, silent=SLOW_DISK),
        Check("journal.wear", files.journal_wear, needs="journal.whole", seconds=30.0, silent=SLOW_DISK),
        Check("page.port", house.page_port),
        Check("page.reach", house.page_reach),
        Check("voice.engine", house.voice_engine, needs="config.valid", seconds=15.0),
        Check("voice.sound", house.voice_sound, needs="config.valid", silent=UNPLUG),
        Check("mqtt.broker", house.mqtt_broker),
    )
}
