"""The score sheet of an evening: the referee's points, a file that is plain, and damage that is reported."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from croupier.cli import main
from croupier.errors import BadLog, BadName, BadScore
from croupier.journal import text_of
from croupier.log_replay import Record, position_without_faces, replay_lines
from croupier_tally.score_sheet import MOST_BYTES, ScoreSheet, new_sheet, read_sheet

ANN, BEN, CAT, DAN = range(4)
NAMES = ("Ann", "Ben", "Cat", "Dan")


def sheet(ruleset: str = "g7942-en", seats: int = 3, **options: Any) -> ScoreSheet:
    return new_sheet(NAMES[:seats], ruleset, **options)


def played(begun: ScoreSheet, *rounds: tuple[int, dict[int, list[str]]]) -> ScoreSheet:
    for winner, hands in rounds:
        begun = begun.with_winner(winner)
        for seat, cards in hands.items():
            begun = begun.with_hand(seat, cards)
    return begun


def totals(scored: ScoreSheet) -> list[int]:
    return list(scored.story.at(None).position["scores"])


ROUND = (ANN, {BEN: ["red-7", "wild"], CAT: ["blue-skip"]})


@pytest.mark.parametrize(
    ("begun", "points"),
    [
        pytest.param(sheet(), [77, 0, 0], id="winner-gets-all"),
        pytest.param(sheet(lowest=True), [0, 57, 20], id="all-keep-their-own"),
        pytest.param(sheet(limit=200), [0, 57, 20], id="elimination"),
        pytest.param(sheet("house-rules-pl", target=300), [77, 0, 0], id="target-of-the-table"),
        pytest.param(sheet("g7942-en+score.values=one-a-round", target=3), [1, 0, 0], id="one-a-round"),
    ],
)
def test_the_rules_decide_who_gets_which_points(begun: ScoreSheet, points: list[int]) -> None:
    counts_hands = begun.with_winner(ANN).to_show != ()
    assert totals(played(begun, (ANN, ROUND[1] if counts_hands else {}))) == points


def test_partners_get_what_the_opponents_hold() -> None:
    begun = sheet(seats=4, partners=True).with_winner(ANN)
    assert begun.to_show == (BEN, DAN)
    with pytest.raises(BadScore, match="Cat"):
        begun.with_hand(CAT, ["red-7"])
    assert totals(begun.with_hand(DAN, ["wild"]).with_hand(BEN, ["red-7"])) == [57, 0]


def test_the_first_with_the_target_has_won_and_nothing_is_added_after_that() -> None:
    won = played(sheet(target=100), ROUND, ROUND)
    assert won.is_over
    assert won.story.winner is not None
    assert won.story.winner.seat == ANN
    with pytest.raises(BadScore, match="over"):
        won.with_winner(BEN)
    assert not won.without_last_round().is_over


def test_who_is_eliminated_holds_no_cards_in_later_rounds() -> None:
    left = played(sheet(limit=50), ROUND).with_winner(ANN)
    assert left.to_show == (CAT,)
    with pytest.raises(BadScore, match="Ben is out"):
        played(sheet(limit=50), ROUND).with_winner(BEN)
    assert totals(left.with_hand(CAT, ["wild"])) == [0, 57, 70]


def test_a_round_counts_when_its_last_hand_is_there_and_may_be_corrected_until_then() -> None:
    open_ = sheet().with_winner(ANN).with_hand(BEN, ["red-7"])
    assert (totals(open_), open_.to_show) == ([0, 0, 0], (CAT,))
    corrected = open_.with_hand(BEN, ["red-9"])
    assert totals(corrected.with_hand(CAT, ["red-1"])) == [10, 0, 0]
    moved = open_.with_winner(CAT)
    assert moved.to_show == (ANN,)
    assert totals(moved.with_hand(ANN, ["red-1"])) == [0, 0, 8]


def test_taking_back_the_last_round_leaves_the_sheet_as_it_was_before_it() -> None:
    before = played(sheet(), ROUND)
    open_ = before.with_winner(BEN).with_hand(CAT, ["red-1"])
    assert open_.without_last_round().text == before.text
    complete = open_.with_hand(ANN, ["red-1"])
    left = complete.without_last_round()
    assert (left.rounds, totals(left), left.dealer) == (before.rounds, totals(before), BEN)
    assert left.versions(1) == complete.rounds[1:]
    assert left.text.startswith(complete.text)
    assert left.without_last_round().rounds == ()
    with pytest.raises(BadScore):
        sheet().without_last_round()


@pytest.mark.parametrize(
    ("seat", "cards", "told"),
    [
        pytest.param(CAT, ["red-7", "red-7"], "red 7: 3 in this round, but the deck has 2", id="too-often"),
        pytest.param(CAT, ["wild-shuffle"], "but the deck has 0", id="of-another-deck"),
        pytest.param(CAT, ["red-7", "?"], "not known", id="unread"),
        pytest.param(CAT, [], "Cat holds no card", id="nothing"),
        pytest.param(ANN, ["red-7"], "Ann do not count", id="who-went-out"),
    ],
)
def test_cards_that_cannot_be_are_refused_with_the_reason(seat: int, cards: list[str], told: str) -> None:
    begun = sheet().with_winner(ANN).with_hand(BEN, ["red-7"])
    with pytest.raises(BadScore, match=told):
        begun.with_hand(seat, cards)


@pytest.mark.parametrize(
    ("refused", "told"),
    [
        pytest.param(
            lambda: played(sheet(target=100), ROUND, ROUND).with_winner(BEN),
            "The game is over. Begin a new score sheet, or take back the last round.",
            id="over",
        ),
        pytest.param(
            lambda: sheet().without_last_round(),
            "There is no round on this score sheet yet.",
            id="nothing-to-take-back",
        ),
        pytest.param(
            lambda: sheet().with_winner(ANN).with_hand(CAT, []),
            "Cat holds no card; only who went out has none.",
            id="no-card",
        ),
    ],
)
def test_a_refusal_says_what_to_do(refused: Callable[[], ScoreSheet], told: str) -> None:
    with pytest.raises(BadScore) as found:
        refused()
    assert str(found.value) == told


def test_the_lowest_total_wins_where_all_keep_their_own_points() -> None:
    won = played(sheet(lowest=True, target=50), ROUND)
    assert won.story.header.options.scoring == "lowest"
    assert won.is_over
    assert won.story.winner is not None
    assert won.story.winner.seat == ANN


def test_hands_may_come_first_and_who_has_none_went_out() -> None:
    first = sheet().with_hand(CAT, ["blue-skip"])
    assert (first.to_show, first.open_round, totals(first)) == ((ANN, BEN), first.rounds[0], [0, 0, 0])
    assert ScoreSheet.parse(first.text.encode(), "evening.score").text == first.text
    second = first.with_hand(BEN, ["red-7", "wild"])
    assert (second.rounds[0].went_out, second.open_round, totals(second)) == (ANN, None, [77, 0, 0])
    assert second.text == played(sheet(), ROUND).text
    said = first.with_winner(CAT)
    assert (said.rounds[0].hands, said.to_show) == ({}, (ANN, BEN))


def test_partners_say_who_went_out_of_the_pair_that_holds_no_cards() -> None:
    pair = sheet(seats=4, partners=True).with_hand(BEN, ["red-7"]).with_hand(DAN, ["wild"])
    assert pair.to_show == (ANN, CAT)
    assert totals(pair.with_winner(CAT)) == [57, 0]


def test_who_deals_is_said_from_the_first_round_on() -> None:
    begun = sheet()
    assert (begun.dealer, played(begun, ROUND).dealer, played(begun, ROUND, ROUND).dealer) == (ANN, BEN, CAT)
    other = begun.with_dealer(CAT)
    assert (other.dealer, played(other, ROUND).rounds[0].dealer, played(other, ROUND).dealer) == (CAT, CAT, ANN)
    assert played(other, ROUND).story.at(None).position["dealer"] == CAT
    assert played(sheet(limit=50), ROUND).dealer == CAT, "Ben is out"


def test_an_earlier_round_is_mended_and_its_history_is_kept() -> None:
    three = played(sheet(), ROUND, (BEN, {ANN: ["red-1"], CAT: ["red-2"]}), (ANN, {BEN: ["red-3"], CAT: ["red-4"]}))
    mended = three.mended(0, ANN, {BEN: ["red-9"]})
    assert totals(three) == [84, 3, 0]
    assert totals(mended) == [36, 3, 0]
    assert mended.text.startswith(three.text), "nothing is taken out of the file"
    assert [mended.versions(place) for place in range(3)] == [three.rounds[:1], (), ()]
    assert [one.round for one in mended.story.scores_at(mended.story.at(None))] == [1, 2, 3]
    assert mended.dealer == three.dealer
    again = mended.mended(0, CAT, {ANN: ["wild"], BEN: ["wild"]})
    assert again.versions(0) == (three.rounds[0], mended.rounds[0])
    assert totals(again) == [7, 3, 100]
    assert again.mended(0, CAT) is again
    assert ScoreSheet.parse(again.text.encode(), "evening.score") == again


def test_a_round_that_is_open_stays_open_while_an_earlier_one_is_mended() -> None:
    open_ = played(sheet(), ROUND).with_winner(BEN).with_hand(CAT, ["red-1"])
    mended = open_.mended(0, ANN, {CAT: ["blue-1"]})
    assert (totals(mended), mended.to_show, mended.open_round) == ([58, 0, 0], (ANN,), open_.open_round)


ELIMINATION = played(sheet(limit=100), ROUND, (CAT, {ANN: ["red-1"], BEN: ["red-2"]}))


@pytest.mark.parametrize(
    ("refused", "told"),
    [
        (lambda: played(sheet(), ROUND).mended(1, ANN), "There is no round 2 on this score sheet."),
        (lambda: played(sheet(), ROUND).mended(0, BEN), "The cards of Ann are missing."),
        (lambda: played(sheet(), ROUND).mended(0, ANN, {CAT: ["wild"] * 5}), "but the deck has 4. One was misread."),
        (
            lambda: ELIMINATION.mended(0, ANN, {BEN: ["wild", "wild-draw4"]}),
            "Later rounds do not fit this any more. Take back the rounds after round 1 first.",
        ),
        (lambda: sheet().going_on(1000), "The game is not over."),
        (lambda: played(sheet(target=100), ROUND, ROUND).going_on(154), "Ann has 154 points: expected a higher number"),
        (lambda: played(sheet(target=50), ROUND).with_hand(BEN, ["red-1"]), "The game is over."),
    ],
)
def test_a_change_that_cannot_be_says_why(refused: Callable[[], ScoreSheet], told: str) -> None:
    with pytest.raises(BadScore) as found:
        refused()
    assert told in str(found.value)


def test_the_game_goes_on_after_its_end_up_to_another_number() -> None:
    won = played(sheet(target=100), ROUND, ROUND)
    assert (won.next_target, played(sheet(), *[ROUND] * 7).next_target) == (500, 1000)
    on = won.going_on(200)
    assert (on.is_over, on.target, on.rounds, on.story.winner) == (False, 200, won.rounds, None)
    assert played(on, ROUND).is_over
    assert on.version != won.version


def test_a_round_that_is_mended_may_end_the_game() -> None:
    two = played(sheet(target=100), (BEN, {ANN: ["red-1"], CAT: ["red-2"]}), (ANN, {BEN: ["red-3"], CAT: ["red-4"]}))
    over = two.mended(0, BEN, {ANN: ["wild"], CAT: ["wild"]})
    assert (over.is_over, totals(over), over.podium[0].name) == (True, [7, 100, 0], "Ben")


def test_a_rematch_has_the_same_people_and_rules_and_the_next_dealer() -> None:
    won = played(sheet(target=100, limit=None), ROUND, ROUND)
    again = won.rematch()
    assert (again.names, again.header.options, again.rounds, again.dealer) == (won.names, won.header.options, (), CAT)


@pytest.mark.parametrize(
    ("scored", "places"),
    [
        pytest.param(
            played(sheet(seats=4), (ANN, {BEN: ["red-1"], CAT: ["red-1"], DAN: ["red-2"]})),
            [(1, "Ann", 4), (2, "Ben", 0), (2, "Cat", 0), (2, "Dan", 0)],
            id="the-rest-is-level",
        ),
        pytest.param(
            played(
                sheet(seats=4),
                (ANN, {BEN: ["red-1"], CAT: ["red-1"], DAN: ["red-2"]}),
                (BEN, {ANN: ["red-1"], CAT: ["red-1"], DAN: ["red-2"]}),
                (DAN, {ANN: ["red-1"], BEN: ["red-1"], CAT: ["blue-1"]}),
            ),
            [(1, "Ann", 4), (1, "Ben", 4), (3, "Dan", 3), (4, "Cat", 0)],
            id="two-lead",
        ),
        pytest.param(
            played(sheet(lowest=True), (ANN, {BEN: ["red-7"], CAT: ["blue-7"]})),
            [(1, "Ann", 0), (2, "Ben", 7), (2, "Cat", 7)],
            id="less-is-better",
        ),
        pytest.param(
            played(sheet(limit=50), ROUND, (CAT, {ANN: ["wild", "wild"]})),
            [(1, "Cat", 20), (2, "Ann", 100), (3, "Ben", 57)],
            id="who-stayed-longer",
        ),
        pytest.param(
            sheet(seats=4, partners=True).with_winner(ANN).with_hand(BEN, ["red-7"]).with_hand(DAN, ["wild"]),
            [(1, "Ann + Cat", 57), (2, "Ben + Dan", 0)],
            id="pairs",
        ),
    ],
)
def test_the_podium_knows_ties_and_leaves_nobody_out(scored: ScoreSheet, places: list[tuple[int, str, int]]) -> None:
    assert [(one.place, one.name, one.points) for one in scored.podium] == places


HANDS = st.lists(
    st.sampled_from(["red-1", "blue-7", "wild", "green-skip", "yellow-9"]), min_size=1, max_size=2, unique=True
)


@settings(max_examples=25)
@given(st.data())
def test_a_mended_sheet_counts_as_if_it_had_been_told_so_at_once(data: st.DataObject) -> None:
    def draw() -> tuple[int, dict[int, list[str]]]:
        winner = data.draw(st.sampled_from([ANN, BEN, CAT]))
        return winner, {seat: data.draw(HANDS) for seat in (ANN, BEN, CAT) if seat != winner}

    rounds = [draw() for _n in range(data.draw(st.integers(1, 4)))]
    now = played(sheet(target=9999), *rounds)
    for _n in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(rounds) - 1))
        rounds[place] = draw()
        now = now.mended(place, *rounds[place])
    told = played(sheet(target=9999), *rounds)
    assert (now.rounds, totals(now), now.dealer, now.podium) == (told.rounds, totals(told), told.dealer, told.podium)
    points = [[one.points for one in some.story.scores_at(some.story.at(None))] for some in (now, told)]
    assert points[0] == points[1]
    assert ScoreSheet.parse(now.text.encode(), "evening.score") == now


@pytest.mark.parametrize(
    ("names", "ruleset", "told"),
    [
        (("Ann", "ann"), "g7942-en", "appears twice"),
        (("Ann",), "g7942-en", "^1 seat: expected 2 to 10$"),
        (("Ann", "Ben"), "official-el", "expected the points that end the game"),
    ],
)
def test_a_sheet_that_cannot_be_is_not_begun(names: tuple[str, ...], ruleset: str, told: str) -> None:
    with pytest.raises((BadLog, BadName), match=told):
        new_sheet(names, ruleset)


@pytest.mark.parametrize("names", ["AB", "ABC", "ABCDE"])
def test_partners_need_pairs(names: str) -> None:
    with pytest.raises(BadLog, match="partners play in pairs: expected an even number of seats"):
        new_sheet(names, "g7942-en", partners=True)


def test_a_sheet_that_is_full_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = played(sheet(), ROUND)
    monkeypatch.setattr("croupier_tally.score_sheet.MOST_BYTES", len(begun.text) + 10)
    with pytest.raises(BadScore, match="full"):
        begun.with_winner(ANN)


FULL = played(sheet(limit=100), ROUND, (CAT, {ANN: ["wild-draw4"], BEN: ["wild", "red-9"]}), (ANN, {}))


def test_the_file_is_a_table_log_with_the_same_points() -> None:
    *_, last = replay_lines(FULL.text.encode().splitlines(), "log")
    assert isinstance(last, Record)
    assert position_without_faces(last.fields) == FULL.story.at(None).position


def test_the_file_gives_the_sheet_again() -> None:
    read = ScoreSheet.parse(FULL.text.encode(), "evening.score")
    assert (read.rounds, read.text, read.to_show) == (FULL.rounds, FULL.text, (CAT,))


@given(st.integers(0, len(FULL.text) - 1), st.integers(0, 255), st.booleans())
@example(FULL.text.index('{"obs":"overrule"'), 0, True)
def test_a_damaged_file_is_reported_in_one_line_or_is_a_sheet(place: int, byte: int, is_cut: bool) -> None:
    content = bytearray(FULL.text.encode())
    content[place:] = [] if is_cut else [byte, *content[place + 1 :]]
    told, read = "", None
    try:
        read = ScoreSheet.parse(bytes(content), "evening.score")
    except BadLog as err:
        told = str(err)
    if read is None:
        assert told.startswith("evening.score, line ")
        assert "\n" not in told
    else:
        assert ScoreSheet.parse(read.text.encode(), "again").rounds == read.rounds


def test_the_log_of_a_game_is_no_score_sheet() -> None:
    play = '{"obs": "upcard", "t": 1.0, "card": "red-7"}'
    content = FULL.text.splitlines()[0] + "\n" + play + "\n"
    with pytest.raises(BadLog, match="line 2: not as croupier score writes it"):
        ScoreSheet.parse(content.encode(), "game.jsonl")


def test_a_huge_file_is_not_read() -> None:
    with pytest.raises(BadLog, match="expected a score sheet"):
        ScoreSheet.parse(b" " * (MOST_BYTES + 1), "huge.score")


OLD = """\
{"log": "croupier/1", "ruleset": "g7942-en", "seats": ["Ann", "Ben", "Cat"], "dealer": null, \
"options": {"variant": "elimination", "limit": 100}}
{"obs": "overrule", "t": 0.0, "set": {"phase": "deal", "hands": [0, 0, 0], "known": {}, "draw_pile": 108, \
"discard_pile": 0}}
{"obs": "overrule", "t": 0.0, "set": {"phase": "round_over", "hands": [0, 2, 1], "draw_pile": 105}}
{"obs": "shown", "t": 0.0, "seat": 1, "cards": ["red-7", "wild"]}
{"obs": "shown", "t": 0.0, "seat": 2, "cards": ["blue-skip"]}
{"obs": "overrule", "t": 0.0, "set": {"phase": "deal", "hands": [0, 0, 0], "known": {}, "draw_pile": 108, \
"discard_pile": 0}}
{"obs": "overrule", "t": 0.0, "set": {"phase": "round_over", "hands": [1, 1, 0], "draw_pile": 106}}
{"obs": "shown", "t": 0.0, "seat": 0, "cards": ["wild-draw4"]}
"""
"""The file of an evening, with spaces: one round, and one in which Ben's hand is missing."""

