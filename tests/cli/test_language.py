"""Which language the terminal speaks."""

from __future__ import annotations

from pathlib import Path

import pytest

from croupier.cli import main
from croupier.i18n import LANGUAGES, language
from tests.journal.games import game_lines


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "game.jsonl").write_text("\n".join(game_lines(1)), encoding="utf-8")
    return "game.jsonl"


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main.run(arguments) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments", [("--language", "de", "score"), ("score", "--language", "de"), ("score", "--language=de_AT")]
)
def test_a_command_speaks_the_language_of_its_option_wherever_that_stands(
    log: str, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    assert "Runde" in said(capsys, *arguments, log)


def test_a_command_speaks_the_tables_language_else_the_systems(
    log: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "pl_PL.UTF-8")
    assert "Rozdanie" in said(capsys, "score", log)
    Path("croupier.toml").write_text('[table]\nlanguage = "hu"\n', encoding="utf-8")
    assert "Kör" in said(capsys, "score", log)
    assert "Giv" in said(capsys, "score", log, "--language", "sv")
    Path("croupier.toml").write_text("[table]\nlanguage = 7 [", encoding="utf-8")
    assert "Rozdanie" in said(capsys, "score", log), "a broken file is for others to tell"


def test_a_table_that_is_described_in_another_file_speaks_its_language(
    log: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("ours.toml").write_text('[table]\nlanguage = "it"\n', encoding="utf-8")
    assert main.run(["run", "--config", "ours.toml", "--nonsense"]) == 2
    capsys.readouterr()
    assert language() == "it"
    assert main.run(["run", "--config=nowhere.toml", "--nonsense"]) == 2
    assert language() == "en"


def test_the_referee_speaks_the_documents_language_until_another_is_chosen(
    log: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    assert "The sheet says" in said(capsys, "referee", log)
    assert "Die Anleitung sagt" in said(capsys, "referee", log, "--language", "de")


def test_a_language_that_there_is_not_is_named_with_those_there_are(
    log: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["score", log, "--language", "klingon"]) == 2
    error = capsys.readouterr().err
    assert "--language klingon" in error
    assert "el, hu, pl" in error


def test_what_is_wrong_with_a_journal_is_said_in_the_readers_language(
    log: str, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = "nowhere.journal: no such file: expected a journal; croupier run starts one"
    spoken = {}
    for code in LANGUAGES:
        assert main.run(["score", "--journal", "nowhere.journal", "--language", code]) == 2
        spoken[code] = capsys.readouterr().err.strip()
    assert spoken["en"] == f"croupier: {missing}"
    assert len(set(spoken.values())) == len(LANGUAGES)
    assert all("nowhere.journal" in line for line in spoken.values())


def test_what_stands_after_two_dashes_is_no_option(log: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["score", "--", "--language"]) == 2
    assert "--language: No such file" in capsys.readouterr().err


def test_the_rules_are_asked_and_answered_in_the_readers_language_and_stay_english_for_machines(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = said(capsys, "rules", "show", "g7942-en", "--language", "pl")
    assert "Kto rozdaje jako pierwszy?" in shown
    assert "Who deals first?" not in shown
    assert "The person who picks the highest number deals." in shown, "a sentence of the document stays as it is"
    assert "Who deals first?" in said(capsys, "rules", "show", "g7942-en", "--json", "--language", "pl")


@pytest.mark.parametrize(
    ("choices", "why"),
    [
        ("stack.limit=8", "Es könnte nichts gestapelt werden"),
        ("turn.force_play=always+draw.voluntary=warn", "Wer spielen kann, darf nicht ziehen"),
    ],
)
def test_what_cannot_be_combined_is_refused_in_the_language_of_the_terminal(
    capsys: pytest.CaptureFixture[str], choices: str, why: str
) -> None:
    assert main.run(("rules", "show", f"g7942-en+{choices}", "--language", "de")) == 2
    assert why in capsys.readouterr().err
