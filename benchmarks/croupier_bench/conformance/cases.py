"""The conformance cases, and how one is judged: the same form and the same judgement as the suite they come from."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

from croupier_rules.rules import names

FOLDER: Final = Path(__file__).parent / "cases"
G7942: Final = [f"g7942-{language}" for language in ("en", "fr", "de", "nl", "sv", "it", "es", "pt", "el")]
GROUPS: Final = {"g7942": G7942, "all": [*G7942, "classic-hu", "house-rules-pl", "official-el", "box112-en"]}
KNOWN: Final = (*GROUPS["all"], "no-mercy-en", "crazy-eights-en", "mau-mau-en", "swap-hands-en", "all-wild-en")
NAMES: Final = ("Ann", "Ben", "Cat", "Dan", "Eve", "Fay", "Gus", "Hal", "Ida", "Jon")

Case = dict[str, Any]


@cache
def cases() -> tuple[Case, ...]:
    """Every case, by file and in the order of the file."""
    return tuple(
        case
        for file in sorted(FOLDER.glob("*.yaml"))
        for case in yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader)
    )


def rulesets_of(case: Case) -> list[str]:
    """The rulesets for which a case is written and that there are (or that it says there must not be)."""
    asked = case["ruleset"] if isinstance(case["ruleset"], list) else [case["ruleset"]]
    written = [name for group in asked for name in GROUPS.get(group, [group])]
    return [name for name in written if name in names() or name not in KNOWN]


def log_lines(case: Case, ruleset: str) -> list[str]:
    """The table log that a case describes; an observation without a time comes one second after the one before."""
    header = {"log": "croupier/1", "ruleset": ruleset, **case["header"]}
    if isinstance(header["seats"], int):
        header["seats"] = [*NAMES, "Kim", "Lou"][: header["seats"]]
    if "given" in case:
        header["given"] = case["given"]
    lines, t = [json.dumps(header)], -1
    for step in case.get("steps", []):
        if "raw" in step:
            lines.append(step["raw"])
            continue
        t = step["see"].get("t", t + 1)
        lines.append(json.dumps({**step["see"], "t": t}))
    return lines


def must_fail(case: Case) -> bool:
    """Whether the input of the case is no table log, from the header on or by its last line."""
    return case.get("refused", False) or any("raw" in step for step in case["steps"])


def differences(case: Case, told: list[dict[str, Any]]) -> list[str]:
    """What the referee said otherwise than the case asks."""
    steps = [step for step in case.get("steps", []) if "raw" not in step]
    if len(told) != len(steps):
        return [f"{len(steps)} lines expected, {len(told)} said"]
    found = []
    for i, (step, line) in enumerate(zip(steps, told, strict=True)):
        rest = iter(line["rulings"])
        for want in step.get("expect", []):
            if not any(_fits(want, ruling) for ruling in rest):
                found.append(f"step {i}: expected {want} in order, said {line['rulings']}")
                break
        found += [
            f"step {i}: never {want}, said {line['rulings']}"
            for want in step.get("never", [])
            if any(_fits(want, ruling) for ruling in line["rulings"])
        ]
        found += [
            f"step {i}: {field} {want} expected, is {line['position'][field]}"
            for field, want in step.get("position", {}).items()
            if not _is_same(field, want, line["position"][field])
        ]
    return found


def _fits(want: dict[str, Any], ruling: dict[str, Any]) -> bool:
    return all(field in ruling and ruling[field] == value for field, value in want.items())


def _is_same(field: str, want: Any, have: Any) -> bool:
    if field in ("owed", "house_rules"):
        return bool({str(key): value for key, value in want.items() if value} == have)
    if field == "known":
        return all(sorted(have.get(str(seat), [])) == sorted(cards) for seat, cards in want.items())
    if field in ("called", "catchable", "out"):
        return sorted(want) == sorted(have)
    return bool(want == have)
