"""Croupier: a card table that deals, watches and referees a game of UNO and adds the score from the real cards."""

from __future__ import annotations

__version__: str


def __getattr__(name: str) -> str:
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import version  # loads the library for e-mail

    return version("croupier-core")
