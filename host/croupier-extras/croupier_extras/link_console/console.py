"""The console of `croupier link`: messages as text, ``deal 41 3 7`` in, ``card job 41 index 1 …`` out."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import fields
from typing import Any, Final, TextIO, get_args

from croupier.errors import BadCommand, CroupierError, PortNotFound, did_you_mean
from croupier.link.commands import Command
from croupier.link.conversation import Event, Greeted, Mismatch, Silent
from croupier.link.link import Link
from croupier.link.reports import Report
from tablewire.messages import HEARD_BY_PICO, read_field

COMMANDS: Final[dict[str, Any]] = {one.message: one for one in get_args(Command)}


def parse_command(line: str) -> Command:
    """Parse a line. Raises `BadCommand`, which states what was expected."""
    name, *words = line.split()
    expected = _message(name).fields
    if len(words) != len(expected):
        raise BadCommand(f"{name}: {len(words)} values: expected {usage(name)}")
    values = {field.name: read_field(field, word) for field, word in zip(expected, words, strict=True)}
    for field, word in zip(expected, words, strict=True):
        if values[field.name] is None:
            raise BadCommand(f"{name}: {field.name}: {word}: expected {allowed_values(field)}: {field.meaning}")
    command: Command = COMMANDS[name](**values)
    return command


def _message(name: str) -> Any:
    if name not in COMMANDS:
        meant = did_you_mean(name, COMMANDS).removesuffix(" ") or f"expected one of {', '.join(COMMANDS)}"
        raise BadCommand(f"{name}: no such command: {meant} (help tells more)")
    return HEARD_BY_PICO[name]


def usage(name: str) -> str:
    """Return the usage of a command, such as ``deal JOB SEAT N``."""
    return " ".join([name, *(field.name.upper() for field in HEARD_BY_PICO[name].fields)])


def allowed_values(field: Any) -> str:
    """Describe the allowed values of a field."""
    if field.kind == "choice":
        return " or ".join(field.allowed)
    low, high = field.allowed
    return f"{low} to {high}{f' {field.unit}' if field.unit else ''}"


def manual(name: str = "") -> Iterator[str]:
    """Yield the lines of the help: all commands, or one command with its fields."""
    if name:
        message = _message(name)
        yield f"{usage(name)}: {message.meaning}"
        for field in message.fields:
            yield f"  {field.name.upper()}: {field.meaning}; {allowed_values(field)}"
        return
    lines = {usage(one): HEARD_BY_PICO[one].meaning for one in COMMANDS}
    lines |= {"help COMMAND": "What its values are.", "status": "How the line is."}
    lines |= {"quit": "Or Ctrl-D: the outputs go safe half a second later."}
    width = max(map(len, lines))
    yield from (f"  {command:{width}}  {meaning}" for command, meaning in lines.items())


def event_to_json(event: Report | Greeted | Silent | Mismatch) -> dict[str, Any]:
    """Return an event as JSON: name, time and uncertainty on the table's clock, fields."""
    if isinstance(event, Mismatch):
        return {"report": "mismatch", "t": event.t, "error": str(event.error)}
    name = getattr(event, "message", type(event).__name__.lower())
    values = {one.name: getattr(event, one.name) for one in fields(event)}
    return {"report": name} | {key: round(one, 6) if isinstance(one, float) else one for key, one in values.items()}


def format_event(event: Report | Greeted | Silent | Mismatch) -> str:
    """Format an event for people: ``  26.203518 s ±0.3 ms  press mask 5``."""
    match event:
        case Greeted():
            how = "a new session" if event.is_new else "the session goes on"
            since = f", started anew ({event.cause})" if event.is_reset else ""
            return f"{event.t:12.6f} s           {event.board} ({event.world}): {how}{since}"
        case Silent():
            return f"{event.t:12.6f} s           silence: the Pico is not heard any more; its outputs go safe"
        case Mismatch():
            return str(event.error)
    values = event_to_json(event)
    name, t, u = values.pop("report"), values.pop("t"), values.pop("u")
    return f"{t:12.6f} s ±{u * 1000:5.2f} ms  {' '.join([name, *(f'{key} {one}' for key, one in values.items())])}"


