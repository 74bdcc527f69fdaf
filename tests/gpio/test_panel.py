"""Keys on the pins of a Raspberry Pi: what is pressed, by whom, and when."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.events import Press
from croupier_extras.gpio.panel import DEBOUNCE_S, PRESS_S, STUCK_S, Contact
from croupier_extras.gpio.pins import STAMP_S
from tests.gpio.fake_lgpio import FakePins
from tests.gpio.wired import AHEAD_S, UNO_0, UNO_3, Wired


class Table(Wired):
    """A panel on fake pins; `down` and `up` are fingers."""

    def __init__(self, fake: FakePins, factory: str) -> None:
        super().__init__(factory)
        self.fake = fake

    def down(self, gpio: int, at: float | None = None) -> None:
        self.fake.drive(gpio, 0, None if at is None else round(at * 1e9))

    def up(self, gpio: int, at: float | None = None) -> None:
        self.fake.drive(gpio, None, None if at is None else round(at * 1e9))

    def pressed(self) -> list[tuple[int, str]]:
        return [(press.seat, press.key) for press in self.panel.presses() if isinstance(press, Press)]


@pytest.fixture
def table(fake: FakePins, factory: str) -> Iterator[Table]:
    table = Table(fake, factory)
    yield table
    table.pins.close()


def test_a_key_that_is_held_while_the_program_starts_is_no_press_until_it_is_let_go(
    fake: FakePins, factory: str
) -> None:
    fake.drive(UNO_0, 0)
    table = Table(fake, factory)
    assert table.pressed() == []
    now = time.monotonic()
    table.up(UNO_0, now)
    table.down(UNO_0, now + 2 * DEBOUNCE_S)
    table.up(UNO_0, now + 4 * DEBOUNCE_S)
    assert table.pressed() == ([(0, "uno")] if factory == "lgpio" else [])
    table.pins.close()


@pytest.mark.parametrize("factory", ["lgpio"], indirect=True)
def test_the_kernels_stamp_counts_and_not_when_it_is_looked_at(table: Table) -> None:
    now = time.monotonic()
    for gpio, at in ((UNO_3, 0.3), (UNO_0, 0.2)):
        table.down(gpio, now + at)
        table.up(gpio, now + at + 0.05)
    first, second = table.panel.presses()
    assert isinstance(first, Press)
    assert isinstance(second, Press)
    assert (first.seat, second.seat) == (0, 3)
    assert first.t == pytest.approx(now + 0.2 + AHEAD_S, abs=first.u)
    assert second.t - first.t == pytest.approx(0.1, abs=first.u + second.u)


def test_a_press_names_the_kernels_clock_where_the_kernel_stamped_it(table: Table, factory: str) -> None:
    table.down(UNO_0)
    (press,) = table.panel.presses()
    if factory != "lgpio":
        assert press.clock is None
        return
    assert press.clock is not None
    assert press.clock.name == "pi"
    assert STAMP_S <= press.clock.uc <= STAMP_S + press.u


def test_a_key_that_hangs_is_named_and_the_others_go_on(table: Table) -> None:
    table.down(UNO_0)
    table.panel.presses()
    table.panel._clock.stamps = lambda: time.monotonic() + STUCK_S + 1
    assert [key.gpio for key in table.panel.stuck()] == [UNO_0]
    table.down(UNO_3)
    assert table.pressed() == [(3, "uno")]


@given(
    st.lists(st.tuples(st.floats(0.05, 2.0), st.lists(st.floats(0.0001, 0.002), max_size=6)), min_size=1, max_size=20)
)
def test_each_press_is_its_first_edge_however_the_contact_bounces(
    presses: list[tuple[float, list[float]]],
) -> None:
    contact, now, firsts = Contact(False, 0.0, PRESS_S), 1.0, []
    for apart, bounces in presses:
        for is_closing in (True, False):
            now += apart
            if is_closing:
                firsts.append(now)
            is_down = is_closing
            contact.edge(now, is_down)
            for gap in bounces:
                now += gap
                contact.edge(now, not is_down)
                now += gap
                contact.edge(now, is_down)
    assert list(contact.presses(now, False)) == firsts


@pytest.mark.parametrize("factory", ["lgpio"], indirect=True)
def test_a_disturbance_is_no_press_and_a_press_counts_from_its_first_edge(table: Table) -> None:
    now = time.monotonic()
    table.down(UNO_0, now + 0.1)
    table.up(UNO_0, now + 0.1 + PRESS_S / 2)
    table.down(UNO_3, now + 0.2)
    table.up(UNO_3, now + 0.2 + 2 * PRESS_S)
    (press,) = table.panel.presses()
    assert press.seat == 3
    assert press.t == pytest.approx(now + 0.2 + AHEAD_S, abs=press.u)


@pytest.mark.parametrize(
    ("closed", "sure_s", "presses"),
    [
        pytest.param([(1.0, 0.0009)], PRESS_S, [], id="a-spark"),
        pytest.param([(1.0, 0.0011)], PRESS_S, [1.0], id="a-short-press"),
        pytest.param([(1.0, 0.0003), (1.0005, 0.0003), (1.002, 0.1)], PRESS_S, [1.0], id="it-bounces-before-it-stays"),
        pytest.param([(1.0, 0.0003), (1.5, 0.1)], PRESS_S, [1.5], id="a-spark-and-later-a-press"),
        pytest.param([(1.0, 0.0)], 0.0, [1.0], id="without-stamps-the-library-was-late"),
    ],
)
def test_what_is_shorter_than_a_millisecond_is_a_disturbance(
    closed: list[tuple[float, float]], sure_s: float, presses: list[float]
) -> None:
    contact = Contact(False, 0.0, sure_s)
    for at, lasted in closed:
        contact.edge(at, True)
        contact.edge(at + lasted, False)
    assert list(contact.presses(3.0, is_down=False)) == presses


def test_a_press_is_reported_while_the_finger_is_still_on_the_key(table: Table) -> None:
    table.down(UNO_0)
    assert table.pressed() == [(0, "uno")]
    assert table.pressed() == []


def test_a_lost_edge_costs_no_later_press() -> None:
    contact = Contact(False, 0.0, PRESS_S)
    contact.edge(1.0, True)
    assert contact.presses(2.0, is_down=False) == (1.0,)  # it came up, and nobody said so
    contact.edge(3.0, True)
    assert contact.presses(3.1, is_down=True) == (3.0,)
