"""What the ring shows: to be told without color, within its current. The frames are drawn in MicroPython."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.firmware.in_vm import in_vm
from tests.longer import some

SIZES = (24, 60)
COLORS = ("none", "red", "yellow", "green", "blue")
MODES = ("play", "challenge", "penalty", "choose", "fault", "off")
MOST = {"penalty": 168, "choose": 0b1111}
"""The largest `n` of a mode: a whole deck is to be drawn, every seat may be chosen."""
ANGLES = (-1350, -450, 450, 1350)

DRAW = """
import json
from pico.ring import FRAME_MS, ROUND_MS, Ring

ANGLES = %r

class Lights:
    def show(self, buffer):
        pass

def frames(n, turn, direction, color, mode, amount=0):
    ring = Ring(Lights(), n)
    for seat, angle in enumerate(ANGLES):
        ring.place(seat, angle)
    ring.show(turn, direction, color, mode, amount)
    told = []
    for phase in range(0, ROUND_MS, FRAME_MS):
        ring.draw(phase)
        told.append((ring.current_ma(), [max(ring._buffer[4 * at : 4 * at + 4]) for at in range(n)]))
    return told

def white(n, turn, mode, amount):
    ring = Ring(Lights(), n)
    for seat, angle in enumerate(ANGLES):
        ring.place(seat, angle)
    ring.show(turn, "left", "red", mode, amount)
    told = []
    for phase in range(0, ROUND_MS, FRAME_MS):
        ring.draw(phase)
        told.append([at for at in range(n) if min(ring._buffer[4 * at + 1 : 4 * at + 4])])
    return told

"""


def drawn(tmp_path: Path, what: str) -> Any:
    return in_vm(DRAW % (ANGLES,) + f"print(json.dumps({what}))", tmp_path)


@pytest.mark.parametrize("n", SIZES)
def test_no_frame_draws_more_than_a_port_gives_beside_the_pico(n: int, tmp_path: Path) -> None:
    amounts = f"(0, {MOST}.get(m, 0))"
    what = f"max(ma for m in {MODES} for c in {COLORS} for a in {amounts} for ma, _ in frames({n}, 1, 'left', c, m, a))"
    assert 100 < drawn(tmp_path, what) <= 350


@pytest.mark.parametrize("n", SIZES)
def test_a_ring_of_full_brightness_is_dimmed_to_its_limit(n: int, tmp_path: Path) -> None:
    script = f"""
ring = Ring(Lights(), {n})
ring._fill(0, {n}, bytes((0, 255, 255, 255)))
before = ring.current_ma()
ring._limit()
print(json.dumps([before, ring.current_ma()]))
"""
    before, after = in_vm(DRAW % (ANGLES,) + script, tmp_path)
    assert before > 1400
    assert 300 < after <= 350


@pytest.mark.parametrize("n", SIZES)
def test_the_turn_is_a_place_that_is_bright_in_every_frame(n: int, tmp_path: Path) -> None:
    turns = drawn(tmp_path, f"[[light for _, light in frames({n}, t, 'left', 'none', 'play')] for t in range(4)]")
    for angle, frames in zip(ANGLES, turns, strict=True):
        always = [at for at in range(n) if all(frame[at] == 90 for frame in frames)]
        place = angle % 3600 * n / 3600
        assert len(always) == max(1, n // 12)
        assert min(abs(at - place) for at in always) <= 1


def test_the_running_light_goes_the_way_of_play(tmp_path: Path) -> None:
    for direction, step in (("left", 1), ("right", -1)):
        frames = drawn(tmp_path, f"[light for _, light in frames(24, -1, {direction!r}, 'none', 'play')]")
        runs = [frame.index(90) for frame in frames]
        steps = {(b - a) % 24 for a, b in pairwise(runs)}
        assert steps == {0, step % 24}


def test_each_color_has_its_own_number_of_winks(tmp_path: Path) -> None:
    winks = {}
    for color in COLORS:
        frames = drawn(tmp_path, f"[light for _, light in frames(24, 0, 'left', {color!r}, 'play')]")
        # A light across from the seat, where nothing else shows but the runner in passing.
        rest = [min(frame[at] for at in (3, 4, 5, 6)) > 0 for frame in frames]
        winks[color] = sum(before and not after for before, after in pairwise(rest))
    assert winks == {"none": 0, "red": 1, "yellow": 2, "green": 3, "blue": 4}


def test_the_modes_are_distinguished_without_color(tmp_path: Path) -> None:
    told = {}
    for mode in MODES:
        frames = drawn(tmp_path, f"[light for _, light in frames(24, 0, 'left', 'red', {mode!r})]")
        told[mode] = tuple(sum(light > 0 for light in frame) for frame in frames)
    assert len(set(told.values())) == len(MODES)
    assert set(told["off"]) == {0}
    assert set(told["fault"]) == {0, 8}
    assert set(told["challenge"]) == {24}
    assert len(set(told["penalty"])) > 6


@pytest.mark.long
@pytest.mark.parametrize("n", some(SIZES, 2))
def test_as_many_lights_are_white_as_cards_are_to_be_drawn_around_the_seat_that_draws(n: int, tmp_path: Path) -> None:
    for seat, angle in enumerate(ANGLES):
        place = angle % 3600 * n // 3600
        for cards in (1, 2, 4, 6, 10, n // 2, n // 2 + 1, n, 168):
            (lit,) = {tuple(frame) for frame in drawn(tmp_path, f"white({n}, {seat}, 'penalty', {cards})")}
            assert len(lit) == min(cards, n)
            assert place in lit
            apart = {(b - a) % n for a, b in pairwise(lit)}
            if cards > 1:
                assert min(apart) == (2 if cards <= n // 2 else 1)


def test_the_seats_that_may_be_chosen_blink_while_the_turn_stays(tmp_path: Path) -> None:
    frames = {tuple(frame) for frame in drawn(tmp_path, "white(24, 0, 'choose', 0b1010)")}
    places = [angle % 3600 * 24 // 3600 for angle in ANGLES]
    steady, all_lit = sorted(frames, key=len)
    assert set(steady) == {places[0] - 1, places[0]}
    assert set(all_lit) - set(steady) == {place - one for place in (places[1], places[3]) for one in (0, 1)}
