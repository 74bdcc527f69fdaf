"""Plays samples with a program of this machine."""

from __future__ import annotations

import shutil
import subprocess
import wave
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol

from croupier.errors import CannotWrite
from croupier.i18n import _
from croupier_extras.errors import SoundUnavailable
from croupier_extras.voice.cues import VoiceSettings
from croupier_extras.voice.synthesis import RATE, Samples

_FORMATS: Final = {
    "aplay": ["aplay", "-q", "-t", "raw", "-f", "S16_LE", "-c", "1", "-r", str(RATE)],
    "paplay": ["paplay", "--raw", "--format=s16le", "--channels=1", f"--rate={RATE}"],
}
"""In the order of preference. aplay needs no user session, so it works for a service too, and it plays through a sound
server if there is one."""

_DEVICE: Final = {"aplay": "-D{}", "paplay": "--device={}"}

_SPARE_S: Final = 3.0
"""A program hangs if it takes this much longer than the sound."""


class Output(Protocol):
    """Plays samples."""

    def play(self, samples: Samples) -> None:
        """Play, and return at the end.

        Raises:
            SoundUnavailable: nothing was played.
        """

    def stop(self) -> bool:
        """Stop playing, from any thread; True if something was playing."""


class NullOutput:
    """No sound at all."""

    def play(self, samples: Samples) -> None:
        """Play nothing."""

    def stop(self) -> bool:
        """Nothing plays."""
        return False


class WavFolder(NullOutput):
    """Writes each sound to a WAV file in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._n = 0

    def play(self, samples: Samples) -> None:
        """Write the next file.

        Raises:
            CannotWrite: the folder cannot be written.
        """
        self._n += 1
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with wave.open(str(self._folder / f"{self._n:02}.wav"), "wb") as file:
                file.setparams((1, 2, RATE, 0, "NONE", ""))
                file.writeframes(samples.astype("<i2").tobytes())
        except OSError as err:
            raise CannotWrite(f"{self._folder}: {err.strerror}: expected a folder that may be written") from err


class ProgramOutput:
    """A program that plays raw samples from its standard input."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._playing: subprocess.Popen[bytes] | None = None

    def play(self, samples: Samples) -> None:
        """Play, and return at the end.

        Raises:
            SoundUnavailable: the program failed, or hangs.
        """
        name = self._command[0]
        try:
            process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
            )
        except OSError as err:
            raise SoundUnavailable(f"{name}: {err.strerror}") from err
        self._playing = process
        try:
            _out, err_text = process.communicate(samples.astype("<i2").tobytes(), len(samples) / RATE + _SPARE_S)
        except subprocess.TimeoutExpired as err:
            process.kill()
            process.communicate()
            raise SoundUnavailable(_("{program} is not answering", program=name)) from err
        finally:
            self._playing = None
        if process.returncode > 0:
            why = err_text.decode(errors="replace").strip().rpartition(": ")[2] or f"exit status {process.returncode}"
            text = _("{program} cannot play ({why}): plug in a loudspeaker, or name another as [voice] device",
                     program=name, why=why)  # fmt: skip
            raise SoundUnavailable(text)

    def stop(self) -> bool:
        """Stop playing, from any thread; True if something was playing."""
        if (playing := self._playing) is None:
            return False
        playing.kill()
        return True


def open_output(settings: VoiceSettings) -> Output:
    """The output that the settings name.

    Raises:
        SoundUnavailable: no program for it is installed.
    """
    if settings.program == "none":
        return NullOutput()
    names = list(_FORMATS) if settings.program == "auto" else [settings.program]
    name = next((name for name in names if shutil.which(name)), None)
    if name is None:
        command = "sudo apt install alsa-utils"
        raise SoundUnavailable(_("{program} is missing: install it with: {command}", program=names[0], command=command))
    device = [_DEVICE[name].format(settings.device)] if settings.device else []
    return ProgramOutput([*_FORMATS[name], *device])
