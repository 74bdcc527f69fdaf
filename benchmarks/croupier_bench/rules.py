"""How fast the referee is, against RLCard's game of UNO: random play by four players, in hands per CPU second.

What is measured is the work of the engine, on both sides, and what players think is not in it. So games are played and
written down first, and then the clock runs while they are played again, hand by hand from the deal to the end:

- ours: every observation that the table reported (deal, first card, cards laid and drawn, passes, colors, calls,
  catches, answers to a Wild Draw Four, hands shown) is made from its fields and observed, with all rulings built,
  points counted, what an undo needs kept, and a new referee for each game of several hands. It holds no deck and
  shuffles none: cards lie on the table, and what it knows of them is reported;
- ``UnoGame.step``: `init_game`, which makes a deck, shuffles and deals it, and `step` for each action, which brings the
  state of the next player along. It has no calls, challenges, passes or points.

Each side does at the deal what its kind of engine must do, so it stands in the figure of both; but making a deck is
nothing that ours could be quicker at. Therefore a second line has the deal left out: the clock stands still for it
(ours: the new referee, four hands dealt, the first card; RLCard's: `init_game`).

A third line has the players in it: ours shuffle, deal, look for a card that fits and report; RLCard's choose among the
legal actions that each state brings along. ``env.run`` is RLCard's environment with its own random agents, players
included: it stands beside each of the others as it is.

All of them are run in turn, in this process, on one core, a slice of each; told are the median slice and the median of
the ratios of slices side by side, so that a busy machine disturbs both alike.
"""

from __future__ import annotations

import gc
import random
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import partial
from importlib.util import find_spec
from itertools import groupby
from statistics import median, quantiles
from time import perf_counter, process_time
from typing import Any, Final

from croupier_rules.referee import Header, Observation, Referee, Rulings
from croupier_rules.referee.observations import Dealt, Upcard
from croupier_rules.rules import load
from croupier_sim.random_play import RandomTable

SLICES: Final = 15
ROUNDS: Final = {"ours": 300, "ours with players": 150, "rlcard UnoGame.step": 75, "rlcard env.run": 25}
"""Rounds in a slice: about a tenth of a second each."""

WRITTEN: Final = 50
"""Recorded rounds: few enough to stay in the processor's cache, as the reports of a real table do."""

PEERS: Final = ("rlcard UnoGame.step", "rlcard env.run")
RULESET: Final = "g7942-en"

Slice = Callable[[], tuple[int, float]]
"""Plays some hands; returns their number and the seconds that do not count."""


def measure() -> Iterator[dict[str, Any]]:
    """Measure the referee and its peers, without and with players, and the longest time of one observation."""
    header = Header(ruleset=load(RULESET), seats=("Ann", "Ben", "Cat", "Dan"), dealer=3)
    again, after_deal = _replay(header)
    slices: dict[str, Slice] = {"ours": again}
    after_deals: dict[str, Slice] = {"ours": after_deal}
    players: dict[str, Slice] = {"ours": _play(header)}
    if find_spec("rlcard") is not None:
        step, step_after_deal, choose, run = _peers()
        slices |= {"rlcard UnoGame.step": step, "rlcard env.run": run}
        after_deals |= {"rlcard UnoGame.step": step_after_deal, "rlcard env.run": run}
        players |= {"rlcard UnoGame.step": choose, "rlcard env.run": run}
    yield _line("4 players, random play", _rates(slices))
    yield _line("the same without the deal", _rates(after_deals))
    yield _line("the same with the players in it", _rates(players))
    slowest = {"unit": "ms", "ours": _slowest_ms(header)}
    yield {"bench": "rules", "what": f"one observation, 99 of 100, {RULESET}", **slowest}


def _line(what: str, rates: dict[str, list[float]]) -> dict[str, Any]:
    peers = [name for name in PEERS if name in rates]
    ratios = {name: [a / b for a, b in zip(rates["ours"], rates[name], strict=True)] for name in peers}
    line: dict[str, Any] = {
        "bench": "rules",
        "what": f"{what}, {RULESET}",
        "unit": "hands/cpu-s",
        "ours": round(median(rates["ours"]), 1),
        "peers": {name: round(median(rates[name]), 1) for name in peers},
        "ratio": {name: round(median(ratios[name]), 2) for name in peers},
    }
    missing = [name for name in PEERS if name not in rates]
    return line | ({"missing": missing} if missing else {})


