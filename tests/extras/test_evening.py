"""An evening to send: the podium, the choice of its moments, the picture and the page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from html import unescape
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from croupier.cli import main
from croupier.errors import BadLog
from croupier.game_views.podium import Standing
from croupier.game_views.story import Story
from croupier.i18n import LANGUAGES, _, speaking
from croupier.plugins import DrawnGame
from croupier_extras.keepsake.evening import KINDS, Evening, Seen, best_moments
from croupier_extras.keepsake.page import evening_page
from croupier_extras.keepsake.picture import SIZE, evening_picture, evening_svg, steps_of
from croupier_rules.cards import DECKS
from croupier_rules.referee.observations import Shown
from croupier_rules.referee.rulings import Draw
from croupier_tally.score_sheet import ScoreSheet, new_sheet
from tests.journal.games import game_lines
from tests.longer import some
from tests.web.stories import simulated, story_of

LINES = game_lines(5, rounds=9, target=300)
REFEREED = story_of(LINES)
HANDS = (("red-7", "wild"), ("blue-9",), ("green-skip", "green-1"), ("yellow-5",), ("blue-2", "wild-draw4"))
NAMES = ("Ann", "Ζωή", "Łucja 🎉", "宮崎", "Жанна")


def evening(story: Story, began: date | None = None) -> DrawnGame:
    return DrawnGame(story, story.at(None), began)


def sheet(*winners: int, names: Sequence[str] = NAMES, target: int = 200) -> ScoreSheet:
    made = new_sheet(names, "g7942-en", target=target)
    for winner in winners:
        made = made.with_winner(winner)
        for seat in made.to_show:
            made = made.with_hand(seat, HANDS[seat])
    return made


def standings(*places: int) -> list[Standing]:
    return [Standing(place, account, f"P{account}", 100 - place) for account, place in enumerate(places)]


@pytest.mark.parametrize(
    ("places", "on", "rest"),
    [
        pytest.param((1, 2), ["2", "1"], [], id="two"),
        pytest.param((1, 2, 3, 4), ["2", "1", "3"], [4], id="four"),
        pytest.param((1, 2, 2, 4), ["2", "1", "2"], [4], id="a second place shared, no third"),
        pytest.param((1, 1, 3), ["1", "1", "3"], [], id="two winners"),
        pytest.param((1, 2, 3, 3), ["3", "2", "1", "3"], [], id="all of the third place stand on it"),
        pytest.param((1, 2, 3, 3, 3, 3), ["2", "1"], [3, 3, 3, 3], id="no room for all of a place, so for none"),
        pytest.param((1, 1, 1, 1, 1, 1), [], [1] * 6, id="all as good"),
    ],
)
def test_the_podium_knows_ties(places: tuple[int, ...], on: list[str], rest: list[int]) -> None:
    steps, others = steps_of(standings(*places), str)
    assert [str(step.place) for step in steps] == on
    assert [one.place for one in others] == rest
    assert len({step.height for step in steps}) == len(set(on)), "who shares a place stands as high"
    assert [step.x for step in steps] == sorted(step.x for step in steps)


@pytest.mark.parametrize("kind", [one for one in KINDS if one.name != "many-cards"], ids=lambda kind: kind.name)
def test_every_kind_of_moment_is_chosen_somewhere(kind: Any) -> None:
    stories = [REFEREED, sheet(1, 0, 0).story, *(story_of(game_lines(seed, rounds=6, target=300)) for seed in (3, 5))]
    limit = new_sheet(("Ann", "Ben", "Cat"), "g7942-en", limit=20).with_winner(0)
    for seat in limit.to_show:
        limit = limit.with_hand(seat, HANDS[seat])
    found = [one for story in (*stories, limit.story) for one in best_moments(story, 99) if one.kind is kind]
    assert found
    for one in found:
        assert one.text
        assert one.title


@pytest.mark.parametrize(("n", "counts"), [(4, False), (6, True), (10, True)])
def test_many_cards_at_once_are_a_moment(n: int, counts: bool) -> None:
    (kind,) = [one for one in KINDS if one.name == "many-cards"]
    drawing = next(one for one in REFEREED.moments for ruling in one.rulings if isinstance(ruling, Draw))
    basis = next(ruling.basis for ruling in drawing.rulings if isinstance(ruling, Draw))
    size = kind.size(Seen(replace(drawing, rulings=(Draw(basis, 1, n, "stack"),)), None, (), is_last_round=False))
    assert size == (n if counts else None)


def test_moments_are_chosen_by_kind_and_each_kind_once_before_any_twice() -> None:
    chosen = best_moments(REFEREED, 99)
    weights = [one.kind.weight for one in chosen]
    kinds = [one.kind.name for one in chosen]
    first = len(set(kinds))
    assert kinds[:first] == list(dict.fromkeys(kinds)), "every kind is there before one comes again"
    assert weights[:first] == sorted(weights[:first], reverse=True)
    assert best_moments(REFEREED) == chosen[:3]
    assert kinds.count("points") <= 1


def test_what_was_undone_is_no_moment() -> None:
    made = sheet(1, 0)
    best = next(one for one in best_moments(made.story) if one.kind.name == "points")
    assert "135" in best.text, "Ζωή won the cards of all others"
    undone = made.without_last_round().without_last_round().with_winner(3)
    for seat in undone.to_show:
        undone = undone.with_hand(seat, HANDS[seat])
    (best,) = best_moments(undone.story)
    assert "宮崎" in best.text


def test_of_the_round_that_is_played_now_nothing_is_told() -> None:
    end = next(one.n for one in REFEREED.rounds_at(REFEREED.at(None)) if one.round == 3)
    story = story_of(LINES[: end + 30])
    assert story.at(None).round == 4
    assert all(one.moment.round <= 3 for one in best_moments(story, 99))


def test_before_a_round_was_counted_there_is_nothing_to_send() -> None:
    for story in (story_of(LINES[:9]), new_sheet(("Ann", "Ben"), "g7942-en").story):
        for draw in (evening_picture, evening_page):
            with pytest.raises(BadLog, match="nothing to send"):
                draw(evening(story))


@pytest.mark.parametrize("code", LANGUAGES)
def test_picture_and_page_are_in_every_language_and_small(code: str) -> None:
    with speaking(code):
        for story in (REFEREED, sheet(1, 0, 1).story):
            svg = evening_svg(Evening.of(evening(story, date(2026, 2, 1))))
            page = evening_page(evening(story, date(2026, 2, 1))).decode()
            assert "2026" in svg
            assert "2026" in page
            assert _("How it went") in unescape(page)
            assert len(page.encode()) < 500_000
            assert f'<html lang="{code}">' in page


@pytest.mark.parametrize("story", [REFEREED, sheet(1, 0, 1).story], ids=["refereed", "score sheet"])
def test_the_picture_fits_a_phone(story: Story) -> None:
    image = Image.open(BytesIO(evening_picture(evening(story, datetime(2026, 2, 1, 19, tzinfo=UTC)))))
    assert image.size == SIZE
    white = image.convert("L").crop((70, 110, 1010, 190))
    assert sum(white.histogram()[200:]) > 2000, "the headline stands on the felt"


def test_letters_that_the_font_lacks_are_no_boxes() -> None:
    svg = evening_svg(Evening.of(evening(sheet(3, 2, 1, 3).story)))
    for name in ("Ann", "Ζωή", "Łucja", "Жанна", "Player 4"):
        assert name in svg
    assert "🎉" not in svg
    assert "宮" not in svg
    page = evening_page(evening(sheet(3, 2, 1, 3).story)).decode()
    assert "宮崎" in page, "the reader's device has its fonts"


def test_ten_players_and_thirty_rounds_fit() -> None:
    names = [f"Somebody with a long name {i}" for i in range(5)]
    made = sheet(*(i % 3 for i in range(30)), names=names, target=90_000)
    svg = evening_svg(Evening.of(evening(made.story)))
    assert "1–25" in svg, "early rounds are added up"
    totals = made.story.at(None).position["scores"]
    assert all(f">{total}<" in svg for total in totals)


def test_the_page_is_one_file_without_scripts() -> None:
    page = evening_page(evening(story_of(LINES, "<script>alert(1)</script>"))).decode()
    assert "<script" not in page
    assert not re.search(r"(src|href)=\"(?!#|data:)", page)
    assert not re.search(r"url\((?!data:)", page)
    assert "default-src" in page


def test_a_simulated_evening_is_labeled() -> None:
    story = story_of(simulated(LINES))
    assert "SIMULATION" in evening_svg(Evening.of(evening(story)))
    assert "SIMULATION" in evening_page(evening(story)).decode()


@pytest.mark.parametrize("seed", some(range(12), 3))
def test_no_face_of_a_hand_that_was_not_shown_open_is_in_it(seed: int) -> None:
    lines = game_lines(seed, rounds=2, open_hands=True)
    whole = story_of(lines)
    end = whole.rounds_at(whole.at(None))[0].n
    story = story_of(lines[: end + 20])  # amid the second round
    public = {getattr(one.reported, "card", None) for one in story.moments}
    for moment in story.moments:
        if isinstance(moment.reported, Shown):
            public |= {*moment.reported.cards}
    named = {story.explainer.card(str(face).removesuffix("*")) for face in public if face}
    hidden = {story.explainer.card(face.removesuffix("*")) for face in DECKS[story.header.ruleset.deck]} - named
    drawn = evening(story)
    for text in (evening_page(drawn).decode(), evening_svg(Evening.of(drawn))):
        body = text.partition("<body")[2] or text
        assert [name for name in hidden if re.search(rf"\b{re.escape(name)}\b", body)] == []


def test_the_command_writes_new_files_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, picture, page = tmp_path / "friday.score", tmp_path / "e.png", tmp_path / "e.html"
    log.write_text(sheet(1, 0, 1).text, encoding="utf-8")
    arguments = ["evening", str(log), "--picture", str(picture), "--page", str(page), "--language", "de"]
    assert main.run(arguments) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert '<html lang="de">' in page.read_text(encoding="utf-8")
    assert main.run(arguments) == 2
    assert "e.png" in capsys.readouterr().err


def test_a_log_in_a_file_knows_no_day_and_is_given_one(tmp_path: Path) -> None:
    log, pages = tmp_path / "friday.score", [tmp_path / "with.html", tmp_path / "without.html"]
    log.write_text(sheet(1, 0, 1).text, encoding="utf-8")
    for page, day in zip(pages, (["--day", "2026-07-03"], []), strict=True):
        assert main.run(["evening", str(log), "--page", str(page), *day]) == 0
    assert ["July 3, 2026" in page.read_text(encoding="utf-8") for page in pages] == [True, False]
    assert main.run(["evening", str(log), "--page", str(tmp_path / "e.html"), "--day", "friday"]) == 2


@pytest.mark.parametrize(
    ("content", "options", "says"),
    [
        pytest.param("broken", ["--page", "e.html"], "line 1", id="no log"),
        pytest.param("\n".join(LINES[:9]), ["--page", "e.html"], "nothing to send", id="no counted round"),
        pytest.param("\n".join(LINES), [], "--picture", id="nothing to write"),
    ],
)
def test_what_cannot_be_written_is_said(
    content: str, options: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "game.jsonl").write_text(content, encoding="utf-8")
    assert main.run(["evening", "game.jsonl", *options]) == 2
    assert says in capsys.readouterr().err
    assert not (tmp_path / "e.html").exists()
