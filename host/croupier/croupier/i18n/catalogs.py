"""Compiles the catalogs of a language. The build runs this file alone, before anything of ours is installed."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path


def compile_catalogs(language: str, sources: Iterable[Path]) -> bytes:
    """The ``.po`` files of a language as one ``.mo`` file; the same bytes at any time and place.

    Needs Babel, which `make setup` installs and the wheel build requires.
    """
    from babel.messages.catalog import Catalog
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    # Dates of the compilation would make every build another one.
    never = datetime.fromtimestamp(0, UTC)
    whole, packed = Catalog(locale=language, creation_date=never, revision_date=never), BytesIO()
    for file in sorted(sources):
        with file.open("rb") as po:
            for message in read_po(po, locale=language):
                if message.id and message.string and not message.fuzzy:
                    whole[message.id] = message
    write_mo(packed, whole)
    return packed.getvalue()
