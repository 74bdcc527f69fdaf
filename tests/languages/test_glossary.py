"""The words of the game are those of the rule documents, and every translation and every ruling uses them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest

from croupier_rules.rules import load, names
from tools.lock import ROOT
from tools.texts import SOURCE, TRANSLATED, key_of, written

GLOSSARY: Final[dict[str, Any]] = tomllib.loads((SOURCE / "i18n/glossary.toml").read_text(encoding="utf-8"))
ENGLISH: Final[dict[str, str]] = GLOSSARY["en"]
RULINGS: Final = ROOT / "host/croupier-rules/croupier_rules/referee/texts"

UNNAMED: Final = {
    "de": {"challenge"},
    "es": {"challenge"},
    "hu": {"action card", "challenge", "penalty"},
    "it": {"challenge"},
    "nl": {"challenge"},
    "pl": {"Reverse"},
    "pt": {"challenge"},
    "sv": {"challenge"},
}
"""What a document has no word for. In the Hungarian one a player is accused, not a card challenged."""


def words(language: str) -> dict[str, dict[str, str]]:
    return {term: entry for term, entry in GLOSSARY[language].items() if term != "not"}


def sentences(language: str, rule: str) -> Iterator[str]:
    for ruleset in map(load, names()):
        if ruleset.language == language and rule in ruleset.rules:
            row = ruleset.rules[rule]
            yield from filter(None, (row.quote, *row.quotes.values()))


def texts(language: str) -> Iterator[tuple[str, str]]:
    """Every text in English and in the language: those of the catalogs and the rulings."""
    for catalog in written(language).values():
        for message in catalog:
            if message.id and message.string:
                yield key_of(message), message.string if isinstance(message.string, str) else " ".join(message.string)
    english, said = (dict(leaves(tomllib.loads((RULINGS / f"{one}.toml").read_text()))) for one in ("en", language))
    yield from ((english[key], said[key]) for key in english.keys() & said.keys())


def leaves(table: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    for key, value in table.items():
        if isinstance(value, str):
            yield (*path, key), value
        else:
            yield from leaves(value, (*path, key))


def without_placeholders(text: str) -> str:
    return re.sub(r"{[^}]*}", "", text).strip()


def terms_of(english: str) -> Iterator[str]:
    left = without_placeholders(english)
    for term, pattern in ENGLISH.items():
        left, n = re.subn(rf"\b(?:{pattern})\b", "", left, flags=re.IGNORECASE)
        if n:
            yield term


def has(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_language_has_every_word_that_its_document_has(language: str) -> None:
    assert words(language).keys() | UNNAMED.get(language, set()) == ENGLISH.keys()
    missing = [
        f"{term}: {entry['word']}"
        for term, entry in words(language).items()
        if not any(has(entry["word"], said) for said in sentences(language, entry["rule"]))
    ]
    assert missing == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_translation_says_the_words_of_the_game_as_the_document_does(language: str) -> None:
    known = words(language)
    other = [
        f"{term}: {english!r}: {said!r}"
        for english, said in texts(language)
        for term in terms_of(english)
        if term in known and not has(known[term]["word"], said)
    ]
    assert other == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_wrong_word_does_not_come_back(language: str) -> None:
    wrong = GLOSSARY[language]["not"]
    for word, entry in wrong.items():
        assert re.search(entry["pattern"], word), "the pattern finds the word that was wrong"
        assert not re.search(entry["pattern"], entry["use"]), "and not what is said instead"
    found = [
        f"{found[0]!r}, but {entry['use']!r} is said: {said!r}"
        for _english, said in texts(language)
        for entry in wrong.values()
        if (found := re.search(entry["pattern"], without_placeholders(said)))
    ]
    assert found == []
