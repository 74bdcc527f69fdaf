"""Agreements of a game, in words: sheet, house rules, partners, points."""

from __future__ import annotations

from typing import Final

from croupier.i18n import _, marked
from croupier.i18n.rules import POINTS
from croupier_rules.referee import Header, parse_header
from croupier_rules.rules import load
from croupier_rules.rules.catalogue import VALUES
from croupier_rules.rules.ruleset import parts_of

SCORING: Final = {
    "winner": marked("the winner gets the points of all the others"),
    "lowest": marked("all keep their own points, and the lowest total wins"),
}
DEAL: Final = {"next": marked("the next seat"), "winner": marked("the winner"), "same": marked("the same seat")}

Facts = list[tuple[str, str]]


def facts(header: Header) -> Facts:
    """Return the agreements, each as question and answer."""
    rules, options, custom = header.ruleset, header.options, header.options.custom
    sheet = load(parts_of(rules.name)[0])
    chosen = [rule for rule in VALUES if rules.is_chosen(rule)]
    found: list[tuple[str, str | int | None]] = [
        (_("Sheet"), f"{sheet.name}: {sheet.title}"),
        *((_(POINTS[rule].question), POINTS[rule].in_the_language(rules.value(rule))) for rule in chosen),
        (_("Partners"), ", ".join(" + ".join(header.seats[seat] for seat in team) for team in header.teams)),
        (_("Who deals the next round?"), _(DEAL[options.deal])),
        (_("Points"), _(SCORING[options.scoring])),
        (_("Points that end the game"), options.target),
        (_("Points at which a player is eliminated"), options.limit),
        (_("Cards drawn by the last player to follow a house rule"), options.own_penalties or None),
    ]
    if custom is not None:
        found += [
            (_("What is written on the blank wilds"), custom.text),
            (_("A blank wild: the next player draws"), custom.draw or None),
            (_("A blank wild: the next player misses a turn"), "✓" if custom.skip else None),
            (_("A blank wild: play again"), "✓" if custom.again else None),
        ]
    return [(what, str(answer)) for what, answer in found if answer not in (None, "")]


def changes(header: Header, next_header: str) -> Facts:
    """Return the agreements of the next game that differ from those of ``header``. ``next_header``: as in a table log;
    "" where nothing changes."""
    if not next_header:
        return []
    now, later = dict(facts(header)), dict(facts(parse_header(next_header)))
    changed = [(what, answer) for what, answer in later.items() if now.get(what) != answer]
    return [*changed, *((what, _("no longer")) for what in now if what not in later)]
