"""The commands of a table: run, setup, doctor, voice."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal, get_args

import typer

from croupier.cli.options import AsJson, ConfigFile, Deck, Host, Port, examples, one_of
from croupier.files import CONFIG


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
    if mend:
        from croupier.runtime.systemd import Systemd
        from croupier.setup.page import wait_until_valid

        wait_until_valid(config, Systemd())
    from croupier.runtime.run import run as play

    return play(config, is_new=new)


STEPS: Final = ("camera", "table", "deck", "seats", "shoe", "ring", "ruleset")


def setup(
    steps: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="STEP",
            help=f"Only these steps: {', '.join(STEPS)}.",
            show_default=False,
            callback=one_of("step", STEPS),
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
            help=f"With --shoe: test a simulated shoe with this fault: {', '.join(get_args(Provoked))}.",
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

    from croupier.doctor.shoe import report as trial

    table = load(config) if config.exists() or simulated is None else Config()
    if simulated is not None:
        return trial.simulated(table, deck, simulated, as_json=as_json)
    way: trial.Way = "camera" if camera else "counts" if counts else "cards"
    return trial.on_machine(table, deck, way, as_json=as_json)


voice_app = typer.Typer(rich_markup_mode=None, epilog=examples("croupier voice try"))


@voice_app.callback()
def voice() -> None:
    """Hear what the table says aloud."""


@voice_app.command(
    "try",
    epilog=examples(
        "croupier voice try",
        "croupier voice try --language el --name Γιώργος --name Ελένη",
        "croupier voice try --language de --voice de+f3 --into sounds",
    ),
)
def try_(
    voice: Annotated[str | None, typer.Option(metavar="VOICE", help="A voice of espeak-ng, such as de+f3.")] = None,
    volume: Annotated[int | None, typer.Option(metavar="N", min=0, max=100, help="The volume.")] = None,
    name: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="The name of a player; can be repeated.")
    ] = None,
    into: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Write WAV files to this folder instead.")] = None,
) -> None:
    """Play the sounds and speak the sentences of a game, one by one.

    Options that you do not give are taken from croupier.toml, if there is one.
    """
    from croupier.observers.voice_test import chosen, try_out

    settings, header = chosen(voice, volume, tuple(name or ()))
    print(f"{settings.language}, {settings.speed} words a minute, volume {settings.volume}", flush=True)
    try_out(settings, header, lambda line: print(f"  {line}", flush=True), into)
