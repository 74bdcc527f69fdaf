"""Checks of a Raspberry Pi: its supply and its heat."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from croupier.doctor.check import Check, CheckContext
from croupier.doctor.finding import Finding, absent, graded, ok, warning, wrong
from croupier.i18n import marked

HOT_C: Final = 80.0
"""From here on a Raspberry Pi throttles its processor."""

SUPPLY: Final = "sys/devices/platform/soc/soc:firmware/get_throttled"
"""File with the supply state of a Raspberry Pi."""

_UNDER_VOLTAGE, _THROTTLED, _BEFORE = 1, 4, 16
"""Bits of the firmware's `get_throttled`; those of events since the start are 16 higher."""


def power_supply(table: CheckContext) -> Finding:
    """Check the supply voltage of a Raspberry Pi."""
    throttled = _text(table.root / SUPPLY).strip()
    if not throttled:
        return absent(marked("Not a Raspberry Pi that reports its supply voltage."))
    bits = int(throttled, 16)
    advice = marked(
        "Use the official power supply of the Pi and a short, thick cable; power motors and ring from another supply."
    )
    if bits & _UNDER_VOLTAGE:
        return wrong(marked("The supply is too weak: its voltage is too low now."), advice, bits=throttled)
    if bits & _UNDER_VOLTAGE << _BEFORE:
        return warning(marked("The voltage has been too low since the start."), advice, bits=throttled)
    if bits & _THROTTLED:
        return warning(marked("The processor is being throttled."), marked("See machine.heat."), bits=throttled)
    return ok(marked("The supply voltage has been stable."), bits=throttled)


def heat(table: CheckContext) -> Finding:
    """Check the temperature of the processor."""
    millidegrees = _text(table.root / "sys/class/thermal/thermal_zone0/temp").strip()
    if not millidegrees:
        return absent(marked("This machine does not report its temperature."))
    celsius = round(int(millidegrees) / 1000)
    advice = marked("Cool it better: a heat sink, a fan, an open case.")
    return graded("", marked("The processor is at {celsius} °C."), advice, warning=celsius >= HOT_C, celsius=celsius)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


CHECKS: Final = (Check("power.supply", power_supply), Check("machine.heat", heat))
