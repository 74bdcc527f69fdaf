"""The table as the page talks to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import cv2

from cardsight.annotate import annotate
from cardsight.sighting import Reading
from cardsight.sources import Picture
from croupier.cards import UNREAD
from croupier.commands import Command, Loudness, NameCard, StartGame
from croupier.events import Amended, SequencedEvent, UnsureCard
from croupier.observers.voice.speaker import Speaker
from croupier.referee import Header
from croupier.referee.observations import Play, Upcard
from croupier.referee.position import Position
from croupier.referee.rulings import Ruling
from croupier.runtime.command_queue import Spoken
from croupier.runtime.table import TableRun

QUALITY: Final = 80
"""Of the camera's picture: a third of the bytes of OpenCV's usual one, for the same to be seen."""


class PageTable:
    """A table as a `LiveTable`, and a listener of its run. ``run``: what is played now; ``alarms``: what does not work,
    parts and kinds (`croupier.alarms`)."""

    is_simulation = False
    faults: tuple[str, ...] = ()

    def __init__(
        self,
        game: int,
        spoken: Spoken,
        run: Callable[[], TableRun | None],
        alarms: Callable[[], tuple[tuple[str, str], ...]] = tuple,
    ) -> None:
        self.game = game
        self.candidates: tuple[str, ...] = ()
        self.begun: Header | None = None
        """The game that somebody wants to begin."""
        self._spoken, self._run, self._alarms = spoken, run, alarms
        self.speaker: Speaker | None = None
        """The voice of the table, where it has one."""

    @property
    def alarms(self) -> tuple[tuple[str, str], ...]:
        """What does not work now."""
        return self._alarms()

    @property
    def loudness(self) -> Loudness | None:
        """How loud the voice is; None where there is none."""
        return None if self.speaker is None else Loudness(self.speaker.volume, self.speaker.is_muted)

    def __call__(self, told: SequencedEvent, rulings: tuple[Ruling, ...], position: Position) -> None:
        """Keep what the card on top may be, as long as nobody knows."""
        match told:
            case UnsureCard():
                self.candidates = told.candidates
            case Amended():
                self.candidates = ()
            case Play() | Upcard() if told.card != UNREAD:
                self.candidates = ()
            case _:
                pass

    @property
    def has_camera(self) -> bool:
        """Whether a camera sees what is laid."""
        run = self._run()
        return run is None or run.show is not None

    @property
    def has_shoe(self) -> bool:
        """Whether a shoe deals."""
        run = self._run()
        return run is None or run.has_shoe

    @property
    def may_start_game(self) -> bool:
        """Whether another game may be begun now: the last is over, or nobody has dealt a card by hand yet."""
        run = self._run()
        if run is None or self.is_simulation:
            return False
        waits = run.position.phase == "pick" or (run.position.phase == "deal" and not run.has_shoe)
        return run.is_game_over or (waits and not any(run.position.hands))

    def camera_jpeg(self) -> bytes | None:
        """The last frame with what was read."""
        run = self._run()
        frame = None if run is None else run.frame
        if run is None or frame is None:
            return None
        drawn = annotate(frame.image, everything_read(run, frame.image))
        _, encoded = cv2.imencode(".jpg", drawn, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        return encoded.tobytes()

    def submit(self, command: Command) -> None:
        """It reaches the table as from a key; how loud the voice is, the voice alone. Who names the card has answered,
        even where it is the one that was told."""
        if isinstance(command, StartGame):
            self.begun = command.header
        if isinstance(command, NameCard):
            self.candidates = ()
        if not isinstance(command, Loudness):
            self._spoken.wish(command)
        elif self.speaker is not None:
            self.speaker.adjust(volume=command.volume, muted=command.muted)


def everything_read(run: TableRun, image: Picture) -> Reading:
    """The up-card, the hand that lies open, and what lies where no card belongs, as read in the last frame, which is
    ``image``."""
    top = run.pile.top
    hand = run.show.reading_in(image) if run.show is not None else None
    cards = (*((top,) if top else ()), *(hand.cards if hand else ()), *run.astray)
    return Reading(size=(image.shape[1], image.shape[0]), cards=cards)
