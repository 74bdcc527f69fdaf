"""`croupier demo`: the command line. Functions import heavy modules themselves, so that `croupier --help` is quick."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from croupier.cli.help_texts import examples
from croupier.cli.options import House
from croupier.i18n import _

app = typer.Typer()


@app.command(
    epilog=examples(
        "croupier demo",
        "croupier demo --headless --seed 7 --json",
        "croupier demo --house party",
        "croupier demo --rounds 3 --log game.jsonl",
    )
)
def demo(
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="The same seed plays the same game.")] = 1,
    ruleset: Annotated[
        str, typer.Option(metavar="NAME", help="The ruleset: one that `croupier rules` lists.")
    ] = "g7942-en",
    house: House = None,
    seats: Annotated[int, typer.Option(metavar="N", min=2, max=10, help="How many play.")] = 4,
    rounds: Annotated[int, typer.Option(metavar="N", min=1, help="How many rounds are played.")] = 1,
    until_game_over: Annotated[bool, typer.Option("--until-game-over", help="Play until the game is won.")] = False,
    faults: Annotated[
        bool,
        typer.Option(
            "--faults", help="Let everything fail now and then: line, board, shoe, buttons, camera, disk; and misread."
        ),
    ] = False,
    habits: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="What the players are like: plain, slow, forgetful, bluffing, cheating or hasty (plays out of turn); "
            "one for all or, with commas, one for each seat; by default as the seed has it.",
        ),
    ] = "",
    headless: Annotated[bool, typer.Option("--headless", help="Show nothing, play as fast as possible.")] = False,
    log: Annotated[Path | None, typer.Option(metavar="FILE", help="Keep the table log in this new file.")] = None,
    picture: Annotated[
        str | None, typer.Option(metavar="OUT.png", help="What the camera saw at the end, with what was read.")
    ] = None,
    speed: Annotated[
        float | None,
        typer.Option(
            metavar="X", min=0.1, help="Simulated seconds in a second; by default 1 while the page is open, else 4."
        ),
    ] = None,
    journal: Annotated[Path | None, typer.Option(metavar="FILE", help="Keep the game in this journal.")] = None,
    port: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, max=65535, help="The port of the page; by default the first free one."),
    ] = None,
    page: Annotated[bool, typer.Option("--page/--no-page", help="Show it on a page, too.")] = True,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
    voice: Annotated[bool, typer.Option("--voice", help="Say aloud what happens.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one line for each result.")] = False,
) -> int:
    """Play at a simulated table with the real reader and referee.

    The camera's pictures are computed; people, shoe and table are simulated. What is played reaches the referee only
    through the camera. The exit status is 1 if the result differs from what really happened at the simulated table.
    """
    from tempfile import mkdtemp

    from croupier_sim.demo.game import DemoOptions
    from croupier_sim.demo.presentation import DemoOutput, play

    options = DemoOptions(
        seed=seed, ruleset=ruleset, house=house, seats=seats, rounds=None if until_game_over else rounds, faults=faults,
        habits=_habits(habits, seats),
    )  # fmt: skip
    if picture is None and not headless:
        picture = str(Path(mkdtemp(prefix="croupier-")) / "table.png")
    output = DemoOutput(
        headless=headless, with_page=page and not headless, as_json=as_json, log=log, journal=journal, picture=picture,
        speed=speed, port=port, opens_browser=browser, voice=voice,
    )  # fmt: skip
    return play(options, output)


def _habits(names: str, seats: int) -> tuple[str, ...]:
    """Return one habit for each seat; () if no habit is named."""
    from croupier_sim.players import HABITS

    habits = tuple(name.strip() for name in names.split(",")) if names else ()
    if unknown := [name for name in habits if name not in HABITS]:
        text = _("--habits: there is no {name}; expected some of {names}", name=unknown[0], names=", ".join(HABITS))
        raise typer.BadParameter(text)
    if len(habits) == 1:
        return habits * seats
    if habits and len(habits) != seats:
        text = _(
            "--habits: {n} names for {seats} seats; expected one, or one for each seat", n=len(habits), seats=seats
        )
        raise typer.BadParameter(text)
    return habits
