"""What the referee says to the player whose phone it is: in the second person, in whole sentences."""

from __future__ import annotations

import re
from typing import Final

import pytest

from croupier_rules.referee import Explainer
from croupier_rules.referee.observations import Color, Overrule, Play, PlayerChange, Shown, Swap
from croupier_rules.referee.rulings import Caught, GameOver, MayChallenge, PickAgain
from croupier_rules.rules import UNWRITTEN
from tests.journal.games import game_lines
from tests.referee.test_texts import LANGUAGES, SEATS, SEEN, explainer, said, texts
from tests.web.stories import story_of

CHANGES: Final = tuple(
    Overrule(0.0, set={"turn": 1}, player=PlayerChange(does, 0, 1 if does == "swap" else None))
    for does in ("leave", "join", "swap")
)


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def names(text: str, seat: int) -> bool:
    return re.search(rf"\b{SEATS[seat]}\b", text) is not None


def test_nobody_reads_of_himself_in_the_third_person(language: str) -> None:
    speaker = explainer(language)
    for seat in range(len(SEATS)):
        mine = speaker.to_player(seat)
        for observation in (*SEEN, *CHANGES):
            text = mine.seen(observation, on_turn=seat)
            assert not names(text, seat), text
            assert (text != speaker.seen(observation, on_turn=seat)) == names(speaker.seen(observation, seat), seat)
        for ruling in said():
            text = mine.explain(ruling).text
            assert not names(text, seat), text
            assert not re.search(r"[{}]|None|\(\)", text), text


def test_every_text_about_a_player_has_one_in_the_second_person(language: str) -> None:
    all_of_them = texts(language)
    about = {
        key
        for key, text in all_of_them.items()
        if "{seat}" in text and key.split(".")[0] in ("seen", "said", "waits", "position", "player")
    }
    assert {f"you.{key}" for key in about} <= all_of_them.keys()
    assert [key for key in about if "{seat}" in all_of_them[f"you.{key}"]] == []


def test_a_sentence_to_me_is_no_telegram(language: str) -> None:
    """No name after a colon at the end in place of a subject: "And may be caught: Ben."."""
    telegram = re.compile(r": \{seats?\}\.?$")
    found = [key for key, text in texts(language).items() if telegram.search(text) and key.startswith("you.")]
    assert found == []
    caught = texts(language)["position.catchable"]
    assert not telegram.search(caught)
    assert not telegram.search(texts(language)["said.may_challenge"])


def test_the_other_of_two_is_addressed_too() -> None:
    speaker = explainer("en")
    assert speaker.to_player(1).explain(Caught(UNWRITTEN, 0, 1)).text == "Ann did not call UNO, and you noticed."
    assert speaker.to_player(1).seen(Swap(0.0, 0, 1)) == "Ann swaps hands with you."
    assert speaker.to_player(2).seen(Swap(0.0, 0, 1)) == "Ann swaps hands with Ben."
    assert speaker.to_player(1).seen(CHANGES[2]) == "Ann and you swap seats."


def test_who_shares_a_ruling_reads_the_part_that_is_about_him() -> None:
    mine = explainer("en").to_player(1)
    assert mine.explain(MayChallenge(UNWRITTEN, (0, 1))).text == "You may challenge the Wild Draw Four."
    assert mine.explain(MayChallenge(UNWRITTEN, (0, 2))).text == (
        "Ann may challenge the Wild Draw Four. Cat may challenge the Wild Draw Four."
    )
    assert mine.explain(PickAgain(UNWRITTEN, (0, 1))).text == "Pick again."
    assert mine.explain(GameOver(UNWRITTEN, team=1)).text == "You and Dan have won the game."
    assert mine.explain(GameOver(UNWRITTEN, seats=(0, 1, 3))).text == "You and Ann and Dan share the win."


def test_a_whole_game_is_told_to_each_player(language: str) -> None:
    story = story_of(game_lines(2, rounds=1))
    names_of_all = story.header.seats
    referee = Explainer(story.header, language)
    for seat, name in enumerate(names_of_all):
        mine, own_name = referee.to_player(seat), re.compile(rf"\b{re.escape(name)}\b")
        for moment in story.moments[1:]:
            assert moment.reported is not None
            told = [mine.seen(moment.reported, moment.on_turn), *(mine.explain(one).text for one in moment.rulings)]
            told.append(mine.standing(moment.position))
            assert [text for text in told if own_name.search(text)] == []


def test_others_read_the_same_as_before() -> None:
    speaker = explainer("en")
    assert speaker.to_player(None) is speaker
    assert speaker.to_player(3).seen(Play(0.0, "red-7", 0)) == speaker.seen(Play(0.0, "red-7", 0))
    assert speaker.to_player(0).seen(Color(0.0, "blue", 0)) == "You name blue."
    assert speaker.to_player(0).seen(Shown(0.0, 0, ("red-7",))) == "You show your hand: red 7."
