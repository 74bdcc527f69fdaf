"""What somebody may have meant who wrote a name that there is not."""

from __future__ import annotations

from collections.abc import Iterable


def meant(word: str, words: Iterable[str]) -> str:
    """``did you mean …? `` with the nearest of ``words``, to begin what was expected; empty where none is near."""
    from difflib import get_close_matches  # only who mistypes waits for it

    return "".join(f"did you mean {near}? " for near in get_close_matches(word, list(words), n=1))
