"""Every text that people see goes through here: `_` and `ngettext` say it in the language of who reads it.

    from croupier.i18n import _, ngettext

    _("There is no game {game}.", game=7)
    ngettext("{n} card", "{n} cards", 3)

The English text is what is looked up, so it has to stand in the call as it is: no f-string, nothing put together. What
differs is named in braces. The translations stand in ``<language>/<area>.po`` beside this file (`docs/translating.md`).

Which language that is: inside `speaking` the one given there (a reader of the page), elsewhere the one that `use` set
for the whole program (the table's).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from gettext import GNUTranslations, NullTranslations
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

HERE: Final = Path(__file__).parent
"""Where the catalogs are."""

_table = "en"
_chosen: str | None = None
_reader: ContextVar[str | None] = ContextVar("_reader", default=None)


def language() -> str:
    """The language that is spoken now: a key of `LANGUAGES`."""
    return _reader.get() or _table


def use(code: str, *, is_choice: bool = False) -> None:
    """Speak this language wherever no reader has another one; ``is_choice``: people asked for it."""
    global _table, _chosen
    assert code in LANGUAGES
    _table, _chosen = code, code if is_choice else None


def chosen() -> str | None:
    """The language that people asked for; ``None``: what a rule document leads to may be told in the document's."""
    return _reader.get() or _chosen


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """Speak this language inside the block, and in what is started from it (but in threads of one's own)."""
    assert code in LANGUAGES
    token = _reader.set(code)
    try:
        yield
    finally:
        _reader.reset(token)


def _(text: str, **words: object) -> str:
    """The text in the language that is spoken, with ``words`` filled in."""
    return _filled(_catalog(language()).gettext(text), words)


def ngettext(one: str, many: str, n: int, **words: object) -> str:
    """The text for ``n`` of something, in the right plural form; ``{n}`` is filled in as the others are."""
    return _filled(_catalog(language()).ngettext(one, many, n), {"n": n, **words})


def localize(err: CroupierError) -> tuple[str, ...]:
    """What an error says, in the language that is spoken as far as it has not been said in it already."""
    return (_(err.template, **err.words),) if err.words else err.lines


def known(wish: str) -> str | None:
    """The language that is meant by ``de``, ``pt-BR``, ``fr_CH.UTF-8``; ``None`` where it is none of ours."""
    code = re.split("[-_.@]", wish.strip().lower())[0]
    return code if code in LANGUAGES else None


def _filled(text: str, words: dict[str, object]) -> str:
    return text.format_map(words) if words else text


@cache
def _catalog(code: str) -> NullTranslations:
    """All areas of a language as one. The texts in the program are English."""
    if code == "en":
        return NullTranslations()
    from babel.messages.catalog import Catalog
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    whole = Catalog(locale=code)
    for file in sorted((HERE / code).glob("*.po")):
        with file.open("rb") as po:
            for message in read_po(po, locale=code):
                if message.id and message.string and not message.fuzzy:
                    whole[message.id] = message
    packed = BytesIO()
    write_mo(packed, whole)
    packed.seek(0)
    return GNUTranslations(packed)
