"""The table as a picture in the terminal of the demo."""

from __future__ import annotations

import re

import pytest
from rich.console import Console
from rich.text import Text

from croupier.i18n import LANGUAGES, speaking
from croupier_rules.referee.position import Position
from croupier_sim.demo.picture import table_panel
from tests.journal.games import game_lines
from tests.web.stories import story_of

LINES = game_lines(3, rounds=3)


@pytest.mark.parametrize("code", LANGUAGES)
def test_it_finds_room_in_an_ordinary_terminal_in_every_language(code: str) -> None:
    console = Console(width=80)
    with speaking(code):
        story = story_of(LINES)
        for n in (0, 40, len(story)):
            said = [Text(text.seen) for text in map(story.describe, story.moments[1 : n + 1])]
            place = f"{n}/{len(story)}"
            with console.capture() as taken:
                console.print(
                    table_panel(
                        story.header.seats, Position.from_json(story.at(n).position), story.explainer, said,
                        title="replay", facts=[("place", place)],
                    )
                )  # fmt: skip
            lines = re.sub(r"\x1b\[[\d;]*m", "", taken.get()).splitlines()
            assert len(lines) <= 24
            assert max(map(len, lines)) <= 80
            assert place in "\n".join(lines)
            assert not said or said[-1].plain[:40] in " ".join(lines)
