"""The ring at the Pi's SPI: what the Pico would show, in pulses that a WS2812 understands."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from croupier.devices.pico import Layout, Pico
from croupier.devices.protocols import Light
from croupier_extras.gpio.line import HZ, PiLine, SpiLights, pulses
from croupier_extras.gpio.pins import Clock, Pins
from tests.gpio.fake_lgpio import FakePins

T0H_NS, T1H_NS, OFF_BY_NS, RESET_NS = 400, 800, 150, 280_000
"""Worldsemi's data sheet of the WS2812B."""


def read(sent: bytes) -> list[tuple[int, int, int]]:
    """What a ring reads: green, red and blue of each light, by the time that its line is high."""
    line = "".join(f"{byte:08b}" for byte in sent)
    high = [len(run) * 1e9 / HZ for run in line.split("0") if run]
    assert all(min(abs(ns - T0H_NS), abs(ns - T1H_NS)) <= OFF_BY_NS for ns in high)
    assert (len(line) - len(line.rstrip("0"))) * 1e9 / HZ >= RESET_NS
    bits = "".join("1" if abs(ns - T1H_NS) <= OFF_BY_NS else "0" for ns in high)
    values = [int(bits[at : at + 8], 2) for at in range(0, len(bits), 8)]
    return [(values[at], values[at + 1], values[at + 2]) for at in range(0, len(values), 3)]


@given(st.lists(st.tuples(*[st.integers(0, 255)] * 3), min_size=1, max_size=60))
def test_every_color_arrives(lights: list[tuple[int, int, int]]) -> None:
    buffer = b"".join(bytes((0, blue, red, green)) for green, red, blue in lights)
    assert read(pulses(buffer)) == lights


def test_the_whole_ring_of_60_fits_into_one_transfer_and_a_frame() -> None:
    sent = pulses(bytes(4 * 60))
    assert len(sent) <= 4096  # spidev's buffer, as long as nobody changes it
    assert len(sent) * 8 / HZ < 0.020


def test_the_turn_is_shown_where_the_seat_is(fake: FakePins, factory: str) -> None:
    now = [50.0]
    pins = Pins(factory)
    line = PiLine(pins, Clock(lambda: now[0], lambda: now[0], True), None, SpiLights())
    pico = Pico(line, Layout(seats=4, lights=24))
    assert pico.poll() == ()
    for seat, light in ((0, 0), (1, 6), (2, 12), (3, 18)):
        fake.sent.clear()
        pico.ring.show(Light(turn=seat, direction="left", color="blue"))
        for _ in range(100):
            now[0] += 0.02
            line.step()
        frames = [read(sent) for sent in fake.sent]
        assert len(frames) == 100
        bright = [at for at in range(24) if all(frame[at][0] == frame[at][1] == frame[at][2] > 0 for frame in frames)]
        assert light in bright
        assert len(bright) <= 3
    line.close()
    assert set(read(fake.sent[-1])) == {(0, 0, 0)}
    pins.close()
