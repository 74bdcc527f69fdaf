"""The Pico, and what hangs there or on the Pi's own pins: shoe, keys, ring."""

from __future__ import annotations

import time
from typing import Final

from croupier.app.config.wired import hangs_on_pi, hangs_on_pico, wiring
from croupier.app.doctor.examined import Examined
from croupier.app.doctor.finding import Finding, absent, ok, warning, wrong
from croupier.app.doctor.shoe import limits
from croupier.link import commands
from croupier.link import reports as wire
from croupier.link.conversation import Event, Greeted, Mismatch

ANSWER_S: Final = 4.0
TEST_S: Final = 3.0
HOME_S: Final = 35.0

GOOD_CLOCK_S, POOR_CLOCK_S = 0.001, 0.005
"""How well the Pico's clock is known: presses closer than that cannot be told apart."""

_NO_PICO: Final = "Nothing of this table hangs on a Pico."
_STILL: Final = "Not tried, since it moves or shines: croupier doctor --try does it."


def found(table: Examined) -> Finding:
    """Is the Pico there, and may its port be opened?"""
    if not hangs_on_pico(table.config):
        return absent(_NO_PICO)
    link = table.open_link(table.config)
    table.link = table.stack.enter_context(link)
    if link.trouble:
        told, _, remedy = link.trouble.partition(": ")
        return wrong(f"{told}.", remedy)
    return ok("The Pico's port is open.")


def firmware(table: Examined) -> Finding:
    """Does the firmware that belongs to this program run there?"""
    event = _awaited(table, (Greeted, Mismatch), ANSWER_S)
    if isinstance(event, Mismatch):
        return wrong(f"{event.error}.", "run croupier firmware install")
    if not isinstance(event, Greeted):
        return wrong("Nobody answers on the port.", "run croupier firmware install")
    table.greeted = event
    world = "" if event.world == "hardware" else f" ({event.world})"
    return ok(f"{event.board} runs the firmware of this program{world}.", board=event.board, world=event.world)


def clock(table: Examined) -> Finding:
    """How well is the Pico's clock known?"""
    tested = _tested(table, "buttons")
    if tested is None:
        return wrong("The Pico does not answer a test.", "unplug it and plug it in again")
    told = f"The Pico's clock is known to {tested.u * 1000:.2f} ms."
    measured = {"uncertain_ms": round(tested.u * 1000, 3)}
    remedy = "plug the Pico in without a hub; end programs that keep the machine busy"
    if tested.u > POOR_CLOCK_S:
        return wrong(told, remedy, **measured)
    return warning(told, remedy, **measured) if tested.u > GOOD_CLOCK_S else ok(told, **measured)


def shoe_sensors(table: Examined) -> Finding:
    """Is the card exit free, and are there cards in the hopper?"""
    if table.config.shoe.kind != "pico":
        return absent("No shoe hangs on the Pico.")
    tested = _tested(table, "shoe")
    if tested is None:
        return wrong("The shoe does not answer its test.", "unplug the Pico and plug it in again")
    if tested.detail & 1:
        return wrong("Something covers the card exit.", "take it out; wipe the light barrier, keep the sun off it")
    if tested.detail & 2:
        return warning("The hopper is empty.", "lay cards in; if there are some, look at the hopper's sensor")
    return ok("The exit is free, and there are cards in the hopper.")


def shoe_homes(table: Examined) -> Finding:
    """Does the turntable find its magnet?"""
    if table.config.shoe.kind != "pico":
        return absent("No shoe hangs on the Pico.")
    if not table.moves:
        return absent(_STILL)
    _tell(table, commands.Clear(), commands.Go())
    tested = _tested(table, "turntable", HOME_S)
    _tell(table, commands.Stop())
    if tested is None or not tested.ok:
        return wrong(
            "The turntable does not find its magnet.",
            "does it turn freely, and does the magnet pass within 3 mm of the sensor? Does the motor have its 12 V?",
        )
    degrees = tested.detail * 360 / limits.STEPS
    return ok("The turntable finds its magnet.", off_degrees=round(degrees, 2))


def ring_lights(table: Examined) -> Finding:
    """Does the ring take its test picture? Whether it shines, a person has to see."""
    if table.config.ring.kind != "pico":
        return absent("No ring hangs on the Pico.")
    if not table.moves:
        return absent(_STILL)
    if _tested(table, "ring") is None:
        return wrong("The ring does not answer its test.", "unplug the Pico and plug it in again")
    return ok(f"The ring showed its test for a second: did all {table.config.ring.lights} lights shine?")


def pins_free(table: Examined) -> Finding:
    """Can the Pi's own pins be used?"""
    if not hangs_on_pi(table.config):
        return absent("Nothing of this table hangs on the Pi's own pins.")
    from croupier.devices.gpio.pins import Pins

    wired = wiring(table.config)
    named = [(f"the key {key.key}", key.gpio) for key in wired.keys]
    named += [(f"the UNO button of seat {seat}", gpio) for seat, gpio in enumerate(wired.buttons)]
    pins = Pins(wired.factory)
    try:
        levels = [(what, pins.watch(gpio, lambda _at, _is_high: None)) for what, gpio in named]
        table.keys_down = tuple(what for what, is_high in levels if not is_high())
    finally:
        pins.close()
    return ok(f"{len(list(wired.taken()))} pins are free for the table.")


def panel_keys(table: Examined) -> Finding:
    """Does a key or a button hang? Nobody may press one meanwhile."""
    down = list(table.keys_down)
    asked = hangs_on_pi(table.config) and "pins.free" in table.found and table.found["pins.free"].state == "ok"
    if table.config.buttons.kind == "pico" and table.greeted is not None:
        tested = _tested(table, "buttons")
        if tested is None:
            return wrong("The buttons do not answer their test.", "unplug the Pico and plug it in again")
        asked = True
        down += [f"the UNO button of seat {seat}" for seat in range(10) if tested.detail >> seat & 1]
    if not asked:
        return absent("No keys and no buttons that can be asked.")
    if down:
        told = f"Held down, or stuck: {', '.join(down)}."
        return wrong(told, "let go of it; else look at the key and its wire: a contact that touches ground is a press")
    return ok("All keys and buttons are up.")


def _tested(table: Examined, part: str, seconds: float = TEST_S) -> wire.Tested | None:
    _tell(table, commands.Test(part=part))  # type: ignore[arg-type]  # one of the few words that this file says
    event = _awaited(table, (wire.Tested,), seconds)
    return event if isinstance(event, wire.Tested) else None


def _tell(table: Examined, *told: commands.Command) -> None:
    assert table.link is not None
    for command in told:
        table.link.send(command)


def _awaited(table: Examined, kinds: tuple[type, ...], seconds: float) -> Event | None:
    """The next event of one of these kinds; others are dropped."""
    assert table.link is not None
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for event in table.link.wait(0.1):
            if isinstance(event, kinds):
                return event
    return None
