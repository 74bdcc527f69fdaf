"""Judge a trial: one function for each finding, a cause before its effects.

A roller that slips makes pulses long, and long pulses look like double feeds. So speed is judged before counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from statistics import median, quantiles
from typing import Final

from croupier.devices.pico import Layout
from croupier.doctor.finding import Finding, graded
from croupier.i18n import marked
from croupier.link import reports as wire
from croupier_extras.shoe_trial.piles import Counted, Placed
from croupier_extras.shoe_trial.trial import Trial
from croupier_rules.cards import CARD_MM
from tablewire.messages import TURN_STEPS

# Limits of a good machine, calculated from sizes and data sheets, not measured (docs/firmware.md). A test compares
# those of the firmware with `pico.feeder` and `pico.turntable`.
LENGTH_MM: Final = CARD_MM[1]
DOUBLE: Final = 1.15
DOUBLE_GAP_MS: Final = 5.0
"""Limits of the firmware for two cards: pulse in card lengths, gap between them."""

DUST_S: Final = 0.001
"""Time that the exit was covered between two cards from which something was there: dust, sunlight."""

LOST_STEPS: Final = TURN_STEPS // 180
"""Offset (2°) from which a turntable has lost steps."""

GOOD_STEPS: Final = 13
"""Repeatability of homing (1°)."""

SPEED: Final = (0.90, 1.12)
"""Good range of pulses, as a fraction of the configured one; near 1.15 the firmware sees doubles."""

SPREAD: Final = 0.10
"""Good spread of nine of ten pulses; the firmware's margin for doubles is 0.15."""

GAP_MS: Final = 10.0
"""Least good gap between cards; usual are 20 ms."""

LATE: Final = 3.0
"""Gap, in usual gaps, from which the roller slipped before it took the card."""

FEED_MS: Final = 94.0
REFERENCE_SPEED: Final = 1200
FEED: Final = 1.2
"""Time from card to card at the reference speed (mm/s), and how many times that is still good."""

HIDDEN_MM: Final = 13
"""Largest offset of two cards that look like one (0.15 of a card)."""

LAST_CARDS: Final = 15
"""Number of last cards whose jams come from too little weight."""

FIRST_US: Final = 8_000
"""Extra pulse length of a job's first card, which passes while the motor accelerates."""

ENOUGH: Final = 8
"""Least number of cards for a statement about speed and spread."""


@dataclass(frozen=True)
class Shown:
    """A trial, the layout of the shoe, and the cards on the ``table`` afterwards; None if nobody looked."""

    trial: Trial
    layout: Layout
    table: Counted | Placed | None

    @cached_property
    def jobs(self) -> list[list[wire.Card]]:
        """The cards of each job."""
        return [cards for batch in self.trial.batches for cards in batch.cards]

    @cached_property
    def nominal_us(self) -> float:
        """Pulse length (µs) of a card at the configured speed."""
        return LENGTH_MM * 1e6 / self.layout.speed

    @cached_property
    def dust(self) -> int:
        """How often something covered the exit between two cards. The Pico does not report what is too short for a
        card, but the exit was free for less than the time from the one to the other."""
        pairs = (pair for job in self.jobs for pair in pairwise(job))
        return sum(b.t - a.t - (a.pulse + b.gap) / 1e6 > DUST_S for a, b in pairs)

    @cached_property
    def pulses_us(self) -> list[float]:
        """Pulses of single cards (µs); those of first cards, corrected, only if there are too few others."""
        later = [float(card.pulse) for _, card in self._singles()]
        first = [float(job[0].pulse - FIRST_US) for job in self.jobs if job]
        return later if len(later) >= ENOUGH else later + first

    @cached_property
    def gaps_ms(self) -> list[float]:
        """Gaps between cards (ms)."""
        return [card.gap / 1000 for job in self.jobs for card in job[1:]]

    @cached_property
    def feeds_ms(self) -> list[float]:
        """Times from the edge of one card to that of the next (ms)."""
        return [1000 * (card.t - before.t) for before, card in self._singles()]

    def _singles(self) -> list[tuple[wire.Card, wire.Card]]:
        """Pairs of successive cards of a job whose second was fed by itself."""
        pairs = (pair for job in self.jobs for pair in pairwise(job))
        return [(a, b) for a, b in pairs if b.index == a.index + 1 and b.gap > DOUBLE_GAP_MS * 1000]


