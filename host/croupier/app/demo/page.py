"""The page of a demo: its journal, its codes, and the simulated table as the page may talk to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import cv2

from cardsight.annotate import annotate
from cardsight.sighting import Reading
from croupier.app.demo.game import Demo
from croupier.app.keeping import Kept
from croupier.app.running.position import Position
from croupier.app.running.run import TableRun
from croupier.app.running.sequencer import Amended, Told, Unsure
from croupier.app.running.spoken import Spoken
from croupier.cards import UNREAD
from croupier.devices.sim.shoe import FAULTS
from croupier.referee.observations import Play, Upcard
from croupier.referee.rulings import Ruling
from croupier.web.apart import served_apart
from croupier.web.desk import Provoked, Wish
from croupier.web.people import People, Person
from croupier.web.serving import Served

EverythingRead = Callable[[TableRun, tuple[int, ...]], Reading]
"""What was read, to be drawn into the frame of a run with a picture of this shape."""


class DemoDesk:
    """The simulated table as a `Desk`, and a listener of its run."""

    is_simulation = True
    faults = FAULTS

    def __init__(self, demo: Demo, game: int, everything_read: EverythingRead) -> None:
        self.game = game
        self.candidates: tuple[str, ...] = ()
        self._demo, self._read = demo, everything_read
        self._spoken = Spoken(demo.people, lambda: demo.table.now)
        demo.panel = self._spoken

    def __call__(self, told: Told, rulings: tuple[Ruling, ...], position: Position) -> None:
        """Keep what the card on top may be, as long as nobody knows."""
        match told:
            case Unsure():
                self.candidates = told.candidates
            case Amended():
                self.candidates = ()
            case Play() | Upcard() if told.card != UNREAD:
                self.candidates = ()
            case _:
                pass

    def camera(self) -> bytes | None:
        """The last frame with what was read."""
        run = self._demo.run
        frame = None if run is None else run.frame
        if run is None or frame is None:
            return None
        drawn = annotate(frame.image, self._read(run, frame.image.shape))
        _, encoded = cv2.imencode(".jpg", drawn)
        return encoded.tobytes()

    def wish(self, wish: Wish) -> None:
        """A fault happens at the next card that is fed; everything else reaches the table as from a key."""
        if isinstance(wish, Provoked):
            self._demo.shoe.provoke(wish.fault)
        else:
            self._spoken.wish(wish)


@contextmanager
def page(demo: Demo, kept: Kept, everything_read: EverythingRead, port: int | None) -> Iterator[tuple[Served, str]]:
    """Serve the page of ``demo``, which is ``kept`` in a journal, until the end of the block; with the admin's code.

    Raises:
        CannotServe: the port is taken.
    """
    desk = DemoDesk(demo, kept.game, everything_read)
    demo.listeners.append(desk)
    people = People()
    code = people.new_code(Person("admin"))
    with served_apart(kept.journal.path, people, desk, port=port) as up:
        yield up, code
