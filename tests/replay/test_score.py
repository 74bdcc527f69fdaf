"""The score sheet of a game, in the terminal and on paper."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import pytest
from pypdf import PdfReader

from croupier.cli import main
from croupier.game_views.story import Story
from croupier.i18n import LANGUAGES, _, speaking
from croupier.journal import Journal, text_of
from croupier.web.score_pdf import score_sheet
from croupier_rules.referee.observations import to_json
from tests.journal.games import game_lines
from tests.referee.games import Watched, header
from tests.web.stories import simulated, story_of

LINES = game_lines(3, rounds=3)
NAMES = {
    "fr": "Éloïse Œuvrard", "de": "Jürgen Groß", "nl": "IJsbrand", "sv": "Åsa Öst", "it": "Niccolò", "es": "Íñigo Peña",
    "pt": "João Conceição", "el": "Ζωή Ψάλτη", "hu": "Győző Űr", "pl": "Łucja Żądło", "en": "Zoë",
}  # fmt: skip


def texts(pdf: bytes) -> list[str]:
    """What stands on each page, as one line."""
    return [" ".join(page.extract_text().split()) for page in PdfReader(BytesIO(pdf)).pages]


def test_the_sheet_has_the_points_of_each_round_and_the_totals(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "game.jsonl"
    log.write_text("\n".join(LINES), encoding="utf-8")
    assert main.run(["score", str(log), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    position = story_of(LINES).at(None).position
    assert told["totals"] == position["scores"]
    assert [one["round"] for one in told["rounds"]] == [1, 2, 3]
    for i in range(4):
        assert sum(one["points"][i] for one in told["rounds"]) == told["totals"][i]
    assert main.run(["score", str(log)]) == 0
    shown = capsys.readouterr().out
    for one in told["rounds"]:
        assert str(max(one["points"])) in shown


def test_without_a_log_it_is_the_newest_game_of_the_journal_or_the_one_that_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ours.journal"
    with Journal(path) as journal:
        for seed in (1, 3):
            journal.add(game_lines(seed), began=1.7e9)
    told = []
    for arguments in ([], ["--game", "2"], ["--game", "1"]):
        assert main.run(["score", "--json", "--journal", str(path), *arguments]) == 0
        told.append(json.loads(capsys.readouterr().out))
    assert told[0] == told[1] != told[2]
    assert main.run(["score", "--journal", str(path), "--game", "7"]) == 2
    assert "no game 7" in capsys.readouterr().err


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_sheet_on_paper_can_be_read_in_every_language(code: str) -> None:
    story = story_of(LINES, NAMES[code])
    with speaking(code):
        (page,) = texts(score_sheet(story, datetime(2026, 2, 1, 19, 30, tzinfo=UTC)))
        wanted = [_("Score sheet"), _("Round"), _("Total"), _("Totals after each round")]
    for text in [*wanted, NAMES[code], "2026", *map(str, story.at(None).position["scores"])]:
        assert text in page
        assert _("SIMULATION") not in page
    assert "�" not in page


def test_a_game_that_was_simulated_is_labeled_in_the_terminal_and_on_paper(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "game.jsonl"
    log.write_text("\n".join(simulated(LINES)), encoding="utf-8")
    assert main.run(["score", str(log), "--pdf", str(tmp_path / "score.pdf"), "--language", "de"]) == 0
    assert capsys.readouterr().out.startswith("SIMULATION\n")
    assert "SIMULATION" in texts((tmp_path / "score.pdf").read_bytes())[0]
    assert main.run(["score", str(log), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["simulation"] is True


def test_a_long_game_of_many_goes_over_several_sheets_with_the_names_on_each() -> None:
    names = [f"Somebody with a long name {i}" for i in range(8)]
    head = header(8, options={"target": 100_000})
    log = [text_of(to_json(observation)) for observation, _rulings in Watched(head, 1).play(24)]
    pages = texts(score_sheet(story_of((text_of(head.to_json() | {"seats": names}), *log))))
    assert len(pages) == 2
    for i, page in enumerate(pages, start=1):
        assert f"Page {i} of 2" in page
        assert "Somebody" in page
    assert "24" in pages[1]


def test_before_the_first_round_is_counted_the_sheet_is_empty_and_whole() -> None:
    (page,) = texts(score_sheet(Story(LINES[0])))
    assert "Total 0 0 0 0" in page


@pytest.mark.parametrize("taken_back", [False, True])
def test_who_has_won_stands_on_the_sheet_unless_the_end_was_taken_back(taken_back: bool) -> None:
    given = {"phase": "turn", "turn": 0, "top": "red-7", "called": [0], "hands": [1, 1, 1, 1],
             "known": {"1": ["wild"], "2": ["red-9"], "3": ["red-9"]}}  # fmt: skip
    head = header(4, options={"target": 40}).to_json() | {"given": given}
    lines = [head, {"obs": "play", "t": 1.0, "card": "red-1"}, {"obs": "overrule", "t": 2.0, "undo": 1}]
    story = story_of([text_of(line) for line in lines[: 3 if taken_back else 2]])
    (page,) = texts(score_sheet(story))
    assert ("has won the game" in page) == (not taken_back)


def test_letters_that_no_font_has_are_shown_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    (page,) = texts(score_sheet(story_of(LINES, "玩家\x1b[2J")))
    assert "��" in page
    assert capsys.readouterr().err == ""


def test_a_file_that_is_there_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, pdf = tmp_path / "game.jsonl", tmp_path / "score.pdf"
    log.write_text("\n".join(LINES), encoding="utf-8")
    assert main.run(["score", str(log), "--pdf", str(pdf)]) == 0
    written = pdf.read_bytes()
    assert written.startswith(b"%PDF")
    assert main.run(["score", str(log), "--pdf", str(pdf)]) == 2
    assert "score.pdf: this file already exists" in capsys.readouterr().err
    assert pdf.read_bytes() == written
    assert main.run(["score", str(log), "--pdf", str(tmp_path / "nowhere" / "score.pdf")]) == 2
    assert "No such file or directory" in capsys.readouterr().err


def test_a_name_is_no_markup_in_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "game.jsonl"
    head = json.loads(LINES[0]) | {"seats": ["[bold]", "Ben\x1b[2J", "Cat", "Dan"]}
    log.write_text(text_of(head), encoding="utf-8")
    assert main.run(["score", str(log)]) == 0
    shown = capsys.readouterr().out
    assert "[bold]" in shown
    assert "\x1b" not in shown
