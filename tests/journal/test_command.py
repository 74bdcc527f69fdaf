"""`croupier journal` as a shell sees it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from croupier.cli.main import run
from croupier.journal import Archive, Journal
from croupier.runtime.session import clock_doubt
from croupier.web.game_repository import GameRepository
from tests.journal.games import game_lines
from tests.journal.test_journal import tampered

Out = pytest.CaptureFixture[str]


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "croupier.journal"


def written(folder: Path, name: str = "game.jsonl", lines: tuple[str, ...] = game_lines()) -> Path:
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_log_goes_in_and_comes_out_as_it_was(at: Path, tmp_path: Path, capsys: Out) -> None:
    log, again = written(tmp_path), written(tmp_path, "again.jsonl", game_lines(2, rounds=2))
    assert run(["journal", "import", str(log), str(again)]) == 0
    assert capsys.readouterr().out == f"{log}: imported as game 1\n{again}: imported as game 2\n"
    assert run(["journal", "export", "1"]) == 0
    assert capsys.readouterr().out == log.read_text()
    assert run(["journal", "export", "--to", str(tmp_path / "newest.jsonl")]) == 0
    assert (tmp_path / "newest.jsonl").read_bytes() == again.read_bytes()
    assert run(["journal", "verify"]) == 0
    assert capsys.readouterr().out == "2 games, all intact\n"


def test_games_are_listed_for_people_and_machines(at: Path, tmp_path: Path, capsys: Out) -> None:
    with Journal(at) as journal:
        journal.add(game_lines(), began=0.0)
    assert run(["journal", "list"]) == 0
    assert "g7942-en  Player 0, Player 1, Player 2, Player 3" in capsys.readouterr().out
    assert run(["journal", "list", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["game"], told["lines"]) == (1, len(game_lines()))
    assert told["began"].startswith("19")
    with Archive(at) as archive:
        assert told["head"] == archive.game(1).head.hex()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "empty"),
        ('{"log": "croupier/1"}\n', "line 1"),
        ("\n".join(game_lines()[:9]) + '\n{"obs": "play"}\n', "line 10"),
        ("\n".join(game_lines()[:9]) + '\n{"obs": "overrule", "t": 999, "undo": 99}\n', "line 10: overrule"),
    ],
    ids=["empty", "no header", "no time", "impossible correction"],
)
def test_what_is_no_table_log_is_not_taken_in(at: Path, tmp_path: Path, capsys: Out, text: str, complaint: str) -> None:
    (tmp_path / "bad.jsonl").write_text(text)
    assert run(["journal", "import", str(tmp_path / "bad.jsonl")]) == 2
    captured = capsys.readouterr()
    assert complaint in captured.err
    assert captured.err.count("\n") == 1
    with Archive(at) as archive:
        assert archive.began() == {}


def test_faces_of_hidden_hands_are_exported_when_their_round_is_over(at: Path, capsys: Out) -> None:
    lines = game_lines(rounds=2, open_hands=True)
    hidden = [line for line in lines if '"cards"' in line and '"shown"' not in line]
    first_round = next(i for i, line in enumerate(lines) if '"shown"' in line and i > 40)
    middle = next(i for i in range(first_round, len(lines)) if '"upcard"' in lines[i])
    with Journal(at) as journal:
        journal.add(lines[: middle + 1], began=0.0)
    assert run(["journal", "export"]) == 0
    exported = capsys.readouterr().out.splitlines()
    assert len(exported) == middle + 1
    assert [line for line in exported[:40] if '"cards"' in line] == [line for line in hidden if line in lines[:40]]
    running = [json.loads(line) for line in exported[middle - 4 : middle]]
    assert [(line["obs"], line["n"], "cards" in line) for line in running] == [("dealt", 7, False)] * 4


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["export", "7"], "no game 7"),
        (["export", "--to", "game.jsonl"], "already exists; remove it or choose another name"),
        (["export", "--journal", "none"], "no such file"),
        (["export", "--journal", "."], ".: this is a folder"),
        (["verify", "--journal", "game.jsonl"], "not a journal"),
        (["import", "none.jsonl"], "none.jsonl"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_is_one_line(at: Path, tmp_path: Path, capsys: Out, arguments: list[str], complaint: str) -> None:
    with Journal(at) as journal:
        journal.add(game_lines(), began=0.0)
    before = written(tmp_path).read_bytes()
    assert run(["journal", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert complaint in captured.err
    assert (tmp_path / "game.jsonl").read_bytes() == before


def test_a_damaged_game_is_reported_and_what_is_whole_is_saved(at: Path, capsys: Out) -> None:
    with Journal(at) as journal:
        journal.add(game_lines(), began=0.0)
    tampered(at, f"UPDATE line SET text = '{{}}' WHERE id = {(1 << 32) + 50}")
    assert run(["journal", "verify"]) == 1
    assert capsys.readouterr().out.startswith("game 1, line 51: the line was changed after it was written\n")
    assert run(["journal", "verify", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["damages"] == [
        {"game": 1, "line": 51, "what": "the line was changed after it was written"}
    ]
    assert run(["journal", "export"]) == 2
    captured = capsys.readouterr()
    assert captured.out.splitlines() == list(game_lines()[:50])
    assert "line 51" in captured.err


@pytest.mark.long
def test_one_damaged_page_hides_no_game_that_is_whole(at: Path, capsys: Out) -> None:
    with Journal(at) as journal:
        for seed in (1, 2, 3):
            journal.add(game_lines(seed, rounds=3), began=0.0)
    raw = bytearray(at.read_bytes())
    raw[-20_000:-17_000] = bytes(3000)
    at.write_bytes(raw)
    assert run(["journal", "verify"]) == 1
    told = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0] for line in told] == ["game 3", "3 games"]
    assert run(["journal", "list"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert ["g7942-en  Player 0" in line for line in listed] == [True, True, False]
    assert listed[2:] == told[:1]
    assert run(["journal", "export", "1"]) == 0
    assert run(["score", "--game", "2"]) == 0
    on_the_page = GameRepository(at).newest(100)
    assert [(one.game.number, one.error is None) for one in on_the_page] == [(3, False), (2, True), (1, True)]
    with Journal(at) as journal:
        assert "behind the newest game" in (clock_doubt(journal, now=-10.0 * 86_400) or "")


@pytest.mark.parametrize("header", ["{", "{}", "[]", '{"ruleset": 7, "seats": 7}'])
def test_a_game_whose_header_was_changed_is_reported_among_the_others(at: Path, capsys: Out, header: str) -> None:
    with Journal(at) as journal:
        journal.add(game_lines(), began=0.0)
        journal.add(game_lines(2), began=0.0)
    tampered(at, f"UPDATE line SET text = '{header}' WHERE id = {1 << 32}")
    assert run(["journal", "list"]) == 0
    damaged, whole = capsys.readouterr().out.splitlines()
    assert damaged == "game 1, line 1: the line was changed after it was written"
    assert "g7942-en" in whole
    assert run(["journal", "list", "--json"]) == 0
    assert [json.loads(line)["game"] for line in capsys.readouterr().out.splitlines()] == [1, 2]
    assert run(["journal", "export", "1"]) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", f"croupier: croupier.journal: {damaged}\n")


@pytest.mark.parametrize("game", [0, (1 << 31) - 1, 5_000_000_000, 1 << 62, 10**30])
def test_a_number_that_no_game_can_have_is_that_of_none(at: Path, capsys: Out, game: int) -> None:
    with Journal(at) as journal:
        journal.add(game_lines(), began=0.0)
    lines = [["journal", "export", str(game)], *([["score", "--game", str(game)]] if game else [])]
    for line in lines:
        assert run(line) == 2
        assert f"no game {game}: " in capsys.readouterr().err


@pytest.mark.parametrize("before", [b"\xef\xbb\xbf\n", b"\xef\xbb\xbf", b"\n \n"], ids=["mark", "marked", "empty"])
def test_what_stands_before_the_header_and_says_nothing_is_not_taken_in(
    at: Path, tmp_path: Path, capsys: Out, before: bytes
) -> None:
    (tmp_path / "odd.jsonl").write_bytes(before + b"\r\n".join(line.encode() for line in game_lines()) + b"\r\n")
    for line in (["referee"], ["score"], ["replay"], ["journal", "import"]):
        assert run([*line, "odd.jsonl"]) == 0
    with Archive(at) as archive:
        assert archive.lines(1) == list(game_lines())
    assert run(["journal", "list"]) == 0


def test_a_fault_is_reported_by_its_line_in_the_file(at: Path, capsys: Out, tmp_path: Path) -> None:
    (tmp_path / "odd.jsonl").write_text(f"{game_lines()[0]}\n\n\nnothing\n")
    for line in (["referee"], ["score"], ["journal", "import"]):
        assert run([*line, "odd.jsonl"]) == 2
        assert "odd.jsonl, line 4: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("now", "said"),
    [(1e9 + 5, None), (1e9 - 30, None), (1e9 - 7200, "2.0 hours"), (0.0, "11574 days")],
    ids=["later", "hardly", "summer time", "never set"],
)
def test_a_clock_that_was_set_back_is_reported(at: Path, now: float, said: str | None) -> None:
    with Journal(at) as journal:
        assert clock_doubt(journal, now) is None
        journal.add(game_lines(), began=1e9)
        doubt = clock_doubt(journal, now)
        assert doubt is None if said is None else said in str(doubt)
        # Games are numbered, not dated: the next one is the next one.
        assert journal.add(game_lines(), began=now) == 2


def test_the_journal_is_that_of_the_table_unless_another_is_named(
    at: Path, tmp_path: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "croupier.toml").write_text('[journal]\nfile = "ours.journal"\n')
    assert run(["journal", "import", str(written(tmp_path))]) == 0
    assert (tmp_path / "ours.journal").exists()
    assert not at.exists()
    assert run(["journal", "list", "--journal", "croupier.journal"]) == 2
    monkeypatch.setenv("CROUPIER_JOURNAL", "other.journal")
    assert run(["journal", "list"]) == 2
    assert "other.journal" in capsys.readouterr().err
