"""One log, one verdict: what the table ruled stands beside what was reported, and everybody reads it there."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from threading import get_ident
from typing import Any

import pytest

from croupier.errors import BadLog, CannotWrite
from croupier.game_views.story import Story
from croupier.journal import Archive, Journal, text_of
from croupier.log_replay import LogReader, Record, redacted_lines, replay_lines
from croupier.runtime.session import GameSession, begin, resume
from croupier_bench.conformance.cases import cases, log_lines, must_fail, rulesets_of
from croupier_extras.statistics.figures import GameFigures
from croupier_rules.cards import KIND
from croupier_rules.referee import Header, Observation, Referee, Rulings, parse_header, parse_observation
from croupier_rules.referee.corrections import TopIs, Was, to_observations
from croupier_rules.referee.moves import SeatMoves, moves_of
from croupier_rules.referee.observations import Play, to_json
from croupier_rules.referee.position import HIDDEN_FIELDS
from croupier_rules.referee.rulings import Ruling
from croupier_rules.referee.verdict import CHANGED, RULINGS, TO_SHOW, VERDICT, verdict_to_json
from croupier_rules.rules import names
from tests.journal.games import game_lines

OLD = Path(__file__).with_name("old")
"""A game with corrections, as a journal without verdicts has it, and its log."""

GAME = game_lines(2, rounds=2, open_hands=True)


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[Observation]:
    """All observations that any referee judges in this thread: the luck of another test's page may still be counted."""
    judged: list[Observation] = []
    observe, thread = Referee.observe, get_ident()

    def counting(referee: Referee, observation: Observation) -> Rulings:
        if get_ident() == thread:
            judged.append(observation)
        return observe(referee, observation)

    monkeypatch.setattr(Referee, "observe", counting)
    return judged


def play(journal: Journal, lines: Sequence[str], *, corrects: bool = True) -> GameSession:
    """A table plays a game; where it ``corrects``, one of the cards is another once the game is in full swing."""
    header = parse_header(lines[0])
    session = begin(journal, header, now=0.0)
    for n, line in enumerate(lines[1:]):
        observation = parse_observation(line, len(header.seats))
        session.write(session.judge([observation]))
        if corrects and n == 40:
            last = [one for one in session.referee.standing() if isinstance(one, Play)][-2]
            was = Was(last, Play(last.t, "blue-4" if last.card != "blue-4" else "blue-6", last.seat))
            session.write(session.judge(to_observations(was, session.referee, observation.t)))
    return session


def records(lines: Sequence[str], *, judges: bool = False) -> list[Record]:
    read = replay_lines([line.encode() for line in lines], "log", judges=judges)
    return [one for one in read if isinstance(one, Record)]


def said(one: Record) -> tuple[Any, ...]:
    """A record without the faces of hands, which no verdict has."""
    rulings = [{**ruling.to_json(), "part": ruling.basis.part} for ruling in one.rulings]
    return one.observation, one.on_turn, one.to_show, rulings, {**one.fields, **dict.fromkeys(HIDDEN_FIELDS)}


def without_verdicts(lines: Sequence[str]) -> list[str]:
    """The lines as old journals have them."""
    stripped = ({k: v for k, v in json.loads(line).items() if k not in VERDICT} for line in lines[1:])
    return [lines[0], *map(text_of, stripped)]


@pytest.fixture
def lines(tmp_path: Path) -> list[str]:
    """The lines of a game in the journal of its table."""
    with Journal(tmp_path / "croupier.journal") as journal:
        play(journal, GAME)
        return journal.lines(1)


def test_each_observation_is_judged_once_whoever_reads_it(tmp_path: Path, judged: list[Observation]) -> None:
    with Journal(tmp_path / "croupier.journal") as journal:
        play(journal, GAME, corrects=False)
        lines = journal.lines(1)
    assert len(judged) == len(GAME) - 1
    del judged[:]
    GameFigures.of(Story(*lines))
    records(lines)
    list(redacted_lines(lines))
    assert judged == []


def test_a_verdict_that_is_read_is_the_verdict_of_the_table(lines: list[str]) -> None:
    read, anew = records(lines), records(lines, judges=True)
    assert any('"overrule"' in line for line in lines)
    assert [said(one) for one in read] == [said(one) for one in anew]


