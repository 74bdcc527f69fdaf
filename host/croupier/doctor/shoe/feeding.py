"""How the cards came: what the light barrier saw, how fast, how evenly, how many stuck or came in twos."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import median, quantiles
from typing import Final

from croupier.doctor.finding import Finding, graded
from croupier.doctor.shoe import limits
from croupier.doctor.shoe.piles import Placed
from croupier.doctor.shoe.shown import ENOUGH, Shown
from croupier.i18n import marked


def _exit(shown: Shown) -> Iterator[Finding]:
    pulses = [card.pulse for job in shown.jobs for card in job]
    if not pulses:
        return
    dust = sum(map(shown.is_dust, pulses))
    told = marked("Of {pulses} pulses of the light barrier, {too_short} were far too short for a card.")
    yield graded(
        "shoe.exit", told if dust else marked("The light barrier saw whole cards only."),
        marked("wipe the light barrier, keep sunlight and lamps off it, look whether its cable is loose"),
        wrong=dust > 0, pulses=len(pulses), too_short=dust,
    )  # fmt: skip


def _speed(shown: Shown) -> Iterator[Finding]:
    if not shown.pulses_us:
        return
    usual = median(shown.pulses_us)
    part, speed = usual / shown.nominal_us, round(limits.LENGTH_MM * 1e6 / usual)
    low, high = limits.SPEED
    told = marked("Cards leave at {speed_mm_s} mm/s, configured are {configured_mm_s}.")
    remedy = marked("set speed = {speed_mm_s} in [shoe]: as long as it is too low, two cards together pass unseen")
    if part > high:
        told = marked(
            "Cards leave at {speed_mm_s} mm/s, configured are {configured_mm_s}: the roller slips or the motor is "
            "slow, and one slow card looks like two."
        )
        remedy = marked(
            "clean the roller with water and press it on a little more; look whether the motor keeps its 12 V while it "
            "runs; replace the roller, or set speed = {speed_mm_s} in [shoe]"
        )
    yield graded(
        "shoe.speed", told, remedy, wrong=part > limits.DOUBLE, warning=not low <= part <= high,
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
        wrong=spread > limits.DOUBLE - 1, warning=spread > limits.SPREAD, spread=round(spread, 3),
    )  # fmt: skip


def _jams(shown: Shown) -> Iterator[Finding]:
    jams = [at for kind, at in shown.trial.faults if kind in ("jam", "exit-blocked", "longest-run")]
    deck = sum(len(batch.run) for batch in shown.trial.batches)
    last = [at for at in jams if at >= deck - limits.LAST_CARDS]
    if len(last) * 2 > len(jams):
        yield graded(
            "shoe.weight", marked("The last cards press too little on the roller; of these at least: {cards}."),
            marked(
                "lay more weight on the deck: two decks' thickness on springs, so that the last cards are pressed, too"
            ),
            wrong=True, jams=len(last), cards=max(deck - min(last), 1),
        )  # fmt: skip
        jams = [at for at in jams if at not in last]
    told = marked("No other card stuck.") if last else marked("No card stuck.")
    if jams:
        told = marked("Cards stuck (times: {jams}), after so many cards: {after}.")
    yield graded(
        "shoe.jams", told,
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
    told = marked("No two cards at once.")
    if unseen:
        told = marked(
            "Cards that came along unseen: {unseen}. Two that lie on each other to within {hidden_mm} mm look like one "
            "to the light barrier."
        )
    elif seen and too_many:
        told = marked(
            "Two cards at once were told (times: {seen}), but there was only one of them (times: {counted_too_many})."
        )
        remedy = marked("look at shoe.exit, shoe.speed and shoe.even: a slow card looks like two, and dust like a card")
    elif seen:
        told = marked("Two cards came at once (times: {seen}); the light barrier saw it.")
    yield graded(
        "shoe.doubles", told, remedy, wrong=seen > 1 or unseen > 0, warning=seen > 0,
        seen=seen, unseen=unseen, counted_too_many=too_many, hidden_mm=limits.HIDDEN_MM,
    )  # fmt: skip


def _gaps(shown: Shown) -> Iterator[Finding]:
    if len(shown.gaps_ms) < ENOUGH:
        return
    usual, least = median(shown.gaps_ms), min(shown.gaps_ms)
    late = sum(gap > limits.LATE * usual for gap in shown.gaps_ms)
    remedy = marked("the roller slips before it takes a card: more weight on the deck, clean the roller")
    if least < limits.GAP_MS:
        remedy = marked("narrow the gate: under {double_ms:.0f} ms two cards count as fed together")
    told = marked("The gap from card to card is {usual_ms:.0f} ms, {least_ms:.0f} at least.")
    if late:
        told = marked("The gap from card to card is {usual_ms:.0f} ms, {least_ms:.0f} at least; came late: {late}.")
    yield graded(
        "shoe.gaps", told, remedy, warning=late > 0 or least < limits.GAP_MS,
        usual_ms=round(usual, 1), least_ms=round(least, 1), late=late, double_ms=limits.DOUBLE_GAP_MS,
    )  # fmt: skip


def _rate(shown: Shown) -> Iterator[Finding]:
    if len(shown.feeds_ms) < ENOUGH:
        return
    usual, slow = median(shown.feeds_ms), quantiles(shown.feeds_ms, n=20)[-1]
    expected = limits.FEED_MS * limits.REFERENCE_SPEED / shown.layout.speed
    yield graded(
        "shoe.rate",
        marked("A card takes {usual_ms} ms, the slowest of twenty {slowest_ms}; expected are {expected_ms}."),
        marked("look at shoe.speed and shoe.gaps; the opening deal takes as much longer"),
        warning=usual > limits.FEED * expected,
        usual_ms=round(usual), slowest_ms=round(slow), expected_ms=round(expected),
    )  # fmt: skip


LOOKS: Final[tuple[Callable[[Shown], Iterator[Finding]], ...]] = (
    _exit, _speed, _even, _jams, _doubles, _gaps, _rate,
)  # fmt: skip
"""A cause before its effects."""
