"""`croupier voice try`: what a table says, without a game."""

from __future__ import annotations

import shutil
import wave
from pathlib import Path

import pytest

from croupier.cli import main
from croupier_extras.voice.synthesis import RATE

pytestmark = pytest.mark.skipif(
    shutil.which("espeak-ng") is None, reason="there is no espeak-ng here; tests/apt.txt installs it where it may"
)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder without a croupier.toml, and no cache of anybody."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_it_says_what_a_game_says_in_the_language_and_by_the_names_that_are_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["voice", "try", "--language", "el", "--name", "Ελένη", "--into", "sounds"]) == 0
    first, *lines = capsys.readouterr().out.splitlines()
    assert first == "el, 160 λέξεις το λεπτό, ένταση 80"
    assert lines[0].strip() == "Σειρά έχει: Ελένη."
    files = sorted((tmp_path / "sounds").glob("*.wav"))
    assert len(files) == len(lines) == 11
    for file in files:
        with wave.open(str(file)) as opened:
            assert opened.getframerate() == RATE
            assert 0.5 < opened.getnframes() / RATE < 8


def test_it_sounds_as_the_table_has_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "croupier.toml").write_text(
        '[seats]\nnames = ["Ida", "Jan"]\n[voice]\nlanguage = "de"\nvoice = "de+f3"\nvolume = 30\n', encoding="utf-8"
    )
    assert main.run(["voice", "try", "--into", "sounds"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("de, 160 words a minute, volume 30\n")
    assert "Ida ist an der Reihe." in out
    assert main.run(["voice", "try", "--language", "sv", "--into", "sounds"]) == 0, (
        "a voice for German is not for Swedish"
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        pytest.param(
            ["--voice", "klingon"], "croupier: there is no voice klingon: espeak-ng --voices lists them", id="voice"
        ),
        pytest.param(
            ["--into", "file"], "croupier: file: File exists: expected a folder that may be written", id="file"
        ),
    ],
)
def test_what_does_not_work_is_reported_in_one_line(
    arguments: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert main.run(["voice", "try", *(["--into", "x"] if "--into" not in arguments else []), *arguments]) == 2
    assert capsys.readouterr().err == told + "\n"
