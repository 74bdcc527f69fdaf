"""The settings that an admin changes on the page while the table runs: names, rules, language, colors, and those that
plug-ins offer, such as the volume of the voice.

Rules and agreements wait for the next game, since a table log has one ruleset; the others change at once. All are
written to `croupier.toml` first: the file is what a restart goes by. Names stand in the log of the game, too; a change
of them is kept in a file of its own until the log has it, so that a kill between the two loses none.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any, Final

from croupier.config import BadConfigFile, Config, change
from croupier.config.file import changed, file_text, read
from croupier.config.model import later_options
from croupier.config.validation import format_path
from croupier.errors import BadRuleSet, CannotWrite, CroupierError
from croupier.events import SequencedEvent
from croupier.files import put
from croupier.i18n import _, localize, of_terminal, speaking, use
from croupier.journal import text_of
from croupier.observers.notifier import Notifier
from croupier.runtime.table import Table
from croupier.runtime.terminal import Terminal
from croupier.table_api.live_table import ChangeSettings, Settings, SettingsAnswer, Value, mark
from croupier_rules.referee.corrections import ChangePlayers
from croupier_rules.referee.position import Position
from croupier_rules.referee.rulings import Ruling
from croupier_rules.rules import load
from croupier_rules.rules.ruleset import value_of

RENAMED: Final = "-names"
"""Suffix of the journal's name for the file with changed names that the log has not yet."""

_NAMES: Final = "seats.names"
_BLANK: Final = "game.blank."

OptionPath = tuple[str, ...]
Changes = dict[OptionPath, Any]
"""Options to set in the file, as of `croupier.config.change`."""


class PendingNames:
    """Changed names that the log has not yet, by seat; an `Observer`, which forgets them as soon as the log has them.
    ``file``: keeps them, so that a kill loses none."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.by_seat: dict[int, str] = {}

    def __call__(self, event: SequencedEvent, rulings: tuple[Ruling, ...], position: Position) -> None:
        """Forget the names if the log has them."""
        self.compare(position.names)

    def compare(self, names: tuple[str, ...]) -> None:
        """Forget the names if all of them are among those of the log."""
        if self.by_seat and all(names[seat] == name for seat, name in self.by_seat.items()):
            self.by_seat = {}
            with suppress(OSError):
                self._file.unlink(missing_ok=True)

    def keep(self, game: int, all_names: tuple[str, ...]) -> None:
        """Write them, and the names of all seats, as of this game. Raises CannotWrite."""
        if self.by_seat:
            put(self._file, json.dumps({"game": game, "names": self.by_seat, "all": all_names}).encode())

    def load(self) -> tuple[int, dict[int, str], list[str]] | None:
        """Return the names that wait in the file: the game, names by seat, and those of all seats; None if nothing
        waits."""
        try:
            loaded = json.loads(self._file.read_text(encoding="utf-8"))
            names = {int(seat): str(name) for seat, name in loaded["names"].items()}
            return loaded["game"], names, [str(name) for name in loaded["all"]]
        except (OSError, AttributeError, KeyError, TypeError, ValueError):
            return None


class TableSettings:
    """The settings of a running table. ``path``, ``config``: its file, and what that says. ``names``: an observer of
    the table. Names whose change a kill has interrupted are changed at once. Thread-safe."""

    def __init__(
        self, table: Table, path: Path, config: Config, terminal: Terminal, notifier: Notifier, names: PendingNames
    ) -> None:
        self._table, self._names = table, names
        self._path, self._config, self._terminal, self._notifier = path, config, terminal, notifier
        self._lock = Lock()
        self._unsaved: Changes = {}
        """Changes that the file lacks, since it could not be written."""
        self._why_unsaved = ""
        self._finish_renaming()

    @property
    def theme(self) -> str:
        """The colors of all pages: ``auto``, ``light`` or ``dark``."""
        return self._config.page.theme

    @property
    def no_call(self) -> str:
        """When all screens show that UNO was not called: ``never``, ``after`` or ``at-once``."""
        return self._config.page.no_call

    @property
    def state(self) -> Settings:
        """The settings now."""
        header, later = self._table.run.session.header, self._table.next_header
        running, next_options = later_options(header), later_options(later)
        return Settings(
            now=tuple(self._now().items()),
            later=tuple(next_options.items()),
            running=tuple(running.items()),
            next_header="" if running == next_options else text_of(later.to_json()),
            unsaved=self._why_unsaved,
        )

    def change(self, wanted: ChangeSettings) -> SettingsAnswer:
        """Change all that is ``wanted``, or nothing."""
        with self._lock:
            before = self._config
            with speaking(wanted.language):
                answer = self._accept(wanted)
            self._speak_as_configured(before)
            return answer

    def _finish_renaming(self) -> None:
        """Change the names whose change a kill has interrupted."""
        if (waiting := self._names.load()) is None:
            return
        game, names, all_names = waiting
        written: Changes = {("seats", "names"): all_names}
        with suppress(CroupierError):  # somebody has changed the file meanwhile: it stays as it is
            self._config = self._saved(read(changed(file_text(self._path), written, self._path), self._path), written)
        session = self._table.run.session
        self._names.by_seat = names
        if game == session.game:
            self._rename()
        self._names.compare(session.header.seats)

    def _now(self) -> dict[str, Value]:
        config, changed_names = self._config, self._names.by_seat
        names = (changed_names.get(seat, name) for seat, name in enumerate(self._table.run.session.header.seats))
        return {
            _NAMES: tuple(names),
            "table.language": config.table.language,
            "page.theme": config.page.theme,
            "page.no_call": config.page.no_call,
            **{
                f"{name}.{option}": getattr(section, option)
                for name, section in config.changeable_sections.items()
                for option in section.at_once
            },
        }

    def _accept(self, wanted: ChangeSettings) -> SettingsAnswer:
        """Check what is wanted, and keep it."""
        now, later = self._now(), later_options(self._table.next_header)
        changes_now, changes_later = (
            {name: value for name, value in wanted.options.items() if name in group and group[name] != value}
            for group in (now, later)
        )
        changed_groups = [group for group, changes in ((now, changes_now), (later, changes_later)) if changes]
        if any(mark(tuple(group.items())) != wanted.seen for group in changed_groups):
            return SettingsAnswer(is_stale=True)
        if not changed_groups:  # a second press
            return SettingsAnswer()
        written = self._unsaved | {_path(name): _as_toml(value) for name, value in changes_now.items()}
        if changes_later:  # all of them: the next game need not be that of the file until now
            written |= _later_changes({**later, **changes_later}, self._config)
        try:
            config = read(changed(file_text(self._path), written, self._path), self._path)
        except BadConfigFile as err:
            names = {format_path(_path(name)): name for name in wanted.options}
            return SettingsAnswer(
                tuple((names[one.where], one.text) if one.where in names else ("", str(one)) for one in err.mistakes)
            )
        except CroupierError as err:
            return SettingsAnswer((("", " ".join(localize(err))),))
        seats = self._table.run.session.header.seats
        if len(config.names()) != len(seats):
            return SettingsAnswer((("", _("croupier.toml has another number of seats: start the table again.")),))
        if _NAMES in changes_now:
            self._names.by_seat = {seat: name for seat, name in enumerate(config.names()) if name != seats[seat]}
        self._config = self._saved(config, written)
        if _NAMES in changes_now:
            self._rename()
        if changes_later:
            self._table.use_header(config.header())
        return SettingsAnswer()

    def _saved(self, config: Config, written: Changes) -> Config:
        """Write to the file what makes it say ``config``. Returns that."""
        try:
            self._names.keep(self._table.run.session.game, config.names())
            change(self._path, written)
            self._unsaved, self._why_unsaved = {}, ""
        except CannotWrite as err:
            self._unsaved, self._why_unsaved = written, str(err.words.get("why", err))
        return config

    def _rename(self) -> None:
        for seat, name in self._names.by_seat.items():
            self._table.submit(ChangePlayers("rename", seat, name=name))

    def _speak_as_configured(self, before: Config) -> None:
        """Use the language and the plug-ins' options of the configuration, where they were others ``before``."""
        chosen = self._config.table.language
        if chosen != before.table.language:
            use(chosen or of_terminal(os.environ), is_choice=chosen is not None)
            self._table.do(self._reword)
        if (self._config.plugin_sections, chosen) != (before.plugin_sections, before.table.language):
            self._notifier.use(self._config)

    def _reword(self) -> None:
        self._terminal.speak()
        self._notifier.speak(self._table.run.session.header)


