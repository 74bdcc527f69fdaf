"""Sentences by the real espeak-ng, in every language, measured instead of heard."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from croupier_extras.errors import VoiceUnavailable
from croupier_extras.voice.cues import VoiceSettings
from croupier_extras.voice.synthesis import LONGEST, RATE, VOICES, EspeakSynthesizer, Samples, speakable
from croupier_rules.referee import Explainer, Header
from croupier_rules.referee.rulings import Turn
from croupier_rules.rules import UNWRITTEN, load

needs_espeak = pytest.mark.skipif(
    shutil.which("espeak-ng") is None, reason="there is no espeak-ng here; tests/apt.txt installs it where it may"
)

NAMES: Final = ("Γιώργος", "Łucja", "Jürgen", "Zoë")


def spoken(text: str, language: str, cache: Path, **more: str) -> Samples:
    return EspeakSynthesizer(VoiceSettings(language=language, cache=str(cache), **more)).synthesize(text)  # type: ignore[arg-type]


def seconds(samples: Samples) -> float:
    """How long it is heard, without the silence round it."""
    loud = np.flatnonzero(np.abs(samples.astype(float)) > 200)
    return float(loud[-1] - loud[0]) / RATE if len(loud) else 0.0


@needs_espeak
@pytest.mark.parametrize("language", VOICES)
def test_every_language_is_spoken_unclipped_from_silence_to_silence(language: str, tmp_path: Path) -> None:
    explainer = Explainer(Header(ruleset=load("g7942-en"), seats=NAMES), language)
    for sentence in (explainer.spoken(Turn(UNWRITTEN, 0, "left")), explainer.call("which_card")):
        samples = spoken(sentence, language, tmp_path).astype(float) / 32768
        assert 0.6 < len(samples) / RATE < 5.0
        assert 0.2 < np.abs(samples).max() < 0.999
        assert np.abs(samples[-RATE // 50 :]).max() < 0.01, "it breaks off"


@needs_espeak
@pytest.mark.parametrize("name", NAMES)
def test_names_are_spoken_in_letters_of_any_alphabet(name: str, tmp_path: Path) -> None:
    for language in ("en", "el", "hu"):
        assert seconds(spoken(name, language, tmp_path)) > 0.2


@needs_espeak
def test_a_name_cannot_steer_the_voice(tmp_path: Path) -> None:
    plain = seconds(spoken("Ann", "en", tmp_path))
    assert seconds(spoken("--version", "en", tmp_path)) > plain
    assert seconds(spoken("[[a:a:a:]]", "en", tmp_path)) > 0.1
    assert speakable("[[a]] \x1b[2J\nAnn\t<b>") == "a [2J Ann <b>"


@needs_espeak
def test_a_name_of_nothing_that_can_be_spoken_is_no_trouble(tmp_path: Path) -> None:
    for name in ("", "\x07", "…", "🃏"):
        assert seconds(spoken(name, "de", tmp_path)) < 3


@needs_espeak
def test_a_disk_without_room_is_reported_and_does_not_end_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "no such folder"))
    with pytest.raises(VoiceUnavailable, match=r"^espeak-ng: .*No such file or directory"):
        spoken("Ann", "en", tmp_path)


def test_what_somebody_writes_at_length_is_cut_at_a_word() -> None:
    cut = speakable("moo " * 1000)
    assert len(cut) <= LONGEST
    assert cut.endswith(" moo")
    assert len(speakable("m" * 1000)) == LONGEST


@needs_espeak
def test_a_sentence_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = spoken("Ann draws 2 cards.", "en", tmp_path)
    monkeypatch.setenv("PATH", "")
    assert np.array_equal(spoken("Ann draws 2 cards.", "en", tmp_path), first)


@needs_espeak
def test_another_voice_or_speed_is_another_sentence(tmp_path: Path) -> None:
    usual = spoken("Ann draws 2 cards.", "en", tmp_path)
    assert not np.array_equal(spoken("Ann draws 2 cards.", "en", tmp_path, voice="en+f3"), usual)
    fast = EspeakSynthesizer(VoiceSettings(speed=300, cache=str(tmp_path))).synthesize("Ann draws 2 cards.")
    assert seconds(fast) < 0.8 * seconds(usual)


@needs_espeak
def test_a_damaged_file_of_the_cache_is_made_anew(tmp_path: Path) -> None:
    whole = spoken("Ann draws 2 cards.", "en", tmp_path)
    (file,) = tmp_path.glob("en/*.wav")
    file.write_bytes(file.read_bytes()[:1000])
    assert np.array_equal(spoken("Ann draws 2 cards.", "en", tmp_path), whole)
    assert len(file.read_bytes()) > 1000


@needs_espeak
def test_without_a_cache_it_speaks_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert seconds(spoken("Ann", "en", tmp_path / "file")) > 0.2


def test_the_cache_forgets_what_was_not_spoken_for_longest(tmp_path: Path) -> None:
    (tmp_path / "en").mkdir()
    for age, name in enumerate(("old", "middle", "new")):
        file = tmp_path / "en" / f"{name}.wav"
        file.write_bytes(bytes(1000))
        import os

        os.utime(file, (age, age))
    EspeakSynthesizer(VoiceSettings(cache=str(tmp_path))).tidy(most=2500)
    assert sorted(file.stem for file in tmp_path.glob("en/*")) == ["middle", "new"]


def test_a_missing_espeak_is_reported_with_the_way_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(VoiceUnavailable, match=r"^espeak-ng is missing: install it with: sudo apt install espeak-ng$"):
        spoken("Ann", "en", tmp_path)


@needs_espeak
@pytest.mark.parametrize(
    ("voice", "told"),
    [
        pytest.param("klingon", "there is no voice klingon: espeak-ng --voices lists them", id="language"),
        pytest.param("de+nobody", "there is no voice +nobody: espeak-ng --voices=variant lists them", id="variant"),
    ],
)
def test_a_voice_that_there_is_not_is_reported_by_name(voice: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(VoiceUnavailable) as caught:
        spoken("Ann", "en", tmp_path, voice=voice)
    assert str(caught.value) == told
