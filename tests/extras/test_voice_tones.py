"""The sounds, measured: short, soft, different from each other."""

from __future__ import annotations

from itertools import combinations
from typing import get_args

import numpy as np
import numpy.typing as npt
import pytest

from croupier_extras.voice.cues import Sound
from croupier_extras.voice.synthesis import RATE, tones


def spectrum(sound: Sound) -> npt.NDArray[np.float64]:
    """Its energy by Hz, as shares of the whole."""
    power = np.abs(np.fft.rfft(tones(sound).astype(float), RATE * 2)) ** 2
    return np.asarray(power / power.sum())


@pytest.fixture(params=get_args(Sound))
def sound(request: pytest.FixtureRequest) -> Sound:
    found: Sound = request.param
    return found


def test_a_sound_is_short_and_begins_and_ends_in_silence(sound: Sound) -> None:
    samples = tones(sound).astype(float) / 32768
    assert 0.3 <= len(samples) / RATE <= 1.0
    assert np.abs(samples[:20]).max() < 0.05
    assert np.abs(samples[-20:]).max() < 0.01


def test_a_sound_is_neither_clipped_nor_lost(sound: Sound) -> None:
    peak = np.abs(tones(sound).astype(float)).max() / 32768
    assert 0.4 < peak < 0.9


def test_a_sound_is_not_shrill(sound: Sound) -> None:
    above = spectrum(sound)[2 * 2000 :].sum()
    assert above < 0.02, f"{above:.1%} of it lies above 2 kHz, where ears hurt"


def test_no_sound_is_like_another() -> None:
    for one, other in combinations(get_args(Sound), 2):
        alike = np.sqrt(spectrum(one) * spectrum(other)).sum()
        assert alike < 0.75, f"{one} and {other}"
