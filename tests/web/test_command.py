"""`croupier page`: a journal or table logs, in a browser; bad input is one line."""

from __future__ import annotations

import socket
from pathlib import Path

import httpx
import pytest

from croupier.cli.main import run
from croupier.journal import Journal
from croupier.replay.games import serve_games
from tests.journal.games import game_lines
from tests.patience import PATIENCE_S


def test_a_journal_is_shown_while_it_is_written(tmp_path: Path) -> None:
    with Journal(tmp_path / "croupier.journal") as journal:
        journal.add(game_lines()[:30], began=0.0)
        with serve_games([], tmp_path / "croupier.journal", "127.0.0.1", 0) as up:
            assert httpx.get(f"{up.url}games/1/changes?at=5", timeout=PATIENCE_S).status_code == 200
            answer = httpx.get(up.url, follow_redirects=True, timeout=PATIENCE_S)
            assert "Player 0" in answer.text
            assert "Log in" not in answer.text, "there is nothing to do here"
            assert (
                httpx.post(f"{up.url}actions/press", data={"seat": "0", "key": "uno"}, timeout=PATIENCE_S).status_code
                == 409
            )


def test_table_logs_are_shown_without_a_journal(tmp_path: Path) -> None:
    log = tmp_path / "game.jsonl"
    log.write_text("\n".join(game_lines(2)) + "\n")
    with serve_games([str(log), str(log)], tmp_path / "none", "127.0.0.1", 0) as up:
        assert httpx.get(f"{up.url}games/2?at=9999", timeout=PATIENCE_S).text.count("wins the round") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["game.jsonl"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--journal", "none"], "none: no such file"),
        (["none.jsonl"], "none.jsonl: No such file"),
        (["bad.jsonl"], "bad.jsonl, line 1"),
        (["game.jsonl", "--port", "{taken}"], "cannot listen"),
        (["game.jsonl", "--host", "203.0.113.1", "--port", "0"], "cannot listen on 203.0.113.1"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str],
    complaint: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.jsonl").write_text("{}\n")
    (tmp_path / "game.jsonl").write_text("\n".join(game_lines()) + "\n")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert run(["page", *(one.format(taken=port) for one in arguments)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert complaint in captured.err
