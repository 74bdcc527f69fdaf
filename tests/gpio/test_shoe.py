"""A small shoe on the Pi's pins: the Pico's jobs, reports and faults, on a motor and a light barrier."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, MutableSequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from croupier.devices.pico import Layout, Pico
from croupier.devices.pico.shoe import DOUBT
from croupier.devices.protocols import Feed, Light
from croupier.errors import GpioUnavailable
from croupier.events import ShoeReport
from croupier.link.commands import Deal, Go, Place
from croupier.link.reports import Card
from croupier_extras.gpio.firmware import Ticks
from croupier_extras.gpio.line import SILENCE_S, PiLine, registers
from croupier_extras.gpio.machine import OpenPins, PinsLine
from croupier_extras.gpio.pins import Clock, Pins
from croupier_extras.gpio.wiring import ShoePins, Wiring
from tests.gpio.cards import Cards
from tests.gpio.fake_lgpio import FakePins

WIRED = ShoePins(forward=17, back=18, exit=19, hopper=20)


def stamp_by(now: Callable[[], float], factory: str) -> None:
    """Where there is no stamp of the kernel's, gpiozero stamps what arrives: by this clock."""
    if factory == "rpigpio":
        sys.modules["gpiozero.pins.rpigpio"].RPiGPIOFactory.ticks = staticmethod(now)


class Table:
    """A shoe with cards in it, and a program that looks after it."""

    def __init__(
        self, fake: FakePins, factory: str, n: int = 20, *, double: int = -1, stuck: int = -1,
        memory: MutableSequence[int] | None = None,
    ) -> None:  # fmt: skip
        self.cards = Cards(fake, 17, 18, 19, 20, n, double=double, stuck=stuck)
        now = lambda: self.cards.now  # noqa: E731
        stamp_by(now, factory)
        self.pins = Pins(factory)
        self.line = PiLine(self.pins, Clock(now, now, self.pins.has_stamps), WIRED, registers=memory)
        self.pico = Pico(self.line, Layout(seats=4))
        self.pico.alarm()
        self.reports: list[ShoeReport] = []

    def go(self) -> None:
        self.pico.shoe.arm()

    def run(self, seconds: float) -> list[tuple[str, int, int]]:
        """Let time pass; what the shoe reported: kind or fault, seat, cards."""
        told = []
        for _ in range(round(seconds / 0.1)):
            self.cards.run(0.1, self.line.step)
            new = tuple(event for event in self.pico.poll() if isinstance(event, ShoeReport))
            self.reports += new
            told += [(report.fault or report.kind, report.seat, report.n) for report in new]
        return told


@pytest.fixture
def tables(fake: FakePins, factory: str) -> Iterator[list[Table]]:
    """Empty; what is put in is closed in the end."""
    tables: list[Table] = []
    yield tables
    for table in tables:
        table.line.close()
        table.pins.close()


def test_a_job_feeds_what_was_asked_and_the_same_job_feeds_nothing_more(
    fake: FakePins, factory: str, tables: list[Table]
) -> None:
    table = Table(fake, factory)
    tables.append(table)
    table.go()
    table.pico.shoe.feed(Feed(1, 2, 7))
    assert table.run(1.5) == [("fed", 2, 7)]
    assert table.cards.passed == 7
    assert table.cards.driven() == "off"
    table.pico.shoe.feed(Feed(1, 2, 7))
    assert table.run(0.5) == [("fed", 2, 7)]
    table.pico.shoe.feed(Feed(2, 3, 1))
    assert table.run(0.5) == [("fed", 3, 1)]
    assert table.cards.passed == 8
    assert "back" not in table.cards.order


def test_the_motor_waits_until_a_person_says_go(fake: FakePins, factory: str, tables: list[Table]) -> None:
    table = Table(fake, factory)
    tables.append(table)
    table.pico.shoe.feed(Feed(1, 0, 2))
    assert table.run(0.5) == []
    assert table.cards.order == ["off"]
    table.go()
    assert table.run(0.5) == [("fed", 0, 2)]


