"""The table's side of the voice: sends cues to the process that plays, and restarts that process if it ends or hangs.

speaker = Speaker(VoiceSettings(language="de"), report=print)
speaker.say(Cue(text="Anna ist an der Reihe.", t=monotonic()), Cue(sound="uno", t=monotonic()))
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict
from subprocess import PIPE
from threading import Condition, Event, Thread
from time import monotonic
from typing import IO, Any, Final

from croupier.errors import VoiceUnavailable
from croupier.i18n import _, from_others, marked
from croupier.observers.voice.cues import Cue, VoiceSettings
from croupier.supervisor import Supervisor

_MOST_WAITING: Final = 64
"""Messages kept for a process that reads none; older ones are dropped."""

_HANGS_S: Final = 30.0
"""A process that answers no message for this long hangs; a slow machine needs some seconds to start one."""

_ENDS_S: Final = 1.0
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

PLAYER: Final = (sys.executable, "-P", "-m", "croupier.observers.voice.player")


class Speaker:
    """Sends cues to the process that plays. No call waits; all may come from any thread.

    ``report``: takes one line about each failure, from another thread. ``player``: the command of the process.
    """

    def __init__(
        self,
        settings: VoiceSettings,
        report: Callable[[str], None] = lambda line: None,
        player: Sequence[str] = PLAYER,
    ) -> None:
        self._settings, self._report = asdict(settings), report
        self._likely: list[str] = []
        self._player = player
        self._messages: deque[dict[str, Any]] = deque(maxlen=_MOST_WAITING)
        self._changed = Condition()
        self._process: subprocess.Popen[bytes] | None = None
        self._unanswered_since: float | None = None
        self._failures: dict[str, str] = {}
        self._closed = Event()
        self._began, self._reported = monotonic(), ""
        self._supervisor = Supervisor("voice", self._begin, self._report_end, stay=self._listen)
        self._supervisor.start()

    def say(self, *cues: Cue) -> None:
        """Say each cue when its turn comes, unless it is too old by then."""
        if cues:
            self._send({"say": [asdict(cue) for cue in cues]})

    def prepare(self, sentences: Sequence[str]) -> None:
        """Synthesize likely sentences while there is nothing to say."""
        self._likely = list(sentences)
        self._send({"likely": self._likely})

    def adjust(self, *, volume: int | None = None, muted: bool | None = None) -> None:
        """Set the volume (0…100); mute or unmute."""
        changed = {name: value for name, value in (("volume", volume), ("muted", muted)) if value is not None}
        self._settings |= changed
        self._send({"set": changed})

    @property
    def volume(self) -> int:
        """0…100."""
        return int(self._settings["volume"])

    @property
    def is_muted(self) -> bool:
        """True while the voice is silent."""
        return bool(self._settings["muted"])

    def close(self, finish_s: float = 0.0) -> None:
        """End. Cues that wait may be said for ``finish_s`` seconds."""
        with self._changed:
            self._closed.set()
            self._changed.notify_all()
        self._supervisor.stop()
        self._supervisor.join(finish_s)
        for end in (subprocess.Popen.terminate, subprocess.Popen.kill):
            if (process := self._process) is not None:
                end(process)
                self._supervisor.join(_ENDS_S)

    def _send(self, message: dict[str, Any]) -> None:
        process, since = self._process, self._unanswered_since
        if process is not None and since is not None and monotonic() - since > _HANGS_S:
            process.kill()
        with self._changed:
            self._messages.append(message)
            self._changed.notify_all()

    def _report_end(self, why: str) -> None:
        if why != self._reported or monotonic() - self._began > _STEADY_S:
            self._report(_("The voice stopped ({why}): it is being restarted, and the table goes on.", why=why))
            self._reported = why

    def _begin(self) -> ExitStack:
        """Start the process and wait for its first answer; returns what waits for its end."""
        command = [*self._player, json.dumps(self._settings)]
        self._began = monotonic()
        try:
            # A session of its own: Ctrl-C goes to the table, which ends the process in order.
            process = subprocess.Popen(command, stdin=PIPE, stdout=PIPE, start_new_session=True)
        except OSError as err:
            raise VoiceUnavailable(f"{command[0]}: {from_others(str(err.strerror))}") from err
        assert process.stdin is not None
        assert process.stdout is not None
        self._process, self._unanswered_since = process, None
        writer = Thread(target=self._write, args=(process, process.stdin), name="voice writer", daemon=True)
        writer.start()
        end = ExitStack()
        end.callback(self._forget, writer)
        end.callback(process.wait)
        end.callback(process.stdout.close)
        if not (line := process.stdout.readline()):
            end.close()
            raise VoiceUnavailable(_status(process))
        self._take_answer(line)
        return end

    def _listen(self, _end: ExitStack, _is_closing: Event) -> str:
        process = self._process
        assert process is not None
        assert process.stdout is not None
        for line in process.stdout:
            self._take_answer(line)
        return _status(process)

    def _forget(self, writer: Thread) -> None:
        with self._changed:
            self._process = None
            self._changed.notify_all()
        writer.join()

    def _write(self, process: subprocess.Popen[bytes], into: IO[bytes]) -> None:
        """Write messages until the process or the voice ends. Blocks while the process does not read."""
        messages: list[dict[str, Any]] = [{"likely": self._likely}]
        with suppress(OSError), into:
            while messages:
                for message in messages:
                    self._unanswered_since = self._unanswered_since or monotonic()
                    into.write(f"{json.dumps(message)}\n".encode())
                    into.flush()
                with self._changed:
                    self._changed.wait_for(
                        lambda: self._messages or self._closed.is_set() or self._process is not process
                    )
                    is_alive = self._process is process
                    messages = list(self._messages) if is_alive else []
                    if is_alive:
                        self._messages.clear()

    def _take_answer(self, line: bytes) -> None:
        self._unanswered_since = None
        answer = json.loads(line)
        if not answer:
            return
        part, failure = answer["part"], answer["failure"]
        if failure != self._failures.get(part, ""):
            self._failures[part] = failure
            self._report(_(_FAILED[part], why=failure) if failure else _(_RECOVERED[part]))


def _status(process: subprocess.Popen[bytes]) -> str:
    """Wait for the end of the process; its status or signal."""
    status = process.wait()
    return f"status {status}" if status >= 0 else f"signal {-status}"