def _exit(shown: Shown) -> Iterator[Finding]:
    dust, cards = shown.dust, sum(map(len, shown.jobs))
    if not cards:
        return
    text = marked("Of {pulses} pulses of the light barrier, {too_short} were far too short for a card.")
    yield graded(
        "shoe.exit", text if dust else marked("The light barrier saw whole cards only."),
        marked("wipe the light barrier, keep sunlight and lamps off it, and check whether its cable is loose"),
        wrong=dust > 0, pulses=cards + dust, too_short=dust,
    )  # fmt: skip


def _speed(shown: Shown) -> Iterator[Finding]:
    if not shown.pulses_us:
        return
    usual = median(shown.pulses_us)
    part, speed = usual / shown.nominal_us, round(LENGTH_MM * 1e6 / usual)
    low, high = SPEED
    text = marked("Cards leave at {speed_mm_s} mm/s; {configured_mm_s} mm/s is configured.")
    remedy = marked("set speed = {speed_mm_s} in [shoe]: while it is too low, two cards together pass unnoticed")
    if part > high:
        text = marked(
            "Cards leave at {speed_mm_s} mm/s; {configured_mm_s} mm/s is configured: the roller slips or "
            "the motor is slow, and one slow card looks like two."
        )
        remedy = marked(
            "clean the roller with water and press it on a little more; check that the motor keeps its 12 "
            "V while it runs; replace the roller, or set speed = {speed_mm_s} in [shoe]"
        )
    yield graded(
        "shoe.speed", text, remedy, wrong=part > DOUBLE, warning=not low <= part <= high,
        pulse_ms=round(usual / 1000, 1), speed_mm_s=speed, configured_mm_s=shown.layout.speed,
    )  # fmt: skip


def _even(shown: Shown) -> Iterator[Finding]:
    if len(shown.pulses_us) < ENOUGH:
        return
    cuts = quantiles(shown.pulses_us, n=20)
    spread = (cuts[-1] - cuts[0]) / median(shown.pulses_us)
    yield graded(
        "shoe.even", marked("Nine of ten cards pass within {spread:.0%} of each other."),
        marked("the roller slips on some cards: clean it, fan the deck, sort out cards that are sticky or bent"),
        wrong=spread > DOUBLE - 1, warning=spread > SPREAD, spread=round(spread, 3),
    )  # fmt: skip


def _jams(shown: Shown) -> Iterator[Finding]:
    jams = [at for kind, at in shown.trial.faults if kind in ("jam", "exit-blocked", "longest-run")]
    deck = sum(len(batch.run) for batch in shown.trial.batches)
    last = [at for at in jams if at >= deck - LAST_CARDS]
    if len(last) * 2 > len(jams):
        yield graded(
            "shoe.weight", marked("The last cards press too lightly on the roller; at least the last: {cards}."),
            marked(
                "put more weight on the deck: two decks' thickness on springs, so that the last cards are "
                    "pressed down too"
            ),
            wrong=True, jams=len(last), cards=max(deck - min(last), 1),
        )  # fmt: skip
        jams = [at for at in jams if at not in last]
    text = marked("No other card jammed.") if last else marked("No card jammed.")
    if jams:
        text = marked("Cards jammed (times: {jams}), after this many cards: {after}.")
    yield graded(
        "shoe.jams", text,
        marked(
            "widen the gate by 0.05 mm (0.30 to 0.50 mm, one and a half cards); clean the roller; wipe and dry the "
            "cards"
        ),
        wrong=len(jams) > 1, warning=bool(jams), jams=len(jams), after=", ".join(map(str, jams)),
    )  # fmt: skip


def _doubles(shown: Shown) -> Iterator[Finding]:
    seen = shown.trial.count("double-feed", "surplus")
    by_batch = shown.table.unseen if isinstance(shown.table, Placed) else ()
    unseen, too_many = sum(n for n in by_batch if n > 0), -sum(n for n in by_batch if n < 0)
    remedy = marked(
        "narrow the gate by 0.05 mm (0.30 to 0.50 mm, one and a half cards); fan the deck, dry sticky cards"
    )
    text = marked("No two cards at once.")
    if unseen:
        text = marked(
            "Cards that passed unnoticed: {unseen}. Two cards that overlap to within {hidden_mm} mm look "
            "like one to the light barrier."
        )
    elif seen and too_many:
        text = marked(
            "Two cards at once were reported (times: {seen}), but only one had come (times: {counted_too_many})."
        )
        remedy = marked(
            "see shoe.exit, shoe.speed and shoe.even: a slow card looks like two, and dust looks like a card"
        )
    elif seen:
        text = marked("Two cards came at once (times: {seen}); the light barrier noticed.")
    yield graded(
        "shoe.doubles", text, remedy, wrong=seen > 1 or unseen > 0, warning=seen > 0,
        seen=seen, unseen=unseen, counted_too_many=too_many, hidden_mm=HIDDEN_MM,
    )  # fmt: skip


