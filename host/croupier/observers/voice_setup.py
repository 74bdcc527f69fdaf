"""The voice of a table as `croupier.toml` describes it."""

from __future__ import annotations

from collections.abc import Callable

from croupier.config import Config
from croupier.observers.voice import Settings, Speaker
from croupier.observers.voice_notifier import Announcer, ahead
from croupier.referee import Explainer, Header


def settings(config: Config, header: Header) -> Settings:
    """How the voice of this table sounds."""
    voice = config.voice
    return Settings(
        language=voice.language or config.table.language or header.ruleset.language,
        voice=voice.voice,
        speed=voice.speed,
        volume=voice.volume,
        speech=voice.speech,
        sounds=voice.sounds,
        quiet=voice.quiet,
        program=voice.program,
        device=voice.device,
    )


class Voice:
    """Says aloud what happens, game after game. ``tell``: given one line about each trouble, from another thread."""

    def __init__(self, how: Settings, tell: Callable[[str], None], *, turns: bool = True) -> None:
        self._how, self._turns = how, turns
        self.speaker = Speaker(how, tell)

    def begin(self, header: Header) -> Announcer:
        """The listener of this game."""
        language = self._how.language
        if self._how.speech:
            self.speaker.prepare(ahead(Explainer(header, language), len(header.seats)))
        return Announcer(header, language, self.speaker.say, turns=self._turns)
