"""Writes docs/protocol.md and the host's dataclasses of all messages from `tablewire.messages`; run as `make docs`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tablewire.messages import BOTH, MESSAGES, SCHEMA, TICKS, TO_HOST, TO_PICO, VERSION
from tools.lock import ROOT
from tools.pages import renewed

PAGE: Final = ROOT / "docs/protocol.md"
COMMANDS: Final = ROOT / "host/croupier/link/commands.py"
REPORTS: Final = ROOT / "host/croupier/link/reports.py"

_HEAD: Final = """from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

"""
_CLASS: Final = """
@dataclass(frozen=True, slots=True, kw_only=True)
class {name}:
    \"\"\"{meaning}{fields}\"\"\"

    message: ClassVar[str] = "{message}"
"""


def commands() -> str:
    """The module with a class for each message that is numbered and goes to the Pico."""
    told = [one for one in MESSAGES if one.way == TO_PICO and one.once]
    return (
        '"""What the host may tell the Pico. Written by `make docs` from `tablewire.messages`."""\n\n'
        + _HEAD
        + "\n".join(_class(one) for one in told)
        + _union("Command", "Whatever the host may tell the Pico.", told)
    )


def reports() -> str:
    """The module with a class for each message that is numbered and comes from the Pico."""
    told = [one for one in MESSAGES if one.way == TO_HOST and one.once]
    return (
        '"""What the Pico reports, on the table\'s clock: ``t`` in seconds, ``u`` its uncertainty.\n\n'
        'Written by `make docs` from `tablewire.messages`.\n"""\n\n'
        + _HEAD
        + "\n".join(_class(one) for one in told)
        + _union("Report", "Whatever the Pico may report.", told)
    )


def _class(message: Any) -> str:
    name = "".join(word.capitalize() for word in message.name.split("-"))
    fields = [one for one in message.fields if one.name != "ticks"]
    prose = "".join(f"\n    ``{one.name}``: {_said(one)}." for one in fields)
    lines = _CLASS.format(
        name=name,
        meaning=message.meaning.replace("`", "``"),
        fields=f"\n{prose}\n    " if prose else "",
        message=message.name,
    )
    if message.way == TO_HOST:
        lines += "    t: float\n    u: float\n"
    for one in fields:
        kind = "int" if one.kind == "number" else "str"
        if one.kind == "choice":
            words = [f'"{word}"' for word in one.allowed]
            kind = f"Literal[{', '.join(words)}]"
            if len(f"    {one.name}: {kind}") > 120:
                kind = "".join(["Literal[\n", *(f"        {word},\n" for word in words), "    ]"])
        lines += f"    {one.name}: {kind}\n"
    return lines


def _said(field: Any) -> str:
    unit = f", in {field.unit}" if field.unit else ""
    return f"{field.meaning.replace('`', '``')}{unit}"


def _union(name: str, meaning: str, messages: list[Any]) -> str:
    classes = ["".join(word.capitalize() for word in one.name.split("-")) for one in messages]
    return f'\n\n{name} = {" | ".join(classes)}\n"""{meaning}"""\n'


def page(text: str) -> str:
    """The page ``text`` with what follows its mark as it is now."""
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
    """Write page and modules anew."""
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    COMMANDS.write_text(commands(), encoding="utf-8")
    REPORTS.write_text(reports(), encoding="utf-8")


if __name__ == "__main__":
    main()
