"""A newcomer finds a behavior by the word for it, and the files to touch for what is added."""

from __future__ import annotations

import ast
import re
from pathlib import PurePosixPath

import pytest

from tests.docs.documents import text_of, tracked
from tools.lock import ROOT

ROWS = re.findall(
    r"^\| ([a-z ]+) \| (`[^|]+) \|$", text_of("docs/overview.md").partition("## Where to look")[2], re.MULTILINE
)
MOST_FILES = 3


def said_in(path: str) -> str:
    """The docstrings, comments and names of a file, in lower case; a name's words are separate."""
    source = (ROOT / path).read_text(encoding="utf-8")
    tree = ast.parse(source)
    docs = [
        node.value.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    ]
    names = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    text = " ".join([*map(str, docs), *(re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", name) for name in names)])
    return " ".join(text.split()).lower()


def test_at_least_twenty_behaviors_are_listed() -> None:
    assert len(ROWS) >= 20
    assert len({words for words, _ in ROWS}) == len(ROWS)


@pytest.mark.parametrize(("words", "files"), ROWS, ids=[words for words, _ in ROWS])
def test_a_behavior_is_found_by_its_word_in_a_few_files(words: str, files: str) -> None:
    paths = re.findall(r"`([^`]+\.py)`", files)
    assert 1 <= len(paths) <= MOST_FILES
    assert words in said_in(paths[0])


ADDING = text_of("docs/adding.md")


def named(section: str) -> list[str]:
    """The files of a section's table, as patterns of paths."""
    text = ADDING.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    return [re.sub(r"<\w+>", "*", path) for path in re.findall(r"`([\w/.*<>-]+/[\w.*<>-]+)`", text)]


def without(section: str, needed: list[str]) -> list[str]:
    """The files of these that the section does not name."""
    return [path for path in needed if not any(PurePosixPath(path).match(pattern) for pattern in named(section))]


def test_every_file_that_a_language_has_of_its_own_is_named() -> None:
    """Swedish stands for any of them. A sheet in the language is not needed."""
    own = [path for path in tracked() if re.search(r"(^|/)sv(/|\.)", path)]
    assert len(own) > 1
    assert without("A language", own) == []


def test_every_file_of_a_sheet_and_of_a_deck_is_named() -> None:
    assert without("A rule sheet", [path for path in tracked() if "/g7942-sv" in path]) == []
    both = [path for path in tracked() if "no-mercy" in PurePosixPath(path).name]
    assert without("A deck", [path for path in both if "/conformance/" not in path]) == []


def test_every_file_that_knows_the_kinds_of_cameras_is_named() -> None:
    """A class of a camera, and who opens it."""
    knowing = [path for path in tracked() if path.startswith(("host/", "vision/")) and path.endswith(".py")
               and re.search(r"\b(UsbCamera|PiCamera)\(", (ROOT / path).read_text(encoding="utf-8"))]  # fmt: skip
    assert len(knowing) >= 1
    assert without("A camera", knowing) == []
