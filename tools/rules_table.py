"""Writes the tables of docs/rules.md (in which points the printed rulesets differ); run as `make docs`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from croupier.i18n.rules import GROUPS, Point
from croupier_rules.rules import RuleSet, load, names
from croupier_rules.rules.catalogue import OF_THE_TABLE, Value
from croupier_rules.rules.ruleset import expected
from tools.lock import ROOT
from tools.pages import renewed

PAGE: Final = ROOT / "docs/rules.md"

_ENGLISH: Final = "g7942-en"
_READING: Final = "†"
_FEW: Final = 2


def rulesets() -> list[RuleSet]:
    """Return all printed rulesets: the English sheet, its other languages, the other documents."""
    return [load(name) for name in sorted(names(), key=lambda name: (name != _ENGLISH, "g7942" not in name, name))]


def table(sheets: list[RuleSet]) -> str:
    """Return one table of rule points for each group."""
    return "\n".join(line for group in GROUPS for line in _group(group, sheets))


def _group(group: str, sheets: list[RuleSet]) -> Iterator[str]:
    """Yield the table of a group: the points in which ``sheets`` differ; then the ids of the other points. Of the rules
    that no sheet has: what the table may choose."""
    if all(point.rule in OF_THE_TABLE for point in GROUPS[group]):
        yield f"\n### {group}\n\n| question | `RULE=VALUE` |\n|---|---|"
        yield from (f"| {point.question} | `{point.rule}` = {expected(point.rule)} |" for point in GROUPS[group])
        return
    rows, same = [], []
    for point in GROUPS[group]:
        by_value: dict[Value, list[RuleSet]] = {}
        for sheet in sheets:
            by_value.setdefault(sheet.value(point.rule), []).append(sheet)
        usual = max(by_value, key=lambda value: len(by_value[value]))
        readings = _list([sheet for sheet in by_value[usual] if _is_reading(point, sheet)])
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


def _list(sheets: list[RuleSet]) -> str:
    """Return the names of ``sheets``; most languages of G7942 as "G7942 but fr"."""
    languages = {_short(sheet) for sheet in rulesets() if "g7942" in sheet.name}
    named = [_short(sheet) for sheet in sheets]
    missing = sorted(languages - {*named})
    if len(missing) > _FEW:
        return ", ".join(named)
    most = f"G7942{' but ' if missing else ''}{' and '.join(missing)}"
    return ", ".join([most, *(name for name in named if name not in languages)])


def _names(point: Point, sheets: list[RuleSet]) -> str:
    return ", ".join(_short(sheet) + (f" {_READING}" if _is_reading(point, sheet) else "") for sheet in sheets)


def _is_reading(point: Point, sheet: RuleSet) -> bool:
    row = sheet.rules.get(point.rule)
    return row is not None and "all" in row.proposed


def _short(sheet: RuleSet) -> str:
    return sheet.name.removeprefix("g7942-")


def page(text: str) -> str:
    """Return the page ``text`` with its present tables after the mark."""
    return renewed(text, f"{table(rulesets())}\n")


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
