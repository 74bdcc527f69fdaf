"""Settings through whatever is changed, taken back, played and restarted: what is in force, and what waits."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from hypothesis import given, settings
from hypothesis import strategies as st

from croupier.config import load
from croupier.config.model import later_options
from croupier.i18n import of_table, use
from croupier.table_api.live_table import ChangeSettings, SettingsAnswer, Value, mark
from tests.longer import examples
from tests.runtime.test_settings import TEXT, Settled

NOW: Final[Mapping[str, tuple[Value, ...]]] = {
    "table.language": ("en", "de", "el"),
    "page.theme": ("auto", "light", "dark"),
    "page.no_call": ("never", "after", "at-once"),
    "voice.volume": (10, 90),
    "seats.names": (("Ann", "Ben"), ("Ben", "Ann"), ("Anna", "Ben")),
}
LATER: Final[Mapping[str, tuple[Value, ...]]] = {
    "game.deal": ("next", "winner", "same"),
    "rules.zero": (None, "pass-on"),
    "rules.seven": (None, "swap"),
    "rules.stack.draw2": (None, "draw2"),
}
CHANGES = [(name, value) for group in (NOW, LATER) for name, values in group.items() for value in values]
STEPS = st.one_of(st.sampled_from(CHANGES), st.sampled_from(["take back", "restart", "next game"]))


class Told:
    """What the settings must be, by all that was ordered until now. ``running``: what the present game is played by."""

    def __init__(self, table: Settled) -> None:
        self.table, self.games = table, 1
        self.now, self.later = dict(table.now.now), dict(table.now.later)
        self.running = dict(self.later)

    def do(self, step: str | tuple[str, Value]) -> None:
        match step:
            case "restart":
                self.table.kill()
                self.table.start()
            case "next game":
                if self.table.position.phase == "paused":  # since a restart
                    self.table.go(0.5)
                self.table.play_a_round()
                assert self.table.position.phase == "game_over"
                self.table.go(1)
                self.games, self.running = self.games + 1, dict(self.later)
            case "take back":
                self._order(dict(self.table.now.running), self.table.now.later)
                self.later = dict(self.running)
            case (name, value):
                group, told = (self.table.now.now, self.now) if name in NOW else (self.table.now.later, self.later)
                self._order({name: value}, group)
                told[name] = value
                self.table.wait(0.5)

    def _order(self, options: Mapping[str, Value], seen: tuple[tuple[str, Value], ...]) -> None:
        for _press in range(2):  # as two taps send it
            wanted = ChangeSettings(options, mark(seen))
            assert self.table.view.ask(wanted) == SettingsAnswer()

    def check(self) -> None:
        """All is as it was told: on the page, in the log, and in the file."""
        shown, session = self.table.now, self.table.table.run.session
        assert dict(shown.now) == self.now
        assert session.header.seats == self.now["seats.names"]
        assert (dict(shown.running), dict(shown.later)) == (self.running, self.later)
        assert later_options(session.header) == self.running
        assert (shown.next_header == "", session.game) == (self.later == self.running, self.games)
        assert later_options(load(self.table.file).header()) == self.later


@settings(max_examples=examples(24), deadline=None)
@given(st.lists(STEPS, min_size=1, max_size=8))
def test_what_is_at_once_is_at_once_and_what_waits_is_used_once(steps: list[str | tuple[str, Value]]) -> None:
    before = of_table()
    with TemporaryDirectory() as folder:
        table = Settled(Path(folder), TEXT.replace('"draw2"', '"draw2"\ngoal = "round"'))
        try:
            told = Told(table)
            told.check()
            for step in steps:
                told.do(step)
                told.check()
        finally:
            table.kill()
            use(before)