COMPACT = "".join(f"{text_of(json.loads(line))}\n" for line in OLD.splitlines())
"""The same as it is written now."""


def test_the_files_of_earlier_evenings_are_read_and_written_without_spaces(tmp_path: Path) -> None:
    file = tmp_path / "evening.score"
    file.write_text(OLD, encoding="utf-8")
    read = read_sheet(file)
    assert read.text == COMPACT
    assert (read.names, read.to_show, read.target, read.is_over) == (NAMES[:3], (BEN,), None, False)
    assert (read.dealer, read.story.at(None).position["dealer"]) == (None, None)
    assert totals(read) == [0, 57, 20]
    added = read.with_hand(BEN, ["red-9"])
    assert totals(added) == [50, 66, 20]
    assert added.text.startswith("".join(COMPACT.splitlines(keepends=True)[:6]))
    mended = added.mended(0, ANN, {CAT: ["red-1"]})
    assert totals(mended) == [50, 66, 1]
    assert totals(mended.without_last_round()) == [0, 57, 1]
    assert mended.versions(0) == read.rounds[:1]
    assert ScoreSheet.parse(mended.text.encode(), "evening.score") == mended


@pytest.mark.parametrize(
    ("begun", "header"),
    [
        (sheet(seats=2), '"seats":["Ann","Ben"],"dealer":0}'),
        (sheet(seats=2, target=300), '"dealer":0,"options":{"target":300}}'),
        (
            sheet(seats=4, target=300, lowest=True, partners=True),
            '"dealer":0,"teams":[[0,2],[1,3]],"options":{"target":300,"scoring":"lowest"}}',
        ),
    ],
)
def test_what_was_agreed_stands_in_the_first_line(begun: ScoreSheet, header: str) -> None:
    assert begun.text.endswith(f"{header}\n")
    assert len(begun.lines) == 1


