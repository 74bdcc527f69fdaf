"""Settings that an admin changes on the page while the table runs: at once, for the next game, through kills."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from croupier.commands import LayCard, StartGame
from croupier.config import load
from croupier.errors import CannotWrite
from croupier.events import CommandGiven
from croupier.i18n import of_table, use
from croupier.observers import ObservedGame
from croupier.observers.notifier import Notifier
from croupier.runtime import settings as subject
from croupier.runtime.page import TablePage
from croupier.runtime.settings import RENAMED, PendingNames, TableSettings
from croupier.runtime.terminal import Terminal
from croupier.table_api.live_table import ChangeSettings, Settings, SettingsAnswer, Value, mark
from croupier_extras.voice.cues import Loudness
from croupier_extras.voice.plugin import VoiceSection
from croupier_rules.referee import parse_header
from croupier_rules.referee.corrections import SetTo
from tests.runtime.live import Running

TEXT = """\
# Our table.
[camera]
source = "none"  # people lay what they like
[seats]
names = ["Ann", "Ben"]  # clockwise
dealer = 0
[rules]
base = "g7942-en"
stack.draw2 = "draw2"
[voice]
program = "none"
speech = false
"""


@pytest.fixture(autouse=True)
def language() -> Any:
    before = of_table()
    yield
    use(before)


class Settled(Running):
    """A table with its settings and its terminal; a restart reads the file again."""

    def __init__(self, folder: Path, text: str = TEXT) -> None:
        self.file = folder / "croupier.toml"
        self.file.write_text(f"{text}[journal]\nfile = '{folder / 'croupier.journal'}'\n")
        self.shown: list[str] = []
        super().__init__(folder / "croupier.journal", self.file.read_text())

    def start(self, **more: Any) -> None:
        self.text = self.file.read_text()
        config = load(self.file)
        console = Console(file=_Lines(self.shown), width=200)  # type: ignore[arg-type]
        terminal = Terminal(console)
        self.notifier = Notifier(config, terminal, self.shown.append)
        names = PendingNames(Path(f"{config.journal.file}{RENAMED}"))
        super().start(observers=lambda session, submit: [names, terminal.begin(session), *self._told(session)], **more)
        self.settings = TableSettings(self.table, self.file, config, terminal, self.notifier, names)
        self.view = TablePage(self.table, settings=self.settings, plugins=self.notifier.plugins)
        self.wait(0.5)

    def _told(self, session: Any) -> Any:
        return self.notifier.begin(ObservedGame(session.header, session.game, session.past, session.position))

    def kill(self) -> None:
        super().kill()
        self.notifier.close()

    @property
    def now(self) -> Settings:
        found = self.view.state.settings
        assert found is not None
        return found

    @property
    def names(self) -> tuple[str, ...]:
        return self.table.run.session.header.seats

    def change(self, seen: str | None = None, **options: Value) -> SettingsAnswer:
        """Change these options, with __ in place of the dot; ``seen``: by default what is shown now."""
        named = {name.replace("__", "."): value for name, value in options.items()}
        group = self.now.now if named.keys() & dict(self.now.now).keys() else self.now.later
        answer = self.view.ask(ChangeSettings(named, mark(group) if seen is None else seen))
        assert answer is not None
        return answer

    def lay(self, *cards: str) -> None:
        for card in cards:
            self.say(CommandGiven(t=self.table.clock.now(), command=LayCard(card)))
            self.wait(0.5)

    def play_a_round(self) -> None:
        """Ben goes out with his second card."""
        self.go(0.5)
        self.lay("red-5")
        self.say(CommandGiven(t=self.table.clock.now(), command=SetTo({"hands": {1: 1}})))
        self.wait(0.5)
        self.lay("red-6")


class _Lines:
    def __init__(self, lines: list[str]) -> None:
        self._lines = lines

    def write(self, text: str) -> None:
        self._lines.append(text)

    def flush(self) -> None: ...


@pytest.fixture
def table(tmp_path: Path) -> Any:
    running = Settled(tmp_path)
    yield running
    running.kill()


def test_names_language_colors_and_voice_change_at_once(table: Settled) -> None:
    assert table.view.state.plugin("voice") is None
    answer = table.change(
        seats__names=("Anna", "Ben"), table__language="de", page__theme="dark", voice__on=True, voice__volume=30
    )
    assert answer == SettingsAnswer()
    table.wait(0.5)
    assert table.names == ("Anna", "Ben")
    assert table.log[-1]["player"] == {"does": "rename", "seat": 0, "name": "Anna"}
    assert (table.view.state.language, table.view.state.theme) == ("de", "dark")
    assert table.view.state.plugin("voice") == Loudness(30, muted=False)
    assert "Neuer Name: Anna." in "".join(table.shown)
    table.change(voice__on=False, table__language=None)
    assert table.view.state.plugin("voice") is None


def test_the_file_keeps_its_comments_and_a_restart_what_was_changed(table: Settled) -> None:
    table.change(seats__names=("Anna", "Ben"))
    table.change(rules__seven="swap", game__target=200)
    text = table.file.read_text()
    assert all(comment in text for comment in ("# Our table.", "# people lay what they like", "# clockwise"))
    table.wait(0.5)
    pending = table.now.next_header
    table.kill()
    table.start()
    assert table.names == ("Anna", "Ben")
    assert table.now.next_header == pending
    assert table.table.run.session.header.ruleset.name == "g7942-en+stack.draw2=draw2"


def test_rules_wait_for_the_next_game_and_can_be_taken_back(table: Settled) -> None:
    table.change(game__target=1)
    table.change(rules__seven="swap")
    later = parse_header(table.now.next_header)
    assert later.ruleset.name == "g7942-en+stack.draw2=draw2+seven=swap"
    assert later.options.target == 1
    header = table.table.run.session.header
    assert (header.ruleset.name, header.options.target) == ("g7942-en+stack.draw2=draw2", None)
    kept = ChangeSettings(dict(table.now.running), mark(table.now.later))
    assert table.view.ask(kept) == SettingsAnswer()
    assert table.now.next_header == ""
    assert load(table.file).ruleset().name == "g7942-en+stack.draw2=draw2"
    assert load(table.file).game.target is None


def test_the_next_game_is_played_by_what_was_kept(tmp_path: Path) -> None:
    table = Settled(tmp_path, TEXT.replace('"draw2"', '"draw2"\ngoal = "round"'))
    played = "g7942-en+stack.draw2=draw2+goal=round"
    wanted: dict[str, Value] = {"rules.house": "seven-zero", "rules.stack.draw2": None, "game.target": 300}
    assert table.view.ask(ChangeSettings(wanted, mark(table.now.later))) == SettingsAnswer()
    table.play_a_round()
    assert (table.position.phase, set(table.table.run.session.header.ruleset.name.split("+"))) == (
        "game_over", set(played.split("+")),
    )  # fmt: skip
    table.go(1)
    header = table.table.run.session.header
    assert (table.table.run.session.game, header.options.target, table.now.next_header) == (2, 300, "")
    assert set(header.ruleset.name.split("+")) == {"g7942-en", "goal=round", "seven=swap", "zero=pass-on"}
    table.kill()


def test_colors_leave_a_game_alone_that_was_agreed_on_the_page(table: Settled) -> None:
    header = parse_header({**table.table.run.session.header.to_json(), "ruleset": "g7942-fr", "dealer": 1})
    table.say(CommandGiven(t=table.table.clock.now(), command=StartGame(header)))
    table.wait(0.5)
    table.change(page__theme="light")
    assert (table.now.next_header, table.table.next_header.ruleset.name) == ("", "g7942-fr")
    table.change(game__deal="winner")
    assert load(table.file).ruleset().name == "g7942-fr"


WRONG: list[tuple[dict[str, Value], str, str]] = [
    ({"seats.names": ("Ann", "Ann")}, "seats.names", '"Ann" appears twice'),
    ({"seats.names": ("Ann", " ")}, "seats.names", "a name is empty"),
    ({"seats.names": ("Ann", "Ben", "Cat")}, "", "another number of seats"),
    ({"table.language": "xx"}, "table.language", "expected"),
    ({"page.theme": "pink"}, "page.theme", "expected auto, light or dark"),
    ({"voice.volume": 101}, "voice.volume", "101: expected a whole number, 0 to 100"),
    ({"voice.volume": "loud"}, "voice.volume", "expected a whole number"),
    ({"rules.base": "nothing"}, "rules.base", "unknown rule sheet"),
    ({"rules.house": "nothing"}, "rules.house", "unknown house rules"),
    ({"rules.seven": "dance"}, "rules.seven", "expected"),
    ({"rules.stack.limit": "4", "rules.stack.draw2": None}, "", "nothing could be stacked"),
    ({"game.target": 0}, "game.target", "1 or more"),
    ({"game.target": "many"}, "game.target", "expected a whole number"),
    ({"game.blank.text": "Dance"}, "game.blank.text", "has no blank wilds"),
    ({"seats.teams": ((0, 1),)}, "seats.teams", "partners play in pairs"),
]


@pytest.mark.parametrize(("options", "where", "why"), WRONG)
def test_what_is_wrong_is_said_at_its_option_and_nothing_is_changed(
    table: Settled, options: dict[str, Value], where: str, why: str
) -> None:
    before, text = table.now, table.file.read_text()
    is_now = options.keys() <= dict(before.now).keys()
    right: dict[str, Value] = {"voice.on": True, "voice.language": "fr"} if is_now else {"game.deal": "winner"}
    seen = mark(before.now if is_now else before.later)
    answer = table.view.ask(ChangeSettings({**right, **options}, seen))
    assert answer is not None
    assert [at for at, _text in answer.mistakes] == [where]
    assert why in answer.mistakes[0][1]
    table.wait(0.5)
    assert (table.now, table.file.read_text()) == (before, text)


def test_what_was_opened_before_another_change_changes_nothing(table: Settled) -> None:
    seen = mark(table.now.now)
    assert table.change(seen, page__theme="dark") == SettingsAnswer()
    assert table.change(seen, page__theme="dark") == SettingsAnswer(), "a second press is no mistake"
    assert table.change(seen, page__theme="light", table__language="fr").is_stale
    assert (table.view.state.theme, table.now.now) == ("dark", table.now.now)
    assert load(table.file).table.language is None
    seen = mark(table.now.later)
    table.change(game__deal="winner")
    assert table.change(seen, game__target=100).is_stale
    assert load(table.file).game.target is None


def test_an_option_that_is_no_setting_is_not_touched(table: Settled) -> None:
    before = table.file.read_text()
    group = mark(table.now.now)
    answer = table.view.ask(ChangeSettings({"voice.program": "auto", "camera.source": "usb:1"}, group))
    assert (answer, table.file.read_text()) == (SettingsAnswer(), before)


def test_a_file_that_cannot_be_written_is_told_and_written_with_the_next_change(
    table: Settled, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = table.file.read_text()

    def refuse(*_: object) -> None:
        raise CannotWrite("{file}: {why}", file=table.file, why="Read-only file system")

    with monkeypatch.context() as patch:
        patch.setattr(subject, "change", refuse)
        assert table.change(page__theme="dark", seats__names=("Anna", "Ben")) == SettingsAnswer()
        assert table.change(game__target=300) == SettingsAnswer()
    table.wait(0.5)
    assert (table.now.unsaved, table.file.read_text()) == ("Read-only file system", before)
    assert (table.view.state.theme, table.names, table.table.next_header.options.target) == (
        "dark", ("Anna", "Ben"), 300,
    )  # fmt: skip
    table.change(voice__volume=20)
    config = load(table.file)
    assert (table.now.unsaved, config.page.theme, config.seats.names) == ("", "dark", ("Anna", "Ben"))
    voice = config.plugin_sections["voice"]
    assert isinstance(voice, VoiceSection)
    assert (config.game.target, voice.volume) == (300, 20)


class Killed(BaseException):
    """The program ends at this point."""


def _killed(*_: object, **__: object) -> None:
    raise Killed


KILLS: dict[str, tuple[Callable[[pytest.MonkeyPatch, Settled], None], bool]] = {
    "before anything is written": (lambda patch, _table: patch.setattr(subject, "put", _killed), False),
    "before the file": (lambda patch, _table: patch.setattr(subject, "change", _killed), True),
    "before the log": (lambda patch, table: patch.setattr(table.table, "submit", _killed), True),
    "after the log": (lambda patch, table: patch.setattr(PendingNames, "compare", lambda *_: None), True),
}


@pytest.mark.parametrize("point", KILLS)
def test_a_kill_at_any_point_leaves_all_of_a_change_or_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    kill, is_kept = KILLS[point]
    table = Settled(tmp_path)
    with monkeypatch.context() as patch:
        kill(patch, table)
        try:
            table.change(seats__names=("Ben", "Ann"))
            table.wait(0.5)
        except Killed:
            pass
        table.kill()
    table.start()
    names = ("Ben", "Ann") if is_kept else ("Ann", "Ben")
    assert (table.names, load(table.file).names()) == (names, names)
    assert not Path(f"{table.path}{RENAMED}").exists()
    table.kill()
    table.start()
    assert table.names == names
    table.kill()
