"""`croupier voice try`: play what a table says in a game, without a game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Annotated

import typer

from croupier import i18n
from croupier.cli.help_texts import examples
from croupier.files import CONFIG
from croupier.i18n import _
from croupier_extras.errors import SoundUnavailable, VoiceUnavailable
from croupier_extras.voice.cues import PLUGIN, Cue, SayCues, Sound, VoiceSettings
from croupier_rules.referee import Explainer, Header
from croupier_rules.referee import rulings as kinds
from croupier_rules.referee.rulings import Ruling
from croupier_rules.rules import UNWRITTEN as ON

voice_app = typer.Typer(name=PLUGIN, rich_markup_mode=None, epilog=examples("croupier voice try"))


@voice_app.callback()
def voice() -> None:
    """Hear what the table says aloud."""


@voice_app.command(
    "try",
    epilog=examples(
        "croupier voice try",
        "croupier voice try --language el --name Γιώργος --name Ελένη",
        "croupier voice try --language de --voice de+f3 --into sounds",
    ),
)
def try_(
    voice: Annotated[str | None, typer.Option(metavar="VOICE", help="A voice of espeak-ng, such as de+f3.")] = None,
    volume: Annotated[int | None, typer.Option(metavar="N", min=0, max=100, help="The volume.")] = None,
    name: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="The name of a player; can be repeated.")
    ] = None,
    into: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Write WAV files to this folder instead.")] = None,
) -> None:
    """Play the sounds and speak the sentences of a game, one by one.

    Options that you do not give are taken from croupier.toml, if there is one.
    """
    settings, header = chosen(voice, volume, tuple(name or ()))
    words = {name: getattr(settings, name) for name in ("language", "speed", "volume")}
    print(_("{language}, {speed} words a minute, volume {volume}", **words), flush=True)
    try_out(settings, header, lambda line: print(f"  {line}", flush=True), into)


def chosen(voice: str | None, volume: int | None, names: tuple[str, ...]) -> tuple[VoiceSettings, Header]:
    """The voice and the seats of `CONFIG`, if that file exists; arguments and `--language` take precedence.

    Raises:
        BadConfig: the file is invalid.
    """
    from croupier.config import Config, load
    from croupier_extras.voice.plugin import VoiceSection

    config = load() if CONFIG.exists() else Config()
    header, found = config.header(), config.plugin_sections.get(PLUGIN)
    section = found if isinstance(found, VoiceSection) else VoiceSection()
    usual = config.table.language or header.ruleset.language
    header = replace(header, seats=(*names, *header.seats[len(names) :]))
    requested = i18n.chosen()
    language = None if requested == config.table.language else requested
    given = {"language": language, "voice": voice, "volume": volume}
    if language not in (None, section.settings(usual).language):
        given["voice"] = voice or ""  # the table's voice is for the table's language
    section = section.model_copy(update={name: value for name, value in given.items() if value is not None})
    return section.settings(usual), header


def sample(header: Header, language: str) -> list[tuple[Sound | None, str]]:
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

    from croupier_extras.voice.output import WavFolder, open_output
    from croupier_extras.voice.player import Player
    from croupier_extras.voice.synthesis import EspeakSynthesizer

    out = open_output(settings) if folder is None else WavFolder(folder)
    player = Player(replace(settings, muted=False, quiet=None), EspeakSynthesizer(settings), out, fail)
    for sound, sentence in sample(header, settings.language):
        show(f"{sound or '':9}  {sentence}")
        player.receive(SayCues((Cue(text=sentence, sound=sound, t=monotonic()),)))
        player.step()
