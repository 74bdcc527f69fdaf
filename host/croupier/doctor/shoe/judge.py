"""From what a trial showed to what is to be adjusted: one small function for each finding, a cause before its effects.

A roller that slips makes pulses long, and long pulses look like double feeds: so the speed of the cards is judged
before what was counted, and what to mend first stands first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from croupier.doctor.finding import Finding, graded
from croupier.doctor.shoe import feeding, limits, placing
from croupier.doctor.shoe.shown import Shown
from croupier.i18n import marked
from tablewire.messages import TURN_STEPS

GIVEN_UP: Final = {
    "exit-covered": (
        marked("Something stands in the card exit; cards dealt before: {cards}."),
        marked("take it out; wipe the light barrier"),
    ),
    "hopper-empty": (
        marked("The hopper is empty; cards dealt before: {cards}."),
        marked("lay the sorted deck in; if it is in, look at the hopper's sensor"),
    ),
    "no-magnet": (
        marked("The turntable does not find its magnet; cards dealt before: {cards}."),
        marked(
            "does it turn freely, and does the magnet pass within 3 mm of the sensor? Does the motor have its 12 V?"
        ),
    ),
    "no-answer": (
        marked("The Pico took a command and did not answer; cards dealt before: {cards}."),
        marked("look at its cable; run croupier firmware check"),
    ),
    "silent": (
        marked("The Pico fell silent; cards dealt before: {cards}."),
        marked("look at its cable and its supply"),
    ),
    "reset": (
        marked("The Pico started anew in the middle; cards dealt before: {cards}."),
        marked("its supply broke down: feed the motors from a supply of their own, with 1000 µF beside the driver"),
    ),
    "too-much-trouble": (
        marked("Too many cards stuck or came in twos; cards dealt before: {cards}."),
        marked("mend what is told below, and try again"),
    ),
    "not-cleared": (
        marked("The trouble was still there after it had been cleared; cards dealt before: {cards}."),
        marked("look into the card exit"),
    ),
    "person": (
        marked("It was ended by hand; cards dealt before: {cards}."),
        marked("begin again when the machine is ready"),
    ),
}
"""Why a trial ended early: what is told, and what to do."""


def judge(shown: Shown) -> list[Finding]:
    """All findings, a cause before what follows from it."""
    return [finding for look in _LOOKS for finding in look(shown)]


def _finished(shown: Shown) -> Iterator[Finding]:
    why, cards = shown.trial.given_up, shown.trial.told
    if why:
        told, remedy = GIVEN_UP[why]
        yield graded("shoe.finished", told, remedy, wrong=True, cards=cards, why=why)
    else:
        yield graded("shoe.finished", marked("All {cards} cards were dealt."), "", cards=cards)


def _turns(shown: Shown) -> Iterator[Finding]:
    lost, drifts = shown.trial.count("lost-steps"), shown.trial.drifts
    if not drifts and not lost:
        return
    most = max(drifts, default=0)
    is_wrong = lost > 0 or most > limits.LOST_STEPS
    told = marked("The turntable loses steps: it was off by {off_degrees:.1f}°.")
    if not is_wrong:
        told = marked("The turntable comes back to its magnet within {off_degrees:.1f}°.")
    elif most > TURN_STEPS // 4:
        told = marked("The turntable loses steps: it stood where it should not.")
    remedy = marked(
        "lower turn_acceleration, then turn_speed in [shoe]; raise the driver's current; tighten the belt and the "
        "screw of the pulley"
    )
    yield graded(
        "shoe.turns", told, remedy, wrong=is_wrong, warning=most > limits.GOOD_STEPS,
        off_degrees=round(most * 360 / TURN_STEPS, 2), lost=lost,
    )  # fmt: skip


_LOOKS: Final[tuple[Callable[[Shown], Iterator[Finding]], ...]] = (
    _finished, _turns, placing.seats, *feeding.LOOKS, placing.counts, placing.order,
)  # fmt: skip
