"""Luck of the cards: which rounds can be told, that better cards are luckier, and that equal cards are not."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import replace
from math import sqrt
from pathlib import Path
from random import Random

import pytest

from croupier.cli import main
from croupier.game_views.story import Story
from croupier.journal import Journal
from croupier_extras.statistics.figures import GameFigures, PlayerStatistics, statistics
from croupier_extras.statistics.luck import REPLAYS, Deal, Luck, PlayerLuck, deals_of, wins_of
from croupier_rules.cards import DECKS, FACES, KIND, is_wild
from tests.journal.games import game_lines
from tests.longer import many
from tests.patience import PATIENCE_S
from tests.referee.games import header
from tests.web.tables import page

WILD = KIND["wild"]


def dealt(seed: int, wilds: int, seats: int = 4) -> Deal:
    """A round of seven cards each; seat 0 has so many wilds, for certain, and the rest is chance."""
    deck = [KIND[face] for face, n in DECKS["g7942"].items() for _ in range(n)]
    for _ in range(wilds):
        deck.remove(WILD)
    Random(seed).shuffle(deck)
    hands = [deck[7 * seat : 7 * seat + 7] for seat in range(seats)]
    hands[0][:wilds] = [WILD] * wilds
    up = next(kind for kind in deck[7 * seats :] if not is_wild(FACES[kind]))
    return Deal(header(seats), up, 7, tuple(map(tuple, hands)), ((),) * seats)


def luck(deals: Sequence[Deal]) -> tuple[float, float]:
    """The luck of seat 0, and its standard error."""
    shares = [wins[0] / REPLAYS for deal in deals if (wins := wins_of(deal)) is not None]
    assert len(shares) == len(deals)
    error = sqrt(sum(share * (1 - share) / REPLAYS for share in shares))
    return sum(share - 1 / len(deals[0].ordered) for share in shares), error


def test_a_seat_with_more_wilds_is_lucky_and_the_result_is_the_same_each_time() -> None:
    deals = [dealt(seed, wilds=4) for seed in range(4)]
    found, error = luck(deals)
    assert found > 2 * error
    assert wins_of(deals[0]) == wins_of(deals[0])


@pytest.mark.long
@pytest.mark.parametrize("seats", [2, 4, 6])
def test_with_cards_of_chance_nobody_is_lucky(seats: int) -> None:
    n = many(24)
    found, _error = luck([dealt(seed, wilds=0, seats=seats) for seed in range(n)])
    assert abs(found) < 4 * sqrt(n) * 0.2, "hands differ by chance, with a deviation under 0.2 a round"


def test_every_round_whose_hands_are_laid_open_can_be_told_with_the_cards_that_were_held() -> None:
    for lines in (game_lines(1, rounds=3), game_lines(1, rounds=3, open_hands=True)):
        drawn = [line for line in map(json.loads, lines[1:]) if line["obs"] in ("dealt", "drew")]
        deals = [deal for _names, deal in deals_of(Story(*lines))]
        assert len(deals) == 3
        held = [len(cards) for deal in deals if deal for cards in (*deal.ordered, *deal.others)]
        assert sum(held) == sum(line["n"] for line in drawn)


@pytest.mark.parametrize("spoil", ["unread", "not-shown", "overruled"])
def test_a_round_with_an_unknown_card_cannot_be_told(spoil: str) -> None:
    first, *lines = map(json.loads, game_lines(1))
    if spoil == "unread":
        next(line for line in lines if line["obs"] == "shown")["cards"][0] = "?"
    elif spoil == "not-shown":
        lines = [line for line in lines if line["obs"] != "shown"]
    else:
        end = next(n for n, line in enumerate(lines) if line["obs"] == "shown")
        lines.insert(end, {"obs": "overrule", "t": lines[end - 1]["t"], "set": {"scores": [1, 0, 0, 0]}})
    assert [deal for _names, deal in deals_of(Story(*map(json.dumps, (first, *lines))))] == [None]


def test_a_table_with_rules_of_its_own_cannot_be_told() -> None:
    first, *lines = game_lines(1)
    stacked = json.loads(first) | {"ruleset": "g7942-en+stack.draw2=draw2"}
    deals = list(deals_of(Story(json.dumps(stacked), *lines)))
    assert all(deal is None for _names, deal in deals)


def test_luck_is_summed_for_each_player_and_goes_with_the_player() -> None:
    games = [GameFigures.of(Story(*game_lines(seed, rounds=2))) for seed in (1, 2)]
    untold = replace(games[0], deals=tuple((names, None) for names, _deal in games[0].deals))
    everybody = {one.name: (one, lucks(one)) for one in statistics([untold, games[1]], (), Luck())}
    assert {(luck.rounds, one.counts["rounds"]) for one, luck in everybody.values()} == {(2, 4)}
    assert sum(luck.luck for _one, luck in everybody.values()) == pytest.approx(0)
    assert all(0 < luck.error < 2 * 0.5 / sqrt(REPLAYS) for _one, luck in everybody.values())
    gone = min(everybody)
    assert gone not in {one.name for one in statistics(games, [gone], Luck())}


def lucks(player: PlayerStatistics) -> PlayerLuck:
    assert player.luck is not None
    return player.luck


def test_the_page_tells_the_luck_without_waiting_and_the_command_tells_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gate = threading.Event()
    monkeypatch.setattr("croupier_extras.statistics.luck.wins_of", lambda deal: (gate.wait(), wins_of(deal))[1])
    with page(tmp_path, game_lines(1)) as up:
        client = up.client()
        assert "Rounds still to be replayed: 1." in client.get("statistics").text
        assert {one["luck"] for one in client.get("statistics.json").json()} == {None}
        assert "Luck of the cards" in client.get("statistics").text
        gate.set()
        for thread in threading.enumerate():
            if thread.name == "luck":
                thread.join()
        found = {one["player"]: one["luck"] for one in client.get("statistics.json").json()}
        assert "Rounds still to be replayed" not in client.get("statistics").text
    with Journal(tmp_path / "again.journal") as writer:
        writer.add(game_lines(1), began=1.7e9)
    assert main.run(["stats", "--luck", "--json", "--journal", str(tmp_path / "again.journal")]) == 0
    told = map(json.loads, capsys.readouterr().out.splitlines())
    assert {one["player"]: one["luck"] for one in told} == found


def test_a_round_whose_replay_fails_is_not_told_and_the_others_are(monkeypatch: pytest.MonkeyPatch) -> None:
    good, bad = dealt(1, wilds=0), dealt(2, wilds=0)
    monkeypatch.setattr("croupier_extras.statistics.luck.wins_of", lambda deal: (1, 2, 3, 4) if deal == good else 1 / 0)
    measure = Luck()
    games, players = [[(tuple("ABCD"), good), (tuple("EFGH"), bad)]], "ABCDEFGH"
    measure.count(games, players, wait=False)
    for thread in threading.enumerate():
        if thread.name == "luck":
            thread.join(PATIENCE_S)
    found = measure.count(games, players, wait=False)
    assert measure.notes()[1] == ""
    assert [found[name].rounds for name in players] == [1, 1, 1, 1, 0, 0, 0, 0]
