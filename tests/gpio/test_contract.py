"""What holds for keys and motor on any pins: fake ones in `make test`, those of a real kernel in `make test-gpio`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from threading import Event

import pytest

from croupier.devices.protocols import Ask
from croupier.errors import GpioUnavailable
from croupier.events import Press
from croupier_extras.gpio.panel import DEBOUNCE_S
from croupier_extras.gpio.pins import Pins
from tests.gpio.fake_lgpio import FakePins
from tests.gpio.kernel_pins import KernelPins
from tests.gpio.wired import ACCEPT, AHEAD_S, KEYS, PAUSE, RED, UNO_0, UNO_3, Wired
from tests.patience import PATIENCE_S

World = FakePins | KernelPins


class Table(Wired):
    """A panel on pins."""

    def __init__(self, world: World, factory: str) -> None:
        super().__init__(factory)
        self.world = world

    def press(self, gpio: int) -> None:
        self.world.drive(gpio, 0)

    def let_go(self, gpio: int) -> None:
        self.world.drive(gpio, None)

    def presses(self, n: int) -> list[Press]:
        """The next ``n`` presses, or fewer where no more come."""
        until, came = time.monotonic() + PATIENCE_S, Event()
        presses: list[Press] = []
        while len(presses) < n and time.monotonic() < until:
            presses += [press for press in self.panel.presses() if isinstance(press, Press)]
            came.wait(0.001)
        return presses

    def pressed(self, n: int) -> list[tuple[int, str]]:
        return [(press.seat, press.key) for press in self.presses(n)]


@pytest.fixture
def table(world: World, factory: str) -> Iterator[Table]:
    table = Table(world, factory)
    yield table
    for key in KEYS:
        table.let_go(key.gpio)
    table.pins.close()


def test_a_button_is_its_seats_and_a_press_is_reported_once(table: Table) -> None:
    table.press(UNO_3)
    assert table.pressed(1) == [(3, "uno")]
    table.press(UNO_0)
    assert table.pressed(1) == [(0, "uno")]


def test_a_key_of_the_table_is_pressed_by_whoever_is_asked(table: Table) -> None:
    table.asked.ask(Ask("name-color", seat=2))
    table.press(RED)
    assert table.pressed(1) == [(2, "red")]
    table.asked.ask(Ask("answer", seats=(1, 3)))
    table.press(ACCEPT)
    assert table.pressed(1) == [(1, "accept")]


def test_a_color_says_nothing_while_nobody_is_asked_but_pause_always_does(table: Table) -> None:
    table.press(RED)
    table.press(PAUSE)
    assert table.pressed(1) == [(0, "pause")]


def test_a_bouncing_contact_is_one_press(table: Table) -> None:
    for _ in range(3):
        table.let_go(UNO_0)
        table.press(UNO_0)
    # A finger stays longer than any thread waits; RPi.GPIO reads the level only when its thread runs.
    pressed = more = table.pressed(1)
    for _ in range(3):
        table.let_go(UNO_0)
        table.press(UNO_0)
    table.let_go(UNO_0)
    table.press(UNO_3)
    while more and (3, "uno") not in pressed:
        pressed += (more := table.pressed(1))
    assert pressed.count((3, "uno")) == 1
    # A busy machine may pause between two drives for so long that a press is another one.
    again = sum(seconds >= DEBOUNCE_S for seconds in table.pins.high_s[UNO_0][1:])
    assert 1 <= pressed.count((0, "uno")) <= 1 + again


def test_the_time_is_on_the_tables_clock_within_its_uncertainty(table: Table) -> None:
    before = time.monotonic() + AHEAD_S
    table.press(UNO_0)
    after = time.monotonic() + AHEAD_S
    (press,) = table.presses(1)
    assert press.t + press.u >= before
    assert press.t - press.u <= after + table.world.late_s
    assert press.u <= 0.02


def test_the_order_of_two_presses_is_kept(table: Table) -> None:
    table.press(UNO_3)
    table.press(UNO_0)
    first, second = sorted(table.presses(2), key=lambda press: press.t)
    if second.t - first.t > first.u + second.u:
        assert (first.seat, second.seat) == (3, 0)


def test_pins_are_free_again_after_the_end(world: World, factory: str) -> None:
    for _ in range(2):
        table = Table(world, factory)
        table.press(UNO_0)
        assert table.pressed(1) == [(0, "uno")]
        table.let_go(UNO_0)
        table.pins.close()


def test_the_motor_is_driven_braked_and_let_run_out(world: World, factory: str) -> None:
    pins = Pins(factory)
    motor = pins.motor(17, 18)
    drives: tuple[tuple[Callable[[], None], float, float], ...] = (
        (motor.off, 0.0, 0.0),
        (partial(motor.forward, 65_535 // 2), 1.0, 0.5),  # it brakes between its pulses
        (partial(motor.back, 65_535 * 4 // 5), 0.2, 1.0),
        (motor.brake, 1.0, 1.0),
        (motor.off, 0.0, 0.0),
    )
    for drive, ahead, back in drives:
        drive()
        for gpio, wanted in ((17, ahead), (18, back)):
            least, most = world.duties(gpio)
            assert least - 0.12 <= wanted <= most + 0.12
    pins.close()


def test_a_library_that_sees_no_edges_is_named_with_the_one_to_install() -> None:
    class Factory:
        def pin(self, _gpio: int) -> object:
            raise RuntimeError("Failed to add edge detection")

        def close(self) -> None: ...

    with pytest.raises(GpioUnavailable, match=r"RPi\.GPIO sees no edges since kernel 6\.6.*croupier\[rpi-lgpio\]"):
        Pins(Factory()).watch(4, lambda _at, _is_high: None)
