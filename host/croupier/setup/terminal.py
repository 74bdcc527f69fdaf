"""`croupier setup` in the terminal: question by question; each step is checked, then saved or discarded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import cv2

from croupier.config.options import Option
from croupier.console import Printer
from croupier.doctor.finding import STATES, print_findings
from croupier.i18n import _
from croupier.setup.draft import USUAL, Draft, run_camera_action, typed
from croupier.setup.steps import STEPS, Question, Step

Ask = Callable[[str], str]
"""Shows a prompt and returns the line that was typed; raises EOFError at the end of the input."""

SEEN: Final = "setup-seen.png"


def set_up(file: Path, names: Sequence[str], ask: Ask = input) -> int:
    """Go through the steps ``names``, or all steps. Return the exit status: 1 if a step was not saved.

    Raises:
        BadConfig: the file is invalid. CannotWrite: it cannot be written.
    """
    draft = Draft(file)
    dialog = _Dialog(draft, ask)
    steps = [STEPS[name] for name in names] or list(STEPS.values())
    try:
        kept = [dialog.go_through(step, place, len(steps)) for place, step in enumerate(steps, 1)]
    except EOFError:
        dialog.print(_("No more input: nothing else was changed."))
        return 1
    dialog.print(_("{path} now describes this table. Start it with croupier run", path=file))
    return 0 if all(kept) else 1


class _Dialog:
    def __init__(self, draft: Draft, ask: Ask) -> None:
        self._draft, self._ask, self.print = draft, ask, Printer().print

    def go_through(self, step: Step, place: int, places: int) -> bool:
        """Ask, check and save a step. Return whether it was saved."""
        self.print("")
        self.print(f"{place}/{places}  {_(step.title)}", style="bold")
        self.print(_(step.about), 2)
        self.print(_("Enter keeps the value in brackets; {usual} removes it.", usual=USUAL), 2, "dim")
        while True:
            for question in step.questions:
                if question in self._draft.questions(step):  # an answer decides what is asked next
                    self._question(question)
            self._run_camera(step)
            is_ok = self._check(step)
            match self._choice(is_ok):
                case "keep":
                    calibration = self._draft.save()
                    self.print(_("Saved."), 2, "green")
                    if calibration is not None:
                        self.print(_("{path} has been saved.", path=calibration), 2, "green")
                    return True
                case "drop":
                    self._draft.discard()
                    return False

    def _question(self, question: Question) -> None:
        self.print(_(question.text), 2)
        self.print(expected(question.option), 4, "dim")
        now = self._draft.value_text(question.path)
        while wrong := self._draft.answer(question.path, self._ask(f"    [{now}] > ").strip() or now):
            self.print(wrong, 4, "red")

    def _run_camera(self, step: Step) -> None:
        if step.action is None or self._draft.mistakes:
            return
        question = _("Take a picture now (y), or not (n)?")
        if self._ask(f"  {question} ").strip().lower() != "y":
            return
        result = run_camera_action(step.action, self._draft)
        for line in result.lines:
            self.print(line, 4, "" if result.is_ok else "red")
        if result.picture is not None:
            seen = self._draft.file.parent / SEEN
            if cv2.imwrite(str(seen), result.picture):
                self.print(_("The picture with what it read is in {path}.", path=seen), 4)

    def _check(self, step: Step) -> bool:
        """Run and print the checks of a step. Return whether none of them failed."""
        for mistake in self._draft.mistakes:
            self.print(mistake, 2, "red")
        if self._draft.mistakes:
            return False
        findings = list(self._draft.run_checks(step))
        print_findings(findings)
        return STATES[0] not in {one.state for one in findings}

    def _choice(self, is_ok: bool) -> str:
        """Ask whether to keep, repeat or drop a step. A draft with mistakes cannot be kept."""
        if self._draft.mistakes:
            answers, usual = {"a": "again", "d": "drop"}, "a"
            prompt = _("Try again (a), or discard it (d)?")
        else:
            answers, usual = {"k": "keep", "a": "again", "d": "drop"}, "k" if is_ok else "a"
            prompt = _("Keep it (k), try again (a), or discard it (d)?")
        while (line := self._ask(f"  {prompt} [{usual}] ").strip().lower() or usual) not in answers:
            pass
        return answers[line]


def expected(option: Option) -> str:
    """Describe the allowed values, with an example."""
    example = "" if option.example is None else typed(option.example)
    if not example or example in option.in_words:
        return option.in_words
    return _("{expected}, such as {example}", expected=option.in_words, example=example)
