"""What the table says aloud and on the page: one short sentence for each ruling that people should hear."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from croupier.devices.protocols import Say
from croupier.referee.rulings import (
    CannotTell,
    Caught,
    ChallengeOutcome,
    ChooseColor,
    ColorIs,
    Draw,
    GameOver,
    Illegal,
    MayChallenge,
    Mismatch,
    Recycle,
    ReturnCard,
    RoundOver,
    Ruling,
    Score,
    Short,
    ShowHand,
    Skip,
    Turn,
    UnoStands,
    Void,
    Warn,
)

WHY: Final[Mapping[str, str]] = {
    "no-match": "it matches neither color nor symbol",
    "not-your-turn": "it is not your turn",
    "hand-card-after-draw": "after drawing only the drawn card may be played",
    "must-play-drawn": "the drawn card has to be played",
    "one-draw": "one card a turn",
    "not-in-hand": "that card was not in the hand",
    "wrong-phase": "not now",
    "too-early": "too early",
    "too-late": "too late",
    "nobody-to-catch": "there is nobody to catch",
    "not-the-challenger": "only the next seat may challenge",
    "not-the-namer": "somebody else names the color",
    "not-in-document": "the rules know nothing of it",
}
"""The reasons of the table log in everyday words."""


def said(rulings: Sequence[Ruling], names: Sequence[str]) -> Iterator[Say]:
    """The sentences for ``rulings``; ``names`` of the seats, clockwise. Hidden hands are never told."""
    for ruling in rulings:
        text = _sentence(ruling, names)
        if text is not None:
            yield Say(text)


def _sentence(ruling: Ruling, names: Sequence[str]) -> str | None:
    match ruling:
        case Turn(seat=seat, direction=direction):
            return f"{names[seat]}'s turn, play goes {direction}"
        case ColorIs(color=color):
            return f"The color is {color}"
        case ChooseColor(seat=seat):
            return f"{names[seat]}, name a color"
        case ReturnCard(card=card):
            return f"{card} does not count, turn up another"
        case Draw(seat=seat, n=n):
            return f"{names[seat]} draws {n}"
        case Skip(seat=seat):
            return f"{names[seat]} misses a turn"
        case Illegal(seat=seat, why=why) | Void(seat=seat, why=why) | Warn(seat=seat, why=why):
            return f"{names[seat]}: {WHY.get(why, why)}"
        case UnoStands(seat=seat):
            return f"{names[seat]} says UNO"
        case Caught(seat=seat, by=by):
            return f"{names[by]} catches {names[seat]}"
        case MayChallenge(seats=seats):
            return f"{' and '.join(names[seat] for seat in seats)} may challenge"
        case ShowHand(seat=seat):
            return f"{names[seat]}, show your hand"
        case ChallengeOutcome(seat=seat, guilty=guilty):
            return f"{names[seat]} was {'guilty' if guilty else 'innocent'}"
        case Recycle():
            return "The draw pile is empty: shuffle the discard pile, less its top card"
        case Short(seat=seat, owed=owed):
            return f"No cards are left: {names[seat]} is let off {owed}"
        case CannotTell():
            return "Too close to tell: nobody is penalised"
        case Mismatch(what=what, expected=expected, seen=seen):
            return f"The {what} does not agree: {expected} expected, {seen} seen"
        case RoundOver(seat=seat):
            return f"{names[seat]} goes out"
        case Score(seat=seat, points=points, total=total) if seat is not None:
            return f"{names[seat]}: {points} points, {total} in all"
        case GameOver(seat=seat) if seat is not None:
            return f"{names[seat]} wins the game"
        case _:
            return None
