"""The console: reads lines from a person or a pipe, and prints reports as they come."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import Final, TextIO

from croupier.cli import link_words
from croupier.errors import BadCommand, CroupierError, PortNotFound
from croupier.link.conversation import Event, Mismatch
from croupier.link.link import Link

PROMPT: Final = "pico> "
ANSWER_S: Final = 5.0
"""So long a Pico may take to answer the first greeting: one that was just plugged in is still starting."""


class Console:
    """One person (or program) and one Pico. ``lingers``: how long to listen after the last line (s)."""

    def __init__(self, link: Link, out: TextIO = sys.stdout, *, as_json: bool = False, lingers: float = 1.0) -> None:
        self._link, self._out, self._as_json, self._lingers = link, out, as_json, lingers
        self._is_over = threading.Event()
        self._is_prompted = False
        self._print = threading.Lock()

    def run(self, lines: TextIO = sys.stdin) -> int:
        """Until the last line, or ``quit``. Returns the exit status: 0, or 2 where a line from a pipe was wrong.

        Raises:
            PortNotFound: there is no port, or nobody answers on it.
            ProtocolMismatch: the firmware speaks another protocol.
        """
        self._greet()
        listener = threading.Thread(target=self._listen, daemon=True)
        listener.start()
        try:
            status = self._ask(lines) if lines.isatty() else self._take(lines)
            if not lines.isatty():
                self._is_over.wait(self._lingers)
        finally:
            self._is_over.set()
            listener.join()
            self._show(self._link.events())
        return status

    def _greet(self) -> None:
        """Wait until the Pico has answered."""
        until = time.monotonic() + ANSWER_S
        while not self._link.is_open:
            events = self._link.wait(0.1)
            for event in events:
                if isinstance(event, Mismatch):
                    raise event.error
            self._show(events)
            if self._link.trouble:
                raise PortNotFound(self._link.trouble)
            if time.monotonic() > until:
                expected = "expected a Pico with our firmware; run croupier firmware check"
                raise PortNotFound(f"{self._link.port}: nobody answers: {expected}")

    def _ask(self, lines: TextIO) -> int:
        """A person types."""
        with suppress(ImportError):
            import readline  # noqa: F401  # the keys for editing and history come with it
        print("help lists the commands, Ctrl-D leaves", file=self._out)
        with suppress(EOFError):
            while True:
                self._is_prompted = True
                line = input(PROMPT)
                self._is_prompted = False
                try:
                    if not self._do(line):
                        return 0
                except CroupierError as fault:
                    self._say(str(fault))
        print(file=self._out)
        return 0

    def _take(self, lines: Iterable[str]) -> int:
        """A program writes. Wrong lines are told, the others are carried out."""
        status = 0
        for line in lines:
            try:
                if not self._do(line):
                    break
            except BadCommand as fault:
                print(f"croupier link console: {fault}", file=sys.stderr)
                status = 2
        return status

    def _do(self, line: str) -> bool:
        """Carry out one line; false for ``quit``."""
        match line.split():
            case [] | ["#", *_]:
                pass
            case ["quit" | "exit"]:
                return False
            case ["help"]:
                self._say("\n".join(link_words.manual()))
            case ["help", name]:
                self._say("\n".join(link_words.manual(name)))
            case ["status"]:
                self._say(self._link.status())
            case _:
                if not self._link.send(link_words.command(line)):
                    raise BadCommand(f"{line.strip()}: not sent: {self._link.trouble or 'the Pico is not heard'}")
        return True

    def _listen(self) -> None:
        while not self._is_over.is_set():
            self._show(self._link.wait(0.1))

    def _show(self, events: list[Event]) -> None:
        for event in events:
            self._say(json.dumps(link_words.told(event)) if self._as_json else link_words.said(event))

    def _say(self, text: str) -> None:
        """Print a line above what is being typed."""
        with self._print:
            if not self._is_prompted:
                print(text, file=self._out, flush=True)
                return
            with suppress(ImportError):
                import readline

                print(f"\r\033[K{text}\n{PROMPT}{readline.get_line_buffer()}", end="", file=self._out, flush=True)
