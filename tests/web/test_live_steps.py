"""The page follows the rulings of the table: it referees only what happened before it was opened, and gaps."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from croupier.game_views.story import Story
from croupier.journal import Journal, text_of
from croupier.log_replay import Record
from croupier.table_api.live_table import LiveLine
from croupier.web.game_repository import GameRepository
from croupier_rules.referee import Observation, Referee, Rulings, parse_header, parse_observation
from croupier_rules.referee.corrections import Undo
from croupier_rules.referee.observations import to_json
from croupier_rules.referee.verdict import verdict_to_json
from tests.journal.games import game_lines
from tests.web.events import events
from tests.web.stories import story_of
from tests.web.tables import page

LINES = game_lines(1, rounds=2, open_hands=True)
OPENED = 40
"""So many observations are in the journal when the page is opened."""


def refereed(lines: tuple[str, ...]) -> Iterator[Record]:
    """What the table says of each line."""
    header = parse_header(json.loads(lines[0]))
    referee = Referee(header)
    before = referee.position()
    for n, text in enumerate(lines[1:], start=1):
        observation = parse_observation(json.loads(text), len(header.seats))
        rulings, fields = tuple(referee.observe(observation)), referee.position()
        line = {**to_json(observation), **verdict_to_json(rulings, before, fields, referee.hands_to_show)}
        before = fields
        yield Record(n, observation, rulings, fields, data=line)


STEPS = tuple(refereed(LINES))


def live_lines(game: int = 1) -> list[LiveLine]:
    return [LiveLine(game, step.n, text_of(step.data), step.position.phase) for step in STEPS]


@pytest.fixture
def observed(monkeypatch: pytest.MonkeyPatch) -> list[Observation]:
    """All that is refereed in the page's process."""
    observed: list[Observation] = []
    observe = Referee.observe

    def counting(referee: Referee, observation: Observation) -> Rulings:
        observed.append(observation)
        return observe(referee, observation)

    monkeypatch.setattr(Referee, "observe", counting)
    return observed


class Live:
    """A journal that a table writes, and the page's view of it."""

    def __init__(self, folder: Path) -> None:
        self.journal = Journal(folder / "croupier.journal")
        self.journal.add(LINES[: OPENED + 1], began=0.0)
        self.games = GameRepository(self.journal.path)
        self.steps = live_lines()

    def write(self, n: int, publish: Callable[[int], bool] = lambda n: True) -> None:
        """Write the log up to ``n``, and publish the steps that ``publish`` lets through."""
        for i in range(len(self.journal.lines(1)), n + 1):
            self.journal.append(1, STEPS[i - 1].data)
            if publish(i):
                self.games.append(self.steps[i - 1])


@pytest.fixture
def live(tmp_path: Path, observed: list[Observation]) -> Iterator[Live]:
    made = Live(tmp_path)
    observed.clear()
    yield made
    made.journal.close()


def same(story: Story, n: int) -> bool:
    """Whether a page that joins now shows the same."""
    late = story_of(LINES[: n + 1])
    return (
        story.moments == late.moments
        and story.standing == late.standing
        and story.scores_at(story.at(None)) == late.scores_at(late.at(None))
        and story.is_simulation == late.is_simulation
    )


def test_lines_of_the_live_game_are_not_refereed_again(live: Live, observed: list[Observation]) -> None:
    live.games.story(1)
    assert len(observed) == OPENED
    live.write(len(LINES) - 1)
    assert len(live.games.story(1)) == len(LINES) - 1
    assert len(observed) == OPENED


def test_a_page_that_joins_late_shows_the_same_as_one_that_followed(live: Live) -> None:
    live.games.story(1)
    for n in range(OPENED + 1, len(LINES)):
        live.write(n)
        assert len(live.games.story(1)) == n
    assert same(live.games.story(1), len(LINES) - 1)


def test_a_gap_is_filled_from_the_journal(live: Live, observed: list[Observation]) -> None:
    live.games.story(1)
    live.write(OPENED + 30, lambda n: not OPENED + 10 < n <= OPENED + 15)
    assert len(live.games.story(1)) == OPENED + 30
    refereed_by_now = len(observed)
    live.write(OPENED + 60)
    assert same(live.games.story(1), OPENED + 60)
    observed_by_page = observed[:refereed_by_now]
    assert len(observed_by_page) == OPENED, "the lines of the gap have their verdicts"
    assert len(observed[refereed_by_now:]) == OPENED + 60, "those of the story that joined late"


def test_steps_that_come_twice_or_before_the_game_was_opened_change_nothing(live: Live) -> None:
    live.write(OPENED + 5)
    live.games.story(1)
    for step in live.steps[OPENED - 5 : OPENED + 5]:
        live.games.append(step)
    live.write(OPENED + 10)
    assert same(live.games.story(1), OPENED + 10)


def test_other_games_are_read_from_the_journal_as_they_grow(live: Live) -> None:
    live.journal.add(LINES[:11], began=0.0)
    assert len(live.games.story(2)) == 10
    live.games.append(live.steps[OPENED])
    live.journal.append(2, json.loads(LINES[11]))
    assert len(live.games.story(2)) == 11


def test_a_correction_is_previewed_as_if_all_had_been_refereed_here(live: Live) -> None:
    n = next(i for i in range(OPENED + 1, len(LINES)) if '"obs":"uno"' in LINES[i])
    live.games.story(1)
    live.write(n)
    story, late = live.games.story(1), story_of(LINES[: n + 1])
    assert story.preview(Undo(story.reported(n))) == late.preview(Undo(late.reported(n)))


def test_a_published_step_is_on_the_page(tmp_path: Path) -> None:
    with page(tmp_path, LINES[: OPENED + 1]) as made, made.client().stream("GET", "games/1/events") as answer:
        stream = events(answer)
        assert next(stream)[0] == OPENED
        made.journal.append(1, json.loads(LINES[OPENED + 1]))
        made.server.publish(1, STEPS[OPENED])
        assert next(stream)[0] == OPENED + 1
