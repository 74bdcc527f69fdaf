"""`croupier doctor --shoe`: the trial on a real or a simulated shoe, with a person who clears faults."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, Protocol

from croupier import plugins
from croupier.config import Config
from croupier.config.model import layout
from croupier.doctor.check import pico_link
from croupier.doctor.finding import publish
from croupier.errors import BadConfig, OperatorUnavailable
from croupier.i18n import _
from croupier.link.commands import Command
from croupier.link.conversation import Event
from croupier.optional_dependencies import PICO, requires_extra
from croupier_extras.shoe_trial.judge import Shown, judge
from croupier_extras.shoe_trial.piles import Look, Person, place
from croupier_extras.shoe_trial.trial import Helper, Line, ShoeTrial, sorted_runs

if TYPE_CHECKING:
    from croupier.devices.pico import Layout
    from croupier_extras.gpio.line import PiLine


_LOOK_S: Final = 0.005

SIMULATORS: Final = "croupier.shoe_simulators"
"""Entry point group; its one entry, ``board``, names a `ShoeSimulator`."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A shoe that is open: its ``line``, its ``layout``, its ``clock`` (s)."""

    line: Line
    layout: Layout
    clock: Callable[[], float]
    has_turntable: bool = True


class SimulatedShoe(Line, Helper, Protocol):
    """A shoe in simulated time, and the person who clears its faults."""

    @property
    def piles(self) -> Sequence[Sequence[int]]:
        """For each seat the indices (in the deck) of the cards that lie before it, in the order of their arrival."""

    def now(self) -> float:
        """Simulated time (s)."""


ShoeSimulator = Callable[["Layout", int, str], AbstractContextManager[SimulatedShoe]]
"""Builds a shoe with a number of cards and a named fault, which the doctor has to find."""


@contextmanager
def configured(config: Config) -> Iterator[Machine]:
    """Open the shoe of the table.

    Raises:
        BadConfig: the table has no shoe. PortNotFound, GpioUnavailable: the shoe cannot be reached.
    """
    match config.shoe.kind:
        case "pico":
            with requires_extra(PICO):
                link = pico_link(config)
            with link:
                yield Machine(link, layout(config), time.monotonic)
        case "pi":
            from croupier_extras.gpio.machine import OpenPins
            from croupier_extras.gpio.plugin import wiring

            shoe = replace(wiring(config), keys=(), buttons=(), ring=False, memory="")
            with closing(OpenPins(shoe, time.monotonic, lambda key: None)) as pins:
                yield Machine(_Polled(pins.line), layout(config), time.monotonic, has_turntable=False)
        case "none":
            raise BadConfig(_('croupier.toml: [shoe] kind = "none": there is no shoe to try; expected pico or pi'))


class _Polled:
    """The Pi's own pins as a `Line`. They are polled, because nothing wakes the caller."""

    def __init__(self, line: PiLine) -> None:
        self._line = line
        self.send: Callable[[Command], bool] = line.send

    def wait(self, seconds: float) -> list[Event]:
        """Return the events since the last call; wait for the first at most ``seconds``."""
        until = time.monotonic() + seconds
        while not (events := self._line.events()) and time.monotonic() < until:
            time.sleep(_LOOK_S)
        return events


Way = Literal["cards", "counts", "camera"]


def on_machine(config: Config, deck: str, way: Way, *, as_json: bool) -> int:
    """Try the shoe of the table with a person beside it. Return the exit status.

    Raises:
        OperatorUnavailable: no person stands by. Others: as `configured`.
    """
    runs = sorted_runs(deck)
    say, ask = _terminal(as_json=as_json)
    person = Person(say, ask, "counts" if way == "counts" else "cards", _camera(config) if way == "camera" else None)
    with configured(config) as one:
        try:
            person.lay_in(runs)
        except EOFError:
            text = _(
                "nobody answers, and nothing moves without a person standing by: run croupier doctor "
                "--shoe in a terminal"
            )
            raise OperatorUnavailable(text) from None
        shoe = ShoeTrial(one.line, one.layout, person, one.clock, has_turntable=one.has_turntable)
        trial = shoe.run(runs)
        table = person.table(trial.batches, shoe.seats) if trial.passed else None
    return publish(judge(Shown(trial, one.layout, table)), trial.world, as_json=as_json)


def simulated(config: Config, deck: str, fault: str, *, as_json: bool) -> int:
    """Try a simulated shoe with a fault. Return the exit status. Raises `CannotSimulate` without the simulator."""
    runs, built = sorted_runs(deck), layout(config)
    cards = [face for run in runs for face in run]
    simulator: ShoeSimulator = plugins.load(SIMULATORS, "board", "croupier-sim")
    with simulator(built, len(cards), fault) as shoe:
        trial = ShoeTrial(shoe, built, shoe, shoe.now).run(runs)
        table = place(trial.batches, [tuple(cards[n] for n in pile) for pile in shoe.piles])
    return publish(judge(Shown(trial, built, table)), trial.world, as_json=as_json)


def _terminal(*, as_json: bool) -> tuple[Callable[[str], None], Callable[[str], str]]:
    """Return functions that print and ask; with JSON on standard output they use standard error."""
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
    from croupier.pictures.table_reader import camera, exposed_picture, reader_of

    profile = config.deck.profile
    read = reader_of(profile).read

    def look() -> tuple[str, ...]:
        source = camera(config.camera)
        if source is None:
            raise BadConfig(_('croupier.toml: [camera] source = "none": expected one, or leave --camera out'))
        with closing(source):
            picture = exposed_picture(source)
        return tuple(card.face.removesuffix("*") for card in in_rows(read(picture).cards))

    return look
