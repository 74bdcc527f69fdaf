"""Whether the cards lie where they should: the right seat, the right number, the right order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from croupier.doctor.finding import Finding, graded
from croupier.doctor.shoe.piles import Counted, Placed
from croupier.doctor.shoe.shown import Shown
from croupier.i18n import marked

_MISCOUNTS: Final = marked("it counts dust, or takes slow cards for two: look at shoe.exit, shoe.speed and shoe.even")

_NAMED: Final = 8
"""More cards than these are counted, not named."""


def seats(shown: Shown) -> Iterator[Finding]:
    """Did each card go to its seat?"""
    table = shown.table
    if not isinstance(table, Placed):
        return
    strayed = table.strayed
    if not strayed:
        yield graded("shoe.seats", marked("Each card went to its seat."), "", strayed=0)
        return
    face, meant, lies = strayed[0]
    yield graded(
        "shoe.seats",
        marked("Cards at the wrong seat: {strayed}; {face}, meant for seat {seat}, lies at seat {lies}."),
        marked("the turntable loses steps (shoe.turns), or angles in [shoe] are not those of your seats"),
        wrong=True, strayed=len(strayed), face=face, seat=meant, lies=lies,
    )  # fmt: skip


def counts(shown: Shown) -> Iterator[Finding]:
    """Do as many cards lie there as the machine counted?"""
    table, told = shown.table, shown.trial.told
    if table is None and shown.trial.left_over:
        text = marked("All {told} cards were counted, and still there are cards in the hopper.")
        yield graded("shoe.counts", text, _MISCOUNTS, wrong=True, told=told)
        return
    if table is None:
        yield Finding("shoe.counts", "absent", marked("Nobody looked what lies on the table."))
        return
    differ = table.told != table.lie if isinstance(table, Counted) else any(table.unseen)
    lie = sum(table.lie) if isinstance(table, Counted) else told + sum(table.unseen)
    text = marked("The machine counted {told} cards, and {lie} lie there.")
    remedy = marked("cards came in twos and were not seen: narrow the gate")
    if not differ:
        text = marked("As many cards lie there as the machine counted: {lie}.")
    elif lie == told:
        text = marked("{lie} cards lie there, as many as were counted, but not where they should.")
        remedy = marked("cards went to the wrong seat: look at shoe.turns, and at angles in [shoe]")
    elif lie < told:
        remedy = _MISCOUNTS
    yield graded("shoe.counts", text, remedy, wrong=differ, told=told, lie=lie)


def order(shown: Shown) -> Iterator[Finding]:
    """Did they come in the order in which they lay?"""
    table = shown.table
    if not isinstance(table, Placed):
        return
    foreign = [face for face, _ in table.foreign]
    told = marked("The cards came in the order in which they lay.")
    if table.missing or foreign:
        told = marked("Not all is in order. Not found: {lost}. Out of order: {odd}.")
    yield graded(
        "shoe.order", told,
        marked("was the deck sorted as shown, and were the piles read from the first card on? Then try again"),
        warning=bool(table.missing or foreign), missing=list(table.missing), foreign=foreign,
        lost=_first(table.missing), odd=_first(foreign),
    )  # fmt: skip


def _first(faces: Sequence[str]) -> str:
    return ", ".join(faces[:_NAMED]) or "–"
