"""The cases of the tables' own rules, judged by the slow referee, too: it was written from the contract alone.

It sees every card. So a card that a case leaves open is what the case needs: what a seat lays later was in its hand.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, Final

import pytest

from croupier_bench.conformance.cases import Case, cases, differences, log_lines, must_fail, rulesets_of
from tests.slow_referee import SlowReferee, Table

UNSEEN: Final = {
    "drawing-unseen-cards__is-believed",
    "ten-cards-each-nobody-reported__taken-as-dealt",
    "crazy-eights-a-card-of-another-deck-played__mismatch",
    "all-wild-five-targeted-draw-two__not-so-many-in-the-deck",
    "all-wild-a-number-is-played__mismatch",
    "swap-hands-there-is-one__not-two",
}
"""Cases in which it matters that nobody saw a card or a deal, or that a card lies there which is not in the box: they
are none for a referee that sees all."""


OWN_WORDS: Final = ("box112-en", "no-mercy-en", "crazy-eights-en", "mau-mau-en", "swap-hands-en", "all-wild-en")
"""Sheets in our own words: the slow referee was written from their sentences."""


def is_for_all_seeing(case: Case) -> bool:
    said = json.dumps(case["steps"])
    return "cannot_tell" not in said.replace('[{"ruling": "cannot_tell"}]', "") and case["id"] not in UNSEEN


RUNS = [
    pytest.param(case, ruleset, id=f"{case['id']}-{ruleset}")
    for case in cases()
    for ruleset in rulesets_of(case)
    if "+" in ruleset or rulesets_of(case) in ([name] for name in OWN_WORDS) or "remembered" in case.get("given", {})
    if not must_fail(case) and is_for_all_seeing(case)
]


def test_there_are_a_hundred_cases_of_own_rules_that_both_referees_judge() -> None:
    assert len({case["id"] for case in cases() if any("+" in name for name in rulesets_of(case))}) > 100
    assert len(RUNS) > 100


@pytest.mark.parametrize(("case", "ruleset"), RUNS)
def test_the_slow_referee_judges_the_case_alike(case: Case, ruleset: str) -> None:
    first, *lines = map(json.loads, log_lines(case, ruleset))
    given = first.pop("given", {"phase": "deal"})
    slow = SlowReferee(first)
    _lay_out(slow.table, given)
    told = []
    for seen in lines:
        _put_cards_where_they_are_seen(slow.table, seen)
        rulings = slow.observe(seen)
        position: dict[str, Any] = {"stack": 0}
        told.append({"rulings": rulings, "position": position | slow.table.position()})
    assert not differences(_without_rules(case), told)


def _without_rules(case: Case) -> Case:
    """The case without the rules that its rulings rest on, which the slow referee may leave open; what follows a
    correction it does not say."""
    steps = []
    for step in case["steps"]:
        kept = dict(step)
        for name in ("expect", "never"):
            said = [one for one in step.get(name, []) if "reading" not in one]
            wanted = [{field: value for field, value in one.items() if field != "rule"} for one in said]
            kept[name] = [] if step["see"]["obs"] == "overrule" else wanted
        steps.append(kept)
    return {**case, "steps": steps}


def _lay_out(table: Table, given: dict[str, Any]) -> None:
    """Lay the cards as the position says; what it leaves open is drawn from the deck."""
    table.phase = given.get("phase", "turn")
    table.dealer = given.get("dealer", table.dealer)
    table.direction = given.get("direction", table.direction)
    table.out, table.knocked_out = set(given.get("out", [])), set(given.get("knocked_out", []))
    if table.phase in ("deal", "pick"):
        _remember(table, given.get("remembered", {}))
        return
    assert table.dealer is not None
    table.turn = given.get("turn", table.next_to(table.dealer))
    table.layer = table.just_played = table.next_to(
        int(table.turn or 0), "right" if table.direction == "left" else "left"
    )
    pile = table.draw_pile
    if "top" in given:
        table.top = given["top"]
        table.color = given.get("color", table.cards.color_of(given["top"]))
        pile.remove(given["top"])
    table.known = [given.get("known", {}).get(str(seat), []).copy() for seat in range(table.seats)]
    for card in (card for known in table.known for card in known):
        pile.remove(card)
    # Numbers first: they do no harm in a hidden hand.
    pile.sort(key=lambda card: table.cards.number_of(card) is None)
    for seat, n in enumerate(given.get("hands", [table.hand_size] * table.seats)):
        hidden = n - len(table.known[seat])
        table.hands[seat] = table.known[seat] + pile[:hidden]
        del pile[:hidden]
    up = [table.top] if table.top else []
    under = len(pile) - given["draw_pile"] if "draw_pile" in given else given.get("discard_pile", len(up)) - len(up)
    table.discard_pile = pile[:under] + up
    del pile[:under]
    table.house = dict(given.get("house_rules", {}))
    table.owed = [given.get("owed", {}).get(str(seat), 0) for seat in range(table.seats)]
    table.called, table.catchable = set(given.get("called", [])), set(given.get("catchable", []))
    table.scores = given.get("scores", table.scores)
    table.stack = given.get("stack", 0)
    why = table.cards.symbol_of(table.top) if table.top and table.stack else ""
    table.stack_why = "draw2" if why in ("reverse", "skip") else why  # handed on
    if table.phase == "redeal":  # what is dealt to a seat counts as its hand from the beginning
        table.to_deal = given.get("remembered", {}).get("to_deal", [len(hand) for hand in table.hands])
        for seat, n in enumerate(table.to_deal):
            table.collected += table.hands[seat][:n]
            del table.hands[seat][:n]
    _remember(table, given.get("remembered", {}))


def _remember(table: Table, said: dict[str, Any]) -> None:
    """What a position says beside what lies on the table, as far as it matters to who sees every card."""
    table.picked = {seat: None if card == "?" else card for seat, card in enumerate(said.get("picks", ())) if card} or (
        table.picked
    )
    table.drawn = said.get("drawn", table.drawn)
    table.drew_by_need = said.get("drew_by_need", table.drew_by_need)
    table.is_first_card = said.get("is_first_wild", table.is_first_card)
    table.color_before = said["under"]["color"] if "under" in said else table.color_before
    table.challenger = said.get("challenger", table.challenger)
    table.stack_why = said.get("stacked", table.stack_why)
    table.running = str(said["running"]) if "running" in said else table.running
    table.acted = [report["seat"] for report in said.get("acted", ())]
    if table.phase in ("color", "challenge", "stack") and table.accused is not None:
        since = said.get("since_touch", {"n": 0, "cards": [], "known": table.known[table.accused]})
        table.n_since, table.drawn_since, table.left_known = since["n"], since["cards"], since["known"]
        table.left = list((Counter(table.hands[table.accused]) - Counter(since["cards"])).elements())


def _put_cards_where_they_are_seen(table: Table, seen: dict[str, Any]) -> None:
    """Exchange hidden cards so that what is laid was held, and what is drawn lay on the draw pile."""
    if seen["obs"] == "play" and (seat := table.who(seen)) in table.players:
        hand, hidden = table.hands[seat], list((Counter(table.hands[seat]) - Counter(table.known[seat])).elements())
        if seen["card"] not in hand and hidden:
            is_drawn = table.phase == "drawn" and table.drawn in hidden
            given_up = table.drawn if is_drawn and table.drawn is not None else hidden[0]
            if _exchange(table, given_up, seen["card"]):
                hand[hand.index(given_up)] = seen["card"]
                table.drawn = seen["card"] if is_drawn else table.drawn
    if seen["obs"] in ("drew", "dealt"):
        wanted = seen.get("cards", [])
        for card in wanted:
            if card not in table.draw_pile:
                place = next(place for place, other in enumerate(table.draw_pile) if other not in wanted)
                _exchange(table, table.draw_pile[place], card)
                table.draw_pile[place] = card
        rest = list((Counter(table.draw_pile) - Counter(wanted)).elements())
        seen["really"] = [*wanted, *rest[: seen["n"] - len(wanted)]]
    if seen["obs"] == "shown" and len(seen["cards"]) == len(hand := table.hands[seen["seat"]]):
        others = list((Counter(hand) - Counter(seen["cards"])).elements())
        for given_up, card in zip(others, (Counter(seen["cards"]) - Counter(hand)).elements(), strict=True):
            if _exchange(table, given_up, card):
                for held in (hand, table.left):
                    if given_up in held:
                        held[held.index(given_up)] = card
    if seen["obs"] == "redealt":
        seen["really"] = table.collected[: seen["n"]]
    if seen["obs"] == "upcard" and seen["card"] not in table.draw_pile:
        _exchange(table, table.draw_pile[0], seen["card"])
        table.draw_pile[0] = seen["card"]


def _exchange(table: Table, given_up: str, card: str) -> bool:
    """Take ``card`` from where it lies unseen, and leave ``given_up`` there."""
    places = [table.draw_pile, *table.hands, table.discard_pile]
    for place, known in zip(places, [[], *table.known, table.discard_pile[-1:]], strict=True):
        if place.count(card) > known.count(card):
            place[place.index(card)] = given_up
            return True
    return False
