"""What is read in pictures is told in the reader's language, with the names of the cards as on its sheet."""

from __future__ import annotations

import re

import numpy as np
import pytest

from cardsight.sighting import Reading, Sighting
from croupier.i18n import LANGUAGES, _, speaking
from croupier.pictures.readings import Seen
from croupier_rules.cards import DECKS, SHAPES, UNREAD
from croupier_rules.deck_list import DeckList
from croupier_rules.referee.explain import card_name
from croupier_tally.audit import audit, print_audit
from croupier_tally.readings import print_cards

CORNERS = ((0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0))
FACES = sorted(DECKS["g7942"])


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal on which no name is wrapped."""
    monkeypatch.setenv("COLUMNS", "200")


ENGLISH = ("card", "sure", "at x, y", "mark", "points", "may be", "or", "missing", "not complete", *SHAPES.values())
TRANSLATED = [code for code in LANGUAGES if code != "en"]


def seen() -> Seen:
    """A picture with every face of a deck, and a card that could not be read."""
    cards = [Sighting(face, 0.99, CORNERS, SHAPES.get(face.split("-")[0])) for face in FACES]
    cards.append(Sighting(UNREAD, 0.5, CORNERS, None, (("red-7", 0.5), ("wild-draw4", 0.3))))
    return Seen("table.jpg", np.zeros((9, 9, 3), np.uint8), Reading((9, 9), tuple(cards)))


def leftovers(told: str) -> list[str]:
    """The words that are not in the reader's language: codes of cards, and English words with a translation."""
    words = [word for word in ENGLISH if _(word) != word or word == "or"]
    return [one for one in (*FACES, *words) if re.search(rf"(?<![\w-]){re.escape(one)}(?![\w-])", told)]


@pytest.mark.parametrize("language", TRANSLATED)
def test_what_was_read_is_a_table_of_the_readers_language(language: str, capsys: pytest.CaptureFixture[str]) -> None:
    with speaking(language):
        print_cards(seen(), [0] * (len(FACES) + 1))
        told = capsys.readouterr().out
        assert leftovers(told) == []
        assert all(card_name(face, language) in told for face in FACES)


@pytest.mark.parametrize("language", TRANSLATED)
def test_the_cards_that_a_deck_lacks_are_named_in_the_readers_language(
    language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with speaking(language):
        print_audit(audit(DeckList.shipped("g7942"), []), False, 0)
        told = capsys.readouterr().out
        assert leftovers(told) == []
        assert all(card_name(face, language) in told for face in FACES)


def test_english_has_the_words_that_commands_take(capsys: pytest.CaptureFixture[str]) -> None:
    print_cards(seen())
    told = capsys.readouterr().out
    assert all(face in told for face in FACES)
    assert "red-7 / wild-draw4" in told