PROMPT: Final = "pico> "
ANSWER_S: Final = 5.0
"""Longest wait for the first greeting: a Pico that was just plugged in is still starting."""


class Console:
    """A console between a person or a program and a Pico. ``lingers``: time to listen after the last line (s)."""

    def __init__(self, link: Link, out: TextIO, *, as_json: bool = False, lingers: float = 1.0) -> None:
        self._link, self._out, self._as_json, self._lingers = link, out, as_json, lingers
        self._is_over = threading.Event()
        self._is_prompted = False
        self._print_lock = threading.Lock()

    def run(self, lines: TextIO) -> int:
        """Run until the last line or ``quit``. Return the exit status: 0, or 2 if a piped line was invalid.

        Raises:
            PortNotFound: there is no port, or nobody answers on it.
            ProtocolMismatch: the firmware speaks another protocol.
        """
        self._greet()
        listener = threading.Thread(target=self._listen, daemon=True)
        listener.start()
        try:
            status = self._run_interactive(lines) if lines.isatty() else self._run_piped(lines)
            if not lines.isatty():
                self._is_over.wait(self._lingers)
        finally:
            self._is_over.set()
            listener.join()
            self._print_events(self._link.events())
        return status

    def _greet(self) -> None:
        """Wait for the answer of the Pico."""
        until = time.monotonic() + ANSWER_S
        events: list[Event] = []
        while not any(isinstance(event, Greeted) for event in events):
            events = self._link.wait(0.1)
            for event in events:
                if isinstance(event, Mismatch):
                    raise event.error
            self._print_events(events)
            if self._link.trouble:
                raise PortNotFound(self._link.trouble)
            if time.monotonic() > until:
                expected = "expected a Pico with our firmware; run croupier firmware check"
                raise PortNotFound(f"{self._link.port}: nobody answers: {expected}")

    def _run_interactive(self, lines: TextIO) -> int:
        """Execute typed lines."""
        with suppress(ImportError):
            import readline  # noqa: F401  # the keys for editing and history come with it
        print("help lists the commands, Ctrl-D leaves", file=self._out)
        with suppress(EOFError):
            while True:
                self._is_prompted = True
                line = input(PROMPT)
                self._is_prompted = False
                try:
                    if not self._execute(line):
                        return 0
                except CroupierError as fault:
                    self._print(str(fault))
        print(file=self._out)
        return 0

    def _run_piped(self, lines: Iterable[str]) -> int:
        """Execute piped lines; report the invalid ones on standard error."""
        status = 0
        for line in lines:
            try:
                if not self._execute(line):
                    break
            except BadCommand as fault:
                print(f"croupier link console: {fault}", file=sys.stderr)
                status = 2
        return status

    def _execute(self, line: str) -> bool:
        """Execute one line. Return False for ``quit``."""
        match line.split():
            case [] | ["#", *_]:
                pass
            case ["quit" | "exit"]:
                return False
            case ["help"]:
                self._print("\n".join(manual()))
            case ["help", name]:
                self._print("\n".join(manual(name)))
            case ["status"]:
                self._print(self._link.status())
            case _:
                if not self._link.send(parse_command(line)):
                    raise BadCommand(f"{line.strip()}: not sent: {self._link.trouble or 'the Pico is not heard'}")
        return True

    def _listen(self) -> None:
        while not self._is_over.is_set():
            self._print_events(self._link.wait(0.1))

    def _print_events(self, events: list[Event]) -> None:
        for event in events:
            self._print(json.dumps(event_to_json(event)) if self._as_json else format_event(event))

    def _print(self, text: str) -> None:
        """Print a line above the line that is being typed."""
        with self._print_lock:
            if not self._is_prompted:
                print(text, file=self._out, flush=True)
                return
            with suppress(ImportError):
                import readline

                print(f"\r\033[K{text}\n{PROMPT}{readline.get_line_buffer()}", end="", file=self._out, flush=True)
