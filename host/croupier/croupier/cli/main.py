"""The program `croupier`: the command line, its language, its exit status.

A command returns its exit status: nothing or 0 for done, 1 where the answer is "no". A `CroupierError` ends the
program with status 2 and one line on standard error: input that cannot be used.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from typer.main import get_command

from croupier import plugins
from croupier.cli import games, table
from croupier.cli.help_texts import filled, localized, offer, usage_error
from croupier.cli.options import quick_option
from croupier.errors import BadConfig, CroupierError, PluginUnavailable, one_line
from croupier.files import CONFIG
from croupier.i18n import LANGUAGES, _, known, localize, of_terminal, use
from croupier.process_exit import end_process

CARD_READER: Final = ("cardsight", "cv2", "numpy")
"""Modules that a table has and a hub need not have: the distribution croupier brings them, croupier-core does not."""


def _typer() -> typer.Typer:
    # Plain help: the colored one costs a tenth of a second at each start.
    settings = {"help_option_names": ["-h", "--help"]}
    return typer.Typer(name="croupier", add_completion=False, rich_markup_mode=None, context_settings=settings)


app = _typer()


def _plugin(name: str) -> typer.Typer:
    """Return the command of a plug-in; if its package is not installed, a hidden command that names the package."""
    try:
        plugin: typer.Typer = plugins.load(plugins.COMMANDS, name)
    except PluginUnavailable as err:
        missing = err
        plugin = typer.Typer()

        @plugin.command(name, hidden=True, context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
        def fail() -> None:
            raise missing

    return plugin


_command = partial(offer, app)
_command(table.setup, "", "camera table", "--page --host 0.0.0.0")
_command(table.host, "", "Ann Ben Cat Dan", "--camera http://192.168.1.20:8080/video --no-browser")
_command(table.run, "", "--config club/croupier.toml --new")
_command(
    table.doctor, "", "--only camera --try", "--bundle report.zip", "--shoe", "--shoe --counts --json",
    "--shoe --simulated slip",
)  # fmt: skip
_command(games.page, "", "game.jsonl", "--host 0.0.0.0")
_command(games.referee, "game.jsonl", "--json < game.jsonl")
_command(games.replay, "game.jsonl", "--game 3 --round 2", "game.jsonl --at 40", "game.jsonl --page game.html")
app.add_typer(games.journal_app, name="journal")


@app.callback(invoke_without_command=True)
def croupier(
    context: typer.Context,
    show_version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
    _language: Annotated[
        str | None,
        typer.Option(
            "--language",
            metavar="CODE",
            help=filled("The language of any command: {languages}.", languages=", ".join(LANGUAGES)),
        ),
    ] = None,
) -> None:
    """Read the cards of a game of UNO, referee it and add the score."""
    if show_version:
        from croupier import __version__
        from croupier.installer import built_from

        commit = built_from()
        print(f"croupier {__version__} ({commit})" if commit else f"croupier {__version__}")
    elif context.invoked_subcommand is None:
        print(context.get_help())


class _Plain:
    """Takes texts, paths and flags as they are. What Typer builds for them loads pydantic, a tenth of a second."""

    def __init__(self, annotation: Any) -> None:
        self._annotation = annotation

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """As Typer's own."""
        if value is None:
            return [] if self._annotation == list[str] else None
        return Path(value) if self._annotation is Path else list(value) if self._annotation == list[str] else value


def program() -> Any:
    """Return the whole command line as Typer runs it, with the commands of plugins."""
    whole = _empty()
    whole.registered_commands, whole.registered_groups = [*app.registered_commands], [*app.registered_groups]
    for name in (*plugins.names(plugins.COMMANDS), *plugins.missing_commands()):
        whole.add_typer(_plugin(name))
    return get_command(whole)


def _empty() -> typer.Typer:
    made = _typer()
    made.registered_callback = app.registered_callback
    return made


@cache  # a test runs many commands in one process
def _own_command(name: str) -> Any:
    """Return the command line with only the command ``name`` of this package; None if it has no such command. To build
    all of them takes a tenth of a second."""
    chosen = _empty()
    chosen.registered_commands = [one for one in app.registered_commands if one.callback.__name__ == name]  # type: ignore[union-attr]
    chosen.registered_groups = [one for one in app.registered_groups if one.typer_instance.info.name == name]  # type: ignore[union-attr]
    return _only(name, chosen) if chosen.registered_commands or chosen.registered_groups else None


