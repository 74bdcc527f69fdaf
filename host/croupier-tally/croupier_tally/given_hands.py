"""Input of people for hands: the numbers of their cards, and files of which two may be the same."""

from __future__ import annotations

import filecmp
import re
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Annotated

import typer

from croupier.i18n import _

HandSizes = Annotated[
    str | None,
    typer.Option(
        "--cards",
        metavar="N[,N…]",
        help="How many cards each hand has: exactly so many must be read, and a ? beside them does not count.",
    ),
]


def hand_sizes(text: str | None, known: Sequence[int | None]) -> list[int]:
    """Return the number of cards of each hand as it was given; nothing if it was not. ``known``: the numbers that are
    known anyway, since the cards were typed; None for those of a picture."""
    if text is None:
        return []
    sizes = text.split(",") if re.fullmatch(r"[1-9]\d{0,2}(,[1-9]\d{0,2})*", text) else []
    if len(sizes) != len(known) or any(n not in (None, int(size)) for n, size in zip(known, sizes, strict=True)):
        example = ",".join(str(n or 7) for n in known or [None])
        raise typer.BadParameter(
            _("--cards {cards}: expected a number for each hand, as in --cards {example}", cards=text, example=example)
        )
    return [int(size) for size in sizes]


def same_files(files: Sequence[str]) -> tuple[str, str] | None:
    """Return the first two files with the same content; ``None`` if all differ. Only regular files are compared."""
    regular = [file for file in files if Path(file).is_file()]
    return next((pair for pair in combinations(regular, 2) if filecmp.cmp(*pair, shallow=False)), None)
