"""All checks, by their ids: a cause before what follows from it."""

from __future__ import annotations

from typing import Final

from croupier.app.doctor.check import Check
from croupier.app.doctor.checks import camera, files, house, machine, pico

CHECKS: Final[dict[str, Check]] = {
    check.id: check
    for check in (
        Check("config.valid", files.config_valid),
        Check("config.private", files.config_private, needs="config.valid"),
        Check("versions", machine.versions),
        Check("memory", machine.memory),
        Check("disk.space", machine.disk_space),
        Check("clock.sane", machine.clock_sane),
        Check("power.supply", machine.power_supply),
        Check("machine.heat", machine.heat),
        Check("camera.opens", camera.opens, seconds=15.0),
        Check("camera.rate", camera.rate, needs="camera.opens"),
        Check("camera.light", camera.light, needs="camera.opens"),
        Check("camera.sharp", camera.sharp, needs="camera.opens"),
        Check("table.calibrated", camera.calibrated, needs="config.valid", after=("camera.opens",)),
        Check("deck.learned", files.deck_learned, needs="config.valid", seconds=20.0),
        Check("pico.found", pico.found, seconds=10.0),
        Check("pico.firmware", pico.firmware, needs="pico.found", seconds=10.0),
        Check("pico.clock", pico.clock, needs="pico.firmware"),
        Check("shoe.sensors", pico.shoe_sensors, needs="pico.firmware"),
        Check("shoe.homes", pico.shoe_homes, needs="pico.firmware", seconds=40.0),
        Check("pins.free", pico.pins_free, needs="config.valid"),
        Check("panel.keys", pico.panel_keys, needs="config.valid", after=("pins.free", "pico.firmware")),
        Check("ring.lights", pico.ring_lights, needs="pico.firmware"),
        Check("journal.writes", files.journal_writes),
        Check("journal.whole", files.journal_whole, seconds=30.0),
        Check("journal.wear", files.journal_wear, needs="journal.whole", seconds=30.0),
        Check("page.port", house.page_port),
        Check("page.reach", house.page_reach),
        Check("voice.engine", house.voice_engine, needs="config.valid", seconds=15.0),
        Check("voice.sound", house.voice_sound, needs="config.valid"),
        Check("mqtt.broker", house.mqtt_broker),
    )
}
