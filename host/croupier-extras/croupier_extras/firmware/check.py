"""The check of `croupier doctor` that compares the files on the Pico."""

from __future__ import annotations

from typing import Final

from croupier.doctor.check import UNPLUG, Check, CheckContext
from croupier.doctor.checks.pico import INSTALL
from croupier.doctor.finding import Finding, absent, ok, wrong
from croupier.i18n import marked


def firmware_files(table: CheckContext) -> Finding:
    """Compare the checksums of the firmware's files with those of this program. The Pico restarts for it."""
    if not table.moves:
        return absent(marked("Not compared, since the Pico restarts for it: croupier doctor --try does it."))
    from croupier_extras.firmware.installer import differing_files

    assert table.link is not None
    table.link.close()  # the files are read at MicroPython's prompt, through the same port
    if differing := differing_files(table.config.pico.port):
        text = marked("Files on the Pico differ from the firmware of this program: {files}.")
        return wrong(text, INSTALL, files=", ".join(differing))
    return ok(marked("The checksums of all firmware files are those of this program."))


CHECKS: Final = (Check("pico.files", firmware_files, needs="pico.firmware", seconds=30.0, silent=UNPLUG),)
