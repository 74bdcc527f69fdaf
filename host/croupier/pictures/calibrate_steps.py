"""Calibrates the table step by step: says what to lay, takes a picture when it lies there, shows what was found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from croupier.errors import BadCalibration
from croupier.i18n import _, marked

STEPS: Final[tuple[tuple[tuple[str, ...], str], ...]] = (
    (
        (),
        marked("Lay the printed sheet where the discard pile will lie; or spread three cards, one of them there."),
    ),
    (("tally",), marked("The area for open hands: lay a card at each of its corners.")),
    (("seats",), marked("The seats: lay a card before each of them.")),
)
"""What each step does anew (nothing: all), and what people lay for it."""

Ask = Callable[[str], str]


def step_by_step(calibrate: Callable[[Sequence[str]], int], ask: Ask) -> int:
    """Goes through `STEPS`; ``calibrate`` takes a picture and does the parts that it is given anew.

    Only the first step is needed; the others can be passed over.
    """
    for number, (only, words) in enumerate(STEPS, 1):
        print(_("{number} of {all}. {words}", number=number, all=len(STEPS), words=_(words)))
        while (answer := _answer(ask, can_skip=bool(only))) != "s":
            if answer == "q":
                return 0 if only else 1
            try:
                calibrate(only)
            except BadCalibration as fault:
                print(f"  {fault}")
                continue
            again = _asked(ask, _("Is it right? Enter for the next step, r to do it again:"))
            if again == "q":
                return 0
            if again != "r":
                break
    return 0


def _answer(ask: Ask, *, can_skip: bool) -> str:
    when = _("Enter when it lies there and no hand is in the picture, q to stop:")
    if can_skip:
        when = _("Enter when it lies there and no hand is in the picture, s to pass over, q to stop:")
    while True:
        answer = _asked(ask, when)
        if answer in ("", "q") or (answer == "s" and can_skip):
            return answer


def _asked(ask: Ask, question: str) -> str:
    """The answer; whoever closes the input (Ctrl-D) stops."""
    try:
        return ask(f"  {question} ").strip().lower()
    except EOFError:
        print()
        return "q"
