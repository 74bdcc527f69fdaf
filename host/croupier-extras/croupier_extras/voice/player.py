"""The process that plays: a child of the table, which sends cues and receives failures.

While no cue waits, it synthesizes likely sentences in advance. It ends with the table, after what still waits.
"""

from __future__ import annotations

import json
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, time
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Final, Protocol

import numpy as np

from croupier.child_process import Channel
from croupier.i18n import use
from croupier_extras.errors import SoundUnavailable, VoiceUnavailable
from croupier_extras.voice.cues import Adjust, Cue, CueQueue, Prepare, SayCues, VoiceMessage, VoiceSettings, is_quiet
from croupier_extras.voice.output import NullOutput, Output, open_output
from croupier_extras.voice.synthesis import EspeakSynthesizer, Samples, silence, tones

_NICE: Final = 5
"""The card reader has priority over the voice."""

_GAP_S: Final = 0.08
"""Between a sound and its sentence."""


class Synthesizer(Protocol):
    """Synthesizes sentences."""

    def synthesize(self, text: str) -> Samples:
        """Raises VoiceUnavailable."""


class Player:
    """Plays one cue after the other.

    ``report``: takes a part ("speech" or "sound") and its failure, "" when the part works again.
    ``now``: the monotonic clock (s); ``clock``: the time of day.
    """

    def __init__(
        self,
        settings: VoiceSettings,
        synthesizer: Synthesizer,
        out: Output,
        report: Callable[[str, str], None],
        now: Callable[[], float] = monotonic,
        clock: Callable[[], time] = lambda: datetime.now().time(),
    ) -> None:
        self._settings, self._synthesizer, self._out = settings, synthesizer, out
        self._report, self._now, self._clock = report, now, clock
        self._queue = CueQueue()
        self._likely: deque[str] = deque()
        self._failures = {"speech": "", "sound": ""}
        self._playing: Cue | None = None
        self._is_interrupted = False

    def preempt(self, message: VoiceMessage) -> None:
        """Stop playing if the message must not wait. Called from another thread as soon as the message arrives."""
        playing = self._playing
        match message:
            case Adjust(muted=True) if playing is not None:
                self._out.stop()
            case SayCues(cues) if playing is not None and any(cue.sound and cue.rank < playing.rank for cue in cues):
                self._is_interrupted = self._out.stop()
            case _:
                pass

    def receive(self, message: VoiceMessage) -> None:
        """Take in a message."""
        match message:
            case SayCues(cues):
                if not self._settings.muted:
                    self._queue.push(cues)
            case Prepare(sentences):
                self._likely = deque(sentences)
            case Adjust():
                self._settings = message.to(self._settings)
                if self._settings.muted:
                    self._queue.clear()

    def finish(self) -> None:
        """No more messages come: synthesize nothing in advance."""
        self._likely.clear()

    def step(self) -> bool:
        """Play the next cue, or synthesize one sentence in advance; False if there is nothing to do."""
        cue = self._queue.pop(self._now())
        if cue is not None:
            self._play(cue)
            return True
        if self._likely and self._settings.speech and not self._failures["speech"]:
            self._sentence(self._likely.popleft())
            return True
        return False

    def _play(self, cue: Cue) -> None:
        settings = self._settings
        if settings.muted or not settings.volume or is_quiet(settings.quiet, self._clock()):
            return
        parts = [tones(cue.sound)] if cue.sound and settings.sounds else []
        if cue.text and settings.speech and (sentence := self._sentence(cue.text)) is not None:
            parts += [silence(_GAP_S), sentence] if parts else [sentence]
        if not any(map(len, parts)):
            return
        # Squared, so that half the volume sounds half as loud.
        loudness = (settings.volume / 100) ** 2
        self._playing, self._is_interrupted = cue, False
        try:
            self._out.play((np.concatenate(parts) * loudness).astype(np.int16))
        except SoundUnavailable as err:
            self._set_failure("sound", str(err))
        else:
            self._set_failure("sound", "")
        self._playing = None
        if self._is_interrupted:
            self._queue.push([cue])

    def _sentence(self, text: str) -> Samples | None:
        try:
            sentence = self._synthesizer.synthesize(text)
        except VoiceUnavailable as err:
            self._set_failure("speech", str(err))
            return None
        self._set_failure("speech", "")
        return sentence

    def _set_failure(self, part: str, failure: str) -> None:
        if failure != self._failures[part]:
            self._failures[part] = failure
            self._report(part, failure)


def play(channel: Channel, settings: VoiceSettings, likely: Sequence[str]) -> None:
    """The main function of the process. It answers each message, and the start, with nothing or a failure as JSON."""
    use(settings.ui_language)
    os.nice(_NICE)

    def answer(content: bytes) -> None:
        with suppress(OSError):  # the table has ended
            channel.send_bytes(content)

    def report(part: str, failure: str) -> None:
        answer(json.dumps({"part": part, "failure": failure}).encode())

    try:
        out = open_output(settings)
    except SoundUnavailable as err:
        out = NullOutput()
        report("sound", str(err))
    synthesizer = EspeakSynthesizer(settings)
    synthesizer.tidy()
    player = Player(settings, synthesizer, out, report)
    player.receive(Prepare(tuple(likely)))
    messages: SimpleQueue[VoiceMessage | None] = SimpleQueue()

    def listen() -> None:
        with suppress(EOFError, OSError):
            while True:
                answer(b"")
                message = channel.receive()
                player.preempt(message)
                messages.put(message)
        messages.put(None)

    def end(*_signal: object) -> None:
        out.stop()
        os._exit(0)

    signal.signal(signal.SIGTERM, end)
    threading.Thread(target=listen, daemon=True).start()
    _run(player, messages)


def _run(player: Player, messages: SimpleQueue[VoiceMessage | None]) -> None:
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
            player.receive(message)
        is_busy = True
