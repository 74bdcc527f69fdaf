"""Assembles the firmware's PIO programs, as the data sheet of the RP2040 (3.4) has them, for an emulator to run.

Only the instructions that the firmware uses are here; any other is a NameError.
"""

from __future__ import annotations

import runpy
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

PIO: Final = Path(__file__).parents[2] / "firmware/pico/pio.py"

_CONDITIONS: Final = ("always", "not_x", "x_dec", "not_y", "y_dec")
_PLACES: Final = ("pins", "x", "y", "null", "pindirs", "pc", "isr", "osr")


@dataclass
class Word:
    """One instruction; ``.side(1)`` and ``[delay]`` are added to it as in the source."""

    code: int
    label: str = ""
    level: int | None = None
    delay: int = 0

    def side(self, level: int) -> Word:
        self.level = level
        return self

    def __getitem__(self, delay: int) -> Word:
        self.delay = delay
        return self


@dataclass
class Program:
    settings: dict[str, Any]
    words: list[Word] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    wrap_target: int = 0
    wrap: int = 0

    @property
    def opcodes(self) -> list[int]:
        return list(self._opcodes())

    def _opcodes(self) -> Iterator[int]:
        has_side = "sideset_init" in self.settings
        for word in self.words:
            assert word.delay < (16 if has_side else 32)
            code = word.code | word.delay << 8
            if has_side:
                code |= (word.level or 0) << 12
            yield code | self.labels[word.label] if word.label else code


def assemble(function: types.FunctionType, settings: dict[str, Any]) -> Program:
    program = Program(settings)

    def add(code: int, label: str = "") -> Word:
        program.words.append(Word(code, label))
        return program.words[-1]

    def jmp(condition: str, label: str | None = None) -> Word:
        if label is None:
            condition, label = "always", condition
        return add(_CONDITIONS.index(condition) << 5, label)

    def wrap_target() -> None:
        program.wrap_target = len(program.words)

    def wrap() -> None:
        program.wrap = len(program.words) - 1

    names: dict[str, Any] = {
        **{name: name for name in (*_CONDITIONS, *_PLACES)},
        "block": True,
        "label": lambda name: program.labels.__setitem__(name, len(program.words)),
        "wrap_target": wrap_target,
        "wrap": wrap,
        "jmp": jmp,
        "pull": lambda block: add(0x8080 | block << 5),
        "out": lambda to, bits: add(0x6000 | _PLACES.index(to) << 5 | bits & 31),
        "mov": lambda to, source: add(0xA000 | _PLACES.index(to) << 5 | _PLACES.index(source)),
        "set": lambda to, value: add(0xE000 | _PLACES.index(to) << 5 | value),
        "nop": lambda: add(0xA042),
    }
    types.FunctionType(function.__code__, names)()
    return program


def programs() -> dict[str, Program]:
    """The programs of `firmware/pico/pio.py`, by name."""

    def asm_pio(**settings: Any) -> Callable[[types.FunctionType], Program]:
        return lambda function: assemble(function, settings)

    constants = ("OUT_LOW", "SHIFT_LEFT", "SHIFT_RIGHT", "JOIN_TX")
    rp2 = types.SimpleNamespace(asm_pio=asm_pio, PIO=types.SimpleNamespace(**{name: name for name in constants}))
    before = sys.modules.get("rp2")
    sys.modules["rp2"] = rp2  # type: ignore[assignment]
    try:
        namespace = runpy.run_path(str(PIO))
    finally:
        if before is None:
            del sys.modules["rp2"]
        else:
            sys.modules["rp2"] = before
    return {name: value for name, value in namespace.items() if isinstance(value, Program)}
