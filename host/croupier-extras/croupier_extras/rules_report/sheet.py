"""Rule sheets for people: listed, explained rule by rule as questions and answers, and compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from croupier.config import CONFIG
from croupier.config import load as load_config
from croupier.console import Printer
from croupier.i18n import _, language, ngettext
from croupier.i18n.rules import GROUPS, POINTS, Point
from croupier_rules.cards import symbol_name
from croupier_rules.rules import Rule, RuleSet, load, names
from croupier_rules.rules.catalogue import FOR_PEOPLE, OWN_CARDS, PARTS, VALUES
from croupier_rules.rules.ruleset import HOUSE, presets

Json = dict[str, Any]
"""A part of a report, as JSON."""


def head(rules: RuleSet) -> Json:
    """Return name, title, language (ISO 639-1), deck (as in ``croupier audit``) and number of cards of a sheet."""
    return {
        "ruleset": rules.name,
        "title": rules.title,
        "language": rules.language,
        "deck": rules.deck,
        "cards": rules.value("deck.size"),
    }


def sheet(rules: RuleSet) -> Json:
    """Return the whole sheet for JSON."""
    points = [
        {"rule": point.rule, "group": group, "question": point.question, **describe_point(rules, point)}
        for group, points in GROUPS.items()
        for point in points
    ]
    return {**head(rules), "rules": points}


def differences(a: RuleSet, b: RuleSet) -> Json:
    """Return the points in which rulings differ between ``a`` and ``b``, for JSON."""
    points = [
        {
            "rule": point.rule,
            "group": group,
            "question": point.question,
            "a": describe_point(a, point),
            "b": describe_point(b, point),
        }
        for group, points in GROUPS.items()
        for point in points
        if point.rule not in FOR_PEOPLE and point.differ(a.value(point.rule), b.value(point.rule))
    ]
    return {"a": head(a), "b": head(b), "differences": points}


def describe_point(rules: RuleSet, point: Point) -> Json:
    """Describe a rule point: its ``value``, the same in ``words``, and its source.

    ``reading``: ``literal`` (a sentence of the document), ``own-words`` (a sentence of ours, no document was at hand),
    ``proposed`` (not settled), ``chosen`` (by the table) or ``silent`` (there is no sentence, and none is needed).
    ``parts``: values with sentences or readings of their own.
    """
    value = rules.value(point.rule)
    row = rules.rules.get(point.rule, Rule(value))
    parts = {
        part: {
            "words": symbol_name(part, "en") if point.rule == OWN_CARDS else PARTS.get(point.rule, {}).get(part, part),
            **_without_empty(quote=row.quotes.get(part), proposed=row.proposed.get(part)),
        }
        for part in sorted((row.quotes.keys() | row.proposed.keys()) - {"all"})
    }
    return {
        "value": value,
        "words": point.in_words(value),
        "reading": _reading(row, rules),
        **_without_empty(quote=row.quote, quoted_from=row.quoted_from, restored=row.restored),
        **_without_empty(proposed=row.proposed.get("all"), parts=parts),
    }


def _without_empty(**fields: Any) -> Json:
    return {name: value for name, value in fields.items() if value}


def _reading(row: Rule, rules: RuleSet) -> str:
    if row.chosen:
        return "chosen"
    if "all" in row.proposed:
        return "proposed"
    return "silent" if not row.quote else "own-words" if rules.own_words else "literal"


def print_sheet(report: Json, printer: Printer) -> None:
    """Print a `sheet`."""
    printer.print(report["title"], style="bold")
    printer.print(report["ruleset"], 2)
    group = ""
    for point in report["rules"]:
        if point["group"] != group:
            group = point["group"]
            printer.print("")
            printer.print(_(group), style="bold underline")
        question = point["question"]
        printer.print(_(question), 2)
        printer.print(POINTS[point["rule"]].in_the_language(point["value"]), 4, "bold")
        _print_source(point, 4, f"{point['rule']}: ", printer)
        for name, part in point.get("parts", {}).items():
            about = part["words"] if point["rule"] != OWN_CARDS else symbol_name(name, language())
            if "quote" in part:
                printer.print(f"{_(about)}: “{part['quote']}”", 4, "dim")
            if "proposed" in part:
                reading = _("proposed reading ({part}): {reading}", part=_(about), reading=part["proposed"])
                printer.print(reading, 4, "yellow")


def print_differences(report: Json, printer: Printer) -> None:
    """Print `differences`, question by question: ``A: …`` and ``B: …``."""
    points = report["differences"]
    for side in ("a", "b"):
        printer.print(f"{side.upper()}: {report[side]['title']}", style="bold")
        printer.print(report[side]["ruleset"], 3)
    printer.print("")
    if points:
        printer.print(_("Ruled differently: {n} of {all} questions.", n=len(points), all=len(VALUES)))
    else:
        printer.print(_("No ruling differs."))
    for point in points:
        printer.print("")
        group, question = point["group"], point["question"]
        printer.print(f"{_(group)}: {_(question)}  ({point['rule']})")
        for side in ("a", "b"):
            answer = POINTS[point["rule"]].in_the_language(point[side]["value"])
            printer.print(f"{side.upper()}: {answer}", 2, "bold")
            _print_source(point[side], 5, "", printer)


def _print_source(point: Json, indent: int, begin: str, printer: Printer) -> None:
    """Print the sentence and the reading behind an answer; the first line begins with ``begin``."""
    if point["reading"] == "chosen":
        printer.print(begin + _("the table's own choice"), indent, "cyan")
        return
    if "quote" in point:
        quote = f"“{point['quote']}”"
        if "quoted_from" in point:
            quote = _("{sheet} says “{quote}”", sheet=point["quoted_from"], quote=point["quote"])
        if point["reading"] == "own-words":
            quote = _("in our own words: {sentence}", sentence=quote)
        if "restored" in point:
            quote += " " + _("(lost letters restored)")
        printer.print(begin + quote, indent, "dim")
    if "proposed" in point:
        reading = _("proposed reading: {reading}", reading=point["proposed"])
        printer.print(reading if "quote" in point else begin + reading, indent, "yellow")
    if point["reading"] == "silent" and (begin or point["value"] != "none"):
        printer.print(begin + _("no sentence"), indent, "dim")


def listing() -> Iterator[dict[str, Any]]:
    """Yield the printed rulesets, then that of the table if there is one, for JSON.

    Raises:
        BadConfig: the description of the table is invalid; raised after the printed rulesets.
    """
    for name in names():
        yield {"name": name, **head(load(name))}
    config = load_config() if CONFIG.exists() else None
    if config is not None and config.rules is not None:
        yield {"name": HOUSE, **head(config.ruleset())}


def preset_lines() -> Iterator[dict[str, Any]]:
    """Yield the house rules that people know under one name, each with its choices, for JSON."""
    for name, preset in presets().items():
        title, about = preset.title, preset.about
        yield {"name": name, "title": _(title), "about": _(about), "rules": dict(preset.rules)}


def print_preset(line: dict[str, Any], printer: Printer) -> None:
    """Print one of the `preset_lines`."""
    printer.print(f"{line['name']}: {line['title']}", style="bold")
    printer.print(line["about"], 2)
    for rule, value in line["rules"].items():
        printer.print(f"{rule} = {value}", 4, "cyan")


def print_ruleset_line(line: dict[str, Any], printer: Printer) -> None:
    """Print a line of the `listing`."""
    width = max(map(len, names()))
    cards = ngettext("{n} card", "{n} cards", line["cards"])
    printer.print(f"{line['name']:<{width}}  {cards}  {line['title']}")
    if line["name"] != line["ruleset"]:
        printer.print(line["ruleset"], width + 2, "cyan")
