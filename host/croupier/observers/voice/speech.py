"""Sentences, spoken by espeak-ng and kept as WAV files, so that each is made once."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import wave
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

import numpy as np

from croupier.errors import VoiceUnavailable
from croupier.files import write_whole
from croupier.i18n import _
from croupier.observers.voice.settings import Settings
from croupier.observers.voice.tones import RATE, Samples, rest

VOICES: Final = {
    "en": "en-gb", "fr": "fr-fr", "de": "de", "nl": "nl", "sv": "sv", "it": "it", "es": "es", "pt": "pt", "el": "el",
    "hu": "hu", "pl": "pl",
}  # fmt: skip
"""By language: its usual voice of espeak-ng."""

LONGEST: Final = 300
"""Letters of what is spoken at once; people write house rules as long as they like."""

_ESPEAK: Final = "espeak-ng"
CACHE_BYTES: Final = 64 * 2**20
_TIMEOUT_S: Final = 10.0


class Speech:
    """Speaks as ``settings`` say."""

    def __init__(self, settings: Settings) -> None:
        self._voice = settings.voice or VOICES[settings.language]
        self._speed = settings.speed
        self._is_chosen = bool(settings.voice)
        self._cache = Path(settings.cache) / settings.language

    def said(self, text: str) -> Samples:
        """``text``, spoken; out of the cache where it is there.

        Raises:
            VoiceUnavailable: espeak-ng is missing, lacks the voice that was chosen, or failed.
        """
        text = speakable(text)
        file = self._file(text)
        with suppress(OSError, EOFError, wave.Error):
            samples = read(file)
            os.utime(file)  # what was spoken of late is kept
            return samples
        try:
            with NamedTemporaryFile(suffix=".wav") as made:
                self._speak(text, Path(made.name))
                whole = made.read()
                if not whole:  # nothing in it can be spoken
                    return rest(0)
                samples = read(Path(made.name))
        except VoiceUnavailable:
            raise
        except (OSError, EOFError, wave.Error) as err:
            raise VoiceUnavailable(f"{_ESPEAK}: {err}") from err
        # Without a cache it is made anew each time.
        with suppress(OSError):
            self._cache.mkdir(parents=True, exist_ok=True)
            write_whole(file, whole)
        return samples

    def tidy(self, most: int = CACHE_BYTES) -> None:
        """Forget what was not spoken for longest, until the rest is no more than ``most`` bytes."""
        with suppress(OSError):
            files = sorted((file.stat().st_mtime, file) for file in self._cache.iterdir())
            size = sum(file.stat().st_size for _used, file in files)
            for _used, file in files:
                if size <= most:
                    return
                size -= file.stat().st_size
                file.unlink()

    def _file(self, text: str) -> Path:
        said = "\n".join((self._voice, str(self._speed), text))
        return self._cache / f"{hashlib.sha256(said.encode()).hexdigest()[:32]}.wav"

    def _speak(self, text: str, file: Path) -> None:
        if self._is_chosen:
            _find(self._voice)
            self._is_chosen = False
        # Not as an argument: a name may begin with a dash.
        _espeak("-v", self._voice, "-s", str(self._speed), "-w", str(file), "--stdin", told=text)


def _espeak(*arguments: str, told: str = "") -> str:
    try:
        done = subprocess.run(
            [_ESPEAK, *arguments], input=told.encode(), capture_output=True, timeout=_TIMEOUT_S, check=False
        )
    except FileNotFoundError as err:
        told = _(
            "{program} is missing: install it with: {command}", program=_ESPEAK, command="sudo apt install espeak-ng"
        )
        raise VoiceUnavailable(told) from err
    except subprocess.TimeoutExpired as err:
        raise VoiceUnavailable(_("{program} does not answer", program=_ESPEAK)) from err
    except OSError as err:
        raise VoiceUnavailable(f"{_ESPEAK}: {err.strerror}") from err
    if done.returncode:
        why = done.stderr.decode(errors="replace").strip().rpartition("\n")[2] or f"exit status {done.returncode}"
        raise VoiceUnavailable(f"{_ESPEAK}: {why}")
    return done.stdout.decode(errors="replace")


def _find(voice: str) -> None:
    """Make sure that there is such a voice: espeak-ng takes its English one instead of one that it lacks."""
    name, _plus, variant = voice.partition("+")
    listed = _espeak("--voices").splitlines()[1:]
    if name not in {line.split()[1] for line in listed} | set(re.findall(r"\((\S+) \d+\)", "".join(listed))):
        raise VoiceUnavailable(_unknown(name, "--voices"))
    files = {line.split()[4].rpartition("/")[2] for line in _espeak("--voices=variant").splitlines()[1:]}
    if variant and variant not in files:
        raise VoiceUnavailable(_unknown(f"+{variant}", "--voices=variant"))


def _unknown(voice: str, option: str) -> str:
    return _("there is no voice {name}: {command} lists them", name=voice, command=f"{_ESPEAK} {option}")


def speakable(text: str) -> str:
    """``text`` in one line, without what espeak-ng takes for phonemes, and no longer than `LONGEST`."""
    text = re.sub(r"\[\[|]]", " ", text)
    text = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return text if len(text) <= LONGEST else text[:LONGEST].rpartition(" ")[0] or text[:LONGEST]


def read(file: Path) -> Samples:
    """The samples of a WAV file of espeak-ng.

    Raises:
        OSError, EOFError, wave.Error: there is none, or it is damaged.
    """
    with wave.open(str(file)) as opened:
        if (opened.getframerate(), opened.getnchannels(), opened.getsampwidth()) != (RATE, 1, 2):
            raise wave.Error("another kind of sound")
        n = opened.getnframes()
        samples = np.frombuffer(opened.readframes(n), "<i2").astype(np.int16)
    if len(samples) != n:
        raise EOFError("the file was cut off")
    return samples
