"""What happened, in lines for a terminal."""

from __future__ import annotations

from croupier.events import Amended, SequencedEvent, UnsureCard
from croupier.i18n import _
from croupier.referee import Explainer
from croupier.referee.observations import Decline, Play, Redealt, Upcard
from croupier.referee.rulings import Ruling


def lines_of(told: SequencedEvent, rulings: tuple[Ruling, ...], explainer: Explainer) -> list[str]:
    """What was seen on the discard pile, or done without a word of the referee, and what the referee said to it."""
    lines = []
    match told:
        case Play() | Upcard():
            lines.append(f"[{told.card}]")
        case Amended():
            corrected = (one.card for one in told.observations if isinstance(one, Play | Upcard))
            lines += [_("no, it is [{card}]", card=card) for card in corrected]
        case UnsureCard():
            lines.append(_("which card is it? {candidates}", candidates=" / ".join(told.candidates) or "?"))
        case Redealt() | Decline():
            lines.append(explainer.seen(told))
        case _ignored:
            pass
    return [*lines, *(explainer.said(ruling).text for ruling in rulings)]
