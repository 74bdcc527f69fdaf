"""How fast the referee is: whole rounds of random play, against RLCard's game of UNO.

Ours and the peer's are played in turn, in this process, on one core, each from its own seeds: a slice of ours, a slice
of each peer, and so on; what is told is the median slice and the median of the ratios of slices that stand side by
side, so that a busy machine disturbs both alike. A round is measured whole: shuffling, the players' choices, and

- ours: every observation that a table would report, made and observed, all rulings built, the points counted;
- ``UnoGame.step``: `init_game`, then `step` with one of the legal actions of the state that it returned;
- ``env.run``: the environment with RLCard's own random agents.

RLCard's game has no calls, challenges, passes or points, and so fewer steps in a round.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from statistics import median, quantiles
from time import perf_counter, process_time
from typing import Any, Final

from croupier.app.bench.random_play import RandomTable
from croupier.referee import Header, Observation, Referee, Rulings
from croupier.rules import load

SLICES: Final = 15
SLICE_S: Final = 0.25
RULESET: Final = "g7942-en"

_PEERS: Final = ("rlcard UnoGame.step", "rlcard env.run")


def measure() -> Iterator[dict[str, Any]]:
    """Hands per second of CPU time against the peers, and how long one observation takes at most."""
    header = Header(ruleset=load(RULESET), seats=("Ann", "Ben", "Cat", "Dan"), dealer=3)
    peers = _peers()
    players = {"ours": RandomTable(header, seed=1).play_round, **peers}
    rates: dict[str, list[float]] = {name: [] for name in players}
    for play in players.values():
        _rate(play)  # warms up
    for _ in range(SLICES):
        for name, play in players.items():
            rates[name].append(_rate(play))
    line: dict[str, Any] = {
        "bench": "rules",
        "what": f"4 players, random play, {RULESET}",
        "unit": "hands/cpu-s",
        "ours": round(median(rates["ours"]), 1),
        "peers": {name: round(median(rates[name]), 1) for name in peers},
        "ratio": {
            name: round(median(a / b for a, b in zip(rates["ours"], rates[name], strict=True)), 2) for name in peers
        },
    }
    if missing := [name for name in _PEERS if name not in peers]:
        line["missing"] = missing
    yield line
    yield {"bench": "rules", "what": "one observation, 99 of 100", "unit": "ms", "ours": _slowest_ms(header)}


def _rate(play: Callable[[], None]) -> float:
    """Rounds per second of CPU time, over a slice."""
    n, begun = 0, process_time()
    while (spent := process_time() - begun) < SLICE_S:
        play()
        n += 1
    return n / spent


def _slowest_ms(header: Header) -> float:
    """The 99th percentile of the time that `Referee.observe` takes, in ms."""
    times: list[float] = []

    class Timed(Referee):
        def observe(self, observation: Observation) -> Rulings:
            begun = perf_counter()
            rulings = super().observe(observation)
            times.append(perf_counter() - begun)
            return rulings

    table = RandomTable(header, seed=2, referee=Timed)
    while len(times) < 50_000:
        table.play_round()
    return round(quantiles(times, n=100)[98] * 1000, 4)


def _peers() -> dict[str, Callable[[], None]]:
    """A round of each peer that is installed."""
    if find_spec("rlcard") is None:
        return {}
    import rlcard
    from rlcard.agents import RandomAgent
    from rlcard.games.uno import Game

    game = Game(num_players=4)
    choose = random.Random(1).choice

    def step() -> None:
        state, _ = game.init_game()
        while not game.is_over():
            state, _ = game.step(choose(state["legal_actions"]))

    env = rlcard.make("uno", config={"seed": 1})
    # RLCard's environment takes the number of players of UNO from its game alone.
    env.game.num_players = env.num_players = 4
    env.set_agents([RandomAgent(env.num_actions) for _ in range(4)])

    def run() -> None:
        env.run()

    return dict(zip(_PEERS, (step, run), strict=True))
