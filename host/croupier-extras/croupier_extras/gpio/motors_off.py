"""Stops the feed motor on the Pi's own pins, in whatever way the program ended.

Run it as ``python -m croupier_extras.gpio.motors_off``. A program that is killed leaves its pins as they are, and the
motor running. So systemd runs this in the folder of the table's ``croupier.toml`` when the service has ended
(``deploy/croupier.service``). It loads only what it needs, since ten cards leave the shoe in a second.
"""

from __future__ import annotations

import importlib
import sys
import tomllib
from pathlib import Path
from typing import Any, Final

CONFIG: Final = Path("croupier.toml")

_MOST_CHIPS: Final = 8


def main() -> int:
    """Drive both inputs of the motor's driver low. Returns 0, or 1 after a line about what is wrong."""
    try:
        pins = motor_pins(CONFIG)
        if pins:
            stop(importlib.import_module("lgpio"), pins)
    except Exception as err:  # the library has its own
        print(f"croupier: the feed motor may still be running: {err}", file=sys.stderr)
        return 1
    return 0


def motor_pins(config: Path) -> list[int]:
    """Return the GPIO numbers of the motor's driver; none where the shoe is not on these pins, or nothing is set up."""
    shoe = tomllib.loads(config.read_text(encoding="utf-8")).get("shoe", {}) if config.exists() else {}
    names = ("forward", "back") if shoe.get("kind") == "pi" else ()
    return [int("".join(filter(str.isdigit, str(shoe[name])))) for name in names]  # as 17 or "GPIO17"


def stop(lgpio: Any, pins: list[int]) -> None:
    """Drive these pins low on the chip of the header, which has another number on some models.

    Raises:
        OSError: there is no such chip.
    """
    for number in range(_MOST_CHIPS):
        try:
            chip = lgpio.gpiochip_open(number)
        except lgpio.error:
            continue
        if lgpio.gpio_get_chip_info(chip)[3].startswith("pinctrl-"):
            for gpio in pins:
                lgpio.gpio_claim_output(chip, gpio, 0)
            return
        lgpio.gpiochip_close(chip)
    raise OSError("no chip with the pins of the header is here")


if __name__ == "__main__":
    sys.exit(main())
