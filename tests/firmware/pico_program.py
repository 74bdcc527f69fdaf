"""A program for the RP2040, assembled here: it stands for MicroPython where the emulated board itself is tested.

Every millisecond it feeds the watchdog, counts for a while, runs a motor while its button is down, and answers at USB:
it enumerates as a serial port and sends back what it gets. Then it sleeps.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, Final

from rp2040py.utils import assembler as asm

from tablewire import pins

IO, SIO, PWM, PIO, TIMER, WATCHDOG = 0x4001_4000, 0xD000_0000, 0x4005_0000, 0x5020_0000, 0x4005_4000, 0x4005_8000
USB, USB_RAM, PADS, ENABLED, VECTORS_AT = 0x5011_0000, 0x5010_0000, 0x4001_C000, 0xE000_E100, 0xE000_ED08
FLASH, RAM_END = 0x1000_0000, 0x2004_0000
VECTORS, TABLE = FLASH + 0x400, FLASH + 0x500

PERIOD_US: Final = 1_000
ROUND_US: Final = 24
"""What it counts in each round: 1000 times 3 cycles of 8 ns."""
PULSES_HZ: Final = 1650
"""Of the turntable: a PIO program of 33 cycles, each 2295 of the processor's."""
WATCHDOG_US: Final = 10_000
_FED = 2 * WATCHDOG_US  # it counts twice a microsecond (data sheet, errata RP2040-E1)

_STEP, _CLOCKWISE, _OFF = (pins.pin(f"turn_{name}").gpio for name in ("step", "direction", "off"))

_DATA = b"\x09\x04\x00\x00\x02\x0a\x00\x00\x00" + b"\x07\x05\x81\x02\x40\x00\x00" + b"\x07\x05\x01\x02\x40\x00\x00"
_DESCRIPTOR: Final = b"\x09\x02\x20\x00\x01\x01\x00\x80\x32" + _DATA
"""One interface of class 10 (data), with an endpoint of 64 bytes each way."""

_START: Final = (
    (VECTORS_AT, VECTORS),
    # The turntable: it turns clockwise where its motor has current, its pulses come from two instructions of PIO.
    *((SIO + 0x20, 1 << _CLOCKWISE | 1 << _OFF), (IO + _CLOCKWISE * 8 + 4, 5), (IO + _OFF * 8 + 4, 5)),
    *((PIO + 0x48, 0xE001), (PIO + 0x4C, 0xE000 | 31 << 8), (PIO + 0xC8, 2295 << 16), (PIO + 0xCC, 1 << 12)),
    *((PIO + 0xDC, 1 << 26 | _STEP << 5), (PIO + 0xD8, 0xE081), (IO + _STEP * 8 + 4, 6), (PIO, 1)),
    # The feed motor at a counter of PWM, and the inputs of three buttons with their pull-ups.
    *((PWM + 0x10, 0xFFFE), (PWM, 1), (IO + 17 * 8 + 4, 4), *((PADS + 4 + 4 * n, 0x5A) for n in range(3))),
    # The watchdog, and an interrupt of the timer that ends the sleep.
    *((WATCHDOG + 0x04, _FED), (WATCHDOG, 1 << 30), (TIMER + 0x38, 1), (TIMER + 0x10, PERIOD_US), (ENABLED, 1)),
    # The descriptor, two endpoints that share one buffer, and the port.
    *((USB_RAM + 0x100 + 4 * n, word) for n, word in enumerate(struct.unpack("<8I", _DESCRIPTOR))),
    *((USB_RAM + 0x08, 0xA000_0180), (USB_RAM + 0x0C, 0xA000_0180), (USB + 0x40, 1)),
)
"""What it writes where at the start."""
_WHILE_DOWN: Final = {
    0: (PWM + 0x0C, 0xFFFF_0000, 0),
    1: (SIO + 0x10, 1 << _CLOCKWISE, 1 << _CLOCKWISE | 1 << _OFF),
    2: (TIMER + 0x38, 0, 1),
}
"""For some buttons: a register, and what it writes there while the button is down, and while it is up. The first runs
the feed motor, the second gives current to the turntable; from the third it sleeps until the watchdog wakes it."""

_EQUAL, _OTHER, _ALWAYS = 0, 1, 14


def _load(register: int, word: int) -> tuple[str, int, int]:
    return ("load", register, word)


