"""Rules of the house, and help that is not allowed."""

from __future__ import annotations

from tests.slow_referee.table import WITH_A_TURN, Ruling, Seen, Table, refused, ruled


def laid(table: Table, seat: int, card: str) -> list[Ruling]:
    """A card was laid: does it run a rule, and may its seat make one?"""
    if not table.says["house rules"]:
        return []
    rulings = stopped(table)
    if card.endswith("*") or card == "wild-house":
        table.maker = (seat, card)
    number = table.cards.number_of(card)
    if str(number) in table.house:
        table.running = str(number)
        rulings.append(ruled("house_rule", number=number, state="run", text=table.house[str(number)]))
    return rulings


def stopped(table: Table) -> list[Ruling]:
    """The next card has touched: silence was a decline; and of a rule that not all have followed yet, who was last?"""
    missing = [seat for seat in table.players if seat not in table.acted]
    is_open = table.running is not None and table.acted
    table.maker, table.running, table.acted = None, None, []
    return [ruled("cannot_tell", about="house-rule", seats=missing, rule="house.who")] if is_open else []


def made(table: Table, seen: Seen) -> list[Ruling]:
    """A seat makes a rule for the number of its card; or changes one, with the house wild."""
    number, text = seen["number"], seen["text"]
    refused = ruled("house_rule", number=number, state="refused")
    if table.maker is None or table.maker[0] != seen["seat"]:
        return [refused]
    card = table.maker[1]
    if card == "wild-house":
        if str(number) not in table.house:
            return [refused | {"rule": "house.change"}]
        state, rule = "changed", "house.change"
    else:
        if number != table.cards.number_of(card):
            return [refused]
        if str(number) in table.house:
            return [refused | {"rule": "house.icon_ignored"}]
        if len(table.house) >= table.says["house rules"]:
            return [refused | {"rule": "house.max"}]
        state, rule = "added", "house.add.trigger"
    table.house[str(number)] = text
    table.maker = None
    return [ruled("house_rule", number=number, state=state, text=text, rule=rule)]


def declined(table: Table, seen: Seen) -> list[Ruling]:
    if table.maker is not None and table.maker[0] == seen["seat"]:
        table.maker = None
    return []


def acted(table: Table, seen: Seen) -> list[Ruling]:
    """Everybody must do what the rule asks, and the last draws a card."""
    seat = seen["seat"]
    if not table.says["house rules"]:
        return [ruled("void", seat=seat, why="not-in-document")]
    if table.running is None or seat in table.acted:
        return []
    table.acted.append(seat)
    if len(table.acted) < len(table.players):
        return []
    table.running, table.acted = None, []
    own = table.options.get("own_penalties")
    if own is True:
        return [ruled("warn", seat=seat, rule="house.last_draws")]
    reading = "proposed" if own else None
    return [table.owe(seat, own or 1, "house-rule", rule="house.last_draws", reading=reading)]


def hinted(table: Table, seen: Seen) -> list[Ruling]:
    """Telling another what to play costs two cards, in the one document that speaks of it."""
    if not table.says["hint"]:
        return [ruled("void", seat=seen["seat"], why="not-in-document")]
    if table.phase not in WITH_A_TURN:
        return refused(seen["seat"], "wrong-phase", seen)
    return [table.owe(seen["seat"], table.says["hint"], "hint", rule="penalty.hint")]
