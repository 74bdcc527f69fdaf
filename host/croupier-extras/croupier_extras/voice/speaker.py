"""The table's side of the voice: sends cues to the process that plays, and restarts that process if it ends or hangs.

speaker = Speaker(VoiceSettings(language="de"), report=print)
speaker.say(Cue(text="Anna ist an der Reihe.", t=monotonic()), Cue(sound="uno", t=monotonic()))
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Event
from time import monotonic
from typing import Final

from croupier.child_process import ChildProcess, Outbox, python
from croupier.i18n import _, from_others, marked
from croupier.supervisor import Supervisor
from croupier_extras.errors import VoiceUnavailable
from croupier_extras.voice.cues import Adjust, Cue, Prepare, SayCues, VoiceSettings

_MOST_WAITING: Final = 64
"""Messages kept for a process that reads none; older ones are dropped."""

_HANGS_S: Final = 30.0
"""A process that answers no message for this long hangs; a slow machine needs some seconds to start one."""

_ENDS_S: Final = 3.0
_EXITS_S: Final = 1.0
"""Time for a process that has closed its channel to exit by itself, so that its own reason is reported."""

_STEADY_S: Final = 60.0
"""The end of a process that lived this long is reported again."""

_FAILED: Final = {
    "speech": marked("The voice cannot speak: {why}"),
    "sound": marked("No sound can be played: {why}"),
}
_RECOVERED: Final = {
    "speech": marked("The voice speaks again."),
    "sound": marked("Sound can be played again."),
}

PLAYER: Final = python("croupier_extras.voice.player:play")


class Speaker:
    """Sends cues to the process that plays. No call waits; all may come from any thread.

    ``report``: takes one line about each failure, from another thread. ``player``: the command of the process.
    """

    def __init__(
        self,
        settings: VoiceSettings,
        report: Callable[[str], None] = lambda line: None,
        player: Sequence[str] | None = None,
    ) -> None:
        self._settings, self._report, self._player = settings, report, player or PLAYER
        self._likely: tuple[str, ...] = ()
        self._waiting = Outbox(_MOST_WAITING)
        self._process: ChildProcess | None = None
        self._has_begun, self._finish_s = Event(), 0.0
        self._failures: dict[str, str] = {}
        self._began, self._reported = monotonic(), ""
        self._supervisor = Supervisor("voice", self._begin, self._report_end, stay=self._listen)
        self._supervisor.start()

    def say(self, *cues: Cue) -> None:
        """Say each cue when its turn comes, unless it is too old by then."""
        if cues:
            self._waiting.put(SayCues(cues))

    def prepare(self, sentences: Sequence[str]) -> None:
        """Synthesize likely sentences while there is nothing to say."""
        self._likely = tuple(sentences)
        self._waiting.put(Prepare(self._likely))

    def adjust(self, *, volume: int | None = None, muted: bool | None = None) -> None:
        """Set the volume (0…100); mute or unmute."""
        change = Adjust(volume, muted)
        self._settings = change.to(self._settings)
        self._waiting.put(change)

    @property
    def volume(self) -> int:
        """0…100."""
        return self._settings.volume

    @property
    def is_muted(self) -> bool:
        """True while the voice is silent."""
        return self._settings.muted

    def close(self, finish_s: float = 0.0) -> None:
        """End. Cues that wait may be said for ``finish_s`` seconds."""
        self._finish_s = finish_s
        self._supervisor.stop()
        if not self._has_begun.wait(finish_s):
            self._finish_s = 0.0
        if (process := self._process) is not None:
            process.end(finish_s)
        self._supervisor.join(_ENDS_S)

    def _report_end(self, why: str) -> None:
        if why != self._reported or monotonic() - self._began > _STEADY_S:
            self._report(_("The voice stopped ({why}): it is being restarted, and the table goes on.", why=why))
            self._reported = why

    def _begin(self) -> ChildProcess:
        """Start the process and wait for its first answer."""
        self._began = monotonic()
        try:
            process = ChildProcess.start(
                self._player, self._settings, self._likely, outbox=self._waiting, hangs_s=_HANGS_S
            )
        except OSError as err:
            raise VoiceUnavailable(f"{self._player[0]}: {from_others(str(err.strerror))}") from err
        self._process = process
        self._has_begun.set()
        try:
            self._take_answer(process.receive())
        except (EOFError, OSError):
            reason = process.end(_EXITS_S)
            process.close()
            raise VoiceUnavailable(reason) from None
        return process

    def _listen(self, process: ChildProcess, is_closing: Event) -> str:
        with suppress(EOFError, OSError):
            while self._finish_s or not is_closing.is_set():
                self._take_answer(process.receive())
        return "" if is_closing.is_set() else process.end(_EXITS_S)

    def _take_answer(self, answer: bytes) -> None:
        if not answer:
            return
        told = json.loads(answer)
        part, failure = told["part"], told["failure"]
        if failure != self._failures.get(part, ""):
            self._failures[part] = failure
            self._report(_(_FAILED[part], why=failure) if failure else _(_RECOVERED[part]))
