"""The guided test of the UNO buttons at the Pico: who answers, how fast, and how often its contact bounces.

`croupier link buttons` asks for one seat after the other; the check ``buttons.each`` of `croupier doctor --try` and
`croupier setup` takes them in any order. The lamps of the seats that are still to be pressed are lit.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Protocol

from croupier.config.model import layout
from croupier.doctor.check import Check, CheckContext
from croupier.doctor.finding import Finding, absent, ok, wrong
from croupier.i18n import _, marked
from croupier.link import commands
from croupier.link import reports as wire
from croupier.link.commands import Command
from croupier.link.conversation import Event
from tablewire.messages import MOST_BOUNCES
from tablewire.pins import SEATS

PATIENCE_S: Final = 20.0
"""Wait for the button of one seat."""

QUIET_S: Final = 8.0
"""Wait of the check, from the last press on."""

SETTLES_S: Final = 0.03
"""From a press until its contact no longer bounces: twice what the firmware allows."""

ANSWER_S: Final = 1.0
"""Wait for the count of bounces."""

_WRONG_ONES: Final = 3
"""So often the button of another seat is pressed before the test goes on to the next."""


class Line(Protocol):
    """Carries commands and events: `croupier.link.link.Link`, or a simulation."""

    def send(self, command: Command) -> bool:
        """Send a command. Return False if that is not possible now."""

    def wait(self, seconds: float) -> list[Event]:
        """Return the events since the last call; wait for the first at most ``seconds``."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A button that was pressed: its ``seat`` from 0, how long its press took to this program (s), and how often its
    contact closed again while it bounced, at most `MOST_BOUNCES`."""

    seat: int
    took_s: float
    bounces: int

    def in_words(self) -> str:
        """Return it in the language of the reader."""
        n = f"{self.bounces}" if self.bounces < MOST_BOUNCES else f"{MOST_BOUNCES}+"
        return _(
            "Seat {seat}: answered in {ms} ms; bounces: {n}", seat=self.seat + 1, ms=f"{self.took_s * 1000:.0f}", n=n
        )


class ButtonTest:
    """Waits for presses. ``clock``: that of the line, on which presses are dated (s)."""

    def __init__(self, line: Line, clock: Callable[[], float]) -> None:
        self._line, self._clock = line, clock
        self._presses: deque[tuple[wire.Press, float]] = deque()
        self._counted: int | None = None

    def light(self, seats: Iterable[int]) -> None:
        """Light the lamps of these seats, and no others."""
        self._line.send(commands.Lamps(mask=sum(1 << seat for seat in seats)))

    def hear(self, seconds: float) -> tuple[Answer, ...]:
        """Return the buttons that are pressed next, all in one instant; none if there is no press in time."""
        if not self._presses:
            self._listen(seconds, lambda: bool(self._presses))
        if not self._presses:
            return ()
        press, at = self._presses.popleft()
        self._listen(at + SETTLES_S - self._clock(), lambda: False)
        self._counted = None
        self._line.send(commands.Test(part="contacts"))
        self._listen(ANSWER_S, lambda: self._counted is not None)
        seats = [seat for seat in range(SEATS) if press.mask >> seat & 1]
        counted = self._counted or 0
        return tuple(Answer(seat, at - press.t, counted >> 3 * seat & MOST_BOUNCES) for seat in seats)

    def _listen(self, seconds: float, is_enough: Callable[[], bool]) -> None:
        """Take in reports for so long, or until it is enough."""
        until = self._clock() + seconds
        while not is_enough() and (left := until - self._clock()) > 0:
            for event in self._line.wait(left):
                if isinstance(event, wire.Press):
                    self._presses.append((event, self._clock()))
                elif isinstance(event, wire.Tested) and event.part == "contacts":
                    self._counted = event.detail


def guide(test: ButtonTest, seats: int, show: Callable[[str], None]) -> int:
    """Ask for the button of one seat after the other. Return the exit status: 1 if one did not answer."""
    failed = 0
    for seat in range(seats):
        test.light([seat])
        show(_("Press the button at seat {seat} …", seat=seat + 1))
        for _n in range(_WRONG_ONES):
            heard = test.hear(PATIENCE_S)
            for one in heard:
                show(f"  {one.in_words()}")
            if not heard or [one.seat for one in heard] == [seat]:
                break
            show(
                _(
                    "That was not seat {seat} alone: look where its plug is, and whether two cables touch.",
                    seat=seat + 1,
                )
            )
        if [one.seat for one in heard] != [seat]:
            failed += 1
            show(_("Seat {seat} does not answer: plug, cable, button; then R{seat} on the board.", seat=seat + 1))
    test.light(())
    show(_("{n} of {seats} buttons answer.", n=seats - failed, seats=seats))
    return int(failed > 0)


def each(table: CheckContext, clock: Callable[[], float] = time.monotonic) -> Finding:
    """Check that each button answers, in any order. ``clock``: that of the link."""
    if table.config.buttons.kind != "pico":
        return absent(marked("No buttons are connected to the Pico."))
    if not table.moves:
        return absent(marked("Not tried: croupier doctor --try waits for a press of each button."))
    assert table.link is not None
    test = ButtonTest(table.link, clock)
    missing, answers = set(range(layout(table.config).seats)), dict[int, Answer]()
    while missing:
        test.light(missing)
        heard = test.hear(QUIET_S)
        if not heard:
            break
        answers |= {one.seat: one for one in heard}
        missing -= answers.keys()
    test.light(())
    said = ", ".join(answers[seat].in_words() for seat in sorted(answers))
    if not answers:
        text = marked("No button was pressed within {seconds} s. One after the other: croupier link buttons")
        return absent(text, seconds=round(QUIET_S))
    if missing:
        seats = ", ".join(str(seat + 1) for seat in sorted(missing))
        return wrong(
            marked("No press came from seat {seats}. {said}"),
            marked("Look at plug, cable and button of that seat; then run croupier link buttons."),
            seats=seats, said=said,
        )  # fmt: skip
    return ok(marked("Every button answers. {said}"), said=said)


CHECKS: Final = (Check("buttons.each", each, needs="pico.firmware", after=("panel.keys",), seconds=120.0),)
