"""The page of a demo: its journal, its codes, and the simulated table as the page may talk to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from croupier.commands import Command, ProvokeFault
from croupier.observers.voice.speaker import Speaker
from croupier.runtime.command_queue import Spoken
from croupier.runtime.page_table import PageTable
from croupier.runtime.session import Kept
from croupier.web.accounts import Accounts, Person
from croupier.web.serving import WebServer
from croupier.web.worker_process import serve_in_process
from croupier_sim.demo.game import Demo
from croupier_sim.demo.machine import Sources


class DemoPageTable(PageTable):
    """The simulated table as a `LiveTable`, and a listener of its run."""

    is_simulation = True

    def __init__(self, demo: Demo, game: int) -> None:
        spoken = Spoken(lambda: demo.table.now)
        super().__init__(game, spoken, lambda: demo.run, demo.alarms.active)
        self._demo, self.faults = demo, demo.trials.faults
        demo.source = Sources((demo.source, spoken))

    def submit(self, command: Command) -> None:
        """A fault happens at the next card that is fed; everything else reaches the table as from a key."""
        if isinstance(command, ProvokeFault):
            self._demo.trials.wish(command.fault)
        else:
            super().submit(command)


@contextmanager
def page(demo: Demo, kept: Kept, port: int | None, speaker: Speaker | None = None) -> Iterator[tuple[WebServer, str]]:
    """Serve the page of ``demo``, which is ``kept`` in a journal, until the end of the block; with the admin's code.
    ``speaker``: its voice.

    Raises:
        CannotServe: the port is taken.
    """
    desk = DemoPageTable(demo, kept.game)
    desk.speaker = speaker
    demo.listeners.append(desk)
    accounts = Accounts()
    code = accounts.new_code(Person("admin"))
    with serve_in_process(kept.journal.path, accounts, desk, port=port) as up:
        yield up, code
