"""Plans of any form: nobody sits twice, byes are shared, scores decide who meets, and JSON keeps to its contract."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from croupier_hub import ELIMINATION, FORMATS, PARTNERS, SINGLE, SWISS
from croupier_hub.errors import BadPlan
from croupier_hub.next_round import final, next_round, present
from croupier_hub.plan import Plan, PlannedRound, sentence
from croupier_hub.planner import make
from croupier_hub.standings import directed


def check(data: dict[str, Any], *, is_open: bool) -> None:
    """Check a plan against the contract. ``is_open``: who is out neither plays nor waits."""
    players = data["players"]
    byes = Counter[int]()
    partner, opponent = Counter[frozenset[int]](), Counter[frozenset[int]]()
    for number, one in enumerate(data["rounds"], start=1):
        assert one["round"] == number
        assert [table["table"] for table in one["tables"]] == list(range(1, len(one["tables"]) + 1))
        assert one["tables"]
        seated = [player for table in one["tables"] for player in table["seats"]]
        all_players = sorted(seated + one["byes"])
        assert len(set(all_players)) == len(all_players)
        assert set(all_players) <= set(range(players)) if is_open else all_players == list(range(players))
        byes.update(one["byes"])
        for table in one["tables"]:
            seats, teams = table["seats"], table["teams"]
            assert 2 <= len(seats) <= 10
            teams_of = {player: team for team in teams for player in team}
            for a in range(len(seats)):
                for b in range(a):
                    together = teams_of.get(seats[a], [seats[a]]) == teams_of.get(seats[b], [seats[b]])
                    (partner if together else opponent)[frozenset((seats[a], seats[b]))] += 1
            if data["format"] not in (SINGLE, SWISS, ELIMINATION):
                assert teams == [[seats[0], seats[2]], [seats[1], seats[3]]]
            else:
                assert teams == []
    waited = [byes[player] for player in range(players)]
    if not is_open:
        assert max(waited) - min(waited) <= 1
    pairs = [frozenset((a, b)) for a in range(players) for b in range(a)]
    for name, counts in (("partner", partner), ("opponent", opponent)):
        numbers = [counts[pair] for pair in pairs]
        assert data["evenness"][name] == [min(numbers), max(numbers)]
    assert data["evenness"]["byes"] == [min(waited), max(waited)]


@st.composite
def asked(draw: st.DrawFn) -> dict[str, Any]:
    form = draw(st.sampled_from(FORMATS))
    exact = {"g7942-partners-4": 4, "g7942-partners-8": 8}.get(form)
    players = exact or draw(st.integers(4 if form == PARTNERS else 2, 200))
    most = players // (4 if form == PARTNERS else 2)
    return {
        "form": form,
        "players": players,
        "rounds": None if form == ELIMINATION else draw(st.integers(1, 30)),
        "tables": None if exact else draw(st.none() | st.integers(1, most)),
        "seed": draw(st.integers(0, 9)),
    }


@settings(max_examples=20, deadline=None)
@given(asked())
def test_in_any_plan_nobody_sits_twice_and_byes_differ_by_one_at_most(options: dict[str, Any]) -> None:
    data = make(**options, swaps=500).to_json()
    check(json.loads(json.dumps(data)), is_open=False)
    assert len(data["rounds"]) == (1 if options["form"] in (SWISS, ELIMINATION) else options["rounds"])


@pytest.mark.parametrize(
    ("form", "players", "rounds", "partner", "opponent"),
    [
        pytest.param("g7942-partners-4", 4, 12, (4, 4), (8, 8), id="four-by-the-sheet"),
        pytest.param("g7942-partners-8", 8, 28, (4, 4), (8, 8), id="eight-by-the-sheet"),
        pytest.param(PARTNERS, 12, 11, (1, 1), (2, 2), id="whist"),
        pytest.param(PARTNERS, 160, 159, (1, 1), (2, 2), id="forty-tables"),
        pytest.param(SINGLE, 16, 5, (0, 0), (1, 1), id="affine-plane"),
        pytest.param(SINGLE, 2, 1, (0, 0), (1, 1), id="head-to-head"),
    ],
)
def test_without_a_number_of_rounds_a_plan_is_as_long_as_makes_it_even(
    form: str, players: int, rounds: int, partner: tuple[int, int], opponent: tuple[int, int]
) -> None:
    plan = make(form, players)
    assert len(plan.rounds) == rounds
    assert (plan.evenness.partner, plan.evenness.opponent) == (partner, opponent)
    check(plan.to_json(), is_open=False)


def test_a_plan_of_the_sheet_quotes_it() -> None:
    assert "28 hands" in make("g7942-partners-8", 8).reasons[0]
    four = make("g7942-partners-4", 4).reasons[0]
    assert "four hands can be played" in four
    assert "four hands with each make twelve" in four


def test_a_seed_repeats_a_plan_and_another_draws_another() -> None:
    assert make(PARTNERS, 22, rounds=4, seed=3) == make(PARTNERS, 22, rounds=4, seed=3)
    assert make(PARTNERS, 22, rounds=4, seed=3).rounds != make(PARTNERS, 22, rounds=4, seed=4).rounds


def test_a_search_of_more_swaps_is_more_even_and_of_as_many_the_same() -> None:
    one, few, many = (make(PARTNERS, 22, rounds=14, swaps=swaps) for swaps in (1, 200, 5000))
    assert many.evenness.key < few.evenness.key < one.evenness.key
    assert make(PARTNERS, 22, rounds=14, swaps=200) == few


def test_swiss_seats_equals_together_and_nobody_meets_again() -> None:
    rng = Random(5)
    plan = make(SWISS, 32, rounds=4)
    totals = [0] * 32
    for _ in range(3):
        for one in plan.rounds[-1].tables:
            totals[rng.choice(one)] += 100
        plan = next_round(plan, totals)
    check(plan.to_json(), is_open=False)
    assert plan.evenness.opponent == (0, 1)
    apart = [max(totals[x] for x in table) - min(totals[x] for x in table) for table in plan.rounds[1].tables]
    assert sum(apart) <= 200 * len(apart)
    with pytest.raises(BadPlan, match="no round is left"):
        next_round(plan, totals)


def test_swiss_byes_go_to_the_last_who_had_none() -> None:
    plan = make(SWISS, 25, tables=2)
    first = set(plan.rounds[0].byes)
    assert len(first) == 5
    totals = list(range(25))
    plan = next_round(plan, totals)
    assert set(plan.rounds[1].byes) == set([x for x in range(25) if x not in first][:5])
    lowest = next_round(make(SWISS, 25, tables=2), totals, lowest=True)
    assert set(lowest.rounds[1].byes) == set([x for x in reversed(range(25)) if x not in first][:5])


@pytest.mark.parametrize("players", [2, 3, 11, 30])
def test_an_elimination_game_ends_with_two_head_to_head(players: int) -> None:
    rng = Random(players)
    plan, totals = make(ELIMINATION, players), [0] * players
    while not plan.winners:
        for table in plan.rounds[-1].tables:
            out = rng.choice(table)
            for player in table:
                totals[player] += 0 if player == out else rng.randint(20, 160)
        plan = next_round(plan, totals)
    check(plan.to_json(), is_open=True)
    assert [player for player, total in enumerate(totals) if total < 500] == list(plan.winners)
    last = plan.rounds[-1]
    assert last.is_final == (len(last.tables) == 1 and len(last.tables[0]) == 2)


def test_if_all_are_out_at_once_the_lowest_total_wins_and_a_tie_is_shared() -> None:
    plan = make(ELIMINATION, 4)
    assert next_round(plan, [510, 700, 500, 500]).winners == (2, 3)
    assert next_round(plan, [510, 700, 499, 500]).winners == (2,)
    assert next_round(plan, [100, 120, 90, 95], limit=100).rounds[-1].is_final


def test_an_elimination_game_is_seated_by_lot_and_not_by_score() -> None:
    plan = make(ELIMINATION, 24)
    by_lot = next_round(plan, [0] * 24).rounds[-1]
    assert next_round(plan, list(range(24))).rounds[-1] == by_lot
    sorted_out = [sorted(table) for table in by_lot.tables]
    assert sorted(sorted_out) != [[*range(first, first + 4)] for first in range(0, 24, 4)]


def test_ten_who_are_left_of_an_elimination_game_sit_at_one_table() -> None:
    tables = next_round(make(ELIMINATION, 12), [0] * 10 + [500] * 2).rounds[-1].tables
    assert [len(table) for table in tables] == [10]


def test_a_final_is_played_by_the_best() -> None:
    plan = make(SWISS, 9)
    played = final(plan, [5, 90, 40, 80, 1, 2, 3, 70, 60], 4)
    assert played.rounds[-1].tables == ((1, 3, 7, 8),)
    assert played.rounds[-1].is_final
    assert played.rounds[-1].byes == (), "nobody else waits for another round"
    assert len(final(make(SINGLE, 12, rounds=1), [*range(12)], 10).rounds[-1].tables[0]) == 10
    paired = final(make(PARTNERS, 8), [5, 90, 40, 80, 1, 2, 3, 70], 4)
    assert paired.teams(paired.rounds[-1].tables[0]) == [[1, 2], [3, 7]]
    assert final(plan, [5, 90, 40, 80, 1, 2, 3, 70, 60], 2, lowest=True).rounds[-1].tables == ((4, 5),)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("g7942-partners-8", 9), "--players 9: the format g7942-partners-8 is for 8 players"),
        ((PARTNERS, 3), "--players 3: the format partners is for 4–1000 players"),
        ((SINGLE, 1), "--players 1: .* 2–1000 players"),
        ((SINGLE, 1001), "--players 1001: .* 2–1000 players"),
    ],
)
def test_a_number_of_players_that_does_not_fit_is_reported(options: tuple[str, int], text: str) -> None:
    with pytest.raises(BadPlan, match=text):
        make(*options)


@pytest.mark.parametrize(
    ("form", "options", "text"),
    [
        (PARTNERS, {"tables": 3}, "--tables 3: expected 1–2 tables for 8 players in the format partners"),
        ("g7942-partners-8", {"tables": 1}, "--tables 1: expected 2 tables"),
        (SINGLE, {"tables": 5}, "--tables 5: expected 1–4 tables"),
        (SINGLE, {"rounds": 0}, "--rounds 0: expected 1 to 1000"),
        (ELIMINATION, {"rounds": 3}, "--rounds: an elimination game ends with its final"),
    ],
)
def test_tables_and_rounds_that_do_not_fit_are_reported(form: str, options: dict[str, int], text: str) -> None:
    with pytest.raises(BadPlan, match=text):
        make(form, 8, rounds=options.get("rounds"), tables=options.get("tables"))


@pytest.mark.parametrize(
    ("form", "totals", "best", "text"),
    [
        (ELIMINATION, [0] * 6, 2, "has its own final"),
        (PARTNERS, list(range(8)), 3, "--final 3: expected 4 players"),
        (SINGLE, list(range(6)), 7, "--final 7: expected 2–6 players"),
        (SINGLE, [9, 5, 5, 5, 1, 0], 2, "--final 2: 1, 2, 3 have the same score"),
        (SINGLE, [9, 8, 5, 5, 1, 0], 3, "--final 3: 2, 3 have the same score"),
    ],
)
def test_a_final_that_cannot_be_played_is_reported(form: str, totals: list[int], best: int, text: str) -> None:
    plan = make(form, len(totals), rounds=None if form == ELIMINATION else 1)
    with pytest.raises(BadPlan, match=text):
        final(plan, totals, best)


def test_a_round_of_a_tournament_by_score_says_why_it_is_seated_so_and_what_comes_next() -> None:
    swiss = next_round(make(SWISS, 8, rounds=3), [0] * 8).reasons
    assert [reason.split(":")[0] for reason in swiss] == ["Swiss", "Only the next round can be planned. After it"]
    assert swiss[1].endswith("croupier tournament plan --after PLAN --scores SCORES")
    game = make(ELIMINATION, 4)
    assert next_round(game, [0, 0, 0, 0]).reasons == (sentence("elim.out"), sentence("elim.final"), swiss[1])
    assert next_round(game, [0, 0, 0, 500]).reasons == (sentence("elim.out"), sentence("elim.final"), swiss[1])
    assert next_round(game, [0, 0, 500, 500]).reasons == (sentence("elim.out"), sentence("elim.final"))
    assert next_round(game, [0, 500, 500, 500]).reasons == (sentence("elim.out"), sentence("elim.final"))
    assert final(swiss_of_eight(), [8, 7, 6, 5, 4, 3, 2, 1], 4).reasons == ("A final of the 4 best by score.",)


def swiss_of_eight(names: tuple[str, ...] = ()) -> Plan:
    return replace(make(SWISS, 8, rounds=3), names=names)


NAMES = ("Ann", "Ben", "Cat", "Dan", "Eve", "Fay", "Gus", "Hal")


def test_players_who_came_late_join_a_tournament_by_score_and_those_who_left_sit_nowhere() -> None:
    known = directed(
        json.dumps({"player": name, "state": state, "round": 1})
        for name, state in [("Zoe", "here"), ("Ian", "expected"), ("Ben", "withdrawn"), ("Ann", "here")]
    )
    plan, gone = present(swiss_of_eight(NAMES), known)
    assert (plan.names, plan.players, gone) == ((*NAMES, "Zoe"), 9, frozenset({1}))
    seated = [x for table in next_round(plan, [0] * 9, gone=gone).rounds[-1].tables for x in table]
    assert sorted(seated) == [0, 2, 3, 4, 5, 6, 7, 8]
    fixed = replace(make(SINGLE, 8, rounds=2), names=NAMES)
    assert present(fixed, known) == (fixed, frozenset({1}))
    with pytest.raises(BadPlan, match="--hub: the plan has no names; expected one that was made with --names"):
        present(swiss_of_eight(), known)


def test_a_final_takes_only_those_who_are_there_and_partners_sit_across() -> None:
    assert final(swiss_of_eight(), [8, 7, 6, 5, 4, 3, 2, 1], 2, gone={0}).rounds[-1].tables == ((1, 2),)
    with pytest.raises(BadPlan, match="--final 8: expected 2–7 players"):
        final(swiss_of_eight(), [0] * 8, 8, gone={0})
    with pytest.raises(BadPlan, match="--final 1: expected 2–8 players"):
        final(swiss_of_eight(), [0] * 8, 1)
    with pytest.raises(BadPlan, match="--final 2: Ben, Cat have the same score"):
        final(swiss_of_eight(NAMES), [9, 5, 5, 1, 1, 1, 1, 1], 2)


def test_second_meetings_are_avoided_before_near_scores_are_sought() -> None:
    """Head to head: neighbors in rank have met, so the nearest others are apart by 7 ranks in all."""
    begun = replace(make(SWISS, 6, rounds=3, tables=3), rounds=(PlannedRound(((0, 1), (2, 3), (4, 5))),))
    for totals in ([60, 50, 40, 30, 20, 10], [10, 20, 30, 40, 50, 60]):
        tables = {tuple(sorted(table)) for table in next_round(begun, totals).rounds[-1].tables}
        assert not tables & {(0, 1), (2, 3), (4, 5)}
        assert sum(high - low for low, high in tables) == 7
    first_with_last = replace(begun, rounds=(PlannedRound(((0, 5), (1, 4), (2, 3))),))
    tables = {tuple(sorted(table)) for table in next_round(first_with_last, [60, 50, 40, 30, 20, 10]).rounds[-1].tables}
    assert not tables & {(0, 5), (1, 4), (2, 3)}
    assert sum(high - low for low, high in tables) == 5
