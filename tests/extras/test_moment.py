"""A moment of a game as a picture."""

from __future__ import annotations

from io import BytesIO

import pytest
from PIL import Image

from croupier.game_views.story import Story
from croupier.game_views.view import card_view
from croupier.i18n import speaking
from croupier.plugins import DrawnGame
from croupier_extras.documents.moment import moment_picture
from croupier_rules.cards import DECKS
from croupier_rules.rules import load
from tests.journal.games import game_lines
from tests.longer import some
from tests.web.moments import MOMENTS, log
from tests.web.stories import story_of

STORY = story_of(game_lines(5, rounds=3, target=150))
SHEETS = ("g7942-en", "no-mercy-en", "box112-en", "official-el")


def picture(story: Story, n: int | None) -> bytes:
    return moment_picture(DrawnGame(story, story.at(n)))


@pytest.mark.parametrize("name", some(MOMENTS, 4))
def test_every_moment_has_a_picture_of_its_own(name: str) -> None:
    story = story_of(MOMENTS[name], "Ágnes Szentgyörgyi-Wolkenstein " * 3)
    with speaking("el"):
        first, last = (picture(story, n) for n in (0, None))
    assert (first == last) == (len(story) == 0)


def test_a_picture_brings_its_letters_along(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_DIRS", "/nonexistent")
    monkeypatch.setenv("HOME", "/nonexistent")
    image = Image.open(BytesIO(picture(STORY, 5))).convert("L")
    headline = image.crop((380, 90, 1140, 150))
    assert sum(headline.histogram()[200:]) > 2000, "white letters on the felt"


@pytest.mark.long
def test_every_card_can_be_in_a_picture() -> None:
    sheets = {face: sheet for sheet in SHEETS for face in DECKS[load(sheet).deck]}
    pictures: dict[tuple[str, str], bytes] = {}
    for face, sheet in sheets.items():
        story = story_of(log(ruleset=sheet, given={"top": face, "color": "red", "scores": [0] * 4}))
        card = card_view(face, story)
        image = Image.open(BytesIO(picture(story, 0)))
        pictures[card.color, card.sign] = image.crop((40, 30, 380, 470)).tobytes()
    assert len(set(pictures.values())) == len(pictures) > 60