def _gaps(shown: Shown) -> Iterator[Finding]:
    if len(shown.gaps_ms) < ENOUGH:
        return
    usual, least = median(shown.gaps_ms), min(shown.gaps_ms)
    late = sum(gap > LATE * usual for gap in shown.gaps_ms)
    remedy = marked("the roller slips before it takes a card: more weight on the deck, clean the roller")
    if least < GAP_MS:
        remedy = marked("narrow the gate: under {double_ms:.0f} ms two cards count as fed together")
    text = marked("The gap from card to card is {usual_ms:.0f} ms, {least_ms:.0f} at least.")
    if late:
        text = marked("The gap from card to card is {usual_ms:.0f} ms, {least_ms:.0f} at least; came late: {late}.")
    yield graded(
        "shoe.gaps", text, remedy, warning=late > 0 or least < GAP_MS,
        usual_ms=round(usual, 1), least_ms=round(least, 1), late=late, double_ms=DOUBLE_GAP_MS,
    )  # fmt: skip


def _rate(shown: Shown) -> Iterator[Finding]:
    if len(shown.feeds_ms) < ENOUGH:
        return
    usual, slow = median(shown.feeds_ms), quantiles(shown.feeds_ms, n=20)[-1]
    expected = FEED_MS * REFERENCE_SPEED / shown.layout.speed
    yield graded(
        "shoe.rate",
        marked("A card takes {usual_ms} ms, the slowest of twenty {slowest_ms} ms; expected {expected_ms} ms."),
        marked("see shoe.speed and shoe.gaps; the opening deal takes that much longer"),
        warning=usual > FEED * expected,
        usual_ms=round(usual), slowest_ms=round(slow), expected_ms=round(expected),
    )  # fmt: skip


_MISCOUNTS: Final = marked("it counts dust, or takes slow cards for two: see shoe.exit, shoe.speed and shoe.even")

_NAMED: Final = 8
"""Most cards that a finding names."""


def _seats(shown: Shown) -> Iterator[Finding]:
    table = shown.table
    if not isinstance(table, Placed):
        return
    if not (strayed := table.strayed):
        yield graded("shoe.seats", marked("Each card went to its seat."), "", strayed=0)
        return
    face, due, lies = strayed[0]
    yield graded(
        "shoe.seats",
        marked("Cards at the wrong seat: {strayed}; {face}, meant for seat {seat}, is at seat {lies}."),
        marked("the turntable loses steps (shoe.turns), or angles in [shoe] are not those of your seats"),
        wrong=True, strayed=len(strayed), face=face, seat=due + 1, lies=lies + 1,
    )  # fmt: skip


def _counts(shown: Shown) -> Iterator[Finding]:
    table, counted = shown.table, shown.trial.passed
    if table is None and shown.trial.left_over:
        text = marked("All {counted} cards were counted, but there are still cards in the hopper.")
        yield graded("shoe.counts", text, _MISCOUNTS, wrong=True, counted=counted)
        return
    if table is None:
        yield Finding("shoe.counts", "absent", marked("Nobody checked what is on the table."))
        return
    differ = table.by_machine != table.by_person if isinstance(table, Counted) else any(table.unseen)
    lie = sum(table.by_person) if isinstance(table, Counted) else counted + sum(table.unseen)
    text = marked("The machine counted {counted} cards, but there are {lie}.")
    remedy = marked("cards came in twos and were not seen: narrow the gate")
    if not differ:
        text = marked("There are as many cards as the machine counted: {lie}.")
    elif lie == counted:
        text = marked("There are {lie} cards, as many as were counted, but not where they should be.")
        remedy = marked("cards went to the wrong seat: see shoe.turns, and check angles in [shoe]")
    elif lie < counted:
        remedy = _MISCOUNTS
    yield graded("shoe.counts", text, remedy, wrong=differ, counted=counted, lie=lie)


