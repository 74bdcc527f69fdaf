"""Help and usage errors of the command line in the reader's language.

Texts of commands and options are English in the source and need no mark: `make texts` takes them from the commands
(`help_texts`), and `localized` replaces them before Typer shows them. What Typer itself says is in
``i18n/others.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import Any, Final

import typer

from croupier.i18n import _, from_others, marked

_EXAMPLES: Final = marked("Examples:")
_OPTIONS, _COMMAND = marked("[OPTIONS]"), marked("COMMAND [ARGS]...")
_HELP: Final = marked("Show this message and exit.")
_PLACEHOLDER: Final = re.compile(r"[A-Z]{3,}")
"""What a metavar has that stands for something: FILE; not N."""
_EXTRA: Final = re.compile(r"  \[([^\[\]]+)\]$")
"""What Typer adds to the help of an option: ``  [default: 4; x>=1]``."""
_TYPE: Final = re.compile(r" <[^<>]+>$")
"""What Typer adds to the name of an argument: `` <list[str]>``."""

_filled: Final[dict[str, tuple[str, dict[str, str]]]] = {}


def filled(text: str, **words: str) -> str:
    """Return a help text with names in it that no language translates: ``filled("One of {decks}.", decks=…)``."""
    whole = text.format_map(words)
    _filled[whole] = text, words
    return whole


def examples(*lines: str) -> str:
    """Return the end of a help text: command lines that can be tried."""
    # \b keeps the lines of the paragraph apart.
    return "\n".join(["\b", _EXAMPLES, *(f"  {line}" for line in lines)])


def offer(group: typer.Typer, run: Callable[..., int | None], *arguments: str, of: str = "croupier") -> None:
    """Offer ``run`` under its own name in a ``group``; its help closes with examples of ``arguments``."""
    name = run.__name__
    group.command(epilog=examples(*(f"{of} {name} {one}".rstrip() for one in arguments)))(run)


def help_texts(command: Any) -> Iterator[str]:
    """Yield every text of a command and its subcommands that is to be translated: paragraphs, and metavars."""
    for text in (command.help, *(param.help for param in command.params)):
        for paragraph in _paragraphs(text):
            yield _filled.get(paragraph, (paragraph,))[0]
    yield from (param.metavar for param in command.params if _PLACEHOLDER.search(param.metavar or ""))
    for subcommand in getattr(command, "commands", {}).values():
        yield from help_texts(subcommand)


def localized(command: Any) -> Any:
    """Return the command and its subcommands with their texts in the current language."""
    command = copy(command)
    command.context_class = _Context
    command.help = _localize(command.help)
    command.epilog = (command.epilog or "").replace(_EXAMPLES, _(_EXAMPLES))
    command.options_metavar = _(_OPTIONS)
    command.params = [copy(param) for param in command.params]
    for param in command.params:
        param.help = _localize(param.help)
        param.metavar = _(param.metavar) if _PLACEHOLDER.search(param.metavar or "") else param.metavar
    if hasattr(command, "commands"):
        command.subcommand_metavar = _(_COMMAND)
        command.commands = {name: localized(subcommand) for name, subcommand in command.commands.items()}
    return command


def usage_error(fault: typer.TyperException) -> str:
    """Format a usage error as one line that names the command and its help."""
    context: Any = getattr(fault, "ctx", None)
    message = " ".join(str(getattr(fault, "format_message", fault.__str__)()).split()).rstrip(".")
    command = context.command_path if context else "croupier"
    return _("{command}: {error}; see {command} --help", command=command, error=from_others(message))


def _paragraphs(text: str | None) -> list[str]:
    return [" ".join(paragraph.split()) for paragraph in (text or "").split("\n\n") if paragraph.strip()]


def _localize(text: str | None) -> str:
    found = (_filled.get(paragraph, (paragraph, {})) for paragraph in _paragraphs(text))
    return "\n\n".join(_(template, **words) for template, words in found)


class _Formatter(typer.Context.formatter_class):  # type: ignore[valid-type, misc]
    """Typer's own words, in the current language."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        # A required argument is NAME, as an option's value is, not Typer's {NAME}.
        super().write_usage(prog, re.sub("[{}]", "", args), prefix or _("Usage:") + " ")

    def write_heading(self, heading: str) -> None:
        super().write_heading(from_others(heading))

    def write_dl(self, rows: Sequence[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        super().write_dl([(_TYPE.sub("", name), _of_typer(text)) for name, text in rows], col_max, col_spacing)


def _of_typer(text: str) -> str:
    if text == _HELP:
        return _(_HELP)
    return _EXTRA.sub(lambda extra: f"  [{'; '.join(map(from_others, extra[1].split('; ')))}]", text)


class _Context(typer.Context):
    formatter_class = _Formatter
