"""Lets people hear what a table says, without a game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from time import monotonic

from croupier import i18n
from croupier.config import CONFIG, Config, load
from croupier.errors import SoundUnavailable, VoiceUnavailable
from croupier.observers.voice import Cue, Settings, Sound
from croupier.observers.voice.output import Files, output
from croupier.observers.voice.player import Player
from croupier.observers.voice.speech import Speech
from croupier.observers.voice_setup import settings
from croupier.referee import Explainer, Header
from croupier.referee.rulings import (
    Caught,
    ChallengeOutcome,
    ChooseColor,
    ColorIs,
    Draw,
    Illegal,
    MayChallenge,
    RoundOver,
    Ruling,
    Turn,
    UnoStands,
)
from croupier.rules import UNWRITTEN as ON


def chosen(voice: str | None, volume: int | None, names: tuple[str, ...]) -> tuple[Settings, Header]:
    """The voice and the table of `CONFIG`, if there is one, with what is given instead, as a language by `--language`.

    Raises:
        BadConfig: something in the file is wrong.
    """
    config = load() if CONFIG.exists() else Config()
    header = config.header()
    header = replace(header, seats=(*names, *header.seats[len(names) :]))
    wished = i18n.chosen()
    language = None if wished == config.table.language else wished
    given = {"language": language, "voice": voice, "volume": volume}
    if language not in (None, settings(config, header).language):
        given["voice"] = voice or ""  # the table's is for its own language
    told = config.voice.model_copy(update={name: said for name, said in given.items() if said is not None})
    return settings(config.model_copy(update={"voice": told}), header), header


def examples(header: Header, language: str) -> list[tuple[Sound | None, str]]:
    """What is heard in a game: a sound, a sentence, or both."""
    explainer = Explainer(header, language)
    said: list[tuple[Sound | None, Ruling]] = [
        (None, Turn(ON, 0, "left")),
        ("illegal", Illegal(ON, 0, "no-match")),
        (None, ChooseColor(ON, 1)),
        (None, ColorIs(ON, "green")),
        (None, MayChallenge(ON, (1,))),
        ("challenge", ChallengeOutcome(ON, 0, 1, guilty=True)),
        ("uno", UnoStands(ON, 0)),
        ("catch", Caught(ON, 1, 0)),
        (None, Draw(ON, 1, 2, "uno")),
        ("win", RoundOver(ON, 0)),
    ]
    return [*((sound, explainer.spoken(ruling)) for sound, ruling in said), ("trouble", explainer.call("paused"))]


def try_out(how: Settings, header: Header, show: Callable[[str], None], folder: Path | None = None) -> None:
    """Let people hear what is heard in a game; or write it into a ``folder``, one WAV file for each.

    Raises:
        VoiceUnavailable: espeak-ng is missing, or lacks the voice.
        SoundUnavailable: nothing can be heard here.
        CannotWrite: the folder cannot be written.
    """

    def trouble(part: str, wrong: str) -> None:
        if wrong:
            raise (VoiceUnavailable if part == "speech" else SoundUnavailable)(wrong)

    out = output(how) if folder is None else Files(folder)
    player = Player(replace(how, muted=False, quiet=""), Speech(how), out, trouble)
    for sound, sentence in examples(header, how.language):
        show(f"{sound or '':9}  {sentence}")
        player.hear({"say": [asdict(Cue(text=sentence, sound=sound, t=monotonic()))]})
        player.step()
