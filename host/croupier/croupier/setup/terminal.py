"""`croupier setup` in the terminal: question by question; each step is checked, then saved or discarded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import cv2

from croupier.console import Printer
from croupier.doctor.finding import STATES, print_findings
from croupier.errors import one_line
from croupier.i18n import _
from croupier.names import numbered_names
from croupier.setup.draft import USUAL, Draft, run_camera_action
from croupier.setup.parts import Parts, find_parts
from croupier.setup.steps import STEPS, Question, Step

Ask = Callable[[str], str]
"""Shows a prompt and returns the line that was typed; raises EOFError at the end of the input."""

SEEN: Final = "setup-seen.png"


def set_up(
    file: Path, names: Sequence[str], ask: Ask = input, find: Callable[[], Parts] = find_parts
) -> int:  # fmt: skip
    """Go through the steps ``names``; without names through all that this table needs, with the questions that have to
    be asked. ``find``: finds the parts that are there. Return the exit status: 1 if a step was not saved.

    Raises:
        BadConfig: the file is invalid. CannotWrite: it cannot be written.
    """
    draft = Draft(file, find())
    dialog = _Dialog(draft, ask, briefly=not names)
    try:
        kept = dialog.go_through_all([STEPS[name] for name in names or STEPS])
    except EOFError:
        dialog.print(_("No more input: nothing else was changed."))
        return 1
    dialog.print(_("{path} now describes this table. Start it with croupier run", path=file))
    if not names:
        dialog.print(_("More can be said step by step: croupier setup STEP, with {steps}", steps=", ".join(STEPS)))
    return 0 if kept else 1


class _Dialog:
    def __init__(self, draft: Draft, ask: Ask, *, briefly: bool) -> None:
        self._draft, self._ask, self.print, self._briefly = draft, ask, Printer().print, briefly

    def go_through_all(self, steps: Sequence[Step]) -> bool:
        """Go through those of the steps that are needed, after the answers so far. Return whether all were saved."""
        kept: list[bool] = []
        while needed := [step for step in steps if self._is_needed(step)]:
            kept.append(self._go_through(needed[0], len(kept) + 1, len(kept) + len(needed)))
            steps = steps[steps.index(needed[0]) + 1 :]
        return all(kept)

    def _is_needed(self, step: Step) -> bool:
        """True if a step asks something, or the camera does something there."""
        if not self._briefly:
            return True
        looks = step.action is not None and self._draft.has_camera
        return not step.is_detail and (looks or bool(self._draft.questions(step, briefly=True)))

    def _go_through(self, step: Step, place: int, places: int) -> bool:
        """Ask, check and save a step; unasked where all is in order and no calibration is lost. Return whether it was
        saved."""
        self.print("")
        # An answer decides which steps follow, unless they were asked for by name.
        number = f"{place}." if self._briefly else f"{place}/{places}"
        self.print(f"{number}  {_(step.title)}", style="bold")
        self.print(_(step.about), 2)
        if place == 1:
            self.print(_("Enter keeps the value in brackets; {usual} removes it.", usual=USUAL), 2, "dim")
        while True:
            for question in step.questions:
                if self._draft.applies(question, briefly=self._briefly):  # an answer decides what is asked next
                    self._question(question)
            self._run_camera(step)
            is_ok = self._check(step)
            match "keep" if is_ok and not self._draft.replaces_calibration else self._choice(is_ok):
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
        offers = self._draft.offers(question, briefly=self._briefly)
        for n, words in enumerate(offers.values(), 1):
            self.print(f"{n}  {words}", 4)
        if not offers or question.is_open:
            said = self._draft.expected(question)
            self.print(_("or {expected}", expected=said) if offers else said, 4, "dim")
        if known := self._draft.known_names(question):
            names = one_line(numbered_names(known))
            self.print(_("Who has played before, each also by number: {names}", names=names), 4, "dim")
        now = self._draft.usual(question, offers)
        prompt = f"    [{[*offers].index(now) + 1 if now in offers else now}] > "
        while wrong := self._draft.answer_question(question, self._ask(prompt).strip() or now, offers):
            self.print(wrong, 4, "red")

    def _run_camera(self, step: Step) -> None:
        if step.action is None or self._draft.mistakes or not self._draft.has_camera:
            return
        question = _("Press Enter to take a picture, or type n: not now.")
        if self._ask(f"  {question} ").strip().lower().startswith("n"):
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
        findings = [one for one in self._draft.run_checks(step) if not self._briefly or one.state != STATES[-1]]
        if findings:
            print_findings(findings)
        return STATES[0] not in {one.state for one in findings}

    def _choice(self, is_ok: bool) -> str:
        """Ask whether to keep, repeat or drop a step. A draft with mistakes cannot be kept."""
        answers, usual = {"a": "again", "d": "drop"}, "k" if is_ok else "a"
        if self._draft.mistakes:
            prompt = _("Try again (a), or discard it (d)?")
        else:
            answers["k"] = "keep"
            prompt = _("Keep it (k), try again (a), or discard it (d)?")
        while (line := self._ask(f"  {prompt} [{usual}] ").strip().lower() or usual) not in answers:
            pass
        return answers[line]
