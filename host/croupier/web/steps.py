"""What the page needs to set up a table, and whoever can do it: steps with fields, each tried before it is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

State = Literal["wrong", "warning", "ok", "absent"]


@dataclass(frozen=True, slots=True)
class Field:
    """A question: ``id`` in the form, its ``text``, what may be said, what is said now, and what was wrong with it.

    ``choices``: all that may be said, where it is few words; "" stands for the usual.
    """

    id: str
    text: str
    expected: str
    value: str
    wrong: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """What trying it has shown, in the language of who tried it; ``word``: what the state is called."""

    id: str
    state: State
    word: str
    told: str
    remedy: str


@dataclass(frozen=True, slots=True)
class StepShown:
    """A step as it stands. ``look``: the camera can look now; ``mistakes``: what does not go together yet; ``found``
    and ``told``: what came of trying and of looking; ``seen``: whether there is a picture of that."""

    name: str
    title: str
    about: str
    fields: tuple[Field, ...]
    look: bool
    mistakes: tuple[str, ...]
    found: tuple[Found, ...]
    told: tuple[str, ...]
    seen: bool
    is_changed: bool


@dataclass(frozen=True, slots=True)
class FileShown:
    """The description of the table as text, with what is wrong in it: by line, where that is known."""

    name: str
    text: str
    mistakes: tuple[tuple[int | None, str], ...]


class Setup(Protocol):
    """A table that is set up. What raises nothing here tells what went wrong in what it shows."""

    @property
    def steps(self) -> Sequence[tuple[str, str]]:
        """Name and title of each, in order."""

    def file(self) -> FileShown:
        """The file as it lies there."""

    def step(self, name: str) -> StepShown:
        """A step, by its name."""

    def answer(self, name: str, typed: Mapping[str, str]) -> StepShown:
        """Take in what was typed, by the ids of the fields."""

    def look(self, name: str) -> StepShown:
        """Let the camera look."""

    def tried(self, name: str) -> StepShown:
        """Try the step at the table as it would be."""

    def keep(self, name: str) -> StepShown:
        """Write it."""

    def drop(self, name: str) -> StepShown:
        """Forget what was not written."""

    def picture(self) -> bytes | None:
        """What the camera saw when it looked last, with what was found drawn in, as JPEG."""

    def check(self, text: str) -> FileShown:
        """What would be wrong with this text as the file."""

    def save(self, text: str) -> FileShown:
        """Write this text as the file, unless something is wrong with it."""
