"""The voice of a table as `croupier.toml` describes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from croupier.app.config import Config
from croupier.app.listeners.announcer import Announcer, ahead
from croupier.referee import Explainer, Header
from croupier.voice import Settings, Speaker

LAST_WORDS_S: Final = 8.0
"""At the end of a game, what still waits may be said for so long."""


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


@contextmanager
def announcing(
    how: Settings, header: Header, tell: Callable[[str], None], *, turns: bool = True
) -> Iterator[tuple[Announcer, Speaker]]:
    """A listener that says aloud what happens, until the end of the block; with its loudness.

    ``tell``: given one line about each trouble, from another thread.
    """
    explainer = Explainer(header, how.language)
    speaker = Speaker(how, ahead(explainer, len(header.seats)) if how.speech else (), tell)
    finish_s = 0.0
    try:
        yield Announcer(explainer, speaker.say, turns=turns), speaker
        finish_s = LAST_WORDS_S
    finally:
        speaker.close(finish_s)
