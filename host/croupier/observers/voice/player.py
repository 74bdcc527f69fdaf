"""The process that plays: reads what is to be said from standard input, in JSON lines, and tells its troubles.

It never looks at the table. With nothing to say, it makes sentences ahead. It ends with what it reads from.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, time
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, Final, Protocol

import numpy as np

from croupier.errors import SoundUnavailable, VoiceUnavailable
from croupier.i18n import use
from croupier.observers.voice.cues import Cue, Waiting
from croupier.observers.voice.output import Nowhere, Output, output
from croupier.observers.voice.settings import Settings, is_quiet
from croupier.observers.voice.speech import Speech
from croupier.observers.voice.tones import Samples, rest, tones

HEARD: Final[dict[str, str]] = {}
"""Answers every message, for the table to know that this process is alive."""

_NICE: Final = 5
"""Whoever reads cards goes first."""

_GAP_S: Final = 0.08
"""Between a sound and its sentence."""


class Speaking(Protocol):
    """Makes sound of a sentence, as `Speech` does."""

    def said(self, text: str) -> Samples:
        """Raises VoiceUnavailable where it cannot."""


class Player:
    """Says one thing after the other.

    ``report``: told ``part`` ("speech" or "sound") and what is wrong with it, "" once it is well again.
    ``now``: the monotonic clock in seconds; ``clock``: the time of day.
    """

    def __init__(
        self,
        settings: Settings,
        speech: Speaking,
        out: Output,
        report: Callable[[str, str], None],
        now: Callable[[], float] = monotonic,
        clock: Callable[[], time] = lambda: datetime.now().time(),
    ) -> None:
        self._settings, self._speech, self._out = settings, speech, out
        self._report, self._now, self._clock = report, now, clock
        self._waiting = Waiting()
        self._ahead: deque[str] = deque()
        self._wrong = {"speech": "", "sound": ""}
        self._playing: Cue | None = None
        self._is_cut_short = False

    def overhear(self, message: dict[str, Any]) -> None:
        """From another thread, as soon as a message is there: fall silent where it does not wait until the end."""
        playing = self._playing
        if playing is None:
            return
        if message.get("set", {}).get("muted"):
            self._out.stop()
        elif any(cue["sound"] and cue["rank"] < playing.rank for cue in message.get("say", ())):
            self._is_cut_short = self._out.stop()

    def hear(self, message: dict[str, Any]) -> None:
        """Take in a message: ``say`` (cues), ``ahead`` (sentences), ``set`` (fields of the settings)."""
        self._waiting.push([Cue(**cue) for cue in message.get("say", ())])
        self._ahead = deque(message.get("ahead", self._ahead))
        self._settings = replace(self._settings, **message.get("set", {}))
        if self._settings.muted:
            self._waiting.clear()

    def finish(self) -> None:
        """Nothing more will be asked for: make nothing ahead."""
        self._ahead.clear()

    def step(self) -> bool:
        """Say what comes next, or make one sentence ahead; False where there is nothing to do."""
        cue = self._waiting.pop(self._now())
        if cue is not None:
            self._play(cue)
            return True
        if self._ahead and self._settings.speech and not self._wrong["speech"]:
            self._sentence(self._ahead.popleft())
            return True
        return False

    def _play(self, cue: Cue) -> None:
        settings = self._settings
        if settings.muted or not settings.volume or is_quiet(settings.quiet, self._clock()):
            return
        parts = [tones(cue.sound)] if cue.sound and settings.sounds else []
        if cue.text and settings.speech and (sentence := self._sentence(cue.text)) is not None:
            parts += [rest(_GAP_S), sentence] if parts else [sentence]
        if not any(map(len, parts)):
            return
        # Squared, for half of it to sound half as loud.
        loudness = (settings.volume / 100) ** 2
        self._playing, self._is_cut_short = cue, False
        try:
            self._out.play((np.concatenate(parts) * loudness).astype(np.int16))
        except SoundUnavailable as err:
            self._tell("sound", str(err))
        else:
            self._tell("sound", "")
        self._playing = None
        if self._is_cut_short:
            self._waiting.push([cue])

    def _sentence(self, text: str) -> Samples | None:
        try:
            sentence = self._speech.said(text)
        except VoiceUnavailable as err:
            self._tell("speech", str(err))
            return None
        self._tell("speech", "")
        return sentence

    def _tell(self, part: str, wrong: str) -> None:
        if wrong != self._wrong[part]:
            self._wrong[part] = wrong
            self._report(part, wrong)


def _send(message: dict[str, str]) -> None:
    # In one piece, for two threads write here.
    with suppress(OSError):
        os.write(sys.stdout.fileno(), f"{json.dumps(message)}\n".encode())


def _report(part: str, wrong: str) -> None:
    _send({"part": part, "wrong": wrong})


def main() -> None:
    """Play until standard input ends, then what still waits."""
    settings = Settings(**json.loads(sys.argv[1]))
    use(settings.told_in)
    os.nice(_NICE)
    try:
        out = output(settings)
    except SoundUnavailable as err:
        out = Nowhere()
        _report("sound", str(err))
    speech = Speech(settings)
    speech.tidy()
    player = Player(settings, speech, out, _report)
    messages: SimpleQueue[dict[str, Any] | None] = SimpleQueue()

    def listen() -> None:
        with suppress(ValueError):  # half a line: the table died while it wrote
            for line in sys.stdin:
                message = json.loads(line)
                player.overhear(message)
                messages.put(message)
                _send(HEARD)
        messages.put(None)

    def end(*signalled: object) -> None:
        out.stop()
        os._exit(0)

    signal.signal(signal.SIGTERM, end)
    threading.Thread(target=listen, daemon=True).start()
    _go(player, messages)


def _go(player: Player, messages: SimpleQueue[dict[str, Any] | None]) -> None:
    is_busy = is_listening = True
    while is_busy or is_listening:
        try:
            message = messages.get(block=not is_busy)
        except Empty:
            is_busy = player.step()
            continue
        if message is None:
            is_listening = False
            player.finish()
        else:
            player.hear(message)
        is_busy = True


if __name__ == "__main__":
    main()
