"""The observers of a table that `croupier.toml` asks for: the voice, and those of plug-ins.

notifier = Notifier(config, page, report)
observers = notifier.begin(header, game, past, position)    # at each game
notifier.close()
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from croupier import plugins
from croupier.config import Config
from croupier.config.sections import Page as PageSection
from croupier.devices.protocols import Page
from croupier.events import Observer, RefereedStep
from croupier.observers.voice.cues import VoiceSettings
from croupier.observers.voice_notifier import Voice, voice_settings
from croupier.plugins import ObservedGame, ObservedTable, OpenObserver, TableObserver
from croupier_rules.referee import Header
from croupier_rules.referee.position import Position

LAST_WORDS_S: Final = 6.0
"""Sentences that wait when the program ends by itself are said for this long."""


class Notifier:
    """The voice and the observers of plug-ins, for the lifetime of the program.

    ``page``: where people are asked. ``report``: takes one line about each failure, from another thread.

    Raises:
        CroupierError: what a plug-in needs cannot be used.
    """

    def __init__(self, config: Config, page: Page, report: Callable[[str], None]) -> None:
        self._on_pause: Callable[[], None] = lambda: None
        self.voice = Voice(page, _voice(config), report, turns=config.voice.turns)
        self.plugins: dict[str, TableObserver] = {}
        """The observers of plug-ins, by the names of their sections."""
        table = ObservedTable(config.table.name, config.journal.file, _address(config.page), report, self._pause)
        for name, section in config.plugin_sections.items():
            if name in plugins.names(plugins.OBSERVERS):
                open_observer: OpenObserver = plugins.load(plugins.OBSERVERS, name)
                if (observer := open_observer(section, table)) is not None:
                    self.plugins[name] = observer

    def speak(self, header: Header) -> None:
        """Use the table's language of now in the present game, whose ``header`` it is."""
        for observer in self.plugins.values():
            observer.speak(header)

    def use_voice(self, config: Config) -> None:
        """Let the voice be as it is configured from now on. It takes up to seconds."""
        self.voice.use(_voice(config))

    def begin(
        self, header: Header, game: int, past: Sequence[RefereedStep], position: Position,
        on_change: Callable[[], None] = lambda: None, on_pause: Callable[[], None] = lambda: None,
    ) -> list[Observer]:  # fmt: skip
        """The observers of a game, which may have been going on for a while. ``game``: its number; ``on_change``:
        called, from another thread, when the page of a plug-in has something else to show; ``on_pause``: the same, when
        somebody presses pause in the house."""
        self._on_pause = on_pause
        begun = ObservedGame(header, game, past, position)
        for observer in self.plugins.values():
            observer.begin(begun, on_change)
        return [self.voice.begin(header), *self.plugins.values()]

    def _pause(self) -> None:
        self._on_pause()

    def close(self, last_words_s: float = 0.0) -> None:
        """Close all of them. The voice goes on for ``last_words_s`` seconds at most."""
        for observer in self.plugins.values():
            observer.close()
        self.voice.close(last_words_s)


def _voice(config: Config) -> VoiceSettings | None:
    return voice_settings(config, config.header()) if config.voice.on else None


def _address(page: PageSection) -> str:
    """The page's address in the network, as far as the configuration says it."""
    return f"http://{page.name}.local:{page.port}" if page.on and page.name and page.port else ""