def _rates(slices: dict[str, Slice]) -> dict[str, list[float]]:
    """Return hands per second of CPU time for each slice, in turn. Recorded rounds are excluded from garbage
    collection."""
    gc.collect()
    gc.freeze()
    rates: dict[str, list[float]] = {name: [] for name in slices}
    for _ in range(SLICES):
        for name, run in slices.items():
            begun = process_time()
            hands, left_out = run()
            rates[name].append(hands / (process_time() - begun - left_out))
    return rates


def _replay(header: Header) -> tuple[Slice, Slice]:
    """Observe recorded games again; also without the deal."""
    games: list[list[partial[Observation]]] = []

    class Writing(Referee):
        def __init__(self, header: Header) -> None:
            super().__init__(header)
            games.append([])

        def observe(self, observation: Observation) -> Rulings:
            names = [item.name for item in fields(observation) if item.name not in ("u", "clock", "kind")]
            games[-1].append(partial(type(observation), *(getattr(observation, name) for name in names)))
            return super().observe(observation)

    table = RandomTable(header, 1, Writing)
    for _ in range(WRITTEN):
        table.play_round()

    games_of_hands = [_hands(game) for game in games]
    times = ROUNDS["ours"] // WRITTEN

    def again() -> tuple[int, float]:
        for game in games * times:
            observe = Referee(header).observe
            for make in game:
                observe(make())
        return WRITTEN * times, 0.0

    def after_deal() -> tuple[int, float]:
        dealing = 0.0
        for hands in games_of_hands * times:
            begun = process_time()
            observe = Referee(header).observe
            dealing += process_time() - begun
            for deal, rest in hands:
                begun = process_time()
                for make in deal:
                    observe(make())
                dealing += process_time() - begun
                for make in rest:
                    observe(make())
        return WRITTEN * times, dealing

    return again, after_deal


def _hands(game: list[partial[Observation]]) -> list[tuple[list[partial[Observation]], list[partial[Observation]]]]:
    """Split the hands of a game into the observations of the deal and the rest."""
    parts = [list(reports) for _, reports in groupby(game, lambda make: make.func in (Dealt, Upcard))]
    return list(zip(parts[::2], parts[1::2], strict=True))


def _play(header: Header) -> Slice:
    """Play with players who deal, choose and report."""
    table = RandomTable(header, 1)

    def play() -> tuple[int, float]:
        for _ in range(ROUNDS["ours with players"]):
            table.play_round()
        return ROUNDS["ours with players"], 0.0

    return play


def _peers() -> tuple[Slice, Slice, Slice, Slice]:
    """Play RLCard: recorded steps, steps without the deal, with a choice among the legal actions, and its
    environment."""
    import numpy as np
    import rlcard
    from rlcard.agents import RandomAgent
    from rlcard.games.uno import Game

    rounds = ROUNDS["rlcard UnoGame.step"]
    game = Game(num_players=4)
    games: list[list[str]] = []

    def choose() -> tuple[int, float]:
        """Play and record; the cards come from the same seed each time."""
        game.np_random = np.random.RandomState(1)
        pick = random.Random(1).choice
        games.clear()
        for _ in range(rounds):
            actions = []
            state, _ = game.init_game()
            while not game.is_over():
                actions.append(pick(state["legal_actions"]))
                state, _ = game.step(actions[-1])
            games.append(actions)
        return rounds, 0.0

    def step() -> tuple[int, float]:
        game.np_random = np.random.RandomState(1)
        for actions in games:
            game.init_game()
            for action in actions:
                game.step(action)
        return rounds, 0.0

    def after_deal() -> tuple[int, float]:
        game.np_random = np.random.RandomState(1)
        dealing = 0.0
        for actions in games:
            begun = process_time()
            game.init_game()
            dealing += process_time() - begun
            for action in actions:
                game.step(action)
        return rounds, dealing

    choose()
    env = rlcard.make("uno", config={"seed": 1})
    # RLCard's environment takes the number of players of UNO from its game alone.
    env.game.num_players = env.num_players = 4
    env.set_agents([RandomAgent(env.num_actions) for _ in range(4)])

    def run() -> tuple[int, float]:
        for _ in range(ROUNDS["rlcard env.run"]):
            env.run()
        return ROUNDS["rlcard env.run"], 0.0

    return step, after_deal, choose, run


def _slowest_ms(header: Header) -> float:
    """Return the 99th percentile of the time of `Referee.observe` (ms)."""
    times: list[float] = []

    class Timed(Referee):
        def observe(self, observation: Observation) -> Rulings:
            begun = perf_counter()
            rulings = super().observe(observation)
            times.append(perf_counter() - begun)
            return rulings

    table = RandomTable(header, 2, Timed)
    while len(times) < 50_000:
        table.play_round()
    return round(quantiles(times, n=100)[98] * 1000, 4)
