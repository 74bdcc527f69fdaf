"""The referee against a second, slow and obvious one, in random games by every document and by tables' own rules."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import combinations, cycle, islice
from random import Random
from typing import Any, Final

import pytest

from croupier.errors import BadRuleSet, CannotCorrect
from croupier_rules.referee import Referee, parse_header, parse_observation
from croupier_rules.referee.observations import PlayerChange
from croupier_rules.rules import load, names
from croupier_rules.rules.ruleset import presets
from tests.longer import many, run_number, some
from tests.referee.games import on_the_table
from tests.referee.random_games import RandomGame, Seen
from tests.slow_referee import DOCUMENTS

ROUNDS = 8
ROUNDS_OF_THE_LONG_RUN = many(140)
ROUNDS_OF_A_PRESET = 2
MIXTURES = 12
ROUNDS_OF_A_MIXTURE = 4
OBSERVATIONS = 1_000_000

OWN_RULES: Final = (
    *("stack.draw2=draw2", "stack.draw2=any", "stack.wd4=wild-draw4", "stack.wd4=any", "stack.draw2=any+stack.limit=6"),
    *("stack.bounce=reverse", "stack.bounce=reverse-skip", "seven=may-swap"),
    *("jump_in=identical", "play.double=identical", "seven=swap", "zero=pass-on"),
    *("turn.must_draw=until-it-fits", "turn.force_play=drawn", "turn.force_play=always", "last.action=forbidden"),
    *("wd4.challenge.who=nobody", "wd4.challenge.who=any", "uno.penalty=1", "uno.penalty=4", "deal.hand=3"),
    *("deal.hand=10", "uno.catch.closes=play", "uno.catch.closes=never"),
    *("goal=points+score.values=one-a-round+score.target=2", "goal=points+score.alt_lowest=played"),
    *("draw.forced.then_play=must", "draw.voluntary=warn", "hand.limit=15"),
    "turn.must_draw=until-it-fits+draw.most=2",
)
"""What tables play otherwise than their sheet, one by one."""

NO_STACKING: Final = ("no-mercy-en", "mau-mau-en", "crazy-eights-en", "all-wild-en")
"""Sheets with which ``stack.draw2``, ``stack.wd4`` and ``stack.bounce`` have no effect: they stack by a rule of their
own, or the deck has no draw cards."""


def test_the_slow_referee_knows_every_document() -> None:
    assert set(names()) == set(DOCUMENTS)


def disagreement(game: RandomGame, seen: Seen, slow: list[dict[str, Any]], referee: Referee) -> str:
    """What the two say otherwise on one observation, in the rulings or in the position; or nothing."""
    if "player" in seen:
        change = PlayerChange(**{"with_" if name == "with" else name: is_ for name, is_ in seen["player"].items()})
        try:
            seen["set"] = referee.changed_by(change)
        except CannotCorrect as err:
            return "" if seen["is refused"] else f"slow: {seen['player']}\nfast: {err}"
        if seen["is refused"]:
            return f"slow: refused\nfast: {seen['set']}"
    rulings = referee.observe(parse_observation(seen, len(game.header["seats"])))
    if seen["obs"] != "overrule":
        fast = [ruling.to_json() for ruling in rulings]
        if not game.is_open:
            # Of a card laid after a draw that nobody saw only the slow referee knows whether it was the one, and of a
            # hidden hand whether it holds a card that must be laid.
            rules = {"turn.force_play", *(said["rule"] for said in fast if game.slow.before[-1].phase == "drawn")}
            fast = [said for said in fast if not (said.get("about") == "play" and said["rule"] in rules)]
        if len(fast) != len(slow) or not all(map(is_same, fast, slow)):
            return f"slow: {slow}\nfast: {fast}"
    now, should = on_the_table(referee.position()), game.slow.table.position()
    if now != should:
        now["known"] = {seat: sorted(hand) for seat, hand in now["known"].items()}
        differences = [f"{name}: slow {should[name]}, fast {now[name]}" for name in should if should[name] != now[name]]
        return "\n".join(differences)
    return ""


FREE = {"rule", "reading", "text", "card"}


def is_same(fast: Mapping[str, Any], slow: Mapping[str, Any]) -> bool:
    """Whether a ruling says all that the slow referee said, and nothing else that it leaves open."""
    if fast["ruling"] == "warn":
        fast = {**fast, "why": None} if "why" not in slow else fast
        slow = {"why": None, **slow}
    return all(fast.get(name) == said for name, said in slow.items()) and fast.keys() - FREE <= slow.keys()


def compare(ruleset: str, rounds: int, first_seed: int) -> int:
    """Play so many rounds with both; the number of observations that both judged alike."""
    played, seed, observed = 0, first_seed, 0
    while played < rounds:
        game = RandomGame(ruleset, seed, changes=seed % 2 == 1)
        referee = Referee(parse_header(game.header))
        log = [game.header]
        for seen, slow in game.play(2):
            log.append(seen)
            if told := disagreement(game, seen, slow, referee):
                lines = map(json.dumps, [log[0], *log[1:][-8:]])
                pytest.fail("\n".join([f"{ruleset}, seed {seed}", *lines, told]))
        played += game.rounds
        seed += 1
        observed += len(log) - 1
    return observed


def pairs() -> list[str]:
    """Every two of the tables' own rules that can be combined, each with another sheet in turn."""
    found, sheets = [], cycle(names())
    for a, b in combinations(OWN_RULES, 2):
        if not {choice.partition("=")[0] for choice in a.split("+")} & {c.partition("=")[0] for c in b.split("+")}:
            sheet = next(sheets)
            while "stack." in a + b and sheet in NO_STACKING:
                sheet = next(sheets)
            try:
                found.append(load(f"{sheet}+{a}+{b}").name)
            except BadRuleSet:
                assert "force_play" in a + b  # who must play may not draw, or keep what was drawn
    return found


