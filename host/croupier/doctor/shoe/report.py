"""`croupier doctor --shoe`: the trial from the sorted deck to what is to be adjusted."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Final, Literal

from cardsight.errors import NoMoreFrames
from croupier.config import Config
from croupier.config.model import layout
from croupier.doctor.finding import Finding, exit_status
from croupier.doctor.formatting import tell
from croupier.doctor.shoe import machine
from croupier.doctor.shoe.judge import judge
from croupier.doctor.shoe.order import sorted_runs
from croupier.doctor.shoe.people import Look, Person
from croupier.doctor.shoe.piles import place
from croupier.doctor.shoe.shown import Shown
from croupier.doctor.shoe.trial import ShoeTrial
from croupier.errors import BadConfig, OperatorUnavailable
from croupier.i18n import _

Way = Literal["cards", "counts", "camera"]

FRAMES: Final = 20
"""A camera that was just opened has settled its exposure by then."""


def on_machine(config: Config, deck: str, way: Way, *, as_json: bool) -> int:
    """Try the shoe of the table, with a person beside it. Returns the exit status.

    Raises:
        BadConfig: the table has no shoe.
        PortNotFound, GpioUnavailable: the shoe cannot be reached.
        OperatorUnavailable: no person stands by.
    """
    runs = sorted_runs(deck)
    say, ask = _terminal(as_json=as_json)
    person = Person(say, ask, "counts" if way == "counts" else "cards", _camera(config) if way == "camera" else None)
    with machine.configured(config) as one:
        try:
            person.lay_in(runs)
        except EOFError:
            raise OperatorUnavailable(
                _(
                    "nobody answers, and nothing moves unless a person stands by: run croupier doctor --shoe in a "
                    "terminal"
                )
            ) from None
        trying = ShoeTrial(one.line, one.layout, person, one.clock, has_turntable=one.has_turntable)
        trial = trying.run(runs)
        table = person.table(trial.batches, trying.seats) if trial.told else None
    return _close(judge(Shown(trial, one.layout, table)), trial.world, as_json=as_json)


def simulated(config: Config, deck: str, fault: str, *, as_json: bool) -> int:
    """Try a simulated shoe with ``fault`` provoked. Returns the exit status.

    Raises:
        CannotSimulate: the simulator is not installed.
    """
    runs, built = sorted_runs(deck), layout(config)
    cards = [face for run in runs for face in run]
    with machine.shoe_simulator()(built, len(cards), fault) as shoe:
        trial = ShoeTrial(shoe, built, shoe, shoe.now).run(runs)
        table = place(trial.batches, [tuple(cards[n] for n in pile) for pile in shoe.piles])
    return _close(judge(Shown(trial, built, table)), trial.world, as_json=as_json)


def _close(findings: list[Finding], world: str, *, as_json: bool) -> int:
    if as_json:
        print(json.dumps({"world": world, "findings": [finding.to_json() for finding in findings]}))
    else:
        tell(findings, "" if world == "hardware" else world)
    return exit_status(findings)


def _terminal(*, as_json: bool) -> tuple[Callable[[str], None], Callable[[str], str]]:
    """How the person is spoken to; where the answer is JSON, on standard error."""
    out = sys.stderr if as_json else sys.stdout

    def say(text: str) -> None:
        print(text, file=out, flush=True)

    def ask(text: str) -> str:
        print(text, end="", file=out, flush=True)
        line = sys.stdin.readline()
        if not line:
            print(file=out)
            raise EOFError
        return line.rstrip("\n")

    return say, ask


def _camera(config: Config) -> Look:
    from croupier.pictures.readings import in_rows
    from croupier.pictures.table_reader import camera, deck_reader

    profile = config.deck.profile
    read = deck_reader(None if profile is None else str(Path(profile)))

    def look() -> tuple[str, ...]:
        source = camera(config.camera)
        if source is None:
            raise BadConfig(_('croupier.toml: [camera] source = "none": expected one, or leave --camera out'))
        with closing(source), suppress(NoMoreFrames):
            for _frame in range(FRAMES):
                frame = source.frame()
        return tuple(card.face.removesuffix("*") for card in in_rows(read(frame.image).cards))

    return look
