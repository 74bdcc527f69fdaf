"""What somebody may have meant who wrote a name that there is not."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from typing import Final

_FEW: Final = 3
"""More names that are equally near say nothing."""


def near(word: str, words: Iterable[str]) -> list[str]:
    """The names that are nearest to ``word``; none where no name is near, or too many are equally so."""
    from difflib import SequenceMatcher, get_close_matches  # only who mistypes waits for it

    def nearness(name: str) -> tuple[float, int]:
        same = takewhile(lambda pair: pair[0] == pair[1], zip(name, word, strict=False))
        return SequenceMatcher(None, name, word).ratio(), len(list(same))

    close = get_close_matches(word, known := list(words), n=max(1, len(known)))
    nearest = [name for name in close if nearness(name) == max(map(nearness, close))]
    return nearest if len(nearest) <= _FEW else []


def meant(word: str, words: Iterable[str]) -> str:
    """``did you mean …? ``, to begin what was expected; empty where no name is `near`."""
    nearest = near(word, words)
    return f"did you mean {' or '.join(nearest)}? " if nearest else ""
