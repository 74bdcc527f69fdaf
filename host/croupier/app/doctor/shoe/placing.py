"""Whether the cards lie where they should: the right seat, the right number, the right order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from croupier.app.doctor.finding import Finding, graded
from croupier.app.doctor.shoe.piles import Counted, Placed
from croupier.app.doctor.shoe.shown import Shown

_MISCOUNTS: Final = "it counts dust, or takes slow cards for two: look at shoe.exit, shoe.speed and shoe.even"


def seats(shown: Shown) -> Iterator[Finding]:
    """Did each card go to its seat?"""
    table = shown.table
    if not isinstance(table, Placed):
        return
    told, n = "Each card went to its seat.", len(table.strayed)
    if n:
        face, meant, lies = table.strayed[0]
        told = f"Cards went to the wrong seat, {n} of them: {face}, meant for seat {meant}, lies at seat {lies}."
    remedy = "the turntable loses steps (shoe.turns), or angles in [shoe] are not those of your seats"
    yield graded("shoe.seats", told, remedy, wrong=n > 0, strayed=n)


def counts(shown: Shown) -> Iterator[Finding]:
    """Do as many cards lie there as the machine counted?"""
    table, told = shown.table, shown.trial.told
    if table is None and shown.trial.left_over:
        text = f"All {told} cards were counted, and still there are cards in the hopper."
        yield graded("shoe.counts", text, _MISCOUNTS, wrong=True, told=told)
        return
    if table is None:
        yield Finding("shoe.counts", "absent", "Nobody looked what lies on the table.")
        return
    differ = table.told != table.lie if isinstance(table, Counted) else any(table.unseen)
    lie = sum(table.lie) if isinstance(table, Counted) else told + sum(table.unseen)
    text = f"The machine counted {told} cards, and {lie} lie there."
    remedy = "cards came in twos and were not seen: narrow the gate"
    if not differ:
        text = f"As many cards lie there as the machine counted: {lie}."
    elif lie == told:
        text = f"{lie} cards lie there, as many as were counted, but not where they should."
        remedy = "cards went to the wrong seat: look at shoe.turns, and at angles in [shoe]"
    elif lie < told:
        remedy = _MISCOUNTS
    yield graded("shoe.counts", text, remedy, wrong=differ, told=told, lie=lie)


def order(shown: Shown) -> Iterator[Finding]:
    """Did they come in the order in which they lay?"""
    table = shown.table
    if not isinstance(table, Placed):
        return
    foreign = [face for face, _ in table.foreign]
    odd = [f"{what}: {', '.join(faces[:8])}" for what, faces in
           (("not found", list(table.missing)), ("out of order", foreign)) if faces]  # fmt: skip
    told = f"Not all is in order; {'; '.join(odd)}." if odd else "The cards came in the order in which they lay."
    remedy = "was the deck sorted as shown, and were the piles read from the first card on? Then try again"
    yield graded("shoe.order", told, remedy, warning=bool(odd), missing=list(table.missing), foreign=foreign)