@pytest.mark.parametrize(
    ("cards", "told", "passed"),
    [
        pytest.param({"double": 2}, [("fed", 1, 3), ("double-feed", 1, 0)], 3, id="two-at-once"),
        pytest.param({"stuck": 2}, [("fed", 1, 2), ("jam", 1, 0)], 2, id="a-card-sticks"),
        pytest.param({"n": 3}, [("fed", 1, 3)], 3, id="hopper-runs-empty"),
        pytest.param({"n": 0}, [("fed", 1, 0), ("empty", 1, 0)], 0, id="hopper-is-empty"),
    ],
)
def test_what_goes_wrong_is_reported_with_the_cards_that_really_passed(
    fake: FakePins, factory: str, tables: list[Table], cards: dict[str, int], told: list[tuple[str, int, int]],
    passed: int,
) -> None:  # fmt: skip
    table = Table(fake, factory, **cards)  # type: ignore[arg-type]
    tables.append(table)
    table.go()
    table.pico.shoe.feed(Feed(1, 1, 7))
    assert table.run(3) == told
    assert table.cards.passed == passed
    assert table.cards.driven() == "off"


def test_a_card_that_sticks_is_pulled_back_once_and_then_a_person_is_waited_for(
    fake: FakePins, factory: str, tables: list[Table]
) -> None:
    table = Table(fake, factory, stuck=1)
    tables.append(table)
    table.go()
    table.pico.shoe.feed(Feed(1, 1, 7))
    table.run(2)
    assert table.cards.order.count("back") == 1
    at = table.cards.order.index("back")
    assert table.cards.order[at - 1] == "brake"  # never from one direction straight into the other
    table.pico.shoe.feed(Feed(2, 1, 1))
    assert table.run(1) == []
    assert table.cards.order.count("forward") == 1


def test_the_motor_never_runs_longer_than_its_longest_run(fake: FakePins, factory: str, tables: list[Table]) -> None:
    table = Table(fake, factory, n=120)
    tables.append(table)
    table.go()
    table.pico.shoe.feed(Feed(1, 0, 110))
    told = table.run(6)
    assert [kind for kind, _, _ in told] == ["fed", "longest-run"]
    assert told[0][2] == table.cards.passed < 110


def test_the_motor_stops_when_the_program_hangs(fake: FakePins, factory: str, tables: list[Table]) -> None:
    table = Table(fake, factory, n=60)
    tables.append(table)
    table.go()
    table.pico.shoe.feed(Feed(1, 0, 50))
    table.cards.run(SILENCE_S - 0.1, table.line.step)
    assert table.cards.driven() == "forward"
    table.cards.run(0.3, table.line.step)
    assert table.cards.driven() == "off"
    told = table.run(0.1)
    assert told == [("fed", 0, table.cards.passed), ("silence", 0, 0)]


@pytest.mark.parametrize("factory", ["lgpio"], indirect=True)
def test_a_job_that_the_end_of_the_program_broke_off_is_in_doubt_and_feeds_nothing(
    fake: FakePins, factory: str, tables: list[Table], tmp_path: Path
) -> None:
    memory = str(tmp_path / "shoe")
    table = Table(fake, factory, memory=registers(memory))
    table.go()
    table.pico.shoe.feed(Feed(1, 0, 7))
    table.cards.run(0.4, table.line.step)
    assert 0 < table.cards.passed < 7
    table.line.close()
    table.pins.close()
    again = Table(fake, factory, memory=registers(memory))
    tables.append(again)
    again.go()
    again.pico.shoe.feed(Feed(1, 0, 7))
    assert again.run(1) == [("not-cleared", 0, 0)]
    assert again.cards.order == ["off"]


@pytest.mark.parametrize("factory", ["lgpio"], indirect=True)
def test_a_card_is_measured_by_the_kernels_stamps_however_late_they_are_looked_at(fake: FakePins, factory: str) -> None:
    now = [100.0]
    fake.drive(19, 0)
    fake.drive(20, 0)
    pins = Pins(factory)
    line = PiLine(pins, Clock(lambda: now[0] + 7, lambda: now[0], True), WIRED)
    assert not line.send(Go()), "nobody has read the greeting"
    line.events()
    for command in (Place(seat=2, angle=0), Go(), Deal(job=1, seat=2, n=1)):
        assert line.send(command)
    for _ in range(2):
        line.step()
    for now[0], level, stamp in ((100.20, 1, 100.050), (100.21, 0, 100.121)):
        fake.drive(19, level, round(stamp * 1e9))
    now[0] = 100.22
    line.step()
    (card,) = [event for event in line.events() if isinstance(event, Card)]
    assert (card.job, card.index, card.gap) == (1, 1, 0)
    assert card.pulse == pytest.approx(71_000, abs=2)
    assert card.t == pytest.approx(107.050, abs=card.u)
    line.close()
    pins.close()


