"""The documents as tests need them: fenced blocks, inline code, links, anchors, command lines."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tools.lock import ROOT

_FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")
_ENDS_A_COMMAND = {"&&", "||", "|", ";", ">", ">>", "<", "&"}


@cache
def tracked() -> tuple[str, ...]:
    """Every file that belongs to the repository, by its path from the root; new ones too."""
    line = ("git", "ls-files", "--cached", "--others", "--exclude-standard")
    found = subprocess.run(line, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return tuple(path for path in found.splitlines() if (ROOT / path).exists())


PAGES = [path for path in tracked() if path.endswith(".md")]


@cache
def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def fences(page: str) -> list[tuple[str, str]]:
    """Language and contents of each fenced block."""
    return [(found[1], found[2]) for found in _FENCE.finditer(text_of(page))]


def prose(page: str) -> str:
    """The page without its fenced blocks."""
    return _FENCE.sub("", text_of(page))


def spans(page: str) -> list[str]:
    """The inline code of a page; line breaks in it are blanks."""
    return [" ".join(span.split()) for span in _SPAN.findall(prose(page))]


def links(page: str) -> list[str]:
    return re.findall(r"\]\(([^)\s]+)\)", _SPAN.sub("", prose(page)))


def anchors(page: str) -> set[str]:
    """What a link may name behind its #: the headings, as GitHub writes them."""
    headings = re.findall(r"^#+ +(.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@dataclass(frozen=True)
class CommandLine:
    """One program with its arguments. ``is_example``: from a fenced block, so it must be whole; else inline."""

    page: str
    words: tuple[str, ...]
    is_example: bool

    @property
    def program(self) -> str:
        return Path(self.words[0]).name if self.words[0].startswith(".venv/") else self.words[0]

    def __str__(self) -> str:
        return " ".join((self.program, *self.words[1:]))


def command_lines() -> list[CommandLine]:
    """All command lines of all pages, each once; one in a block counts more than the same one inline."""
    found = {}
    for page in PAGES:
        for span in spans(page):
            if re.match(r"(croupier|make|\.venv/bin/\w+|python -m|deploy/install)( |$)", span):
                for line in _commands(page, span, is_example=False):
                    found[str(line)] = line
    for page in PAGES:
        for language, block in fences(page):
            if language == "sh":
                for text in block.replace("\\\n", " ").splitlines():
                    for line in _commands(page, text, is_example=True):
                        found[str(line)] = line
    return list(found.values())


def _commands(page: str, text: str, *, is_example: bool) -> Iterator[CommandLine]:
    lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words: list[str] = []
    skips = False  # the word after > or < is a file
    for word in [*lexer, ";"]:
        if word in _ENDS_A_COMMAND:
            if words:
                yield from _unwrapped(page, words, is_example=is_example)
            words, skips = [], word in (">", ">>", "<")
        elif not skips:
            words.append(word)


def _unwrapped(page: str, words: list[str], *, is_example: bool) -> Iterator[CommandLine]:
    """The command behind `sudo` and `sh -c`."""
    if words[0] == "sudo":
        words = words[3:] if words[1] == "-u" else words[1:]
    if words[:2] == ["sh", "-c"]:
        yield from _commands(page, words[2], is_example=is_example)
    elif words:
        yield CommandLine(page, tuple(words), is_example)
