"""Forms of the page as pydantic models: what each field may hold, and errors in one line. A route takes one as
``form: Posted[MyForm]``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, TypeVar

import fastapi
from fastapi.exceptions import RequestValidationError
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from croupier.errors import BadForm, BadLog, BadName
from croupier.i18n import _, localize
from croupier_rules.cards import FACES, NUMBERS

_MAX_DIGITS: Final = 9
_COLOR: Final = ":color"
_SYMBOL: Final = ":symbol"
_ICON: Final = ":icon"


def _parse_number(text: object) -> object:
    # Stricter than pydantic, which accepts signs, spaces, underscores, and digits of all scripts.
    if isinstance(text, str):
        if not (text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS):
            raise PydanticCustomError("not_a_number", "expected a number")
        return int(text)
    return text


@dataclass(frozen=True, slots=True)
class OneOf:
    """Annotation of a field that holds one of ``values``."""

    values: Sequence[str]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.literal_schema(list(self.values))


Number = Annotated[int, BeforeValidator(_parse_number), Field(ge=0)]
SeatNumber = Annotated[Number, Field(le=9)]
Face = Annotated[str, OneOf(FACES)]
_NUMBER: Final = TypeAdapter[int](Number)
Text = Annotated[str, Field(max_length=200)]
TypedName = Annotated[str, Field(max_length=1000)]
"""What somebody typed for a name; the route makes it one (`croupier.names.player_name`)."""

F = TypeVar("F", bound="Form")
Posted = Annotated[F, fastapi.Form()]
"""The form in the body of a request. What is wrong with it is answered with 422 (`request_error`)."""


class Form(BaseModel):
    """Base class of all forms. ``IGNORES_BLANKS``: blank fields are absent."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True)
    IGNORES_BLANKS: ClassVar = True

    @model_validator(mode="before")
    @classmethod
    def _given(cls, fields: Mapping[str, object]) -> Mapping[str, object]:
        """The fields that were filled in; of those with the same name, the last one."""
        last = {name: texts[-1] if isinstance(texts, list) else texts for name, texts in fields.items()}
        return _with_faces({name: x for name, x in last.items() if not cls.IGNORES_BLANKS or str(x).strip()})

    def fields(self) -> Mapping[str, Any]:
        """The given fields, for hidden inputs and for further use."""
        return self.model_dump(exclude_none=True)


class OpenForm(Form):
    """Base class of forms with further fields whose names depend on the game, such as ``card-0``."""

    model_config = ConfigDict(extra="allow")

    def extra(self) -> Mapping[str, str]:
        """The further fields, without surrounding whitespace."""
        return {name: text.strip() for name, text in (self.model_extra or {}).items()}

    def cards(self) -> list[str]:
        """The fields ``card-…``, in the order of their names."""
        return [text for name, text in sorted(self.extra().items()) if name.startswith("card-")]


@contextmanager
def possible() -> Iterator[None]:
    """Context in which a form becomes a part of a log. Raises `BadForm` if log or names do not allow that."""
    try:
        yield
    except (BadLog, BadName) as err:
        raise BadForm(_("That is not possible: {why}.", why=" ".join(localize(err)))) from err


def _with_faces(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields, with each card that was named in two steps (``parts/pick.html``): ``card:color`` and ``card:symbol``
    make up ``card``. The symbol of a card without a color, ``wild``, is its whole face; with ``card:icon`` a number has
    the icon. Raises `BadForm`."""
    colors = {name.removesuffix(_COLOR): fields.pop(name) for name in [*fields] if name.endswith(_COLOR)}
    for name in [name.removesuffix(_SYMBOL) for name in fields if name.endswith(_SYMBOL)]:
        color, symbol = colors.get(name, ""), fields.pop(f"{name}{_SYMBOL}")
        icon = "*" if fields.pop(f"{name}{_ICON}", "") and symbol in NUMBERS else ""
        face = symbol if color == "wild" else f"{color}-{symbol}{icon}"
        if face not in FACES or (color == "wild") != face.startswith("wild"):
            raise BadForm(_("Choose a color and a card."))
        fields[name] = face
    return fields


def parse_number(text: str) -> int:
    """The number in a field without a type, such as ``hands-0``. Raises `BadForm` if it is not a number."""
    try:
        return _NUMBER.validate_python(text)
    except ValidationError as err:
        raise BadForm(_error_text(err.errors(include_url=False)[0])) from err


def request_error(error: RequestValidationError) -> str:
    """Return the mistake in the form or the address of a request, in one line."""
    first = error.errors()[0]
    return _error_text(first) if first["loc"][0] == "body" else _("There is no page at this address.")


def _error_text(first: Mapping[str, Any]) -> str:
    match first["type"]:
        case "not_a_number":
            return _("Expected a number instead of {what}.", what=first["input"])
        case "less_than_equal":
            return _("Expected {name}, 0 to {most}.", name=first["loc"][-1], most=first["ctx"]["le"])
        case "value_error" if isinstance(bad := first["ctx"]["error"], BadForm):
            return str(bad)
        case _:
            return _("That cannot be done here.")
