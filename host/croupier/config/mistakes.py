"""What is wrong in a `croupier.toml`, each with its line, what was expected and what may have been meant."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic_core import ErrorDetails

from croupier.config.model import Config, model_in, option_at
from croupier.config.options import NotSo, Option, one_of, options
from croupier.errors import BadConfig
from croupier.i18n import _

_NESTED: Final = (("panel", "seat_keys"), ("game", "blank"))
"""Options that are sections themselves."""

_SECRET: Final = (("mqtt", "password"), ("webhooks", "secret"), ("webhooks", "url"))
"""Options whose values are told to nobody: what is told here stands in the service's log and in bug reports, too. An
address may hold a password in its path."""

_HIDDEN: Final = "…"

Where = tuple[str | int, ...]
"""As ``("camera", "size")``, or ``("webhooks", 0, "url")``."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """Something that is wrong. ``line``: from 1, or None where it is in no line; ``where`` in the file, as people write
    it: ``[camera] size``."""

    line: int | None
    where: str
    told: str

    def __str__(self) -> str:
        return f"{self.where}: {self.told}" if self.where else self.told


class BadConfigFile(BadConfig):
    """A `croupier.toml` with all that is wrong in it."""

    def __init__(self, file: Path, mistakes: Sequence[Mistake]) -> None:
        self.mistakes = tuple(sorted(dict.fromkeys(mistakes), key=lambda one: one.line or 0))
        super().__init__(*(f"{file}{'' if one.line is None else f':{one.line}'}: {one}" for one in self.mistakes))


def shown(where: Where) -> str:
    """As people write it: ``[camera] size``, ``[[webhooks]] url``."""
    if not where:
        return ""
    section, *inside = where
    is_list = bool(inside) and isinstance(inside[0], int)
    names = [str(part) for part in inside if isinstance(part, str)]
    head = f"[[{section}]]" if is_list else f"[{section}]" if section in Config.model_fields else str(section)
    return " ".join([head, *([".".join(names)] if names else [])])


def told(error: ErrorDetails) -> tuple[Where, str]:
    """Where pydantic found what is wrong, and a line about it."""
    where: Where = tuple(error["loc"])
    match error["type"]:
        case "extra_forbidden":
            return where, _unknown(where, error["input"])
        case "missing":
            return where, missing(where)
        case "model_type" | "model_attributes_type" if len(where) == 1:
            return where, _("expected a section [{section}] with options in it", section=where[0])
        case "value_error":
            refused = error["ctx"]["error"]
            where, said = _known(where), str(refused)
            if isinstance(refused, NotSo):
                return where, said
        case _ignored:
            where, said = _known(where), as_toml(error["input"])
    said = _HIDDEN if _is_secret(where) else said
    return where, _("{said}: expected {expected}", said=said, expected=_expected(option_at(where)))


def missing(where: Where) -> str:
    """What is told of an option that has to be there."""
    return _("is missing: expected {expected}", expected=_expected(option_at(where)))


def _is_secret(where: Where) -> bool:
    """Whether what stands there is nobody's business, or holds what is."""
    names = tuple(part for part in where if isinstance(part, str))
    return any(names == path[: len(names)] for path in _SECRET)


def _known(where: Where) -> Where:
    """Without what pydantic adds for the members of a union and of a list."""
    return where if len(where) < 2 or isinstance(where[1], int) or where[:2] in _NESTED else where[:2]


def _unknown(where: Where, said: Any) -> str:
    name = str(where[-1])
    if len(where) == 1:
        known = list(Config.model_fields)
        what = _("there is no such section") if isinstance(said, dict | list) else _("stands in no section")
    else:
        section: Any = Config
        for part in where[:-1]:
            section = section if isinstance(part, int) else model_in(section.model_fields[part].annotation)
        known = [one.name for one in options(section)]
        what = _("there is no such option")
    return f"{what}: {one_of(name, known)}"


def _expected(option: Option | None) -> str:
    if option is None:
        return _("something else")
    if option.example is None:
        return option.in_words
    example = f"{option.name} = {as_toml(option.example)}"
    return _("{expected}, such as {example}", expected=option.in_words, example=example)


def as_toml(value: Any) -> str:
    """A value as it stands in the file."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {as_toml(one)}' for key, one in value.items())} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(as_toml, value))}]"
    return json.dumps(value, ensure_ascii=False, default=str)
