"""The commands of a table: run, setup, doctor."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Final, Literal, get_args

import typer

from croupier.cli.help_texts import filled
from croupier.cli.options import AsJson, ConfigFile, Deck, Host, Port, one_of
from croupier.errors import CannotServe
from croupier.files import CONFIG
from croupier.i18n import _


def check_system() -> None:
    """Raise `CannotServe` on Windows, which lacks the locks of the journal and the processes of the page."""
    if sys.platform == "win32":
        raise CannotServe(
            _("a table does not run on Windows itself: run croupier in WSL, with a phone as camera (--camera http://…)")
        )


def run(
    config: ConfigFile = CONFIG,
    new: Annotated[bool, typer.Option("--new", help="Start a new game, even if the last one is not over.")] = False,
    mend: Annotated[
        bool, typer.Option("--mend", help="If the file is invalid or missing, wait until it is corrected on a page.")
    ] = False,
) -> int:
    """Play at the table that croupier.toml describes.

    An unfinished game continues where it stopped. The motor waits until somebody gives the go: with the key, on the
    page, or by typing go here. Any device may be missing, or be connected later.
    """
    check_system()
    if mend:
        from croupier.runtime.systemd import Systemd
        from croupier.setup.page import wait_until_valid

        wait_until_valid(config, Systemd())
    from croupier.runtime.run import run as play

    return play(config, is_new=new)


def host(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="The players, clockwise; by default as last time.", show_default=False),
    ] = None,
    camera: Annotated[
        str | None,
        typer.Option(
            metavar="SOURCE",
            help="The camera: usb:0, phone for its browser, the address of a phone's camera app, or none; by default "
            "as chosen on the page, at first the last one found.",
        ),
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
    new: Annotated[bool, typer.Option("--new", help="Start a new game, even if the last one is not over.")] = False,
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The file for what is settled; by default one in your own folder."),
    ] = None,
) -> int:
    """Play with a laptop and a webcam, or a phone above the table: no file to write, people deal.

    Finds the cameras, and the UNO buttons at a Pico, and opens the page: it shows what the camera sees, and asks for
    the place of the discard pile. Phones join by the QR code.
    """
    check_system()
    from croupier.runtime.host import host_table

    return host_table(config, names or (), camera, opens_browser=browser, is_new=new)


STEPS: Final = ("camera", "table", "deck", "seats", "shoe", "ring", "ruleset")


def setup(
    steps: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="STEP",
            help=filled("Only these steps: {names}.", names=", ".join(STEPS)),
            show_default=False,
            callback=one_of(STEPS),
        ),
    ] = None,
    config: ConfigFile = CONFIG,
    page: Annotated[
        bool, typer.Option("--page", help="Use a page in the browser, which can also correct an invalid file.")
    ] = False,
    host: Host = "127.0.0.1",
    port: Port = None,
) -> int:
    """Describe the table in croupier.toml, step by step.

    Each step is checked before it is saved, and can be repeated.
    """
    if page:
        from croupier.setup.page import serve

        return serve(config, host, port)
    from croupier.setup.terminal import set_up

    return set_up(config, steps or ())


Provoked = Literal[
    "nothing", "sticky", "double", "hidden-double", "slip", "worn-roller", "light-weight", "lost-steps", "belt-slips",
    "no-magnet", "dirty-exit", "brown-out",
]  # fmt: skip


def doctor(
    try_: Annotated[bool, typer.Option("--try", help="Also test moving parts and lights: turntable and ring.")] = False,
    only: Annotated[
        list[str], typer.Option(metavar="ID", help="Only this check or group of checks, such as pico.clock or camera.")
    ] = [],  # noqa: B006  Typer makes a new one for each run
    bundle: Annotated[
        Path | None,
        typer.Option(metavar="FILE.zip", help="Write a file for a bug report, without names, secrets or hands."),
    ] = None,
    shoe: Annotated[bool, typer.Option("--shoe", help="Deal a sorted deck and say what to adjust.")] = False,
    deck: Deck = "g7942",
    counts: Annotated[
        bool, typer.Option("--counts", help="With --shoe: only ask how many cards each seat got.")
    ] = False,
    camera: Annotated[
        bool, typer.Option("--camera", help="With --shoe: the camera reads the cards of each seat, in rows.")
    ] = False,
    simulated: Annotated[
        Provoked | None,
        typer.Option(
            metavar="FAULT",
            help=filled("With --shoe: test a simulated shoe: {names}.", names=", ".join(get_args(Provoked))),
        ),
    ] = None,
    config: ConfigFile = CONFIG,
    as_json: AsJson = False,
) -> int:
    """Find out what is wrong with this table, and what to do about it.

    The most urgent finding comes first. The exit status is 0 if all is well, 1 if there are warnings, 2 if something is
    wrong.
    """
    from croupier.config import Config, load

    if not shoe and simulated is None:
        from croupier.doctor.runner import report

        return report(config, only=only, moves=try_, bundle=bundle, as_json=as_json)

    from croupier import plugins

    trial = plugins.load(plugins.TRIALS, plugins.SHOE_TRIAL)
    table = load(config) if config.exists() or simulated is None else Config()
    if simulated is not None:
        return int(trial.simulated(table, deck, simulated, as_json=as_json))
    way = "camera" if camera else "counts" if counts else "cards"
    return int(trial.on_machine(table, deck, way, as_json=as_json))
