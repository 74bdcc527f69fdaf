"""Compiles a catalog. The build runs this file alone, before anything of ours is installed (hatch_catalogs.py)."""

from __future__ import annotations

from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path


def compile_catalog(source: Path) -> bytes:
    """The ``.po`` file of a language, which is its name, as a ``.mo`` file; the same bytes at any time and place.

    Needs Babel, which `make setup` installs and the wheel build requires.
    """
    from babel.messages.catalog import Catalog
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    # Dates of the compilation would make every build another one.
    never = datetime.fromtimestamp(0, UTC)
    whole, packed = Catalog(locale=source.stem, creation_date=never, revision_date=never), BytesIO()
    with source.open("rb") as po:
        for message in read_po(po, locale=source.stem):
            if message.id and message.string and not message.fuzzy:
                whole[message.id] = message
    write_mo(packed, whole)
    return packed.getvalue()
