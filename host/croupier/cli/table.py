"""The commands of a table: run, setup, doctor, voice."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, get_args

import typer

from croupier.cli.options import ConfigFile, Deck, examples
from croupier.files import CONFIG


def run(
    config: ConfigFile = CONFIG,
    new: Annotated[bool, typer.Option("--new", help="Begin a new game, even if the last one is not over.")] = False,
    mend: Annotated[
        bool,
        typer.Option("--mend", help="If the file is wrong or missing, wait until it is mended on a page."),
    ] = False,
) -> int:
    """Play at the table that croupier.toml describes.

    Goes on with the game that is not over, where it stood. The motor waits until somebody says go: with the key, on
    the page, or by typing it here. Any part may be missing, or come later.
    """
    if mend:
        from croupier.runtime.systemd import Notify
        from croupier.setup.page import wait_until_valid

        wait_until_valid(config, Notify())
    from croupier.runtime.play import play

    return play(config, is_new=new)


_NAMES = "camera, table, deck, seats, shoe, ring, ruleset"


def setup(
    steps: Annotated[
        list[str] | None, typer.Argument(metavar="STEP", help=f"Only these: {_NAMES}.", show_default=False)
    ] = None,
    config: ConfigFile = CONFIG,
    page: Annotated[bool, typer.Option("--page", help="On a page in the browser; also mends a broken file.")] = False,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="--page: where to listen; 0.0.0.0: to everybody.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option(metavar="N", min=0, max=65535, help="--page: its port; without: the first free one.")
    ] = None,
) -> int:
    """Describe the table in croupier.toml, step by step.

    Each step is tried before it is written, and can be redone.
    """
    from croupier.setup.steps import STEPS

    for name in steps or ():
        if name not in STEPS:
            raise typer.BadParameter(f"there is no step {name!r}; expected one of {', '.join(STEPS)}")
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
    try_: Annotated[
        bool, typer.Option("--try", help="Also try what moves or shines: the turntable goes home, the ring lights up.")
    ] = False,
    only: Annotated[
        list[str], typer.Option(metavar="ID", help="Only this check, or those that begin so: camera, pico.clock.")
    ] = [],  # noqa: B006  Typer makes a new one for each run
    bundle: Annotated[
        Path | None,
        typer.Option(metavar="FILE.zip", help="Also write a file for a bug report, without names, secrets and hands."),
    ] = None,
    shoe: Annotated[bool, typer.Option("--shoe", help="Deal a sorted deck and tell what to adjust.")] = False,
    deck: Deck = "g7942",
    counts: Annotated[
        bool, typer.Option("--counts", help="--shoe: ask only how many cards lie at each seat, not which.")
    ] = False,
    camera: Annotated[
        bool, typer.Option("--camera", help="--shoe: the camera reads the cards of each seat, laid open in rows.")
    ] = False,
    simulated: Annotated[
        Provoked | None,
        typer.Option(
            metavar="FAULT", help=f"--shoe: try a simulated shoe with this fault: {', '.join(get_args(Provoked))}."
        ),
    ] = None,
    config: ConfigFile = CONFIG,
    as_json: Annotated[bool, typer.Option("--json", help="The answer as one JSON line.")] = False,
) -> int:
    """Look what is wrong at this table, and what to do about it.

    What to mend first stands first. The exit status is 0 where all is well, 1 where something should be looked at, 2
    where something is wrong.
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


voice_app = typer.Typer(
    rich_markup_mode=None, help="Hear what the table says aloud.", epilog=examples("croupier voice try")
)


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
    volume: Annotated[int | None, typer.Option(metavar="N", min=0, max=100, help="How loud.")] = None,
    name: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Who plays; may be given again.")] = None,
    into: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write WAV files there instead, where nothing can be heard.")
    ] = None,
) -> None:
    """Say what is said in a game, sound by sound and sentence by sentence.

    What is not given is as croupier.toml has it, if there is one.
    """
    from croupier.observers.voice_test import chosen, try_out

    settings, header = chosen(voice, volume, tuple(name or ()))
    print(f"{settings.language}, {settings.speed} words a minute, volume {settings.volume}", flush=True)
    try_out(settings, header, lambda line: print(f"  {line}", flush=True), into)
