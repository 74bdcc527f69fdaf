"""Checks of the Pico, and of shoe, keys and ring at the Pico or at the Pi's own pins."""

from __future__ import annotations

import time
from typing import Final

from croupier.config.model import uses_pi_pins, uses_pico
from croupier.doctor.check import CheckContext, unasked
from croupier.doctor.finding import Finding, absent, graded, ok, plain, warning, wrong
from croupier.errors import GpioUnavailable, PortNotFound, one_line
from croupier.i18n import from_others, marked
from croupier.link import commands
from croupier.link import reports as wire
from croupier.link.conversation import Event, Greeted, Mismatch
from croupier.link.seen import AUTO
from croupier.plugins import pi_pins
from tablewire.messages import TURN_STEPS

ANSWER_S: Final = 4.0
TEST_S: Final = 3.0
HOME_S: Final = 35.0
SHINE_S: Final = 1.0
"""Duration of the ring's test at the Pi's SPI, as at the Pico."""

GOOD_CLOCK_S, POOR_CLOCK_S = 0.001, 0.005
"""Limits of the clock's uncertainty (s); the order of presses that are closer is unknown."""

_LOOKS: Final = 10
_LOOK_S: Final = 0.2
"""How often, and after what pauses (s), the clock is looked at until it is known well."""

_NO_PICO: Final = marked("Nothing at this table is connected to a Pico.")
_NO_SHOE: Final = marked("No shoe is connected to the Pico.")
_STILL: Final = marked("Not tried, because something would move or light up: run croupier doctor --try.")
_DEAF: Final = marked("The Pico does not answer a test message.")
_NO_MARKS: Final = marked("The turntable turns, but its ring of marks does not show where.")
_SEE_MARKS: Final = marked("Is the second hall switch connected, its marked side up? Are all magnets of the ring in?")
_AGAIN: Final = marked("Unplug the Pico and plug it in again.")
INSTALL: Final = marked("Run croupier firmware install.")


def found(table: CheckContext) -> Finding:
    """Check that the Pico's port exists and can be opened."""
    if not uses_pico(table.config):
        return absent(_NO_PICO)
    try:
        table.link = table.stack.enter_context(table.open_link(table.config))
    except PortNotFound as err:
        return _refused(err)
    boards = table.find_boards() if table.config.pico.port == AUTO else []
    if len(boards) > 1:
        return warning(
            marked("{n} Picos are on USB, and the first that answers is used: {boards}."),
            marked("Run croupier setup shoe: it keeps the serial number of the one that you choose."),
            n=len(boards), boards=", ".join(map(str, boards)),
        )  # fmt: skip
    return ok(marked("The Pico's port can be opened."))


def firmware(table: CheckContext) -> Finding:
    """Check that the Pico runs firmware with this program's protocol."""
    event = _awaited(table, (Greeted, Mismatch), ANSWER_S)
    if isinstance(event, Mismatch):
        return wrong(plain(f"{event.error}."), INSTALL)
    if not isinstance(event, Greeted):
        seen = table.link.trouble if table.link is not None else ""
        return _found(seen) if seen else wrong(marked("Nothing answers on the port."), INSTALL)
    table.greeted = event
    return ok(
        marked("The Pico runs the firmware of this program: {board}, {world}."), board=event.board, world=event.world
    )


def clock(table: CheckContext) -> Finding:
    """Check the uncertainty of the Pico's clock."""
    tested = _tested(table, "buttons")
    for _ in range(_LOOKS):  # each ping makes it better known
        if tested is not None and tested.u > GOOD_CLOCK_S and table.link is not None:
            table.link.wait(_LOOK_S)
            tested = _tested(table, "buttons")
    if tested is None:
        return wrong(_DEAF, _AGAIN)
    text = marked("The Pico's clock is known to {uncertain_ms} ms.")
    measured = {"uncertain_ms": round(tested.u * 1000, 2)}
    advice = marked("Plug the Pico in without a hub; close programs that keep the machine busy.")
    return graded("", text, advice, wrong=tested.u > POOR_CLOCK_S, warning=tested.u > GOOD_CLOCK_S, **measured)


def shoe_sensors(table: CheckContext) -> Finding:
    """Check that the card exit is free and the hopper holds cards."""
    if table.config.shoe.kind != "pico":
        return absent(_NO_SHOE)
    tested = _tested(table, "shoe")
    if tested is None:
        return wrong(_DEAF, _AGAIN)
    if tested.detail & 1:
        advice = marked("Take it out; wipe the light barrier, keep the sun off it.")
        return wrong(marked("Something is covering the card exit."), advice)
    if tested.detail & 2:
        advice = marked("Load cards; if it is loaded, check the hopper's sensor.")
        return warning(marked("The hopper is empty."), advice)
    return ok(marked("The exit is clear, and there are cards in the hopper."))


