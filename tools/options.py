"""Writes docs/configuration.md and docs/croupier.toml from the sections of the configuration; run as `make docs`."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import getdoc
from textwrap import wrap
from typing import Final

from pydantic import BaseModel

from croupier.config.mistakes import as_toml
from croupier.config.model import Config, section_called
from croupier.config.options import Option, options
from tools.lock import ROOT
from tools.pages import renewed

PAGE: Final = ROOT / "docs/configuration.md"
EXAMPLE: Final = ROOT / "docs/croupier.toml"

WIDTH: Final = 118

_HEAD: Final = """\
# Every option of croupier.toml, each with its default or an example behind it. Copy the file to where croupier is
# started, take the # from what you want to say, and change it. This one plays by the English sheet, but for four
# choices of its own; `--ruleset house` and `croupier rules show house` mean this table.
"""
_RULES: Final = """\
base = "g7942-en"

# Who holds a card that fits lays it: drawing instead is warned of.
"draw.voluntary" = "warn"
# A forgotten UNO may be caught until the next card lies, not only until it is lifted out of a hand.
"uno.catch.closes" = "play"
# A Wild that is turned up first goes back into the deck, like a Wild Draw Four.
"start.wild.who_names_color" = "deck"
# Who tells another what to play draws two, as the Hungarian rules have it.
"penalty.hint" = 2
"""


def _sections() -> Iterator[tuple[str, bool, type[BaseModel]]]:
    """Name, whether there may be several, class."""
    for name, field in Config.model_fields.items():
        section = section_called(name)
        assert section is not None, name
        yield name, isinstance(field.default, tuple), section


def example() -> str:
    """The example, with every option explained."""
    return _HEAD + "".join(f"\n{part}" for part in map("".join, map(_section, _sections())))


def _section(about: tuple[str, bool, type[BaseModel]]) -> Iterator[str]:
    name, is_list, section = about
    yield from _comment(getdoc(section) or "")
    yield f"# [[{name}]]\n" if is_list else f"[{name}]\n"
    if name == "rules":
        yield _RULES
        return
    for one in options(section):
        yield "\n"
        yield from _comment(f"{one.meaning} May be: {one.expected}.")
        yield f"# {one.name} = {as_toml(one.example)}\n"


def _comment(text: str) -> Iterator[str]:
    return (f"# {line}\n" for line in wrap(" ".join(text.split()), WIDTH - 2))


def page(text: str) -> str:
    """The page ``text`` with what follows its mark as it is now."""
    return renewed(text, "".join(_page()))


def _page() -> Iterator[str]:
    for name, is_list, section in _sections():
        yield f"\n## {f'[[{name}]]' if is_list else f'[{name}]'}\n\n{' '.join((getdoc(section) or '').split())}\n"
        rows = [_row(one) for one in options(section)]
        if rows:
            yield "\n| option | what it is | it may say | without it |\n|---|---|---|---|\n"
            yield from rows


def _row(one: Option) -> str:
    without = "" if one.default in (None, (), "") else f"`{as_toml(one.default)}`"
    such_as = "" if without or one.example is None else f", such as `{as_toml(one.example)}`"
    cells = (f"`{one.name}`", one.meaning, f"{one.expected}{such_as}", without)
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |\n"


def main() -> None:
    """Write both."""
    EXAMPLE.write_text(example(), encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
