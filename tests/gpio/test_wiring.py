"""What may hang where: whatever cannot be is refused in one clear line before a pin is touched."""

from __future__ import annotations

from typing import Any

import pytest

from croupier.errors import BadConfig
from croupier_extras.gpio.wiring import KeyPin, ShoePins, Wiring

SHOE = ShoePins(forward=17, back=18, exit=19, hopper=20)


@pytest.mark.parametrize(
    ("wiring", "told"),
    [
        pytest.param({"buttons": (4, 4)}, r"seat 1 and the UNO button of seat 0 both use GPIO 4", id="twice"),
        pytest.param({"buttons": (28,)}, r"GPIO 28 cannot be used: expected 2 to 27", id="not-there"),
        pytest.param({"buttons": (1,)}, r"GPIO 1 cannot be used", id="hat"),
        pytest.param({"buttons": (19,), "shoe": SHOE}, r"card exit and the UNO button of seat 0", id="shoe-and-button"),
        pytest.param({"buttons": (10,), "ring": True}, r"ring \(MOSI of SPI 0\) both use GPIO 10", id="ring"),
        pytest.param({"shoe": ShoePins(forward=4, back=18, exit=19)}, r"pulls GPIO 4 high at start-up", id="motor"),
        pytest.param(
            {"keys": (KeyPin(key="red", gpio=4), KeyPin(key="red", gpio=5))},
            r"the key red appears twice",
            id="same-key",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(wiring: dict[str, Any], told: str) -> None:
    with pytest.raises(BadConfig, match=told) as caught:
        Wiring(**wiring)
    assert "\n" not in str(caught.value)
