"""Writes the tables of docs/rules.md (in which points the printed rulesets differ); run as `make docs`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from croupier.rules import RuleSet, load, names
from croupier.rules.catalogue import Value
from croupier.rules_report.sheet import GROUPS, Point
from tools.lock import ROOT
from tools.pages import renewed

PAGE: Final = ROOT / "docs/rules.md"

_ENGLISH: Final = "g7942-en"
_READING: Final = "†"


def rulesets() -> list[RuleSet]:
    """All printed rulesets: the English sheet, its other languages, the other documents."""
    return [load(name) for name in sorted(names(), key=lambda name: (name != _ENGLISH, "g7942" not in name, name))]


def table(sheets: list[RuleSet]) -> str:
    """One table of rule points for each group."""
    return "\n".join(line for group in GROUPS for line in _group(group, sheets))


def _group(group: str, sheets: list[RuleSet]) -> Iterator[str]:
    """The table of a group: the points in which ``sheets`` differ; then the ids of the points in which they agree."""
    rows, same = [], []
    for point in GROUPS[group]:
        by_value: dict[Value, list[RuleSet]] = {}
        for sheet in sheets:
            by_value.setdefault(sheet.value(point.rule), []).append(sheet)
        usual = max(by_value, key=lambda value: len(by_value[value]))
        readings = ", ".join(_short(sheet) for sheet in by_value[usual] if _is_reading(point, sheet))
        most = point.in_words(usual) + (f" ({_READING} {readings})" if readings else "")
        others = [
            f"{point.in_words(value)}: {_names(point, those)}" for value, those in by_value.items() if value != usual
        ]
        if others:
            rows.append(f"| {point.question} `{point.rule}` | {most} | {'; '.join(others)} |")
        else:
            same.append(f"`{point.rule}`" + (f" ({_READING} {readings})" if readings else ""))
    yield f"\n### {group}\n"
    if rows:
        yield "| question | most sheets | other sheets |\n|---|---|---|"
        yield from rows
    if same:
        yield f"{chr(10) if rows else ''}The same in all sheets: {', '.join(same)}."


def _names(point: Point, sheets: list[RuleSet]) -> str:
    return ", ".join(_short(sheet) + (f" {_READING}" if _is_reading(point, sheet) else "") for sheet in sheets)


def _is_reading(point: Point, sheet: RuleSet) -> bool:
    row = sheet.rules.get(point.rule)
    return row is not None and "all" in row.proposed


def _short(sheet: RuleSet) -> str:
    return sheet.name.removeprefix("g7942-")


def page(text: str) -> str:
    """The page ``text`` with the table after its mark as it is now."""
    return renewed(text, f"{table(rulesets())}\n")


def main() -> None:
    """Write the page anew."""
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
