"""Translation of every text that people see, and the choice of the language.

    _("There is no game {game}.", game=7)
    ngettext("{n} card", "{n} cards", 3)

The English text is the key of the lookup, so the call contains it literally: no f-string, no concatenation. Variable
parts are named in braces. Each distribution with texts has its own translations, in ``i18n/<language>.po`` of its
package (`docs/translating.md`); the build compiles them to ``<language>.mo``, which is all that an installed program
has. Those of plug-ins are found by entry points in the group `TRANSLATIONS`.

A new language is one more line of `LANGUAGES` and its catalogs (docs/adding.md).

The language is that of `speaking` inside its block (a reader of the page), elsewhere the one set by `use` (the table).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache, cached_property
from gettext import GNUTranslations, NullTranslations
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Final

from croupier.errors import CroupierError
from croupier.errors import marked as marked

LANGUAGES: Final = {
    "en": "English",
    "fr": "Français",
    "de": "Deutsch",
    "nl": "Nederlands",
    "sv": "Svenska",
    "it": "Italiano",
    "es": "Español",
    "pt": "Português",
    "el": "Ελληνικά",
    "hu": "Magyar",
    "pl": "Polski",
}
"""The languages by ISO 639-1 code, each with its own name for itself."""

_SEMICOLONS: Final = {"el": "· "}
"""What stands for a semicolon, where that is another sign. (A Greek semicolon is a question mark.)"""

_NO_BREAK: Final = {"fr": re.compile(" (?=[:;!?»])|(?<=«) ")}
"""Spaces at which no line may end: French has one before a colon. The catalogs have ordinary spaces there."""

TRANSLATIONS: Final = "croupier.translations"
"""The group of the entry points of plug-ins with translations: each names a package with a folder ``i18n``."""

_HERE: Final = Path(__file__).parent

_VARIABLES: Final = ("LC_ALL", "LC_MESSAGES", "LANG")
_MOST_ACCEPTED: Final = 30

_table = "en"
_chosen: str | None = None
_reader: ContextVar[str | None] = ContextVar("_reader", default=None)


def language() -> str:
    """The current language: a key of `LANGUAGES`."""
    return _reader.get() or _table


def semicolon() -> str:
    """What parts two clauses in the current language: in errors, what is wrong from what to do."""
    return _SEMICOLONS.get(language(), "; ")


def of_table() -> str:
    """The language of people who have not chosen their own, also while another person is addressed."""
    return _table


def use(code: str, *, is_choice: bool = False) -> None:
    """Set the language for everybody without one of their own; ``is_choice``: people asked for it."""
    global _table, _chosen
    assert code in LANGUAGES
    _table, _chosen = code, code if is_choice else None


def chosen() -> str | None:
    """The language that people asked for; ``None``: texts about a ruleset may be in the ruleset's language."""
    return _reader.get() or _chosen


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """Set the language inside the block and in the tasks started from it (but not in threads)."""
    assert code in LANGUAGES
    token = _reader.set(code)
    try:
        yield
    finally:
        _reader.reset(token)


def _(text: str, **words: object) -> str:
    """The text in the current language, with ``words`` filled in."""
    return _filled(_typeset(_catalog(language()).gettext(text), language()), words)


def ngettext(one: str, many: str, n: int, **words: object) -> str:
    """The text for ``n`` of something, in the right plural form; ``{n}`` is filled in like ``words``."""
    return _filled(_typeset(_catalog(language()).ngettext(one, many, n), language()), {"n": n, **words})


def localize(err: CroupierError) -> tuple[str, ...]:
    """The lines of an error in the current language: its template is `marked`, or in ``others.toml``. Also the text
    of its cause, where it quotes that."""
    lines = (_(err.template, **err.words),) if err.template and len(err.lines) == 1 else err.lines
    cause = err.__cause__
    if isinstance(cause, CroupierError) and (quoted := str(cause)):
        lines = tuple(line.replace(quoted, " ".join(localize(cause))) for line in lines)
    return tuple(map(from_others, lines))


def known(name: str) -> str | None:
    """The language code in ``de``, ``pt-BR``, ``fr_CH.UTF-8``; ``None`` if there is no such catalog."""
    code = re.split("[-_.@]", name.strip().lower())[0]
    return code if code in LANGUAGES else None


