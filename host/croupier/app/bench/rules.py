"""How fast the referee is, against RLCard's game of UNO: random play by four players, in hands per CPU second.

What is measured is the work of the engine, on both sides: what players think, and how they shuffle, is not in it. So
games are played and written down first, and then the clock runs while they are played again:

- ours: every observation that the table reported (deal, first card, cards laid and drawn, passes, colors, calls,
  catches, answers to a Wild Draw Four, hands shown) is made from its fields and observed, with all rulings built,
  points counted, and what an undo needs kept;
- ``UnoGame.step``: `init_game`, and `step` for each action. It has no calls, challenges, passes or points.

A second line has the players in it: ours deal, look for a card that fits and report; RLCard's choose among the legal
actions that each state brings along. ``env.run`` is RLCard's environment with its own random agents, players included.

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
from statistics import median, quantiles
from time import perf_counter, process_time
from typing import Any, Final

from croupier.app.bench.random_play import RandomTable
from croupier.referee import Header, Observation, Referee, Rulings
from croupier.rules import load

SLICES: Final = 15
ROUNDS: Final = {"ours": 300, "ours with players": 150, "rlcard UnoGame.step": 75, "rlcard env.run": 25}
"""Rounds in a slice: about a tenth of a second each."""

WRITTEN: Final = 50
"""Rounds that are written down: few enough to stay in the processor's cache, as the reports of a real table do."""

PEERS: Final = ("rlcard UnoGame.step", "rlcard env.run")
RULESET: Final = "g7942-en"

Slice = Callable[[], object]


def measure() -> Iterator[dict[str, Any]]:
    """The referee and its peers, without and with players; and how long one observation takes at most."""
    header = Header(ruleset=load(RULESET), seats=("Ann", "Ben", "Cat", "Dan"), dealer=3)
    slices: dict[str, Slice] = {"ours": _replay(header), "ours with players": _play(header)}
    players = dict(slices)
    if find_spec("rlcard") is not None:
        step, run, choose = _peers()
        slices |= {"rlcard UnoGame.step": step, "rlcard env.run": run}
        players |= {"rlcard UnoGame.step": choose, "rlcard env.run": run}
    yield _line("4 players, random play", "ours", _rates(slices))
    yield _line("the same with the players in it", "ours with players", _rates(players))
    slowest = {"unit": "ms", "ours": _slowest_ms(header)}
    yield {"bench": "rules", "what": f"one observation, 99 of 100, {RULESET}", **slowest}


def _line(what: str, ours: str, rates: dict[str, list[float]]) -> dict[str, Any]:
    peers = [name for name in PEERS if name in rates]
    ratios = {name: [a / b for a, b in zip(rates[ours], rates[name], strict=True)] for name in peers}
    line: dict[str, Any] = {
        "bench": "rules",
        "what": f"{what}, {RULESET}",
        "unit": "hands/cpu-s",
        "ours": round(median(rates[ours]), 1),
        "peers": {name: round(median(rates[name]), 1) for name in peers},
        "ratio": {name: round(median(ratios[name]), 2) for name in peers},
    }
    missing = [name for name in PEERS if name not in rates]
    return line | ({"missing": missing} if missing else {})


def _rates(slices: dict[str, Slice]) -> dict[str, list[float]]:
    """Hands per second of CPU time in each slice, in turn. What was written down is no garbage to look through."""
    gc.collect()
    gc.freeze()
    rates: dict[str, list[float]] = {name: [] for name in slices}
    for _ in range(SLICES):
        for name, run in slices.items():
            begun = process_time()
            run()
            rates[name].append(ROUNDS[name] / (process_time() - begun))
    return rates


def _replay(header: Header) -> Slice:
    """Games that were written down, observed again."""
    games: list[list[Callable[[], Observation]]] = []

    class Writing(Referee):
        def __init__(self, header: Header) -> None:
            super().__init__(header)
            games.append([])

        def observe(self, observation: Observation) -> Rulings:
            names = [item.name for item in fields(observation) if item.name != "u"]
            games[-1].append(partial(type(observation), *(getattr(observation, name) for name in names)))
            return super().observe(observation)

    table = RandomTable(header, 1, Writing)
    for _ in range(WRITTEN):
        table.play_round()

    def again() -> None:
        for game in games * (ROUNDS["ours"] // WRITTEN):
            observe = Referee(header).observe
            for make in game:
                observe(make())

    return again


def _play(header: Header) -> Slice:
    """Players who deal, choose and report."""
    table = RandomTable(header, 1)

    def play() -> None:
        for _ in range(ROUNDS["ours with players"]):
            table.play_round()

    return play


def _peers() -> tuple[Slice, Slice, Slice]:
    """RLCard: `step` as written down, its environment, and `step` with a choice among the legal actions."""
    import numpy as np
    import rlcard
    from rlcard.agents import RandomAgent
    from rlcard.games.uno import Game

    rounds = ROUNDS["rlcard UnoGame.step"]
    game = Game(num_players=4)
    games: list[list[str]] = []

    def choose() -> None:
        """Play and write down; the cards come from the same seed each time."""
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

    def step() -> None:
        game.np_random = np.random.RandomState(1)
        for actions in games:
            game.init_game()
            for action in actions:
                game.step(action)

    choose()
    env = rlcard.make("uno", config={"seed": 1})
    # RLCard's environment takes the number of players of UNO from its game alone.
    env.game.num_players = env.num_players = 4
    env.set_agents([RandomAgent(env.num_actions) for _ in range(4)])

    def run() -> None:
        for _ in range(ROUNDS["rlcard env.run"]):
            env.run()

    return step, run, choose


def _slowest_ms(header: Header) -> float:
    """The 99th percentile of the time that `Referee.observe` takes, in ms."""
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
