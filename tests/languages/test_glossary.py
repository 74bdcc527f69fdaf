"""The words of the game are those of the rule documents, and every translation uses them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Final

import pytest

from croupier.i18n import HERE
from croupier.rules import load, names
from tools.texts import TRANSLATED, key_of, written

GLOSSARY: Final[dict[str, dict[str, dict[str, str]]]] = tomllib.loads(
    (HERE / "glossary.toml").read_text(encoding="utf-8")
)
TERMS: Final = ("action card", "draw pile", "discard pile", "Wild Draw Four", "Draw Two", "round", "points", "color")
"""English words of the game that a translation has to say as its document does, the longer ones first."""

UNNAMED: Final = {"hu": {"action card"}}
"""What a document has no word for."""


def sentences(language: str, rule: str) -> Iterator[str]:
    for ruleset in map(load, names()):
        if ruleset.language == language and rule in ruleset.rules:
            row = ruleset.rules[rule]
            yield from filter(None, (row.quote, *row.quotes.values()))


@pytest.mark.parametrize("language", TRANSLATED)
def test_each_word_stands_in_a_sentence_of_its_document(language: str) -> None:
    missing = [
        f"{term}: {entry['word']}"
        for term, entry in GLOSSARY[language].items()
        if not any(entry["word"].casefold() in said.casefold() for said in sentences(language, entry["rule"]))
    ]
    assert missing == []
    assert GLOSSARY[language].keys() | UNNAMED.get(language, set()) >= set(TERMS)


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_translation_says_the_words_of_the_game_as_the_document_does(language: str) -> None:
    other = []
    for catalog in written(language).values():
        for message in catalog:
            if message.id and message.string:
                english = key_of(message)
                said = message.string if isinstance(message.string, str) else " ".join(message.string)
                other += [
                    f"{english!r}: {said!r}"
                    for term in terms_of(english)
                    if term in GLOSSARY[language] and not says(language, term, said)
                ]
    assert other == []


def terms_of(english: str) -> Iterator[str]:
    left = re.sub(r"{\w+}", "", english)
    for term in TERMS:
        if re.search(rf"\b{term}s?\b", left, re.IGNORECASE):
            left = re.sub(rf"\b{term}", "", left, flags=re.IGNORECASE)
            yield term


def says(language: str, term: str, said: str) -> bool:
    return GLOSSARY[language][term]["word"].casefold() in said.casefold()