def _order(shown: Shown) -> Iterator[Finding]:
    table = shown.table
    if not isinstance(table, Placed):
        return
    foreign = [face for face, _ in table.foreign]
    text = marked("The cards came out in the order in which they were loaded.")
    if table.missing or foreign:
        text = marked("The order is not right. Not found: {lost}. Out of order: {odd}.")
    yield graded(
        "shoe.order", text,
        marked("was the deck sorted as shown, and were the piles read from the first card on? If not, try again"),
        warning=bool(table.missing or foreign), missing=list(table.missing), foreign=foreign,
        lost=_first(table.missing), odd=_first(foreign),
    )  # fmt: skip


def _first(faces: Sequence[str]) -> str:
    return ", ".join(faces[:_NAMED]) or "–"


GIVEN_UP: Final = {
    "exit-covered": (
        marked("Something is blocking the card exit; cards dealt before: {cards}."),
        marked("take it out; wipe the light barrier"),
    ),
    "hopper-empty": (
        marked("The hopper is empty; cards dealt before: {cards}."),
        marked("load the sorted deck; if it is loaded, check the hopper's sensor"),
    ),
    "no-magnet": (
        marked("The turntable cannot find its magnet; cards dealt before: {cards}."),
        marked("does it turn freely, and does the magnet pass within 3 mm of the sensor? Does the motor get its 12 V?"),
    ),
    "no-answer": (
        marked("The Pico took a command and did not answer; cards dealt before: {cards}."),
        marked("check its cable; run croupier firmware check"),
    ),
    "silent": (
        marked("The Pico stopped answering; cards dealt before: {cards}."),
        marked("check its cable and power supply"),
    ),
    "reset": (
        marked("The Pico restarted in between; cards dealt before: {cards}."),
        marked(
            "its supply voltage dropped: power the motors from a supply of their own, with 1000 µF beside the driver"
        ),
    ),
    "too-much-trouble": (
        marked("Too many cards jammed or came in twos; cards dealt before: {cards}."),
        marked("correct what is reported below, and try again"),
    ),
    "not-cleared": (
        marked("The fault was still there after it had been cleared; cards dealt before: {cards}."),
        marked("look into the card exit"),
    ),
    "person": (
        marked("It was stopped by hand; cards dealt before: {cards}."),
        marked("start again when the machine is ready"),
    ),
}
"""Reasons why a trial ended early, each with its text and advice."""


def judge(shown: Shown) -> list[Finding]:
    """Return all findings, a cause before its effects."""
    return [finding for look in _LOOKS for finding in look(shown)]


def _finished(shown: Shown) -> Iterator[Finding]:
    why, cards = shown.trial.given_up, shown.trial.passed
    if why:
        text, remedy = GIVEN_UP[why]
        yield graded("shoe.finished", text, remedy, wrong=True, cards=cards, why=why)
    else:
        yield graded("shoe.finished", marked("All {cards} cards were dealt."), "", cards=cards)


def _turns(shown: Shown) -> Iterator[Finding]:
    lost, drifts = shown.trial.count("lost-steps"), shown.trial.drifts
    if not drifts and not lost:
        return
    most = max(drifts, default=0)
    is_wrong = lost > 0 or most > LOST_STEPS
    text = marked("The turntable loses steps: it was off by {off_degrees:.1f}°.")
    if not is_wrong:
        text = marked("The turntable comes back to its magnet within {off_degrees:.1f}°.")
    elif most > TURN_STEPS // 4:
        text = marked("The turntable loses steps: it stopped in the wrong place.")
    remedy = marked(
        "lower turn_acceleration, then turn_speed in [shoe]; raise the driver's current; tighten the belt and the "
        "screw of the pulley"
    )
    yield graded(
        "shoe.turns", text, remedy, wrong=is_wrong, warning=most > GOOD_STEPS,
        off_degrees=round(most * 360 / TURN_STEPS, 2), lost=lost,
    )  # fmt: skip


_LOOKS: Final[tuple[Callable[[Shown], Iterator[Finding]], ...]] = (
    _finished, _turns, _seats, _exit, _speed, _even, _jams, _doubles, _gaps, _rate, _counts, _order,
)  # fmt: skip
