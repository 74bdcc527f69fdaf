"""Samples of sounds and sentences: short melodies of soft tones, and speech by espeak-ng, cached as WAV files.

Each sound has its own melody, none is shrill: rising for good news (uno, win), falling for bad (catch), two equal low
tones for no (illegal), a rising question (challenge), a gong that calls people to the machine (trouble).
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import wave
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

import numpy as np
import numpy.typing as npt

from croupier.errors import one_line
from croupier.files import write_whole
from croupier.i18n import LANGUAGES, _, from_others
from croupier_extras.errors import VoiceUnavailable
from croupier_extras.voice.cues import ESPEAK, Sound, VoiceSettings

Samples = npt.NDArray[np.int16]
"""Mono sound, `RATE` samples per second."""

RATE: Final = 22050
"""The sample rate of espeak-ng (Hz)."""

_PEAK: Final = 0.5
"""Share of the 16-bit range: as loud as the loud parts of the voice."""

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
"""The tones of each sound: pitch (Hz; 0 for a rest) and length (s)."""


@cache
def tones(sound: Sound) -> Samples:
    """A sound that begins and ends in silence."""
    whole: npt.NDArray[np.float64] = np.concatenate([_tone(pitch, length) for pitch, length in _MELODIES[sound]])
    return np.asarray(whole / np.abs(whole).max() * _PEAK * np.iinfo(np.int16).max, np.int16)


def silence(seconds: float) -> Samples:
    """Samples of silence."""
    return np.zeros(round(seconds * RATE), np.int16)


def _tone(pitch: float, length: float) -> npt.NDArray[np.float64]:
    t = np.arange(round(length * RATE)) / RATE
    tone = sum(strength * np.sin(2 * np.pi * pitch * (n + 1) * t) for n, strength in enumerate(_OVERTONES))
    swell = np.minimum(t / _ATTACK_S, 1.0) * np.exp(-3.0 * t / length)
    return np.asarray(tone * swell * np.minimum((length - t) / _FADE_S, 1.0))


VOICES: Final = {code: code for code in LANGUAGES} | {"en": "en-gb", "fr": "fr-fr"}
"""The usual voice of espeak-ng, by language."""

LONGEST: Final = 300
"""Characters spoken at once; house rules may be of any length."""

CACHE_BYTES: Final = 64 * 2**20
_TIMEOUT_S: Final = 10.0


class EspeakSynthesizer:
    """Synthesizes sentences with espeak-ng; each sentence once."""

    def __init__(self, settings: VoiceSettings) -> None:
        self._voice = settings.voice or VOICES[settings.language]
        self._speed = settings.speed
        self._is_chosen = bool(settings.voice)
        self._cache = Path(settings.cache) / settings.language

    def synthesize(self, text: str) -> Samples:
        """The speech of ``text``, from the cache if it is there.

        Raises:
            VoiceUnavailable: espeak-ng is missing, lacks the chosen voice, or failed.
        """
        text = speakable(text)
        key = "\n".join((self._voice, str(self._speed), text))
        file = self._cache / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.wav"
        with suppress(OSError, EOFError, wave.Error):
            samples = read(file)
            os.utime(file)  # least recently used files are deleted first
            return samples
        try:
            with NamedTemporaryFile(suffix=".wav") as made:
                if self._is_chosen:
                    _check_voice(self._voice)
                    self._is_chosen = False
                # The text goes by standard input, since a name may begin with a dash.
                _espeak("-v", self._voice, "-s", str(self._speed), "-w", made.name, "--stdin", text=text)
                whole = made.read()
                if not whole:  # nothing of the text can be spoken
                    return silence(0)
                samples = read(Path(made.name))
        except VoiceUnavailable:
            raise
        except (OSError, EOFError, wave.Error) as err:
            raise VoiceUnavailable(f"{ESPEAK}: {err}") from err
        # Without a cache each sentence is synthesized each time.
        with suppress(OSError):
            self._cache.mkdir(parents=True, exist_ok=True)
            write_whole(file, whole)
        return samples

    def tidy(self, most: int = CACHE_BYTES) -> None:
        """Delete the least recently used files until the cache has at most ``most`` bytes."""
        with suppress(OSError):
            files = sorted((file.stat().st_mtime, file) for file in self._cache.iterdir())
            size = sum(file.stat().st_size for _used, file in files)
            for _used, file in files:
                if size <= most:
                    return
                size -= file.stat().st_size
                file.unlink()


def _espeak(*arguments: str, text: str = "") -> str:
    try:
        done = subprocess.run(
            [ESPEAK, *arguments], input=text.encode(), capture_output=True, timeout=_TIMEOUT_S, check=False
        )
    except FileNotFoundError as err:
        command = "sudo apt install espeak-ng"
        raise VoiceUnavailable(
            _("{program} is missing: install it with: {command}", program=ESPEAK, command=command)
        ) from err
    except subprocess.TimeoutExpired as err:
        raise VoiceUnavailable(_("{program} is not answering", program=ESPEAK)) from err
    except OSError as err:
        raise VoiceUnavailable(f"{ESPEAK}: {from_others(str(err.strerror))}") from err
    if done.returncode:
        why = done.stderr.decode(errors="replace").strip().rpartition("\n")[2] or f"exit status {done.returncode}"
        raise VoiceUnavailable(f"{ESPEAK}: {why}")
    return done.stdout.decode(errors="replace")


def _check_voice(voice: str) -> None:
    """Raise if espeak-ng lacks the voice: it would silently use its English one."""
    name, _plus, variant = voice.partition("+")
    listed = _espeak("--voices").splitlines()[1:]
    if name not in {line.split()[1] for line in listed} | set(re.findall(r"\((\S+) \d+\)", "".join(listed))):
        raise VoiceUnavailable(_unknown(name, "--voices"))
    files = {line.split()[4].rpartition("/")[2] for line in _espeak("--voices=variant").splitlines()[1:]}
    if variant and variant not in files:
        raise VoiceUnavailable(_unknown(f"+{variant}", "--voices=variant"))


def _unknown(voice: str, option: str) -> str:
    return _("there is no voice {name}: {command} lists them", name=voice, command=f"{ESPEAK} {option}")


def speakable(text: str) -> str:
    """``text`` in one line of at most `LONGEST` characters, without espeak-ng's phoneme brackets."""
    text = re.sub(r"\[\[|]]", " ", text)
    text = " ".join(one_line(text).replace("\N{REPLACEMENT CHARACTER}", " ").split())
    return text if len(text) <= LONGEST else text[:LONGEST].rpartition(" ")[0] or text[:LONGEST]


def read(file: Path) -> Samples:
    """Read a WAV file of espeak-ng.

    Raises:
        OSError, EOFError, wave.Error: the file is missing or damaged.
    """
    with wave.open(str(file)) as opened:
        if (opened.getframerate(), opened.getnchannels(), opened.getsampwidth()) != (RATE, 1, 2):
            raise wave.Error("another kind of sound")
        n = opened.getnframes()
        samples = np.frombuffer(opened.readframes(n), "<i2").astype(np.int16)
    if len(samples) != n:
        raise EOFError("the file was cut off")
    return samples