@pytest.mark.parametrize(("begun", "target"), [(sheet(), 500), (sheet(target=77), 77), (sheet(limit=80), None)])
def test_the_points_that_end_the_game_are_told(begun: ScoreSheet, target: int | None) -> None:
    assert begun.target == target
    assert not begun.is_over
    assert played(begun, ROUND).is_over == (target == 77)


def test_a_sheet_that_is_not_there_says_how_to_begin_one(tmp_path: Path) -> None:
    file = tmp_path / "none.score"
    with pytest.raises(BadLog, match=r"none\.score: No such file or directory: begin one with croupier score new$"):
        read_sheet(file)


def test_a_file_of_the_greatest_size_is_read_and_one_byte_more_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "evening.score"
    file.write_text(COMPACT, encoding="utf-8")
    monkeypatch.setattr("croupier_tally.score_sheet.MOST_BYTES", len(COMPACT))
    assert read_sheet(file).text == COMPACT
    monkeypatch.setattr("croupier_tally.score_sheet.MOST_BYTES", len(COMPACT) - 1)
    with pytest.raises(BadLog, match=r"evening\.score: too large: expected a score sheet$"):
        read_sheet(file)


def test_who_went_out_again_after_a_mistake_loses_no_hand_of_the_others() -> None:
    before = played(sheet(seats=4), (ANN, {BEN: ["red-1"], CAT: ["red-1"], DAN: ["red-2"]}))
    moved = before.with_winner(ANN).with_hand(DAN, ["red-1"]).with_hand(BEN, ["red-7"]).with_winner(BEN)
    assert moved.rounds[:-1] == before.rounds
    assert moved.to_show == (ANN, CAT)
    assert dict(moved.rounds[-1].hands) == {DAN: ("red-1",)}
    with pytest.raises(BadScore, match="Ben do not count"):
        moved.with_hand(BEN, ["red-7"])


