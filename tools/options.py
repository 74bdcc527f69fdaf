"""Writes docs/configuration.md and docs/croupier.toml from the sections of the configuration; run as `make docs`."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import getdoc
from textwrap import wrap
from typing import Final

from pydantic import BaseModel

from croupier.config.model import config_class, section_class, section_names
from croupier.config.options import options
from croupier.config.validation import as_toml
from tools.lock import ROOT
from tools.pages import renewed

PAGE: Final = ROOT / "docs/configuration.md"
EXAMPLE: Final = ROOT / "docs/croupier.toml"

WIDTH: Final = 118

_HEAD: Final = """\
# Every option of croupier.toml, with its default or an example. Copy the file to the folder where you start croupier,
# uncomment the options that you need, and change them. This table plays by the English sheet, with four house rules of
# its own. `--ruleset house` and `croupier rules show house` use this table's rules.
"""
_RULES: Final = """\
base = "g7942-en"

# A player who holds a playable card must play: drawing instead gets a warning.
"draw.voluntary" = "warn"
# A forgotten UNO may be caught until the next card is played, not only until a card leaves a hand.
"uno.catch.closes" = "play"
# A Wild as the starter card goes back into the deck, like a Wild Draw Four.
"start.wild.who_names_color" = "deck"
# A player who tells another what to play draws two cards, as in the Hungarian rules.
"penalty.hint" = 2
"""


def _sections() -> Iterator[tuple[str, bool, type[BaseModel]]]:
    """Yield name, whether several are allowed, and class of each section."""
    for name in section_names():
        section = section_class(name)
        assert section is not None, name
        yield name, isinstance(config_class((name,)).model_fields[name].default, tuple), section


def example() -> str:
    """Return the example file with an explanation of every option."""
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
    """Return the page ``text`` with its present tables after the mark."""
    return renewed(text, "".join(_page()))


def _page() -> Iterator[str]:
    yield "\n| section | describes | options |\n|---|---|---|\n"
    for name, is_list, section in _sections():
        title = f"[[{name}]]" if is_list else f"[{name}]"
        names = ", ".join(f"`{one.name}`" for one in options(section))
        yield f"| `{title}` | {' '.join((getdoc(section) or '').split())} | {names} |\n"


def main() -> None:
    """Write page and example."""
    EXAMPLE.write_text(example(), encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