@pytest.mark.parametrize("ruleset", names())
def test_verdicts_by_every_sheet_are_read_as_they_were_written(ruleset: str) -> None:
    """All cases of the conformance suite: every ruling on every rule."""
    kinds = set[type[Ruling]]()
    for case in cases():
        if ruleset not in rulesets_of(case) or must_fail(case):
            continue
        lines = log_lines(case, ruleset)
        before, written = LogReader(parse_header(lines[0])).position, [lines[0]]
        for one in records(lines):
            written.append(
                text_of({**to_json(one.observation), **verdict_to_json(one.rulings, before, one.fields, one.to_show)})
            )
            before = one.fields
            kinds.update(type(ruling) for ruling in one.rulings)
        assert [said(one) for one in records(written)] == [said(one) for one in records(lines)], case["id"]
    assert len(kinds) > 10


def test_pages_and_statistics_say_the_same_of_a_game_with_and_without_verdicts(lines: list[str]) -> None:
    new, old = Story(*lines), Story(*without_verdicts(lines))
    assert list(map(new.describe, new.moments)) == list(map(old.describe, old.moments))
    assert [one.position for one in new.moments] == [one.position for one in old.moments]
    assert [one.n for one in new.standing] == [one.n for one in old.standing]
    assert new.scores_at(new.at(None)) == old.scores_at(old.at(None))
    assert GameFigures.of(new) == GameFigures.of(old)


def test_old_journals_are_read_and_gone_on_with(tmp_path: Path) -> None:
    for file in OLD.glob("croupier.journal*"):
        shutil.copy(file, tmp_path)
    log = (OLD / "game.jsonl").read_text().splitlines()
    with Archive(tmp_path / "croupier.journal") as archive:
        assert archive.lines(1) == log
        assert list(archive.damages()) == []
    with Journal(tmp_path / "croupier.journal") as journal:
        session = resume(journal)
        assert session is not None
        lines = journal.lines(1)
        assert lines[:-1] == log, "lines stay as they were written"
        assert json.loads(lines[-1])[CHANGED]["phase"] == "paused"
    assert [said(one) for one in records(lines)] == [said(one) for one in records(lines, judges=True)]


def test_a_table_that_judges_otherwise_than_its_log_goes_on_from_its_own_position(tmp_path: Path) -> None:
    """As after an update: the verdicts of the past stay, and the next line says how the table stands now."""
    with Journal(tmp_path / "croupier.journal") as journal:
        session = play(journal, game_lines(2)[:60])
        told = json.loads(journal.lines(1)[-1])
        other = told | {RULINGS: [], CHANGED: told[CHANGED] | {"draw_pile": 7}}
        game = journal.add([*journal.lines(1)[:-1], text_of(other)], began=0.0)
        again = resume(journal)
        assert again is not None
        assert again.game == game
        read = records(journal.lines(game))
        assert read[-2].fields["draw_pile"] == 7
        assert read[-1].fields["draw_pile"] == session.referee.position()["draw_pile"]


def test_a_page_takes_over_the_verdicts_and_the_hashes_of_the_table(tmp_path: Path, judged: list[Observation]) -> None:
    with Journal(tmp_path / "croupier.journal") as journal:
        header, *more = GAME
        session = begin(journal, parse_header(header), now=0.0)
        story = Story(*journal.lines(1))
        for line in more:
            session.write(steps := session.judge([parse_observation(line, 4)]))
            for step in steps:
                story.extend([text_of(step.data)])
        late = Story(*journal.lines(1))
        assert story.receipt
        assert story.receipt == late.receipt
        assert len(judged) == len(more)


def test_a_page_judges_for_the_preview_of_a_correction_alone_and_each_line_once(
    tmp_path: Path, judged: list[Observation]
) -> None:
    with Journal(tmp_path / "croupier.journal") as journal:
        header, *more = GAME[:20]
        session = begin(journal, parse_header(header), now=0.0)
        session.write(session.judge([parse_observation(line, 4) for line in more]))
        story = Story(*journal.lines(1))
        judged.clear()
        counts = []
        for _ in range(2):
            story.preview(TopIs("red-7"))
            counts.append(len(judged))
            judged.clear()
        assert (counts[0] - counts[1], counts[1] > 0) == (len(more), True)


