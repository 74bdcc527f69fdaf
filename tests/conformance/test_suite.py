"""The suite that others can ask of their engines: right ones pass it, a wrong one fails what it does wrong."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import croupier_bench.conformance as conformance
from croupier.cli import main
from croupier_bench.conformance import lengths
from croupier_bench.conformance.__main__ import main as suite_main
from croupier_bench.conformance.cases import Case, cases, log_lines, rulesets_of
from croupier_bench.conformance.engines import Plays
from croupier_bench.conformance.script import Layout, Move
from croupier_bench.conformance.suite import FAILED, NOT_ASKED, PASSED, Result, run, run_log
from croupier_rules import Referee, parse_header, parse_observation
from tests.conformance.test_slow_referee import _lay_out
from tests.slow_referee import SlowReferee

ROOT = Path(__file__).parents[2]


class SlowPlays(Plays):
    """The slow referee as a game that plays."""

    def lay_out(self, layout: Layout) -> None:
        super().lay_out(layout)
        table = self._slow.table
        table.draw_pile[:] = layout.pile
        if not layout.discard:
            table.hands, table.known = [list(hand) for hand in layout.hands], [list(hand) for hand in layout.hands]
            table.phase = "upcard"

    def _begin(self, header: dict[str, Any]) -> None:
        given = header.pop("given")
        self._slow = SlowReferee(header)
        _lay_out(self._slow.table, given | ({"phase": "deal"} if given["phase"] == "upcard" else {}))

    def _rule(self, see: dict[str, Any]) -> list[dict[str, Any]]:
        return self._slow.observe({**see, "really": see["cards"]} if see["obs"] == "drew" else see)

    def _position(self) -> dict[str, Any]:
        return self._slow.table.position()


class TakesAnything(Plays):
    def do(self, move: Move) -> bool:
        super().do(move)
        return True


class ReverseOfTwoPassesOn(Plays):
    """Between two players the turn passes on after a Reverse."""

    def do(self, move: Move) -> bool:
        self._is_wrong = "reverse" in str(move.card)
        return super().do(move)

    def look(self) -> dict[str, Any]:
        seen = super().look()
        is_wrong = self._is_wrong and len(seen["hands"]) == 2 and seen["turn"] is not None
        return seen | ({"turn": 1 - seen["turn"]} if is_wrong else {})


class ForgetsThePoints(Plays):
    def look(self) -> dict[str, Any]:
        return super().look() | {"points": 0}


def _ids(results: list[Result], outcome: str) -> set[str]:
    return {one.case["id"] for one in results if one.outcome == outcome}


@pytest.mark.parametrize("engine", [Plays, SlowPlays])
def test_both_referees_pass_all_that_a_game_can_be_asked(engine: type[Plays]) -> None:
    results = list(run(engine()))
    assert not [(one.case["id"], one.why) for one in results if one.outcome == FAILED]
    assert len(_ids(results, PASSED)) >= 40
    assert len(results) == len(cases())
    assert all(one.why for one in results if one.outcome == NOT_ASKED)


@pytest.mark.parametrize(
    ("engine", "about"),
    [
        pytest.param(
            TakesAnything,
            lambda case: any(one["ruling"] == "illegal" for step in case["steps"] for one in step.get("expect", ())),
            id="takes-anything",
        ),
        pytest.param(
            ReverseOfTwoPassesOn,
            lambda case: case["header"]["seats"] == 2 and "reverse" in json.dumps(case["steps"]),
            id="reverse-of-two-passes-on",
        ),
        pytest.param(
            ForgetsThePoints,
            lambda case: any(one["ruling"] == "score" for step in case["steps"] for one in step.get("expect", ())),
            id="forgets-the-points",
        ),
    ],
)
def test_a_wrong_engine_fails_the_cases_about_what_is_wrong_and_no_other(engine: type[Plays], about: Any) -> None:
    asked = _ids(list(run(Plays())), PASSED)
    wrong = {case["id"] for case in cases() if case["id"] in asked and about(case)}
    failed = _ids(list(run(engine())), FAILED)
    assert failed == wrong
    assert failed


def _ours(lines: list[str]) -> list[dict[str, Any]]:
    first, *rest = map(json.loads, lines)
    referee = Referee(parse_header(first))
    found = []
    for see in rest:
        ruled = [one.to_json() for one in referee.observe(parse_observation(see, len(first["seats"])))]
        found.append({"rulings": json.loads(json.dumps(ruled)), "position": referee.position()})
    return found


def _well_formed() -> list[tuple[Case, str]]:
    return [
        (case, ruleset)
        for case in cases()
        if not case.get("refused") and all("see" in step for step in case["steps"])
        for ruleset in rulesets_of(case)[:1]
    ]


def test_a_referee_of_logs_is_asked_every_case() -> None:
    results = list(run_log(_ours, _well_formed()))
    assert {one.outcome for one in results} == {PASSED}
    assert len(results) > 600


@pytest.mark.long
def test_a_referee_of_logs_that_says_nothing_fails_what_is_to_be_said() -> None:
    silent = {
        one.case["id"]
        for one in run_log(lambda lines: [line | {"rulings": []} for line in _ours(lines)], _well_formed())
        if one.outcome == FAILED
    }
    assert silent == {
        case["id"] for case, _ in _well_formed() if any(step.get("expect") for step in case.get("steps", ()))
    }


@pytest.mark.long
def test_a_program_of_any_language_is_asked_by_its_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = {"number-match__changes-color-then-no-match", "symbol-match__skip-on-skip"}
    few = tuple(case for case in cases() if case["id"] in chosen)
    monkeypatch.setattr("croupier_bench.conformance.__main__.cases", lambda: few)
    program = f'{sys.executable} -c "from croupier.cli.main import main; main()" referee --json -'
    assert suite_main(["--command", program, "--ruleset", "g7942-en"]) == 0
    assert capsys.readouterr().out == "2 passed, 0 failed\n"
    assert suite_main(["--command", "true", "--ruleset", "g7942-en"]) == 1
    *failed, last = capsys.readouterr().out.splitlines()
    assert last == "0 passed, 2 failed"
    assert {line.partition(":")[0] for line in failed} == chosen


def test_every_case_is_written_with_its_sentence_and_the_code_of_its_sheet(capsys: pytest.CaptureFixture[str]) -> None:
    assert suite_main(["--cases", "--ruleset", "g7942-en"]) == 0
    written = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    for one in written:
        assert one["document"] == "g7942"
        case = next(case for case in cases() if case["id"] == one["id"])
        assert one["cite"] == case["cite"]
        assert one["log"] == log_lines(case, "g7942-en")
    assert all(case["cite"] for case in cases())


@pytest.mark.long
def test_engines_that_are_installed_are_asked_alike_each_time() -> None:
    """All of them after `make bench`; ours is always there."""
    first, second = (list(conformance.asked()) for _ in range(2))
    assert first == second
    for peer, _, results in first:
        if peer.package == "croupier-rules":
            assert results
        elif results is not None:
            assert {one.outcome for one in results} == {PASSED, FAILED, NOT_ASKED}


@pytest.mark.long
def test_the_bench_says_what_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    absent = conformance.Peer(lambda: Plays(), "no-such-engine", "PyPI", "MIT")
    monkeypatch.setattr(conformance, "PEERS", (conformance.PEERS[0], absent))
    monkeypatch.setattr(lengths, "ROUNDS", 2)
    assert main.run(["bench", "conformance"]) == 0
    text = capsys.readouterr().out
    assert "conformance: croupier-rules" in text
    assert "0 failed" in text
    assert "not installed: no-such-engine" in text
    assert "10 players" in text


def test_the_engine_from_npm_is_pinned_to_what_the_page_says() -> None:
    folder = ROOT / "benchmarks/croupier_bench/conformance/npm"
    wanted = json.loads((folder / "package.json").read_text())["dependencies"]
    locked = json.loads((folder / "package-lock.json").read_text())["packages"]
    assert wanted == conformance.VERSIONS
    for name, version in wanted.items():
        assert locked[f"node_modules/{name}"]["version"] == version
    assert all(one["integrity"] for path, one in locked.items() if path)


def test_mean_lengths_are_the_same_each_time_and_have_an_error() -> None:
    first, second = (list(lengths.measured(seats=(2, 5), rounds=20)) for _ in range(2))
    assert first == second
    for one in first:
        assert 5 < one.mean < 200
        assert 0 < one.error < one.mean


def test_the_page_tells_of_as_many_cases_as_there_are() -> None:
    """After a new case: `python -m tools.conformance`."""
    page = (ROOT / "docs/conformance.md").read_text(encoding="utf-8")
    rows = [list(map(int, row)) for row in re.findall(r"^\|.*\| (\d+) \| (\d+) \| (\d+) \|$", page, re.MULTILINE)]
    assert [sum(row) for row in rows] == [len(cases())] * len(conformance.PEERS)
    named = re.findall(r"^\| \S+ \| `(\S+)` \|", page, re.MULTILINE)
    assert len(named) == sum(failed for _, failed, _ in rows)
    assert set(named) <= {case["id"] for case in cases()}
