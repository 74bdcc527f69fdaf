"""Everybody who listens to a table besides page and terminal, as `croupier.toml` has it: voice, house, other programs.

audience = Audience(config, page, tell)
listeners = audience.begin(kept)       # at each game
audience.close()
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from croupier.config import Config
from croupier.config.sections import Page as PageSection
from croupier.devices.protocols import Page
from croupier.i18n import chosen
from croupier.observers.mqtt.state import TableState
from croupier.observers.round_results import Rounds
from croupier.observers.voice_notifier import Aloud
from croupier.observers.voice_setup import Voice, settings
from croupier.observers.webhooks import Webhooks
from croupier.optional_dependencies import requires_extra
from croupier.referee import Explainer
from croupier.referee.position import Position
from croupier.runtime.session import Kept
from croupier.runtime.table import Listener

LAST_WORDS_S: Final = 6.0
"""When the program ends by itself, what waits to be said is said for so long."""


class Audience:
    """For as long as the program runs. What is not wished costs nothing.

    ``page``: where people are asked. ``tell``: given one line about each trouble, from another thread.

    Raises:
        MqttUnavailable: home automation is wished, and not installed.
    """

    def __init__(self, config: Config, page: Page, tell: Callable[[str], None]) -> None:
        self.on_pause: Callable[[], None] = lambda: None
        """Called, from another thread, when somebody presses pause in the house."""
        self._publisher = None
        if config.mqtt.host is not None:
            with requires_extra("mqtt"):
                from croupier.observers.mqtt.publisher import Publisher
            self._publisher = Publisher(
                config.mqtt, config.table.name, tell, lambda: self.on_pause(), _address(config.page)
            )
        self._aloud = Aloud(page)
        how = settings(config, config.header())
        self.voice = Voice(how, tell, turns=config.voice.turns) if config.voice.on else None
        self._webhooks = Webhooks(config.webhooks, config.table.name, tell) if config.webhooks else None

    def begin(self, kept: Kept) -> list[Listener]:
        """The listeners of this game, which may have been going on for a while."""
        listeners: list[Listener] = []
        if self.voice is not None:
            self._aloud.announcer = self.voice.begin(kept.header)
            listeners.append(self._aloud.announcer)
        if self._publisher is None and self._webhooks is None:
            return listeners
        rounds, ruled = so_far(kept)
        if self._publisher is not None:
            position = Position.of(kept.referee.position())
            self._publisher.begin(
                kept.header, TableState(kept.header, position, rounds), Explainer(kept.header, chosen())
            )
            listeners.append(self._publisher)
        if self._webhooks is not None:
            self._webhooks.begin(kept.game, ruled)
            listeners.append(self._webhooks)
        return listeners

    @property
    def page(self) -> Page:
        """Where people are asked, and hear it where there is a voice."""
        return self._aloud

    def close(self, last_words_s: float = 0.0) -> None:
        """Say good-bye to everybody."""
        if self._publisher is not None:
            self._publisher.close()
        if self._webhooks is not None:
            self._webhooks.close()
        if self.voice is not None:
            self.voice.speaker.close(last_words_s)


def _address(page: PageSection) -> str:
    """Where the page is in the network, as far as the configuration says so."""
    return f"http://{page.name}.local:{page.port}" if page.on and page.name and page.port else ""


def so_far(kept: Kept) -> tuple[Rounds, int]:
    """The rounds and the number of the rulings of a game that is gone on with."""
    rounds, ruled = Rounds(), 0
    for observation, rulings, position in kept.past:
        rounds(observation, rulings, position)
        ruled += len(rulings)
    return rounds, ruled
