"""What a person wants is of the moment that the person saw: it changes no other card, and nothing twice."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from croupier.commands import Command, LayCard, NameCard, PressKey
from croupier.devices.protocols import Say
from croupier_rules.referee.corrections import Report, SetTo
from croupier_rules.referee.observations import Drew, Play
from tests.longer import many
from tests.runtime.live import Running

NAMED = "yellow-7"


@pytest.fixture
def table(tmp_path: Path) -> Running:
    table = Running(tmp_path / "croupier.journal")
    table.wait(0.5)
    table.go(0.5)
    for _ in range(3):
        play(table)
    return table


def play(table: Running) -> None:
    """The seat on turn lays a card that fits, or draws and passes."""
    before = len(table.log)
    table.lay()
    table.wait(0.5)
    if len(table.log) == before:
        seat = table.position.turn
        for key in ("draw", "pass"):
            table.press(key, seat)
            table.wait(0.5)


def tops(table: Running) -> list[str]:
    """The cards on the discard pile, as the record has them now."""
    standing = table.table.run.session.referee.standing()
    return [one.card for one in standing if one.name in ("play", "upcard")]  # type: ignore[attr-defined]


def test_a_card_is_named_for_the_card_that_was_seen_not_for_the_one_laid_since(table: Running) -> None:
    seen, before = len(table.log), tops(table)
    table.lay()
    table.wait(0.5)
    table.table.submit(NameCard(NAMED, line=seen))
    table.wait(0.5)
    assert tops(table)[:-1] == before
    assert NAMED not in tops(table)
    assert any(isinstance(said, Say) and "meanwhile. Nothing was changed." in said.text for said in table.people.said)


def test_a_card_is_named_in_time_although_the_next_one_is_laid_before_it_is_recorded(table: Running) -> None:
    before = tops(table)
    table.table.submit(NameCard(NAMED, line=len(table.log)))
    table.lay()  # later than the naming, which was on its way
    table.wait(0.5)
    assert tops(table)[:-1] == [*before[:-1], NAMED]


def test_a_call_counts_by_its_time_whatever_was_shown(table: Running) -> None:
    seen = len(table.log)
    play(table)
    table.table.submit(PressKey(0, "uno", line=seen))
    table.wait(0.5)
    assert table.log[-1]["obs"] == "uno"


def test_a_call_beside_play_makes_no_answer_late(table: Running) -> None:
    seen, seat = len(table.log), table.position.turn
    table.press("uno", seat)
    table.wait(0.5)
    table.table.submit(NameCard(NAMED, line=seen))
    table.wait(0.5)
    assert tops(table)[-1] == NAMED


def test_what_was_shown_of_another_game_means_nothing(table: Running) -> None:
    before = table.log
    table.table.submit(NameCard(NAMED, line=len(before) + 50))
    table.table.submit(PressKey(table.position.turn, "draw", line=len(before) + 50))
    table.wait(0.5)
    assert table.log == before


def wish(random: Random, table: Running, line: int) -> Command:
    """Anything that changes what is recorded, by a person who saw the table after ``line`` lines."""
    seat = random.randrange(2)
    return random.choice((
        NameCard(NAMED, line=line),
        LayCard(NAMED, table.position.turn, line=line),
        Report(Drew(0.0, seat, 1), line=line),
        Report(Play(0.0, NAMED, seat), line=line),
        SetTo({"top": NAMED}, line=line),
        SetTo({"hands": {seat: 5}}, line=line),
        PressKey(seat, random.choice(("draw", "pass", "accept", "challenge", "red", "go")), line=line),
    ))  # fmt: skip


def play_with_late_and_doubled_actions(folder: Path, seed: int) -> int:
    """Play a round in which people press too late and twice; returns how many such actions there were."""
    random = Random(seed)
    folder.mkdir()
    table = Running(folder / "croupier.journal")
    table.wait(0.5)
    table.go(0.5)
    for _ in range(3):
        play(table)
    sent = 0
    for _ in range(50):
        if table.position.phase in ("round_over", "game_over"):
            break
        seen, before = len(table.log), tops(table)
        play(table)
        after = tops(table), table.log
        late = random.randrange(1, 4)
        for _ in range(late):
            table.table.submit(wish(random, table, random.randrange(seen + 1)))
        table.wait(0.5)
        assert (tops(table), table.log) == after, "late: something else was laid or drawn since"
        # Twice the same, as two taps send it: it counts once.
        named = random.choice(("yellow-7", "blue-7", "green-7"))
        for _ in range(2):
            table.table.submit(NameCard(named, line=len(after[1])))
        table.wait(0.5)
        assert tops(table)[:-1] == after[0][:-1]
        assert len(tops(table)) == len(after[0]) >= len(before)
        sent += late + 1
    return sent


def test_no_late_or_doubled_action_changes_another_card_than_it_meant(tmp_path: Path) -> None:
    assert play_with_late_and_doubled_actions(tmp_path / "0", 0) > 10


@pytest.mark.long
def test_of_a_thousand_late_or_doubled_actions_none_changes_another_card(tmp_path: Path) -> None:
    sent = seed = 0
    while sent < many(1000):
        seed += 1
        sent += play_with_late_and_doubled_actions(tmp_path / str(seed), seed)
