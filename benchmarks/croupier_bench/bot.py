"""How well the bot plays: rounds that one bot wins against others, with the referee judging.

The others lay any card that fits, and draw where none does, or play as RLCard's rule agent for UNO does. All call UNO,
so that cards decide; each seat deals equally often. RLCard's agent lays a Wild Draw Four only where nothing else fits,
as its engine has it, and never challenges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from math import sqrt
from random import Random
from typing import Any, Final

from croupier_extras.bot.player import Bot
from croupier_extras.bot.table import CardTable
from croupier_rules.cards import color_of
from croupier_rules.referee import Header, Observation, Referee
from croupier_rules.referee.moves import legal
from croupier_rules.referee.observations import Accept, Challenge, Color, Drew, Pass, Play, Uno
from croupier_rules.rules import load

ROUNDS: Final = 10_000
SEATS: Final = (2, 4)
RULESET: Final = "g7942-en"
_SIGMAS: Final = 1.96
"""95 % of a normal distribution lie within so many standard deviations."""

Choose = Callable[[Referee, Sequence[str], str | None], Observation | None]
Opponent = Callable[[int, Random], Choose]


def measure(rounds: int | None = None) -> Iterator[dict[str, Any]]:
    """Measure the share of rounds that the bot wins, with its 95 % interval, against each kind of opponent."""
    n = ROUNDS if rounds is None else rounds
    opponents: dict[str, Opponent] = {"random": _Random}
    if find_spec("rlcard") is not None:
        opponents["rlcard's rule agent"] = _RuleAgent
    for name, opponent in opponents.items():
        for seats in SEATS:
            won = sum(_wins(seats, seed, opponent) for seed in range(n))
            low, high = _interval(won, n)
            yield {
                "bench": "bot",
                "what": f"rounds won against {seats - 1} of {name}, {n} rounds, {RULESET}",
                "unit": "%",
                "ours": round(100 * won / n, 1),
                "remarks": [
                    f"95 % interval {100 * low:.1f} to {100 * high:.1f}; equals would win {100 / seats:.1f}",
                ],
            }
    if len(opponents) == 1:
        yield {"bench": "bot", "what": "against rlcard's rule agent", "unit": "%", "ours": "-", "missing": ["rlcard"]}


def _interval(won: int, n: int) -> tuple[float, float]:
    """The Wilson interval of a share."""
    share, z = won / n, _SIGMAS
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return middle - half, middle + half


def _wins(seats: int, seed: int, opponent: Opponent) -> bool:
    """Play one round; whether the bot, whose seat changes from round to round, goes out."""
    header = Header(ruleset=load(RULESET), seats=tuple("ABCD"[:seats]), dealer=seed % seats)
    ours = seed // seats % seats
    bot = Bot(ours, header.ruleset.deck, Random(seed))
    choices: list[Choose] = [opponent(seat, Random(f"{seed} {seat}")) for seat in range(seats)]
    choices[ours] = bot.choose
    table = CardTable(header, seed)
    table.begin_round()
    referee = table.referee
    while not referee.is_round_over:
        for seat in table.seats_to_ask():
            if (choice := choices[seat](referee, table.hands[seat], table.drawn)) is not None:
                bot.watch(table.do(choice))
                break
    return not table.hands[ours]


class _Opponent:
    """Calls UNO, catches, and answers; what it lays, `_pick` says."""

    def __init__(self, seat: int, random: Random) -> None:
        self._seat, self._random = seat, random

    def __call__(self, referee: Referee, hand: Sequence[str], drawn: str | None) -> Observation | None:
        can = legal(referee, self._seat, hand)
        if referee.state().phase == "drawn":
            can = tuple(one for one in can if not isinstance(one, Play) or one.card == drawn)
        press = [one for one in can if isinstance(one, Uno)]
        is_due = referee.on_turn == self._seat and len(hand) == 2 and any(isinstance(one, Play) for one in can)
        if press and (is_due or referee.state().catchable):
            return press[0]
        can = tuple(one for one in can if not isinstance(one, Uno))
        is_asked = referee.on_turn == self._seat or any(isinstance(one, Accept) for one in can)
        return self._pick(can, referee, hand) if can and is_asked else None

    def _pick(self, can: Sequence[Observation], referee: Referee, hand: Sequence[str]) -> Observation | None:
        raise NotImplementedError


class _Random(_Opponent):
    """Any card that fits, any color, challenges as often as not."""

    def _pick(self, can: Sequence[Observation], referee: Referee, hand: Sequence[str]) -> Observation | None:
        plays = [one for one in can if isinstance(one, Play)]
        return self._random.choice(plays or can)


_SHORT: Final = {"draw2": "draw_2", "wild-draw4": "wild_draw_4"}


class _RuleAgent(_Opponent):
    """RLCard's `UNORuleAgentV1`, which is given its own state of the game."""

    def __init__(self, seat: int, random: Random) -> None:
        super().__init__(seat, random)
        import numpy as np
        from rlcard.models.uno_rule_models import UNORuleAgentV1

        np.random.seed(random.randrange(2**32))  # its agent draws from the global generator
        self._agent = UNORuleAgentV1()
        self._color = ""

    def _pick(self, can: Sequence[Observation], referee: Referee, hand: Sequence[str]) -> Observation | None:
        if colors := [one for one in can if isinstance(one, Color)]:
            return next(one for one in colors if one.color.startswith(self._color))
        plays = {_name(one.card): one for one in can if isinstance(one, Play)}
        if len(plays) > 1:
            plays.pop("wild_draw_4", None)
        actions = [f"{color}-{name}" for name in plays if "-" not in name for color in "rgby"]
        actions += [name for name in plays if "-" in name]
        if not actions:
            first = (one for kind in (Accept, Pass, Drew) for one in can if isinstance(one, kind))
            return next(first, None) if not all(isinstance(one, Challenge) for one in can) else None
        held = [name if "-" in name else f"r-{name}" for name in map(_name, hand)]
        action = str(self._agent.step({"raw_legal_actions": actions, "raw_obs": {"hand": held}}))
        self._color, _, symbol = action.partition("-")
        return plays.get(action) or plays[symbol]


def _name(face: str) -> str:
    """A face as RLCard writes it; a wild without the color that its agent names with it."""
    color = color_of(face)
    symbol = face if color is None else face.partition("-")[2]
    symbol = _SHORT.get(symbol, symbol)
    return symbol if color is None else f"{color[0]}-{symbol}"
