"""Errors of cards, rules and referee. Each says in one line what, where, what was expected, what to do."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import takewhile
from typing import Any, Final
from unicodedata import category

_MOST_NEAR: Final = 3
"""More names that are equally near help nobody."""


def one_line(text: str) -> str:
    """Replace characters that break the line or control a terminal; for names from outside (files, players).

    Every space becomes a plain one. Parts of letters that cannot be seen alone stay: joiners and the letters of flags,
    and what this Python's Unicode does not know yet.
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else _in_a_line(letter) for letter in text)


def _in_a_line(letter: str) -> str:
    kind = category(letter)
    if kind == "Zs":
        return " "
    is_part = letter in "\u200c\u200d" or "\U000e0020" <= letter <= "\U000e007f"
    return letter if is_part or kind == "Cn" else "\N{REPLACEMENT CHARACTER}"


def marked(text: str) -> str:
    """Mark a text for translation and return it unchanged; for tables, and for parts that know no languages."""
    return text


def nearest_names(word: str, names: Iterable[str]) -> list[str]:
    """Return the names most similar to ``word``; empty if no name is similar, or if too many are equally similar."""
    from difflib import SequenceMatcher, get_close_matches  # slow to import; needed for mistypes only

    def similarity(name: str) -> tuple[float, int]:
        prefix = takewhile(lambda pair: pair[0] == pair[1], zip(name, word, strict=False))
        return SequenceMatcher(None, name, word).ratio(), len(list(prefix))

    close = get_close_matches(word, known := list(names), n=max(1, len(known)))
    nearest = [name for name in close if similarity(name) == max(map(similarity, close))]
    return nearest if len(nearest) <= _MOST_NEAR else []


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """``did you mean …? ``, the beginning of an error text; empty where no name is similar."""
    nearest = nearest_names(word, names)
    return f"did you mean {' / '.join(nearest)}? " if nearest else ""


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The hook of `json.loads` for table logs: with a key that stands twice, readers would take different values.

    Raises:
        BadLog: a key stands twice.
    """
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise BadLog(f"the key {twice[:60]!r} stands twice: expected each key once")
    return made


class CroupierError(Exception):
    """Base class of errors in input, hardware and environment; the text is shown to users.

    A part that knows no languages raises it with a `marked` template and the ``words`` to fill in;
    a program that knows the reader's language translates the template (`croupier.i18n.localize`).
    """

    def __init__(self, *texts: str, **words: object) -> None:
        super().__init__(*(text.format_map(words) if words else text for text in texts))
        self.template, self.words = texts[0] if texts else "", words

    @property
    def lines(self) -> tuple[str, ...]:
        """The text by line; mostly a single one."""
        return (str(self),)


class BadLog(CroupierError, ValueError):
    """The input is not a table log (contract: table log, version 1)."""


class BadHeader(BadLog):
    """The header of a table log contradicts its ruleset. ``field``: the field or option at fault."""

    def __init__(self, field: str, text: str, **words: object) -> None:
        super().__init__(text, **words)
        self.field = field


class CannotCorrect(CroupierError, ValueError):
    """The record has no such observation any more, or it cannot be undone."""


class BadRuleSet(CroupierError, ValueError):
    """The ruleset does not exist, or its file is invalid."""


class BadDeck(CroupierError, ValueError):
    """A deck file is invalid; the text names the key."""


_DECODER: Final = json.JSONDecoder(object_pairs_hook=unique_keys)
"""Made once: `json.loads` with a hook makes one for each line."""


def json_object(line: str, example: str = '{"obs": "tick", "t": 1.0}') -> dict[str, Any]:
    """The JSON object on a line of a table log: the one parser of lines, from files and from other programs alike.

    Raises:
        BadLog: it is no JSON object, is nested too deeply, has a number with too many digits, or a key twice.
    """
    if isinstance(data := decoded(line, example), dict):
        return data
    raise BadLog(f"expected a JSON object, such as {example}")


def decoded(line: str, example: str) -> object:
    """The JSON on a line. Raises as `json_object`."""
    try:
        return _DECODER.decode(line)
    except BadLog:
        raise
    except (ValueError, RecursionError) as err:
        raise BadLog(f"expected a JSON object, such as {example}") from err
