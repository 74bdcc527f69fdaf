"""Every text of the page goes through `_`, so that it can be said in other languages."""

from __future__ import annotations


def _(text: str, **words: object) -> str:
    """The text in the language of the reader, with ``words`` filled in."""
    return text.format(**words) if words else text
