"""What can happen, counted by both referees: every sequence of four observations from one position by every rules."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from croupier_rules import Referee, legal, observations, parse_header
from croupier_rules.errors import BadLog
from croupier_rules.rules import load
from tests.conformance.test_slow_referee import _lay_out
from tests.longer import some
from tests.slow_referee import SlowReferee, Table
from tests.slow_referee.referee import rule
from tools import perft

PAGE = Path(__file__).parents[2] / "docs" / "perft.md"


def published() -> dict[str, list[int]]:
    """The numbers of the page, by rules."""
    rows = [line.split("|")[1:-1] for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    return {row[0].strip(" `").replace(" +", "+"): [int(n.replace(",", "")) for n in row[1:]] for row in rows}


def slow_table(ruleset: str, stage: str) -> Table:
    header = dict(perft.header(ruleset, stage).to_json())
    given: Any = header.pop("given")
    table = SlowReferee(header).table
    _lay_out(table, given)
    top = list(perft.laid(ruleset).order)
    for card in top:
        table.draw_pile.remove(card)
    table.draw_pile = top + table.draw_pile
    return table


def tries(table: Table) -> Iterator[dict[str, Any]]:
    """Whatever somebody might try: any card of the own hand, any answer, any color, any press."""
    owing = [seat for seat, n in enumerate(table.owed) if n]
    if owing:
        yield drawn(table, owing[0], table.owed[owing[0]])
        return
    if table.phase == "challenge" and table.challenger is not None:
        assert table.turn is not None
        yield {"obs": "shown", "seat": table.turn, "cards": list(table.hands[table.turn])}
        return
    for seat in table.players:
        hand = table.hands[seat]
        same = [card for card in hand if table.top is not None and card == table.top]
        yield from (
            {"obs": "play", "seat": seat, "card": card} for card in dict.fromkeys(hand if seat == table.turn else same)
        )
        yield from ({"obs": obs, "seat": seat} for obs in ("accept", "challenge", "pass", "uno"))
        if seat != table.turn:
            continue
        if table.phase in ("turn", "drawn", "roulette"):
            yield drawn(table, seat, 1)
        yield from ({"obs": "color", "seat": seat, "color": color} for color in table.cards.colors)
        for obs in ("swap", "target"):
            yield from ({"obs": obs, "seat": seat, "with": other} for other in table.players)
        these = [card for card in hand if card.startswith(f"{table.color}-")]
        yield {"obs": "discarded", "seat": seat, "n": len(these), "cards": these}


def drawn(table: Table, seat: int, n: int) -> dict[str, Any]:
    really = table.draw_pile[:n]
    return {"obs": "drew", "seat": seat, "n": n, "cards": really, "really": really}


def slow_moves(table: Table) -> Iterator[tuple[dict[str, Any], Table]]:
    """What of it is not objected to, and changes anything."""
    for seen in tries(table):
        seen["t"] = 0.0
        after, rulings = rule(table, seen)
        if not any(one["ruling"] in ("illegal", "void") for one in rulings) and vars(after) != vars(table):
            yield seen, after


def slow_perft(table: Table, depth: int) -> int:
    return sum(1 if depth == 1 else slow_perft(after, depth - 1) for _, after in slow_moves(table))


def counted(ruleset: str, depth: int) -> tuple[list[int], list[int]]:
    """The leaves of this depth from each position, by the one referee and by the other."""
    fast = [perft.perft(Referee(perft.header(ruleset, stage)), depth) for stage in perft.STAGES]
    return fast, [slow_perft(slow_table(ruleset, stage), depth) for stage in perft.STAGES]


@pytest.mark.parametrize("ruleset", some(perft.rulesets(), 6))
def test_both_referees_count_what_the_page_says(ruleset: str) -> None:
    numbers = published()[load(ruleset).name]
    assert len(numbers) == perft.DEPTH * len(perft.STAGES)
    for depth in range(1, perft.DEPTH):
        fast, slow = counted(ruleset, depth)
        assert fast == slow == numbers[depth - 1 :: perft.DEPTH]


@pytest.mark.long
@pytest.mark.parametrize("ruleset", perft.rulesets())
def test_both_referees_count_to_depth_four(ruleset: str) -> None:
    fast, slow = counted(ruleset, perft.DEPTH)
    assert fast == slow == published()[load(ruleset).name][perft.DEPTH - 1 :: perft.DEPTH]


def test_the_page_has_every_sheet_and_every_preset() -> None:
    assert list(published()) == perft.rulesets()


def test_push_and_undo_leave_no_trace() -> None:
    referee = Referee(perft.header("g7942-en", "late"))
    before, standing = referee.position(), referee.standing()
    for seat in range(3):
        for one in legal(referee, seat):
            referee.push(one)
            assert referee.position() != before
            referee.undo()
            assert (referee.position(), referee.standing(), referee.t) == (before, standing, 0.0)
    with pytest.raises(BadLog, match="expected a push"):
        referee.undo()


def test_a_correction_is_not_pushed_and_ends_what_can_be_undone() -> None:
    referee = Referee(perft.header("g7942-en", "late"))
    with pytest.raises(BadLog, match="no correction"):
        referee.push(observations.Overrule(1.0, undo=1))
    referee.push(observations.Play(1.0, "red-7", 0))
    referee.observe(observations.Overrule(2.0, set={"direction": "right"}))
    with pytest.raises(BadLog, match="expected a push"):
        referee.undo()


def offered(given: dict[str, Any], seat: int, ruleset: str = "g7942-en") -> list[str]:
    header = {"log": "croupier/1", "ruleset": ruleset, "seats": ["Ann", "Ben", "Cat"], "dealer": 2, "given": given}
    said = []
    for one in legal(Referee(parse_header(header)), seat):
        more = (getattr(one, name, None) for name in ("card", "color", "with_"))
        said.append(" ".join([one.name, *(str(word) for word in more if word is not None)]))
    return said


def test_a_seat_may_lay_what_fits_draw_or_call() -> None:
    hand = {"hands": [2, 5, 5], "known": {"0": ["red-1", "blue-2"]}}
    assert offered({"turn": 0, "top": "red-7", **hand}, 0) == ["play red-1", "drew", "uno"]
    assert offered({"turn": 0, "top": "red-7", **hand}, 1) == []


def test_of_a_hidden_hand_every_face_that_fits_may_be_laid() -> None:
    found = offered({"turn": 0, "top": "red-7", "hands": [5, 5, 5]}, 0)
    assert {"play red-1", "play blue-7", "play wild", "drew"} <= set(found)
    assert "play blue-1" not in found


def test_who_forgot_to_call_may_be_caught_and_may_call_late() -> None:
    header = {"log": "croupier/1", "ruleset": "g7942-en", "seats": ["Ann", "Ben", "Cat"], "dealer": 2}
    given = {"turn": 0, "top": "red-7", "hands": [2, 5, 5], "known": {"0": ["red-1", "blue-2"]}}
    referee = Referee(parse_header(header | {"given": given}))
    referee.observe(observations.Play(1.0, "red-1"))
    assert all(observations.Uno(2.0, seat) in legal(referee, seat) for seat in range(3))


def test_who_has_to_answer_may_accept_or_challenge_and_who_owes_may_draw() -> None:
    given = {"phase": "challenge", "turn": 0, "top": "wild-draw4", "color": "blue", "hands": [5, 5, 5]}
    assert offered(given, 1) == ["accept", "challenge"]
    assert offered(given, 2) == []
    assert offered({"turn": 0, "top": "red-7", "owed": {"1": 2}}, 1) == ["drew"]


def test_colors_seats_and_answers_are_offered_where_they_are_asked_for() -> None:
    assert offered({"phase": "color", "turn": 1, "top": "wild"}, 1) == [
        f"color {color}" for color in ("red", "yellow", "green", "blue")
    ]
    assert offered({"phase": "swap", "turn": 1, "top": "red-7"}, 1, "g7942-en+seven=swap") == ["swap 0", "swap 2"] or (
        offered({"phase": "swap", "turn": 1, "top": "red-7"}, 1, "g7942-en+seven=swap") == ["swap", "swap 2"]
    )
    assert offered({"turn": 1, "top": "red-7"}, 0, "g7942-en+jump_in=identical") == ["play red-7"]


@pytest.mark.parametrize("stage", perft.STAGES)
def test_every_move_of_the_slow_referee_is_offered_and_no_other(stage: str) -> None:
    referee = Referee(perft.header("g7942-en", stage))
    fast = [observations.to_json(one) for one in perft.moves(referee, referee.position()["draw_pile"])]
    slow = [{name: value for name, value in seen.items() if name not in ("really", "t")}
            for seen, _ in slow_moves(slow_table("g7942-en", stage))]  # fmt: skip
    assert all({name: value for name, value in one.items() if name != "t"} in slow for one in fast)
    assert len(fast) == len(slow)
