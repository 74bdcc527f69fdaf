"""What an option of `croupier.toml` is: its name, its default, what it may say, and its meaning in plain words."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo
from pydantic.fields import FieldInfo

from croupier.errors import nearest_names
from croupier.i18n import _, marked

FOLDER: Final = "folder"
"""Of the validation's context: where the file lies. Files that it names are looked for from there."""


class Section(BaseModel):
    """A section of the file; its docstring says what it is about."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class NotSo(ValueError):
    """What is wrong with a value, and what was expected, in the language of the reader."""


def option(
    default: Any,
    meaning: str,
    *,
    expected: str = "",
    words: Mapping[str, str] | None = None,
    example: Any = None,
    choices: tuple[str, ...] = (),
    **limits: Any,
) -> Any:
    """An option of a section.

    ``meaning``: what it does, in plain words, for the page of all options. ``expected``: what it may say, for that page
    and for who says something else, with ``words`` in its braces; "" where its type tells. ``example``: a value for
    both, where the default is none. ``choices``: all it may be, where its type does not tell.
    ``limits``: ``ge``, ``le``, ``min_length`` … as in pydantic.
    """
    return Field(
        default,
        description=meaning,
        json_schema_extra={"expected": expected, "words": {**(words or {})}, "example": example, "choices": [*choices]},
        **limits,
    )


def _in_folder(path: Path, info: ValidationInfo) -> Path:
    folder: Path = (info.context or {}).get(FOLDER, Path())
    return folder / path


File = Annotated[Path, AfterValidator(_in_folder)]
"""A file. A relative name is meant from the folder of `croupier.toml`."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option for people. ``text``: what it may say, with ``words`` in its braces."""

    name: str
    default: Any
    meaning: str
    text: str
    words: Mapping[str, str]
    example: Any
    """What it might say; never None."""
    choices: tuple[str, ...] = ()
    """All that it may say, where that is few words; "" first, where it may be left out."""

    @property
    def expected(self) -> str:
        """What it may say, in English."""
        return self.text.format_map(self.words) if self.words else self.text

    @property
    def in_words(self) -> str:
        """What it may say, in the language of the reader."""
        return _(self.text, **self.words)


def one_of(said: str, known: Collection[str]) -> str:
    """What was expected of who ``said`` none of the ``known`` names, and which one may have been meant."""
    if not known:
        return _("expected no option here")
    names = ", ".join(known)
    if nearest := nearest_names(said, known):
        return _("did you mean {near}? expected one of {names}", near=" / ".join(nearest), names=names)
    return _("expected one of {names}", names=names)


def options(section: type[BaseModel]) -> Iterator[Option]:
    """The options of a section, in its order."""
    for name, field in section.model_fields.items():
        extra: Any = field.json_schema_extra or {}
        default = None if field.is_required() else field.get_default(call_default_factory=True)
        default = str(default) if isinstance(default, Path) else default
        example = extra.get("example") if extra.get("example") is not None else default
        text, words = (extra["expected"], extra["words"]) if extra.get("expected") else _expected(field)
        yield Option(name, default, field.description or "", text, words, example, _choices(field, default))


def _expected(field: FieldInfo) -> tuple[str, Mapping[str, str]]:
    """What the type of a field allows: a text, and the words in its braces."""
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
"""By whether it is whole, and how many bounds it has."""


def _choices(field: FieldInfo, default: Any) -> tuple[str, ...]:
    kind = _kind(field.annotation)
    if kind is bool:
        return ("true", "false")
    extra: Any = field.json_schema_extra or {}
    words = tuple(map(str, get_args(kind))) if get_origin(kind) is Literal else tuple(extra.get("choices", ()))
    return ("", *words) if words and default is None else words


def _kind(annotation: Any) -> Any:
    """The type without what Annotated and None add."""
    if get_origin(annotation) is Annotated:
        return _kind(get_args(annotation)[0])
    if get_origin(annotation) in (Union, type(int | None)):
        return _kind(next(one for one in get_args(annotation) if one is not type(None)))
    return annotation
