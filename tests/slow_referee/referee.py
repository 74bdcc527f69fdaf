"""One observation after the other: what it means, then what follows for the piles and for the score."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.slow_referee import calling, ending, house, opening, own_cards, own_rules, players, turn, wild
from tests.slow_referee.documents import PROPOSED
from tests.slow_referee.table import WITH_A_TURN, Ruling, Seen, Table, refused, ruled

ORDER = [
    *("illegal", "void", "warn", "uno", "caught", "challenge", "return_card", "color", "house_rule", "cannot_tell"),
    "mismatch",
    *("draw", "skip", "recycle", "short", "round_over", "score", "eliminated", "game_over"),
    *(
        "choose_color",
        "choose_seat",
        "choose_target",
        "discard_all",
        "turn_up",
        "may_challenge",
        "may_stack",
        "show_hand",
        "redeal",
        "hands_moved",
        "turn",
    ),
]
"""The rulings of one line in the order of the table log; others (who deals) stand first."""

WHILE_PAUSED = ("dealt", "redealt", "drew", "shown", "fault", "resumed", "tick")

RULE: dict[str, Callable[[Table, Seen], list[Ruling]]] = {
    "pick": opening.pick,
    "dealt": opening.dealt,
    "upcard": opening.upcard,
    "lift": turn.lift,
    "play": turn.play,
    "drew": turn.drew,
    "pass": turn.passed,
    "color": wild.color,
    "accept": wild.accept,
    "challenge": wild.challenge,
    "shown": wild.shown,
    "redealt": wild.redealt,
    "uno": calling.pressed,
    "house_rule": house.made,
    "decline": house.declined,
    "acted": house.acted,
    "hint": house.hinted,
    "swap": own_rules.swap,
    "target": own_cards.target,
    "discarded": own_cards.discarded,
    "recycled": lambda table, seen: recycled(table),
    "fault": lambda table, seen: paused(table, True),
    "resumed": lambda table, seen: paused(table, False),
    "tick": lambda table, seen: [],
}


class SlowReferee:
    """A game from its header on; ``deck`` says which cards really lie in the box, where the document does not."""

    def __init__(self, header: dict[str, Any], deck: list[str] | None = None) -> None:
        self.document = header["ruleset"].split("+")[0]
        self.table = Table(header, deck)
        self.before: list[Table] = []

    def observe(self, seen: Seen) -> list[Ruling]:
        """What is ruled on something that was seen. A correction is made, and nothing said."""
        if "player" in seen:
            changed = players.change(self.table, seen["player"])
            seen["is refused"] = changed is None
            self.table = changed or self.table
            return []
        if seen["obs"] == "overrule":
            self.table = self.before[-seen["undo"]]
            del self.before[-seen["undo"] :]
            return []
        self.before.append(self.table)
        self.table, rulings = rule(self.table, seen)
        return [self.with_reading(ruling) for ruling in rulings]

    def with_reading(self, ruling: Ruling) -> Ruling:
        """Whether a ruling rests on a proposed reading (else ``None``), where that is known."""
        documents = PROPOSED.get((ruling["ruling"], ruling.get("rule", "")))
        if ruling.get("rule") in self.table.own:
            return ruling  # the table chose it
        if documents is None:
            return ruling
        return {"reading": "proposed" if self.document in documents else None, **ruling}


def rule(before: Table, seen: Seen) -> tuple[Table, list[Ruling]]:
    """The table after something was seen, and what is ruled on it; ``before`` stays as it was."""
    table = before.copy()
    if table.paused and seen["obs"] not in WHILE_PAUSED:
        return table, [told_what_for(table, one) for one in refused(table.who(seen), "wrong-phase", seen)]
    rulings = RULE[seen["obs"]](table, seen)
    if own_cards.some_hand_is_too_big(table):  # what the table waited for before it knocks out
        rulings = [told_what_for(table, one) for one in rulings]
    if not table.draw_pile:
        rulings = rulings + ran_out(table, before)
    rulings = own_cards.knock_out(table, rulings)
    if table.phase == "round_over":
        rulings = rulings + ending.count(table)
    rulings = [told_what_for(table, one) for one in rulings]
    if len(rulings) > 1:
        rulings.sort(key=lambda ruling: ORDER.index(ruling["ruling"]) if ruling["ruling"] in ORDER else -1)
    return table, rulings


def told_what_for(table: Table, ruling: Ruling) -> Ruling:
    """Who does something at the wrong time is told what the table waits for, and from whom."""
    if ruling.get("why") != "wrong-phase" or "waits" in ruling:
        return ruling
    ruling |= {"waits": "paused" if table.paused else table.phase}
    if table.phase in WITH_A_TURN:
        ruling |= {"on": table.turn}
    return ruling | ({"n": table.stack} if ruling["waits"] == "stack" else {})


def ran_out(table: Table, before: Table) -> list[Ruling]:
    """No card to draw: the discard pile is shuffled, less its top card; or nobody can draw what is owed."""
    if len(table.discard_pile) > 1:
        is_new = before.draw_pile or len(before.discard_pile) <= 1
        return [ruled("recycle", rule="pile.exhausted")] if is_new else []
    short = [ruled("short", seat=seat, owed=n, rule="pile.exhausted") for seat, n in enumerate(table.owed) if n]
    table.owed = [0] * table.seats
    return short


def recycled(table: Table) -> list[Ruling]:
    table.draw_pile += table.discard_pile[:-1]
    table.discard_pile = table.discard_pile[-1:]
    return []


def paused(table: Table, is_paused: bool) -> list[Ruling]:
    table.paused = is_paused
    return []
