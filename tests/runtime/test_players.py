"""Players who come, go and swap seats at a running table: shoe, record, requests, terminal, and a restart."""

from __future__ import annotations

from pathlib import Path

import pytest

from croupier.commands import LayCard, StartGame
from croupier.devices.protocols import Ask
from croupier.events import CommandGiven
from croupier.runtime.typed import TypedWords
from croupier_rules.referee import Explainer
from croupier_rules.referee.corrections import ChangePlayers, Report, SetTo
from croupier_rules.referee.observations import Shown
from croupier_rules.referee.players import with_free_seats
from tests.referee.games import header
from tests.runtime.live import Running
from tests.runtime.test_house_rules import begin, fed, lay


def change(table: Running, does: str, seat: int, other: int | None = None, name: str | None = None) -> None:
    command = ChangePlayers(does, seat, other, name)  # type: ignore[arg-type]
    table.say(CommandGiven(t=table.table.clock.now(), command=command))
    table.wait(0.5)


def test_the_shoe_deals_to_who_joins_and_to_nobody_who_has_left(tmp_path: Path) -> None:
    table = begin(tmp_path, "")
    change(table, "leave", 0)
    assert (table.position.turn, table.position.out, table.position.hands) == (1, (0,), (0, 7, 7, 7))
    assert table.people.asked[-1] == Ask("turn", seat=1, card="red-5")
    lay(table, "red-draw2")
    table.wait(4)
    assert table.position.hands == (0, 6, 9, 7)
    change(table, "join", 0, name="Eve")
    table.wait(8)
    assert table.board.got[0] == 14
    assert (table.position.hands, table.position.owed) == ((7, 6, 9, 7), {})
    assert table.table.run.session.header.seats == ("Eve", "Ben", "Cat", "Dan")
    assert table.log[-2]["player"] == {"does": "join", "seat": 0, "name": "Eve"}


def test_a_card_on_its_way_to_who_has_left_goes_back(tmp_path: Path) -> None:
    table = begin(tmp_path, "")
    table.say(CommandGiven(t=table.table.clock.now(), command=LayCard("red-draw2")))
    while 1 not in table.position.owed:
        table.wait(0.1)
    change(table, "leave", 1)
    table.wait(4)
    assert table.position.hands[1] == 0
    assert any(asked.what == "give-back" and asked.seat == 1 for asked in table.people.asked)
    assert fed(table) == {}


def test_undo_takes_a_change_back_and_a_restart_knows_who_sits_where(tmp_path: Path) -> None:
    table = begin(tmp_path, "")
    change(table, "swap", 0, 2)
    assert (table.position.turn, table.table.run.session.header.seats) == (2, ("Cat", "Ben", "Ann", "Dan"))
    change(table, "leave", 2)
    table.press("undo")
    table.wait(0.5)
    assert (table.position.turn, table.position.hands) == (2, (7, 7, 7, 7))
    table.kill()
    table.start()
    assert (table.position.turn, table.table.run.session.header.seats) == (2, ("Cat", "Ben", "Ann", "Dan"))
    table.press("undo")
    table.wait(0.5)
    assert table.position.turn == 2, "a game that was resumed begins with a fault"


def test_what_cannot_be_now_is_refused_with_the_reason(tmp_path: Path) -> None:
    table = begin(tmp_path, "")
    lay(table, "wild-draw4")
    before = table.position
    change(table, "swap", 1, 2)
    assert table.position == before
    assert table.people.said[-1].text == "Ben can change seats when the last card has been answered."


def test_another_game_is_played_by_those_who_are_there(tmp_path: Path) -> None:
    table = begin(tmp_path, 'goal = "round"')
    change(table, "leave", 3)
    change(table, "leave", 1)
    change(table, "join", 1, name="Eve")
    table.wait(8)
    table.say(CommandGiven(t=table.table.clock.now(), command=SetTo({"hands": {0: 1}})))
    table.wait(0.5)
    lay(table, "red-6")
    assert table.position.phase == "game_over"
    table.go(1)
    header = table.table.run.session.header
    assert (header.seats, header.dealer) == (("Ann", "Eve", "Cat", "Dan"), 0)
    assert table.position.out == (3,)
    table.go(12)
    assert table.position.hands == (7, 7, 7, 0)


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("leave ben", ChangePlayers("leave", 1)),
        ("join 2", ChangePlayers("join", 1)),
        ("join Ben", ChangePlayers("join", 1)),
        ("join 2 Eve-Marie Zoë", ChangePlayers("join", 1, name="Eve-Marie Zoë")),
        ("seats ann ben", ChangePlayers("swap", 0, 1)),
        ("SEATS anna maria 2", ChangePlayers("swap", 2, 1)),
        ("seats 0", None),
        ("join Eve", None),
        ("leave", None),
    ],
)
def test_players_are_changed_in_the_terminal(line: str, meant: ChangePlayers | None) -> None:
    words = TypedWords(("Ann", "Ben", "Anna Maria"), Explainer(header(3)).naming(("Ann", "Ben", "Anna Maria")))
    command = words.parse(line, 1.0, lambda _key: None)
    assert command == (None if meant is None else CommandGiven(t=1.0, command=meant))
    if command is not None:
        assert any(name in words.answer(command) for name in ("Ben", "Eve-Marie Zoë"))


@pytest.mark.parametrize("seats", ["number = 4", 'names = ["Cem", "Dua", "Ela", "Fay"]'])
def test_who_was_named_for_a_game_plays_the_next_one_after_a_restart_where_the_file_names_nobody(
    tmp_path: Path, seats: str
) -> None:
    text = f'[camera]\nsource = "none"\n[seats]\n{seats}\ndealer = 0\n[game]\ntarget = 1\n'
    table = Running(tmp_path / "croupier.journal", text)
    table.wait(0.5)
    named = with_free_seats(table.table.run.session.header, ("Ann", "Ben", "Player 3", "Player 4"), (2, 3))
    table.table.submit(StartGame(named))
    table.wait(0.5)
    table.go(0.5)
    lay(table, "red-5")
    table.say(CommandGiven(t=table.table.clock.now(), command=SetTo({"hands": {0: 2, 1: 1}})))
    lay(table, "red-6")
    shown = Shown(table.table.clock.now(), seat=0, cards=tuple(["green-9"] * table.position.hands[0]))
    table.say(CommandGiven(t=table.table.clock.now(), command=Report(shown)))
    table.wait(0.5)
    assert table.position.phase == "game_over"
    table.kill()
    table.start()
    header = table.table.run.session.header
    assert table.table.run.session.game == 3
    assert header.options.target == 1
    if "number" in seats:
        assert (header.seats[:2], table.position.out) == (("Ann", "Ben"), (2, 3))
    else:
        assert (header.seats, table.position.out) == (("Cem", "Dua", "Ela", "Fay"), ())
