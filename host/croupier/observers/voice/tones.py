"""The sounds, made of a few soft tones: short, each with a melody of its own, none of them shrill.

Rising is good (uno, win), falling is bad (catch), low and twice the same is no (illegal), a question goes up and waits
(challenge), a gong calls people to the machine (trouble).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from croupier.observers.voice.cues import Sound

Samples = npt.NDArray[np.int16]
"""Sound: one channel, `RATE` samples in a second."""

RATE: Final = 22050
"""As espeak-ng speaks."""

_PEAK: Final = 0.5
"""Of what 16 bits hold: as loud as the loud parts of the voice."""

_OVERTONES: Final = (1.0, 0.3, 0.1)
_ATTACK_S: Final = 0.015
_FADE_S: Final = 0.06

_C4, _E4, _F4, _G4, _A4, _C5, _E5, _F5, _G5 = 261.6, 329.6, 349.2, 392.0, 440.0, 523.3, 659.3, 698.5, 784.0
_MELODIES: Final[dict[Sound, Sequence[tuple[float, float]]]] = {
    "uno": ((_C5, 0.11), (_G5, 0.26)),
    "catch": ((_G4, 0.10), (_E4, 0.10), (_C4, 0.28)),
    "illegal": ((_C4 / 1.5, 0.14), (0.0, 0.06), (_C4 / 1.5, 0.22)),
    "challenge": ((_E4, 0.12), (_G4, 0.12), (0.0, 0.05), (_E5, 0.30)),
    "win": ((_F4, 0.12), (_A4, 0.12), (_C5, 0.12), (_F5, 0.45)),
    "trouble": ((_E4 / 2, 0.70),),
}
"""Of each sound, its tones: pitch in Hz (0: a rest) and length in seconds."""


@cache
def tones(sound: Sound) -> Samples:
    """The sound, from silence to silence."""
    whole: npt.NDArray[np.float64] = np.concatenate([_tone(pitch, length) for pitch, length in _MELODIES[sound]])
    return np.asarray(whole / np.abs(whole).max() * _PEAK * np.iinfo(np.int16).max, np.int16)


def rest(seconds: float) -> Samples:
    """Silence."""
    return np.zeros(round(seconds * RATE), np.int16)


def _tone(pitch: float, length: float) -> npt.NDArray[np.float64]:
    t = np.arange(round(length * RATE)) / RATE
    wave = sum(strength * np.sin(2 * np.pi * pitch * (n + 1) * t) for n, strength in enumerate(_OVERTONES))
    swell = np.minimum(t / _ATTACK_S, 1.0) * np.exp(-3.0 * t / length)
    return np.asarray(wave * swell * np.minimum((length - t) / _FADE_S, 1.0))
