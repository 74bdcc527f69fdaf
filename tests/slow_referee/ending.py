"""The end: going out, counting, the winner, the next deal."""

from __future__ import annotations

from tests.slow_referee import house, own_cards, own_rules
from tests.slow_referee.table import Ruling, Table, ruled, team_of


def go_out(table: Table, seat: int, card: str) -> list[Ruling]:
    """The last card is laid and the round is over; a Draw Two or Wild Draw Four is still served."""
    table.went_out = seat
    table.phase = "round_over"
    table.catchable.clear()
    rulings = [*house.stopped(table), ruled("round_over", seat=seat, rule="goal")]
    is_asked = table.says["challengers"] != "nobody" and card == table.cards.doubtful
    if card == "wild-reverse-draw4":
        table.direction = "left" if table.direction == "right" else "right"
    is_bounced = card != "" and own_rules.is_bounce(table, table.cards.symbol_of(card))
    if is_bounced and table.cards.symbol_of(card) == "reverse":
        table.direction = "left" if table.direction == "right" else "right"
    if card and (table.cards.makes_draw(card) or is_bounced) and not is_asked:
        # It is served with what was stacked before it; nobody serves a card that comes back to who is out.
        n = table.stack + table.cards.makes_draw(card)
        why = table.stack_why if table.stack else table.cards.symbol_of(card)
        table.stack = 0
        if (debtor := own_cards.answerer(table, seat)) != seat:
            rulings.append(table.owe(debtor, n, why, rule="out.last_draw_card"))
    if table.target is None:
        # "The winner is the player who plays the last card": there is nothing to count.
        table.phase = "game_over"
        rulings.append(ruled("game_over", seat=seat, rule="goal"))
    if is_asked:
        table.stack += 4 if table.stack else 0
        table.phase = "challenge"
        rulings.append(ruled("may_challenge", seats=table.challengers, rule="wd4.challenge.who"))
    return rulings


def count(table: Table) -> list[Ruling]:
    """Points, once all that is owed has been drawn and every hand that counts has been seen."""
    if table.is_scored or any(table.owed) or table.target is None or table.went_out is None:
        return []
    winner = table.went_out
    team = team_of(table, winner)
    # Who left after the round has left a hand that counts.
    there = [seat for seat in range(table.seats) if seat in table.players or table.hands[seat]]
    losers = [seat for seat in there if seat != winner and (team is None or team_of(table, seat) != team)]
    if table.own.get("score.values") == "one-a-round":
        table.is_scored = True
        return count_winner(table, winner, 1)
    if any(len(table.known[seat]) < len(table.hands[seat]) for seat in losers):
        return []
    table.is_scored = True
    caught_with = {seat: sum(map(table.cards.points, table.hands[seat])) for seat in losers}
    if table.options.get("variant") == "elimination":
        return eliminate(table, caught_with)
    if table.options.get("scoring") == "lowest" or table.own.get("score.alt_lowest") == "played":
        return count_lowest(table, caught_with)
    return count_winner(table, winner, sum(caught_with.values()))


def score(table: Table, seat: int, n: int, rule: str) -> Ruling:
    team = team_of(table, seat)
    whose = {"seat": seat} if team is None else {"team": team}
    account = seat if team is None else team
    table.scores[account] += n
    return ruled("score", **whose, points=n, total=table.scores[account], rule=rule)


def won(table: Table, rule: str, seats: list[int]) -> Ruling:
    table.phase = "game_over"
    if table.teams:
        return ruled("game_over", team=team_of(table, seats[0]), rule=rule)
    return ruled("game_over", **({"seat": seats[0]} if len(seats) == 1 else {"seats": seats}), rule=rule)


def count_winner(table: Table, winner: int, n: int) -> list[Ruling]:
    """Who went out gets what the opponents hold; the first to reach the target wins the game."""
    is_by_rounds = table.own.get("score.values") == "one-a-round"
    rule = "partners.score" if table.teams and not is_by_rounds else "score.values"
    if table.says["knocked out at"] and not is_by_rounds:
        n += table.says["a knock-out scores"] * len(table.knocked_out)
    is_by_a_card = table.top and table.cards.makes_draw(table.top) and not table.hands[winner]
    if not table.teams and not is_by_rounds and is_by_a_card:
        rule = "out.last_draw_card.counts"
    scored = score(table, winner, n, rule)
    if scored["total"] < table.target:
        return [scored]
    return [scored, won(table, "score.target", [winner])]


def count_lowest(table: Table, caught_with: dict[int, int]) -> list[Ruling]:
    """Each keeps what he is caught with; when one reaches the target, the lowest wins."""
    scored = [score(table, seat, n, "score.alt_lowest") for seat, n in caught_with.items()]
    assert table.target is not None
    if max(table.scores) < table.target:
        return scored
    lowest = [seat for seat in table.players if table.scores[seat] == min(table.scores)]
    return [*scored, won(table, "score.alt_lowest", lowest)]


def eliminate(table: Table, caught_with: dict[int, int]) -> list[Ruling]:
    """Each keeps what he is caught with; who reaches the limit is out, and the last one wins."""
    limit, playing = table.options.get("limit", 500), table.players
    rulings = [score(table, seat, n, "elim.out") for seat, n in caught_with.items()]
    gone = [seat for seat in playing if table.scores[seat] >= limit]
    rulings += [ruled("eliminated", seat=seat, rule="elim.out") for seat in gone]
    table.out |= set(gone)
    left = table.players
    if len(left) == 1:
        rulings.append(won(table, "elim.final" if len(playing) == 2 else "elim.out", left))
    elif not left:
        least = min(table.scores[seat] for seat in playing)
        rulings.append(won(table, "elim.out", [seat for seat in playing if table.scores[seat] == least]))
    return rulings


def next_round(table: Table) -> list[Ruling]:
    """All cards go back; the deal passes to the next seat, or to the winner or nobody where the table chose so."""
    assert table.dealer is not None
    table.out, table.knocked_out = table.out - table.knocked_out, set()
    chosen = {"winner": table.went_out, "same": table.dealer}.get(table.options.get("deal", "next"))
    table.dealer = chosen if chosen in table.players else table.next_to(table.dealer, table.says["begins"])
    table.gather()
    return [ruled("dealer", seat=table.dealer, rule="dealer.pick", reading="proposed")]
