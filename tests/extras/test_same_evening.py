"""One evening, kept in three ways: a referee watched it, its hands were read from pictures, or typed on a score sheet.
Its statistics are the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from croupier.game_views.story import Story
from croupier.journal import text_of
from croupier_extras.statistics.figures import GameFigures, PlayerStatistics, evening_of, statistics
from croupier_rules.referee import Header, Observation, Options
from croupier_rules.referee.header import teams_seated
from croupier_rules.referee.observations import Play, Shown, to_json
from croupier_rules.rules import load
from croupier_tally.score_sheet import ScoreSheet, new_sheet
from tests.longer import examples, many
from tests.referee.games import Watched

NAMES: Final = ("Ann", "Ben", "Cat", "Dan", "Eva", "Fay")

NEEDS_NO_REFEREE: Final = (
    *("player", "games", "games_won", "rounds", "rounds_won", "points"),
    *("streak", "longest_streak", "rating", "uncertainty"),
)


@dataclass(frozen=True)
class Agreed:
    """What the table plays."""

    names: tuple[str, ...]
    target: int | None = None
    lowest: bool = False
    limit: int | None = None
    partners: bool = False

    def header(self) -> Header:
        """As a refereed game begins."""
        rules = load("g7942-en")
        options = Options(target=self.target, scoring="lowest" if self.lowest else "winner", limit=self.limit)
        teams = teams_seated(rules, len(self.names)) if self.partners else ()
        return Header(ruleset=rules, seats=self.names, dealer=0, teams=teams, options=options)

    def sheet(self) -> ScoreSheet:
        """As a score sheet begins."""
        options: dict[str, Any] = {"target": self.target, "lowest": self.lowest, "limit": self.limit}
        return new_sheet(self.names, "g7942-en", partners=self.partners, **options)


@st.composite
def agreements(draw: st.DrawFn) -> Agreed:
    """Every way to count."""
    kind = draw(st.sampled_from(("winner", "lowest", "limit", "partners")))
    names = NAMES[: 4 if kind == "partners" else draw(st.integers(2, 6))]
    points = draw(st.sampled_from((60, 150, 500)))
    if kind == "limit":
        return Agreed(names, limit=points)
    return Agreed(names, target=points, lowest=kind == "lowest", partners=kind == "partners")


Round = tuple[int, dict[int, tuple[str, ...]]]
"""The seat that went out, and the hands that were laid open."""


def refereed(agreed: Agreed, seed: int, rounds: int) -> tuple[Story, list[Observation]]:
    """A random evening, refereed from the first card to the last, and all that was observed."""
    header = agreed.header()
    log = [observation for observation, _ in Watched(header, seed).play(rounds)]
    return Story(text_of(header.to_json()), *(text_of(to_json(observation)) for observation in log)), log


def rounds_of(story: Story, log: Sequence[Observation]) -> Iterator[Round]:
    """What people write down of it. Of a hand that was shown after a challenge, the rest is known at the end."""
    for one in story.scores_at(story.at(None)):
        assert one.went_out is not None
        hands: dict[int, list[str]] = {}
        for moment in story.standing:
            if moment.round != one.round or not moment.n:
                continue
            match log[moment.n - 1]:
                case Shown(seat=seat, cards=cards):
                    hands[seat] = list(cards)
                case Play(card=card) if moment.actor is not None and card in hands.get(moment.actor, ()):
                    hands[moment.actor].remove(card)
        yield one.went_out, {seat: tuple(cards) for seat, cards in hands.items() if seat != one.went_out}


def by_hand(sheet: ScoreSheet, rounds: Sequence[Round], chance: Random) -> ScoreSheet:
    """Hands are typed in any order; now and then somebody else is said to be out first, and a round is taken back."""
    for winner, hands in rounds:
        if chance.random() < 0.2:
            sheet = sheet.with_winner(next(iter(sheet.with_winner(winner).to_show), winner))
        if chance.random() < 0.2:
            sheet = sheet.with_winner(winner).without_last_round()
        sheet = sheet.with_winner(winner)
        for seat in chance.sample(sorted(sheet.to_show), len(sheet.to_show)):
            sheet = sheet.with_hand(seat, hands[seat])
    return sheet


def by_photos(sheet: ScoreSheet, rounds: Sequence[Round], chance: Random) -> ScoreSheet:
    """Cards lie in any order in a picture; now and then one is read again, before the last is in, and was misread."""
    for winner, hands in rounds:
        sheet = sheet.with_winner(winner)
        order = chance.sample(sorted(sheet.to_show), len(sheet.to_show))
        for place, seat in enumerate(order):
            cards = chance.sample(hands[seat], len(hands[seat]))
            if place + 1 < len(order) and chance.random() < 0.3:
                sheet = sheet.with_hand(seat, cards[:1])
            sheet = sheet.with_hand(seat, cards)
        sheet = ScoreSheet.parse(sheet.text.encode(), "friday.score")
    return sheet


def figures(story: Story) -> list[dict[str, Any]]:
    players: list[PlayerStatistics] = statistics([GameFigures.of(story)])
    return [{what: value for what, value in one.to_json().items() if what in NEEDS_NO_REFEREE} for one in players]


def check(agreed: Agreed, seed: int, rounds: int) -> None:
    (story, log), chance = refereed(agreed, seed, rounds), Random(seed)
    written = list(rounds_of(story, log))
    found = figures(story)
    assert sum(one["rounds_won"] for one in found) == len(written) * (2 if agreed.partners else 1)
    assert figures(by_hand(agreed.sheet(), written, chance).story) == found
    assert figures(by_photos(agreed.sheet(), written, chance).story) == found


def property_of(n: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large]
    return lambda test: settings(max_examples=n, deadline=None, suppress_health_check=checks)(
        given(agreed=agreements(), seed=st.integers(0, 2**32), rounds=st.integers(1, 6))(test)
    )


@property_of(examples(20))
def test_the_same_evening_has_the_same_statistics_whoever_kept_the_score(
    agreed: Agreed, seed: int, rounds: int
) -> None:  # fmt: skip
    check(agreed, seed, rounds)


@pytest.mark.nightly
@property_of(many(10_000))
def test_ten_thousand_evenings_have_the_same_statistics(agreed: Agreed, seed: int, rounds: int) -> None:
    check(agreed, seed, rounds)


def test_who_was_eliminated_gets_no_cards_and_the_evening_goes_on() -> None:
    check(Agreed(NAMES[:5], limit=150), 4544216, 5)


def test_a_hand_that_was_shown_after_a_challenge_counts_in_every_way() -> None:
    check(Agreed(NAMES, target=500), 3899, 6)
    check(Agreed(NAMES[:5], target=60), 44375, 1)


def test_who_wins_every_round_of_a_score_sheet_is_no_stranger_to_it() -> None:
    sheet = new_sheet(("Ann", "Ben"), "g7942-en")
    for cards in (["red-7"], ["wild"]):
        sheet = sheet.with_winner(0).with_hand(1, cards)
    (ann, ben) = figures(sheet.story)
    assert (ann["player"], ann["games"], ann["rounds"], ann["rounds_won"], ann["points"]) == ("Ann", 1, 2, 2, 57)
    assert (ben["player"], ben["rounds"], ben["rounds_won"], ben["points"]) == ("Ben", 2, 0, 0)


def test_the_receipts_of_a_person_are_those_of_the_games_refereed_and_written_by_hand() -> None:
    refereed_story, _log = refereed(Agreed(("Ann", "Ben"), target=60), 5, 3)
    sheet = new_sheet(("ann", "Cat"), "g7942-en").with_winner(0).with_hand(1, ["red-7"])
    unfinished = new_sheet(("Ann", "Ben"), "g7942-en")
    games = [
        GameFigures.of(story, began)
        for began, story in ((1e9, refereed_story), (None, sheet.story), (None, unfinished.story))
    ]
    found = {one.name: one.receipts for one in statistics(games)}
    assert found["ann"] == [(None, sheet.story.receipt), (evening_of(1e9), refereed_story.receipt)]
    assert [code for _day, code in found["Cat"]] == [sheet.story.receipt]
    assert [code for _day, code in found["Ben"]] == [refereed_story.receipt]
