"""Updates the catalogs from the texts in the program (`make texts`), and adds translations.

    python -m tools.texts             add new texts to the catalogs, remove old ones, and list missing translations
    python -m tools.texts missing     print the missing translations as a TOML file to fill in
    python -m tools.texts add FILE    add the translations of such a file

The file has a table for each text, with its translations by language; for a plural, a list of the forms in the order of
the language's catalog:

    ["There is no game {game}."]
    de = "Es gibt kein Spiel {game}."

    ["{n} card"]
    pl = ["{n} karta", "{n} karty", "{n} kart"]
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Iterator, Mapping
from importlib.metadata import entry_points
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from babel import Locale
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po, write_po

from croupier.cli.help_texts import help_texts
from croupier.cli.main import program
from croupier.i18n import LANGUAGES
from croupier.i18n.rules import GROUPS, WORDS
from croupier_rules.rules.catalogue import PARTS
from croupier_rules.rules.ruleset import presets
from tools.lock import DISTRIBUTIONS, ROOT

SOURCE: Final = ROOT / "host/croupier/croupier"
RULES: Final = ROOT / "host/croupier-rules/croupier_rules"
PACKAGES: Final = {
    "croupier": SOURCE,
    "croupier_extras": ROOT / "host/croupier-extras/croupier_extras",
    "croupier_hub": ROOT / "host/croupier-hub/croupier_hub",
    "croupier_tally": ROOT / "host/croupier-tally/croupier_tally",
    "croupier_sim": ROOT / "sim/croupier_sim",
    "croupier_bench": ROOT / "benchmarks/croupier_bench",
}
"""The packages with a folder ``i18n`` of catalogs: one for each distribution with texts."""

TABLES: Final = (SOURCE / "alarms.toml", SOURCE / "i18n/others.toml")
"""Files with texts by device, or by who says them."""

TRANSLATED: Final = tuple(code for code in LANGUAGES if code != "en")
"""The texts in the program are English."""

KEYWORDS: Final[dict[str, Any]] = {"_": None, "ngettext": (1, 2), "marked": None}
_METHODS: Final = {".py": "python", ".html": "jinja2.ext:babel_extract", ".svg": "jinja2.ext:babel_extract"}
_WIDTH: Final = 110

Translation = str | tuple[str, ...] | list[str]


def require_plugins() -> None:
    """Raise SystemExit unless all plug-ins of the workspace are installed as their pyproject.toml files say: the texts
    of a command that is not found would be deleted from the catalogs."""
    missing = [
        f"{name} ({distribution})"
        for distribution, project in DISTRIBUTIONS.items()
        for group, entries in project.get("entry-points", {}).items()
        for name, value in entries.items()
        if not any(entry.value == value for entry in entry_points(group=group, name=name))
    ]
    if missing:
        raise SystemExit(f"not installed: {', '.join(missing)}; run make .venv/.dev first")


def area(file: Path) -> str:
    """Return the package whose catalogs have the texts of a file: its own; what croupier-rules says, the table
    translates."""
    if file.is_relative_to(RULES):
        return "croupier"
    return next(name for name, folder in PACKAGES.items() if file.is_relative_to(folder))


def sources() -> Iterator[Path]:
    """Yield every file that may hold texts, in a fixed order."""
    for root in (SOURCE, RULES, *PACKAGES.values()):
        for file in sorted(root.rglob("*")):
            if file.suffix in _METHODS and "static" not in file.relative_to(root).parts:
                yield file


def in_the_program() -> dict[str, Catalog]:
    """Return the marked texts of the program, by package. What is a text of the table, too, is not in the catalogs of a
    plug-in."""
    found = {name: Catalog() for name in PACKAGES}
    texts = [*_marked(), *_of_the_rules(), *_of_the_tables(), *_of_the_help()]
    for file, text, comments in sorted(texts, key=lambda one: area(one[0]) != "croupier"):
        catalog, where, key = found[area(file)], str(file.relative_to(ROOT)), text if isinstance(text, str) else text[0]
        message = found["croupier"].get(key) or catalog.get(key)
        if message is not None and isinstance(message.id, str) and not isinstance(text, str):
            raise SystemExit(f"{where}: {key!r} is also a text without a plural: word one of them otherwise")
        message = message or catalog.add(text, auto_comments=comments)
        if not any(where == place for place, _line in message.locations):
            message.locations.append((where, 0))
    return {name: catalog for name, catalog in found.items() if len(catalog)}


def _marked() -> Iterator[tuple[Path, str | tuple[str, ...], list[str]]]:
    for file in sources():
        for _line, text, comments, _context in extract_from_file(_METHODS[file.suffix], file, KEYWORDS, ("Note:",)):
            yield file, text, comments


def _of_the_rules() -> Iterator[tuple[Path, str, list[str]]]:
    """Yield rule points, their parts and presets in words, which are data. Numbers are the same in all languages."""
    words = [text for points in GROUPS.values() for point in points for text in (point.question, *point.words.values())]
    parts = [text for parts in PARTS.values() for text in parts.values() if text]
    told = [text for preset in presets().values() for text in (preset.title, preset.about)]
    for file, texts in ((WORDS, [*GROUPS, *words]), (RULES, [*parts, *told])):
        yield from ((file, text, []) for text in texts if not text.isdigit())


def _of_the_tables() -> Iterator[tuple[Path, str, list[str]]]:
    """Yield the texts of tables that are data: each value is one."""
    for file in TABLES:
        for texts in tomllib.loads(file.read_text(encoding="utf-8")).values():
            yield from ((file, text, []) for text in (texts.values() if isinstance(texts, dict) else texts))


def _of_the_help() -> Iterator[tuple[Path, str, list[str]]]:
    """Yield the help texts of all commands, which are docstrings and options in the source."""
    whole = program()
    commands, whole.commands = whole.commands.values(), {}
    for command in (whole, *commands):
        package = next(_callbacks(command)).__module__.partition(".")[0]
        yield from ((PACKAGES[package], text, []) for text in help_texts(command))


def _callbacks(command: Any) -> Iterator[Any]:
    if command.callback is not None:
        yield command.callback
    for subcommand in getattr(command, "commands", {}).values():
        yield from _callbacks(subcommand)


def written(language: str) -> dict[str, Catalog]:
    """Return the present catalogs of a language, by package."""
    catalogs = {}
    for name, file in _files(language).items():
        if file.exists():
            with file.open("rb") as po:
                catalogs[name] = read_po(po, locale=language, domain=name)
    return catalogs


def _files(language: str) -> dict[str, Path]:
    return {name: folder / f"i18n/{language}.po" for name, folder in PACKAGES.items()}


def key_of(message: Message) -> str:
    """Return the key of a message: its text, in the singular."""
    return message.id if isinstance(message.id, str) else message.id[0]


def translations(language: str) -> dict[str, Translation]:
    """Return all translations into a language."""
    return {
        key_of(message): message.string
        for catalog in written(language).values()
        for message in catalog
        if message.id and message.string and any(message.string)
    }


def update(language: str, program: Mapping[str, Catalog], known: Mapping[str, Translation]) -> list[Message]:
    """Write the catalogs of a language. Returns the messages without a translation."""
    missing = []
    for name, file in _files(language).items():
        if name not in program:
            file.unlink(missing_ok=True)
            continue
        catalog = Catalog(locale=language, domain=name, header_comment="", fuzzy=False)
        for message in program[name]:
            if not message.id:
                continue
            string = known.get(key_of(message), "")
            if isinstance(message.id, str) == isinstance(string, str) or not string:
                catalog.add(message.id, string or None, message.locations, auto_comments=message.auto_comments)
            if not is_whole(catalog.get(message.id), catalog.num_plurals):
                missing.append(message)
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(_file(catalog))
    return missing


def is_whole(message: Message | None, plurals: int) -> bool:
    """True if a message is translated, in every plural form."""
    if message is None or not message.string or isinstance(message.id, str):
        return message is not None and bool(message.string)
    return len(message.string) == plurals and all(message.string)


def _file(catalog: Catalog) -> bytes:
    """Return a catalog without dates, sorted by text, so that two changes rarely touch the same lines."""
    head = [
        'msgid ""', 'msgstr ""', f'"Language: {catalog.locale}\\n"', '"MIME-Version: 1.0\\n"',
        '"Content-Type: text/plain; charset=utf-8\\n"', '"Content-Transfer-Encoding: 8bit\\n"',
        f'"Plural-Forms: {catalog.plural_forms}\\n"',
    ]  # fmt: skip
    body = BytesIO()
    write_po(body, catalog, width=_WIDTH, omit_header=True, sort_output=True, no_location=True)
    return ("\n".join(head) + "\n\n").encode() + body.getvalue()


def add(file: Path) -> dict[str, dict[str, Translation]]:
    """Return the translations of a TOML file, by language. Raises SystemExit if the program lacks a text."""
    ours = {key_of(message) for catalog in in_the_program().values() for message in catalog if message.id}
    given: dict[str, dict[str, Translation]] = {code: {} for code in TRANSLATED}
    for key, by_language in tomllib.loads(file.read_text(encoding="utf-8")).items():
        if key not in ours:
            raise SystemExit(f"{file}: {key!r} stands nowhere in the program")
        for code, translation in by_language.items():
            if code not in given:
                raise SystemExit(f"{file}: {key!r}: {code}: expected one of {', '.join(TRANSLATED)}")
            given[code][key] = translation if isinstance(translation, str) else tuple(translation)
    return given


def main(arguments: list[str]) -> int:
    """Run the command line of this module. Returns 1 if translations are missing."""
    require_plugins()
    program = in_the_program()
    given = add(Path(arguments[1])) if arguments[:1] == ["add"] else {code: {} for code in TRANSLATED}
    missing = {code: update(code, program, {**translations(code), **given[code]}) for code in TRANSLATED}
    if arguments == ["missing"]:
        print(_to_fill_in(missing))
        return 0
    for code, messages in missing.items():
        if messages:
            print(f"{code} ({Locale(code).english_name}): {len(messages)} missing, such as {key_of(messages[0])!r}")
    return 1 if any(missing.values()) else 0


def _to_fill_in(missing: Mapping[str, list[Message]]) -> str:
    """Return the missing translations as a file for `add`."""
    tables: dict[str, list[str]] = {}
    for code, messages in missing.items():
        plurals = Catalog(locale=code).num_plurals
        for message in messages:
            empty = '""' if isinstance(message.id, str) else json.dumps([""] * plurals)
            tables.setdefault(key_of(message), []).append(f"{code} = {empty}")
    return "\n\n".join("\n".join([f"[{json.dumps(key, ensure_ascii=False)}]", *lines]) for key, lines in tables.items())


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
