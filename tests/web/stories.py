"""Stories of games, to be looked at."""

from __future__ import annotations

import json
from collections.abc import Sequence

from croupier.game_views.story import Story
from croupier.journal import text_of
from croupier_rules.referee.observations import SIMULATED, to_json


def story_of(lines: Sequence[str], first: str | None = None) -> Story:
    """The story of a table log; ``first``: what seat 0 is called."""
    header = json.loads(lines[0])
    if first is not None:
        header["seats"][0] = first
    return Story(text_of(header), *lines[1:])


def simulated(lines: Sequence[str]) -> list[str]:
    """The log of a game as if it had been simulated."""
    return [lines[0], *(text_of(to_json(said)) for said in SIMULATED), *lines[1:]]