def _plugin_command(name: str) -> Any:
    """As `_own_command`, of a plug-in."""
    if name not in plugins.names(plugins.COMMANDS):
        return None
    chosen = _empty()
    chosen.add_typer(_plugin(name))
    return _only(name, chosen)


def _only(name: str, chosen: typer.Typer) -> Any:
    """The command line of ``chosen``, which has the one command ``name``."""
    command: Any = get_command(chosen)
    root = typer.Context(command, **command.context_settings)
    for one, context in ((command, root), (command.commands[name], typer.Context(command.commands[name], root))):
        for param in one.get_params(context):
            annotation = getattr(getattr(param, "type_descriptor", None), "annotation", None)
            if annotation in (str, list[str], Path) or getattr(param, "is_flag", False):
                param.get_runtime_param = partial(_Plain, annotation)
    return command


def run(arguments: Sequence[str]) -> int:
    """Run one command line (without the program's name) and return the exit status: 0, 1, 2 or 130."""
    try:
        status = _invoke(arguments)
        sys.stdout.flush()
        return status
    except typer.TyperException as fault:
        return _print_errors(usage_error(fault))
    except CroupierError as fault:
        return _print_errors(*(f"croupier: {line}" for line in localize(fault)))
    except BrokenPipeError:
        # The reader has closed the pipe, as `croupier read … | head -1` does.
        _drop_output()
        return 0
    except OSError as fault:  # reading has errors of its own, so this is an output file on a full disk
        _drop_output()
        return _print_errors("croupier: " + _("cannot write: {why}; make room, or write elsewhere", why=fault.strerror))
    except KeyboardInterrupt:
        return 130


def _invoke(arguments: Sequence[str]) -> int:
    """Run a command and return its exit status, without Typer's `main`, which has other exit statuses."""
    arguments = select_language(arguments)
    name = next((word for word in arguments if not word.startswith("-")), "")
    command = localized(_own_command(name) or _plugin_command(name) or program())
    try:
        with command.make_context("croupier", arguments) as context:
            return command.invoke(context) or 0
    except typer.Exit as end:
        return int(end.exit_code)
    except ModuleNotFoundError as err:
        module = (err.name or "croupier").partition(".")[0]
        if module.startswith("croupier") or module in sys.stdlib_module_names:
            raise
        wanted = "croupier" if module in CARD_READER else "croupier[table]"
        raise plugins.incomplete(name, err, wanted) from err


def _drop_output() -> None:
    """Discard buffered output, which would raise again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_errors(*lines: str) -> int:
    for line in lines:
        print(one_line(line), file=sys.stderr)
    return 2


def main() -> None:
    """Run the program as the shell called it."""
    if sys.stdout is None:  # closed (`croupier … >&-`): nobody wants to read it
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # any file name can be printed
    end_process(run(sys.argv[1:]))


OPTION: Final = "--language"


def select_language(arguments: Sequence[str]) -> list[str]:
    """Select the language: `--language`, else the language of the table, else the language of the system.

    Return the command line without that option, which may stand anywhere in it.

    Raises:
        BadConfig: there is no such language.
    """
    wanted, rest = _take(arguments, OPTION)
    choice = known(wanted or "") or known(_table_language(_take(rest, "--config")[0] or CONFIG))
    use(choice or of_terminal(os.environ), is_choice=choice is not None)
    if wanted is not None and known(wanted) is None:
        text = _("--language {code}: unknown language: expected one of {all}", code=wanted, all=", ".join(LANGUAGES))
        raise BadConfig(text)
    return rest


def _take(arguments: Sequence[str], option: str) -> tuple[str | None, list[str]]:
    """Return the value of an option, None without it, and the arguments without the option."""
    value: str | None = None
    rest: list[str] = []
    left = iter(arguments)
    for argument in left:
        if argument == "--":
            return value, [*rest, argument, *left]
        if argument == option:
            value = next(left, "")
        elif argument.startswith(f"{option}="):
            value = argument.partition("=")[2]
        else:
            rest.append(argument)
    return value, rest


def _table_language(file: str | Path) -> str:
    """Return the language that the file names, or "". The command itself reports mistakes in the file."""
    return str(quick_option(Path(file), "table", "language") or "")
