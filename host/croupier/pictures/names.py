"""Which cards lie in a picture, as people say: by the name of its file, or in a list."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from croupier.cards import BACK, is_face
from croupier.errors import BadNames

_COUNTED: Final = re.compile(r"(?P<face>.+?)([ _]\(?\d+\)?)?")
"""A file may be one of several of its name: ``red-7.jpg``, ``red-7_2.jpg``, ``red-7 (2).jpg``."""


def named_by_file(image: str) -> tuple[str, ...]:
    """The face that the name of a picture file says, if it says one."""
    found = _COUNTED.fullmatch(Path(image).stem.lower())
    face = found["face"] if found else ""
    return (face,) if is_face(face) or face == BACK else ()


class Names:
    """The cards of pictures, row by row. ``listed`` are by the name of the file, without its folder; the name of a
    file that says a face is heeded where the list does not name it."""

    def __init__(self, listed: Mapping[str, tuple[str, ...]] | None = None) -> None:
        self._listed = listed or {}

    def of(self, image: str) -> tuple[str, ...]:
        """What people say of a picture: its faces in rows from the top, each from the left; empty where nothing."""
        return self._listed.get(Path(image).name) or named_by_file(image)


def read_names(path: str) -> Names:
    """A list with one line for each picture: ``table-1.jpg: red-7 blue-2 wild``. Empty lines and ``#`` are passed over.

    Raises `BadNames`, which names the line.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as fault:
        why = getattr(fault, "strerror", None) or "not a text in UTF-8"
        raise BadNames(f"--names {path}: {why}; expected a list with lines such as table.jpg: red-7 wild") from fault
    listed: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        picture, colon, faces = line.rpartition(":")
        if not colon or not faces.split():
            raise BadNames(f"--names {path}: line {number}: expected a picture and its cards, as table.jpg: red-7 wild")
        named = tuple(faces.replace(",", " ").split())
        for face in named:
            if not is_face(face) and face != BACK:
                raise BadNames(
                    f"--names {path}: line {number}: there is no card {face!r}; expected such as red-7 or wild"
                )
        listed[Path(picture.strip()).name] = named
    return Names(listed)
