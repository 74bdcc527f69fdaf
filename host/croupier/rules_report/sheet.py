"""Rule sheets for people: listed, told rule by rule as questions and answers, and compared."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any, Final

from croupier.config import CONFIG
from croupier.config import load as load_config
from croupier.console import Printer
from croupier.i18n import _, ngettext
from croupier.rules import Rule, RuleSet, load, names
from croupier.rules.catalogue import FOR_PEOPLE, PARTS, VALUES, Value
from croupier.rules.ruleset import HOUSE

_NOT_SAID: Final = "nothing is said"


@dataclass(frozen=True, slots=True)
class Point:
    """A rule id, its question, and what each value means; ``alike``: values under which all rulings are the same."""

    rule: str
    question: str
    words: Mapping[str, str]
    alike: frozenset[str]

    def said(self, value: Value) -> str:
        """A value in words."""
        return self.words.get(str(value), _NOT_SAID)

    def differ(self, a: Value, b: Value) -> bool:
        """Whether some ruling is another under ``a`` than under ``b``."""
        return a != b and not {str(a), str(b)} <= self.alike


def _point(rule: str, words: dict[str, Any]) -> Point:
    return Point(rule, words.pop("question"), alike=frozenset(words.pop("alike", ())), words=words)


def _groups() -> dict[str, tuple[Point, ...]]:
    text = (resources.files(__package__) / "words.toml").read_text(encoding="utf-8")
    return {
        group.pop("title"): tuple(_point(rule, words) for rule, words in group.items())
        for group in tomllib.loads(text).values()
    }


GROUPS: Final[Mapping[str, tuple[Point, ...]]] = _groups()
"""Every rule point, by group, in the order of a game."""


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


def print_sheet(said: Told, printer: Printer) -> None:
    """A `sheet` for people."""
    printer.print(said["title"], style="bold")
    printer.print(said["ruleset"], 2)
    group = ""
    for point in said["rules"]:
        if point["group"] != group:
            group = point["group"]
            printer.print("")
            printer.print(_(group), style="bold underline")
        question, answer = point["question"], point["words"]
        printer.print(_(question), 2)
        printer.print(_(answer), 4, "bold")
        _print_source(point, 4, f"{point['rule']}: ", printer)
        for part in point.get("parts", {}).values():
            about = part["words"]
            if "quote" in part:
                printer.print(f"{_(about)}: “{part['quote']}”", 4, "dim")
            if "proposed" in part:
                said_of = _("proposed reading ({part}): {reading}", part=_(about), reading=part["proposed"])
                printer.print(said_of, 4, "yellow")


def print_differences(said: Told, printer: Printer) -> None:
    """The `differences` for people: question by question, ``A: …`` and ``B: …``."""
    points = said["differences"]
    for side in ("a", "b"):
        printer.print(f"{side.upper()}: {said[side]['title']}", style="bold")
        printer.print(said[side]["ruleset"], 3)
    printer.print("")
    if points:
        printer.print(_("Ruled otherwise: {n} of {all} questions.", n=len(points), all=len(VALUES)))
    else:
        printer.print(_("Nothing is ruled otherwise."))
    for point in points:
        printer.print("")
        group, question = point["group"], point["question"]
        printer.print(f"{_(group)}: {_(question)}  ({point['rule']})")
        for side in ("a", "b"):
            answer = point[side]["words"]
            printer.print(f"{side.upper()}: {_(answer)}", 2, "bold")
            _print_source(point[side], 5, "", printer)


def _print_source(said: Told, indent: int, begin: str, printer: Printer) -> None:
    """The sentence and the reading below what they lead to; the first line of them begins with ``begin``."""
    if said["reading"] == "chosen":
        printer.print(begin + _("the table's own choice"), indent, "cyan")
        return
    if "quote" in said:
        quote = f"“{said['quote']}”"
        if "quoted_from" in said:
            quote = _("{sheet} says “{quote}”", sheet=said["quoted_from"], quote=said["quote"])
        printer.print(begin + quote, indent, "dim")
    if "proposed" in said:
        reading = _("proposed reading: {reading}", reading=said["proposed"])
        printer.print(reading if "quote" in said else begin + reading, indent, "yellow")
    if said["reading"] == "silent" and (begin or said["value"] != "none"):
        printer.print(begin + _("no sentence"), indent, "dim")


def listing() -> Iterator[dict[str, Any]]:
    """The printed rulesets, then the table's own where it is described, for JSON.

    Raises:
        BadConfig: after the printed ones, if the description of the table is wrong.
    """
    for name in names():
        yield {"name": name, **head(load(name))}
    config = load_config() if CONFIG.exists() else None
    if config is not None and config.rules is not None:
        yield {"name": HOUSE, **head(config.ruleset())}


def print_listed(line: dict[str, Any], printer: Printer) -> None:
    """A line of the `listing` for people."""
    width = max(map(len, names()))
    cards = ngettext("{n} card", "{n} cards", line["cards"])
    printer.print(f"{line['name']:<{width}}  {cards}  {line['title']}")
    if line["name"] != line["ruleset"]:
        printer.print(line["ruleset"], width + 2, "cyan")
