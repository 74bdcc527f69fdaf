"""The table's side of the voice: hands cues to the process that plays, and starts it again when it ends or hangs."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from subprocess import PIPE
from threading import Condition, Event, Thread
from time import monotonic
from typing import IO, Any, Final

from croupier.errors import VoiceUnavailable
from croupier.i18n import _, marked
from croupier.observers.voice.cues import Cue
from croupier.observers.voice.settings import Settings
from croupier.supervisor import Supervisor

_MOST_WAITING: Final = 64
"""Messages for a process that reads none; older ones are dropped, for nobody wants to hear them."""

_HANGS_S: Final = 30.0
"""A process that answers no message for so long hangs; a slow machine may need some seconds to start one."""

_ENDS_S: Final = 1.0
_STEADY_S: Final = 60.0
"""That the process ended is told again after it has lived for so long."""

_WRONG: Final = {
    "speech": marked("No sentences are spoken: {why}"),
    "sound": marked("No sound is heard: {why}"),
}
_WELL: Final = {
    "speech": marked("Sentences are spoken again."),
    "sound": marked("Sound is heard again."),
}

PLAYER: Final = (sys.executable, "-P", "-m", "croupier.observers.voice.player")


@dataclass(frozen=True, slots=True)
class _PlayerProcess:
    """A process that plays; ``out``: what it answers; ``forget``: called when it has ended."""

    process: subprocess.Popen[bytes]
    out: IO[bytes]
    forget: Callable[[], None]

    def ended(self) -> str:
        """Wait for its end: how it ended."""
        status = self.process.wait()
        return f"status {status}" if status >= 0 else f"signal {-status}"

    def close(self) -> None:
        self.out.close()
        self.process.wait()
        self.forget()


class Speaker:
    """Says what it is told to. No call waits for anything; all may be made from any thread.

    ``tell``: given one line about each trouble, from another thread. ``player``: the command of the process that plays.
    """

    def __init__(
        self,
        settings: Settings,
        tell: Callable[[str], None] = lambda line: None,
        player: Sequence[str] = PLAYER,
    ) -> None:
        self._settings, self._tell = asdict(settings), tell
        self._ahead: list[str] = []
        self._player = player
        self._messages: deque[dict[str, Any]] = deque(maxlen=_MOST_WAITING)
        self._changed = Condition()
        self._process: subprocess.Popen[bytes] | None = None
        self._unheard_since: float | None = None
        self._wrong: dict[str, str] = {}
        self._closed = Event()
        self._began, self._reported = monotonic(), ""
        self._supervisor = Supervisor("voice", self._begin, self._report_end, stay=self._listen)
        self._supervisor.start()

    def say(self, *cues: Cue) -> None:
        """Say them as soon as it is their turn, or never, if that comes too late."""
        if cues:
            self._send({"say": [asdict(cue) for cue in cues]})

    def prepare(self, sentences: Sequence[str]) -> None:
        """Make these while there is nothing to say, so that later they take no time."""
        self._ahead = list(sentences)
        self._send({"ahead": self._ahead})

    def adjust(self, *, volume: int | None = None, muted: bool | None = None) -> None:
        """Be louder or softer (0…100); fall silent, or speak again."""
        changed = {name: value for name, value in (("volume", volume), ("muted", muted)) if value is not None}
        self._settings |= changed
        self._send({"set": changed})

    @property
    def volume(self) -> int:
        """How loud: 0…100."""
        return int(self._settings["volume"])

    @property
    def muted(self) -> bool:
        """Whether it is silent."""
        return bool(self._settings["muted"])

    def close(self, finish_s: float = 0.0) -> None:
        """End; what still waits may be said for ``finish_s`` seconds."""
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
        process, since = self._process, self._unheard_since
        if process is not None and since is not None and monotonic() - since > _HANGS_S:
            process.kill()
        with self._changed:
            self._messages.append(message)
            self._changed.notify_all()

    def _report_end(self, why: str) -> None:
        if why != self._reported or monotonic() - self._began > _STEADY_S:
            self._tell(_("The voice ended ({why}): it is started again, and the table goes on.", why=why))
            self._reported = why

    def _begin(self) -> _PlayerProcess:
        """Start the process; returns when it has answered the first message."""
        command = [*self._player, json.dumps(self._settings)]
        self._began = monotonic()
        try:
            # In a session of its own: a Ctrl-C is for the table, which ends it in its own way.
            process = subprocess.Popen(command, stdin=PIPE, stdout=PIPE, start_new_session=True)
        except OSError as err:
            raise VoiceUnavailable(f"{command[0]}: {err.strerror}") from err
        assert process.stdin is not None
        assert process.stdout is not None
        self._process, self._unheard_since = process, None
        writer = Thread(target=self._write, args=(process, process.stdin), name="voice writer", daemon=True)
        writer.start()
        player = _PlayerProcess(process, process.stdout, lambda: self._forget(writer))
        if not (line := process.stdout.readline()):
            player.close()
            raise VoiceUnavailable(player.ended())
        self._hear(line)
        return player

    def _listen(self, player: _PlayerProcess, _is_closing: Event) -> str:
        for line in player.out:
            self._hear(line)
        return player.ended()

    def _forget(self, writer: Thread) -> None:
        with self._changed:
            self._process = None
            self._changed.notify_all()
        writer.join()

    def _write(self, process: subprocess.Popen[bytes], into: IO[bytes]) -> None:
        """Hand on messages, until the process or the voice ends; blocks where the process does not read."""
        messages: list[dict[str, Any]] = [{"ahead": self._ahead}]
        with suppress(OSError), into:
            while messages:
                for message in messages:
                    self._unheard_since = self._unheard_since or monotonic()
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

    def _hear(self, line: bytes) -> None:
        self._unheard_since = None
        said = json.loads(line)
        if not said:
            return
        part, wrong = said["part"], said["wrong"]
        if wrong != self._wrong.get(part, ""):
            self._wrong[part] = wrong
            self._tell(_(_WRONG[part], why=wrong) if wrong else _(_WELL[part]))
