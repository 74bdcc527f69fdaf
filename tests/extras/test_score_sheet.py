"""The score sheet of a game on paper."""

from __future__ import annotations

from datetime import UTC, datetime
from io import BytesIO
from itertools import pairwise

import pytest
from pypdf import PdfReader

from croupier.game_views.geometry import score_chart
from croupier.game_views.story import Story
from croupier.i18n import LANGUAGES, _, speaking
from croupier.journal import text_of
from croupier.plugins import DrawnGame
from croupier_extras.documents.score_sheet import score_sheet
from croupier_rules.referee.observations import to_json
from croupier_tally.score_sheet import new_sheet
from tests.journal.games import game_lines
from tests.referee.games import Watched, header
from tests.web.moments import ended
from tests.web.stories import story_of

LINES = game_lines(3, rounds=3)
NAMES = {
    "fr": "Éloïse Œuvrard", "de": "Jürgen Groß", "nl": "IJsbrand", "sv": "Åsa Öst", "it": "Niccolò", "es": "Íñigo Peña",
    "pt": "João Conceição", "el": "Ζωή Ψάλτη", "hu": "Győző Űr", "pl": "Łucja Żądło", "en": "Zoë",
}  # fmt: skip


def sheet_of(story: Story, began: datetime | None = None) -> bytes:
    return score_sheet(DrawnGame(story, story.at(None), began))


def texts(pdf: bytes) -> list[str]:
    """What stands on each page, as one line."""
    return [" ".join(page.extract_text().split()) for page in PdfReader(BytesIO(pdf)).pages]


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_sheet_on_paper_can_be_read_in_every_language(code: str) -> None:
    story = story_of(LINES, NAMES[code])
    with speaking(code):
        (page,) = texts(sheet_of(story, datetime(2026, 2, 1, 19, 30, tzinfo=UTC)))
        wanted = [_("Score sheet"), _("Round"), _("Total"), _("Totals after each round")]
    for text in [*wanted, NAMES[code], "2026", *map(str, story.at(None).position["scores"])]:
        assert text in page
        assert _("SIMULATION") not in page
    assert "�" not in page


def test_a_long_game_of_many_goes_over_several_sheets_with_the_names_on_each() -> None:
    names = [f"Somebody with a long name {i}" for i in range(8)]
    head = header(8, options={"target": 100_000})
    log = [text_of(to_json(observation)) for observation, _rulings in Watched(head, 1).play(24)]
    pages = texts(sheet_of(story_of((text_of({**head.to_json(), "seats": names}), *log))))
    assert len(pages) == 2
    for i, page in enumerate(pages, start=1):
        assert f"Page {i} of 2" in page
        assert "Somebody" in page
    assert "24" in pages[1]


def test_before_the_first_round_is_counted_the_sheet_is_empty_and_whole() -> None:
    (page,) = texts(sheet_of(Story(LINES[0])))
    assert "Total 0 0 0 0" in page


@pytest.mark.parametrize("taken_back", [False, True])
def test_who_has_won_stands_on_the_sheet_unless_the_end_was_taken_back(taken_back: bool) -> None:
    given = {"phase": "turn", "turn": 0, "top": "red-7", "called": [0], "hands": [1, 1, 1, 1],
             "known": {"1": ["wild"], "2": ["red-9"], "3": ["red-9"]}}  # fmt: skip
    head = {**header(4, options={"target": 40}).to_json(), "given": given}
    lines = [head, {"obs": "play", "t": 1.0, "card": "red-1"}, {"obs": "overrule", "t": 2.0, "undo": 1}]
    story = story_of([text_of(line) for line in lines[: 3 if taken_back else 2]])
    (page,) = texts(sheet_of(story))
    assert ("has won the game" in page) == (not taken_back)


def test_letters_that_no_font_has_are_shown_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    (page,) = texts(sheet_of(story_of(LINES, "玩家\x1b[2J")))
    assert "��" in page
    assert capsys.readouterr().err == ""


def heights(pdf: bytes) -> dict[str, float]:
    """How high each text of the first page stands, in points from its lower edge."""
    found: dict[str, float] = {}

    def note(text: str, _shift: list[float], place: list[float], *_font: object) -> None:
        found.setdefault(text.strip(), place[5])

    PdfReader(BytesIO(pdf)).pages[0].extract_text(visitor_text=note)
    return found


def test_signs_stand_above_the_names_and_the_receipt_below_the_chart() -> None:
    names = ("Ágnes", "Bertalan", "Csilla", "Dorottya", "Erzsébet", "Ferenc", "Gáspár", "Hajnalka", "Ibolya", "Xénia")
    sheet = new_sheet(names[:6], "g7942-en")
    for winner in (0, 1):
        sheet = sheet.with_winner(winner)
        for seat in sheet.to_show:
            sheet = sheet.with_hand(seat, [f"blue-{seat}"])
    heights_of = heights(sheet_of(sheet.story))
    for name in names[:6]:
        assert heights_of[name[0]] > heights_of[name]
    (receipt,) = (y for text, y in heights_of.items() if text.startswith("Receipt"))
    assert receipt < min(y for text, y in heights_of.items() if text.startswith(names[:6]))


def test_the_names_at_the_ends_of_ten_curves_stay_in_the_chart() -> None:
    story = story_of(ended(10))
    chart = score_chart(story, story.at(None))
    assert chart is not None
    ends = sorted(line.end.y for line in chart.lines)
    assert 0 < ends[0] < chart.grid[-1][1] + 1
    assert ends[-1] <= chart.height
    assert min(below - above for above, below in pairwise(ends)) >= 22
