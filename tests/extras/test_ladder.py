"""The family ladder: places with ties, evenings in a row, who catches whom, luck; by the command and on the page."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, date, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from croupier.cli import main
from croupier.game_views.story import Story
from croupier.i18n import speaking
from croupier.journal import Journal, text_of
from croupier_extras.statistics.figures import GameFigures, evening_of
from croupier_extras.statistics.ladder import COLUMNS, Evening, Ladder, LadderEntry, ladder, luck_text
from croupier_extras.statistics.people import People
from croupier_tally.page.serving import serve_scores
from croupier_tally.score_sheet import new_sheet
from tests.journal.games import game_lines
from tests.patience import PATIENCE_S
from tests.web.stories import simulated
from tests.web.tables import page

DAY = date(2026, 3, 7)


def game(places: dict[str, int], day: date | None = DAY, rounds: tuple[str, ...] = ()) -> GameFigures:
    """A game with these places; ``rounds``: who won each."""
    counts = {name: Counter({"rounds": len(rounds), "rounds_won": rounds.count(name)}) for name in places}
    sides = tuple(((one,), *((other,) for other in places if other != one)) for one in rounds)
    return GameFigures(counts, {name: [] for name in places}, sides, places=places, evening=day)


def places_of(found: Ladder) -> list[tuple[int, str]]:
    return [(one.place, one.name) for one in found.entries]


TWO_TIE = {"Ann": 1, "Ben": 2, "Cat": 2, "Dan": 4}


@pytest.mark.parametrize(
    ("games", "places"),
    [
        pytest.param([game(TWO_TIE)], [(1, "Ann"), (2, "Ben"), (2, "Cat"), (4, "Dan")], id="a-tie-leaves-a-place-out"),
        pytest.param(
            [game({"Ann": 1, "Ben": 2}), game({"Ann": 1, "Ben": 2}), game({"Ann": 2, "Ben": 1})],
            [(1, "Ann"), (2, "Ben")],
            id="most-games-win-the-evening",
        ),
        pytest.param(
            [game({"Ann": 1, "Ben": 2}), game({"Ann": 2, "Ben": 1})],
            [(1, "Ann"), (1, "Ben")],
            id="an-evening-that-nobody-wins-alone",
        ),
        pytest.param(
            [
                game({"Ann": 1, "Ben": 2, "Cat": 3}),
                game({"Ann": 3, "Ben": 2, "Cat": 1}, date(2026, 3, 8)),
                game({"Ann": 3, "Ben": 1, "Cat": 2}, date(2026, 3, 9)),
            ],
            [(1, "Ben"), (2, "Cat"), (3, "Ann")],
            id="second-places-decide",
        ),
        pytest.param([game({"Ann": 1, "Ben": 2}, None), game({"Ann": 2, "Ben": 1})], [(1, "Ann"), (1, "Ben")],
                     id="a-day-that-nobody-knows"),
        pytest.param([], [], id="nothing-played"),
    ],
)  # fmt: skip
def test_the_ladder_counts_places_like_medals(games: list[GameFigures], places: list[tuple[int, str]]) -> None:
    assert places_of(ladder(games)) == places


NAMES = ("Ann", "Ben", "Cat", "Dan")


@st.composite
def played(draw: st.DrawFn) -> list[GameFigures]:
    """Some evenings, each with some games of some people."""
    days = sorted(draw(st.lists(st.integers(1, 28), min_size=1, max_size=8)))
    games = []
    for day in days:
        names = draw(st.lists(st.sampled_from(NAMES), min_size=2, unique=True))
        points = [draw(st.integers(0, 2)) for _name in names]
        places = {name: 1 + sum(other > own for other in points) for name, own in zip(names, points, strict=True)}
        rounds = tuple(draw(st.lists(st.sampled_from(names), max_size=3)))
        games.append(game(places, date(2025 + day % 2, 3, day), rounds))
    return sorted(games, key=lambda one: one.evening or DAY)


@settings(max_examples=60, deadline=None)
@given(played())
def test_the_ladder_is_what_counting_by_hand_gives(games: list[GameFigures]) -> None:
    evenings: list[dict[str, int]] = []
    for _day, of_day in groupby(games, key=lambda one: one.evening):
        medals = {name: [0] * 5 for name in NAMES}
        there = set()
        for one in of_day:
            for name, place in one.places.items():
                medals[name][place] += 1
                there.add(name)
        evenings.append({a: 1 + sum(medals[b] > medals[a] for b in there) for a in there})
    found = {one.name: one for one in ladder(games).entries}
    assert set(found) == {name for evening in evenings for name in evening}
    for name, entry in found.items():
        own = [evening[name] for evening in evenings if name in evening]
        assert [one.place for one in entry.evenings] == own
        runs = [len(list(run)) for won, run in groupby(own, key=lambda place: place == 1) if won]
        assert entry.longest_streak == max(runs, default=0)
        assert entry.streak == (runs[-1] if own[-1] == 1 else 0)
        assert entry.best.rounds_won == max(one.rounds_won for one in entry.evenings)
    for evening in evenings:  # ties share a place, the next one is left out
        assert sorted(evening.values()) == [1 + sum(b < a for b in evening.values()) for a in sorted(evening.values())]
    assert sum(one.luck for one in found.values()) == pytest.approx(0), "what one has more, others have less"
    years = [ladder(games, year) for year in ladder(games).years]
    assert sum(len(e.evenings) for one in years for e in one.entries) == sum(len(e.evenings) for e in found.values())
    assert ladder(reversed(list(reversed(games)))) == ladder(games)


def test_luck_is_what_was_won_beyond_the_chances_before_each_round() -> None:
    (ann, ben, cat) = ladder([game({"Ann": 1, "Ben": 2, "Cat": 2}, rounds=("Ann",))]).entries
    assert [one.luck for one in (ann, ben, cat)] == pytest.approx([2 / 3, -1 / 3, -1 / 3])
    (ann, *_others) = ladder([game({"Ann": 1, "Ben": 2, "Cat": 2}, rounds=("Ann",) * 30)]).entries
    assert 30 * 2 / 3 > ann.luck > 5, "who always wins is expected to, after some time"


@pytest.mark.parametrize(
    ("rounds", "text"),
    [(0.4, "as expected"), (-0.4, "as expected"), (0.9, "about 1 round more"), (-2.2, "about 2 rounds fewer")],
)
def test_luck_is_said_in_whole_rounds(rounds: float, text: str) -> None:
    with speaking("en"):
        assert luck_text(rounds) == text


def test_a_person_is_one_and_who_is_forgotten_is_not_shown() -> None:
    people = People().with_names(NAMES).renamed("Ann", "Annie").without("Cat")
    games = [game({"Ann": 1, "Ben": 2, "Cat": 2}), game({"Annie": 2, "Ben": 3, "Cat": 1}, date(2026, 3, 9))]
    games[0].caught["Ann", "Ben"] = 2
    games[1].caught["Cat", "Ben"] = 9
    found = ladder(games, people=people)
    assert places_of(found) == [(1, "Annie"), (3, "Ben")], "others keep their places"
    assert found.caught == ((("Annie", "Ben"), 2),)
    assert places_of(ladder(games, None, ["ben"], people)) == [(1, "Annie")]


@pytest.mark.parametrize(
    ("began", "day"),
    [
        (datetime(2026, 3, 7, 20, 15), date(2026, 3, 7)),
        (datetime(2026, 3, 8, 1, 30), date(2026, 3, 7)),
        (datetime(2026, 3, 8, 5, 0), date(2026, 3, 8)),
        (datetime(2026, 3, 8), date(2026, 3, 8)),
    ],
)
def test_an_evening_lasts_until_five_in_the_morning(began: datetime, day: date) -> None:
    assert evening_of(began.astimezone(UTC).timestamp()) == day


HEADER: dict[str, Any] = {
    "log": "croupier/1", "ruleset": "g7942-en", "seats": ["Ann", "Ben", "Cat"], "dealer": 2,
    "given": {"turn": 0, "top": "red-5", "hands": [3, 3, 7]},
}  # fmt: skip
FOUR = [{"obs": "play", "t": 10, "seat": 0, "card": "wild-draw4"}, {"obs": "color", "t": 11, "color": "red"}]
SHOWN = {"obs": "shown", "t": 13, "seat": 0}


@pytest.mark.parametrize(
    ("then", "fed"),
    [
        pytest.param([{"obs": "accept", "t": 12, "seat": 1}], {("Ann", "Ben"): 1}, id="accepted"),
        pytest.param([{"obs": "challenge", "t": 12, "seat": 1}, SHOWN | {"cards": ["blue-1", "blue-2"]}],
                     {("Ann", "Ben"): 1}, id="challenged-in-vain"),
        pytest.param([{"obs": "challenge", "t": 12, "seat": 1}, SHOWN | {"cards": ["red-1", "red-2"]}], {},
                     id="bluffed: who laid it draws"),
    ],
)  # fmt: skip
def test_who_gives_whom_a_plus_four(then: list[dict[str, Any]], fed: dict[tuple[str, str], int]) -> None:
    lines = [*FOUR, *then]
    assert GameFigures.of(Story(text_of(HEADER), *map(text_of, lines))).fed == fed
    undone = {"obs": "overrule", "t": 20, "undo": len(lines)}
    assert not GameFigures.of(Story(text_of(HEADER), *map(text_of, [*lines, undone]))).fed


@pytest.mark.parametrize("seed", range(4))
def test_of_a_whole_game_each_catch_and_each_large_draw_has_its_pair(seed: int) -> None:
    lines = game_lines(seed, rounds=4)
    found = GameFigures.of(Story(*lines))
    assert sum(found.caught.values()) == sum(one["catches"] for one in found.counts.values())
    for name, count in found.counts.items():
        assert sum(n for (by, _whom), n in found.caught.items() if by == name) == count["catches"]
    laid = [json.loads(line).get("card", "") for line in lines[1:]]
    assert 0 < sum(found.fed.values()) <= laid.count("wild-draw4")
    assert all(by != whom for by, whom in (*found.fed, *found.caught))


def test_partners_share_their_place() -> None:
    sheet = new_sheet(NAMES, "g7942-en", partners=True).with_winner(0).with_hand(1, ["red-7"]).with_hand(3, ["wild"])
    assert GameFigures.of(sheet.story).places == {"Ann": 1, "Cat": 1, "Ben": 3, "Dan": 3}
    assert GameFigures.of(new_sheet(NAMES, "g7942-en").story).places == {}


def write_evenings(folder: Path) -> None:
    """Score sheets of three evenings in two years, and a refereed game."""
    for day, winner in (("2025-12-30", 1), ("2026-01-02", 0), ("2026-01-09", 0)):
        sheet = new_sheet(("Ann", "Ben"), "g7942-en").with_winner(winner).with_hand(1 - winner, ["red-7"])
        (folder / f"{day}.score").write_text(sheet.text)


def test_the_command_shows_the_ladder_of_a_year_and_of_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_evenings(tmp_path)

    def shown(*options: str) -> list[tuple[int, str, int, int]]:
        assert main.run(["stats", "--json", *options]) == 0
        lines = map(json.loads, capsys.readouterr().out.splitlines())
        return [(one["place"], one["player"], one["evenings"], one["streak"]) for one in lines]

    assert shown("--ladder") == [(1, "Ann", 3, 2), (2, "Ben", 3, 0)]
    assert shown("--year", "2025") == [(1, "Ben", 1, 1), (2, "Ann", 1, 0)]
    assert shown("--year", "1999") == []
    with Journal(tmp_path / "croupier.journal") as journal:
        journal.add(game_lines(1, rounds=4), began=1.7e9)
        journal.add(simulated(game_lines(2)), began=1.7e9)
    assert main.run(["stats", "--ladder"]) == 0
    out = capsys.readouterr().out
    assert "Evenings won" in out
    assert "→ Player" in out
    assert "±" not in out
    assert main.run(["stats", "--year", "1999"]) == 0
    assert capsys.readouterr().out == "There is no game to count yet.\n"


def test_the_page_shows_the_newest_year_and_leads_to_the_others(tmp_path: Path) -> None:
    write_evenings(tmp_path)
    with serve_scores(tmp_path, "127.0.0.1", 0, None) as up, httpx.Client(base_url=up.url, timeout=PATIENCE_S) as site:
        assert 'href="/statistics/ladder"' in site.get("statistics").text
        newest = site.get("statistics/ladder").text
        assert "<h1>Family ladder 2026" in newest
        assert "2 of 2" in newest
        assert 'href="/statistics/ladder?year=2025"' in newest
        assert "<h1>Family ladder</h1>" in site.get("statistics/ladder?year=0").text
        assert "no game to count" in site.get("statistics/ladder?year=1999").text
        assert site.get("statistics/ladder?year=x").status_code == 422


def test_nobody_reads_a_plus_minus_of_people(tmp_path: Path) -> None:
    with page(tmp_path, game_lines(1, rounds=3, open_hands=True)) as up:
        for path in ("statistics", "statistics/ladder"):
            text = up.client().get(path).text
            assert "Player 1" in text
            assert "±" not in text


@pytest.mark.parametrize(
    ("won", "rounds", "said"), [(1, 1, "1 of 1 round"), (0, 1, "0 of 1 round"), (1, 3, "1 of 3 rounds")]
)
def test_the_best_evening_counts_its_rounds(won: int, rounds: int, said: str) -> None:
    best = dict(COLUMNS)["Best evening"]
    assert best(LadderEntry("Ann", 1, [Evening(None, 1, won, rounds)])) == said