WRONG = {
    "a ruling that is unknown": {RULINGS: [{"ruling": "shrug", "rule": None}]},
    "a ruling without its seat": {RULINGS: [{"ruling": "skip", "rule": None}]},
    "a seat that is not at the table": {RULINGS: [{"ruling": "skip", "rule": None, "seat": 9}]},
    "a rule that the sheet has not": {RULINGS: [{"ruling": "skip", "rule": "moon.phase", "seat": 0}]},
    "a part that is no text": {RULINGS: [{"ruling": "skip", "rule": "card.skip", "seat": 0, "part": 4}]},
    "a second row that is none": {RULINGS: [{"ruling": "skip", "rule": "card.skip", "seat": 0, "part": "all+moon"}]},
    "rulings that are no list": {RULINGS: {}},
    "a field that no position has": {RULINGS: [], CHANGED: {"moon": 1}},
    "faces of hidden hands": {RULINGS: [], CHANGED: {"known": {"0": ["red-7"]}}},
    "a card that was drawn": {RULINGS: [], CHANGED: {"remembered": {"drawn": "red-7"}}},
    "hands of other seats": {RULINGS: [], CHANGED: {"hands": [7]}},
    "a phase that is none": {RULINGS: [], CHANGED: {"phase": "dusk"}},
    "no turn but a text": {RULINGS: [], CHANGED: {"turn": "Ann"}},
    "scores that are texts": {RULINGS: [], CHANGED: {"scores": ["1", "2", "3", "4"]}},
    "a hand to be shown of nobody": {RULINGS: [], TO_SHOW: [9]},
    "a debt of nobody": {RULINGS: [], CHANGED: {"owed": {"Ann": 2}}},
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_a_verdict_that_cannot_be_is_refused_and_judged_anew_where_somebody_checks(wrong: dict[str, Any]) -> None:
    header, *_ = lines = game_lines(2)[:3]
    bad = [*lines[:-1], text_of(json.loads(lines[-1]) | wrong)]
    with pytest.raises(BadLog, match=r"^log, line 3: "):
        records(bad)
    assert [said(one) for one in records(bad, judges=True)] == [said(one) for one in records(lines)]
    assert isinstance(next(replay_lines([header.encode()], "log")), Header)


def test_more_than_there_is_cannot_be_taken_back_whatever_the_verdict_says() -> None:
    undo = {"obs": "overrule", "t": 9.0, "undo": 5, RULINGS: [], CHANGED: {}}
    with pytest.raises(BadLog, match="expected at most 2"):
        records([*game_lines(2)[:3], text_of(undo)])


def test_an_export_of_a_hidden_round_keeps_the_verdicts_and_no_face(lines: list[str]) -> None:
    shown = list(redacted_lines(lines[:60]))
    assert [json.loads(line).get(RULINGS) for line in shown] == [json.loads(line).get(RULINGS) for line in lines[:60]]
    hidden = [json.loads(line) for line in shown if '"drew"' in line or '"dealt"' in line]
    assert hidden
    assert all("cards" not in line for line in hidden)
    assert not any(f'"{name}"' in line for line in shown for name in HIDDEN_FIELDS)


def test_a_page_offers_what_the_table_says_and_judges_nothing(tmp_path: Path, judged: list[Observation]) -> None:
    """All that a phone shows while a game is played: hands, keys, free seats, and hands to be shown."""
    header, *more = GAME
    with Journal(tmp_path / "croupier.journal") as journal:
        session = begin(journal, parse_header(header), now=0.0)
        for line in more[:20]:  # before the page was opened
            session.write(session.judge([parse_observation(line, 4)]))
        story = Story(*journal.lines(1))
        for line in more[20:]:
            session.write(steps := session.judge([parse_observation(line, 4)]))
            for step in steps:
                story.extend([text_of(step.data)])
            offers, by_hand = session.offers, session.referee
            for seat in range(4):
                assert story.moves(seat, offers) == moves_of(by_hand, seat)
                assert list(story.own_hand(seat, offers)) == sorted(
                    by_hand.position()["known"].get(str(seat), ()), key=KIND.__getitem__
                )
            assert story.hands_to_show == by_hand.hands_to_show
            assert story.free_seats == by_hand.free_seats
        assert len(judged) == len(more)


def test_a_page_that_is_opened_in_the_midst_of_a_game_has_the_offers_of_the_table(tmp_path: Path) -> None:
    with Journal(tmp_path / "croupier.journal") as journal:
        session = play(journal, GAME[:60])
        story, offers = Story(*journal.lines(1)), session.offers
        assert [story.moves(seat, offers) for seat in range(4)] == list(offers.moves)
        assert story.own_hand(2, offers)
        assert hash(offers), "the page keeps what it rendered by the state of the table"
        assert story.moves(2, replace(offers, n=offers.n + 1)) == SeatMoves(), "those of another moment are none"


def test_what_is_not_in_the_journal_is_not_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> tuple[bytes, ...]:
        raise CannotWrite("the disk is full")

    with Journal(tmp_path / "croupier.journal") as journal:
        session = play(journal, GAME[:60])
        before = session.offers
        monkeypatch.setattr(journal, "append", full)
        steps = session.judge([parse_observation(GAME[60], 4)])
        with pytest.raises(CannotWrite):
            session.write(steps)
        assert session.offers == before
        monkeypatch.undo()
        session.write(steps)
        assert session.offers.n == before.n + 1
