"""Names in logs that are older than the rule: a log is what happened, so it is read, shown and compared."""

from __future__ import annotations

import html
import json
from pathlib import Path

import pytest

from croupier.cli.main import run
from croupier.game_views.story import Story
from croupier.journal import text_of
from croupier_rules.referee import Header
from croupier_rules.rules import load
from croupier_tally.score_sheet import ScoreSheet, read_sheet
from tests.journal.games import game_lines
from tests.web.tables import page

OLD = ("A=B", "\u202eAnn\x1b[31m", "Zoe\u0308", "x" * 300)


def old_log() -> tuple[str, ...]:
    header, *lines = game_lines(1)
    return (text_of(json.loads(header) | {"seats": list(OLD)}), *lines)


def test_a_log_keeps_its_names() -> None:
    assert Story(*old_log()).header.seats == OLD


def test_it_is_shown_without_what_would_control_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "old.jsonl").write_text("\n".join(old_log()), encoding="utf-8")
    assert run(["score", str(tmp_path / "old.jsonl")]) == 0
    assert run(["replay", str(tmp_path / "old.jsonl")]) == 0
    shown = capsys.readouterr().out
    assert not {"\u202e", "\x1b"} & {*shown}
    assert "A=B" in shown


def test_it_is_shown_on_the_page(tmp_path: Path) -> None:
    with page(tmp_path, old_log()) as up:
        shown = html.unescape(up.client().get("games/1/board").text)
        assert "A=B" in shown


def test_a_sheet_with_such_names_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sheet = ScoreSheet(Header(ruleset=load("g7942-en"), seats=OLD, dealer=None))
    (tmp_path / "croupier.score").write_text(sheet.text, encoding="utf-8")
    hands = ["A=B=out", "\u202eAnn\x1b[31m=red-7", "Zo\u00eb=wild", f"{'x' * 300}=blue-1"]
    assert run(["score", "add", *hands]) == 0
    (added,) = read_sheet(tmp_path / "croupier.score").rounds
    assert (added.went_out, added.hands) == (0, {1: ("red-7",), 2: ("wild",), 3: ("blue-1",)})
