"""The command `firmware`: install the Pico's program, and check it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from croupier.cli.help_texts import examples
from croupier.cli.options import AsJson
from croupier.optional_dependencies import PICO, requires_extra

Port = Annotated[
    str,
    typer.Argument(
        metavar="PORT",
        help="A path such as /dev/ttyACM0, with or without wildcards; usb:SERIAL; or auto for the Pico on USB.",
    ),
]

firmware_app = typer.Typer(
    name="firmware",
    rich_markup_mode=None,
    help="Install the firmware on the Pico, and check it.",
    epilog=examples(
        "croupier firmware install", "croupier firmware image RPI_PICO.uf2 new-pico.uf2", "croupier firmware check"
    ),
)


@firmware_app.command(epilog=examples("croupier firmware install", "croupier firmware install /dev/ttyACM0"))
def install(port: Port = "auto") -> None:
    """Copy the firmware to a Pico with MicroPython, and start it. Only changed files are copied."""
    installer = _installer()
    greeted = installer.install(port, print)
    print(f"{greeted.board} runs Croupier ({greeted.world})")


@firmware_app.command(epilog=examples("croupier firmware image RPI_PICO.uf2 new-pico.uf2"))
def image(
    micropython: Annotated[
        Path,
        typer.Argument(metavar="MICROPYTHON.uf2", help="MicroPython for the Raspberry Pi Pico, as its maker gives it."),
    ],
    out: Annotated[Path, typer.Argument(metavar="OUT.uf2", help="The new file.")],
) -> None:
    """Write MicroPython and the firmware into one file for a new Pico.

    Copied onto the drive of a Pico in its boot loader, it replaces everything on the Pico, your own files, too.
    """
    from croupier.output_files import check_new, write_new

    check_new(out)
    with requires_extra(PICO):
        from croupier_extras.firmware import image as images
    found = images.read_micropython(micropython)
    contents = images.firmware_files(print)
    write_new(out, images.image(found, contents))
    print(f"{out}: MicroPython {found.version} and {len(contents)} files of the firmware")
    print("Hold BOOTSEL while you plug the Pico in, and copy this file onto the drive RPI-RP2.")
    print("Then: croupier firmware check")


@firmware_app.command(epilog=examples("croupier firmware check", "croupier firmware check --json"))
def check(port: Port = "auto", as_json: AsJson = False) -> int:
    """Check that the Pico runs the firmware of this program.

    The exit status is 1 if it does not.
    """
    installer = _installer()
    found = installer.greeting(port, installer.ANSWER_S)
    details: dict[str, str] = {}
    if is_right := isinstance(found, installer.Greeted):
        text = f"{found.board} runs this firmware ({found.world})"
        details = {"board": found.board, "world": found.world, "cause": found.cause}
    else:
        text = found if isinstance(found, str) else str(found.error)
    print(json.dumps({"ok": is_right, "found": text, **details}) if as_json else text)
    return 0 if is_right else 1


def _installer() -> Any:
    """The module that does it, which needs the extra `pico`."""
    with requires_extra(PICO):
        from croupier_extras.firmware import installer
    return installer
