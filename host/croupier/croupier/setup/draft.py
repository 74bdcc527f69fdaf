"""A draft of `croupier.toml`: answers are taken in, checked and discarded here before anything is written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path as File
from tempfile import TemporaryDirectory
from typing import Any, Final

from cardsight.annotate import annotate, annotate_calibration
from cardsight.errors import NoCamera, NoFrame, NotCalibrated
from cardsight.sources import Picture
from croupier import plugins
from croupier.config import Config
from croupier.config.file import changed, file_text, read, save
from croupier.config.model import USUAL_SEATS, option_at
from croupier.config.validation import BadConfigFile, Mistake, as_toml, format_path
from croupier.doctor.check import CheckContext, ask
from croupier.doctor.finding import Finding
from croupier.doctor.runner import CHECKS
from croupier.errors import BadToml, CroupierError
from croupier.files import JOURNAL, parse_toml, put
from croupier.i18n import _, from_others, ngettext
from croupier.names import chosen_names, join_names, split_names
from croupier.pictures.calibrate import calibrated, view
from croupier.pictures.readings import face_in_words
from croupier.pictures.table_reader import camera, exposed_picture, reader_of
from croupier.setup.parts import Parts, switches
from croupier.setup.steps import CameraAction, Offers, Path, Question, Step
from croupier_rules.cards import CARD_MM

NO_PARTS: Final = Parts()
_ALL_SWITCHES: Final = frozenset((section, one.option) for section, one in switches())
_SIZE: Final = ("camera", "size")
_PORT: Final = ("pico", "port")
_CALIBRATION: Final = ("camera", "calibration")
_DEALER: Final = ("seats", "dealer")
USUAL_CALIBRATION: Final = "table.toml"

USUAL: Final = "-"
"""Typed as an answer: as it is without the option."""

MOST_TYPED: Final = 4096
"""Characters of an answer; the longest name of a file has no more."""


class Draft:
    """The file with the answers since it was last saved. ``parts``: what is there.

    Raises:
        BadConfig: the file cannot be read or is invalid. It must be corrected first.
    """

    def __init__(self, file: File, parts: Parts = NO_PARTS) -> None:
        self.file, self.parts = file, parts
        self._saved = file_text(file) if file.exists() else ""
        self.text = self._saved
        self._calibration: tuple[File, bytes] | None = None
        read(self.text, file)

    @property
    def is_changed(self) -> bool:
        """True if an answer or a calibration was not saved yet."""
        return self.text != self._saved or self._calibration is not None

    @property
    def has_camera(self) -> bool:
        """True unless people enter the cards themselves."""
        return bool(self.value(("camera", "source")) != "none")

    @property
    def replaces_calibration(self) -> bool:
        """True if a new calibration would replace one that a file holds."""
        return self._calibration is not None and self._calibration[0].exists()

    @property
    def mistakes(self) -> tuple[str, ...]:
        """Contradictions between answers, such as a shoe on the Pi without its pins."""
        return tuple(str(one) for one in _mistakes_in(self.text, self.file))

    def value(self, path: Path) -> Any:
        """Return the value of an option; its default if the file does not set it."""
        option = option_at(path)
        value = self._set_value(path)
        return value if value is not None or option is None else option.default

    def _set_value(self, path: Path) -> Any:
        """Return the value that the file sets; None if it does not."""
        value: Any = parse_toml(self.text)
        for part in path:
            value = value.get(part) if isinstance(value, dict) else None
        return value

    def value_text(self, path: Path) -> str:
        """Return the value of an option as people type it, seats counted from 1; "" if it has none."""
        value = self.value(path)
        return "" if value is None else typed(value + 1 if path == _DEALER else value)

    def expected(self, question: Question) -> str:
        """Describe the allowed answers, with an example."""
        option, quoted = question.option, "text in quotes"
        if question.path == _DEALER:
            return self._seats_in_words()
        words = _("a text") if option.text == quoted else option.in_words
        example = "" if option.example is None else typed(option.example)
        if not example or example in words:
            return words
        return _("{expected}, such as {example}", expected=words, example=example)

    def _seats_in_words(self) -> str:
        return _("a whole number, {least} to {most}", least="1", most=str(self._seats))

    @property
    def _seats(self) -> int:
        return len(self.value(("seats", "names")) or ()) or self.value(("seats", "number")) or USUAL_SEATS

    def questions(self, step: Step, *, briefly: bool = False) -> tuple[Question, ...]:
        """Return the questions of a step that apply to this table; ``briefly``: only those that have to be asked."""
        return tuple(one for one in step.questions if self.applies(one, briefly=briefly))

    def applies(self, question: Question, *, briefly: bool = False) -> bool:
        """True if a question is asked, after the answers so far; ``briefly``: only if there is a choice."""
        if question.for_pins and "pi" not in self.parts.devices:
            return False
        if question.only is not None and self.value(question.only[0]) not in question.only[1]:
            return False
        if question.for_boards and briefly:
            return len(self.parts.boards) > 1 and self._set_value(question.path) is None
        if not briefly:
            return True
        return not question.is_detail and (question.is_open or len(self.offers(question, briefly=True)) != 1)

    def offers(self, question: Question, *, briefly: bool = False) -> Offers:
        """Return the answers to choose from: what the file says and, ``briefly``, what is there."""
        parts = self.parts if briefly else replace(self.parts, devices=("pico", "pi"), switches=_ALL_SWITCHES)
        offers = question.offers(parts)
        present = self._set_value(question.path)
        if not offers or present is None:
            return offers
        known = self._identified(question.path, typed(present))
        return {known: offers.get(known, known), **offers}

    def usual(self, question: Question, offers: Offers) -> str:
        """Return the answer that is proposed: the present value, else the first of the offers."""
        value = self._identified(question.path, self.value_text(question.path))
        return value if value in offers or not offers else next(iter(offers))

    def answer_question(self, question: Question, line: str, offers: Offers) -> str:
        """As `answer`; an offer may also be given by its number in the list, or by the first letters of its words."""
        line = line.strip()
        if not line.startswith("[") and (known := self.known_names(question)):
            line = join_names(chosen_names(split_names(line), known))
        if line in offers:
            return self.answer(question.path, line)
        wrong = _("{line}: expected a number from the list, 1 to {n}", line=line, n=len(offers))
        if offers and line.isdecimal():
            return self.answer(question.path, [*offers][int(line) - 1]) if 0 < int(line) <= len(offers) else wrong
        if offers and not question.is_open and line not in ("", USUAL):
            begun = [value for value, words in offers.items() if words.casefold().startswith(line.casefold())]
            line = begun[0] if len(begun) == 1 else line
            if question.option.choices and line not in question.option.choices:
                return wrong
        return self.answer(question.path, line)

    def known_names(self, question: Question) -> list[str]:
        """For the question who plays: the people who have played here, who came last first; else nobody."""
        if question.path != ("seats", "names"):
            return []
        try:
            journal = self.config().journal.file
        except BadConfigFile:
            journal = self.file.with_name(JOURNAL.name)
        return plugins.known_names(journal)

    def answer(self, path: Path, line: str) -> str:
        """Set an option to what was typed. Return "", or why the answer is invalid.

        Text, numbers and lists are typed without quotes; the type of the option decides between them. Of a camera that
        was found, its picture size is set, too, and what identifies it in place of its number.
        """
        line = self._identified(path, line.strip())
        if line == self.value_text(path):
            self._set_size(path, line)
            return ""
        if len(line) > MOST_TYPED:
            return _("longer than {most} characters: expected a shorter answer", most=MOST_TYPED)
        wrong, place = "", format_path(path)
        if path == _DEALER and line.isdecimal():
            if not 0 < int(line) <= self._seats:
                return _("{value}: expected {expected}", value=line, expected=self._seats_in_words())
            line = str(int(line) - 1)
        for meant in [None] if line in ("", USUAL) else _possible_values(line, path):
            text = changed(self.text, {path: meant}, self.file)
            mistakes = [
                one.text for one in _mistakes_in(text, self.file, is_complete=False) if one.where in (place, "")
            ]
            if not mistakes:
                self.text = text
                self._set_size(path, line)
                self._set_board(path, line)
                return ""
            wrong = wrong or mistakes[0]
        return wrong

    def _identified(self, path: Path, line: str) -> str:
        """Return what identifies the camera that has this number now; anything else unchanged."""
        if path != ("camera", "source"):
            return line
        return next((one.source for one in self.parts.cameras if one.number == line), line)

    def _set_board(self, path: Path, kind: str) -> None:
        """Keep which Pico it is where a part is connected to the only one."""
        if path[1:] == ("kind",) and kind == "pico" and len(self.parts.boards) == 1 and self._set_value(_PORT) is None:
            self.answer(_PORT, self.parts.boards[0].source)

    def _set_size(self, path: Path, source: str) -> None:
        size = next((one.size_text for one in self.parts.cameras if one.source == source), "")
        if path == ("camera", "source") and size and self._set_value(_SIZE) is None:
            self.answer(_SIZE, size)

    def set_calibration(self, calibration: bytes) -> None:
        """Set the content of the calibration file that the draft names, by default `USUAL_CALIBRATION`."""
        if self.config().camera.calibration is None:
            self.answer(_CALIBRATION, USUAL_CALIBRATION)
        place = self.config().camera.calibration
        assert place is not None
        self._calibration = place, calibration

    def run_checks(self, step: Step) -> Iterator[Finding]:
        """Run the checks of a step against the table that the draft describes; none if the draft has mistakes."""
        if self.mistakes:
            return
        with CheckContext(self.file, moves=True) as context:
            context.given = self.config()
            if self._calibration is not None and self._calibration[0] == context.given.camera.calibration:
                place, content = self._calibration
                tried = File(context.stack.enter_context(TemporaryDirectory(prefix="croupier-"))) / place.name
                tried.write_bytes(content)
                camera = context.given.camera.model_copy(update={"calibration": tried})
                context.given = context.given.model_copy(update={"camera": camera})
            for check in filter(CHECKS.__contains__, step.checks):  # a plug-in brings some
                yield ask(CHECKS[check], context, CHECKS)

    def config(self) -> Config:
        """Return the configuration that the draft describes.

        Raises:
            BadConfigFile: something does not fit together yet.
        """
        return read(self.text, self.file)

    def save(self) -> File | None:
        """Write a new calibration, if there is one, and then the file. Return the path of that calibration.

        Raises:
            BadConfigFile: something does not fit together yet. CannotWrite: a file could not be written.
        """
        place = None
        if self._calibration is not None and self._calibration[0] == self.config().camera.calibration:
            place, found = self._calibration
            put(place, found)
        save(self.file, self.text)
        self._saved, self._calibration = self.text, None
        return place

    def discard(self) -> None:
        """Discard all answers and findings since the last save."""
        self.text, self._calibration = self._saved, None


def _mistakes_in(text: str, file: File, *, is_complete: bool = True) -> tuple[Mistake, ...]:
    try:
        read(text, file, is_complete=is_complete)
    except BadConfigFile as err:
        return err.mistakes
    return ()


def typed(value: Any) -> str:
    """Format a value as people type it: without quotes, lists without brackets."""
    if isinstance(value, list | tuple) and not any(isinstance(one, dict) for one in value):
        return join_names(map(typed, value))
    return value if isinstance(value, str) else as_toml(value)


def _possible_values(line: str, path: Path) -> Iterator[Any]:
    """Yield what a typed line may mean: a text, a list of texts, a TOML value, a list of TOML values; first what the
    option usually is, whose mistake is reported."""
    option = option_at(path)
    if not line.startswith("["):
        texts: list[Any] = [line, split_names(line)]
        is_list = option is not None and isinstance(option.example, list) and isinstance(option.example[0], str)
        yield from reversed(texts) if is_list else texts
    for toml in (line, line.lower(), f"[{line}]"):
        try:
            yield parse_toml(f"it = {toml}")["it"]
        except BadToml:
            continue
    yield line


@dataclass(frozen=True, slots=True)
class CameraResult:
    """The result of a camera action: lines for people, and the ``picture`` with the findings drawn in (BGR)."""

    is_ok: bool
    lines: tuple[str, ...]
    picture: Picture | None = None


def run_camera_action(action: CameraAction, draft: Draft) -> CameraResult:
    """Calibrate or read with the camera of the draft. A new calibration is set in the draft, not written."""
    config = draft.config()
    try:
        source = camera(config.camera)
        if source is None:
            return CameraResult(False, (_("This table has no camera."),))
        with closing(source):
            picture = exposed_picture(source)
        return _calibrated(picture, config, draft) if action == "calibrate" else _read(picture, config)
    except (CroupierError, NoCamera, NoFrame, NotCalibrated) as err:
        return CameraResult(False, tuple(map(from_others, str(err).splitlines())))
    except OSError as err:
        return CameraResult(False, (f"{err.filename}: {from_others(str(err.strerror))}",))


def _calibrated(picture: Picture, config: Config, draft: Draft) -> CameraResult:
    seen = view(picture, reader_of(None).read, CARD_MM)
    found = calibrated(seen, None, (), len(config.names()))
    draft.set_calibration(found.to_toml().encode())
    return CameraResult(True, tuple(seen.findings), annotate_calibration(picture, found))


def _read(picture: Picture, config: Config) -> CameraResult:
    reading = reader_of(config.deck.profile).read(picture)
    lines = [ngettext("{n} card seen.", "{n} cards seen.", len(reading.cards) + len(reading.backs))]
    lines += [f"{face_in_words(card.face)} ({card.confidence:.0%})" for card in reading.cards]
    return CameraResult(bool(reading.cards) and not reading.unreadable, tuple(lines), annotate(picture, reading))
