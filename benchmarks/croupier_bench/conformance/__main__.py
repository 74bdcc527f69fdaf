"""Asks a program of any language: `python -m croupier_bench.conformance --command "node referee.js"`; its form is in
`docs/conformance.md`."""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from croupier_bench.conformance.cases import Case, cases, log_lines, must_fail, rulesets_of
from croupier_bench.conformance.suite import FAILED, counted, run_log
from croupier_rules.rules import load, names


def main(arguments: list[str] | None = None) -> int:
    """Ask a program every case, or write the cases. Returns 1 if a case failed."""
    parser = argparse.ArgumentParser(prog="python -m croupier_bench.conformance", description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--command", help="reads a table log, and writes a JSON object for each observation")
    what.add_argument("--cases", action="store_true", help="write every case as JSON, one a line")
    parser.add_argument("--ruleset", action="append", help="only the cases of this sheet; may be repeated")
    args = parser.parse_args(arguments)
    chosen = [(case, name) for case, name in _runs() if not args.ruleset or name in args.ruleset]
    if args.cases:
        for case, name in chosen:
            print(json.dumps(_as_json(case, name), ensure_ascii=False))
        return 0
    results = []
    for one in run_log(lambda lines: _ruled(shlex.split(args.command), lines), chosen):
        results.append(one)
        if one.outcome == FAILED:
            print(f"{one.case['id']}: {one.why}")
    print(", ".join(f"{n} {outcome}" for outcome, n in counted(results).items() if n or outcome != "cannot be asked"))
    return int(any(one.outcome == FAILED for one in results))


def _runs() -> Iterator[tuple[Case, str]]:
    for case in cases():
        for name in rulesets_of(case):
            yield case, name


def _as_json(case: Case, name: str) -> dict[str, Any]:
    sheet = name.partition("+")[0]
    return {
        "id": case["id"],
        "ruleset": name,
        "document": load(sheet).document if sheet in names() else None,
        "cite": case.get("cite"),
        "rules": case["rules"],
        "log": log_lines(case, name),
        "is_refused": must_fail(case),
        "steps": [step for step in case.get("steps", ()) if "see" in step],
    }


def _ruled(command: list[str], lines: list[str]) -> list[dict[str, Any]]:
    """What the program writes for a log; a line that is no JSON ends it."""
    done = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True, check=False)
    found = []
    for line in done.stdout.splitlines():
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError:
            break
    return found


if __name__ == "__main__":
    sys.exit(main())
