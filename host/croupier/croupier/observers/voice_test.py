"""`croupier voice try`: play what a table says in a game, without a game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import monotonic

from croupier import i18n
from croupier.config import CONFIG, Config, load
from croupier.errors import SoundUnavailable, VoiceUnavailable
from croupier.observers.voice.cues import Cue, SayCues, Sound, VoiceSettings
from croupier.observers.voice.output import WavFolder, open_output
from croupier.observers.voice.player import Player
from croupier.observers.voice.synthesis import EspeakSynthesizer
from croupier.observers.voice_notifier import voice_settings
from croupier_rules.referee import Explainer, Header
from croupier_rules.referee import rulings as kinds
from croupier_rules.referee.rulings import Ruling
from croupier_rules.rules import UNWRITTEN as ON


def chosen(voice: str | None, volume: int | None, names: tuple[str, ...]) -> tuple[VoiceSettings, Header]:
    """The voice and the seats of `CONFIG`, if that file exists; arguments and `--language` take precedence.

    Raises:
        BadConfig: the file is invalid.
    """
    config = load() if CONFIG.exists() else Config()
    header = config.header()
    header = replace(header, seats=(*names, *header.seats[len(names) :]))
    requested = i18n.chosen()
    language = None if requested == config.table.language else requested
    given = {"language": language, "voice": voice, "volume": volume}
    if language not in (None, voice_settings(config, header).language):
        given["voice"] = voice or ""  # the table's voice is for the table's language
    section = config.voice.model_copy(update={name: value for name, value in given.items() if value is not None})
    return voice_settings(config.model_copy(update={"voice": section}), header), header


def examples(header: Header, language: str) -> list[tuple[Sound | None, str]]:
    """Examples of a game: a sound, a sentence, or both."""
    explainer = Explainer(header, language)
    rulings: list[tuple[Sound | None, Ruling]] = [
        (None, kinds.Turn(ON, 0, "left")),
        ("illegal", kinds.Illegal(ON, 0, "no-match")),
        (None, kinds.ChooseColor(ON, 1)),
        (None, kinds.ColorIs(ON, "green")),
        (None, kinds.MayChallenge(ON, (1,))),
        ("challenge", kinds.ChallengeOutcome(ON, 0, 1, guilty=True)),
        ("uno", kinds.UnoStands(ON, 0)),
        ("catch", kinds.Caught(ON, 1, 0)),
        (None, kinds.Draw(ON, 1, 2, "uno")),
        ("win", kinds.RoundOver(ON, 0)),
    ]
    return [*((sound, explainer.spoken(ruling)) for sound, ruling in rulings), ("trouble", explainer.call("paused"))]


def try_out(settings: VoiceSettings, header: Header, show: Callable[[str], None], folder: Path | None = None) -> None:
    """Play all examples, or write each into a WAV file in ``folder``.

    Raises:
        VoiceUnavailable: espeak-ng is missing, or lacks the voice.
        SoundUnavailable: no program plays sound.
        CannotWrite: the folder cannot be written.
    """

    def fail(part: str, failure: str) -> None:
        if failure:
            raise (VoiceUnavailable if part == "speech" else SoundUnavailable)(failure)

    out = open_output(settings) if folder is None else WavFolder(folder)
    player = Player(replace(settings, muted=False, quiet=None), EspeakSynthesizer(settings), out, fail)
    for sound, sentence in examples(header, settings.language):
        show(f"{sound or '':9}  {sentence}")
        player.receive(SayCues((Cue(text=sentence, sound=sound, t=monotonic()),)))
        player.step()
