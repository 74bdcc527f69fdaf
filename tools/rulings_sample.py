"""A sample of rulings to read through: `python -m tools.rulings_sample [--number 200] [--seed 1] [--ruleset NAME]`.

Random games by every sheet and by tables' own rules are judged. Each ruling of the sample is printed with the situation
before it, what happened, what the referee says, and the sentence that it cites. Kinds of ruling (its name, its reason
and its rule) are drawn before their number: what is rare is among them, too. A person reads whether each ruling is
right, and whether the sentence is the one that decides it.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from random import Random

from croupier_rules.referee import Referee, parse_header, parse_observation
from croupier_rules.referee.explain import Explainer
from croupier_rules.referee.observations import Overrule
from croupier_rules.referee.rulings import Ruling
from croupier_rules.rules import names
from croupier_rules.rules.ruleset import load, presets
from tests.referee.random_games import RandomGame

GAMES = 3
"""Games that are judged by each ruleset."""


@dataclass(frozen=True)
class Sample:
    """One ruling: the ruleset, the situation before it, what was reported, what is said, and the source."""

    ruleset: str
    situation: str
    reported: str
    said: str
    source: str


def judged(ruleset: str, seed: int, language: str | None) -> Iterator[tuple[Ruling, Sample]]:
    """Judge a random game, and yield each of its rulings."""
    game = RandomGame(ruleset, seed)
    header = parse_header(game.header)
    referee, explainer = Referee(header), Explainer(header, language)
    for seen, _slow in game.play(2):
        observation = parse_observation(seen, len(header.seats))
        position, on_turn = referee.position(), referee.on_turn
        for ruling in referee.observe(observation):
            if isinstance(observation, Overrule):
                continue
            words = explainer.explain(ruling)
            situation = explainer.standing(position)
            yield ruling, Sample(ruleset, situation, explainer.seen(observation, on_turn), words.text, words.source)


def sample(number: int, seed: int, rulesets: list[str], language: str | None) -> list[Sample]:
    """Draw ``number`` rulings: kinds in turn, and of each kind one by the ruleset that the fewest were drawn of."""
    rng = Random(seed)
    kinds = defaultdict[tuple[str, ...], list[Sample]](list)
    times = dict.fromkeys(rulesets, 0)
    for ruling, one in chain.from_iterable(
        judged(name, seed * GAMES + game, language) for name in rulesets for game in range(GAMES)
    ):
        kinds[ruling.name, str(getattr(ruling, "why", "")), str(ruling.rule)].append(one)
    drawn: list[Sample] = []
    while len(drawn) < number and kinds:
        for kind in rng.sample(sorted(kinds), len(kinds)):
            rarest = min((one.ruleset for one in kinds[kind]), key=lambda name: times[name])
            one = rng.choice([one for one in kinds[kind] if one.ruleset == rarest])
            kinds[kind].remove(one)
            times[rarest] += 1
            drawn.append(one)
            if not kinds[kind]:
                del kinds[kind]
            if len(drawn) == number:
                break
    return drawn


def main() -> None:
    """Print a sample."""
    parser = argparse.ArgumentParser(prog="python -m tools.rulings_sample", description=__doc__)
    parser.add_argument("--number", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ruleset", action="append")
    parser.add_argument("--language", default="en")
    args = parser.parse_args()
    rulesets = args.ruleset or [*names(), *(load(f"g7942-en+{name}").name for name in presets())]
    for i, one in enumerate(sample(args.number, args.seed, rulesets, args.language), 1):
        print(f"{i}. {one.ruleset}\n   {one.situation}\n > {one.reported}\n = {one.said}\n   {one.source}\n")


if __name__ == "__main__":
    main()