def mixtures(seed: int) -> Iterator[str]:
    """Three or four of the tables' own rules at once, with any sheet, as long as somebody asks."""
    random, sheets = Random(seed), [*names()]
    while True:
        own = random.sample(OWN_RULES, random.choice((3, 4)))
        rules = [choice.partition("=")[0] for chosen in own for choice in chosen.split("+")]
        if len(set(rules)) == len(rules):
            with suppress(BadRuleSet):  # not all can be combined, nor with every sheet
                yield load("+".join([random.choice(sheets), *own])).name


PAIRS: Final = pairs()
BY_PRESET: Final = [load(f"{sheet}+{preset}").name for preset in presets() for sheet in names()]


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", some(names(), 2))
def test_both_referees_rule_the_same(ruleset: str) -> None:
    compare(ruleset, ROUNDS, 0)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("preset", some(presets(), 8))
def test_both_referees_rule_the_same_by_every_preset(preset: str) -> None:
    for sheet in names():
        compare(load(f"{sheet}+{preset}").name, ROUNDS_OF_A_PRESET, 0)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("nth", some(range(10), 10))
def test_both_referees_rule_the_same_by_every_pair_of_own_rules(nth: int) -> None:
    assert len(PAIRS) > 200
    for ruleset in PAIRS[nth::10]:
        compare(ruleset, 1, 0)


@pytest.mark.slow
def test_both_referees_rule_the_same_by_three_and_four_own_rules_at_once() -> None:
    mixed = list(islice(mixtures(0), MIXTURES))
    assert {ruleset.count("=") for ruleset in mixed} >= {3, 4}
    for ruleset in mixed:
        compare(ruleset, 1, 0)


@pytest.mark.nightly
@pytest.mark.parametrize("nth", range(10))
def test_both_referees_rule_the_same_by_three_and_four_own_rules_in_a_million_observations(nth: int) -> None:
    observed, place = 0, 0
    for place, ruleset in enumerate(mixtures(nth + 10 * run_number() + 1)):
        observed += compare(ruleset, ROUNDS_OF_A_MIXTURE, place)
        if observed >= OBSERVATIONS // 10:
            break
    assert place > 100


@pytest.mark.long
@pytest.mark.parametrize("ruleset", [*BY_PRESET, *PAIRS])
def test_both_referees_rule_the_same_by_own_rules_for_long(ruleset: str) -> None:
    rounds = ROUNDS_OF_THE_LONG_RUN // 20
    compare(ruleset, rounds, rounds * run_number())


@pytest.mark.long
@pytest.mark.parametrize("ruleset", names())
def test_both_referees_rule_the_same_for_long(ruleset: str) -> None:
    compare(ruleset, ROUNDS_OF_THE_LONG_RUN, ROUNDS_OF_THE_LONG_RUN * run_number())
