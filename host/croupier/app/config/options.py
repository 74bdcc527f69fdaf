"""What an option of `croupier.toml` is: its name, its default, what it may say, and its meaning in plain words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo
from pydantic.fields import FieldInfo

FOLDER: Final = "folder"
"""Of the validation's context: where the file lies. Files that it names are looked for from there."""


class Section(BaseModel):
    """A section of the file; its docstring says what it is about."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def option(default: Any, meaning: str, *, expected: str = "", example: Any = None, **limits: Any) -> Any:
    """An option of a section.

    ``meaning``: what it does, in plain words, for the page of all options. ``expected``: what it may say, for that page
    and for who says something else; "" where its type tells. ``example``: a value for both, where the default is none.
    ``limits``: ``ge``, ``le``, ``min_length`` … as in pydantic.
    """
    return Field(default, description=meaning, json_schema_extra={"expected": expected, "example": example}, **limits)


def _in_folder(path: Path, info: ValidationInfo) -> Path:
    folder: Path = (info.context or {}).get(FOLDER, Path())
    return folder / path


File = Annotated[Path, AfterValidator(_in_folder)]
"""A file. A relative name is meant from the folder of `croupier.toml`."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option for people."""

    name: str
    default: Any
    meaning: str
    expected: str
    example: Any
    """What it might say; never None."""
    choices: tuple[str, ...] = ()
    """All that it may say, where that is few words; "" first, where it may be left out."""


def options(section: type[BaseModel]) -> Iterator[Option]:
    """The options of a section, in its order."""
    for name, field in section.model_fields.items():
        extra: Any = field.json_schema_extra or {}
        default = None if field.is_required() else field.get_default(call_default_factory=True)
        default = str(default) if isinstance(default, Path) else default
        example = extra.get("example") if extra.get("example") is not None else default
        expected = extra.get("expected") or _expected(field)
        yield Option(name, default, field.description or "", expected, example, _choices(field, default))


def _expected(field: FieldInfo) -> str:
    """What the type of a field allows, in words."""
    kind = _kind(field.annotation)
    if get_origin(kind) is Literal:
        words = [str(word) for word in get_args(kind)]
        return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]
    if kind is bool:
        return "true or false"
    if kind in (int, float):
        what = "a whole number" if kind is int else "a number"
        bounds = {type(one).__name__: one for one in field.metadata}
        least, most = getattr(bounds.get("Ge"), "ge", None), getattr(bounds.get("Le"), "le", None)
        if least is not None and most is not None:
            return f"{what}, {least} to {most}"
        return what if least is None else f"{what}, {least} or more"
    if kind is Path:
        return "the name of a file"
    return "text in quotes" if kind is str else "a list"


def _choices(field: FieldInfo, default: Any) -> tuple[str, ...]:
    kind = _kind(field.annotation)
    if kind is bool:
        return ("true", "false")
    words = tuple(map(str, get_args(kind))) if get_origin(kind) is Literal else ()
    return ("", *words) if words and default is None else words


def _kind(annotation: Any) -> Any:
    """The type without what Annotated and None add."""
    if get_origin(annotation) is Annotated:
        return _kind(get_args(annotation)[0])
    if get_origin(annotation) in (Union, type(int | None)):
        return _kind(next(one for one in get_args(annotation) if one is not type(None)))
    return annotation
