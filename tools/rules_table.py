"""Writes the table of docs/rules.md, rule points × rulesets, anew from the data; run as `make docs`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from croupier.rules import RuleSet, load, names
from croupier.rules.catalogue import PARTS
from croupier.rules_report.words import GROUPS, Point
from tools.lock import ROOT
from tools.pages import renewed

PAGE: Final = ROOT / "docs/rules.md"

_ENGLISH: Final = "g7942-en"
_SAME: Final = "·"
_READING: Final = "†"


def rulesets() -> list[RuleSet]:
    """All printed ones: the English sheet, its other languages, the other documents."""
    return [load(name) for name in sorted(names(), key=lambda name: (name != _ENGLISH, "g7942" not in name, name))]


def table(sheets: list[RuleSet]) -> str:
    """The tables of all groups, each with the readings below it."""
    return "\n".join(line for group in GROUPS for line in _group(group, sheets))


def _group(group: str, sheets: list[RuleSet]) -> Iterator[str]:
    yield f"\n### {group}\n"
    yield _row("", "most say", *map(_short, sheets))
    yield _row(*["---"] * (len(sheets) + 2))
    for point in GROUPS[group]:
        usual = Counter(sheet.value(point.rule) for sheet in sheets).most_common(1)[0][0]
        cells = []
        for sheet in sheets:
            value, row = sheet.value(point.rule), sheet.rules.get(point.rule)
            is_read = row is not None and "all" in row.proposed
            cells.append((_SAME if value == usual else point.said(value)) + (f" {_READING}" if is_read else ""))
        yield _row(f"{point.question} `{point.rule}`", point.said(usual), *cells)
    readings = [line for point in GROUPS[group] for line in _readings(point, sheets)]
    if readings:
        yield f"\n{_READING} and other readings, where a document is silent or contradicts itself:\n"
        yield from readings


def _readings(point: Point, sheets: list[RuleSet]) -> Iterator[str]:
    """The readings of a point; those that mean what an English one means are told with it."""
    told: dict[tuple[str, str], list[RuleSet]] = {}
    for sheet in sheets:
        row = sheet.rules.get(point.rule)
        for part, text in row.proposed.items() if row else ():
            told.setdefault((part, _in_english(point.rule, part, sheet) or text), []).append(sheet)
    for (part, text), those in told.items():
        about = "" if part == "all" else f", {PARTS.get(point.rule, {}).get(part, part)}"
        whose = "all" if those == sheets else ", ".join(map(_short, those))
        yield f"- `{point.rule}`{about} ({whose}): {text}"


def _in_english(rule: str, part: str, sheet: RuleSet) -> str | None:
    """The English reading of the same part of the rule; of the whole rule only where the value is the same too."""
    english = load(_ENGLISH)
    row = english.rules.get(rule)
    if row is None or (part == "all" and row.value != sheet.value(rule)):
        return None
    return row.proposed.get(part)


def _short(sheet: RuleSet) -> str:
    return sheet.name.removeprefix("g7942-")


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def page(text: str) -> str:
    """The page ``text`` with the table after its mark as it is now."""
    return renewed(text, f"{table(rulesets())}\n")


def main() -> None:
    """Write the page anew."""
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