def _path(option: str) -> OptionPath:
    """The path of an option in the file: the ids of rules have dots of their own."""
    section, _dot, name = option.partition(".")
    return (section, name) if section == "rules" else (section, *name.split("."))


def _as_toml(value: Value | tuple[int, ...]) -> Any:
    return [_as_toml(one) for one in value] if isinstance(value, tuple) else value


def _later_changes(options: Mapping[str, Value], config: Config) -> Changes:
    """The changes of a file that says ``config``, after which it has these options of the next game."""
    game = config.game.model_dump()
    changes: Changes = {
        _path(name): _as_toml(value)
        for name, value in options.items()
        if name.startswith("game.") and not name.startswith(_BLANK) and value != game[name.removeprefix("game.")]
    }
    if config.seats.teams != options["seats.teams"]:
        changes["seats", "teams"] = _as_toml(options["seats.teams"]) or None
    if options[f"{_BLANK}text"] is None:
        changes["game", "blank"] = None
    else:
        changes |= {_path(name): value for name, value in options.items() if name.startswith(_BLANK)}
    return changes | _rule_changes(
        {name.removeprefix("rules."): value for name, value in options.items() if name.startswith("rules.")}, config
    )


def _rule_changes(rules: Mapping[str, Value], config: Config) -> Changes:
    base, house = rules["base"], rules["house"]
    chosen = {rule: _value_of(rule, value) for rule, value in rules.items() if rule not in ("base", "house")}
    chosen = {rule: value for rule, value in chosen.items() if value is not None}
    names = [str(base), *([str(house)] if house else []), *(f"{rule}={value}" for rule, value in chosen.items())]
    with suppress(BadRuleSet):
        if load("+".join(names)).name == config.ruleset().name:
            return {}
    present = {} if config.rules is None else config.rules.model_extra or {}
    return {
        ("rules", "base"): base,
        ("rules", "house"): house,
        **{("rules", rule): None for rule in present if rule not in chosen},  # without quotes: nested tables
        **{("rules", rule): value for rule, value in chosen.items() if present.get(rule) != value},
    }


def _value_of(rule: str, value: Value) -> Value:
    """The value as the catalogue has it; as it was given where there is none."""
    with suppress(BadRuleSet):
        return None if value is None else value_of(rule, value)
    return value
