"""No hidden face is ever shown: a table that knows all hands looks as one with other cards wherever a hand is hidden.

Pages are made of the moments of a story, and of what its referee would accept. Moments are compared in many states,
which costs little; pages and exports in some.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from croupier.game_views.story import Story
from croupier.journal import text_of
from croupier.log_replay import redacted_lines
from croupier.table_api.live_table import TableOffers
from croupier.web.accounts import SPECTATOR, Person
from croupier.web.pages import Pages, Perspective
from croupier_extras.stream import PARTS, PLUGIN
from croupier_rules.cards import BACK, FACES
from croupier_rules.referee import Header, Observation, Referee, Rulings
from croupier_rules.referee.moves import SeatMoves
from croupier_rules.referee.observations import Dealt, Drew, Overrule, Shown, to_json
from croupier_rules.referee.verdict import verdict_to_json
from tests.journal.games import game_lines
from tests.longer import many, run_number, some
from tests.referee.games import Watched, header
from tests.web.tables import RecordingTable

GAME = 1
Compare = Callable[["TwoTables"], None]


class TwoTables:
    """A random game whose table knows all hands, told twice: as it was, and with other faces wherever a hand is
    hidden, or with ``is_blind`` with none of those that were dealt and drawn. ``compare`` is called after each line."""

    def __init__(self, seed: int, compare: Compare, *, is_blind: bool = False) -> None:
        self.n, self._compare, self._is_blind = 0, compare, is_blind
        self._random, self._header = Random(seed), header(2 + seed % 9)
        self.stories = Story(text_of(self._header.to_json())), Story(text_of(self._header.to_json()))
        self._position = Referee(self._header).position()
        self.offers: tuple[TableOffers, ...] = ()
        """What each table offers: the hands, which are for their players alone."""
        self._watched = Watched(self._header, seed, self._look)
        self._watched.play(2)

    def _look(self, observation: Observation, rulings: Rulings, referee: Referee) -> None:
        was_over = self.stories[0].at(None).is_over
        self.n += 1
        observation = self._watched._with_faces(observation)
        other = observation if was_over else self._disguised(observation)
        hands = [*self._watched.table._hands, *([] for _ in self._header.seats)][: len(self._header.seats)]
        before, self._position = self._position, referee.position()
        verdict = verdict_to_json(rulings, before, self._position, referee.hands_to_show)
        for story, seen in zip(self.stories, (observation, other), strict=True):
            story.extend([text_of({**to_json(seen), **verdict})])
        moves = tuple(SeatMoves() for _ in hands)
        self.offers = tuple(
            TableOffers(self.n, moves, tuple(map(tuple, known)))
            for known in (hands, [self._others(hand) for hand in hands])
        )
        self._compare(self)

    def _disguised(self, observation: Observation) -> Observation:
        if self._is_blind:
            return replace(observation, cards=()) if isinstance(observation, Dealt | Drew) else observation
        if isinstance(observation, Dealt | Drew | Shown):
            return replace(observation, cards=tuple(self._others(observation.cards)))
        return observation

    def _others(self, faces: Iterable[Any]) -> list[str]:
        return [self._random.choice(FACES) for face in faces if face != BACK]


def same_moment(tables: TwoTables) -> None:
    one, other = (story.moments[-1] for story in tables.stories)
    assert one == other, tables.n


def compared(states: int, first: int, compare: Compare = same_moment, *, is_blind: bool = False) -> None:
    seed = first
    while states > 0:
        states -= TwoTables(seed, compare, is_blind=is_blind).n
        seed += 1


def test_the_moments_of_which_pages_are_made_hold_no_hidden_face() -> None:
    compared(2_000, run_number() * 100)


@pytest.mark.long
def test_the_moments_of_which_pages_are_made_hold_no_hidden_face_in_many_states() -> None:
    """With CROUPIER_LONG=50 in a million states of the referee."""
    compared(many(20_000), 100_000 + run_number() * 10_000)


PUBLIC = (
    *(Perspective(kind, GAME, SPECTATOR) for kind in ("table", "board", "replay", "turns")),
    Perspective("overlay", GAME, SPECTATOR, plugin=PLUGIN, parts=PARTS),
    *(Perspective("seat", GAME, person, 1) for person in (SPECTATOR, Person("player", 0), Person("referee"))),
    Perspective("table", GAME, Person("referee")),
)


def same_pages(perspectives: Sequence[Perspective], *, is_blind: bool) -> Compare:
    """Compares one page at each moment. What a live seat is offered comes from a referee, who has to find each card
    that is played in the hands that it knows: there a table that tells no face is compared, as long as hands stay
    hidden."""
    live = RecordingTable(game=GAME), RecordingTable(game=GAME)
    pages = tuple(map(Pages, live))

    def compare(tables: TwoTables) -> None:
        perspective = perspectives[tables.n % len(perspectives)]
        now = tables.stories[0].at(None)
        for table, offers in zip(live, tables.offers, strict=True):
            table.offers = offers
        may_ask = perspective.kind != "seat" or (is_blind and now.round == 1 and not now.is_over)
        for n in (None, tables.n) if may_ask else (tables.n,):
            # A receipt stands for all faces of the rounds that are over.
            one, other = (
                page.render_part(perspective, story, n).replace(f"Receipt {story.receipt}", "")
                for page, story in zip(pages, tables.stories, strict=True)
            )
            assert one == other, (perspective, tables.n)

    return compare


@pytest.mark.parametrize("is_leak", [False, True])
def test_no_moment_of_a_log_that_is_judged_here_has_hidden_faces(
    is_leak: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_leak:
        monkeypatch.setattr("croupier.game_views.story.position_without_faces", lambda secret: secret)
    story = Story(*game_lines(5, open_hands=True))
    assert any(one.position.get("known") for one in story.moments) == is_leak


def test_no_receipt_stands_for_a_hand_that_is_played() -> None:
    lines = game_lines(5, rounds=2)
    story = Story(*lines)
    n = next(one.n for one in story.moments if one.round == 2 and one.position["phase"] == "turn")
    story = Story(*lines[: n + 1])
    right = Overrule(story.moments[-1].t, set={"scores": [7, *story.moments[-1].position["scores"][1:]]})
    corrected = Story(*lines[: n + 1], text_of(to_json(right)))
    assert corrected.moments[-1].position["scores"][0] == 7
    assert story.receipt == corrected.receipt != Story(*lines).receipt


@pytest.mark.parametrize("is_blind", some([False, True], 2))
def test_no_hidden_face_changes_what_a_page_shows(is_blind: bool) -> None:
    compared(50, run_number() * 100, same_pages(PUBLIC, is_blind=is_blind), is_blind=is_blind)


def lines_of(head: Header, told: Sequence[Observation]) -> list[str]:
    return [text_of(one) for one in (head.to_json(), *map(to_json, told))]


def same_log(tables: TwoTables) -> None:
    """Of a first round that is played: what is over is shown in full."""
    if tables.stories[0].at(None).round == 1 and not tables.stories[0].at(None).is_over and tables.n % 10 == 0:
        one, other = (
            [*redacted_lines(lines_of(story.header, [story.reported(n + 1) for n in range(tables.n)]))]
            for story in tables.stories
        )
        assert one == other, tables.n


@pytest.mark.parametrize("seed", range(8))
def test_no_hidden_face_is_in_the_log_that_is_given_out(seed: int) -> None:
    TwoTables(seed, same_log)


OWN_PAGE = (Perspective("seat", GAME, Person("player", 1), 1),)
LOG_PAGE = (Perspective("turns", GAME, SPECTATOR),)


@pytest.mark.parametrize(
    ("leaks", "compare", "is_blind"),
    [
        pytest.param("croupier.game_views.story.without_faces", same_moment, False, id="report"),
        pytest.param(
            "croupier.game_views.story.without_faces", same_pages(LOG_PAGE, is_blind=False), False, id="log-page"
        ),
        pytest.param("", same_pages(OWN_PAGE, is_blind=True), True, id="own-hand"),
        pytest.param("croupier.log_replay.without_faces", same_log, False, id="log"),
    ],
)
def test_a_face_that_leaks_is_found(
    leaks: str, compare: Compare, is_blind: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A function that removes faces lets them through; and the page of a player's own seat, which shows the hand."""
    if leaks:
        monkeypatch.setattr(leaks, lambda secret: secret)
    with pytest.raises(AssertionError):
        TwoTables(1, compare, is_blind=is_blind)
