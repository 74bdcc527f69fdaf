"""The scripts of a page share one scope: a name that two of them declare would be the later one's in both."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from croupier.web.pages import STATIC

TEMPLATES = STATIC.parent / "templates"
SCRIPT = re.compile(r'<script src="/static/([\w-]+\.js)"')
DECLARED = re.compile(r"^(?:async )?(?:function|const|let|var|class) (\w+)", re.MULTILINE)


def scripts(name: str) -> list[str]:
    """The scripts of a page, with those of what it extends and includes."""
    text = (TEMPLATES / name).read_text(encoding="utf-8")
    parts = re.findall(r'{% (?:extends|include|import) "([^"]+)"', text)
    return [*(one for part in parts for one in scripts(part)), *SCRIPT.findall(text)]


@pytest.mark.parametrize("name", sorted(file.name for file in TEMPLATES.glob("*.html")))
def test_no_two_scripts_of_a_page_declare_the_same_name(name: str) -> None:
    ours = {one for one in scripts(name) if ".min." not in one}
    declared = Counter(found for one in ours for found in DECLARED.findall((STATIC / one).read_text(encoding="utf-8")))
    assert [found for found, times in declared.items() if times > 1] == []
