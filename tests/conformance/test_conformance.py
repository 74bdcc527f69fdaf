"""What the referee must rule, case by case, for each ruleset that there is."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from croupier.errors import BadLog
from croupier.log_replay import Record, replay_lines
from croupier_bench.conformance.cases import Case, cases, differences, log_lines, must_fail, rulesets_of
from croupier_rules.rules import load
from croupier_rules.rules.catalogue import FOR_PEOPLE, VALUES

CASES = cases()
RUNS = [pytest.param(case, ruleset, id=f"{case['id']}-{ruleset}") for case in CASES for ruleset in rulesets_of(case)]
NOT_ALLOWED = {"illegal", "void", "warn", "caught", "mismatch", "cannot_tell", "short"}


@pytest.mark.parametrize(("case", "ruleset"), RUNS)
def test_case(case: Case, ruleset: str) -> None:
    told, fault = _rule([line.encode() for line in log_lines(case, ruleset)])
    assert not differences(case, told)
    assert bool(fault) == must_fail(case), fault
    assert not fault or f"line {len(log_lines(case, ruleset))}: " in fault


def _rule(lines: list[bytes]) -> tuple[list[dict[str, Any]], str]:
    """What the referee says, as JSON, and the fault that ended the log (or nothing)."""
    told: list[dict[str, Any]] = []
    try:
        told.extend(
            json.loads(json.dumps(step.to_json()))
            for step in replay_lines(lines, "log", judges=True)
            if isinstance(step, Record)
        )
    except BadLog as err:
        return told, str(err)
    return told, ""


@pytest.mark.parametrize(
    "name",
    [
        "draw2-up__first-player-draws-and-misses",
        "eleven-seats__refused",
        "not-json__exit-2-and-what-was-ruled-is-kept",
        "race-within-the-uncertainty__cannot-tell",
    ],
)
def test_case_through_the_command(name: str) -> None:
    case = next(case for case in CASES if case["id"] == name)
    lines = log_lines(case, "g7942-en")
    done = subprocess.run(
        [sys.executable, "-c", "from croupier.cli.main import main; main()", "referee", "--json", "-"],
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert not differences(case, [json.loads(line) for line in done.stdout.splitlines()])
    assert done.returncode == (2 if must_fail(case) else 0)
    assert done.stderr.count("\n") == (1 if must_fail(case) else 0)


def test_ids_are_unique_and_say_situation_and_ruling() -> None:
    ids = [case["id"] for case in CASES]
    assert len(set(ids)) == len(ids)
    assert all("__" in name for name in ids)


def _is_objection(ruling: dict[str, Any]) -> bool:
    return ruling["ruling"] in NOT_ALLOWED or ruling.get("state") == "refused"


def _is_accepting(case: Case) -> bool:
    """Whether something in it is ruled, or passed, without objection."""
    steps = [step for step in case.get("steps", []) if "see" in step]
    return any(not any(map(_is_objection, step.get("expect", []))) for step in steps)


def _is_rejecting(case: Case) -> bool:
    """Whether something in it is objected to, or must not be ruled."""
    steps = case.get("steps", [])
    objections = [ruling for step in steps for ruling in step.get("expect", []) if _is_objection(ruling)]
    return must_fail(case) or bool(objections) or any("never" in step for step in steps)


@pytest.mark.parametrize("rule", sorted(VALUES.keys() - FOR_PEOPLE))
def test_each_rule_has_cases_that_keep_it_and_that_do_not(rule: str) -> None:
    """In English, where the English sheet has the rule."""
    is_english = rule in load("g7942-en").rules
    about = [case for case in CASES if rule in case["rules"] and (not is_english or "g7942-en" in rulesets_of(case))]
    assert any(map(_is_accepting, about))
    assert any(map(_is_rejecting, about))
