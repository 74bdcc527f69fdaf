"""A draft of `croupier.toml`: answers are taken in, checked and discarded here before anything is written."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path as File
from tempfile import TemporaryDirectory
from typing import Any, Final

from cardsight.annotate import annotate, annotate_calibration
from cardsight.errors import NoCamera, NoFrame, NotCalibrated
from cardsight.sources import Picture, Source
from croupier.cards import CARD_MM
from croupier.config import Config
from croupier.config.file import changed, file_text, read, save
from croupier.config.model import option_at
from croupier.config.validation import BadConfigFile, Mistake, as_toml, shown
from croupier.doctor.check import ask
from croupier.doctor.check_context import Examined
from croupier.doctor.checks import CHECKS
from croupier.doctor.finding import Finding
from croupier.errors import BadConfig, CroupierError
from croupier.files import put
from croupier.i18n import _, ngettext
from croupier.pictures.calibrate import calibrated, view
from croupier.pictures.table_reader import camera, reader_of
from croupier.setup.steps import Act, Path, Question, Step

USUAL: Final = "-"
"""Typed as an answer: as it is without the option."""


class Draft:
    """The file as it is, and with what was answered since.

    Raises:
        BadConfig: the file cannot be read, or something in it is wrong; that must be mended first.
    """

    def __init__(self, file: File) -> None:
        self.file = file
        self._kept = file_text(file) if file.exists() else ""
        self.text = self._kept
        self._calibration: tuple[File, bytes] | None = None
        read(self.text, file)

    @property
    def is_changed(self) -> bool:
        """Whether anything was answered, or found by the camera, that is not written yet."""
        return self.text != self._kept or self._calibration is not None

    @property
    def mistakes(self) -> tuple[str, ...]:
        """What does not go together yet: a shoe at the Pi needs its pins."""
        return tuple(str(one) for one in _mistakes(self.text, self.file))

    def says(self, path: Path) -> Any:
        """The value of an option; its usual one where the file says nothing."""
        said: Any = tomllib.loads(self.text)
        for part in path:
            said = said.get(part) if isinstance(said, dict) else None
        option = option_at(path)
        return said if said is not None or option is None else option.default

    def shown(self, path: Path) -> str:
        """What the option says now, as people type it; "" where it says nothing."""
        value = self.says(path)
        return "" if value is None else typed(value)

    def questions(self, step: Step) -> tuple[Question, ...]:
        """What a step asks at this table."""
        return tuple(one for one in step.questions if one.only is None or self.says(one.only[0]) == one.only[1])

    def answer(self, path: Path, line: str) -> str:
        """Take in what was typed for an option; "" where it is taken, else what is wrong with it.

        A text, a number and a list are typed alike, without quotes; which is meant, the option knows.
        """
        line = line.strip()
        if line == self.shown(path):
            return ""
        wrong = ""
        for meant in [None] if line in ("", USUAL) else _meanings(line):
            text = changed(self.text, {path: meant}, self.file)
            told = next((one.told for one in _mistakes(text, self.file, is_done=False) if one.where == shown(path)), "")
            if not told:
                self.text = text
                return ""
            wrong = wrong or told
        return wrong

    def take_in(self, calibration: bytes) -> None:
        """Take in what the camera found, for the file that the draft names."""
        place = self.config().camera.calibration
        assert place is not None
        self._calibration = place, calibration

    def tried(self, step: Step) -> Iterator[Finding]:
        """What the checks of a step find at the table as it would be; nothing where something does not go together."""
        if self.mistakes:
            return
        with _Drafted(self.file, self.text, self._calibration) as table:
            for check in step.checks:
                yield ask(CHECKS[check], table, CHECKS)

    def config(self) -> Config:
        """The table as it would be.

        Raises:
            BadConfigFile: something does not go together yet.
        """
        return read(self.text, self.file)

    def keep(self) -> File | None:
        """Write the file, and before it the calibration that it names, if the camera found one since. Returns where
        that was written.

        Raises:
            BadConfigFile: something does not go together yet. CannotWrite: it could not be written.
        """
        place = None
        if self._calibration is not None and self._calibration[0] == self.config().camera.calibration:
            place, found = self._calibration
            put(place, found)
        save(self.file, self.text)
        self._kept, self._calibration = self.text, None
        return place

    def drop(self) -> None:
        """Forget what was answered and found since it was written."""
        self.text, self._calibration = self._kept, None


def _mistakes(text: str, file: File, *, is_done: bool = True) -> tuple[Mistake, ...]:
    try:
        read(text, file, is_done=is_done)
    except BadConfigFile as err:
        return err.mistakes
    return ()


class _Drafted(Examined):
    """A table by a description, and a calibration, that are not written yet."""

    def __init__(self, file: File, text: str, calibration: tuple[File, bytes] | None) -> None:
        super().__init__(file, moves=True)
        self._text, self._calibration = text, calibration

    @cached_property
    def fault(self) -> BadConfig | None:
        """As of any other table."""
        self._config: Config = read(self._text, self.file)
        if self._calibration is not None and self._calibration[0] == (camera := self._config.camera).calibration:
            place, found = self._calibration
            folder = File(self.stack.enter_context(TemporaryDirectory(prefix="croupier-")))
            (folder / place.name).write_bytes(found)
            here = camera.model_copy(update={"calibration": folder / place.name})
            self._config = self._config.model_copy(update={"camera": here})
        return None


def typed(value: Any) -> str:
    """A value as people type it: without quotes, a list without brackets."""
    if isinstance(value, list | tuple) and not any(isinstance(one, dict) for one in value):
        return ", ".join(map(typed, value))
    return value if isinstance(value, str) else as_toml(value)


def _meanings(line: str) -> Iterator[Any]:
    """What a line may mean: a text, a list of texts, something as TOML has it, a list of such."""
    if not line.startswith("["):
        yield line
        yield [name for part in line.split(",") if (name := part.strip().strip('"'))]
    for toml in (line, line.lower(), f"[{line}]"):
        try:
            yield tomllib.loads(f"it = {toml}")["it"]
        except tomllib.TOMLDecodeError:
            continue
    yield line


SETTLE: Final = 15
"""Pictures until the exposure of a camera that was just opened has settled."""

USUAL_CALIBRATION: Final = "table.toml"
_CALIBRATION: Final = ("camera", "calibration")


@dataclass(frozen=True, slots=True)
class Done:
    """What came of it: in lines, and the ``picture`` of the camera with what was found drawn in (BGR)."""

    is_well: bool
    told: tuple[str, ...]
    picture: Picture | None = None


def do(act: Act, draft: Draft) -> Done:
    """Do it at the table as it would be. The draft takes a calibration in, for the file that it names, else for one
    beside its own."""
    config = draft.config()
    try:
        source = camera(config.camera)
        if source is None:
            return Done(False, (_("This table has no camera."),))
        with closing(source):
            picture = _look(source)
        return _calibrated(picture, config, draft) if act == "calibrate" else _read(picture, config)
    except (CroupierError, NoCamera, NoFrame, NotCalibrated) as err:
        return Done(False, tuple(str(err).splitlines()))
    except OSError as err:
        return Done(False, (f"{err.filename}: {err.strerror}",))


def _look(source: Source) -> Picture:
    """What the camera sees once it has settled."""
    picture: Picture | None = None
    missed: NoFrame | None = None
    for _frame in range(SETTLE):
        try:
            picture = source.frame().image
        except NoFrame as err:
            missed = err
    if picture is None:
        assert missed is not None
        raise missed
    return picture


def _calibrated(picture: Picture, config: Config, draft: Draft) -> Done:
    seen = view(picture, reader_of(None).read, CARD_MM)
    found = calibrated(seen, None, (), len(config.names()))
    if config.camera.calibration is None:
        draft.answer(_CALIBRATION, USUAL_CALIBRATION)
    draft.take_in(found.to_toml().encode())
    return Done(True, tuple(seen.told), annotate_calibration(picture, found))


def _read(picture: Picture, config: Config) -> Done:
    reading = reader_of(config.deck.profile).read(picture)
    told = [ngettext("{n} card seen.", "{n} cards seen.", len(reading.cards) + len(reading.backs))]
    told += [f"{card.face} ({card.confidence:.0%})" for card in reading.cards]
    return Done(bool(reading.cards) and not reading.unreadable, tuple(told), annotate(picture, reading))
