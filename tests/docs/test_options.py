"""The page of all options, and the example: those of the table and of every plug-in."""

from __future__ import annotations

import re
from typing import Final

import pytest

from croupier.config import load, read
from tools import options

CALIBRATED: Final = 'calibration = "table.toml"'


def test_the_page_and_the_example_are_as_the_options_are() -> None:
    text = options.PAGE.read_text(encoding="utf-8")
    assert options.page(text) == text, "docs/configuration.md is not as the options are now: run `make docs`"
    assert options.EXAMPLE.read_text(encoding="utf-8") == options.example(), "run `make docs`"


def test_the_example_is_right_and_says_nothing_but_its_rules() -> None:
    config = load(options.EXAMPLE)
    assert config.ruleset().number("penalty.hint") == 2
    assert config.model_copy(update={"rules": None}) == read("[tournament]\n[mqtt]\n[voice]\n", options.EXAMPLE)


@pytest.mark.parametrize("line", [line for line in options.example().splitlines() if re.match(r"# \w+ = ", line)])
def test_every_line_of_the_example_may_be_said(line: str) -> None:
    """Each is right alone, but for what it needs beside it."""
    (section,) = re.findall(r"^(?:# )?(\[.+\])$", options.example().split(f"\n{line}\n")[0], re.MULTILINE)[-1:]
    address = 'url = "http://a"'
    needs = dict.fromkeys(("pile", "show", "card_px"), CALIBRATED) | dict.fromkeys(("secret", "rulings"), address)
    needs |= {"password": 'user = "croupier"'}
    beside = needs.get(line.split()[1], "")
    base = "official-el" if " blank = " in line else "g7942-en"
    rules = f'[rules]\nbase = "{base}"\n'
    read(f"{rules}{section}\n{beside}\n{line.removeprefix('# ')}\n")
