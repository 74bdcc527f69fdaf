"""`croupier doctor`: runs the checks and prints the findings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from croupier import plugins
from croupier.doctor.check import SLOW_DISK, UNPLUG, Check, CheckContext, examine
from croupier.doctor.checks import camera, files, machine, pico
from croupier.doctor.finding import by_urgency, publish
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
        Check("camera.opens", camera.opens, seconds=15.0, silent=UNPLUG),
        Check("camera.rate", camera.rate, needs="camera.opens", silent=UNPLUG),
        Check("camera.light", camera.light, needs="camera.opens", silent=UNPLUG),
        Check("camera.sharp", camera.sharp, needs="camera.opens", silent=UNPLUG),
        Check("table.calibrated", camera.calibrated, needs="config.valid", after=("camera.opens",)),
        Check("table.card", camera.card, needs="table.calibrated", seconds=20.0),
        Check("deck.learned", files.deck_learned, needs="config.valid", seconds=20.0),
        Check("pico.found", pico.found, seconds=10.0, silent=UNPLUG),
        Check("pico.firmware", pico.firmware, needs="pico.found", seconds=10.0, silent=UNPLUG),
        Check("pico.clock", pico.clock, needs="pico.firmware", silent=UNPLUG),
        Check("shoe.sensors", pico.shoe_sensors, needs="pico.firmware", silent=UNPLUG),
        Check("shoe.homes", pico.shoe_homes, needs="pico.firmware", seconds=40.0, silent=UNPLUG),
        Check("shoe.marks", pico.shoe_marks, "pico.firmware", ("shoe.homes",), 45.0, UNPLUG),
        Check("pins.free", pico.pins_free, needs="config.valid"),
        Check("panel.keys", pico.panel_keys, needs="config.valid", after=("pins.free", "pico.firmware"), silent=UNPLUG),
        Check("ring.lights", pico.ring_lights, needs="config.valid", after=("pico.firmware",), silent=UNPLUG),
        Check("journal.writes", files.journal_writes, silent=SLOW_DISK),
        Check("journal.whole", files.journal_whole, seconds=30.0, silent=SLOW_DISK),
        Check("journal.wear", files.journal_wear, needs="journal.whole", seconds=30.0, silent=SLOW_DISK),
        Check("page.port", machine.page_port),
        Check("page.reach", machine.page_reach),
        Check("page.user", machine.page_user),
        # One that lacks a package says so where a table uses it.
        *(check for checks in plugins.loaded(plugins.CHECKS).values() for check in checks),
    )
}


def report(file: Path, *, only: Sequence[str], moves: bool, bundle: Path | None, as_json: bool) -> int:
    """Examine the table that ``file`` describes. Return the exit status.

    Raises:
        CheckNotFound: ``only`` names an unknown check. CannotWrite: the bundle cannot be written.
    """
    if bundle is not None:
        plugin = plugins.load(plugins.BUNDLES, plugins.BUNDLE)
        plugin.check_place(bundle)
    wanted = _wanted(only)
    # Errors of drivers become findings, which must be English for programs and remote helpers.
    with CheckContext(file, moves=moves) as table, speaking("en" if as_json or bundle is not None else language()):
        findings = list(examine(table, wanted, CHECKS))
        if bundle is not None:
            inside = plugin.write(bundle, findings, table)
    status = publish(by_urgency(findings), table.greeted.world if table.greeted else "hardware", as_json=as_json)
    if bundle is not None and not as_json:
        print(f"{bundle}: {inside}")
    return status


def _wanted(only: Sequence[str]) -> list[Check]:
    """Return the checks with these ids, or in these groups; all without names."""
    named = {name: [one for one in CHECKS if one == name or one.startswith(f"{name}.")] for name in only}
    if unknown := next((name for name, found in named.items() if not found), None):
        every = ", ".join(CHECKS)
        raise CheckNotFound(_("--only {name}: unknown check: expected one of {all}", name=unknown, all=every))
    return [check for check in CHECKS.values() if not only or any(check.id in found for found in named.values())]
