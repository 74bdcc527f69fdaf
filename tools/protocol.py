"""Writes docs/protocol.md and the host's dataclasses of all messages from `tablewire.messages`; run as `make docs`."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any, Final

from tablewire.messages import BOTH, MESSAGES, SCHEMA, TICKS, TO_HOST, TO_PICO, VERSION
from tools.lock import ROOT
from tools.pages import renewed

PAGE: Final = ROOT / "docs/protocol.md"
COMMANDS: Final = ROOT / "host/croupier/croupier/link/commands.py"
REPORTS: Final = ROOT / "host/croupier/croupier/link/reports.py"

_MODULE: Final = '''"""{head}

Written by `make docs` from `tablewire.messages`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal


{base}


{classes}


{union} = {names}
"""{meaning}"""
'''
_BASE: Final = """
@dataclass(frozen=True, slots=True, kw_only=True)
class _{union}:
    message: ClassVar[str]  # the name on the line
{stamp}
    def __init_subclass__(cls) -> None:
        cls.message = cls.__name__.lower()
"""
_STAMP: Final = """    t: float
    u: float
"""


def commands() -> str:
    """Return the module with a class for each message to the Pico that is numbered, and for `leave`."""
    return _module("The commands to the Pico.", TO_PICO, "Command", "Every command.", "")


def reports() -> str:
    """Return the module with a class for each numbered message from the Pico."""
    head = "The reports of the Pico: ``t`` in seconds on the table's clock, ``u`` its uncertainty."
    return _module(head, TO_HOST, "Report", "Every report.", _STAMP)


def _module(head: str, way: str, union: str, meaning: str, stamp: str) -> str:
    messages = [one for one in MESSAGES if one.way == way and (one.once or one.name == "leave")]
    classes = "\n\n\n".join(_class(one, f"_{union}") for one in messages)
    names = " | ".join(one.name.capitalize() for one in messages)
    base = _BASE.format(union=union, stamp=stamp).strip()
    return _MODULE.format(head=head, base=base, classes=classes, union=union, names=names, meaning=meaning)


def _class(message: Any, base: str) -> str:
    meaning = message.meaning.replace("`", "``")
    fields = [_attribute(one) for one in message.fields if one.name != "ticks"]
    return "\n".join([
        "@dataclass(frozen=True, slots=True, kw_only=True)",
        f"class {message.name.capitalize()}({base}):",
        f'    """{meaning}"""',
        *(["", *fields] if fields else []),
    ])  # fmt: skip


def _attribute(field: Any) -> str:
    words = ", ".join(f'"{word}"' for word in field.allowed) if field.kind == "choice" else ""
    kind = f"Literal[{words}]" if words else {"number": "int", "name": "str"}[field.kind]
    line = f"    {field.name}: {kind}"
    meaning = ", in ".join(part for part in (field.meaning.replace("`", ""), field.unit) if part)
    if len(f"{line}  # {meaning}") <= 120:
        return f"{line}  # {meaning}"
    words = textwrap.fill(words, 110, break_on_hyphens=False).replace("\n", "\n        ")
    return f"    {field.name}: Literal[  # {meaning}\n        {words},\n    ]  # fmt: skip"


def page(text: str) -> str:
    """Return the page ``text`` with its present tables after the mark."""
    return renewed(text, "\n".join(_page()) + "\n")


def _page() -> Iterator[str]:
    yield f"\nVersion {VERSION}, schema `{SCHEMA}`."
    for way in (TO_PICO, TO_HOST, BOTH):
        yield f"\n## {way[0].upper()}{way[1:]}\n"
        for message in MESSAGES:
            if message.way == way:
                once = "" if message.once else "*"
                yield f"- `{message.name}`{once}: {message.meaning}"
                yield from map(_field, message.fields)


def _field(field: Any) -> str:
    if field.kind == "choice":
        allowed = " ".join(f"`{word}`" for word in field.allowed)
    elif field.kind == "name":
        allowed = "a name"
    else:
        least, most = field.allowed
        range_ = "" if most >= TICKS - 1 else f"{least}…{most}"  # a number as large as a clock or a checksum
        allowed = " ".join(part for part in (range_, field.unit) if part)
    return f"  - `{field.name}` {', '.join(part for part in (allowed, field.meaning) if part)}"


def main() -> None:
    """Write page and modules."""
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    COMMANDS.write_text(commands(), encoding="utf-8")
    REPORTS.write_text(reports(), encoding="utf-8")


if __name__ == "__main__":
    main()
