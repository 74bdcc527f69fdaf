"""The module `lgpio` on pins that outlive a process, as a Pi's do: their outputs lie in the file FAKE_PINS.

The process is killed as soon as pin FAKE_PINS_KILL goes high, if that is set.
"""

import json
import os
import signal
from pathlib import Path

from tests.gpio.fake_lgpio import FakePins

_FILE = Path(os.environ["FAKE_PINS"])
_PINS = FakePins()
_KILL = os.environ.get("FAKE_PINS_KILL")


def _keep() -> None:
    _FILE.write_text(json.dumps({gpio: line.output for gpio, line in _PINS.lines.items()}))
    if _KILL and _PINS.lines[int(_KILL)].output:
        os.kill(os.getpid(), signal.SIGKILL)


if _FILE.exists():
    for _gpio, _output in json.loads(_FILE.read_text()).items():
        _PINS.lines[int(_gpio)].output = _output
_PINS.drive(19, 0)  # nothing is in the exit,
_PINS.drive(20, 0)  # and cards lie in the hopper
_PINS.on_output = _keep
globals().update(vars(_PINS.module()))
