"""The page of a demo: its journal, its codes, and the simulated table as the page may talk to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from croupier.commands import Command, ProvokeFault
from croupier.observers.voice.speaker import Speaker
from croupier.runtime.command_queue import Spoken
from croupier.runtime.page_table import TableDesk
from croupier.runtime.session import Kept
from croupier.web.accounts import People, Person
from croupier.web.serving import Served
from croupier.web.worker_process import served_apart
from croupier_sim.demo.game import Demo
from croupier_sim.demo.machine import Sources


class DemoDesk(TableDesk):
    """The simulated table as a `Desk`, and a listener of its run."""

    is_simulation = True

    def __init__(self, demo: Demo, game: int) -> None:
        spoken = Spoken(lambda: demo.table.now)
        super().__init__(game, spoken, lambda: demo.run, demo.alarms.active)
        self._demo, self.faults = demo, demo.trials.faults
        demo.source = Sources((demo.source, spoken))

    def wish(self, wish: Command) -> None:
        """A fault happens at the next card that is fed; everything else reaches the table as from a key."""
        if isinstance(wish, ProvokeFault):
            self._demo.trials.wish(wish.fault)
        else:
            super().wish(wish)


@contextmanager
def page(demo: Demo, kept: Kept, port: int | None, speaker: Speaker | None = None) -> Iterator[tuple[Served, str]]:
    """Serve the page of ``demo``, which is ``kept`` in a journal, until the end of the block; with the admin's code.
    ``speaker``: its voice.

    Raises:
        CannotServe: the port is taken.
    """
    desk = DemoDesk(demo, kept.game)
    desk.speaker = speaker
    demo.listeners.append(desk)
    people = People()
    code = people.new_code(Person("admin"))
    with served_apart(kept.journal.path, people, desk, port=port) as up:
        yield up, code
