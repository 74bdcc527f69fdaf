"""Setting up in the terminal: question by question, each step tried and then kept or dropped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import cv2

from croupier.config.options import Option
from croupier.console import Teller
from croupier.doctor.finding import STATES
from croupier.doctor.formatting import tell
from croupier.i18n import _
from croupier.setup.draft import USUAL, Draft, do, typed
from croupier.setup.steps import STEPS, Question, Step

Ask = Callable[[str], str]
"""Shows a prompt and gives the line that was typed; raises EOFError where nobody types any more."""

SEEN: Final = "setup-seen.png"


def set_up(file: Path, names: Sequence[str], ask: Ask = input) -> int:
    """Go through the steps of these ``names``, all without any. Returns the exit status: 1 where one was not kept.

    Raises:
        BadConfig: the file is wrong as it is. CannotWrite: it cannot be written.
    """
    draft = Draft(file)
    asking = _Asking(draft, ask, Teller())
    steps = [STEPS[name] for name in names] or list(STEPS.values())
    try:
        kept = [asking.go_through(step, place, len(steps)) for place, step in enumerate(steps, 1)]
    except EOFError:
        asking.say(_("Nothing more was typed: what was not kept is as it was."))
        return 1
    asking.say(_("{path} describes this table. Now start it: croupier run", path=file))
    return 0 if all(kept) else 1


class _Asking:
    def __init__(self, draft: Draft, ask: Ask, teller: Teller) -> None:
        self._draft, self._ask, self._teller = draft, ask, teller

    def say(self, text: str, indent: int = 0, style: str = "") -> None:
        self._teller.say(text, indent, style)

    def go_through(self, step: Step, place: int, places: int) -> bool:
        """Ask, try and keep a step; whether it was kept."""
        self.say("")
        self.say(f"{place}/{places}  {_(step.title)}", style="bold")
        self.say(_(step.about), 2)
        self.say(_("Enter keeps what stands in brackets; {usual} takes it out.", usual=USUAL), 2, "dim")
        while True:
            for question in step.questions:
                if question in self._draft.questions(step):  # an answer decides what is asked next
                    self._question(question)
            self._act(step)
            is_well = self._try(step)
            match self._choice(is_well):
                case "keep":
                    calibration = self._draft.keep()
                    self.say(_("Written."), 2, "green")
                    if calibration is not None:
                        self.say(_("{path} is written.", path=calibration), 2, "green")
                    return True
                case "drop":
                    self._draft.drop()
                    return False

    def _question(self, question: Question) -> None:
        option = question.option
        self.say(_(question.text), 2)
        self.say(expected(option), 4, "dim")
        while wrong := self._draft.answer(question.path, self._typed(self._draft.shown(question.path))):
            self.say(wrong, 4, "red")

    def _typed(self, now: str) -> str:
        return self._ask(f"    [{now}] > ").strip() or now

    def _act(self, step: Step) -> None:
        if step.act is None or self._draft.mistakes:
            return
        question = _("Let the camera look now (y), or not (n)?")
        if self._ask(f"  {question} ").strip().lower() != "y":
            return
        done = do(step.act, self._draft)
        for line in done.told:
            self.say(line, 4, "" if done.is_well else "red")
        if done.picture is not None:
            seen = self._draft.file.parent / SEEN
            if cv2.imwrite(str(seen), done.picture):
                self.say(_("What it saw is drawn in {path}.", path=seen), 4)

    def _try(self, step: Step) -> bool:
        """Ask the checks; whether nothing is wrong."""
        for mistake in self._draft.mistakes:
            self.say(mistake, 2, "red")
        if self._draft.mistakes:
            return False
        findings = list(self._draft.tried(step))
        tell(findings)
        return STATES[0] not in {one.state for one in findings}

    def _choice(self, is_well: bool) -> str:
        """What the person wants: keep, again or drop. What does not go together cannot be kept."""
        if self._draft.mistakes:
            answers, usual = {"a": "again", "d": "drop"}, "a"
            prompt = _("Again (a), or drop it (d)?")
        else:
            answers, usual = {"k": "keep", "a": "again", "d": "drop"}, "k" if is_well else "a"
            prompt = _("Keep it (k), again (a), or drop it (d)?")
        while (line := self._ask(f"  {prompt} [{usual}] ").strip().lower() or usual) not in answers:
            pass
        return answers[line]


def expected(option: Option) -> str:
    """What may be said, with an example."""
    example = "" if option.example is None else typed(option.example)
    if not example or example in option.in_words:
        return option.in_words
    return _("{expected}, such as {example}", expected=option.in_words, example=example)
