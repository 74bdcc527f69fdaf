"""A ruleset told rule by rule, and what changes when a table goes from one sheet to another."""

from __future__ import annotations

from typing import Any

from croupier.app.rulebook.words import GROUPS, Point
from croupier.app.telling import Teller
from croupier.rules import Rule, RuleSet
from croupier.rules.catalogue import FOR_PEOPLE, PARTS, VALUES

Told = dict[str, Any]
"""What a sheet says on a rule point, for JSON: ``value``, the same in ``words``, and what it rests on (``reading``)."""


def head(rules: RuleSet) -> Told:
    """What the sheet is; ``language`` is an ISO 639-1 code, ``deck`` a name as ``croupier audit`` takes it."""
    return {
        "ruleset": rules.name,
        "title": rules.title,
        "language": rules.language,
        "deck": rules.deck,
        "cards": rules.value("deck.size"),
    }


def sheet(rules: RuleSet) -> Told:
    """The whole sheet, for JSON."""
    points = [
        {"rule": point.rule, "group": group, "question": point.question, **told(rules, point)}
        for group, points in GROUPS.items()
        for point in points
    ]
    return {**head(rules), "rules": points}


def differences(a: RuleSet, b: RuleSet) -> Told:
    """The points in which a ruling is another under ``b`` than under ``a``, for JSON."""
    points = [
        {"rule": point.rule, "group": group, "question": point.question, "a": told(a, point), "b": told(b, point)}
        for group, points in GROUPS.items()
        for point in points
        if point.rule not in FOR_PEOPLE and point.differ(a.value(point.rule), b.value(point.rule))
    ]
    return {"a": head(a), "b": head(b), "differences": points}


def told(rules: RuleSet, point: Point) -> Told:
    """What ``rules`` says on ``point``.

    ``reading``: ``literal`` (a sentence says it), ``proposed`` (the document does not settle it), ``chosen`` (by the
    table) or ``silent`` (it says nothing, and nothing is what it means). ``parts``: what has a sentence or a reading
    of its own.
    """
    value = rules.value(point.rule)
    row = rules.rules.get(point.rule, Rule(value))
    parts = {
        part: {
            "words": PARTS.get(point.rule, {}).get(part, part),
            **_given(quote=row.quotes.get(part), proposed=row.proposed.get(part)),
        }
        for part in sorted((row.quotes.keys() | row.proposed.keys()) - {"all"})
    }
    return {
        "value": value,
        "words": point.said(value),
        "reading": _reading(row),
        **_given(quote=row.quote, quoted_from=row.quoted_from, proposed=row.proposed.get("all"), parts=parts),
    }


def _given(**fields: Any) -> Told:
    """The fields that say something."""
    return {name: said for name, said in fields.items() if said}


def _reading(row: Rule) -> str:
    if row.chosen:
        return "chosen"
    if "all" in row.proposed:
        return "proposed"
    return "literal" if row.quote else "silent"


def say_sheet(said: Told, teller: Teller) -> None:
    """A `sheet` for people."""
    teller.say(said["title"], style="bold")
    teller.say(said["ruleset"], 2)
    group = ""
    for point in said["rules"]:
        if point["group"] != group:
            group = point["group"]
            teller.say("")
            teller.say(group, style="bold underline")
        teller.say(point["question"], 2)
        teller.say(point["words"], 4, "bold")
        _say_source(point, 4, f"{point['rule']}: ", teller)
        for part in point.get("parts", {}).values():
            if "quote" in part:
                teller.say(f"{part['words']}: “{part['quote']}”", 4, "dim")
            if "proposed" in part:
                teller.say(f"proposed reading ({part['words']}): {part['proposed']}", 4, "yellow")


def say_differences(said: Told, teller: Teller) -> None:
    """The `differences` for people: question by question, ``A: …`` and ``B: …``."""
    points = said["differences"]
    for side in ("a", "b"):
        teller.say(f"{side.upper()}: {said[side]['title']}", style="bold")
        teller.say(said[side]["ruleset"], 3)
    teller.say("")
    if points:
        teller.say(f"Ruled otherwise: {len(points)} of {len(VALUES)} points.")
    else:
        teller.say("Nothing is ruled otherwise.")
    for point in points:
        teller.say("")
        teller.say(f"{point['group']}: {point['question']}  ({point['rule']})")
        for side in ("a", "b"):
            teller.say(f"{side.upper()}: {point[side]['words']}", 2, "bold")
            _say_source(point[side], 5, "", teller)


def _say_source(said: Told, indent: int, begin: str, teller: Teller) -> None:
    """The sentence and the reading below what they lead to; the first line of them begins with ``begin``."""
    if said["reading"] == "chosen":
        teller.say(f"{begin}the table's own choice", indent, "cyan")
        return
    if "quote" in said:
        source = f"{said['quoted_from']} says " if "quoted_from" in said else ""
        teller.say(f"{begin}{source}“{said['quote']}”", indent, "dim")
    if "proposed" in said:
        teller.say(f"{'' if 'quote' in said else begin}proposed reading: {said['proposed']}", indent, "yellow")
    if said["reading"] == "silent" and (begin or said["value"] != "none"):
        teller.say(f"{begin}no sentence", indent, "dim")
