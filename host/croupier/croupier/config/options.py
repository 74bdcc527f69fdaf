"""Options of `croupier.toml`: name, default, allowed values, and meaning in plain words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal, Union, get_args, get_origin

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo
from pydantic.fields import FieldInfo

from croupier.errors import nearest_names
from croupier.i18n import _, marked

FOLDER: Final = "folder"
"""Key of the validation context: the folder of the file, to which names of files are relative."""


@dataclass(frozen=True, slots=True)
class Switch:
    """An option of a plug-in's section that `croupier setup` asks for, with yes or no.

    ``option``: its name. ``question``: to be translated. ``is_possible``: returns False where this machine lacks what
    it needs. ``checks``: ids of the checks of `croupier doctor` that belong to it.
    """

    option: str
    question: str
    is_possible: Callable[[], bool]
    checks: tuple[str, ...] = ()


class Section(BaseModel):
    """A section of the file. Its docstring is its description in the documentation.

    ``at_once``: options of a plug-in's section that the page *Settings* changes while the table runs; ``switches``:
    those that `croupier setup` asks for.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    at_once: ClassVar[tuple[str, ...]] = ()
    switches: ClassVar[tuple[Switch, ...]] = ()

    def lacks(self) -> tuple[str, ...]:
        """The options that are missing, since others that need them are given."""
        return ()


class InvalidValue(ValueError):
    """An invalid value: the fault and the expected form, in the language of the reader."""


def option(
    default: Any,
    meaning: str,
    *,
    expected: str = "",
    words: Mapping[str, str] | None = None,
    example: Any = None,
    choices: tuple[str, ...] = (),
    is_secret: bool = False,
    **limits: Any,
) -> Any:
    """Define an option of a section.

    ``meaning``: what it does, for the documentation. ``expected``: the allowed values, for documentation and error
    messages, with ``words`` for its placeholders; "" if the type says it. ``example``: a value for both if there is no
    default. ``choices``: all allowed values, if the type does not say it.
    ``is_secret``: as of `Option`. ``limits``: ``ge``, ``min_length``, … as in pydantic.
    """
    return Field(
        default,
        description=meaning,
        json_schema_extra={
            "expected": expected,
            "words": {**(words or {})},
            "example": example,
            "choices": [*choices],
            "is_secret": is_secret,
        },
        **limits,
    )


def _in_folder(path: Path, info: ValidationInfo) -> Path:
    folder: Path = (info.context or {}).get(FOLDER, Path())
    return folder / path


File = Annotated[Path, AfterValidator(_in_folder)]
"""A file. A relative name is relative to the folder of `croupier.toml`."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option as people see it. ``text``: the allowed values, with ``words`` for its placeholders."""

    name: str
    default: Any
    meaning: str
    text: str
    words: Mapping[str, str]
    example: Any
    """A value to show as an example."""
    choices: tuple[str, ...] = ()
    """All allowed values, if they are few words; "" first if the option may be left out."""
    is_secret: bool = False
    """The value appears in no message: messages end in the service's log and in bug reports."""

    @property
    def expected(self) -> str:
        """The allowed values, in English."""
        return self.text.format_map(self.words) if self.words else self.text

    @property
    def in_words(self) -> str:
        """The allowed values, in the language of the reader."""
        return _(self.text, **self.words)


def expected_one_of(name: str, known: Collection[str]) -> str:
    """Describe the ``known`` names to a person who wrote another one, with the one that was probably meant."""
    if not known:
        return _("expected nothing here")
    names = ", ".join(known)
    if nearest := nearest_names(name, known):
        return _("did you mean {near}? expected one of {names}", near=" / ".join(nearest), names=names)
    return _("expected one of {names}", names=names)


def options(section: type[BaseModel]) -> Iterator[Option]:
    """Yield the options of a section in order."""
    for name, field in section.model_fields.items():
        extra: Any = field.json_schema_extra or {}
        default = None if field.is_required() else field.get_default(call_default_factory=True)
        default = str(default) if isinstance(default, Path) else default
        example = extra.get("example") if extra.get("example") is not None else default
        text, words = (extra["expected"], extra["words"]) if extra.get("expected") else _expected(field)
        is_secret = bool(extra.get("is_secret"))
        yield Option(name, default, field.description or "", text, words, example, _choices(field, default), is_secret)


def _expected(field: FieldInfo) -> tuple[str, Mapping[str, str]]:
    """Describe the values that the type of a field allows: a text, and the words for its placeholders."""
    kind = _kind(field.annotation)
    if get_origin(kind) is Literal:
        *others, last = map(str, get_args(kind))
        return marked("{words} or {last}"), {"words": ", ".join(others), "last": last}
    if kind is bool:
        return marked("true or false"), {}
    if kind in (int, float):
        bounds = {type(one).__name__: one for one in field.metadata}
        least, most = getattr(bounds.get("Ge"), "ge", None), getattr(bounds.get("Le"), "le", None)
        words = {name: str(bound) for name, bound in (("least", least), ("most", most)) if bound is not None}
        return _NUMBERS[kind is int, len(words)], words
    if kind is Path:
        return marked("the name of a file"), {}
    return (marked("text in quotes") if kind is str else marked("a list")), {}


_NUMBERS: Final = {
    (True, 0): marked("a whole number"),
    (True, 1): marked("a whole number, {least} or more"),
    (True, 2): marked("a whole number, {least} to {most}"),
    (False, 0): marked("a number"),
    (False, 1): marked("a number, {least} or more"),
    (False, 2): marked("a number, {least} to {most}"),
}
"""By (is a whole number, number of bounds)."""


def _choices(field: FieldInfo, default: Any) -> tuple[str, ...]:
    kind = _kind(field.annotation)
    if kind is bool:
        return ("true", "false")
    extra: Any = field.json_schema_extra or {}
    words = tuple(map(str, get_args(kind))) if get_origin(kind) is Literal else tuple(extra.get("choices", ()))
    return ("", *words) if words and default is None else words


def _kind(annotation: Any) -> Any:
    """Strip ``Annotated`` and ``None`` from a type."""
    if get_origin(annotation) is Annotated:
        return _kind(get_args(annotation)[0])
    if get_origin(annotation) in (Union, type(int | None)):
        return _kind(next(one for one in get_args(annotation) if one is not type(None)))
    return annotation