@pytest.mark.parametrize(("seats", "told"), [(11, "^11 seats: expected 2 to 10$"), (0, "^0 seats: expected 2 to 10$")])
def test_how_many_may_play_is_told(seats: int, told: str) -> None:
    with pytest.raises(BadLog, match=told):
        new_sheet([f"P{n}" for n in range(seats)], "g7942-en")


# -- sheets of other programs ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "points"),
    [
        pytest.param("unmarked", [50, 116, 20], id="without-ticks"),
        pytest.param("marked", [58, 27, 0], id="mended"),
    ],
)
def test_a_sheet_of_an_older_program_is_read_and_gone_on_with(name: str, points: list[int]) -> None:
    content = (Path(__file__).parent / f"old/{name}.score").read_bytes()
    sheet = ScoreSheet.parse(content, name)
    assert [one.points for one in sorted(sheet.podium, key=lambda one: one.account)] == points
    again = ScoreSheet.parse(sheet.without_last_round().text.encode(), name)
    assert len(again.rounds) == len(sheet.rounds) - 1


def test_a_sheet_of_a_newer_program_is_refused_in_one_line_and_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    sheet = (Path(__file__).parent / "old/marked.score").read_text()
    newer = sheet.replace('"croupier/1"', '"croupier/2","clock":"utc"', 1)
    Path("croupier.score").write_text(newer)
    assert main.run(["score", "add", "Ann=out", "Ben=r7", "Cat=r1"]) == 2
    told = capsys.readouterr().err
    assert "croupier/2': expected 'croupier/1'; use the version of croupier that wrote it" in told
    assert told.count("\n") == 1
    assert Path("croupier.score").read_text() == newer