def shoe_homes(table: CheckContext) -> Finding:
    """Check that the turntable finds its magnet."""
    tested = _moved(table, "turntable")
    if isinstance(tested, Finding):
        return tested
    if table.shoe_fault == "lost-steps":
        return wrong(_NO_MARKS, _SEE_MARKS)
    if tested is None or not tested.ok:
        return wrong(
            marked("The turntable cannot find its magnet."),
            marked("Does it turn freely? Does the magnet pass close to the sensor? Does the motor get its 12 V?"),
        )
    degrees = tested.detail * 360 / TURN_STEPS
    return ok(marked("The turntable finds its magnet."), off_degrees=round(degrees, 2))


def shoe_marks(table: CheckContext) -> Finding:
    """Check that the ring of marks shows the turns of the table, all round to either side."""
    first = table.found["shoe.homes"]
    if first.state == "wrong":
        return first if first.text == _DEAF else unasked(first)
    tested = _moved(table, "marks")
    if isinstance(tested, Finding):
        return tested
    if tested is None or not tested.ok:
        return wrong(_NO_MARKS, _SEE_MARKS)
    return ok(marked("The ring of marks shows where the turntable stands, whatever its angle."))


def _moved(table: CheckContext, part: str) -> Finding | wire.Tested | None:
    """Return the result of a test that turns the table, or why there is none."""
    if table.config.shoe.kind != "pico":
        return absent(_NO_SHOE)
    if not table.moves:
        return absent(_STILL)
    table.shoe_fault = ""
    tested = _tested(table, part, HOME_S, commands.Clear(), commands.Go())
    return tested if _is_sent(table, commands.Stop()) else wrong(_DEAF, _AGAIN)


def ring_lights(table: CheckContext) -> Finding:
    """Let the ring show its test; a person has to look."""
    if table.config.ring.kind == "none":
        return absent(marked("This table has no ring."))
    if table.config.ring.kind == "pico" and table.greeted is None:
        return unasked(table.found["pico.firmware"])
    if not table.moves:
        return absent(_STILL)
    if table.config.ring.kind == "pi":
        try:
            pi_pins().shine(table.config.ring.lights, SHINE_S)
        except GpioUnavailable as err:
            return _refused(err)
    elif _tested(table, "ring") is None:
        return wrong(_DEAF, _AGAIN)
    text = marked("The ring showed its test pattern for a second; all {lights} lights should have been on.")
    return ok(text, lights=table.config.ring.lights)


def pins_free(table: CheckContext) -> Finding:
    """Check that the Pi's own pins can be used."""
    if not uses_pi_pins(table.config):
        return absent(marked("Nothing at this table is connected to the Pi's own pins."))
    pins, table.keys_down = pi_pins().try_pins(table.config)
    return ok(marked("The Pi's pins are free for the table: {pins}."), pins=pins)


def panel_keys(table: CheckContext) -> Finding:
    """Check that no key or button is stuck."""
    down = list(table.keys_down)
    is_known = uses_pi_pins(table.config) and "pins.free" in table.found and table.found["pins.free"].state == "ok"
    if table.config.buttons.kind == "pico" and table.greeted is not None:
        tested = _tested(table, "buttons")
        if tested is None:
            return wrong(_DEAF, _AGAIN)
        is_known = True
        down += [f"the UNO button of seat {seat + 1}" for seat in range(10) if tested.detail >> seat & 1]
    if not is_known:
        return absent(marked("There are no keys or buttons to check."))
    if down:
        advice = marked("Release it; otherwise check the key and its wire: a contact to ground counts as a press.")
        return wrong(marked("Held down, or stuck: {down}."), advice, down=", ".join(down))
    return ok(marked("No key or button is pressed."))


def _refused(err: GpioUnavailable | PortNotFound) -> Finding:
    """Return a finding for an error of opening, whose text ends with the remedy."""
    return _found(one_line(str(err)))


def _found(text: str) -> Finding:
    """Return a finding for one line of a part that knows no languages: what is wrong, and the remedy behind the last
    semicolon or colon."""
    what, _, remedy = text.rpartition("; " if "; " in text else ": ")
    what, remedy = from_others(what), from_others(remedy)
    return wrong(plain(f"{what}."), plain(f"{remedy[:1].upper()}{remedy[1:]}."))


def _tested(
    table: CheckContext, part: str, seconds: float = TEST_S, *before: commands.Command
) -> wire.Tested | None:  # fmt: skip
    """Return the result of a test, which these commands go before; None where the Pico does not answer."""
    test = commands.Test(part=part)  # type: ignore[arg-type]  # one of the few words that this file says
    event = _awaited(table, (wire.Tested,), seconds) if _is_sent(table, *before, test) else None
    return event if isinstance(event, wire.Tested) else None


def _is_sent(table: CheckContext, *sent: commands.Command) -> bool:
    """Send commands to the Pico. Return False if there is no session with it."""
    assert table.link is not None
    return all(table.link.send(command) for command in sent)


def _awaited(table: CheckContext, kinds: tuple[type, ...], seconds: float) -> Event | None:
    """Return the next event of one of these kinds; drop others."""
    assert table.link is not None
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for event in table.link.wait(0.1):
            if isinstance(event, wire.Fault):
                table.shoe_fault = event.kind
            if isinstance(event, kinds):
                return event
    return None
