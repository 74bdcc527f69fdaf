"""Bots that play by any sheet, and the command `croupier play`."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from croupier.cli.main import run
from croupier_extras.bot.player import Bot
from croupier_extras.bot.table import CardTable
from croupier_rules import Header, Referee, legal, parse_header, parse_observation
from croupier_rules.errors import BadHeader
from croupier_rules.referee.observations import Accept, Challenge, Color, Observation, Pass, Play, Uno
from croupier_rules.referee.rulings import ChallengeOutcome, Illegal, Mismatch, Rulings, Void
from croupier_rules.rules import UNWRITTEN, load, names
from tests.longer import some

NAMES = ("Ann", "Ben", "Cat", "Dan", "Eve")
OWN_RULES = (
    "g7942-en+party",
    "g7942-en+seven-zero+play.double=identical",
    "no-mercy-en+family",
    "house-rules-pl+jump-in",
)


def _header(ruleset: str = "g7942-en", seats: int = 3, **more: Any) -> Header:
    return parse_header(
        {"log": "croupier/1", "ruleset": load(ruleset).name, "seats": [*NAMES[:seats]], "dealer": 0, **more}
    )


def _at(hand: list[str], others: int = 7, top: str = "red-5", **given: Any) -> Referee:
    """Ann is on turn with ``hand``; the others hold so many cards each."""
    return Referee(
        _header(given={"phase": "turn", "turn": 0, "top": top, "hands": [len(hand), others, others], **given})
    )


def _bot(seat: int = 0, skill: float = 1.0, seed: int = 1) -> Bot:
    return Bot(seat, "g7942", Random(seed), skill)


def _play_round(
    ruleset: str, seats: int, seed: int, skills: tuple[float, ...]
) -> Iterator[tuple[Observation, Rulings]]:
    """What the bots choose in a round, and the rulings on it."""
    table = CardTable(_header(ruleset, seats), seed)
    bots = [Bot(seat, table.referee.header.ruleset.deck, Random(seed + seat), skills[seat]) for seat in range(seats)]
    table.begin_round()
    while not table.referee.is_round_over:
        choices = ((bots[seat].choose(table.referee, table.hands[seat], table.drawn)) for seat in table.seats_to_ask())
        choice = next(choice for choice in choices if choice is not None)
        yield choice, table.do(choice)
        assert table.lies_whole()


@pytest.mark.parametrize("ruleset", some([*names(), *OWN_RULES], 5))
def test_bots_play_a_round_by_every_sheet_and_the_referee_refuses_nothing(ruleset: str) -> None:
    for seats in (2, 4):
        for choice, ruled in _play_round(ruleset, seats, seats, (1.0, 0.5, 0.0, 1.0)):
            assert not [one for one in ruled if isinstance(one, Illegal | Void | Mismatch)], choice


def test_a_bot_does_not_see_the_cards_of_others() -> None:
    hand = ["red-7", "blue-2", "wild"]
    for faces in (["red-1", "wild-draw4"], ["green-9", "yellow-9"]):
        referee = _at(hand, 4, known={"0": hand, "1": [*faces, "red-9", "blue-9"]})
        assert _bot().choose(referee, hand) == Play(1.0, "red-7", 0)


def test_it_plays_the_color_of_which_it_holds_most() -> None:
    hand = ["red-7", "blue-5", "blue-1", "blue-2", "green-3"]
    assert _bot().choose(_at(hand), hand) == Play(1.0, "blue-5", 0)


def test_it_keeps_a_wild_while_another_card_fits_and_lays_it_where_none_does() -> None:
    hand = ["wild", "red-7", "green-3", "green-4"]
    assert _bot().choose(_at(hand), hand) == Play(1.0, "red-7", 0)
    hand[1] = "blue-7"
    assert _bot().choose(_at(hand), hand) == Play(1.0, "wild", 0)


def test_it_hits_who_holds_few_cards() -> None:
    hand = ["red-draw2", "red-7", "green-7", "blue-1", "blue-2", "blue-3", "blue-5"]
    assert _bot().choose(_at(hand), hand) == Play(1.0, "blue-5", 0)
    assert _bot().choose(_at(hand, 1), hand) == Play(1.0, "red-draw2", 0)


def test_it_names_the_color_of_which_it_holds_most() -> None:
    hand = ["blue-5", "blue-1", "green-3"]
    referee = _at(["wild", *hand])
    referee.observe(Play(1.0, "wild", 0))
    assert _bot().choose(referee, hand) == Color(2.0, "blue", 0)


def test_it_calls_uno_before_the_second_to_last_card_and_without_skill_forgets_at_times() -> None:
    hand = ["red-7", "blue-1"]
    assert _bot().choose(_at(hand), hand) == Uno(1.0, 0)
    choices = [_bot(skill=0.0, seed=seed).choose(_at(hand), hand) for seed in range(40)]
    assert {type(one) for one in choices} == {Uno, Play}


def test_it_catches_who_did_not_call() -> None:
    referee = _at(["red-7", "blue-1"])
    referee.observe(Play(1.0, "red-7", 0))
    assert _bot(2).choose(referee, ["green-1"] * 7) == Uno(2.0, 2)


def test_it_lays_no_other_card_than_the_one_it_drew() -> None:
    hand = ["red-7", "green-1"]
    referee = _at(hand[:1], phase="drawn", hands=[2, 7, 7])
    assert _bot().choose(referee, hand, "green-1") == Pass(1.0, 0)


@pytest.mark.parametrize(("held", "answer"), [(12, Challenge), (3, Accept)])
def test_it_challenges_who_probably_holds_the_color(held: int, answer: type[Observation]) -> None:
    referee = Referee(_header(given={"phase": "turn", "turn": 0, "top": "red-5", "hands": [held, 3, 7]}))
    referee.observe(Play(1.0, "wild-draw4", 0))
    referee.observe(Color(2.0, "blue", 0))
    hand = ["green-1", "green-2", "green-3"]
    assert isinstance(_bot(1).choose(referee, hand), answer)


def test_it_learns_who_does_not_bluff() -> None:
    referee = Referee(_header(given={"phase": "turn", "turn": 0, "top": "red-5", "hands": [6, 3, 7]}))
    referee.observe(Play(1.0, "wild-draw4", 0))
    referee.observe(Color(2.0, "blue", 0))
    bot, hand = _bot(1), ["green-1", "green-2", "green-3"]
    assert isinstance(bot.choose(referee, hand), Challenge)
    for _ in range(30):
        bot.watch((ChallengeOutcome(UNWRITTEN, 0, 1, False),))
    assert isinstance(bot.choose(referee, hand), Accept)


def test_legal_takes_the_cards_of_a_hand_that_the_referee_does_not_know() -> None:
    referee = _at(["red-7"] * 3)
    cards = {one.card for one in legal(referee, 0, ["red-7", "blue-1", "wild"]) if isinstance(one, Play)}
    assert cards == {"red-7", "wild"}


def test_a_table_needs_a_dealer() -> None:
    with pytest.raises(BadHeader, match="dealer"):
        CardTable(parse_header({"log": "croupier/1", "ruleset": "g7942-en", "seats": ["A", "B"], "dealer": None}), 1)


def _type(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def test_a_person_plays_against_bots_and_the_log_is_a_table_log(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _type(monkeypatch, *["1", "2", "3", "4", "5", "6", "7", "?", "u", "a", "d", "p"] * 6, "q")
    file = tmp_path / "game.jsonl"
    assert run(["play", "--bots", "2", "--seed", "3", "--name", "Zoe", "--log", str(file)]) == 0
    shown = capsys.readouterr().out
    assert "Take it back into your hand." in shown
    assert "The sheet says (" in shown
    header, *lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert header["seats"] == ["Zoe", "Ada", "Bob"]
    referee = Referee(parse_header(header))
    for line in lines:
        referee.observe(parse_observation(line, 3))
    assert [line["cards"] for line in lines if line["obs"] == "dealt" and line["seat"] != 0 and "cards" in line] == []
    assert run(["play", "--log", str(file)]) == 2
    assert str(file) in capsys.readouterr().err


def test_the_end_of_the_input_ends_the_game(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _type(monkeypatch)
    assert run(["play", "--seed", "1", "--ruleset", "mau-mau-en"]) == 0
    assert "1" in capsys.readouterr().out