def test_a_ring_that_fails_leaves_the_shoe_working(fake: FakePins, factory: str) -> None:
    class Broken:
        def show(self, buffer: bytes) -> None:
            raise OSError("no such device")

        def close(self) -> None:
            raise OSError("no such device")

    cards = Cards(fake, 17, 18, 19, 20, 5)
    stamp_by(lambda: cards.now, factory)
    pins = Pins(factory)
    line = PiLine(pins, Clock(lambda: cards.now, lambda: cards.now, True), WIRED, Broken())
    pico = Pico(line, Layout(seats=4))
    pico.alarm()
    pico.ring.show(Light(turn=1, direction="left", color="red"))
    pico.shoe.arm()
    pico.shoe.feed(Feed(1, 1, 1))
    cards.run(0.5, line.step)
    assert line.ring_trouble == "the ring takes no more frames: no such device"
    assert line.trouble == "", "the shoe's pins would be opened anew, in the middle of a job"
    assert "forward" in cards.order
    assert cards.driven() == "off"
    line.close()
    pins.close()


def test_a_ring_that_failed_shines_again_when_it_takes_frames(fake: FakePins, factory: str) -> None:
    class Loose:
        is_broken, frames = False, 0

        def show(self, buffer: bytes) -> None:
            if self.is_broken:
                raise OSError("no such device")
            self.frames += 1

        def close(self) -> None: ...

    now, lights = [50.0], Loose()
    pins = Pins(factory)
    line = PiLine(pins, Clock(lambda: now[0], lambda: now[0], True), None, lights)
    pico = Pico(line, Layout(seats=4))
    pico.alarm()
    pico.ring.show(Light(turn=1, direction="left", color="red"))
    for is_broken, trouble in ((True, "the ring takes no more frames: no such device"), (False, "")):
        lights.is_broken, lights.frames = is_broken, 0
        for _ in range(600):
            now[0] += 0.02
            line.step()
        assert (line.ring_trouble, lights.frames > 0) == (trouble, not is_broken)
    line.close()
    pins.close()


@pytest.mark.parametrize("factory", ["lgpio"], indirect=True)
def test_a_job_during_which_the_pins_were_opened_anew_is_in_doubt_and_not_dealt_again(
    fake: FakePins, factory: str
) -> None:
    cards = Cards(fake, 17, 18, 19, 20, 20)
    clock = Clock(lambda: cards.now, lambda: cards.now, True)
    late = PinsLine(lambda: OpenPins(Wiring(), lambda: cards.now, lambda key: None), lambda: cards.now)
    pico = Pico(late, Layout(seats=4))
    for seconds in (0.3, 2.0):
        pins = Pins(factory)
        line = PiLine(pins, clock, WIRED)  # without a memory, as most tables
        late.use(SimpleNamespace(line=line))  # type: ignore[arg-type]
        pico.alarm()
        if not pico.shoe.is_armed:
            pico.shoe.arm()
            pico.shoe.feed(Feed(1, 2, 7))
        for _ in range(round(seconds / 0.1)):
            cards.run(0.1, line.step)
            pico.alarm()
        told = [report.fault for report in pico.poll() if isinstance(report, ShoeReport)]
        late.use(None)
        line.close()
        pins.close()
        pico.alarm()
    assert told == [DOUBT]
    assert 0 < cards.passed < 7
    assert pico.shoe.in_doubt is not None


def test_a_memory_that_cannot_be_kept_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(GpioUnavailable, match="cannot keep its last job there"):
        registers(str(tmp_path / "missing" / "shoe"))


def test_seconds_come_back_from_ticks_across_their_wrap() -> None:
    ticks = Ticks(lambda: 2**30 / 1e6 + 0.5)
    assert ticks.seconds(2**30 - 500_000) == pytest.approx(2**30 / 1e6 - 0.5, abs=2e-6)
