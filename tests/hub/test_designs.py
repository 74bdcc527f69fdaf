"""Published designs have the property that made them known, and search comes up to what is known to be possible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations

import pytest

from croupier_hub.designs import BLOCKS, KIRKMAN, PLANE, ROUND_ROBIN, THREE_TIMES, TRANSVERSAL, WHIST, published, whists
from croupier_hub.fields import Field, Ring
from croupier_hub.rotation import SEARCHED, seat
from croupier_hub.search import Round


def meetings(rounds: Iterable[Round]) -> Counter[frozenset[int]]:
    return Counter(frozenset(pair) for tables in rounds for table in tables for pair in combinations(table, 2))


@pytest.mark.parametrize("order", [2, 3, 4, 5, 8, 9, 16, 25, 27, 49])
def test_every_element_of_a_field_but_0_is_one_power_and_products_distribute(order: int) -> None:
    field = Field(order)
    assert sorted(field.powers) == list(range(1, order))
    for a in range(order):
        for b in range(0, order, 3):
            whole = field.multiply(a, field.add(b, 1))
            assert whole == field.add(field.multiply(a, b), a)


def test_a_ring_has_quarter_turns_only_if_each_of_its_fields_has() -> None:
    assert Ring(21).quarter_turns() is None
    turns = Ring(45).quarter_turns()
    assert turns is not None
    assert sorted(x for turn in turns for x in turn) == list(range(1, 45))


WHISTS = (
    4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29, 32, 36, 37, 40, 41, 45, 49, 52, 53, 61, 64, 65, 76, 80, 81, 85,
    88, 112, 124, 128, 136, 144, 148, 160, 184, 196,
)  # fmt: skip


@pytest.mark.parametrize("players", WHISTS)
def test_a_whist_tournament_lets_everybody_partner_everybody_once_and_oppose_twice(players: int) -> None:
    for rounds in whists(players):
        byes = Counter(player for tables in rounds for player in set(range(players)).difference(*tables))
        assert byes == (Counter(range(players)) if players % 4 else Counter())
        partners = Counter(frozenset(pair) for one in rounds for a, b, c, d in one for pair in ((a, c), (b, d)))
        assert set(partners.values()) == {1}
        assert len(partners) == players * (players - 1) // 2
        assert set(meetings(rounds).values()) == {3}


@pytest.mark.parametrize(
    ("text", "size", "numbers"),
    [
        (ROUND_ROBIN, 2, (2, 4, 6, 10, 30, 100)),
        (KIRKMAN, 3, (9, 15, 21, 27, 39, 45, 51, 57, 63, 75, 99, 123, 147, 201)),
        (PLANE, 4, (16,)),
        (PLANE, 5, (25,)),
        (PLANE, 7, (49,)),
        (BLOCKS, 4, (28, 40, 52, 64, 112, 136, 160)),
        (BLOCKS, 5, (125,)),
    ],
)
def test_where_everybody_meets_everybody_once_each_pair_meets_once(
    text: str, size: int, numbers: tuple[int, ...]
) -> None:
    for players in numbers:
        (design, *_) = [one for one in published(players, size, partners=False) if one.text == text]
        assert len(design.rounds) == (players - 1) // (size - 1)
        for tables in design.rounds:
            assert sorted(player for table in tables for player in table) == list(range(players))
            assert {len(table) for table in tables} == {size}
        met = meetings(design.rounds)
        assert len(met) == players * (players - 1) // 2
        assert set(met.values()) == {1}


@pytest.mark.parametrize(("players", "size"), [(20, 4), (33, 3), (35, 5), (18, 4), (157, 4), (60, 5)])
def test_in_a_transversal_design_nobody_meets_twice_and_tables_lack_one_at_most(players: int, size: int) -> None:
    for design in published(players, size, partners=False):
        if design.text == THREE_TIMES:
            continue
        assert design.text == TRANSVERSAL
        assert set(meetings(design.rounds).values()) == {1}
        for tables in design.rounds:
            assert sorted(player for table in tables for player in table) == list(range(players))
            assert {len(table) for table in tables} <= {size, size - 1}


@pytest.mark.parametrize(
    ("players", "size", "rounds"),
    [
        pytest.param(16, 4, 5, id="affine-plane"),
        pytest.param(20, 4, 5, id="social-golfer-5-4-5"),
        pytest.param(24, 4, 7, id="social-golfer-6-4-7"),
        pytest.param(28, 4, 9, id="social-golfer-7-4-9"),
        pytest.param(15, 3, 7, id="schoolgirls"),
        pytest.param(24, 3, 11, id="nearly-kirkman-24"),
        pytest.param(36, 4, 9, id="transversal-9-4"),
        pytest.param(160, 4, 53, id="forty-tables"),
    ],
)
def test_the_known_most_rounds_without_a_second_meeting_are_reached(players: int, size: int, rounds: int) -> None:
    found = seat(players, [size] * (players // size), rounds, 1, partners=False)
    assert found.evenness.opponent[1] == 1
    assert set(meetings(found.rounds).values()) == {1}


@pytest.mark.parametrize(
    ("players", "partner", "opponent"),
    [(7, (0, 1), (0, 2)), (11, (0, 1), (1, 2)), (15, (0, 1), (1, 2))],
)
def test_with_three_byes_a_round_nobody_partners_twice(
    players: int, partner: tuple[int, int], opponent: tuple[int, int]
) -> None:
    found = seat(players, [4] * (players // 4), players, 1, partners=True)
    assert found.text == SEARCHED
    assert (found.evenness.partner, found.evenness.opponent) == (partner, opponent)


@pytest.mark.parametrize("players", [8, 9, 13, 21, 40])
def test_a_search_is_not_taken_where_a_whist_tournament_is_at_hand(players: int) -> None:
    found = seat(players, [4] * (players // 4), players - (players % 4 == 0), 1, partners=True)
    assert found.text == WHIST
    assert (found.evenness.partner, found.evenness.opponent) == ((1, 1), (2, 2))


@pytest.mark.parametrize(("players", "rounds", "never_met"), [(8, 3, 0), (20, 7, 0), (24, 8, 11), (32, 11, 4)])
def test_a_long_search_leaves_the_fewest_pairs_that_never_meet(players: int, rounds: int, never_met: int) -> None:
    for seed in (1, 2):
        found = seat(players, [4] * (players // 4), rounds, seed, partners=False)
        assert all(sorted(x for table in tables for x in table) == list(range(players)) for tables in found.rounds)
        assert len(found.rounds) == rounds
        assert players * (players - 1) // 2 - len(meetings(found.rounds)) == never_met
