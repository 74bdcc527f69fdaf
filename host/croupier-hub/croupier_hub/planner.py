"""Plans a tournament of any format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from croupier.errors import marked
from croupier.i18n import _
from croupier_hub import EIGHT, ELIMINATION, FOUR, PARTNERS
from croupier_hub.errors import BadPlan
from croupier_hub.next_round import next_round
from croupier_hub.plan import (
    BY_SCORE,
    LEAST_SEATS,
    MOST,
    PAIRED,
    USUAL_SEATS,
    Plan,
    PlannedRound,
    sentence,
    table_sizes,
    waiting,
)
from croupier_hub.rotation import seat

_BY_THE_SHEET: Final = {FOUR: (4, 12, "partners.four"), EIGHT: (8, 28, "partners.eight")}
"""Players, rounds, and the rule that demands them."""


def make(
    form: str,
    players: int,
    *,
    rounds: int | None = None,
    tables: int | None = None,
    seed: int = 1,
    names: Sequence[str] = (),
    swaps: int | None = None,
) -> Plan:
    """Plan a tournament; of a format in `BY_SCORE`, its first round. ``swaps``: as in `seat`.

    Raises:
        BadPlan: the format cannot be played like this; the text says what can.
    """
    _check(form, players, rounds, tables)
    begun = Plan(form, players, (), tuple(names), tables, seed)
    if form in BY_SCORE:
        length = None if form == ELIMINATION else rounds or (players - 1).bit_length()
        return next_round(replace(begun, length=length), [0] * players)
    sizes = table_sizes(form, players, tables)
    length = rounds or _usual_rounds(form, players, sizes)
    seating = seat(players, sizes, length, seed, partners=form in PAIRED, swaps=swaps)
    reasons = [sentence(_BY_THE_SHEET[form][2])] if form in _BY_THE_SHEET else []
    reasons.append(_(seating.text, all=seating.length))
    if players > sum(sizes):
        reasons.append(_("Byes in each round: {n}, for everybody as often as for the others.", n=players - sum(sizes)))
    planned = [PlannedRound(one, waiting(range(players), one)) for one in seating.rounds]
    return replace(begun, rounds=tuple(planned), length=length, reasons=tuple(reasons))


def _usual_rounds(form: str, players: int, sizes: Sequence[int]) -> int:
    """As many rounds as let everybody partner (or, alone, meet) everybody once."""
    if form in _BY_THE_SHEET:
        return _BY_THE_SHEET[form][1]
    if form == PARTNERS:
        return players - (players == sum(sizes))
    return -(-(players - 1) // (max(sizes) - 1))


def _check(form: str, players: int, rounds: int | None, tables: int | None) -> None:
    exact = _BY_THE_SHEET[form][0] if form in _BY_THE_SHEET else None
    least, most = (exact, exact) if exact else (USUAL_SEATS if form == PARTNERS else LEAST_SEATS, MOST)
    if not least <= players <= most:
        expected = str(exact) if exact else f"{least}–{most}"
        text = marked("--players {n}: the format {form} is for {expected} players")
        raise BadPlan(text, n=players, form=form, expected=expected)
    if rounds is not None and not 1 <= rounds <= MOST:
        raise BadPlan(marked("{option} {n}: expected 1 to {most}"), option="--rounds", n=rounds, most=MOST)
    if rounds is not None and form == ELIMINATION:
        raise BadPlan(
            marked("{option}: an elimination game ends with its final; leave the option out"), option="--rounds"
        )
    fewest, most = exact // USUAL_SEATS if exact else 1, players // (USUAL_SEATS if form in PAIRED else LEAST_SEATS)
    if tables is not None and not fewest <= tables <= most:
        text = marked("--tables {n}: expected {expected} tables for {players} players in the format {form}")
        expected = str(most) if fewest == most else f"{fewest}–{most}"
        raise BadPlan(text, n=tables, expected=expected, players=players, form=form)
