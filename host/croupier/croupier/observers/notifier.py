"""The observers of a table that `croupier.toml` asks for: those of plug-ins.

notifier = Notifier(config, page, report)
observers = notifier.begin(ObservedGame(header, number, past, position))    # at each game
notifier.close()
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from croupier import plugins
from croupier.config import Config
from croupier.config.sections import Page as PageSection
from croupier.devices.protocols import Ask, Page, Say
from croupier.events import Observer
from croupier.observers import ObservedGame, ObservedTable, OpenObserver, TableObserver
from croupier_rules.referee import Header

LAST_WORDS_S: Final = 6.0
"""Sentences that wait when the program ends by itself are said for this long."""


class Notifier:
    """The observers of plug-ins, for the lifetime of the program; and a `Page` whose requests they get, too.

    ``page``: where people are asked. ``report``: takes one line about each failure, and ``on_change`` is called when
    the page of a plug-in has something else to show, both from another thread.

    Raises:
        CroupierError: what a plug-in needs cannot be used.
    """

    def __init__(
        self, config: Config, page: Page, report: Callable[[str], None], on_change: Callable[[], None] = lambda: None
    ) -> None:
        self._page, self._report = page, report
        self.plugins: dict[str, TableObserver] = {}
        """The observers of plug-ins, by the names of their sections."""
        table = ObservedTable(
            config.table.name, config.journal.file, _address(config.page), report, on_change, config.table.language
        )
        for name, section in (config.changeable_sections | config.plugin_sections).items():
            if name in plugins.names(plugins.OBSERVERS):
                open_observer: OpenObserver = plugins.load(plugins.OBSERVERS, name)
                if (observer := open_observer(section, table)) is not None:
                    self.plugins[name] = observer

    def speak(self, header: Header) -> None:
        """Use the table's language of now in the present game, whose ``header`` it is."""
        for observer in self.plugins.values():
            observer.speak(header)

    def use(self, config: Config) -> None:
        """Let the observers do as they are configured from now on. It takes up to seconds."""
        for name, section in config.changeable_sections.items():
            if (observer := self.plugins.get(name)) is not None:
                observer.use(section, config.table.language)

    def begin(self, game: ObservedGame) -> list[Observer]:
        """The observers of a game, which may have been going on for a while."""
        for observer in self.plugins.values():
            observer.begin(game)
        return [*self.plugins.values()]

    def ask(self, ask: Ask) -> None:
        """As `Page.ask`. An observer that fails is reported, and the table goes on."""
        self._page.ask(ask)
        for name, observer in self.plugins.items():
            try:
                observer.ask(ask)
            except Exception as err:
                self._report(f"{name}: {type(err).__name__}: {err}")

    def say(self, say: Say) -> None:
        """As `Page.say`; observers get the rulings themselves."""
        self._page.say(say)

    def close(self, finish_s: float = 0.0) -> None:
        """Close all of them. What waits there, such as sentences, may be finished for so long (s)."""
        for observer in self.plugins.values():
            observer.close(finish_s)


def _address(page: PageSection) -> str:
    """The page's address in the network, as far as the configuration has it."""
    return f"http://{page.name}.local:{page.port}" if page.on and page.name and page.port else ""