def of_terminal(environment: Mapping[str, str]) -> str:
    """The language of a terminal according to its environment, else English."""
    return known(next((environment[name] for name in _VARIABLES if environment.get(name)), "")) or "en"


def of_browser(chosen: str | None, accepted: str, table: str) -> str:
    """The language of a page: the person's choice, else the best of the browser's preferences, else the ``table``'s.

    ``accepted``: the header Accept-Language, such as ``de-AT,de;q=0.8,en;q=0.5``.
    """
    if chosen and (code := known(chosen)):
        return code
    preferences = sorted(map(_preference, accepted.split(",")[:_MOST_ACCEPTED]), key=lambda one: -one[0])
    return next((code for weight, name in preferences if weight > 0 and (code := known(name))), table)


def _preference(item: str) -> tuple[float, str]:
    """The weight (0…1) and the name of a language; a weight that is not a number counts as 0."""
    name, _separator, weight = item.partition(";")
    try:
        return float(weight.partition("=")[2]) if weight else 1.0, name.strip()
    except ValueError:
        return 0.0, name


def from_others(text: str) -> str:
    """What a part that knows no languages says in English, in the current language, also behind the name of what it is
    said of (``camera 0: …``); unchanged if it is not in ``others.toml``."""
    if language() == "en":
        return text
    for template, pattern in _patterns():
        if found := pattern.fullmatch(text):
            return _(template, **{name: from_others(value) for name, value in found.groupdict().items()})
    name, colon, rest = text.partition(": ")
    return f"{from_others(name)}: {from_others(rest)}" if colon else text


@cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    """Each template in ``others.toml``, and what matches the texts that are made from it."""
    return [
        (one, re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", re.escape(one))))
        for texts in tomllib.loads((_HERE / "others.toml").read_text(encoding="utf-8")).values()
        for one in texts
    ]


@cache
def _typeset(text: str, code: str) -> str:
    """A translation with the no-break spaces of its language."""
    pattern = _NO_BREAK.get(code)
    return pattern.sub("\N{NO-BREAK SPACE}", text) if pattern else text


def _filled(text: str, words: dict[str, object]) -> str:
    """``text`` with ``words``; what stands for ``{why}`` are the words of others."""
    if "why" in words:
        words["why"] = from_others(str(words["why"]))
    return text.format_map(words) if words else text


@cache
def _catalog(code: str) -> NullTranslations:
    """All texts of a language. The texts in the program are English."""
    if code == "en":
        return NullTranslations()
    catalog = GNUTranslations(BytesIO(compiled(_HERE / f"{code}.po")))
    catalog.add_fallback(_Plugins(code))
    return catalog


class _Plugins(NullTranslations):
    """The texts of the plug-ins that are installed. They are read when the program's own catalog lacks a text: to look
    for plug-ins takes longer than to read a catalog."""

    def __init__(self, code: str) -> None:
        super().__init__()
        self._code = code

    @cached_property
    def _catalogs(self) -> NullTranslations:
        whole = NullTranslations()
        for folder in _folders_of_plugins():
            with suppress(FileNotFoundError):  # a plug-in need not know each language
                whole.add_fallback(GNUTranslations(BytesIO(compiled(folder / f"{self._code}.po"))))
        return whole

    def gettext(self, message: str) -> str:
        return self._catalogs.gettext(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self._catalogs.ngettext(msgid1, msgid2, n)


def _folders_of_plugins() -> list[Path]:
    """The folders of the catalogs of all plug-ins, in the order of the names of their entry points."""
    from importlib.metadata import entry_points  # loads the library for e-mail

    found = (find_spec(entry.value) for entry in sorted(entry_points(group=TRANSLATIONS)))
    return [Path(place) / "i18n" for spec in found if spec for place in spec.submodule_search_locations or ()]


def compiled(source: Path) -> bytes:
    """The compiled catalog of a ``.po`` file; compiled again if that is newer (in a checkout).

    Raises:
        FileNotFoundError: there is neither of them.
    """
    target = source.with_suffix(".mo")
    with suppress(FileNotFoundError):
        made = target.stat().st_mtime_ns
        if not source.exists() or source.stat().st_mtime_ns < made:
            return target.read_bytes()

    from croupier.files import write_whole
    from croupier.i18n.catalogs import compile_catalog

    catalog = compile_catalog(source)
    with suppress(OSError):  # a folder that may not be written: compiled again by the next program
        write_whole(target, catalog)
    return catalog
