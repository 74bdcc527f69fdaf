"""Codes: who they let in, and that they outlast a restart."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from croupier.errors import BadConfig, CannotWrite
from croupier.web.accounts import SPECTATOR, Accounts, Person
from tests.journal.games import game_lines
from tests.web.tables import QUICK, page


def test_codes_outlast_a_restart_and_cannot_be_read_from_their_file(tmp_path: Path) -> None:
    file = tmp_path / "croupier.codes"
    accounts = Accounts(file, QUICK)
    assert not accounts.has_admin
    code = accounts.new_code(Person("admin"))
    seat = accounts.new_code(Person("player", 3))
    again = Accounts(file, QUICK)
    assert again.has_admin
    assert again.person(again.log_in(f" {code[:5]}-{code[5:].upper()} ")) == Person("admin")
    assert again.person(again.log_in(seat)) == Person("player", 3)
    assert code not in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_code_that_cannot_be_written_down_is_none_and_the_old_one_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    accounts = Accounts(tmp_path / "codes", QUICK)
    old = accounts.new_code(Person("referee"))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(CannotWrite, match="codes: No space left on device"):
        accounts.new_code(Person("referee"))
    for known in (accounts, Accounts(tmp_path / "codes", QUICK)):
        assert known.person(known.log_in(old)) == Person("referee")


@pytest.mark.parametrize("code", ["", "x", "23456789ab", "a" * 10_000, "\x00", "ß" * 10])
def test_what_is_no_code_opens_nothing(code: str) -> None:
    accounts = Accounts(hasher=QUICK)
    accounts.new_code(Person("admin"))
    assert accounts.log_in(code) is None
    assert accounts.person(None) == accounts.person("made up") == SPECTATOR


@pytest.mark.parametrize("text", ["", "[]", "{", '{"x": 1}', '{"x": {"role": "king"}}', "\x00"])
def test_a_broken_file_of_codes_is_reported(tmp_path: Path, text: str) -> None:
    file = tmp_path / "croupier.codes"
    file.write_text(text)
    if text == "[]":
        file.write_text(json.dumps(["x"]))
    with pytest.raises(BadConfig, match="not a list of codes"):
        Accounts(file)


def test_the_login_counts_wrong_codes(tmp_path: Path) -> None:
    with page(tmp_path, game_lines()) as made:
        code = made.accounts.new_code(Person("admin"))
        client = made.client()
        said = [client.post("login", data={"code": "wrong"}).status_code for _ in range(6)]
        assert said == [403] * 5 + [429]
        assert client.post("login", data={"code": code}).status_code == 429, "not even the right one"


def test_a_person_has_a_limited_number_of_sessions() -> None:
    accounts = Accounts(hasher=QUICK)
    code, other = accounts.new_code(Person("player", 1)), accounts.new_code(Person("referee"))
    referee = accounts.log_in(other)
    tokens = [accounts.log_in(code) for _ in range(17)]
    assert [accounts.person(token) for token in tokens] == [SPECTATOR] + [Person("player", 1)] * 16
    assert accounts.person(referee) == Person("referee")


def test_codes_and_sessions_follow_two_players_who_swap_seats(tmp_path: Path) -> None:
    accounts = Accounts(tmp_path / "codes", QUICK)
    people = [Person("player", 0), Person("player", 2), Person("player", 1), Person("referee")]
    codes = [accounts.new_code(one) for one in people]
    sessions = [accounts.log_in(code) for code in codes]
    accounts.swap_seats(0, 2)
    moved = [Person("player", 2), Person("player", 0), Person("player", 1), Person("referee")]
    assert [accounts.person(session) for session in sessions] == moved
    for known in (accounts, Accounts(tmp_path / "codes", QUICK)):
        assert [known.person(known.log_in(code)) for code in codes] == moved
