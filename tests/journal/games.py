"""Games to keep: random rounds as the lines of a table log."""

from __future__ import annotations

from functools import cache

from croupier.journal import text_of
from croupier_rules.referee.observations import to_json
from tests.referee.games import Watched, header


@cache
def game_lines(
    seed: int = 1, rounds: int = 1, *, open_hands: bool = False, target: int | None = None
) -> tuple[str, ...]:
    """The header and the observations of some rounds between four players; with ``open_hands`` the shoe read faces.
    ``target``: the points that win the game."""
    head = header(options={} if target is None else {"target": target})
    log = Watched(head, seed, open_hands=open_hands).play(rounds)
    return tuple(text_of(line) for line in (head.to_json(), *(to_json(observation) for observation, _ in log)))