def _lines(*, tells_wait: bool) -> Iterator[Any]:
    """Labels, instructions, loads of a word, and branches: condition and label. ``tells_wait``: it writes to a scratch
    register of the watchdog where its wait begins, and counts as long again before it sleeps, as MicroPython does."""
    yield from (_load(0, RAM_END), asm.opcode_mov(13, 0), _load(0, TABLE), "next", asm.opcode_ldmia(0, 0b110))
    yield from (asm.opcode_cmp_imm(1, 0), (_EQUAL, "round"), asm.opcode_str(2, 1, 0), (_ALWAYS, "next"), "round")
    yield from (_load(0, WATCHDOG), _load(1, _FED), asm.opcode_str(1, 0, 4))
    yield from (_load(0, 1000), "count", asm.opcode_subs2(0, 1), (_OTHER, "count"))
    for button, (address, down, up) in _WHILE_DOWN.items():
        yield from (_load(0, SIO), asm.opcode_ldr_imm(0, 0, 4), _load(2, 1 << button), _load(1, down))
        yield from (asm.opcode_tst(0, 2), (_EQUAL, f"down {button}"), _load(1, up), f"down {button}")
        yield from (_load(0, address), asm.opcode_str(1, 0, 0))
    yield from (_load(6, USB), _load(7, USB_RAM), _load(5, USB_RAM + 0x80), _load(4, 0x8400), _load(3, 0x440))
    # A reset of the bus, and a request: 6 wants the descriptor, all others an empty answer, and 9 is the last before
    # data.
    yield from (asm.opcode_ldr_imm(0, 6, 0x50), _load(1, 1 << 19), asm.opcode_tst(0, 1), (_EQUAL, "no reset"))
    yield from (asm.opcode_str(1, 6, 0x50), "no reset", _load(1, 1 << 17), asm.opcode_tst(0, 1), (_EQUAL, "no request"))
    yield from (asm.opcode_str(1, 6, 0x50), asm.opcode_movs(2, 0), asm.opcode_ldrb(1, 7, 1), asm.opcode_cmp_imm(1, 6))
    yield from ((_OTHER, "empty"), asm.opcode_ldrb(2, 7, 6), "empty", asm.opcode_orrs(2, 4), asm.opcode_str(2, 5, 0))
    yield from (asm.opcode_cmp_imm(1, 9), (_OTHER, "no request"), asm.opcode_str(3, 5, 12), "no request")
    # What came goes back with its length. After that, and where nothing came, more may come.
    yield from (asm.opcode_ldr_imm(0, 6, 0x58), asm.opcode_str(0, 6, 0x58), asm.opcode_movs(1, 8), asm.opcode_tst(0, 1))
    yield from ((_EQUAL, "nothing came"), asm.opcode_ldr_imm(2, 5, 12), asm.opcode_lsls_imm(2, 2, 22))
    yield from (asm.opcode_lsrs(2, 2, 22), asm.opcode_cmp_imm(2, 0), (_EQUAL, "listen"), asm.opcode_orrs(2, 4))
    yield from (asm.opcode_str(2, 5, 8), (_ALWAYS, "sleep"), "nothing came", asm.opcode_movs(1, 4))
    yield from (asm.opcode_tst(0, 1), (_EQUAL, "sleep"), "listen", asm.opcode_str(3, 5, 12))
    yield "sleep"
    if tells_wait:
        yield from (_load(0, WATCHDOG), asm.opcode_str(1, 0, 0x28))
        yield from (_load(0, 1000), "waits", asm.opcode_subs2(0, 1), (_OTHER, "waits"))
    yield from (asm.opcode_wfi(), (_ALWAYS, "round"))
    yield from ("tick", _load(0, TIMER), asm.opcode_movs(1, 1), asm.opcode_str(1, 0, 0x34))
    yield from (
        asm.opcode_ldr_imm(1, 0, 0x28),
        _load(2, PERIOD_US),
        asm.opcode_adds_reg(1, 1, 2),
        asm.opcode_str(1, 0, 0x10),
    )
    yield asm.opcode_bx(14)


def flash(*, tells_wait: bool = False) -> bytes:
    """The flash with the program, the vectors of its interrupts, and the table of `_START`."""
    lines = list(_lines(tells_wait=tells_wait))
    words = list(dict.fromkeys(line[2] for line in lines if isinstance(line, tuple) and line[0] == "load"))
    labels: dict[str, int] = {}
    instructions: list[Any] = []
    for line in lines:
        if isinstance(line, str):
            labels[line] = FLASH + 2 * len(instructions)
        else:
            instructions.append(line)
    pool = FLASH + 2 * len(instructions) + 3 & ~3
    code = b""
    for line in instructions:
        pc = FLASH + len(code) + 4
        if isinstance(line, int):
            opcode = line
        elif line[0] == "load":
            opcode = asm.opcode_ldr_lit(line[1], pool + 4 * words.index(line[2]) - (pc & ~3))
        elif line[0] == _ALWAYS:
            opcode = asm.opcode_b_t2(labels[line[1]] - pc)
        else:
            opcode = asm.opcode_b_t1(line[0], labels[line[1]] - pc)
        code += struct.pack("<H", opcode)
    vectors = struct.pack("<17I", *[0] * 16, labels["tick"] | 1)
    table = struct.pack(f"<{2 * len(_START) + 2}I", *(word for pair in _START for word in pair), 0, 0)
    code = code.ljust(pool - FLASH, b"\0") + struct.pack(f"<{len(words)}I", *words)
    assert len(code) <= VECTORS - FLASH
    return code.ljust(VECTORS - FLASH, b"\0") + vectors.ljust(TABLE - VECTORS, b"\0") + table


def uf2(data: bytes) -> bytes:
    """The flash as a UF2 file."""
    blocks = [data[at : at + 256] for at in range(0, len(data), 256)]
    head = (0x0A32_4655, 0x9E5D_5157, 0x2000)
    return b"".join(
        struct.pack("<8I", *head, FLASH + 256 * n, 256, n, len(blocks), 0xE48B_FF56)
        + block.ljust(476, b"\0")
        + struct.pack("<I", 0x0AB1_6F30)
        for n, block in enumerate(blocks)
    )
