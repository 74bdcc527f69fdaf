"""The PIO programs in an emulator of the RP2040's state machines: pulses, cycle by cycle."""

from __future__ import annotations

from collections import deque
from itertools import groupby

import pytest
from pioemu import State, emulate

from tests.firmware.pio_assembler import Program, programs

PROGRAMS = programs()
SEGMENT_CYCLES, STEP_CYCLES = 3, 7


def levels(program: Program, words: list[int], cycles: int) -> list[tuple[int, int]]:
    """What the pin does: level and number of cycles, one after the other."""
    settings = program.settings
    side = "sideset_init" in settings
    run = emulate(
        program.opcodes,
        stop_when=lambda _, state: state.clock >= cycles,
        initial_state=State(transmit_fifo=deque(words)),
        auto_pull=settings.get("autopull", False),
        pull_threshold=settings.get("pull_thresh", 32),
        shift_osr_right=settings["out_shiftdir"] == "SHIFT_RIGHT",
        set_count=0 if side else 1,
        side_set_count=1 if side else 0,
        wrap_target=program.wrap_target,
        wrap_top=program.wrap,
    )
    pins: list[int] = []
    for before, after in run:
        pins += [after.pin_values & 1] * (after.clock - before.clock)
    return [(level, len(list(group))) for level, group in groupby(pins)]


@pytest.mark.parametrize(
    ("segments", "pulses"),
    [
        pytest.param([(1, 1)], 1, id="one-step-at-full-speed"),
        pytest.param([(5, 10)], 5, id="five-steps"),
        pytest.param([(1, 30), (2, 20), (3, 10)], 6, id="a-ramp"),
        pytest.param([(300, 2)], 300, id="many"),
    ],
)
def test_the_stepper_gets_as_many_pulses_in_just_the_time_that_the_plan_says(
    segments: list[tuple[int, int]], pulses: int
) -> None:
    words = [half | count - 1 << 16 for count, half in segments]
    lasts = sum(SEGMENT_CYCLES + count * (2 * half + STEP_CYCLES) for count, half in segments)
    told = levels(PROGRAMS["steps"], words, lasts + 50)
    assert sum(level for level, _ in told) == pulses
    high = [cycles for level, cycles in told if level]
    assert high == [half + 3 for count, half in segments for _ in range(count)]
    # The last low half ends just when the plan is through.
    assert sum(cycles for _, cycles in told[:-1]) == lasts - (segments[-1][1] + 4)


@pytest.mark.parametrize("color", [0x000000, 0xFFFFFF, 0xA5C33C, 0x800001])
def test_the_ring_gets_each_bit_in_the_times_of_the_data_sheet(color: int) -> None:
    bits = [color >> 23 - bit & 1 for bit in range(24)]
    told = levels(PROGRAMS["lights"], [color << 8], 24 * 10 + 3)
    high = [cycles for level, cycles in told if level]
    assert high == [7 if bit else 3 for bit in bits]  # 0.875 or 0.375 µs of 1.25 µs, at 8 MHz
    whole = [a + b for (_, a), (_, b) in zip(told[1:-1:2], told[2:-1:2], strict=False)]
    assert set(whole) == {10}


def test_both_programs_fit_into_one_pio() -> None:
    assert sum(len(program.opcodes) for program in PROGRAMS.values()) <= 32
