"""The log of a round by turns, and what a script needs to go through a game."""

from __future__ import annotations

from croupier.game_views.story import Story
from croupier.game_views.turns import Line, TurnLog, end_of_round, timeline, turns
from tests.journal.games import game_lines
from tests.web.moments import log
from tests.web.stories import story_of

STORY = story_of(game_lines(5, rounds=3, target=150))


def now(story: Story) -> list[TurnLog]:
    return turns(story, story.at(None))


def lines_of(story: Story) -> list[Line]:
    return [line for turn in now(story) for line in turn.lines]


def test_the_log_has_each_line_of_the_round_once_below_the_player_on_turn() -> None:
    for number in range(1, STORY.at(None).round + 1):
        of_round = [one for one in STORY.moments[1:] if one.round == number]
        end = end_of_round(STORY, of_round[0])
        assert end == of_round[-1].n
        found = turns(STORY, STORY.at(end))
        assert [line.text.n for turn in found for line in turn.lines] == [one.n for one in of_round]
        for turn in found:
            on_turn = {STORY.at(line.text.n).on_turn for line in turn.lines}
            assert {"" if seat is None else STORY.header.seats[seat] for seat in on_turn} == {turn.name}


def test_who_is_on_turn_again_begins_another_turn_and_cards_are_drawn_beside_what_is_said() -> None:
    lines = log({"obs": "play", "card": "red-skip"}, {"obs": "drew", "seat": 0, "n": 1}, seats=2)
    first, second = turns(story := story_of(lines), story.at(None))
    assert (first.name, second.name) == ("Ann", "Ann")
    assert [card.face for turn in (first, second) for line in turn.lines for card in line.cards] == ["red-skip", "back"]
    assert "turn" not in [ruling.name for ruling in first.lines[0].text.rulings]


def test_before_the_deal_it_is_nobodys_turn() -> None:
    story = story_of(
        log(
            {"obs": "tick"},
            given={"phase": "pick", "turn": None, "top": None, "hands": [0] * 4},
            dealer=None,
        )
    )
    assert [turn.name for turn in now(story)] == [""]


def test_a_line_tells_its_place_its_time_and_what_was_seen() -> None:
    (line,) = lines_of(story_of(log({"obs": "play", "card": "red-3", "t": 8.0, "u": 0.4})))
    assert (line.text.n, line.text.t, line.text.u) == (1, 8.0, 0.4)
    assert "red 3" in line.text.seen


def test_open_hands_are_drawn_card_by_card_and_a_pass_without_any() -> None:
    story = story_of(log({"obs": "drew", "seat": 0, "n": 1}, {"obs": "pass", "seat": 0}))
    assert [[card.face for card in line.cards] for line in lines_of(story)] == [["back"], []]
    shown = {"obs": "shown", "seat": 1, "cards": ["blue-1", "blue-2"]}
    ended = story_of(log({"obs": "play", "card": "red-1"}, shown, given={"hands": [1, 2, 3, 4], "called": [0]}))
    assert [[card.face for card in line.cards] for line in lines_of(ended)] == [["red-1"], ["blue-1", "blue-2"]]


def test_what_was_taken_back_is_marked_and_the_correction_is_not() -> None:
    lines = log({"obs": "play", "card": "red-3"}, {"obs": "overrule", "undo": 1}, {"obs": "play", "card": "red-9"})
    assert [line.is_undone for line in lines_of(story_of(lines))] == [True, False, False]


def test_a_script_knows_time_and_round_of_each_moment_and_where_the_referee_decided_something() -> None:
    told = timeline(STORY)
    assert list(told) == ["t", "round", "decisions"]
    assert told["t"] == [one.t for one in STORY.moments]
    assert told["round"] == [one.round for one in STORY.moments]
    assert told["round"][0] <= 1 < told["round"][-1]
    refused = story_of(log({"obs": "play", "card": "red-3"}, {"obs": "play", "card": "blue-9"}))
    assert timeline(refused)["decisions"] == [2]
