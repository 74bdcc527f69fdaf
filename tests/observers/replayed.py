"""Games as an observer sees them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from croupier.devices.protocols import Ask, Say
from croupier.events import Observer
from croupier.log_replay import Record, replay_lines
from croupier_rules.referee import Header
from croupier_rules.referee.observations import Observation, Pick, Play, Upcard


def replayed(lines: Sequence[str], *observers: Observer) -> Iterator[Observation]:
    """Let ``observers`` follow a game, observation by observation; after each, what it was."""
    for said in replay_lines((line.encode() for line in lines), "game"):
        if isinstance(said, Record):
            for observer in observers:
                observer(said.observation, said.rulings, said.position)
            yield said.observation


def header_of(lines: Sequence[str]) -> Header:
    """Who sits where, by which sheet."""
    (header,) = replay_lines((line.encode() for line in lines[:1]), "game")
    assert isinstance(header, Header)
    return header


def laid_open(observation: Observation) -> frozenset[str]:
    """The faces that everybody saw by it."""
    return frozenset({observation.card} if isinstance(observation, Play | Upcard | Pick) else ())


class Asking:
    """A page that keeps what it asks."""

    def __init__(self) -> None:
        self.asked: list[Ask] = []

    def ask(self, ask: Ask) -> None:
        """Note it."""
        self.asked.append(ask)

    def say(self, say: Say) -> None:
        """Nobody listens."""
