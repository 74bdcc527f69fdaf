"""`croupier doctor`: asks all checks and tells what to mend."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from croupier.doctor.check import SLOW_DISK, UNPLUG, Check, CheckContext, examine
from croupier.doctor.checks import camera, files, machine, pico
from croupier.doctor.finding import by_urgency, exit_status, print_findings
from croupier.errors import CheckNotFound
from croupier.i18n import _, language, speaking

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
        Check("pico.files", pico.firmware_files, needs="pico.firmware", seconds=30.0, silent=UNPLUG),
        Check("journal.writes", files.journal_writes, silent=SLOW_DISK),
        Check("journal.whole", files.journal_whole, seconds=30.0, silent=SLOW_DISK),
        Check("journal.wear", files.journal_wear, needs="journal.whole", seconds=30.0, silent=SLOW_DISK),
        Check("page.port", machine.page_port),
        Check("page.reach", machine.page_reach),
        Check("voice.engine", machine.voice_engine, needs="config.valid", seconds=15.0),
        Check("voice.sound", machine.voice_sound, needs="config.valid", silent=UNPLUG),
        Check("mqtt.broker", machine.mqtt_broker),
    )
}


def report(file: Path, *, only: Sequence[str], moves: bool, bundle: Path | None, as_json: bool) -> int:
    """Examine the table that ``file`` describes. Returns the exit status.

    Raises:
        CheckNotFound: ``only`` names one that there is not. CannotWrite: the bundle cannot be written.
    """
    from croupier.doctor.bundle import check_place, write

    if bundle is not None:
        check_place(bundle)
    wanted = _wanted(only)
    # What cannot be opened says so in words of its own, which then are for programs and far-away helpers.
    with CheckContext(file, moves=moves) as table, speaking("en" if as_json or bundle is not None else language()):
        findings = list(examine(table, wanted, CHECKS))
        if bundle is not None:
            inside = write(bundle, findings, table)
    world = table.greeted.world if table.greeted else "hardware"
    if as_json:
        print(json.dumps({"world": world, "findings": [finding.to_json() for finding in by_urgency(findings)]}))
    else:
        print_findings(findings, "" if world == "hardware" else world)
        if bundle is not None:
            print(f"{bundle}: {inside}")
    return exit_status(findings)


def _wanted(only: Sequence[str]) -> list[Check]:
    """The checks whose ids are named, or begin so."""
    for name in only:
        if not any(_is_meant(name, check) for check in CHECKS):
            raise CheckNotFound(
                _("--only {name}: there is no such check: expected one of {all}", name=name, all=", ".join(CHECKS))
            )
    return [one for one in CHECKS.values() if not only or any(_is_meant(name, one.id) for name in only)]


def _is_meant(name: str, check: str) -> bool:
    return check == name or check.startswith(f"{name}.")
